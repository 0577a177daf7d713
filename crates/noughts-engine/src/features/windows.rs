//! The marks of each side in every possible line of a grid.
//!
//! A *window* is K cells in a line. A window belongs to a side while this side can still complete the window:
//! no other side has a mark in the window and, with `+exact`, the side has no mark next to the ends of the
//! window. A move changes the windows through its cell and, with `+exact`, the windows that end next to the
//! cell. In games of two sides, the search for fours uses lists of the windows that lack one or two marks.

use noughts_rules::{GridSpec, Move, Overline, Side};

use crate::rng::Random;

/// The four directions of a window. Each entry is the step from one cell to the next, as (rows, columns).
pub(crate) const DIRECTIONS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The lists have only the windows that lack at most this number of marks.
const MAX_LISTED_LACK: usize = 2;

/// Maximum number of Zobrist keys in the table: 1 MB, enough for 255x255 with two sides.
const MAX_KEYS: usize = 1 << 17;

#[derive(Clone)]
pub(crate) struct Windows {
    spec: GridSpec,
    sides: usize,
    /// The number of marks of each side in each window. The index is `(direction * cells + first cell) * sides +
    /// side`.
    counts: Vec<u8>,
    /// The number of marks of each side next to the ends of each window, with the same index as `counts`. Empty without
    /// `+exact`.
    beside: Vec<u8>,
    /// Whether a cell has a mark.
    taken: Vec<bool>,
    /// Zobrist keys of marks. The index is `cell * sides + side`. Keys with an index of [`MAX_KEYS`] or more
    /// are not stored, but computed when needed. A table for 255x255 with 64 sides would take 33 MB of memory
    /// and about 20 ms to fill.
    keys: Vec<u64>,
    /// The keys of all marks, combined by exclusive or.
    hash: u64,
    /// The lists of the windows that lack one or two marks. `None` if the parameter `has_lists` of
    /// [`Windows::new`] was false.
    listed: Option<Listed>,
}

/// For each of two sides, the windows that lack one or two marks.
#[derive(Clone)]
struct Listed {
    /// The numbers of the windows. The first index is the side, the second is the number of missing marks
    /// minus one.
    lacking: [[Vec<u32>; MAX_LISTED_LACK]; 2],
    /// The index of each window in its list; a window is in at most one list.
    index: Vec<u32>,
}

/// A window (K cells in a line) on the board: its first cell, and the step from one cell to the next.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) first: usize,
    pub(crate) step: usize,
}

impl Window {
    /// The cells of the window, for lines of length `line`.
    #[inline]
    pub(crate) fn cells(self, line: usize) -> impl Iterator<Item = usize> {
        (0..line).map(move |n| self.first + n * self.step)
    }
}

impl Windows {
    /// The windows of an empty board. With `has_lists` (for two sides only), the result has lists of the windows that
    /// lack one or two marks.
    pub(crate) fn new(spec: GridSpec, has_lists: bool) -> Windows {
        let (cells, sides) = (spec.cells(), usize::from(spec.sides()));
        Windows {
            keys: (0..(cells * sides).min(MAX_KEYS)).map(key).collect(),
            hash: 0,
            sides,
            counts: vec![0; 4 * cells * sides],
            beside: match spec.overline {
                Overline::Counts => Vec::new(),
                Overline::Ignored => vec![0; 4 * cells * sides],
            },
            taken: vec![false; cells],
            listed: has_lists.then(|| Listed {
                lacking: Default::default(),
                index: vec![0; 4 * cells],
            }),
            spec,
        }
    }

    #[inline]
    pub(crate) fn line(&self) -> usize {
        self.spec.line()
    }

    /// Whether this value has lists of the windows that lack one or two marks.
    pub(crate) fn are_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// The Zobrist key of a mark.
    #[inline]
    pub(crate) fn key(&self, by: Side, cell: Move) -> u64 {
        let index = cell.index() * self.sides + by.index();
        match self.keys.get(index) {
            Some(key) => *key,
            None => key(index),
        }
    }

    /// The Zobrist hash of all marks.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    #[inline]
    pub(crate) fn is_free(&self, cell: usize) -> bool {
        !self.taken[cell]
    }

    /// The numbers of the windows of `side` that lack `missing` marks. `missing` must be one or two. Empty
    /// without lists: see [`are_listed`](Windows::are_listed).
    #[inline]
    pub(crate) fn lacking(&self, side: Side, missing: usize) -> &[u32] {
        match &self.listed {
            Some(listed) => &listed.lacking[side.index()][missing - 1],
            None => &[],
        }
    }

