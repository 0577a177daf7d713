//! Draws the board: cells are three characters wide, with `|` on both sides of every cell and a line of `-` above and
//! below every row.

use noughts_rules::{GridSpec, View};

use super::messages;

/// Draws the board, without a newline after the last line.
pub(super) fn board(spec: &GridSpec, view: &View) -> String {
    let rule = "-".repeat(4 * spec.columns() + 1);
    let mut drawing = rule.clone();
    for row in view.marks.chunks(spec.columns()) {
        drawing.push('\n');
        for mark in row {
            drawing.push('|');
            drawing.push_str(messages::cell(*mark));
        }
        drawing.push_str("|\n");
        drawing.push_str(&rule);
    }
    drawing
}
