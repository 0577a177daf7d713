//! Moves as text: `1-0` is row 1, column 0. On nine boards, `1-0` is board 1, cell 0.

use std::fmt;

use crate::place::Move;
use crate::quote::Quoted;
use crate::variant::{Placement, Variant};

/// The place on the board that a text describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// One cell.
    Cell(Move),
    /// A column, in games with gravity: the mark falls to the lowest empty cell of the column.
    Column(usize),
}

impl Variant {
    /// The text of a move, in the form that [`parse_place`](Variant::parse_place) parses.
    ///
    /// ```
    /// use noughts_rules::{Move, Place, Variant};
    ///
    /// let gomoku: Variant = "15x15k5".parse()?;
    /// let centre = Move::at(7 * 15 + 7);
    /// assert_eq!(gomoku.format_move(centre), "7-7");
    /// assert_eq!(gomoku.parse_place("7-7")?, Place::Cell(centre));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn format_move(&self, at: Move) -> String {
        let (first, second) = self.coordinates(at);
        format!("{first}-{second}")
    }

    /// Row and column of a move, or board and cell on nine boards.
    pub fn coordinates(&self, at: Move) -> (usize, usize) {
        let length = self.row_length();
        (at.index() / length, at.index() % length)
    }

    /// The move at a row and a column, or at a board and a cell; `None` if there is no such cell.
    pub fn move_at(&self, first: usize, second: usize) -> Option<Move> {
        let on_board = first < self.cells() / self.row_length() && second < self.row_length();
        on_board.then(|| Move::at(first * self.row_length() + second))
    }

    /// Parses a move. With gravity, also parses a column number alone, such as `3`. Numbers must not have
    /// leading zeros, so each place has exactly one text.
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

    /// The number of columns. On nine boards, the number of cells of one board.
    fn row_length(&self) -> usize {
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

/// Parses a number without sign and leading zeros; `None` if the text is not such a number. A number that is
/// too large for a `usize` becomes `usize::MAX`, which is outside every allowed range.
pub(crate) fn number(digits: &str) -> Option<usize> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let canonical = digits.len() == 1 || !digits.starts_with('0');
    (plain && canonical).then(|| digits.parse().unwrap_or(usize::MAX))
}

/// Why a text is not a place on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceError {
    /// The text is not a move.
    Unreadable {
        /// The start of the text.
        text: Quoted,
        /// How a move is written in this variant, such as `row-column`.
        form: &'static str,
    },
    /// The board has no such cell.
    OffBoard {
        /// The text of the last cell of the board, such as `2-2`.
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
    fn errors_say_how_moves_are_written() {
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
