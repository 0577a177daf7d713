//! Lines on a board of any size: K adjacent marks of one side in a row, a column or a diagonal.

use crate::place::Move;
use crate::side::Side;
use crate::variant::{GridSpec, Overline};

/// The four directions of a line. Each value is the step from one cell of a line to the next, as (columns, rows).
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Whether the mark at `at` is part of a line.
pub(crate) fn is_on_line(spec: &GridSpec, marks: &[Option<Side>], at: Move) -> bool {
    DIRECTIONS.into_iter().any(|direction| {
        let length =
            1 + reach(spec, marks, at, direction) + reach(spec, marks, at, back(direction));
        makes_line(spec, length)
    })
}

/// The cells of all lines through the mark at `at`, ascending.
pub(crate) fn through(spec: &GridSpec, marks: &[Option<Side>], at: Move) -> Vec<Move> {
    let mut cells = Vec::new();
    for direction in DIRECTIONS {
        let (after, before) = (
            reach(spec, marks, at, direction),
            reach(spec, marks, at, back(direction)),
        );
        if makes_line(spec, 1 + after + before) {
            let step = direction.0 + direction.1 * spec.columns() as isize;
            cells.extend(
                (-(before as isize)..=after as isize)
                    .map(|distance| Move::at(at.index().wrapping_add_signed(step * distance))),
            );
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// The cells of all lines on the board, ascending.
pub(crate) fn all(spec: &GridSpec, marks: &[Option<Side>]) -> impl Iterator<Item = Move> {
    let marked = (0..marks.len()).filter(|&cell| marks[cell].is_some());
    marked
        .map(Move::at)
        .filter(|&at| is_on_line(spec, marks, at))
}

/// Whether a single play can have completed all lines on the board. True if there are no lines. Only a mark
/// for which `could_be_last` returns true can be this play.
pub(crate) fn one_mark_completes_all(
    spec: &GridSpec,
    marks: &[Option<Side>],
    could_be_last: impl Fn(Move) -> bool,
) -> bool {
    // One play completes at most one line in each of the four directions, and each line has fewer than 2 K
    // marks. So one play cannot complete lines with 8 K cells or more. If the lines on the board have that
    // many cells, return false at once. Without this limit, a board full of one side's marks would take hours
    // to check.
    let max_cells = 8 * spec.line();
    let lines: Vec<Move> = all(spec, marks).take(max_cells).collect();
    if lines.is_empty() || lines.len() == max_cells {
        return lines.is_empty();
    }
    let mut before = marks.to_vec();
    lines.iter().any(|&last| {
        let mark = before[last.index()].take();
        // Without the mark at `last`, a run that was too long for `+exact` may be a line of exactly K marks.
        let mut suspects = lines.iter().copied().chain(around(spec, last));
        let had_line =
            suspects.any(|at| before[at.index()].is_some() && is_on_line(spec, &before, at));
        before[last.index()] = mark;
        !had_line && could_be_last(last)
    })
}

/// A cell and its neighbours, at most nine cells.
fn around(spec: &GridSpec, at: Move) -> impl Iterator<Item = Move> {
    let (columns, rows) = (spec.columns(), spec.rows());
    let (row, column) = (at.index() / columns, at.index() % columns);
    let near = |place: usize, places: usize| place.saturating_sub(1)..(place + 2).min(places);
    near(row, rows)
        .flat_map(move |row| near(column, columns).map(move |column| row * columns + column))
        .map(Move::at)
}

/// The side that has a line on the board; `None` if there is no line.
pub(crate) fn owner_of_any(spec: &GridSpec, marks: &[Option<Side>]) -> Option<Side> {
    all(spec, marks).next().and_then(|at| marks[at.index()])
}

fn makes_line(spec: &GridSpec, length: usize) -> bool {
    match spec.overline {
        Overline::Counts => length >= spec.line(),
        Overline::Ignored => length == spec.line(),
    }
}

fn back((columns, rows): (isize, isize)) -> (isize, isize) {
    (-columns, -rows)
}

/// The number of marks of the same side that follow the mark at `at` without a gap, in the given direction.
fn reach(
    spec: &GridSpec,
    marks: &[Option<Side>],
    at: Move,
    (right, down): (isize, isize),
) -> usize {
    let owner = marks[at.index()];
    let (columns, rows) = (spec.columns(), spec.rows());
    let mut column = at.index() % columns;
    let mut row = at.index() / columns;
    let mut count = 0;
    loop {
        // Below 0 the addition wraps around to a large number, which is not on the board.
        column = column.wrapping_add_signed(right);
        row = row.wrapping_add_signed(down);
        if column >= columns || row >= rows || marks[row * columns + column] != owner {
            return count;
        }
        count += 1;
    }
}
