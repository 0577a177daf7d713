//! What somebody typed on nine boards: a cell, `board-cell`, or an action as everywhere.

use noughts_rules::{Action, Board, Game, PlaceError, Quoted};

/// A line, understood or not.
pub(super) enum Typed {
    /// To be done, if the rules allow it.
    Action(Action),
    /// A cell, but there are several boards to play on.
    WhichBoard,
    /// A number that is no cell.
    NoCell(String),
    /// An empty line.
    Nothing,
    /// Anything else.
    Unreadable(Quoted),
    /// Written well, but there is no such place.
    NoSuchPlace(PlaceError),
}

/// Reads a line. A cell alone means the board that must be played on.
pub(super) fn read(game: &Game, board: Option<Board>, line: &str) -> Typed {
    if line.is_empty() {
        return Typed::Nothing;
    }
    if !line.bytes().all(|byte| byte.is_ascii_digit()) {
        return understand(game, line);
    }
    match board {
        _ if !matches!(line.as_bytes(), [b'0'..=b'8']) => Typed::NoCell(line.to_owned()),
        Some(board) => understand(game, &format!("{board}-{line}")),
        None => Typed::WhichBoard,
    }
}

fn understand(game: &Game, text: &str) -> Typed {
    match game.parse_action(text) {
        Ok(action) => Typed::Action(action),
        Err(PlaceError::Unreadable { text, .. }) => Typed::Unreadable(text),
        Err(error @ PlaceError::OffBoard { .. }) => Typed::NoSuchPlace(error),
    }
}
