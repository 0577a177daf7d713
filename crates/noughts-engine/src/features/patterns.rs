//! The learned evaluation of lines of five.
//!
//! Four lines pass through a free cell. For each of these lines and each side, the *reach* is the best shape
//! that the side makes by playing in the cell: from nothing to a five. The reach depends only on the four
//! cells on either side of the cell. The four reaches of a side are the *combination* of the cell.
//!
//! A small neural network evaluates the board. Each combination adds its weights to a linear term and to a few neurons
//! with rectified linear activation (negative values count as zero). Each combination also has a *move score*, which
//! ranks moves. All numbers were learned from games. `five.txt` contains the numbers and describes how they were
//! learned.

use std::sync::LazyLock;

use noughts_rules::{Goal, GridSpec, Move, Overline, Placement, Side};

use crate::features::windows::DIRECTIONS;

/// The reach at a cell depends on this number of cells on either side of the cell.
const ARM: usize = 4;

/// The maximum number of columns and rows. A row, column or diagonal with `ARM` more cells beyond each end
/// must fit into one `u64`, at two bits per cell.
const MAX_LINE: usize = 32 - 2 * ARM;

/// The best shape that a side makes in a line by playing in the middle cell.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Nothing,
    /// One more mark can make an open two.
    One,
    /// One more mark can make a three.
    Two,
    /// One more mark can make an open three.
    OpenTwo,
    /// One more mark can make a four.
    Three,
    /// One more mark can make an open four.
    OpenThree,
    /// One cell completes the line.
    Four,
    /// Two cells complete the line, or the line is complete.
    OpenFour,
}

/// The number of bits in which a [`Reach`] is stored.
const REACH_BITS: usize = 3;
const REACH_MASK: u16 = (1 << REACH_BITS) - 1;

/// The reaches of one side at a cell: for each direction, the [`Reach`] of the line through the cell, in three bits.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Combination(u16);

const COMBINATIONS: usize = 1 << (4 * REACH_BITS);

impl Combination {
    #[inline]
    fn reach(self, direction: usize) -> u16 {
        self.0 >> (REACH_BITS * direction) & REACH_MASK
    }

    #[inline]
    fn with(self, direction: usize, reach: u8) -> Combination {
        let shift = REACH_BITS * direction;
        Combination(self.0 & !(REACH_MASK << shift) | u16::from(reach) << shift)
    }

    /// The reaches in ascending order. Combinations with the same sorted reaches share their learned numbers.
    fn sorted(self) -> [u8; 4] {
        let mut reaches = std::array::from_fn(|direction| self.reach(direction) as u8);
        reaches.sort_unstable();
        reaches
    }
}

/// The number of neurons.
pub const HIDDEN: usize = 7;

/// The weights of a combination (the four reaches of a side at a cell): first the number for the linear term,
/// then one number for each neuron.
type Weights = [i32; 1 + HIDDEN];

/// The learned numbers of a combination (the four reaches of a side at a cell). In each array, index 0 is for
/// the side to move and index 1 for the opponent.
#[derive(Clone, Copy)]
struct Numbers {
    weights: [Weights; 2],
    move_score: [i32; 2],
}

/// The learned numbers of all combinations. A combination consists of the four reaches of a side at a cell.
struct Learned {
    /// For each combination, its index in `numbers`. Combinations with the same sorted reaches share their
    /// numbers.
    indices: Vec<u16>,
    numbers: Vec<Numbers>,
    /// The start values of the weight sums: the sums of an empty board. These sums are the same for every
    /// board size.
    start: Weights,
    output: [i32; HIDDEN],
}

/// The number of fraction bits of the output weights (fixed point).
pub const OUTPUT_BITS: u32 = 12;

/// The number of fraction bits of the linear term (fixed point).
pub const LINEAR_BITS: u32 = 4;

static LEARNED: LazyLock<Learned> = LazyLock::new(|| {
    let read = Learned::read(include_str!("patterns/five.txt"));
    read.expect("five.txt is part of the program, and a test reads it")
});

