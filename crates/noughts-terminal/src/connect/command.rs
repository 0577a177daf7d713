//! Parses a typed move.

use noughts_rules::{Game, Move, Quoted};

/// A parsed line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Typed {
    /// A cell of the board, perhaps occupied.
    Cell(Move),
    /// Two numbers that are not a cell of the board.
    OffBoard(String),
    /// Resign, which the protocol does not support.
    Resign,
    /// Rewind, which the protocol does not support.
    Rewind,
    /// An empty line, `?` or `help`.
    Help,
    /// Anything else.
    Unreadable(Quoted),
}

/// Parses `1 0` or `1-0`.
pub(super) fn read(game: &Game, line: &str) -> Typed {
    match line {
        "" | "?" | "help" => return Typed::Help,
        "resign" => return Typed::Resign,
        _ if line.starts_with("<<") => return Typed::Rewind,
        _ => {}
    }
    let Some((row, column)) = numbers(line) else {
        return Typed::Unreadable(line.into());
    };
    let cell = row.parse().ok().zip(column.parse().ok());
    // A number that is too large to parse is treated as off the board.
    match cell.and_then(|(row, column)| game.variant().move_at(row, column)) {
        Some(at) => Typed::Cell(at),
        None => Typed::OffBoard(format!("{row}-{column}")),
    }
}

fn numbers(line: &str) -> Option<(&str, &str)> {
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let number = |word: &str| digits(word.strip_prefix('-').unwrap_or(word));
    if let Some((row, column)) = line.split_once('-')
        && digits(row)
        && digits(column)
    {
        return Some((row, column));
    }
    let mut words = line.split_whitespace();
    let (row, column) = (words.next()?, words.next()?);
    (words.next().is_none() && number(row) && number(column)).then_some((row, column))
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_rules::{GridSpec, Options, Variant};

    fn read(line: &str) -> Typed {
        let variant = Variant::Grid(GridSpec::TIC_TAC_TOE);
        super::read(&Game::new(&variant, Options::default()).unwrap(), line)
    }

    #[test]
    fn a_row_and_a_column_are_a_cell() {
        for (line, cell) in [
            ("0 0", 0),
            ("1-0", 3),
            ("1 2", 5),
            ("2  \t 2", 8),
            ("2-2", 8),
        ] {
            assert_eq!(read(line), Typed::Cell(Move::at(cell)), "{line}");
        }
    }

    #[test]
    fn numbers_beside_the_board_are_off_it() {
        for line in ["3-0", "0 3", "-1 0", "0 -1", "99999999999999999999 0"] {
            assert!(matches!(read(line), Typed::OffBoard(_)), "{line}");
        }
        assert_eq!(read("0 3"), Typed::OffBoard("0-3".to_owned()));
    }

    #[test]
    fn other_lines_are_distinguished() {
        for line in ["", "?", "help"] {
            assert_eq!(read(line), Typed::Help, "{line}");
        }
        assert_eq!(read("resign"), Typed::Resign);
        assert_eq!(read("<<1"), Typed::Rewind);
        for line in [
            "1", "a b", "1-", "-1", "1--1", "1 1 1", "1-1-1", "+1 1", "centre", "١ ١",
        ] {
            assert!(matches!(read(line), Typed::Unreadable(_)), "{line}");
        }
    }
}
