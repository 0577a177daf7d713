//! Features of one board: how far every possible line has come.
//!
//! A *window* is K cells in a line. It belongs to a side while only that side has marks in it, and
//! is worth the more the fewer are missing. Every play changes the windows through its cell, and
//! nothing else.

use noughts_rules::{Goal, GridSpec, Move, Overline, Placement, Rules, Side, Symmetry, Variant};

use crate::features::{Candidate, Features};
use crate::seed::Random;

/// What a window is worth by how many marks it lacks: nothing when complete, since then the game
/// is over; then each step some five times the one after it.
const WORTH: [i32; 6] = [0, 1200, 220, 40, 8, 2];

/// On boards with more cells only moves near marks are candidates.
const SMALL_BOARD: usize = 64;

/// How near is near.
const NEAR: usize = 2;

/// How many candidates a large board gives at most: the most promising.
const MOST_CANDIDATES: usize = 12;

#[derive(Clone)]
pub(crate) struct Lines {
    spec: GridSpec,
    sides: usize,
    /// Marks in each window by side: `(direction * cells + first cell) * sides + side`.
    counts: Vec<u8>,
    /// What the windows through a cell are worth to a side: `side * cells + cell`.
    worth: Vec<i32>,
    /// By side: the worth of all its windows.
    total: Vec<i32>,
    /// By side: windows that lack one mark.
    threats: Vec<u32>,
    /// By side: windows in which nobody else has a mark.
    alive: Vec<u32>,
    /// Marks near each cell.
    near: Vec<u16>,
    marks: usize,
    keys: Vec<u64>,
    /// Hashes of the board laid in each symmetric way.
    hashes: Vec<u64>,
    symmetries: Vec<(Symmetry, Vec<Move>)>,
}