    #[inline]
    pub(crate) fn window(&self, number: u32) -> Window {
        let (direction, first) = (
            number as usize / self.spec.cells(),
            number as usize % self.spec.cells(),
        );
        Window {
            first,
            step: step(&self.spec, direction),
        }
    }

    /// The free cells of a window.
    #[inline]
    pub(crate) fn free(&self, number: u32) -> impl Iterator<Item = Move> + '_ {
        self.window(number)
            .cells(self.line())
            .filter(|cell| self.is_free(*cell))
            .map(Move::at)
    }

    /// Adds or removes a mark. Calls `f` for each window and side whose number of marks changes. The arguments are the
    /// side, the window, and the number of the side's marks in the window before and after the change. This number is
    /// `None` if the window does not belong to the side.
    #[inline]
    pub(crate) fn change(
        &mut self,
        by: Side,
        at: Move,
        add: bool,
        mut f: impl FnMut(usize, Window, Option<usize>, Option<usize>),
    ) {
        self.taken[at.index()] = add;
        self.hash ^= self.key(by, at);
        let listed = match &mut self.listed {
            Some(listed) if self.beside.is_empty() => listed,
            Some(_) | None => return self.change_any(by, at, add, f),
        };
        // A search for fours spends most of its time in this function, so the common case has its own code: two
        // sides, with lists, without `+exact`.
        let (line, by, other) = (self.spec.line(), by.index(), 1 - by.index());
        let (pairs, _) = self.counts.as_chunks_mut::<2>();
        each_window(&self.spec, at, |number, window| {
            let counts = &mut pairs[number];
            let mine = usize::from(counts[by]) - usize::from(!add);
            let theirs = usize::from(counts[other]);
            counts[by] = (mine + usize::from(add)) as u8;
            if Listed::is_affected(line, mine, theirs) {
                listed.change(line, number as u32, by, add, mine, theirs);
            }
            if theirs == 0 {
                report(add, by, window, Some(mine), Some(mine + 1), &mut f);
            }
            if mine == 0 {
                report(add, other, window, Some(theirs), None, &mut f);
            }
        });
    }

    /// Like `change`, but for any number of sides and for `+exact`, where a mark also affects the windows that end next
    /// to the mark.
    fn change_any(
        &mut self,
        by: Side,
        at: Move,
        add: bool,
        mut f: impl FnMut(usize, Window, Option<usize>, Option<usize>),
    ) {
        let (line, sides, by) = (self.spec.line(), self.sides, by.index());
        let (counts, beside, listed) = (&mut self.counts, &mut self.beside, &mut self.listed);
        let mut update = |number, side, window, without, with| {
            if let Some(listed) = listed {
                let (from, to) = if add {
                    (without, with)
                } else {
                    (with, without)
                };
                let lacks = |marks: Option<usize>| line - marks.unwrap_or(0);
                listed.leave(side, lacks(from), number);
                listed.enter(side, lacks(to), number);
            }
            report(add, side, window, without, with, &mut f);
        };
        each_window(&self.spec, at, |number, window| {
            let counts = &mut counts[number * sides..(number + 1) * sides];
            let is_spoilt = |side| beside.get(number * sides + side).is_some_and(|n| *n > 0);
            counts[by] -= u8::from(!add);
            let all = sum(counts);
            let own = usize::from(counts[by]);
            if own == all && !is_spoilt(by) {
                update(number as u32, by, window, Some(own), Some(own + 1));
            }
            // Without the added or removed mark, an empty window belongs to all sides, and a window with marks belongs
            // to at most one side.
            if all == 0 {
                for side in (0..sides).filter(|side| *side != by && !is_spoilt(*side)) {
                    update(number as u32, side, window, Some(0), None);
                }
            } else if own == 0
                && let Some(side) = counts.iter().position(|theirs| usize::from(*theirs) == all)
                && !is_spoilt(side)
            {
                update(number as u32, side, window, Some(all), None);
            }
            counts[by] += u8::from(add);
        });
        if beside.is_empty() {
            return;
        }
        each_neighbour(&self.spec, at, |number, window| {
            let counts = &counts[number * sides..(number + 1) * sides];
            let beside = &mut beside[number * sides + by];
            *beside -= u8::from(!add);
            let own = usize::from(counts[by]);
            if *beside == 0 && own == sum(counts) {
                update(number as u32, by, window, Some(own), None);
            }
            *beside += u8::from(add);
        });
    }

    /// Calls `f` for each window through a cell, with the number of marks of each side in the window, and the
    /// window.
    #[inline]
    pub(crate) fn through(&self, at: Move, mut f: impl FnMut(&[u8], Window)) {
        each_window(&self.spec, at, |number, window| {
            f(
                &self.counts[number * self.sides..(number + 1) * self.sides],
                window,
            );
        });
    }

    /// Whether a mark of `side` at `at` completes a window.
    pub(crate) fn completes(&self, side: Side, at: Move) -> bool {
        let line = self.spec.line();
        let mut found = false;
        each_window(&self.spec, at, |number, _| {
            let counts = &self.counts[number * self.sides..(number + 1) * self.sides];
            let own = number * self.sides + side.index();
            let is_spoilt = self.beside.get(own).is_some_and(|marks| *marks > 0);
            let lacks_one = usize::from(self.counts[own]) == line - 1 && sum(counts) == line - 1;
            found |= lacks_one && !is_spoilt;
        });
        found
    }
}

