//! Counting and pairing: shows without search that the attacker cannot win on a plain grid.
//!
//! When the attacker takes one cell of a pair, the defender takes the other. So the attacker never completes
//! a line through both cells. The remaining lines are counted with the method of Erdős and Selfridge (1973):
//! a line with n marks weighs 2^n. Suppose that the defender is to move and all lines together weigh less
//! than a complete line. If the defender then always takes the cell with the largest weight, the sum stays
//! below the weight of a complete line, and the attacker never completes a line. If the attacker is to move,
//! the sum must be small enough after every move of the attacker, or after the defender's reply to this move.
//! A cell of a pair counts as a mark of the attacker in every line that the pair does not stop.
//! `docs/solving.md` states the rule exactly.

use noughts_rules::Bits;

use super::live_lines::{LiveLines, Scale, heaviest, max_weight};

/// Searches for pairs of cells that, together with counting, stop all lines of the attacker.
pub(crate) struct PairingSearch<B, L> {
    /// All lines through each cell.
    through: Vec<L>,
    /// The weight of a complete line.
    complete_weight: u32,
    left: RemainingLines<B, L>,
    /// A copy of `left`, made before the search tries pairs that add weight. The copy is restored if these pairs
    /// fail.
    kept: RemainingLines<B, L>,
    /// Scratch memory of `is_answered`: the weight on each cell.
    trial: Vec<u32>,
    pub(crate) pairs: Vec<(usize, usize)>,
}

/// The lines that no pair stops.
struct RemainingLines<B, L> {
    alive: L,
    /// For each line, the cells of this line that are empty and in no pair.
    lines: Vec<B>,
    weights: Vec<u32>,
    sum: u32,
    /// For each cell, the sum of the weights of the lines through the cell. For cells that are taken or in a pair, 0.
    on: Vec<u32>,
}

impl<B: Bits, L: Bits> RemainingLines<B, L> {
    fn new(cells: usize, lines: usize) -> RemainingLines<B, L> {
        RemainingLines {
            alive: L::NONE,
            lines: vec![B::NONE; lines],
            weights: vec![0; lines],
            sum: 0,
            on: vec![0; cells],
        }
    }

    fn copy(&mut self, from: &RemainingLines<B, L>) {
        self.alive = from.alive;
        self.lines.copy_from_slice(&from.lines);
        self.weights.copy_from_slice(&from.weights);
        self.sum = from.sum;
        self.on.copy_from_slice(&from.on);
    }

    fn weigh(&self, mut lines: L) -> u32 {
        let mut sum = 0;
        while let Some(line) = lines.pop() {
            sum += self.weights[line];
        }
        sum
    }
}

impl<B: Bits, L: Bits> PairingSearch<B, L> {
    pub(crate) fn new(through: &[L], lines: usize, scale: Scale) -> PairingSearch<B, L> {
        PairingSearch {
            through: through.to_vec(),
            complete_weight: scale.complete_weight(),
            left: RemainingLines::new(through.len(), lines),
            kept: RemainingLines::new(through.len(), lines),
            trial: vec![0; through.len()],
            pairs: Vec::new(),
        }
    }

    /// Loads the lines that the attacker can still complete. `marks` has the attacker's marks.
    pub(crate) fn fill(&mut self, live: &LiveLines<L>, lines: &[B], marks: B) {
        let left = &mut self.left;
        left.alive = live.alive;
        left.sum = live.sum;
        left.on.copy_from_slice(&live.on);
        let mut alive = live.alive;
        while let Some(line) = alive.pop() {
            left.lines[line] = lines[line].minus(marks);
            left.weights[line] = live.weight(line);
        }
        self.pairs.clear();
    }