/// From one cell of a window to the next: rows and columns.
const DIRECTIONS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl Lines {
    pub(crate) fn new<R: Rules>(rules: &R, position: &R::Position) -> Lines {
        let Variant::Grid(spec) = rules.variant() else {
            unreachable!("one board has a grid's variant");
        };
        let (cells, sides) = (spec.cells(), usize::from(spec.sides()));
        let mut random = Random::new(0x6E6F_7567_6874_7331);
        let mut lines = Lines {
            sides,
            counts: vec![0; 4 * cells * sides],
            worth: vec![0; sides * cells],
            total: vec![0; sides],
            threats: vec![0; sides],
            alive: vec![windows(&spec) as u32; sides],
            near: vec![0; cells],
            marks: 0,
            keys: (0..cells * sides).map(|_| random.draw()).collect(),
            hashes: Vec::new(),
            symmetries: symmetries(&spec),
            spec,
        };
        lines.hashes = vec![0; lines.symmetries.len()];
        for (cell, mark) in rules.diagram(position).marks.iter().enumerate() {
            if let Some(side) = mark {
                <Lines as Features<R>>::play(&mut lines, *side, Move::at(cell));
            }
        }
        lines
    }

    /// Calls `f` with the window's number and its first cell and step, for every window through
    /// the cell.
    #[inline]
    fn each_window(spec: &GridSpec, at: Move, mut f: impl FnMut(usize, usize, usize)) {
        let (columns, rows, line) = (spec.columns(), spec.rows(), spec.line());
        let (row, column) = (at.index() / columns, at.index() % columns);
        let (down, right) = (rows - 1 - row, columns - 1 - column);
        let room = [
            (column, right),
            (row, down),
            (row.min(column), down.min(right)),
            (row.min(right), down.min(column)),
        ];
        for (direction, (before, after)) in room.into_iter().enumerate() {
            let (dy, dx) = DIRECTIONS[direction];
            let step = (dy * columns as isize + dx) as usize;
            let least = (line - 1).saturating_sub(after);
            let most = before.min(line - 1);
            for back in least..=most {
                let first = at.index() - back * step;
                f(direction * spec.cells() + first, first, step);
            }
        }
    }

    /// Windows through a cell that lack exactly this cell for `side`.
    fn completes(&self, side: Side, at: Move) -> bool {
        let line = self.spec.line();
        let mut found = false;
        Lines::each_window(&self.spec, at, |window, _, _| {
            let counts = &self.counts[window * self.sides..(window + 1) * self.sides];
            let others: usize = counts.iter().map(|c| usize::from(*c)).sum();
            found |= usize::from(counts[side.index()]) == line - 1 && others == line - 1;
        });
        found
    }

    fn change(&mut self, by: Side, at: Move, add: bool) {
        let (line, cells, sides) = (self.spec.line(), self.spec.cells(), self.sides);
        let spec = self.spec;
        Lines::each_window(&spec, at, |window, first, step| {
            let counts = &mut self.counts[window * sides..(window + 1) * sides];
            let all: usize = counts.iter().map(|c| usize::from(*c)).sum();
            let own = usize::from(counts[by.index()]);
            counts[by.index()] = if add { own + 1 } else { own - 1 } as u8;
            // With the mark and without it: `own` and `all` as they are without.
            let (own, all) = if add { (own, all) } else { (own - 1, all - 1) };
            let sign = if add { 1 } else { -1 };
            let mut gain = |side: usize, with: usize, without: usize| {
                let delta = sign * (worth(line, with) - worth(line, without));
                self.total[side] += delta;
                let row = &mut self.worth[side * cells..(side + 1) * cells];
                (0..line).for_each(|n| row[first + n * step] += delta);
                let (to, from) = if add {
                    (with, without)
                } else {
                    (without, with)
                };
                count(&mut self.threats[side], line, to, from);
            };
            if own == all {
                gain(by.index(), own + 1, own);
            }
            if own == 0 {
                let counts = &self.counts[window * sides..(window + 1) * sides];
                for side in (0..sides).filter(|side| *side != by.index()) {
                    let theirs = usize::from(counts[side]);
                    if theirs == all {
                        // This mark closes their window, or opens it again.
                        let alive = &mut self.alive[side];
                        *alive = if add { *alive - 1 } else { *alive + 1 };
                        if theirs > 0 {
                            let delta = -sign * worth(line, theirs);
                            self.total[side] += delta;
                            let row = &mut self.worth[side * cells..(side + 1) * cells];
                            (0..line).for_each(|n| row[first + n * step] += delta);
                            // Closed, it counts as one without marks.
                            let (to, from) = if add { (0, theirs) } else { (theirs, 0) };
                            count(&mut self.threats[side], line, to, from);
                        }
                    }
                }
            }
        });
        self.note_near(at, add);
        self.marks = if add { self.marks + 1 } else { self.marks - 1 };
        for (hash, (symmetry, _)) in self.hashes.iter_mut().zip(&self.symmetries) {
            *hash ^= self.keys[symmetry.cell(at).index() * sides + by.index()];
        }
    }

    fn note_near(&mut self, at: Move, add: bool) {
        if self.spec.cells() <= SMALL_BOARD {
            return;
        }
        let columns = self.spec.columns();
        let (row, column) = (at.index() / columns, at.index() % columns);
        let last_row = (row + NEAR).min(self.spec.rows() - 1);
        let last_column = (column + NEAR).min(columns - 1);
        for y in row.saturating_sub(NEAR)..=last_row {
            for x in column.saturating_sub(NEAR)..=last_column {
                let near = &mut self.near[y * columns + x];
                *near = if add { *near + 1 } else { *near - 1 };
            }
        }
    }

    /// What a cell promises to a side: its own windows there, and nearly as much those of the
    /// others, which a mark would close.
    fn promise(&self, side: Side, at: Move) -> i32 {
        let cells = self.spec.cells();
        let worth = |side: usize| self.worth[side * cells + at.index()];
        let others = (0..self.sides).filter(|other| *other != side.index());
        let most = others.map(worth).max().unwrap_or(0);
        let own = worth(side.index());
        match self.spec.goal {
            Goal::Make => 8 * own + 7 * most + self.centre(at),
            Goal::Avoid => -8 * own + most - self.centre(at),
        }
    }

    /// What it is worth to be to move.
    fn urgency(&self, mover: Side) -> i32 {
        let side = mover.index();
        let others = (0..self.sides).filter(|other| *other != side);
        let threats: u32 = others.map(|other| self.threats[other]).sum();
        // A line that lacks one mark is as good as made; of two such lines of another's only one
        // can be stopped.
        match (self.threats[side], threats) {
            (1.., _) => 9_000,
            (0, 2..) if self.spec.placement == Placement::Anywhere => -7_000,
            (0, 1..) => 0,
            (0, 0) => self.total[side] / 4,
        }
    }

    /// Whether who completes a window always can and always wins by it. With gravity a cell may not
    /// be playable yet; with exact lines a completed window may be too long; in a misère game nobody
    /// wants to complete one.
    fn is_simple(&self) -> bool {
        self.spec.placement == Placement::Anywhere
            && self.spec.goal == Goal::Make
            && self.spec.overline == Overline::Counts
    }

    /// How many windows there could be: more in the middle.
    fn centre(&self, at: Move) -> i32 {
        let (columns, rows) = (self.spec.columns(), self.spec.rows());
        let (row, column) = (at.index() / columns, at.index() % columns);
        (row.min(rows - 1 - row) + column.min(columns - 1 - column)) as i32
    }
}

