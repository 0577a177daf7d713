//! Describes in words where completed lines are on the board.

use noughts_rules::{Action, Move, Turn, View};

/// Returns one text per completed line: rows first, then columns, then diagonals. All completed lines contain the
/// last play, so any other cell of a line shows the line's direction.
pub(crate) fn in_words(view: &View, cells: &[Move]) -> Vec<String> {
    let Some(Turn {
        action: Action::Play(last),
        ..
    }) = view.last
    else {
        return Vec::new();
    };
    let place = |at: &Move| {
        let (row, column) = view.variant.coordinates(*at);
        (row as isize, column as isize)
    };
    let (row, column) = place(&last);
    let through = |is_on: &dyn Fn(isize, isize) -> bool| -> Option<(&Move, &Move)> {
        let mut on = cells.iter().filter(|at| {
            let (r, c) = place(at);
            is_on(r - row, c - column)
        });
        let first = on.next()?;
        on.next_back().map(|end| (first, end))
    };
    let diagonal = |(first, end): (&Move, &Move)| {
        let write = |at: &Move| view.variant.format_move(*at);
        format!("on the diagonal from {} to {}", write(first), write(end))
    };
    [
        through(&|down, _| down == 0).map(|_| format!("in row {row}")),
        through(&|_, right| right == 0).map(|_| format!("in column {column}")),
        through(&|down, right| down == right).map(diagonal),
        through(&|down, right| down == -right).map(diagonal),
    ]
    .into_iter()
    .flatten()
    .collect()
}
