//! The lines that a side can still complete on a plain grid, and their weights, updated with every move.

use noughts_rules::Bits;

/// Weights of lines: a line with n marks weighs 2^n.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    line: usize,
}

/// A line that lacks more marks than this number has the weight of a line that lacks only this number of
/// marks. So a weight may be too high, but never too low. If counting then shows that a side stops all lines,
/// this result is right.
const LONGEST: usize = 20;

impl Scale {
    pub(crate) fn new(line: usize) -> Scale {
        let line = line.min(LONGEST);
        Scale { line }
    }

    /// The weight of a line that lacks `lacks` marks.
    pub(crate) fn weight(self, lacks: u8) -> u32 {
        1 << self.line.saturating_sub(lacks.into())
    }

    /// The weight of a complete line.
    pub(crate) fn complete_weight(self) -> u32 {
        1 << self.line
    }
}

/// The lines that a side can still complete, as sets of line numbers, and their weights.
#[derive(Clone)]
pub(crate) struct LiveLines<L> {
    scale: Scale,
    pub(crate) alive: L,
    pub(crate) lack_one: L,
    pub(crate) lack_two: L,
    /// The number of marks that each line lacks.
    lacks: Vec<u8>,
    /// The sum of the weights of all live lines.
    pub(crate) sum: u32,
    /// For each empty cell, the sum of the weights of the live lines through the cell. For each taken cell, 0.
    pub(crate) on: Vec<u32>,
}

impl<L: Bits> LiveLines<L> {
    /// The lines of an empty board, all of which the side can still complete.
    pub(crate) fn new<B: Bits>(lines: &[B], through: &[L], scale: Scale) -> LiveLines<L> {
        let lacks: Vec<u8> = lines.iter().map(|line| line.count() as u8).collect();
        let of = |count: u8| {
            let numbers = (0..lines.len()).filter(|line| lacks[*line] == count);
            numbers.fold(L::NONE, |set, line| set.or(L::one(line)))
        };
        let weigh = |mut lines: L| {
            let mut sum = 0;
            while let Some(line) = lines.pop() {
                sum += scale.weight(lacks[line]);
            }
            sum
        };
        let alive = (0..lines.len()).fold(L::NONE, |set, line| set.or(L::one(line)));
        LiveLines {
            alive,
            lack_one: of(1),
            lack_two: of(2),
            sum: weigh(alive),
            on: through.iter().map(|lines| weigh(*lines)).collect(),
            lacks,
            scale,
        }
    }

    /// Copies `from` into this value without allocation.
    pub(crate) fn copy(&mut self, from: &LiveLines<L>) {
        self.alive = from.alive;
        self.lack_one = from.lack_one;
        self.lack_two = from.lack_two;
        self.sum = from.sum;
        self.lacks.copy_from_slice(&from.lacks);
        self.on.copy_from_slice(&from.on);
    }

    pub(crate) fn weight(&self, line: usize) -> u32 {
        self.scale.weight(self.lacks[line])
    }

    /// Updates the lines after this side takes a cell. `through` has the lines through the cell, and `marks` has the
    /// side's marks before the move.
    pub(crate) fn gain<B: Bits>(&mut self, at: usize, through: L, lines: &[B], marks: B) {
        let mut gained = through.and(self.alive);
        let marks = marks.or(B::one(at));
        while let Some(line) = gained.pop() {
            let before = self.weight(line);
            self.lacks[line] -= 1;
            let more = self.weight(line) - before;
            self.sum += more;
            let one = L::one(line);
            match self.lacks[line] {
                2 => self.lack_two = self.lack_two.or(one),
                1 => {
                    self.lack_two = self.lack_two.minus(one);
                    self.lack_one = self.lack_one.or(one);
                }
                0 => self.lack_one = self.lack_one.minus(one),
                _ => {}
            }
            let mut cells = lines[line].minus(marks);
            while let Some(cell) = cells.pop() {
                self.on[cell] += more;
            }
        }
        self.on[at] = 0;
    }

