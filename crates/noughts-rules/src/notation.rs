//! Moves as text: `1-0` is row 1, column 0; on nine boards board 1, cell 0.

use std::fmt;

use crate::place::Move;
use crate::quote::Quoted;
use crate::variant::{Placement, Variant};

/// What a text points at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// One cell.
    Cell(Move),
    /// With gravity, a column: the mark falls to where it rests.
    Column(usize),
}

impl Variant {
    /// A move as text, as [`parse_place`](Variant::parse_place) reads it.
    pub fn format_move(&self, at: Move) -> String {
        let (first, second) = self.coordinates(at);
        format!("{first}-{second}")
    }

    /// Row and column, or board and cell.
    pub fn coordinates(&self, at: Move) -> (usize, usize) {
        let length = self.second();
        (at.index() / length, at.index() % length)
    }

    /// The move at this row and column, or board and cell, if there is one.
    pub fn move_at(&self, first: usize, second: usize) -> Option<Move> {
        let on_board = first < self.cells() / self.second() && second < self.second();
        on_board.then(|| Move::at(first * self.second() + second))
    }

    /// Reads a move, or with gravity a column alone. Numbers have no leading zeros, so that a
    /// place is written in one way only.
    pub fn parse_place(&self, text: &str) -> Result<Place, PlaceError> {
        let unreadable = || PlaceError::Unreadable {
            text: Quoted::from(text),
            form: self.place_form(),
        };
        if let Some((first, second)) = text.split_once('-') {
            let first = number(first).ok_or_else(unreadable)?;
            let second = number(second).ok_or_else(unreadable)?;
            return self
                .move_at(first, second)
                .map(Place::Cell)
                .ok_or(self.off_board());
        }
        let Variant::Grid(spec) = self else {
            return Err(unreadable());
        };
        match (spec.placement, number(text)) {
            (Placement::Gravity, Some(column)) if column < spec.columns() => {
                Ok(Place::Column(column))
            }
            (Placement::Gravity, Some(_)) => Err(self.off_board()),
            (Placement::Gravity, None) | (Placement::Anywhere, _) => Err(unreadable()),
        }
    }

    /// How many there are of what a move names second: columns, or cells of a board.
    fn second(&self) -> usize {
        match self {
            Variant::Grid(spec) => spec.columns(),
            Variant::Nested(_) => 9,
        }
    }

    fn off_board(&self) -> PlaceError {
        PlaceError::OffBoard {
            last: self.format_move(Move::at(self.cells() - 1)),
        }
    }

    fn place_form(&self) -> &'static str {
        match self {
            Variant::Nested(_) => "board-cell",
            Variant::Grid(spec) => match spec.placement {
                Placement::Anywhere => "row-column",
                Placement::Gravity => "row-column, or the column alone",
            },
        }
    }
}

/// A number as moves are written with. One too large to be anything saturates: it can be read,
/// but it is off every board.
pub(crate) fn number(digits: &str) -> Option<usize> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let canonical = digits.len() == 1 || !digits.starts_with('0');
    (plain && canonical).then(|| digits.parse().unwrap_or(usize::MAX))
}

/// Why a text names no place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceError {
    /// It is not written as a move is.
    Unreadable {
        /// What was written.
        text: Quoted,
        /// How a move is written here.
        form: &'static str,
    },
    /// It is written well, but the board is smaller.
    OffBoard {
        /// The last cell there is.
        last: String,
    },
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Unreadable { text, form } => {
                write!(
                    f,
                    "{text} is not a move: a move is written {form}, such as 0-1"
                )
            }
            PlaceError::OffBoard { last } => {
                write!(
                    f,
                    "there is no such cell on the board: they go from 0-0 to {last}"
                )
            }
        }
    }
}

impl std::error::Error for PlaceError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variant: &str, text: &str) -> Result<Place, PlaceError> {
        variant.parse::<Variant>().unwrap().parse_place(text)
    }

    #[test]
    fn moves_are_row_and_column_or_board_and_cell() {
        assert_eq!(read("3x3k3", "1-0"), Ok(Place::Cell(Move::at(3))));
        assert_eq!(read("4x3k3", "2-3"), Ok(Place::Cell(Move::at(11))));
        assert_eq!(read("12x12k5", "11-10"), Ok(Place::Cell(Move::at(142))));
        assert_eq!(read("multi", "4-0"), Ok(Place::Cell(Move::at(36))));
        assert_eq!(read("7x6k4+gravity", "3"), Ok(Place::Column(3)));
        assert_eq!(read("7x6k4+gravity", "5-3"), Ok(Place::Cell(Move::at(38))));
    }

    #[test]
    fn what_is_no_move_says_how_moves_are_written() {
        for text in [
            "", "-", "1", "1-", "-1", "1-0-0", "1--0", "a-0", "01-0", "1-00", "+1-0", "1 0",
            "1-0 ", "１-0",
        ] {
            let error = read("3x3k3", text).unwrap_err();
            assert!(matches!(error, PlaceError::Unreadable { .. }), "{text:?}");
            assert!(error.to_string().contains("row-column"), "{error}");
        }
        assert!(matches!(
            read("multi", "4"),
            Err(PlaceError::Unreadable { .. })
        ));
        for text in ["3-0", "0-3", "99999999999999999999999-0"] {
            assert!(
                matches!(read("3x3k3", text), Err(PlaceError::OffBoard { .. })),
                "{text:?}"
            );
        }
        assert!(matches!(
            read("multi", "9-0"),
            Err(PlaceError::OffBoard { .. })
        ));
        assert!(matches!(
            read("7x6k4+gravity", "7"),
            Err(PlaceError::OffBoard { .. })
        ));
    }
}
