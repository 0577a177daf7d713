//! Nine boards, three by three, 18 lines high, so that the whole screen has 24 lines.

use noughts_rules::{BoardState, Move, Play, View};

use super::messages;

const GAP: &str = "      ";
const RULE: &str = "---+---+---";

/// The nine boards, each below its number, without a final newline.
pub(super) fn boards(view: &View, last: Option<&Play>) -> String {
    let mut lines = Vec::new();
    for band in [[0, 1, 2], [3, 4, 5], [6, 7, 8]] {
        lines.push(band.map(|board| heading(view, board)).join(GAP));
        for row in 0..3 {
            if row > 0 {
                lines.push([RULE; 3].join(GAP));
            }
            let cells = |board| self::cells(view, last, 9 * board + 3 * row);
            lines.push(band.map(cells).join(GAP));
        }
    }
    let ends: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    ends.join("\n")
}

/// The boards with these lines to their right, so that both fit on a screen of 24 lines.
pub(super) fn beside(boards: &str, lines: &[String]) -> String {
    let room = 3 * RULE.len() + 2 * GAP.len() + 4;
    let mut rows: Vec<String> = boards.lines().map(str::to_owned).collect();
    rows.resize(rows.len().max(lines.len()), String::new());
    for (row, line) in rows.iter_mut().zip(lines) {
        *row = format!("{row:<room$}{line}").trim_end().to_owned();
    }
    rows.join("\n")
}

/// The line above a board: its number, `> <` if it may be played on, and its result.
fn heading(view: &View, board: usize) -> String {
    let is_open = |at: &Move| view.variant.coordinates(*at).0 == board;
    let state = view.nested.map(|nested| nested.boards[board]);
    let words = match state {
        Some(BoardState::Won(side)) => messages::board_won(board, side),
        Some(BoardState::Drawn) => messages::board_drawn(board),
        Some(BoardState::Open) | None if view.legal.iter().any(is_open) => format!("> {board} <"),
        Some(BoardState::Open) | None => board.to_string(),
    };
    format!("{words:^11}")
}

/// A row of a board; the last play is in brackets.
fn cells(view: &View, last: Option<&Play>, first: usize) -> String {
    let cell = |index: usize| {
        let is_last = last.is_some_and(|play| play.at.index() == index);
        let mark: &str = view.marks[index].map_or(" ", messages::name);
        match is_last {
            true => format!("[{mark}]"),
            false => format!(" {mark} "),
        }
    };
    [first, first + 1, first + 2].map(cell).join("|")
}

/// The numbers of boards and cells as a small picture, with the prompt beside it.
pub(super) fn beside_key(prompt: &str) -> String {
    format!("0 1 2\n3 4 5\n6 7 8   {prompt}")
}
