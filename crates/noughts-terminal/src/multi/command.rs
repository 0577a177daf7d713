//! Parses a line that was typed in a game on nine boards: a cell, `board-cell`, or another action.

use noughts_rules::{Action, Board, Game, PlaceError, Quoted};

/// A parsed line.
pub(super) enum Typed {
    /// An action, not yet checked by the rules.
    Action(Action),
    /// A cell without a board, while several boards are open.
    WhichBoard,
    /// A number that is not a cell.
    NoCell(String),
    /// A request for the instructions.
    Help,
    /// An empty line.
    Nothing,
    /// Anything else.
    Unreadable(Quoted),
    /// A well-formed action with a cell that is not on the board.
    NoSuchPlace(PlaceError),
}

/// Parses a line. A cell number without a board refers to `board`, the active board.
pub(super) fn read(game: &Game, board: Option<Board>, line: &str) -> Typed {
    if line.is_empty() {
        return Typed::Nothing;
    }
    if matches!(line, "?" | "help") {
        return Typed::Help;
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
