//! Plain grids: there are two sides, any empty cell may be played, and the side that first completes a line of K or
//! more wins.
//!
//! An extra mark is never a disadvantage for its owner. A line is *live* if a side can still complete the
//! line. A cell does not matter if no live line passes through the cell. A cell is *dominated* if all live
//! lines through it also pass through another empty cell. A move in the dominated cell is never better than a
//! move in this second cell. The module `pairing` adds counting and pairing.

use noughts_rules::{Bits, GridSpec, Move, Symmetry, Variant};

use super::dfpn::{Child, NEVER, Numbers, SearchPosition, StaticResult};
use super::live_lines::{LiveLines, Scale};
use super::pairing::PairingSearch;
use crate::rng::Random;

/// One hash per symmetry. If `W` is greater than the number of symmetries, the hashes repeat. The smallest
/// hash is the key.
type Hashes<const W: usize> = [u64; W];

/// The lines and hash words of a board.
struct Geometry<B, L, const W: usize> {
    scale: Scale,
    weights: EstimateWeights,
    lines: Vec<B>,
    /// Every cell.
    all: B,
    /// The lines through each cell.
    through: Vec<L>,
    /// Hash words for marks of the attacker, marks of the defender, and empty cells on a line that a side can still
    /// complete.
    hashes: [Vec<Hashes<W>>; 3],
}

/// A position on a plain grid. `B` is the type of a set of cells, `L` the type of a set of lines. `W` is the number
/// of hashes: a multiple of the number of symmetries.
pub(crate) struct PlainGrid<B, L, const W: usize> {
    geometry: Geometry<B, L, W>,
    /// Marks of the attacker and of the defender.
    marks: [B; 2],
    attacks: bool,
    hashes: Hashes<W>,
    /// The lines that the attacker and the defender can still complete, for the current position and each position
    /// before it.
    plies: Vec<[LiveLines<L>; 2]>,
    ply: usize,
    live: PairingSearch<B, L>,
}

/// The threats of one side.
struct Threats<B> {
    /// The empty cells of the lines that the side can still complete.
    cells: B,
    /// Cells where a mark of this side completes a line.
    wins: B,
    /// Cells where a mark of this side makes a threat (a line that lacks one mark).
    makes: B,
    /// Cells where one mark of this side makes at least two threats (a fork).
    forks: B,
    /// Cells where a mark of the other side stops all forks.
    stops: B,
}

impl<B: Bits, L: Bits, const W: usize> PlainGrid<B, L, W> {
    /// A position in which `marks` are the cells of the attacker and of the defender. Neither side may have a
    /// complete line.
    pub(crate) fn new(spec: &GridSpec, marks: [&[usize]; 2], attacks: bool) -> Self {
        let geometry: Geometry<B, L, W> = Geometry::new(spec);
        let first = || LiveLines::new(&geometry.lines, &geometry.through, geometry.scale);
        let mut empty = PlainGrid {
            plies: vec![[first(), first()]],
            ply: 0,
            live: PairingSearch::new(&geometry.through, geometry.lines.len(), geometry.scale),
            geometry,
            marks: [B::NONE; 2],
            attacks,
            hashes: [0; W],
        };
        for (marks, is_attacker) in marks.into_iter().zip([true, false]) {
            for at in marks {
                empty.attacks = is_attacker;
                empty.play(Move::at(*at));
            }
        }
        empty.plies.swap(0, empty.ply);
        PlainGrid {
            ply: 0,
            attacks,
            ..empty
        }
    }

    /// The marks of the attacker and of the defender.
    pub(crate) fn marks(&self) -> [B; 2] {
        self.marks
    }

    /// Pairs of cells with which the defender prevents a win; `None` if no such pairs are found.
    pub(crate) fn pairs(&mut self) -> Option<Vec<(usize, usize)>> {
        self.is_held().then(|| self.live.pairs.clone())
    }

    fn is_held(&mut self) -> bool {
        self.fill();
        self.live.holds(self.attacks)
    }

    /// A move that completes a line, or that makes two threats while the other side cannot complete a line; `None` if
    /// there is no such move.
    pub(crate) fn wins_soon(&self) -> Option<Move> {
        let [mine, theirs] = self.threats();
        let (mine, theirs) = if self.attacks {
            (mine, theirs)
        } else {
            (theirs, mine)
        };
        let mut cells = if !mine.wins.is_none() {
            mine.wins
        } else if theirs.wins.is_none() {
            mine.forks
        } else {
            B::NONE
        };
        cells.pop().map(Move::at)
    }