    /// Whether pairing and counting stop all lines. `attacks` is true if the attacker is to move.
    pub(crate) fn holds(&mut self, attacks: bool) -> bool {
        // With this total weight or more, the defender needs one pair for each line. The pairs need two cells
        // for each line, because no cell may be in two pairs.
        let limit = if attacks {
            self.complete_weight / 4 * 7
        } else {
            2 * self.complete_weight
        };
        if self.left.sum >= limit && 2 * self.left.alive.count() > self.through.len() {
            return false;
        }
        self.pair_equal_cells();
        if self.is_counted_out(attacks) {
            return true;
        }
        let pairs = self.pairs.len();
        // With this total weight or more, the greedy choice of pairs almost never succeeds.
        let hopeless = if attacks {
            self.complete_weight / 2 * 3
        } else {
            self.complete_weight / 4 * 7
        };
        if self.left.sum < hopeless {
            self.kept.copy(&self.left);
            while let Some((one, other)) = self.best_pair() {
                self.pair(one, other);
                if self.is_counted_out(attacks) {
                    return true;
                }
            }
            std::mem::swap(&mut self.left, &mut self.kept);
            self.pairs.truncate(pairs);
        }
        self.match_all()
    }

    /// Makes a pair of two cells. The pair stops all lines through both cells, and doubles the weight of the
    /// lines through only one of the two cells.
    fn pair(&mut self, one: usize, other: usize) {
        self.pairs.push((one, other));
        let left = &mut self.left;
        let [mine, theirs] = [self.through[one], self.through[other]].map(|l| l.and(left.alive));
        let both = mine.and(theirs);
        let used = B::one(one).or(B::one(other));
        let mut lines = mine.or(theirs);
        while let Some(line) = lines.pop() {
            let weight = left.weights[line];
            left.lines[line] = left.lines[line].minus(used);
            let mut cells = left.lines[line];
            if both.has(line) {
                left.sum -= weight;
                while let Some(at) = cells.pop() {
                    left.on[at] -= weight;
                }
            } else {
                left.sum += weight;
                left.weights[line] *= 2;
                while let Some(at) = cells.pop() {
                    left.on[at] += weight;
                }
            }
        }
        left.on[one] = 0;
        left.on[other] = 0;
        left.alive = left.alive.minus(both);
    }

    /// Whether counting stops the remaining lines.
    fn is_counted_out(&mut self, attacks: bool) -> bool {
        let left = &self.left;
        if !attacks {
            return left.sum < self.complete_weight || self.is_answered(None, None);
        }
        if left.sum >= self.complete_weight {
            return false;
        }
        let room = self.complete_weight - left.sum;
        let mut cells = 0..self.through.len();
        cells.all(|at| self.left.on[at] < room || self.is_answered(Some(at), None))
    }

    /// Whether counting stops all lines after the attacker takes `taken`, the defender takes `answer`, and
    /// the attacker makes any next move. Without `taken`, the defender moves first. Without `answer`, the
    /// defender takes the cell with the largest weight.
    fn is_answered(&mut self, taken: Option<usize>, answer: Option<usize>) -> bool {
        let left = &self.left;
        self.trial.copy_from_slice(&left.on);
        let mut sum = left.sum;
        let mut doubled = L::NONE;
        if let Some(taken) = taken {
            sum += left.on[taken];
            doubled = self.through[taken].and(left.alive);
            let mut lines = doubled;
            while let Some(line) = lines.pop() {
                let mut cells = left.lines[line];
                while let Some(at) = cells.pop() {
                    self.trial[at] += left.weights[line];
                }
            }
            self.trial[taken] = 0;
        }
        let at = answer.unwrap_or_else(|| heaviest(&self.trial));
        sum -= self.trial[at];
        if sum >= self.complete_weight || self.trial[at] == 0 {
            return false;
        }
        let mut lines = self.through[at].and(left.alive);
        while let Some(line) = lines.pop() {
            let weight = left.weights[line] << u32::from(doubled.has(line));
            let mut cells = left.lines[line];
            if let Some(taken) = taken {
                cells = cells.minus(B::one(taken));
            }
            while let Some(at) = cells.pop() {
                self.trial[at] -= weight;
            }
        }
        sum + max_weight(&self.trial) < self.complete_weight
    }