/// The [`Reach`] of the first side (low bits) and of the second side (high bits) in a line. The index is the content of
/// the cells around a cell, two bits per cell. The first table is for lines of five or more, the second for `+exact`.
static REACHES: [LazyLock<Vec<u8>>; 2] = [
    LazyLock::new(|| reaches(is_five_or_more)),
    LazyLock::new(|| reaches(is_five)),
];

impl Learned {
    /// Parses `five.txt`; `None` if the text is malformed.
    fn read(text: &str) -> Option<Learned> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut words = |name: &str| -> Option<Vec<i32>> {
            let numbers = lines.next()?.strip_prefix(name)?.split_whitespace();
            numbers.map(|word| word.parse().ok()).collect()
        };
        let mut learned = Learned {
            indices: Vec::with_capacity(COMBINATIONS),
            numbers: Vec::new(),
            start: words("start")?.try_into().ok()?,
            output: words("output")?.try_into().ok()?,
        };
        let sets = sorted_sets();
        for set in &sets {
            let numbers = words("")?;
            let (reaches, numbers) = numbers.split_at_checked(set.len())?;
            let (move_score, numbers) = numbers.split_at_checked(2)?;
            let (own, other) = numbers.split_at_checked(1 + HIDDEN)?;
            if reaches != set.map(i32::from) {
                return None;
            }
            learned.numbers.push(Numbers {
                weights: [own.try_into().ok()?, other.try_into().ok()?],
                move_score: move_score.try_into().ok()?,
            });
        }
        for combination in 0..COMBINATIONS as u16 {
            let index = sets.binary_search(&Combination(combination).sorted());
            learned.indices.push(index.ok()? as u16);
        }
        Some(learned)
    }

    #[inline]
    fn numbers(&self, combination: Combination) -> &Numbers {
        &self.numbers[usize::from(self.indices[usize::from(combination.0)])]
    }

    /// Evaluates a board. The argument has sums of weights over all free cells: first for the linear term,
    /// then for each neuron.
    #[inline]
    fn value(&self, [linear, neurons @ ..]: &Weights) -> i32 {
        let neurons = neurons.iter().zip(&self.output);
        let hidden: i64 = neurons
            .map(|(neuron, output)| i64::from((*neuron).max(0)) * i64::from(*output))
            .sum();
        let linear = i64::from(*linear) << (OUTPUT_BITS - LINEAR_BITS);
        ((linear + hidden) >> OUTPUT_BITS) as i32
    }

    /// The values that a free cell adds to the sums if `mover` is to move.
    #[inline]
    fn weights(&self, mover: usize, combinations: [Combination; 2]) -> Weights {
        let own = &self.numbers(combinations[mover]).weights[0];
        let other = &self.numbers(combinations[1 - mover]).weights[1];
        std::array::from_fn(|n| own[n] + other[n])
    }

    /// Updates `sum` after the combinations of a free cell have changed from `before` to `after`. `sum` has
    /// the sums for positions in which `mover` is to move.
    #[inline]
    fn exchange(
        &self,
        sum: &mut Weights,
        mover: usize,
        before: [Combination; 2],
        after: [Combination; 2],
    ) {
        for side in 0..2 {
            if before[side] != after[side] {
                let whose = usize::from(side != mover);
                let before = &self.numbers(before[side]).weights[whose];
                let after = &self.numbers(after[side]).weights[whose];
                for (sum, (before, after)) in sum.iter_mut().zip(before.iter().zip(after)) {
                    *sum += after - before;
                }
            }
        }
    }
}

/// The new combinations of a cell. `line` is the new content of the line through the cell in `direction`, and
/// `shift` is the position of the cell in `line`. The content of the cell itself does not matter.
#[inline]
fn updated(
    reaches: &[u8],
    combinations: [Combination; 2],
    direction: usize,
    line: u64,
    shift: usize,
) -> [Combination; 2] {
    let arms = line >> (shift - 2 * ARM);
    let around = arms & 0xFF | arms >> 2 & 0xFF00;
    let reaches = reaches[around as usize];
    let [first, second] = combinations;
    [
        first.with(direction, reaches & REACH_MASK as u8),
        second.with(direction, reaches >> REACH_BITS),
    ]
}