    pub(crate) fn cells(&self) -> usize {
        self.geometry.through.len()
    }

    /// Whether counting without pairs shows that the attacker cannot win.
    pub(crate) fn is_counted_out(&mut self) -> bool {
        self.fill();
        self.live.is_obvious(self.attacks)
    }

    fn fill(&mut self) {
        let [attacker, _] = &self.plies[self.ply];
        self.live
            .fill(attacker, &self.geometry.lines, self.marks[0]);
    }

    /// The moves on lines that a side can still complete. Leaves out dominated moves, which are never better
    /// than another move.
    pub(crate) fn all_moves(&self) -> Vec<Move> {
        let [attacker, defender] = self.threats();
        let mut cells = attacker.cells.or(defender.cells);
        let all = cells;
        let mut found = Vec::new();
        while let Some(at) = cells.pop() {
            if !self.is_dominated(at, all) {
                found.push(Move::at(at));
            }
        }
        found
    }

    fn threats(&self) -> [Threats<B>; 2] {
        let [attacker, defender] = &self.plies[self.ply];
        [
            Threats::new(attacker, &self.geometry.lines, self.marks[0]),
            Threats::new(defender, &self.geometry.lines, self.marks[1]),
        ]
    }

    /// Whether another cell in `among` lies on every live line through `at`. If two cells lie on the same live lines,
    /// only the later cell is dominated.
    fn is_dominated(&self, at: usize, among: B) -> bool {
        let [attacker, defender] = &self.plies[self.ply];
        let alive = attacker.alive.or(defender.alive);
        let through = &self.geometry.through;
        let mine = through[at].and(alive);
        let Some(line) = mine.clone().pop() else {
            return false;
        };
        let mut others = self.geometry.lines[line].and(among).minus(B::one(at));
        while let Some(other) = others.pop() {
            if mine.minus(through[other]).is_none() {
                let theirs = through[other].and(alive);
                if other < at || !theirs.minus(mine).is_none() {
                    return true;
                }
            }
        }
        false
    }

    /// The moves to try: all cells that matter, or only the forced moves. Returns `Err` with the result if the position
    /// is decided without search.
    fn urgent(&self, [attacker, defender]: &[Threats<B>; 2]) -> Result<B, StaticResult> {
        let (mine, theirs) = if self.attacks {
            (attacker, defender)
        } else {
            (defender, attacker)
        };
        let (won, lost) = if self.attacks {
            (StaticResult::Proved, StaticResult::Refuted)
        } else {
            (StaticResult::Refuted, StaticResult::Proved)
        };
        if attacker.cells.is_none() {
            return Err(StaticResult::Refuted);
        }
        if !mine.wins.is_none() {
            return Err(won);
        }
        match theirs.wins.count() {
            0 => {}
            1 => return Ok(theirs.wins),
            _ => return Err(lost),
        }
        if !mine.forks.is_none() {
            return Err(won);
        }
        if theirs.forks.is_none() {
            return Ok(attacker.cells.or(defender.cells));
        }
        let cells = theirs.stops.or(mine.makes);
        if cells.is_none() {
            Err(lost)
        } else {
            Ok(cells)
        }
    }

    /// Estimates the proof and refutation numbers of the position after a move, from the weights of both sides'
    /// lines.
    fn estimate(&self, at: usize) -> Numbers {
        let [attacker, defender] = &self.plies[self.ply];
        let [mine, theirs] = [attacker.on[at], defender.on[at]].map(i64::from);
        let (sum, others) = (i64::from(attacker.sum), i64::from(defender.sum));
        let (sum, sign) = if self.attacks {
            (sum + mine, 1)
        } else {
            (sum - mine, -1)
        };
        let enough = i64::from(self.geometry.scale.complete_weight());
        if sum < if self.attacks { enough } else { enough / 2 } {
            return Numbers::REFUTED;
        }
        let by = &self.geometry.weights;
        let weight = by.mine * sum + sign * by.near * theirs - by.theirs * others;
        let likely = (weight.max(0) / enough).min(by.steps.into()) as u32;
        Numbers {
            proof: 1 + by.steps - likely,
            refutation: 1 + likely * if self.attacks { 1 } else { by.harder },
        }
    }

    fn least(hashes: &Hashes<W>) -> u64 {
        hashes.iter().fold(u64::MAX, |least, one| least.min(*one))
    }