    /// Whether counting alone stops all lines. Tries every answer of the defender, as the proof checker does.
    pub(crate) fn is_obvious(&mut self, attacks: bool) -> bool {
        let all = self.through.len();
        if !attacks {
            return self.left.sum < self.complete_weight
                || (0..all).any(|at| self.is_answered(None, Some(at)));
        }
        if self.left.sum >= self.complete_weight {
            return false;
        }
        let room = self.complete_weight - self.left.sum;
        (0..all).all(|taken| {
            self.left.on[taken] < room || (0..all).any(|at| self.is_answered(Some(taken), Some(at)))
        })
    }

    /// Pairs cells that lie on exactly the same lines. Such pairs add no weight.
    fn pair_equal_cells(&mut self) {
        loop {
            let before = self.pairs.len();
            let mut lines = self.left.alive;
            while let Some(line) = lines.pop() {
                if self.left.alive.has(line)
                    && let Some((one, other)) = self.equal_cells(line)
                {
                    self.pair(one, other);
                }
            }
            if self.pairs.len() == before {
                return;
            }
        }
    }

    fn equal_cells(&self, line: usize) -> Option<(usize, usize)> {
        let mut cells = self.left.lines[line];
        while let Some(one) = cells.pop() {
            let through = self.through[one].and(self.left.alive);
            let mut others = cells;
            while let Some(other) = others.pop() {
                if self.left.on[one] == self.left.on[other]
                    && self.through[other].and(self.left.alive) == through
                {
                    return Some((one, other));
                }
            }
        }
        None
    }

    /// The pair of cells on a heavy line that reduces the total weight most; `None` if no pair reduces this weight.
    fn best_pair(&self) -> Option<(usize, usize)> {
        let left = &self.left;
        let mut heaviest = 0;
        let mut lines = left.alive;
        while let Some(line) = lines.pop() {
            heaviest = heaviest.max(left.weights[line]);
        }
        let mut best = (0, None);
        let mut lines = left.alive;
        while let Some(line) = lines.pop() {
            // Pairs on lighter lines seldom help, so skip these lines.
            if left.weights[line] * 4 < heaviest {
                continue;
            }
            let mut cells = left.lines[line];
            while let Some(one) = cells.pop() {
                let mine = self.through[one].and(left.alive);
                let mut others = cells;
                while let Some(other) = others.pop() {
                    // A pair stops the lines through both cells and doubles the weight of lines through only one of the
                    // cells.
                    let held = 3 * left.weigh(mine.and(self.through[other]));
                    let all = left.on[one] + left.on[other];
                    if held > all + best.0 {
                        best = (held - all, Some((one, other)));
                    }
                }
            }
        }
        best.1
    }

    /// Finds a pair of cells on each line, so that no cell belongs to two pairs. Returns false if this is not possible.
    /// Uses bipartite matching with augmenting paths.
    fn match_all(&mut self) -> bool {
        let mut cells = B::NONE;
        let mut lines = self.left.alive;
        while let Some(line) = lines.pop() {
            cells = cells.or(self.left.lines[line]);
        }
        if 2 * self.left.alive.count() > cells.count() {
            return false;
        }
        let mut owners = vec![None; self.through.len()];
        let mut lines = self.left.alive;
        while let Some(line) = lines.pop() {
            for _ in 0..2 {
                if !self.make_room(line, &mut B::NONE.clone(), &mut owners) {
                    return false;
                }
            }
        }
        let mut lines = self.left.alive;
        while let Some(line) = lines.pop() {
            let mut own = (0..owners.len()).filter(|at| owners[*at] == Some(line));
            if let (Some(one), Some(other)) = (own.next(), own.next()) {
                self.pairs.push((one, other));
            }
        }
        true
    }

    fn make_room(&self, line: usize, seen: &mut B, owners: &mut [Option<usize>]) -> bool {
        let mut cells = self.left.lines[line].minus(*seen);
        while let Some(at) = cells.pop() {
            if seen.has(at) || owners[at] == Some(line) {
                continue;
            }
            *seen = seen.or(B::one(at));
            let is_free = match owners[at] {
                None => true,
                Some(owner) => self.make_room(owner, seen, owners),
            };
            if is_free {
                owners[at] = Some(line);
                return true;
            }
        }
        false
    }
}
