//! What lines of five promise: how far each line through a free cell comes if a side plays there.
//!
//! Of a cell the four cells to either side are looked at, in each of four directions. They have a
//! *reach* for each side, from nothing to a five, and the four reaches of a side are the cell's
//! *combination*. All combinations of a board together make what it is worth: they are added up for a few
//! neurons, which only count where they are above zero, and beside them. What each adds, and how likely
//! it is to be played, was learned from games; `five.txt` has the numbers and says how they were made.

use std::sync::LazyLock;

use noughts_rules::{Goal, GridSpec, Move, Overline, Placement, Side};

use crate::features::windows::DIRECTIONS;

/// Cells to either side of one that are looked at.
const ARM: usize = 4;

/// Longer lines do not fit into a word with what is beyond their ends.
const LONGEST_LINE: usize = 32 - 2 * ARM;

/// How far a line comes if a side plays in the middle of it.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Nothing,
    /// An open two may follow.
    One,
    /// A three may follow.
    Two,
    /// An open three may follow.
    OpenTwo,
    /// A four may follow.
    Three,
    /// An open four may follow.
    OpenThree,
    /// One cell completes it.
    Four,
    /// Two cells do, or it is complete.
    OpenFour,
}

/// Bits of a reach.
const REACH_BITS: usize = 3;
const REACH_MASK: u16 = (1 << REACH_BITS) - 1;

/// The reaches of one side at a cell, three bits for each direction.
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

    /// Its reaches, the least first: in which direction a line runs makes no difference.
    fn sorted(self) -> [u8; 4] {
        let mut reaches = std::array::from_fn(|direction| self.reach(direction) as u8);
        reaches.sort_unstable();
        reaches
    }
}

/// Neurons between the combinations and what a board is worth.
pub const HIDDEN: usize = 7;

/// What a combination adds to what a board is worth, and behind that to each neuron.
type Weights = [i32; 1 + HIDDEN];

/// What was learned of a combination: where it is the mover's own, and where it is the other's.
#[derive(Clone, Copy)]
struct Numbers {
    weights: [Weights; 2],
    promise: [i32; 2],
}

/// All that was learned.
struct Learned {
    /// By combination: where its numbers are. Those with the same reaches have the same.
    places: Vec<u16>,
    numbers: Vec<Numbers>,
    /// What an empty board adds up to.
    start: Weights,
    output: [i32; HIDDEN],
}

/// What is above zero in a neuron counts by its output, in parts of this power of two.
pub const OUTPUT_BITS: u32 = 12;

/// What is beside the neurons counts in parts of this one.
pub const LINEAR_BITS: u32 = 4;

static LEARNED: LazyLock<Learned> = LazyLock::new(|| {
    let read = Learned::read(include_str!("patterns/five.txt"));
    read.expect("the numbers are part of the program, and a test reads them")
});

/// By the cells around one, two bits each: the reach of the first side, and above it of the second. Where
/// longer lines count, and where they do not.
static REACHES: [LazyLock<Vec<u8>>; 2] = [
    LazyLock::new(|| reaches(is_five_or_more)),
    LazyLock::new(|| reaches(is_five)),
];

