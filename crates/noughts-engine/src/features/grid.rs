//! Features of one board: how far every possible line has come, and what was learned of lines of five.
//!
//! A *window* is K cells in a line. While a side can complete it, it is worth the more the fewer marks are
//! missing.

use noughts_rules::{Goal, GridSpec, Move, Placement, Rules, Side, Symmetry, Variant};

use crate::features::patterns::Patterns;
use crate::features::windows::Windows;
use crate::features::{Candidate, Features};

/// What a window is worth by how many marks it lacks: nothing when complete, since then the game
/// is over; then each step some five times the one after it.
const WORTH: [i32; 6] = [0, 1200, 220, 40, 8, 2];

/// On boards with more cells only moves near marks are candidates.
const SMALL_BOARD: usize = 64;

/// How near is near.
const NEAR: usize = 2;

/// A move that makes a threat lies in windows worth this: two that lack three marks, or one that
/// lacks two.
const LEAST_ATTACK: i32 = 2 * WORTH[3];

/// How much less a four promises than it seems to. One that is no part of a sequence gives away what
/// it could be part of later: before promises were learned there, `search:2000n` lost 19 games of 600 to
/// `greedy` on 15x15k5 with them looked at last, 34 with them first. What was learned knows that.
const SPENT_FOUR: i32 = 3_500;

/// Sequences of fours are looked for where lines are this long: shorter ones are made at once.
const SHORTEST_SEQUENCE: usize = 4;

#[derive(Clone)]
pub(crate) struct GridFeatures {
    spec: GridSpec,
    sides: usize,
    windows: Windows,
    /// What lines promise, where that was learned; then windows are not weighed.
    patterns: Option<Patterns>,
    /// What the windows through a cell are worth to a side: `side * cells + cell`.
    worth: Vec<i32>,
    /// By side: the worth of all its windows.
    total: Vec<i32>,
    /// By side: windows that lack one mark.
    threats: Vec<u32>,
    /// By side: windows that it can still complete.
    alive: Vec<u32>,
    /// Marks near each cell.
    near: Vec<u16>,
    marks: usize,
    /// Hashes of the board laid in each symmetric way.
    hashes: Vec<u64>,
    symmetries: Vec<(Symmetry, Vec<Move>)>,
}

impl GridFeatures {
    pub(crate) fn new<R: Rules>(rules: &R, position: &R::Position) -> GridFeatures {
        let Variant::Grid(spec) = rules.variant() else {
            unreachable!("one board has a grid's variant");
        };
        let (cells, sides) = (spec.cells(), usize::from(spec.sides()));
        let mut lines = GridFeatures {
            sides,
            windows: Windows::new(
                spec,
                sides == 2 && is_simple(&spec) && spec.line() >= SHORTEST_SEQUENCE,
            ),
            patterns: Patterns::new(&spec),
            worth: vec![0; sides * cells],
            total: vec![0; sides],
            threats: vec![0; sides],
            alive: vec![how_many(&spec) as u32; sides],
            near: vec![0; cells],
            marks: 0,
            hashes: Vec::new(),
            symmetries: symmetries(&spec),
            spec,
        };
        lines.hashes = vec![0; lines.symmetries.len()];
        for (cell, mark) in rules.diagram(position).marks.iter().enumerate() {
            if let Some(side) = mark {
                <GridFeatures as Features<R>>::play(&mut lines, *side, Move::at(cell));
            }
        }
        lines
    }

    fn change(&mut self, by: Side, at: Move, add: bool) {
        let (line, cells) = (self.spec.line(), self.spec.cells());
        let is_weighed = self.patterns.is_none();
        self.windows
            .change(by, at, add, |side, window, before, now| {
                let delta = worth_while(line, now) - worth_while(line, before);
                if is_weighed && delta != 0 {
                    self.total[side] += delta;
                    let row = &mut self.worth[side * cells..(side + 1) * cells];
                    window.cells(line).for_each(|cell| row[cell] += delta);
                }
                let threats = &mut self.threats[side];
                *threats += u32::from(now == Some(line - 1));
                *threats -= u32::from(before == Some(line - 1));
                let alive = &mut self.alive[side];
                *alive += u32::from(now.is_some());
                *alive -= u32::from(before.is_some());
            });
        if let Some(patterns) = &mut self.patterns {
            match add {
                true => patterns.play(by, at),
                false => patterns.take_back(by, at),
            }
        }
        self.note_near(at, add);
        self.marks = if add { self.marks + 1 } else { self.marks - 1 };
        for (hash, (symmetry, _)) in self.hashes.iter_mut().zip(&self.symmetries) {
            *hash ^= self.windows.key(by, symmetry.map_move(at));
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

    /// What a cell promises to a side: what was learned, or its own windows there, and nearly as much those
    /// of the others, which a mark would close.
    fn promise(&self, side: Side, at: Move) -> i32 {
        if let Some(patterns) = &self.patterns {
            return patterns.promise(side, at) + self.centre(at);
        }
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

    /// What it is worth to be to move, beyond what was learned.
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
            // Nothing where windows are not weighed.
            (0, 0) => self.total[side] / 4,
        }
    }

    /// How many windows there could be: more in the middle.
    fn centre(&self, at: Move) -> i32 {
        let (columns, rows) = (self.spec.columns(), self.spec.rows());
        let (row, column) = (at.index() / columns, at.index() % columns);
        (row.min(rows - 1 - row) + column.min(columns - 1 - column)) as i32
    }
}

impl<R: Rules> Features<R> for GridFeatures {
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
        self.symmetries[symmetry].0.map_move(at)
    }