/// The Zobrist key with this index.
fn key(index: usize) -> u64 {
    Random::new(0x6E6F_7567_6874_7331).nth(index as u64)
}

/// Calls `f` with the number of a side's marks before and after a change. `without` is the number without the mark
/// that is added or removed, and `with` is the number with this mark.
#[inline(always)]
fn report(
    add: bool,
    side: usize,
    window: Window,
    without: Option<usize>,
    with: Option<usize>,
    f: &mut impl FnMut(usize, Window, Option<usize>, Option<usize>),
) {
    match add {
        true => f(side, window, without, with),
        false => f(side, window, with, without),
    }
}

#[inline]
fn sum(counts: &[u8]) -> usize {
    match counts {
        [one, two] => usize::from(*one) + usize::from(*two),
        _ => counts.iter().map(|count| usize::from(*count)).sum(),
    }
}

impl Listed {
    /// Whether a mark of a side changes a list. `own` and `other` are the numbers of marks of this side and
    /// of the other side in the window, without the mark that is added or removed. Most marks change no list.
    /// The function uses bitwise operators instead of `&&`, to avoid branches that the processor predicts
    /// badly.
    #[inline]
    fn is_affected(line: usize, own: usize, other: usize) -> bool {
        let by_own = (other == 0) & (own + MAX_LISTED_LACK + 1 >= line);
        by_own | ((own == 0) & (other + MAX_LISTED_LACK >= line))
    }

    /// Updates the lists after a change in a window. `own` and `other` are the numbers of marks of `by` and of the
    /// other side in the window, without the mark that is added or removed.
    #[inline]
    fn change(&mut self, line: usize, number: u32, by: usize, add: bool, own: usize, other: usize) {
        let rival = 1 - by;
        if other == 0 {
            let (from, to) = (line - own, line - own - 1);
            if from <= MAX_LISTED_LACK + 1 {
                let (from, to) = if add { (from, to) } else { (to, from) };
                self.leave(by, from, number);
                self.enter(by, to, number);
            }
        } else if own == 0 && line - other <= MAX_LISTED_LACK {
            if add {
                self.leave(rival, line - other, number);
            } else {
                self.enter(rival, line - other, number);
            }
        }
    }

    #[inline]
    fn enter(&mut self, side: usize, missing: usize, number: u32) {
        if (1..=MAX_LISTED_LACK).contains(&missing) {
            let list = &mut self.lacking[side][missing - 1];
            self.index[number as usize] = list.len() as u32;
            list.push(number);
        }
    }

    #[inline]
    fn leave(&mut self, side: usize, missing: usize, number: u32) {
        if (1..=MAX_LISTED_LACK).contains(&missing) {
            let list = &mut self.lacking[side][missing - 1];
            let index = self.index[number as usize] as usize;
            list.swap_remove(index);
            if let Some(moved) = list.get(index) {
                self.index[*moved as usize] = index as u32;
            }
        }
    }
}

fn step(spec: &GridSpec, direction: usize) -> usize {
    let (dy, dx) = DIRECTIONS[direction];
    (dy * spec.columns() as isize + dx) as usize
}

/// For each direction, the number of cells of the board before and after a cell.
#[inline]
fn room(spec: &GridSpec, at: Move) -> [(usize, usize); 4] {
    let (columns, rows) = (spec.columns(), spec.rows());
    let (row, column) = (at.index() / columns, at.index() % columns);
    let (down, right) = (rows - 1 - row, columns - 1 - column);
    [
        (column, right),
        (row, down),
        (row.min(column), down.min(right)),
        (row.min(right), down.min(column)),
    ]
}

/// Calls `f` for every window through the cell, with the number of the window and the window.
#[inline]
fn each_window(spec: &GridSpec, at: Move, mut f: impl FnMut(usize, Window)) {
    let line = spec.line();
    for (direction, (before, after)) in room(spec, at).into_iter().enumerate() {
        let step = step(spec, direction);
        let min = (line - 1).saturating_sub(after);
        let max = before.min(line - 1);
        for back in min..=max {
            let first = at.index() - back * step;
            f(direction * spec.cells() + first, Window { first, step });
        }
    }
}

