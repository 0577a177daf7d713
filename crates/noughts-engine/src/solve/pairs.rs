//! Why a defender need not look ahead: lines that are held by pairs of cells, and lines that are too few.
//!
//! A pair is two empty cells: when the attacker takes one, the defender takes the other, and no line
//! through both is ever made. The lines that are left are counted after Erdős and Selfridge (1973): each
//! weighs two to the number of its marks, and as long as all together weigh less than one that is made,
//! with the defender to move, taking the cell where most weight lies keeps it so. With the attacker to
//! move it must be less than half. A cell of a pair in a line that the pair does not hold is counted as
//! the attacker's, since it may become so at any time.
//!
//! Only where a mark more never hurts, any empty cell may be played, and lines are what wins.

use noughts_rules::Bits;

/// The attacker's lines with what is needed to pair them.
pub(crate) struct Live<B, L> {
    /// The empty cells of each line.
    lines: Vec<B>,
    weights: Vec<u64>,
    /// The lines through each cell.
    through: Vec<L>,
    alive: L,
    sum: u64,
    /// What `lines` and `weights` were, to go back to.
    before: (Vec<B>, Vec<u64>),
    /// The pairs that were found.
    pub(crate) pairs: Vec<(usize, usize)>,
}

impl<B: Bits, L: Bits> Live<B, L> {
    pub(crate) fn new(cells: usize, lines: usize) -> Live<B, L> {
        Live {
            lines: Vec::with_capacity(lines),
            weights: Vec::with_capacity(lines),
            through: vec![L::NONE; cells],
            alive: L::NONE,
            sum: 0,
            before: (Vec::new(), Vec::new()),
            pairs: Vec::new(),
        }
    }

    /// Takes these lines, of which the attacker has some marks.
    pub(crate) fn fill(&mut self, lines: &[B], marks: B, line: usize) {
        self.lines.clear();
        self.weights.clear();
        self.pairs.clear();
        self.through.fill(L::NONE);
        self.alive = L::NONE;
        self.sum = 0;
        for (number, cells) in lines.iter().enumerate() {
            let mut empty = cells.minus(marks);
            let weight = 1 << (line - empty.count());
            self.lines.push(empty);
            self.weights.push(weight);
            self.sum += weight;
            self.alive = self.alive.or(L::one(number));
            while let Some(at) = empty.pop() {
                self.through[at] = self.through[at].or(L::one(number));
            }
        }
    }

    /// Holds all lines through both cells; lines through one of them weigh twice what they did.
    fn pair(&mut self, one: usize, other: usize) {
        self.pairs.push((one, other));
        let [mine, theirs] = [self.through[one], self.through[other]].map(|l| l.and(self.alive));
        let mut lines = mine.or(theirs);
        let both = mine.and(theirs);
        let used = B::one(one).or(B::one(other));
        while let Some(line) = lines.pop() {
            if both.has(line) {
                self.sum -= self.weights[line];
            } else {
                self.sum += self.weights[line];
                self.weights[line] *= 2;
                self.lines[line] = self.lines[line].minus(used);
            }
        }
        self.alive = self.alive.minus(both);
    }

    fn weigh(&self, mut lines: L) -> u64 {
        let mut sum = 0;
        while let Some(line) = lines.pop() {
            sum += self.weights[line];
        }
        sum
    }

    /// Pairs cells that lie on the same lines and no others, which costs nothing.
    fn pair_twins(&mut self) {
        loop {
            let before = self.pairs.len();
            let mut lines = self.alive;
            while let Some(line) = lines.pop() {
                if self.alive.has(line)
                    && let Some((one, other)) = self.twins(line)
                {
                    self.pair(one, other);
                }
            }
            if self.pairs.len() == before {
                return;
            }
        }
    }

    fn twins(&self, line: usize) -> Option<(usize, usize)> {
        let mut cells = self.lines[line];
        while let Some(one) = cells.pop() {
            let through = self.through[one].and(self.alive);
            let mut others = cells;
            while let Some(other) = others.pop() {
                if self.through[other].and(self.alive) == through {
                    return Some((one, other));
                }
            }
        }
        None
    }

    /// Of the pairs on heavy lines the one that takes most weight away, if any does.
    fn best_pair(&self) -> Option<(usize, usize)> {
        let mut heaviest = 0;
        let mut lines = self.alive;
        while let Some(line) = lines.pop() {
            heaviest = heaviest.max(self.weights[line]);
        }
        let mut best = (0, None);
        let mut lines = self.alive;
        while let Some(line) = lines.pop() {
            // Lighter ones are seldom worth the time.
            if self.weights[line] * 4 < heaviest {
                continue;
            }
            let mut cells = self.lines[line];
            while let Some(one) = cells.pop() {
                let mine = self.through[one].and(self.alive);
                let mut others = cells;
                while let Some(other) = others.pop() {
                    let theirs = self.through[other].and(self.alive);
                    let both = mine.and(theirs);
                    let (held, made) = (self.weigh(both), self.weigh(mine.or(theirs).minus(both)));
                    if held > made && held - made > best.0 {
                        best = (held - made, Some((one, other)));
                    }
                }
            }
        }
        best.1
    }

    /// Two cells for each line, its own: a matching, found by making room along chains of lines.
    fn match_all(&mut self) -> bool {
        let mut cells = B::NONE;
        let mut lines = self.alive;
        while let Some(line) = lines.pop() {
            cells = cells.or(self.lines[line]);
        }
        if 2 * self.alive.count() > cells.count() {
            return false;
        }
        let mut owners = vec![None; self.through.len()];
        let mut lines = self.alive;
        while let Some(line) = lines.pop() {
            for _ in 0..2 {
                if !self.make_room(line, &mut B::NONE.clone(), &mut owners) {
                    return false;
                }
            }
        }
        let mut lines = self.alive;
        while let Some(line) = lines.pop() {
            let mut own = (0..owners.len()).filter(|at| owners[*at] == Some(line));
            if let (Some(one), Some(other)) = (own.next(), own.next()) {
                self.pairs.push((one, other));
            }
        }
        true
    }

    fn make_room(&self, line: usize, seen: &mut B, owners: &mut [Option<usize>]) -> bool {
        let mut cells = self.lines[line].minus(*seen);
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

/// Whether pairs, and counting what they do not hold, keep the attacker from ever making a line; what is
/// left must weigh less than `goal`.
pub(crate) fn hold<B: Bits, L: Bits>(live: &mut Live<B, L>, goal: u64) -> bool {
    live.pair_twins();
    if live.sum < goal {
        return true;
    }
    let (kept, pairs) = (live.alive, live.pairs.len());
    // Beyond twice the goal pairs were hardly ever enough.
    if live.sum < 2 * goal {
        let sum = live.sum;
        live.before.0.clone_from(&live.lines);
        live.before.1.clone_from(&live.weights);
        while let Some((one, other)) = live.best_pair() {
            live.pair(one, other);
            if live.sum < goal {
                return true;
            }
        }
        std::mem::swap(&mut live.lines, &mut live.before.0);
        std::mem::swap(&mut live.weights, &mut live.before.1);
        (live.sum, live.alive) = (sum, kept);
        live.pairs.truncate(pairs);
    }
    live.match_all()
}