    fn unlay(&self, symmetry: usize, at: Move) -> Move {
        self.symmetries[symmetry].1[at.index()]
    }

    fn estimate(&self, rules: &R, position: &R::Position, me: Side) -> i32 {
        let mover = rules.to_move(position);
        let urgent = self.urgency(mover);
        if let Some(patterns) = &self.patterns {
            // What nobody can win any more is drawn, whatever its last free cells look like.
            let value = match self.alive[..] {
                [0, 0] => 0,
                _ => (patterns.estimate(mover) + urgent).clamp(-90_000, 90_000),
            };
            return if mover == me { value } else { -value };
        }
        let others = (0..self.sides).filter(|side| *side != me.index());
        let most = others.map(|side| self.total[side]).max().unwrap_or(0);
        let balance = self.total[me.index()] - most;
        if self.spec.goal == Goal::Avoid {
            return (-balance).clamp(-90_000, 90_000);
        }
        let urgent = if mover == me { urgent } else { -urgent };
        (balance + urgent).clamp(-90_000, 90_000)
    }

    fn candidates(
        &self,
        rules: &R,
        position: &R::Position,
        most: usize,
        into: &mut Vec<Candidate>,
    ) -> bool {
        let side = rules.to_move(position);
        let large = most < self.spec.cells() && self.spec.cells() > SMALL_BOARD && self.marks > 0;
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
            return true;
        }
        if large && into.len() > most {
            let order = |candidate: &Candidate| (-candidate.promise, candidate.at);
            into.select_nth_unstable_by_key(most, order);
            into.truncate(most);
            into.sort_unstable_by_key(order);
        }
        !large
    }

    fn promise(&self, side: Side, at: Move) -> i32 {
        GridFeatures::promise(self, side, at)
    }

    fn spent_four(&self) -> i32 {
        match self.patterns {
            Some(_) => 0,
            None => SPENT_FOUR,
        }
    }

    fn forced(
        &self,
        rules: &R,
        position: &R::Position,
        rival: Option<Side>,
        into: &mut Vec<Candidate>,
    ) {
        if !is_simple(&self.spec) {
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
        let candidate = |at| Candidate {
            at,
            promise: self.promise(mover, at),
        };
        if self.windows.are_listed() {
            let completing = self.windows.lacking(side, 1).iter();
            let cells = completing.flat_map(|number| self.windows.free(*number));
            into.extend(cells.map(candidate));
            into.sort_unstable_by_key(|candidate| candidate.at);
            into.dedup();
        } else {
            let moves = rules.moves(position);
            into.extend(
                moves
                    .filter(|at| self.windows.completes(side, *at))
                    .map(candidate),
            );
        }
    }

    fn attacks(&self, side: Side, into: &mut Vec<Candidate>) {
        if let Some(patterns) = &self.patterns {
            let makes = |cell: &usize| {
                self.windows.is_free(*cell) && patterns.is_attack(side, Move::at(*cell))
            };
            into.extend((0..self.spec.cells()).filter(makes).map(|cell| Candidate {
                at: Move::at(cell),
                promise: patterns.promise(side, Move::at(cell)),
            }));
            return;
        }
        let cells = self.spec.cells();
        let own = &self.worth[side.index() * cells..(side.index() + 1) * cells];
        for (cell, promise) in own.iter().enumerate() {
            if *promise >= LEAST_ATTACK && self.windows.is_free(cell) {
                into.push(Candidate {
                    at: Move::at(cell),
                    promise: *promise,
                });
            }
        }
    }

    fn threatens(&self, side: Side) -> bool {
        is_simple(&self.spec) && self.threats[side.index()] > 0
    }

    fn may_win_at_once(&self, side: Side) -> bool {
        match self.spec.goal {
            Goal::Make => self.threats[side.index()] > 0,
            Goal::Avoid => true,
        }
    }

    fn try_on(&mut self, by: Side, at: Move) -> i32 {
        if let Some(patterns) = &self.patterns {
            let value = patterns.after(by, at);
            self.windows.change(by, at, true, |_, _, _, _| ());
            return (-value).clamp(-90_000, 90_000);
        }
        let line = self.spec.line();
        let mut more = [0, 0];
        self.windows.change(by, at, true, |side, _, before, now| {
            more[side] += worth_while(line, now) - worth_while(line, before);
        });
        let [mine, theirs] =
            [by, by.next(2)].map(|side| self.total[side.index()] + more[side.index()]);
        (mine - theirs - theirs / 4).clamp(-90_000, 90_000)
    }

    fn take_off(&mut self, by: Side, at: Move) {
        self.windows.change(by, at, false, |_, _, _, _| ());
    }

    fn windows(&mut self) -> Option<&mut Windows> {
        self.windows.are_listed().then_some(&mut self.windows)
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

/// Whether who completes a window always can and always wins by it. With gravity a cell may not be
/// playable yet; in a misère game nobody wants to complete one.
fn is_simple(spec: &GridSpec) -> bool {
    spec.placement == Placement::Anywhere && spec.goal == Goal::Make
}

/// What a window is worth to a side with so many marks, if it is the side's.
#[inline]
fn worth_while(line: usize, marks: Option<usize>) -> i32 {
    marks.map_or(0, |marks| worth(line, marks))
}

fn worth(line: usize, marks: usize) -> i32 {
    if marks == 0 {
        return 0;
    }
    WORTH.get(line - marks).copied().unwrap_or(1)
}

/// How many windows a board has.
fn how_many(spec: &GridSpec) -> usize {
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
            back[symmetry.map_move(cell).index()] = cell;
        }
        (symmetry, back)
    };
    all.into_iter().map(with_back).collect()
}