    /// Updates the lines after the other side takes a cell. `through` has the lines through the cell, and `marks` has
    /// the marks of the side that owns the lines.
    pub(crate) fn lose<B: Bits>(&mut self, at: usize, through: L, lines: &[B], marks: B) {
        let lost = through.and(self.alive);
        self.alive = self.alive.minus(lost);
        self.lack_one = self.lack_one.minus(lost);
        self.lack_two = self.lack_two.minus(lost);
        let mut left = lost;
        while let Some(line) = left.pop() {
            let weight = self.weight(line);
            self.sum -= weight;
            let mut cells = lines[line].minus(marks);
            while let Some(cell) = cells.pop() {
                self.on[cell] -= weight;
            }
        }
        self.on[at] = 0;
    }

    /// Whether the other side certainly stops all lines if it always takes the cell with the largest weight.
    /// `moves` is true if the side that owns the lines is to move.
    pub(crate) fn is_held_by_counting(&self, moves: bool) -> bool {
        let heaviest = if moves { max_weight(&self.on) } else { 0 };
        self.sum + heaviest < self.scale.complete_weight()
    }
}

pub(crate) fn max_weight(weights: &[u32]) -> u32 {
    weights.iter().fold(0, |max, weight| max.max(*weight))
}

/// The first cell with the largest weight.
pub(crate) fn heaviest(weights: &[u32]) -> usize {
    let max = max_weight(weights);
    let first = weights.iter().position(|weight| *weight == max);
    first.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Random;
    use crate::solver::plain_grid::lines;
    use noughts_rules::Variant;

    #[test]
    fn updates_agree_with_counting_from_scratch() {
        let mut random = Random::new(7);
        for name in ["3x3k3", "5x4k4", "7x3k4", "7x7k5", "21x3k21"] {
            let Variant::Grid(spec) = name.parse().unwrap() else {
                panic!("{name} is a grid");
            };
            let cells = lines(&spec);
            let set = |cells: &Vec<usize>| cells.iter().fold(0u64, |set, at| set | 1 << at);
            let sets: Vec<u64> = cells.iter().map(set).collect();
            let of = |at: usize| {
                let numbers = (0..sets.len()).filter(|line| sets[*line].has(at));
                numbers.fold(0u128, |set, line| set | 1 << line)
            };
            let through: Vec<u128> = (0..spec.cells()).map(of).collect();
            let scale = Scale::new(spec.line());
            let mut kept = LiveLines::new(&sets, &through, scale);
            let [mut mine, mut theirs] = [0u64; 2];
            let mut free: Vec<usize> = (0..spec.cells()).collect();
            while !free.is_empty() && kept.lack_one == 0 {
                let at = free.swap_remove(random.below(free.len()));
                if random.below(3) > 0 {
                    kept.gain(at, through[at], &sets, mine);
                    mine |= 1 << at;
                } else {
                    kept.lose(at, through[at], &sets, mine);
                    theirs |= 1 << at;
                }
                let alive = |line: &usize| sets[*line] & theirs == 0;
                let lacks = |line: usize| (sets[line] & !mine).count_ones();
                let weight = |line: usize| {
                    let marks = spec.line().min(LONGEST) as u32;
                    2u32.pow(marks.saturating_sub(lacks(line)))
                };
                let numbers: Vec<usize> = (0..sets.len()).filter(alive).collect();
                let bits = |count: u32| {
                    let some = numbers.iter().filter(|line| lacks(**line) == count);
                    some.fold(0u128, |set, line| set | 1 << line)
                };
                assert_eq!(kept.alive.count(), numbers.len(), "{name}");
                assert_eq!((kept.lack_one, kept.lack_two), (bits(1), bits(2)), "{name}");
                let sum: u32 = numbers.iter().map(|line| weight(*line)).sum();
                assert_eq!(kept.sum, sum, "{name}");
                for cell in 0..spec.cells() {
                    let on = numbers.iter().filter(|line| sets[**line].has(cell));
                    let on: u32 = on.map(|line| weight(*line)).sum();
                    let is_free = free.contains(&cell);
                    assert_eq!(kept.on[cell], if is_free { on } else { 0 }, "{name} {cell}");
                }
            }
        }
    }
}
