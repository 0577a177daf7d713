//! Every possible line of one board, and how far each side has come in it.
//!
//! A *window* is K cells in a line. Every play changes the windows through its cell, and nothing
//! else. Between two sides those that lack one or two marks are listed beside the counts: who plays
//! for fours looks at these and at nothing else.

use noughts_rules::{GridSpec, Move, Side};

use crate::seed::Random;

/// From one cell of a window to the next: rows and columns.
pub(crate) const DIRECTIONS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Windows that lack more are not listed.
const MOST_LACKING: usize = 2;

#[derive(Clone)]
pub(crate) struct Windows {
    spec: GridSpec,
    sides: usize,
    /// Marks in each window by side: `(direction * cells + first cell) * sides + side`.
    counts: Vec<u8>,
    /// Whether a cell has a mark.
    taken: Vec<bool>,
    /// A number for each cell and side: `cell * sides + side`.
    keys: Vec<u64>,
    /// The numbers of all marks together.
    hash: u64,
    /// Which windows lack one mark, and which two; only between two sides.
    listed: Option<Listed>,
}

/// Of two sides: the windows in which the other has no mark and that lack few.
#[derive(Clone)]
struct Listed {
    /// By side and how many marks are missing, one or two: numbers of windows.
    lacking: [[Vec<u32>; MOST_LACKING]; 2],
    /// Where in its list a window is: in one at most.
    place: Vec<u32>,
}

/// A window as it is walked through.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) first: usize,
    pub(crate) step: usize,
}

impl Window {
    /// Its cells, given how many they are.
    #[inline]
    pub(crate) fn cells(self, line: usize) -> impl Iterator<Item = usize> {
        (0..line).map(move |n| self.first + n * self.step)
    }
}

impl Windows {
    /// An empty board; `listed` where few missing marks are to be listed.
    pub(crate) fn new(spec: GridSpec, listed: bool) -> Windows {
        let (cells, sides) = (spec.cells(), usize::from(spec.sides()));
        let mut random = Random::new(0x6E6F_7567_6874_7331);
        Windows {
            keys: (0..cells * sides).map(|_| random.draw()).collect(),
            hash: 0,
            sides,
            counts: vec![0; 4 * cells * sides],
            taken: vec![false; cells],
            listed: listed.then(|| Listed {
                lacking: Default::default(),
                place: vec![0; 4 * cells],
            }),
            spec,
        }
    }

    /// How many cells a line needs.
    #[inline]
    pub(crate) fn line(&self) -> usize {
        self.spec.line()
    }

    /// Whether those that lack few are listed.
    pub(crate) fn are_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// The number that stands for a mark.
    #[inline]
    pub(crate) fn key(&self, by: Side, cell: Move) -> u64 {
        self.keys[cell.index() * self.sides + by.index()]
    }

    /// A number for all marks.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    #[inline]
    pub(crate) fn is_free(&self, cell: usize) -> bool {
        !self.taken[cell]
    }

    /// The windows of `side` that lack so many marks, one or two, by their numbers.
    #[inline]
    pub(crate) fn lacking(&self, side: Side, missing: usize) -> &[u32] {
        match &self.listed {
            Some(listed) => &listed.lacking[side.index()][missing - 1],
            None => &[],
        }
    }

    /// The window of this number.
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