impl<R: Rules> Features<R> for Lines {
    fn play(&mut self, by: Side, at: Move) {
        self.change(by, at, true);
    }

    fn take_back(&mut self, by: Side, at: Move) {
        self.change(by, at, false);
    }

    fn key(&self, _position: &R::Position) -> (u64, usize) {
        let mut least = (self.hashes[0], 0);
        for (symmetry, hash) in self.hashes.iter().enumerate().skip(1) {
            if *hash < least.0 {
                least = (*hash, symmetry);
            }
        }
        least
    }

    fn lay(&self, symmetry: usize, at: Move) -> Move {
        self.symmetries[symmetry].0.cell(at)
    }

    fn unlay(&self, symmetry: usize, at: Move) -> Move {
        self.symmetries[symmetry].1[at.index()]
    }

    fn estimate(&self, rules: &R, position: &R::Position, me: Side) -> i32 {
        let mover = rules.to_move(position);
        let others = (0..self.sides).filter(|side| *side != me.index());
        let most = others.map(|side| self.total[side]).max().unwrap_or(0);
        let balance = self.total[me.index()] - most;
        if self.spec.goal == Goal::Avoid {
            return (-balance).clamp(-90_000, 90_000);
        }
        let urgent = self.urgency(mover);
        let urgent = if mover == me { urgent } else { -urgent };
        (balance + urgent).clamp(-90_000, 90_000)
    }

    fn candidates(&self, rules: &R, position: &R::Position, all: bool, into: &mut Vec<Candidate>) {
        let side = rules.to_move(position);
        let large = !all && self.spec.cells() > SMALL_BOARD && self.marks > 0;
        for at in rules.moves(position) {
            if !large || self.near[at.index()] > 0 {
                into.push(Candidate {
                    at,
                    promise: self.promise(side, at),
                });
            }
        }
        if into.is_empty() {
            let every = rules.moves(position);
            into.extend(every.map(|at| Candidate {
                at,
                promise: self.promise(side, at),
            }));
        }
        if large && into.len() > MOST_CANDIDATES {
            into.sort_by_key(|candidate| (-candidate.promise, candidate.at));
            into.truncate(MOST_CANDIDATES);
        }
    }

    fn forced(
        &self,
        rules: &R,
        position: &R::Position,
        rival: Option<Side>,
        into: &mut Vec<Candidate>,
    ) {
        if !self.is_simple() {
            return;
        }
        let mover = rules.to_move(position);
        let pressing = [Some(mover), rival].into_iter().flatten();
        let Some(side) = pressing
            .into_iter()
            .find(|side| self.threats[side.index()] > 0)
        else {
            return;
        };
        let cells = rules.moves(position).filter(|at| self.completes(side, *at));
        into.extend(cells.map(|at| Candidate {
            at,
            promise: self.promise(mover, at),
        }));
    }

    fn threatens(&self, side: Side) -> bool {
        self.is_simple() && self.threats[side.index()] > 0
    }

    fn is_dead(&self) -> bool {
        self.alive.iter().all(|alive| *alive == 0)
    }

    fn can_win(&self, side: Side) -> bool {
        match self.spec.goal {
            Goal::Make => self.alive[side.index()] > 0,
            Goal::Avoid => {
                (0..self.sides).any(|other| other != side.index() && self.alive[other] > 0)
            }
        }
    }
}

/// Keeps the number of windows that lack one mark, when one goes from so many marks to so many.
fn count(number: &mut u32, line: usize, to: usize, from: usize) {
    *number += u32::from(to + 1 == line);
    *number -= u32::from(from + 1 == line);
}

fn worth(line: usize, marks: usize) -> i32 {
    if marks == 0 {
        return 0;
    }
    WORTH.get(line - marks).copied().unwrap_or(1)
}

/// How many windows a board has.
fn windows(spec: &GridSpec) -> usize {
    let (columns, rows, line) = (spec.columns(), spec.rows(), spec.line());
    let wide = (columns + 1).saturating_sub(line);
    let high = (rows + 1).saturating_sub(line);
    wide * rows + high * columns + 2 * wide * high
}

/// The symmetries of a board small enough for them to meet again, with the way back of each.
fn symmetries(spec: &GridSpec) -> Vec<(Symmetry, Vec<Move>)> {
    let mut all = Symmetry::all(&Variant::Grid(*spec));
    if spec.cells() > SMALL_BOARD {
        all.truncate(1);
    }
    let with_back = |symmetry: Symmetry| {
        let mut back = vec![Move::at(0); spec.cells()];
        for cell in (0..spec.cells()).map(Move::at) {
            back[symmetry.cell(cell).index()] = cell;
        }
        (symmetry, back)
    };
    all.into_iter().map(with_back).collect()
}