impl Learned {
    /// `None` where a line is not as it should be.
    fn read(text: &str) -> Option<Learned> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut words = |name: &str| -> Option<Vec<i32>> {
            let numbers = lines.next()?.strip_prefix(name)?.split_whitespace();
            numbers.map(|word| word.parse().ok()).collect()
        };
        let mut learned = Learned {
            places: Vec::with_capacity(COMBINATIONS),
            numbers: Vec::new(),
            start: words("start")?.try_into().ok()?,
            output: words("output")?.try_into().ok()?,
        };
        let sets = sorted_sets();
        for set in &sets {
            let numbers = words("")?;
            let (reaches, numbers) = numbers.split_at_checked(set.len())?;
            let (promise, numbers) = numbers.split_at_checked(2)?;
            let (own, other) = numbers.split_at_checked(1 + HIDDEN)?;
            if reaches != set.map(i32::from) {
                return None;
            }
            learned.numbers.push(Numbers {
                weights: [own.try_into().ok()?, other.try_into().ok()?],
                promise: promise.try_into().ok()?,
            });
        }
        for combination in 0..COMBINATIONS as u16 {
            let place = sets.binary_search(&Combination(combination).sorted());
            learned.places.push(place.ok()? as u16);
        }
        Some(learned)
    }

    #[inline]
    fn numbers(&self, combination: Combination) -> &Numbers {
        &self.numbers[usize::from(self.places[usize::from(combination.0)])]
    }

    /// What a board is worth, given what all its combinations add up to.
    #[inline]
    fn value(&self, [linear, neurons @ ..]: &Weights) -> i32 {
        let neurons = neurons.iter().zip(&self.output);
        let above: i64 = neurons
            .map(|(neuron, output)| i64::from((*neuron).max(0)) * i64::from(*output))
            .sum();
        let beside = i64::from(*linear) << (OUTPUT_BITS - LINEAR_BITS);
        ((beside + above) >> OUTPUT_BITS) as i32
    }

    /// What a free cell adds for this mover.
    #[inline]
    fn weights(&self, mover: usize, combinations: [Combination; 2]) -> Weights {
        let own = &self.numbers(combinations[mover]).weights[0];
        let other = &self.numbers(combinations[1 - mover]).weights[1];
        std::array::from_fn(|n| own[n] + other[n])
    }

    /// What a free cell was to this mover becomes what it is now.
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