    /// Puts a mark, or takes it off. For every window through the cell `f` is told its marks by
    /// side as they are now, where it is, and how many marks of `by` and of all it has without
    /// this one.
    #[inline]
    pub(crate) fn change(
        &mut self,
        by: Side,
        at: Move,
        add: bool,
        mut f: impl FnMut(&[u8], Window, usize, usize),
    ) {
        let (spec, sides) = (self.spec, self.sides);
        self.taken[at.index()] = add;
        self.hash ^= self.key(by, at);
        if let Some(listed) = &mut self.listed {
            // Most of the time that a search of fours takes goes by here.
            let (line, own, other) = (spec.line(), by.index(), 1 - by.index());
            let (pairs, _) = self.counts.as_chunks_mut::<2>();
            each_window(&spec, at, |number, window| {
                let counts = &mut pairs[number];
                let mine = usize::from(counts[own]) - usize::from(!add);
                let theirs = usize::from(counts[other]);
                counts[own] = (mine + usize::from(add)) as u8;
                if Listed::is_concerned(line, mine, theirs) {
                    listed.change(line, number as u32, by, add, mine, theirs);
                }
                f(counts, window, mine, mine + theirs);
            });
            return;
        }
        each_window(&spec, at, |number, window| {
            let counts = &mut self.counts[number * sides..(number + 1) * sides];
            let all = match counts {
                [one, two] => usize::from(*one) + usize::from(*two),
                _ => counts.iter().map(|c| usize::from(*c)).sum(),
            };
            let own = usize::from(counts[by.index()]);
            counts[by.index()] = if add { own + 1 } else { own - 1 } as u8;
            let (own, all) = if add { (own, all) } else { (own - 1, all - 1) };
            f(counts, window, own, all);
        });
    }

    /// Marks by side in each window through a cell.
    #[inline]
    pub(crate) fn through(&self, at: Move, mut f: impl FnMut(&[u8], Window)) {
        each_window(&self.spec, at, |number, window| {
            f(
                &self.counts[number * self.sides..(number + 1) * self.sides],
                window,
            );
        });
    }

    /// Whether a mark here completes a window for `side`.
    pub(crate) fn completes(&self, side: Side, at: Move) -> bool {
        let line = self.spec.line();
        let mut found = false;
        self.through(at, |counts, _| {
            let all: usize = counts.iter().map(|c| usize::from(*c)).sum();
            found |= usize::from(counts[side.index()]) == line - 1 && all == line - 1;
        });
        found
    }
}

impl Listed {
    /// Whether a mark in a window with so many others changes a list: in few it does. Asked without
    /// a branch for each half, since neither can be foreseen.
    #[inline]
    fn is_concerned(line: usize, own: usize, other: usize) -> bool {
        let by_own = (other == 0) & (own + MOST_LACKING + 1 >= line);
        by_own | ((own == 0) & (other + MOST_LACKING >= line))
    }

    /// `own` marks of `by` and `other` of the other side are in the window without the mark that
    /// comes or goes.
    #[inline]
    fn change(&mut self, line: usize, number: u32, by: Side, add: bool, own: usize, other: usize) {
        let (by, rival) = (by.index(), 1 - by.index());
        if other == 0 {
            let (from, to) = (line - own, line - own - 1);
            if from <= MOST_LACKING + 1 {
                let (from, to) = if add { (from, to) } else { (to, from) };
                self.leave(by, from, number);
                self.enter(by, to, number);
            }
        } else if own == 0 && line - other <= MOST_LACKING {
            if add {
                self.leave(rival, line - other, number);
            } else {
                self.enter(rival, line - other, number);
            }
        }
    }

    #[inline]
    fn enter(&mut self, side: usize, missing: usize, number: u32) {
        if (1..=MOST_LACKING).contains(&missing) {
            let list = &mut self.lacking[side][missing - 1];
            self.place[number as usize] = list.len() as u32;
            list.push(number);
        }
    }

    #[inline]
    fn leave(&mut self, side: usize, missing: usize, number: u32) {
        if (1..=MOST_LACKING).contains(&missing) {
            let list = &mut self.lacking[side][missing - 1];
            let place = self.place[number as usize] as usize;
            list.swap_remove(place);
            if let Some(moved) = list.get(place) {
                self.place[*moved as usize] = place as u32;
            }
        }
    }
}

fn step(spec: &GridSpec, direction: usize) -> usize {
    let (dy, dx) = DIRECTIONS[direction];
    (dy * spec.columns() as isize + dx) as usize
}

/// Calls `f` with the number of every window through the cell, and where it is.
#[inline]
fn each_window(spec: &GridSpec, at: Move, mut f: impl FnMut(usize, Window)) {
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
        let step = step(spec, direction);
        let least = (line - 1).saturating_sub(after);
        let most = before.min(line - 1);
        for back in least..=most {
            let first = at.index() - back * step;
            f(direction * spec.cells() + first, Window { first, step });
        }
    }
}