/// Like `each_window`, but for every window that ends next to the cell.
fn each_neighbour(spec: &GridSpec, at: Move, mut f: impl FnMut(usize, Window)) {
    let line = spec.line();
    for (direction, (before, after)) in room(spec, at).into_iter().enumerate() {
        let step = step(spec, direction);
        let mut call = |first: usize| f(direction * spec.cells() + first, Window { first, step });
        if before >= line {
            call(at.index() - line * step);
        }
        if after >= line {
            call(at.index() + step);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use noughts_rules::Variant;

    use super::*;

    /// A slow reference implementation: for each window, the number of marks of each side that can still complete the
    /// window. The keys of the map are first cell, step and side.
    fn owned(spec: &GridSpec, marks: &[Option<Side>]) -> BTreeMap<(usize, usize, usize), usize> {
        let (columns, rows) = (spec.columns() as isize, spec.rows() as isize);
        let line = spec.line() as isize;
        let mut found = BTreeMap::new();
        for (direction, (down, right)) in DIRECTIONS.into_iter().enumerate() {
            for first in 0..columns * rows {
                let at = |n: isize| {
                    let (row, column) = (first / columns + n * down, first % columns + n * right);
                    let is_inside = (0..rows).contains(&row) && (0..columns).contains(&column);
                    is_inside.then(|| marks[(row * columns + column) as usize])
                };
                if (0..line).any(|n| at(n).is_none()) {
                    continue;
                }
                for side in (0..spec.sides()).filter_map(Side::new) {
                    let is_others = |n| at(n).flatten().is_some_and(|mark| mark != side);
                    let is_own = |n| at(n).flatten() == Some(side);
                    let is_too_long =
                        spec.overline == Overline::Ignored && (is_own(-1) || is_own(line));
                    if !(0..line).any(is_others) && !is_too_long {
                        let own = (0..line).filter(|n| is_own(*n)).count();
                        found.insert((first as usize, step(spec, direction), side.index()), own);
                    }
                }
            }
        }
        found
    }

    #[test]
    fn incremental_windows_equal_windows_computed_from_the_board() {
        for name in [
            "6x5k3",
            "7x7k4",
            "9x6k5",
            "5x5k3p3",
            "6x5k3+exact",
            "9x6k4+exact",
            "9x8k5+exact",
            "6x6k3p3+exact",
        ] {
            let Ok(Variant::Grid(spec)) = name.parse() else {
                panic!("{name} is not a grid");
            };
            let (sides, has_lists) = (spec.sides(), spec.sides() == 2);
            let mut random = Random::new(11);
            let mut windows = Windows::new(spec, has_lists);
            let mut marks = vec![None; spec.cells()];
            let mut kept = owned(&spec, &marks);
            for _ in 0..400 {
                let cell = random.below(spec.cells());
                let add = marks[cell].is_none();
                let by = marks[cell]
                    .or_else(|| Side::new(random.below(sides.into()) as u8))
                    .unwrap();
                marks[cell] = add.then_some(by);
                windows.change(by, Move::at(cell), add, |side, window, before, now| {
                    let place = (window.first, window.step, side);
                    assert_eq!(kept.remove(&place), before, "{name}");
                    kept.extend(now.map(|marks| (place, marks)));
                });
                assert_eq!(kept, owned(&spec, &marks), "{name}");
                for side in (0..sides).filter_map(Side::new) {
                    let lacking = |missing| {
                        kept.iter().filter(move |((_, _, whose), marks)| {
                            *whose == side.index() && **marks + missing == spec.line()
                        })
                    };
                    for missing in (1..=MAX_LISTED_LACK).filter(|_| has_lists) {
                        let mut listed: Vec<(usize, usize)> = windows
                            .lacking(side, missing)
                            .iter()
                            .map(|number| {
                                let window = windows.window(*number);
                                (window.first, window.step)
                            })
                            .collect();
                        listed.sort_unstable();
                        let expected: Vec<_> = lacking(missing)
                            .map(|((first, step, _), _)| (*first, *step))
                            .collect();
                        assert_eq!(listed, expected, "{name}");
                    }
                    for at in (0..spec.cells()).filter(|at| marks[*at].is_none()) {
                        let completes = lacking(1).any(|((first, step, _), _)| {
                            let window = Window {
                                first: *first,
                                step: *step,
                            };
                            window.cells(spec.line()).any(|cell| cell == at)
                        });
                        assert_eq!(windows.completes(side, Move::at(at)), completes, "{name}");
                    }
                }
            }
        }
    }
}