/// All possible sorted reaches of a combination, in the order of `five.txt`.
pub fn sorted_sets() -> Vec<[u8; 4]> {
    let mut sets: Vec<[u8; 4]> = (0..COMBINATIONS as u16)
        .map(|combination| Combination(combination).sorted())
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// Computes one table of [`REACHES`].
fn reaches(is_complete: fn(usize) -> bool) -> Vec<u8> {
    let first = reaches_of_first(is_complete);
    let swapped = |around: usize| (around & LOW_BITS) << 1 | around >> 1 & LOW_BITS;
    let both = (0..first.len()).map(|around| {
        let second = first[swapped(around)];
        first[around] as u8 | (second as u8) << REACH_BITS
    });
    both.collect()
}

/// The reach of the first side. The index is the content of the cells around a cell.
fn reaches_of_first(is_complete: fn(usize) -> bool) -> Vec<Reach> {
    let mut all = vec![Reach::Nothing; 1 << (4 * ARM)];
    let beyond = |around: usize| around & around >> 1 & LOW_BITS;
    let mut within: Vec<usize> = (0..all.len())
        .filter(|around| beyond(*around) == 0)
        .collect();
    // The reach of a line depends on the reaches of lines with one more mark of the first side. So the loop
    // begins with the lines that have the most marks of this side.
    within.sort_by_key(|around| std::cmp::Reverse(own(*around).count_ones()));
    for around in within {
        let free = !(around | around >> 1) & LOW_BITS;
        let bits = (0..2 * ARM).map(|n| 1 << (2 * n));
        let next = bits.filter(|bit| free & bit != 0).map(|bit| around | bit);
        let completing = next.clone().filter(|next| is_complete(*next)).count();
        all[around] = match completing {
            _ if is_complete(around) => Reach::OpenFour,
            2.. => Reach::OpenFour,
            1 => Reach::Four,
            0 => {
                let before = next.map(|next| match all[next] {
                    Reach::OpenFour => Reach::OpenThree,
                    Reach::Four => Reach::Three,
                    Reach::OpenThree => Reach::OpenTwo,
                    Reach::Three => Reach::Two,
                    Reach::OpenTwo => Reach::One,
                    Reach::Two | Reach::One | Reach::Nothing => Reach::Nothing,
                });
                before.max().unwrap_or(Reach::Nothing)
            }
        };
    }
    // A cell beyond the edge is like a mark of the opponent.
    for around in 0..all.len() {
        all[around] = all[around & !beyond(around)];
    }
    all
}

/// A bit mask that selects the lower of the two bits of every cell.
const LOW_BITS: usize = 0x5555;

/// The marks of the first side. `around` has two bits per neighbouring cell. In the result, the lower bit of a cell is
/// set if the first side has a mark there.
fn own(around: usize) -> usize {
    around & !(around >> 1) & LOW_BITS
}

/// Like `own`, but with a mark in the middle cell.
fn with_middle(around: usize) -> usize {
    let (before, after) = (own(around) & 0xFF, own(around) & 0xFF00);
    before | 1 << (2 * ARM) | after << 2
}

/// Whether the first side has five or more in a line after a mark in the middle cell.
fn is_five_or_more(around: usize) -> bool {
    let line = with_middle(around);
    let two = line & line >> 2;
    two & two >> 4 & line >> 8 != 0
}

/// Whether the first side has exactly five in a line through the middle cell, after a mark there. Cells more than `ARM`
/// away from the middle are not considered.
fn is_five(around: usize) -> bool {
    let line = with_middle(around);
    let has = |n: &usize| line >> (2 * n) & 1 == 1;
    let after = (ARM + 1..=2 * ARM).take_while(has).count();
    let before = (0..ARM).rev().take_while(has).count();
    before + 1 + after == 5
}

/// The position of a cell in its row, its column or one of its diagonals.
#[derive(Clone, Copy, Default)]
struct Place {
    line: u16,
    /// The position of the cell's two bits in the line.
    shift: u8,
    /// The number of cells of the line before and after the cell, at most [`ARM`].
    before: u8,
    after: u8,
}

/// The lines, combinations and sums of a board, updated with every move.
#[derive(Clone)]
pub struct Patterns {
    learned: &'static Learned,
    reaches: &'static [u8],
    /// The content of each line, two bits per cell: 0 free, 1 the first side, 2 the second side, 3 beyond the edge.
    lines: Vec<u64>,
    places: Vec<[Place; 4]>,
    steps: [usize; 4],
    /// The combination of each cell for each side.
    combinations: Vec<[Combination; 2]>,
    taken: Vec<bool>,
    /// For each side to move, the sums of the weights over all free cells.
    sums: [Weights; 2],
    /// For each mark, the sums before the mark was placed, and the cell of the mark.
    before: Vec<([Weights; 2], usize)>,
}

impl Patterns {
    /// The patterns of an empty board. Returns `None` if the learned numbers do not apply to the game. The
    /// numbers apply to games with two sides, lines of five, and at most 24 columns and rows, but not with
    /// gravity or misère. `+exact` is allowed and changes only the reaches.
    pub fn new(spec: &GridSpec) -> Option<Patterns> {
        let is_learned = spec.sides() == 2
            && spec.line() == 5
            && spec.columns().max(spec.rows()) <= MAX_LINE
            && spec.goal == Goal::Make
            && spec.placement == Placement::Anywhere;
        is_learned.then(|| Patterns::empty(spec))
    }

    fn empty(spec: &GridSpec) -> Patterns {
        let (rows, columns) = (spec.rows() as isize, spec.columns() as isize);
        let is_inside = |row, column| (0..rows).contains(&row) && (0..columns).contains(&column);
        let mut places = vec![[Place::default(); 4]; spec.cells()];
        let mut lines = Vec::new();
        for (direction, (down, right)) in DIRECTIONS.into_iter().enumerate() {
            for first in 0..rows * columns {
                let (row, column) = (first / columns, first % columns);
                if is_inside(row - down, column - right) {
                    continue;
                }
                let inside = |n: &isize| is_inside(row + n * down, column + n * right);
                let length = (0..).take_while(inside).count();
                for n in 0..length {
                    let cell = first as usize + n * step(columns, down, right);
                    places[cell][direction] = Place {
                        line: lines.len() as u16,
                        shift: (2 * (ARM + n)) as u8,
                        before: n.min(ARM) as u8,
                        after: (length - 1 - n).min(ARM) as u8,
                    };
                }
                let cells = u64::MAX >> (64 - 2 * length);
                lines.push(!(cells << (2 * ARM)));
            }
        }
        let learned = &*LEARNED;
        let reaches = &**REACHES[usize::from(spec.overline == Overline::Ignored)];
        let mut combinations = vec![[Combination::default(); 2]; spec.cells()];
        for (combinations, places) in combinations.iter_mut().zip(&places) {
            for (direction, place) in places.iter().enumerate() {
                let line = lines[usize::from(place.line)];
                *combinations =
                    updated(reaches, *combinations, direction, line, place.shift.into());
            }
        }
        Patterns {
            learned,
            reaches,
            lines,
            places,
            steps: DIRECTIONS.map(|(down, right)| step(columns, down, right)),
            combinations,
            taken: vec![false; spec.cells()],
            sums: [learned.start; 2],
            before: Vec::new(),
        }
    }

    /// Adds a mark in a free cell.
    pub fn play(&mut self, by: Side, at: Move) {
        let cell = at.index();
        self.before.push((self.sums, cell));
        self.taken[cell] = true;
        let (learned, mut sums) = (self.learned, self.sums);
        for (mover, sum) in sums.iter_mut().enumerate() {
            let weights = learned.weights(mover, self.combinations[cell]);
            sum.iter_mut()
                .zip(weights)
                .for_each(|(sum, one)| *sum -= one);
        }
        for direction in 0..4 {
            let line = self.mark(by, cell, direction);
            for (other, shift) in self.line_around(cell, direction) {
                let before = self.combinations[other];
                let after = updated(self.reaches, before, direction, line, shift);
                if after != before {
                    self.combinations[other] = after;
                    if !self.taken[other] {
                        learned.exchange(&mut sums[0], 0, before, after);
                        learned.exchange(&mut sums[1], 1, before, after);
                    }
                }
            }
        }
        self.sums = sums;
    }

    /// Removes the latest mark, which must be a mark of `by` at `at`.
    pub fn take_back(&mut self, by: Side, at: Move) {
        let cell = at.index();
        for direction in 0..4 {
            let line = self.mark(by, cell, direction);
            for (other, shift) in self.line_around(cell, direction) {
                let before = self.combinations[other];
                self.combinations[other] = updated(self.reaches, before, direction, line, shift);
            }
        }
        self.taken[cell] = false;
        if let Some((sums, last)) = self.before.pop() {
            debug_assert_eq!(last, cell, "only the latest mark can be taken back");
            self.sums = sums;
        }
    }

    /// Adds a mark to a line or removes it, and returns the new line.
    #[inline]
    fn mark(&mut self, by: Side, cell: usize, direction: usize) -> u64 {
        let place = self.places[cell][direction];
        let line = &mut self.lines[usize::from(place.line)];
        *line ^= mark(by) << place.shift;
        *line
    }

    /// The value for the opponent after this move. The opponent is then to move.
    pub(crate) fn after(&self, by: Side, at: Move) -> i32 {
        let (cell, mover) = (at.index(), 1 - by.index());
        let learned = self.learned;
        let mut sum = self.sums[mover];
        let weights = learned.weights(mover, self.combinations[cell]);
        sum.iter_mut()
            .zip(weights)
            .for_each(|(sum, one)| *sum -= one);
        for direction in 0..4 {
            let place = self.places[cell][direction];
            let line = self.lines[usize::from(place.line)] ^ mark(by) << place.shift;
            for (other, shift) in self.line_around(cell, direction) {
                if !self.taken[other] && other != cell {
                    let before = self.combinations[other];
                    let after = updated(self.reaches, before, direction, line, shift);
                    learned.exchange(&mut sum, mover, before, after);
                }
            }
        }
        learned.value(&sum)
    }

    /// The value for `mover`, if `mover` is the side to move.
    pub(crate) fn estimate(&self, mover: Side) -> i32 {
        self.learned.value(&self.sums[mover.index()])
    }

    /// The learned score of a move for a side, used for move ordering.
    #[inline]
    pub(crate) fn move_score(&self, side: Side, at: Move) -> i32 {
        let combinations = self.combinations[at.index()];
        let own = self.learned.numbers(combinations[side.index()]);
        let other = self.learned.numbers(combinations[1 - side.index()]);
        own.move_score[0] + other.move_score[1]
    }

    /// Whether the move makes an open three or a better shape: see `Reach`.
    pub(crate) fn is_attack(&self, side: Side, at: Move) -> bool {
        let combination = self.combinations[at.index()][side.index()];
        (0..4).any(|direction| combination.reach(direction) >= Reach::OpenThree as u16)
    }

    /// The sorted reaches of each side at a free cell, for training; `None` if the cell is taken.
    pub fn reaches(&self, at: Move) -> Option<[[u8; 4]; 2]> {
        let combinations = self.combinations[at.index()];
        (!self.taken[at.index()]).then(|| combinations.map(Combination::sorted))
    }

    /// The cells of a line that are at most [`ARM`] away from `cell`, including `cell`. Each item is a cell
    /// and the position of the cell's two bits in the line.
    #[inline]
    fn line_around(
        &self,
        cell: usize,
        direction: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (place, step) = (self.places[cell][direction], self.steps[direction]);
        let before = usize::from(place.before);
        let (first, shift) = (cell - before * step, usize::from(place.shift) - 2 * before);
        (0..=before + usize::from(place.after)).map(move |n| (first + n * step, shift + 2 * n))
    }
}

/// The difference between the numbers of two neighbouring cells of a line.
fn step(columns: isize, down: isize, right: isize) -> usize {
    (down * columns + right) as usize
}

/// The two bits of a mark in a line.
#[inline]
fn mark(by: Side) -> u64 {
    by.index() as u64 + 1
}

#[cfg(test)]
mod tests;
