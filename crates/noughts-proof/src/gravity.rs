//! Positions with gravity that need no proof record, because their result follows from the possible lines or from
//! *following*.
//!
//! If every column has an even number of empty cells, the side that is not to move can *follow*: it answers every mark
//! with a mark directly above it. Then the empty cells of each column form pairs of a lower and an upper cell. The side
//! that follows gets all upper cells, and the other side gets only lower cells.

use noughts_rules::{Diagram, Goal, GridSpec, Overline, Placement, Side, Variant};

use crate::Claim;

/// A board with gravity, and its possible lines.
pub(crate) struct Gravity {
    columns: usize,
    rows: usize,
    /// The cells of every possible line.
    lines: Vec<Vec<usize>>,
}

/// The state of a cell. An empty cell is `Lower` if an odd number of empty cells is above it, otherwise `Upper`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Taken,
    Lower,
    Upper,
}

impl Gravity {
    /// Returns `None` for every variant except grids for two sides with `+gravity` as the only suffix.
    pub(crate) fn new(variant: &Variant) -> Option<Gravity> {
        let Variant::Grid(spec) = variant else {
            return None;
        };
        let applies = spec.sides() == 2
            && spec.goal == Goal::Make
            && spec.placement == Placement::Gravity
            && spec.overline == Overline::Counts;
        applies.then(|| Gravity {
            columns: spec.columns(),
            rows: spec.rows(),
            lines: lines(spec),
        })
    }

    /// Whether the claim holds in `position` although the proof has no record (line of its text) for it. The game must
    /// not be over in `position`.
    pub(crate) fn is_obvious(&self, position: &Diagram, claim: Claim) -> bool {
        let (claimant, other) = (claim.claimant(), claim.claimant().next(2));
        if !claim.wins && !self.can_line(position, other, |_| true) {
            return true;
        }
        if position.to_move == claimant {
            return self.can_line_at_once(position, claimant);
        }
        let cells: Vec<Cell> = (0..self.columns * self.rows)
            .map(|cell| self.cell(position, cell))
            .collect();
        let odd: Vec<usize> = (0..self.columns)
            .filter(|column| !self.empty(position, *column).is_multiple_of(2))
            .collect();
        match odd[..] {
            [] => {
                !self.can_line(position, other, |cell| cells[cell] == Cell::Lower)
                    && (!claim.wins
                        || self.can_line(position, claimant, |cell| cells[cell] == Cell::Upper))
            }
            [odd] => claim.wins && self.has_last_threat(position, claimant, &cells, odd),
            _ => false,
        }
    }

    /// Whether the claimant can win by following until it completes a line with a cell of the column `odd`.
    /// `odd` must be the only column with an odd number of empty cells. When no other move is left, the other
    /// side must play in this column, directly below the cell that completes the line.
    fn has_last_threat(
        &self,
        position: &Diagram,
        claimant: Side,
        cells: &[Cell],
        odd: usize,
    ) -> bool {
        let column = (0..self.rows).rev().map(|row| row * self.columns + odd);
        let empty: Vec<usize> = column
            .filter(|cell| position.marks[*cell].is_none())
            .collect();
        // The empty cells are counted from 0, from the lowest cell up. The claimant gets the cells with odd
        // numbers. Find the lowest of these cells that completes a line.
        let threat = (1..empty.len()).step_by(2).find(|number| {
            let cell = empty[*number];
            self.can_line(position, claimant, |one| one == cell)
        });
        let Some(threat) = threat else {
            return false;
        };
        let may_get = |cell: usize| match cell % self.columns == odd {
            false => cells[cell] == Cell::Lower,
            true => empty[..threat].iter().step_by(2).any(|one| *one == cell),
        };
        !self.can_line(position, claimant.next(2), may_get)
    }

    /// Whether `side` would have a line if it also got all empty cells for which `gets` is true.
    fn can_line(&self, position: &Diagram, side: Side, gets: impl Fn(usize) -> bool) -> bool {
        let has = |cell: &usize| match position.marks[*cell] {
            Some(mark) => mark == side,
            None => gets(*cell),
        };
        self.lines.iter().any(|line| line.iter().all(has))
    }

    /// Whether the side can complete a line with its next mark.
    fn can_line_at_once(&self, position: &Diagram, side: Side) -> bool {
        let is_playable = |cell: usize| {
            let below = position.marks.get(cell + self.columns);
            position.marks[cell].is_none() && below.is_none_or(Option::is_some)
        };
        (0..position.marks.len())
            .filter(|cell| is_playable(*cell))
            .any(|cell| self.can_line(position, side, |one| one == cell))
    }

    /// Number of empty cells of a column.
    fn empty(&self, position: &Diagram, column: usize) -> usize {
        let cells = (0..self.rows).map(|row| row * self.columns + column);
        cells.filter(|cell| position.marks[*cell].is_none()).count()
    }

    fn cell(&self, position: &Diagram, cell: usize) -> Cell {
        // With gravity all cells above an empty cell are empty, so the row number of an empty cell is the number of
        // empty cells above it.
        match (position.marks[cell], cell / self.columns % 2) {
            (Some(_), _) => Cell::Taken,
            (None, 0) => Cell::Upper,
            (None, _) => Cell::Lower,
        }
    }
}

/// All lines of exactly K cells. Every longer line contains a line of K cells.
fn lines(spec: &GridSpec) -> Vec<Vec<usize>> {
    let (columns, rows, length) = (
        spec.columns() as i64,
        spec.rows() as i64,
        spec.line() as i64,
    );
    let mut lines = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let cells = (0..length).map(|step| (row + step * down, column + step * right));
                let is_inside = cells.clone().all(|(row, column)| {
                    (0..rows).contains(&row) && (0..columns).contains(&column)
                });
                if is_inside {
                    lines.push(
                        cells
                            .map(|(row, column)| (row * columns + column) as usize)
                            .collect(),
                    );
                }
            }
        }
    }
    lines
}