    fn turn(attacks: bool) -> u64 {
        if attacks { 0 } else { 0xA5A5_1234_8765_4321 }
    }
}

/// A constant that makes wide keys differ from other keys.
const WIDE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Parameters of the estimated proof and refutation numbers.
struct EstimateWeights {
    /// `mine` is the factor for the weight of the attacker's lines, and `theirs` for the weight of the
    /// defender's lines. `near` is the factor for the weight of the defender's lines through the played cell.
    mine: i64,
    theirs: i64,
    near: i64,
    /// The proof number is estimated as a whole number from 1 to 1 + `steps`.
    steps: u32,
    /// The factor by which a position is harder to refute if the attacker is to move.
    harder: u32,
}

impl EstimateWeights {
    /// With these values, the solver needed the fewest positions for 5x5k4, 7x7k4 and 7x4k4.
    const DEFAULT: EstimateWeights = EstimateWeights {
        mine: 8,
        theirs: 6,
        near: 4,
        steps: 16,
        harder: 4,
    };

    /// The values for lines of five. Compared with `DEFAULT`, the solver searches 64 % of the positions for 7x7k5,
    /// 102 % for 8x6k5 and 70 % for 8x7k5 (`noughts solve 7x7k5 --json` and so on; 8x7k5 with two threads).
    const FIVE: EstimateWeights = EstimateWeights {
        mine: 9,
        theirs: 6,
        near: 0,
        steps: 48,
        harder: 1,
    };
}

impl<B: Bits, L: Bits, const W: usize> SearchPosition for PlainGrid<B, L, W> {
    fn attacks(&self) -> bool {
        self.attacks
    }

    fn key(&self) -> u64 {
        Self::least(&self.hashes) ^ Self::turn(self.attacks)
    }

    /// This key ignores the marks and empty cells through which no side can complete a line any more.
    fn wide_key(&self) -> u64 {
        let [attacker, defender] = &self.plies[self.ply];
        let taken = self.marks[0].or(self.marks[1]);
        let kinds = [
            (self.marks[0], attacker.alive),
            (self.marks[1], defender.alive),
            (
                self.geometry.all.minus(taken),
                attacker.alive.or(defender.alive),
            ),
        ];
        let mut hashes = [0; W];
        for ((mut cells, alive), table) in kinds.into_iter().zip(&self.geometry.hashes) {
            while let Some(at) = cells.pop() {
                if !self.geometry.through[at].and(alive).is_none() {
                    mix(&mut hashes, &table[at]);
                }
            }
        }
        Self::least(&hashes) ^ Self::turn(self.attacks) ^ WIDE
    }

    fn expand(&mut self, is_new: bool, moves: &mut Vec<Child>) -> StaticResult {
        let threats = self.threats();
        let candidates = match self.urgent(&threats) {
            Ok(cells) => cells,
            Err(seen) => return seen,
        };
        if self.plies[self.ply][0].is_held_by_counting(self.attacks) || is_new && self.is_held() {
            return StaticResult::Refuted;
        }
        let mut cells = candidates;
        while let Some(at) = cells.pop() {
            if self.is_dominated(at, candidates) {
                continue;
            }
            let numbers = self.estimate(at);
            if !self.attacks && numbers.refutation == 0 {
                return StaticResult::Refuted;
            }
            let mut hashes = self.hashes;
            mix(
                &mut hashes,
                &self.geometry.hashes[usize::from(!self.attacks)][at],
            );
            moves.push(Child {
                at: Move::at(at),
                key: Self::least(&hashes) ^ Self::turn(!self.attacks),
                numbers,
            });
        }
        debug_assert!(moves.iter().all(|child| child.numbers.proof <= NEVER));
        StaticResult::Open
    }

    fn play(&mut self, at: Move) {
        let at = at.index();
        let side = usize::from(!self.attacks);
        if self.plies.len() == self.ply + 1 {
            self.plies.push(self.plies[self.ply].clone());
        } else {
            let (before, after) = self.plies.split_at_mut(self.ply + 1);
            for (after, before) in after[0].iter_mut().zip(&before[self.ply]) {
                after.copy(before);
            }
        }
        self.ply += 1;
        let live = &mut self.plies[self.ply];
        let through = self.geometry.through[at];
        live[side].gain(at, through, &self.geometry.lines, self.marks[side]);
        live[1 - side].lose(at, through, &self.geometry.lines, self.marks[1 - side]);
        self.marks[side] = self.marks[side].or(B::one(at));
        mix(&mut self.hashes, &self.geometry.hashes[side][at]);
        self.attacks = !self.attacks;
    }