/// A cell's combinations as its line in this direction makes them now. What the cell itself has makes no
/// difference.
#[inline]
fn turned(
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

/// Every four reaches that a combination may have, the least first, in the order of `five.txt`.
pub fn sorted_sets() -> Vec<[u8; 4]> {
    let mut sets: Vec<[u8; 4]> = (0..COMBINATIONS as u16)
        .map(|combination| Combination(combination).sorted())
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// The reaches by the cells around one, two bits each, of both sides.
fn reaches(is_complete: fn(usize) -> bool) -> Vec<u8> {
    let first = reaches_of_first(is_complete);
    let swapped = |around: usize| (around & LOW_BITS) << 1 | around >> 1 & LOW_BITS;
    let both = (0..first.len()).map(|around| {
        let second = first[swapped(around)];
        first[around] as u8 | (second as u8) << REACH_BITS
    });
    both.collect()
}

/// The reach of the first side by the cells around one.
fn reaches_of_first(is_complete: fn(usize) -> bool) -> Vec<Reach> {
    let mut all = vec![Reach::Nothing; 1 << (4 * ARM)];
    let beyond = |around: usize| around & around >> 1 & LOW_BITS;
    let mut within: Vec<usize> = (0..all.len())
        .filter(|around| beyond(*around) == 0)
        .collect();
    // What a line can become has one mark more, and is known by then.
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
    // What is beyond the edge is as if the other had it.
    for around in 0..all.len() {
        all[around] = all[around & !beyond(around)];
    }
    all
}

/// The lower bit of every cell around one.
const LOW_BITS: usize = 0x5555;

/// The marks of the first side around a cell, each at the lower of its bits.
fn own(around: usize) -> usize {
    around & !(around >> 1) & LOW_BITS
}

/// The marks of the first side in a line, the cell in the middle one of them, two bits each.
fn with_middle(around: usize) -> usize {
    let (before, after) = (own(around) & 0xFF, own(around) & 0xFF00);
    before | 1 << (2 * ARM) | after << 2
}

/// Whether the first side has five in a line, the cell in the middle one of them, or more.
fn is_five_or_more(around: usize) -> bool {
    let line = with_middle(around);
    let two = line & line >> 2;
    two & two >> 4 & line >> 8 != 0
}

/// Whether it has five and not more. What is beyond four cells is not seen.
fn is_five(around: usize) -> bool {
    let line = with_middle(around);
    let has = |n: &usize| line >> (2 * n) & 1 == 1;
    let after = (ARM + 1..=2 * ARM).take_while(has).count();
    let before = (0..ARM).rev().take_while(has).count();
    before + 1 + after == 5
}

/// Where a cell is in its line of one direction.
#[derive(Clone, Copy, Default)]
struct Place {
    line: u16,
    /// Its two bits.
    shift: u8,
    /// How many cells of the board lie before it and after it, as far as an arm.
    before: u8,
    after: u8,
}

/// The lines of a board and what they promise, kept play by play.
#[derive(Clone)]
pub struct Patterns {
    learned: &'static Learned,
    reaches: &'static [u8],
    /// Two bits a cell: free, the first side's, the second's, or beyond the edge.
    lines: Vec<u64>,
    places: Vec<[Place; 4]>,
    steps: [usize; 4],
    /// By cell, of either side.
    combinations: Vec<[Combination; 2]>,
    taken: Vec<bool>,
    /// By who is to move: what the combinations of all free cells add up to.
    sums: [Weights; 2],
    /// What they were before each mark, and where it is.
    before: Vec<([Weights; 2], usize)>,
}

impl Patterns {
    /// An empty board, where something was learned for it: two sides, lines of five, up to 24 columns and rows.
    /// Where longer lines do not count the same numbers serve for what is reached then. However large it is,
    /// empty it is worth the same.
    pub fn new(spec: &GridSpec) -> Option<Patterns> {
        let is_learned = spec.sides() == 2
            && spec.line() == 5
            && spec.columns().max(spec.rows()) <= LONGEST_LINE
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
                *combinations = turned(reaches, *combinations, direction, line, place.shift.into());
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

    /// A side puts a mark into a free cell.
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
                let after = turned(self.reaches, before, direction, line, shift);
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

    /// The mark that was put last, this one, is taken off again.
    pub fn take_back(&mut self, by: Side, at: Move) {
        let cell = at.index();
        for direction in 0..4 {
            let line = self.mark(by, cell, direction);
            for (other, shift) in self.line_around(cell, direction) {
                let before = self.combinations[other];
                self.combinations[other] = turned(self.reaches, before, direction, line, shift);
            }
        }
        self.taken[cell] = false;
        if let Some((sums, last)) = self.before.pop() {
            debug_assert_eq!(last, cell, "only the latest mark can be taken back");
            self.sums = sums;
        }
    }

    /// Puts a mark into a line, or takes it off, and says what the line is then.
    #[inline]
    fn mark(&mut self, by: Side, cell: usize, direction: usize) -> u64 {
        let place = self.places[cell][direction];
        let line = &mut self.lines[usize::from(place.line)];
        *line ^= mark(by) << place.shift;
        *line
    }

    /// What the board would be worth to the other side, to move, if this one played there.
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
                    let after = turned(self.reaches, before, direction, line, shift);
                    learned.exchange(&mut sum, mover, before, after);
                }
            }
        }
        learned.value(&sum)
    }

    /// What the board is worth to a side that is to move.
    pub(crate) fn estimate(&self, mover: Side) -> i32 {
        self.learned.value(&self.sums[mover.index()])
    }

    /// What a cell promises to a side.
    #[inline]
    pub(crate) fn promise(&self, side: Side, at: Move) -> i32 {
        let combinations = self.combinations[at.index()];
        let own = self.learned.numbers(combinations[side.index()]);
        let other = self.learned.numbers(combinations[1 - side.index()]);
        own.promise[0] + other.promise[1]
    }

    /// Whether a side makes an open three there, or more.
    pub(crate) fn is_attack(&self, side: Side, at: Move) -> bool {
        let combination = self.combinations[at.index()][side.index()];
        (0..4).any(|direction| combination.reach(direction) >= Reach::OpenThree as u16)
    }

    /// The reaches of either side at a free cell, the least first, for who learns the numbers.
    pub fn reaches(&self, at: Move) -> Option<[[u8; 4]; 2]> {
        let combinations = self.combinations[at.index()];
        (!self.taken[at.index()]).then(|| combinations.map(Combination::sorted))
    }

    /// The cells of a line as far as an arm from one, itself among them, with where their bits are.
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

/// From one cell of a line to the next.
fn step(columns: isize, down: isize, right: isize) -> usize {
    (down * columns + right) as usize
}

/// What a mark is in a line.
#[inline]
fn mark(by: Side) -> u64 {
    by.index() as u64 + 1
}

#[cfg(test)]
mod tests;
