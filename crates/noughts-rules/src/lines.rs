//! Lines on a board of any size: K adjacent marks of one side in a row, a column or a diagonal.

use crate::place::Move;
use crate::side::Side;
use crate::variant::{GridSpec, Overline};

/// The four directions, as columns and rows to go from one cell of a line to the next.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Whether the mark at `at` is part of a line.
pub(crate) fn is_on_line(spec: &GridSpec, marks: &[Option<Side>], at: Move) -> bool {
    DIRECTIONS.into_iter().any(|direction| {
        let length =
            1 + reach(spec, marks, at, direction) + reach(spec, marks, at, back(direction));
        makes_line(spec, length)
    })
}

/// All cells of all lines through the mark at `at`, ascending.
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

/// All cells of all lines on the board, ascending.
pub(crate) fn all(spec: &GridSpec, marks: &[Option<Side>]) -> Vec<Move> {
    let marked = (0..marks.len()).filter(|&cell| marks[cell].is_some());
    marked
        .map(Move::at)
        .filter(|&at| is_on_line(spec, marks, at))
        .collect()
}

/// A side that has a line somewhere.
pub(crate) fn owner_of_any(spec: &GridSpec, marks: &[Option<Side>]) -> Option<Side> {
    all(spec, marks).first().and_then(|at| marks[at.index()])
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

/// How many marks of the same side follow the one at `at` without a gap.
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
        // Going left of column 0 or above row 0 wraps to a number that is off the board too.
        column = column.wrapping_add_signed(right);
        row = row.wrapping_add_signed(down);
        if column >= columns || row >= rows || marks[row * columns + column] != owner {
            return count;
        }
        count += 1;
    }
}
