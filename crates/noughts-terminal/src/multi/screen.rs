//! Draws the nine boards, three by three.

use noughts_rules::{BoardState, Move, Play, View};

use super::messages;
use crate::tui::wrap;

/// How large the boards are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardSize {
    /// 18 lines high, so that the whole screen has 24 lines.
    Large,
    /// 12 lines high, without separators between the cells, so that the whole screen has 18 lines and 60 columns.
    Small,
}

impl BoardSize {
    /// The size for a terminal with this many columns and lines.
    pub fn fit(columns: u16, lines: u16) -> BoardSize {
        match columns >= 80 && lines >= 24 {
            true => BoardSize::Large,
            false => BoardSize::Small,
        }
    }

    /// The text between two boards.
    fn gap(self) -> &'static str {
        match self {
            BoardSize::Large => "      ",
            BoardSize::Small => "  ",
        }
    }

    /// The text between two cells of a row.
    fn between(self) -> &'static str {
        match self {
            BoardSize::Large => "|",
            BoardSize::Small => "",
        }
    }

    fn empty_cell(self) -> &'static str {
        match self {
            BoardSize::Large => " ",
            BoardSize::Small => ".",
        }
    }

    fn board_width(self) -> usize {
        9 + 2 * self.between().len()
    }

    /// The column in which the text beside the boards starts.
    fn text_column(self) -> usize {
        let space = match self {
            BoardSize::Large => 4,
            BoardSize::Small => 2,
        };
        3 * self.board_width() + 2 * self.gap().len() + space
    }

    /// On a small screen, wraps long lines at spaces.
    pub(super) fn wrap_status(self, status: &str) -> String {
        match self {
            BoardSize::Large => status.to_owned(),
            BoardSize::Small => {
                let lines = status.lines().flat_map(|line| wrap(line, SMALL_COLUMNS));
                lines.collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// The number of columns for the text beside the boards.
    pub(super) fn text_width(self) -> u16 {
        match self {
            BoardSize::Large => 31,
            BoardSize::Small => 27,
        }
    }
}

const RULE: &str = "---+---+---";

/// The number of columns of a small screen.
const SMALL_COLUMNS: u16 = 60;

/// Draws the nine boards, each below its number, without a final newline.
pub(super) fn boards(size: BoardSize, view: &View, last: Option<&Play>) -> String {
    let mut lines = Vec::new();
    let gap = size.gap();
    for band in [[0, 1, 2], [3, 4, 5], [6, 7, 8]] {
        lines.push(band.map(|board| heading(size, view, board)).join(gap));
        for row in 0..3 {
            if row > 0 && size == BoardSize::Large {
                lines.push([RULE; 3].join(gap));
            }
            let cells = |board| self::cells(size, view, last, 9 * board + 3 * row);
            lines.push(band.map(cells).join(gap));
        }
    }
    let ends: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    ends.join("\n")
}

/// Puts `lines` to the right of the boards, so that the boards and the lines fit on the screen.
pub(super) fn beside(size: BoardSize, boards: &str, lines: &[String]) -> String {
    let room = size.text_column();
    let mut rows: Vec<String> = boards.lines().map(str::to_owned).collect();
    rows.resize(rows.len().max(lines.len()), String::new());
    for (row, line) in rows.iter_mut().zip(lines) {
        *row = format!("{row:<room$}{line}").trim_end().to_owned();
    }
    rows.join("\n")
}

/// The line above a board: its number, `> <` if the player to move may play there, and its result.
fn heading(size: BoardSize, view: &View, board: usize) -> String {
    let is_open = |at: &Move| view.variant.coordinates(*at).0 == board;
    let state = view.nested.map(|nested| nested.boards[board]);
    let words = match state {
        Some(BoardState::Won(side)) => messages::board_won(board, side),
        Some(BoardState::Drawn) => messages::board_drawn(board),
        Some(BoardState::Open) | None if view.legal.iter().any(is_open) => format!("> {board} <"),
        Some(BoardState::Open) | None => board.to_string(),
    };
    format!("{words:^width$}", width = size.board_width())
}

/// Draws a row of a board. The last play is in brackets.
fn cells(size: BoardSize, view: &View, last: Option<&Play>, first: usize) -> String {
    let cell = |index: usize| {
        let is_last = last.is_some_and(|play| play.at.index() == index);
        let mark: &str = view.marks[index].map_or(size.empty_cell(), messages::name);
        match is_last {
            true => format!("[{mark}]"),
            false => format!(" {mark} "),
        }
    };
    [first, first + 1, first + 2].map(cell).join(size.between())
}

/// Draws the numbers 0 to 8 of boards and cells as a square, with the prompt beside it.
pub(super) fn beside_key(prompt: &str) -> String {
    format!("0 1 2\n3 4 5\n6 7 8   {prompt}")
}