    fn take_back(&mut self, at: Move) {
        let at = at.index();
        self.attacks = !self.attacks;
        let side = usize::from(!self.attacks);
        self.ply -= 1;
        mix(&mut self.hashes, &self.geometry.hashes[side][at]);
        self.marks[side] = self.marks[side].minus(B::one(at));
    }
}

impl<B: Bits> Threats<B> {
    /// The threats of a side. `marks` has the side's marks.
    fn new<L: Bits>(live: &LiveLines<L>, lines: &[B], marks: B) -> Threats<B> {
        let empty = |line: usize| lines[line].minus(marks);
        let union = |mut lines: L| {
            let mut cells = B::NONE;
            while let Some(line) = lines.pop() {
                cells = cells.or(empty(line));
            }
            cells
        };
        let mut found = Threats {
            cells: B::NONE,
            wins: union(live.lack_one),
            makes: B::NONE,
            forks: B::NONE,
            stops: B::NONE,
        };
        for (at, weight) in live.on.iter().enumerate() {
            if *weight > 0 {
                found.cells = found.cells.or(B::one(at));
            }
        }
        let mut twice = B::NONE;
        let mut twos = live.lack_two;
        while let Some(line) = twos.pop() {
            twice = twice.or(found.makes.and(empty(line)));
            found.makes = found.makes.or(empty(line));
        }
        found.stops = found.makes;
        while let Some(at) = twice.pop() {
            let mut twos = live.lack_two;
            let mut cells = B::NONE;
            while let Some(line) = twos.pop() {
                if empty(line).has(at) {
                    cells = cells.or(empty(line));
                }
            }
            // A fork with two threats has three cells, and a mark on any of them stops the fork. With three or more
            // threats, only the forking cell itself stops the fork.
            match cells.count() {
                ..=2 => continue,
                3 => found.stops = found.stops.and(cells),
                _ => found.stops = found.stops.and(B::one(at)),
            }
            found.forks = found.forks.or(B::one(at));
        }
        found
    }
}

impl<B: Bits, L: Bits, const W: usize> Geometry<B, L, W> {
    fn new(spec: &GridSpec) -> Self {
        let symmetries = Symmetry::all(&Variant::Grid(*spec));
        let mut random = Random::new(0x7072_6F6F_6673);
        let table = |random: &mut Random| {
            let hash_words: Vec<u64> = (0..spec.cells()).map(|_| random.draw()).collect();
            let hashes = |at: usize| {
                std::array::from_fn(|number| {
                    hash_words[symmetries[number % symmetries.len()]
                        .map_move(Move::at(at))
                        .index()]
                })
            };
            (0..spec.cells()).map(hashes).collect()
        };
        let lines = lines(spec);
        let mut through = vec![L::NONE; spec.cells()];
        for (number, cells) in lines.iter().enumerate() {
            for at in cells {
                through[*at] = through[*at].or(L::one(number));
            }
        }
        let set = |cells: &Vec<usize>| cells.iter().fold(B::NONE, |set, at| set.or(B::one(*at)));
        Geometry {
            scale: Scale::new(spec.line()),
            weights: match spec.line() {
                5 => EstimateWeights::FIVE,
                _ => EstimateWeights::DEFAULT,
            },
            lines: lines.iter().map(set).collect(),
            all: (0..spec.cells()).fold(B::NONE, |set, at| set.or(B::one(at))),
            through,
            hashes: std::array::from_fn(|_| table(&mut random)),
        }
    }
}

/// The cells of every line of the board.
pub(crate) fn lines(spec: &GridSpec) -> Vec<Vec<usize>> {
    let (columns, rows, line) = (
        spec.columns() as isize,
        spec.rows() as isize,
        spec.line() as isize,
    );
    let mut found = Vec::new();
    for start in 0..columns * rows {
        let (row, column) = (start / columns, start % columns);
        for (right, down) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
            let (last_row, last_column) = (row + down * (line - 1), column + right * (line - 1));
            if last_row < rows && (0..columns).contains(&last_column) {
                let step = down * columns + right;
                found.push((0..line).map(|n| (start + n * step) as usize).collect());
            }
        }
    }
    found
}

#[inline(always)]
fn mix<const W: usize>(hashes: &mut Hashes<W>, with: &Hashes<W>) {
    for (hash, word) in hashes.iter_mut().zip(with) {
        *hash ^= word;
    }
}
