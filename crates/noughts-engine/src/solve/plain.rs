//! The plain game: two sides, any empty cell, who first makes a line wins.
//!
//! Here more is known than the rules say. A mark more never hurts its owner, so that a cell in no line
//! that anybody can still make is as good as none, and a cell all of whose lines go through another is no
//! better than that one. And lines can be counted: see `pairs`.

use noughts_rules::{Bits, GridSpec, Move, Symmetry, Variant};

use super::hunt::{Child, Field, NEVER, Numbers, Seen};
use super::pairs::{self, Live};
use crate::seed::Random;

/// A hash for each of so many ways to lay the board: the least of them is the key.
type Hashes<const W: usize> = [u64; W];

/// Where lines can be, and how positions are hashed.
struct Ground<B, const W: usize> {
    line: usize,
    lines: Vec<B>,
    /// For marks of the attacker, for those of the defender, and for cells that matter.
    hashes: [Vec<Hashes<W>>; 3],
}

/// A position of the plain game: `B` is a set of cells, `L` one of lines, and `W` counts the ways to lay
/// the board, or twice as many.
pub(crate) struct Plain<B, L, const W: usize> {
    ground: Ground<B, W>,
    attacker: B,
    defender: B,
    attacks: bool,
    hashes: Hashes<W>,
    /// For this position and each before it the lines that can still be made.
    plies: Vec<Ply<B>>,
    ply: usize,
    sight: Sight<B, L>,
}

#[derive(Clone)]
struct Ply<B> {
    attacker: Vec<B>,
    defender: Vec<B>,
}

/// What one look finds out, cell by cell; kept only to be filled anew.
struct Sight<B, L> {
    /// The cells of both sides' lines that all lines through a cell have in common.
    through: Vec<B>,
    /// What the lines of the attacker, and of the defender, through a cell weigh.
    weight: [Vec<u64>; 2],
    live: Live<B, L>,
}

/// What one side may soon complete.
struct Threats<B> {
    /// Empty cells of its lines.
    cells: B,
    /// Cells that complete a line.
    wins: B,
    /// Cells after which one would.
    makes: B,
    /// Cells after which two would, each with all that stops it.
    forks: B,
    /// What stops all forks: one of these, or a threat of one's own.
    stops: B,
    /// All its lines, each two to the number of its marks.
    sum: u64,
}

impl<B: Bits, L: Bits, const W: usize> Plain<B, L, W> {
    /// `marks` are the attacker's and the defender's, and nobody has a line.
    pub(crate) fn new(spec: &GridSpec, [attacker, defender]: [&[usize]; 2], attacks: bool) -> Self {
        let set = |cells: &[usize]| cells.iter().fold(B::NONE, |set, at| set.or(B::one(*at)));
        let ground: Ground<B, W> = Ground::new(spec);
        let cells = spec.cells();
        let mut hashes = [0; W];
        for (side, marks) in [attacker, defender].into_iter().enumerate() {
            for at in marks {
                mix(&mut hashes, &ground.hashes[side][*at]);
            }
        }
        let (attacker, defender) = (set(attacker), set(defender));
        let free_of = |marks: B| {
            let free = ground.lines.iter().filter(|line| line.and(marks).is_none());
            free.copied().collect()
        };
        Plain {
            plies: vec![Ply {
                attacker: free_of(defender),
                defender: free_of(attacker),
            }],
            ply: 0,
            sight: Sight {
                through: vec![B::NONE; cells],
                weight: [vec![0; cells], vec![0; cells]],
                live: Live::new(cells, ground.lines.len()),
            },
            ground,
            attacker,
            defender,
            attacks,
            hashes,
        }
    }

    /// The marks of the attacker and of the defender.
    pub(crate) fn marks(&self) -> [B; 2] {
        [self.attacker, self.defender]
    }

    /// A pairing that holds the defender's ground, if that was why a look refuted the position.
    pub(crate) fn pairs(&mut self) -> Option<Vec<(usize, usize)>> {
        let goal = self.goal();
        let live = &mut self.sight.live;
        let lines = &self.plies[self.ply].attacker;
        live.fill(lines, self.attacker, self.ground.line);
        pairs::hold(live, goal).then(|| live.pairs.clone())
    }

    /// What the attacker's lines must weigh less than, with the turn as it is, for counting alone to hold.
    fn goal(&self) -> u64 {
        let all = 1 << self.ground.line;
        if self.attacks { all / 2 } else { all }
    }

    /// A move of the side to move that wins by completing a line or by making two threats, if the other
    /// side has nothing to complete.
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

    /// How many cells the board has.
    pub(crate) fn cells(&self) -> usize {
        self.sight.through.len()
    }

    /// Whether the attacker's lines are too few, without any pairs.
    pub(crate) fn is_counted_out(&mut self) -> bool {
        let [attacker, defender] = self.threats();
        if attacker.sum < self.goal() {
            return true;
        }
        self.weigh(attacker.cells.or(defender.cells));
        let (mut cells, mut most) = (attacker.cells, 0);
        while let Some(at) = cells.pop() {
            most = most.max(self.sight.weight[0][at]);
        }
        self.attacks && attacker.sum + most < 1 << self.ground.line
    }

    /// All moves that are not as good as another one.
    pub(crate) fn all_moves(&mut self) -> Vec<Move> {
        let [attacker, defender] = self.threats();
        let mut cells = attacker.cells.or(defender.cells);
        self.weigh(cells);
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
        let ply = &self.plies[self.ply];
        let line = self.ground.line;
        [
            Threats::new(&ply.attacker, self.attacker, line),
            Threats::new(&ply.defender, self.defender, line),
        ]
    }

    /// Fills what is kept cell by cell, for these cells.
    fn weigh(&mut self, mut cells: B) {
        let sight = &mut self.sight;
        let all = cells;
        while let Some(at) = cells.pop() {
            sight.through[at] = all;
            sight.weight[0][at] = 0;
            sight.weight[1][at] = 0;
        }
        let ply = &self.plies[self.ply];
        let sides = [
            (&ply.attacker, self.attacker),
            (&ply.defender, self.defender),
        ];
        for (weights, (lines, marks)) in sight.weight.iter_mut().zip(sides) {
            for line in lines {
                let mut empty = line.minus(marks);
                let weight = 1 << (self.ground.line - empty.count());
                while let Some(at) = empty.pop() {
                    sight.through[at] = sight.through[at].and(*line);
                    weights[at] += weight;
                }
            }
        }
    }

    /// Whether all lines through a cell go through another one of these too: of two that are equal the
    /// later one is dominated.
    fn is_dominated(&self, at: usize, among: B) -> bool {
        let mut others = self.sight.through[at].and(among).minus(B::one(at));
        while let Some(other) = others.pop() {
            if other < at || !self.sight.through[other].has(at) {
                return true;
            }
        }
        false
    }

    /// What to try: everything, or what must be; `Err` when it is decided.
    fn urgent(&self, [attacker, defender]: &[Threats<B>; 2]) -> Result<B, Seen> {
        let (mine, theirs) = if self.attacks {
            (attacker, defender)
        } else {
            (defender, attacker)
        };
        let (won, lost) = if self.attacks {
            (Seen::Proved, Seen::Refuted)
        } else {
            (Seen::Refuted, Seen::Proved)
        };
        if attacker.cells.is_none() {
            return Err(Seen::Refuted);
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

    /// A first guess at a position's numbers, from what both sides' lines weigh there.
    fn guess(&self, at: usize, attacker: u64, defender: u64) -> Numbers {
        let line = self.ground.line;
        let [mine, theirs] = [self.sight.weight[0][at], self.sight.weight[1][at]];
        let (sum, sign) = if self.attacks {
            (attacker + mine, 1)
        } else {
            (attacker - mine, -1)
        };
        if sum
            < if self.attacks {
                1 << line
            } else {
                1 << (line - 1)
            }
        {
            return Numbers::REFUTED;
        }
        // The factors, and the steps, are what proved 5x5k4, 7x7k4 and 7x4k4 with the fewest positions.
        let weight = 8 * sum as i64 + sign * 4 * theirs as i64 - 6 * defender as i64;
        let likely = (weight.max(0) >> line).min(STEPS.into()) as u32;
        Numbers {
            proof: 1 + STEPS - likely,
            refutation: 1 + likely,
        }
    }

    fn least(hashes: &Hashes<W>) -> u64 {
        hashes.iter().fold(u64::MAX, |least, one| least.min(*one))
    }

    fn turn(attacks: bool) -> u64 {
        if attacks { 0 } else { 0xA5A5_1234_8765_4321 }
    }
}

/// How finely first guesses differ.
const STEPS: u32 = 16;

impl<B: Bits, L: Bits, const W: usize> Field for Plain<B, L, W> {
    fn attacks(&self) -> bool {
        self.attacks
    }

    fn key(&self) -> u64 {
        Self::least(&self.hashes) ^ Self::turn(self.attacks)
    }

    /// Marks in none of their side's lines only stand in the way, and what stands in the way is all one.
    fn wide_key(&self) -> u64 {
        let ply = &self.plies[self.ply];
        let all = |lines: &[B]| lines.iter().fold(B::NONE, |all, line| all.or(*line));
        let (attacker, defender) = (all(&ply.attacker), all(&ply.defender));
        let empty = attacker
            .or(defender)
            .minus(self.attacker)
            .minus(self.defender);
        let sets = [
            self.attacker.and(attacker),
            self.defender.and(defender),
            empty,
        ];
        let mut hashes = [0; W];
        for (mut set, table) in sets.into_iter().zip(&self.ground.hashes) {
            while let Some(at) = set.pop() {
                mix(&mut hashes, &table[at]);
            }
        }
        Self::least(&hashes).rotate_left(9) ^ Self::turn(self.attacks)
    }

    fn look(&mut self, is_new: bool, moves: &mut Vec<Child>) -> Seen {
        let threats = self.threats();
        let candidates = match self.urgent(&threats) {
            Ok(cells) => cells,
            Err(seen) => return seen,
        };
        let [attacker, defender] = &threats;
        if attacker.sum < self.goal() {
            return Seen::Refuted;
        }
        self.weigh(attacker.cells.or(defender.cells));
        if self.attacks {
            let (mut cells, mut most) = (candidates, 0);
            while let Some(at) = cells.pop() {
                most = most.max(self.sight.weight[0][at]);
            }
            if attacker.sum + most < 1 << self.ground.line {
                return Seen::Refuted;
            }
        }
        let goal = self.goal();
        // A bound on time: so many lines were never held.
        if is_new && attacker.sum < 8 * goal {
            let ply = &self.plies[self.ply];
            let live = &mut self.sight.live;
            live.fill(&ply.attacker, self.attacker, self.ground.line);
            if pairs::hold(live, goal) {
                return Seen::Refuted;
            }
        }
        let mut cells = candidates;
        while let Some(at) = cells.pop() {
            if self.is_dominated(at, candidates) {
                continue;
            }
            let numbers = self.guess(at, attacker.sum, defender.sum);
            if !self.attacks && numbers.refutation == 0 {
                return Seen::Refuted;
            }
            let mut hashes = self.hashes;
            mix(
                &mut hashes,
                &self.ground.hashes[usize::from(!self.attacks)][at],
            );
            moves.push(Child {
                at: Move::at(at),
                key: Self::least(&hashes) ^ Self::turn(!self.attacks),
                numbers,
            });
        }
        debug_assert!(moves.iter().all(|child| child.numbers.proof <= NEVER));
        Seen::Open
    }

    fn play(&mut self, at: Move) {
        let mark = B::one(at.index());
        if self.plies.len() == self.ply + 1 {
            self.plies.push(Ply {
                attacker: Vec::new(),
                defender: Vec::new(),
            });
        }
        let (before, after) = self.plies.split_at_mut(self.ply + 1);
        let (before, after) = (&before[self.ply], &mut after[0]);
        let (kept, from, cut, among) = if self.attacks {
            self.attacker = self.attacker.or(mark);
            (
                &mut after.attacker,
                &before.attacker,
                &mut after.defender,
                &before.defender,
            )
        } else {
            self.defender = self.defender.or(mark);
            (
                &mut after.defender,
                &before.defender,
                &mut after.attacker,
                &before.attacker,
            )
        };
        kept.clone_from(from);
        cut.clear();
        cut.extend(among.iter().filter(|line| line.and(mark).is_none()));
        self.ply += 1;
        mix(
            &mut self.hashes,
            &self.ground.hashes[usize::from(!self.attacks)][at.index()],
        );
        self.attacks = !self.attacks;
    }

    fn take_back(&mut self, at: Move) {
        let mark = B::one(at.index());
        self.attacks = !self.attacks;
        self.ply -= 1;
        mix(
            &mut self.hashes,
            &self.ground.hashes[usize::from(!self.attacks)][at.index()],
        );
        if self.attacks {
            self.attacker = self.attacker.minus(mark);
        } else {
            self.defender = self.defender.minus(mark);
        }
    }
}

impl<B: Bits> Threats<B> {
    /// What a side with these marks threatens, given the lines it can still make.
    fn new(lines: &[B], marks: B, line: usize) -> Threats<B> {
        let mut found = Threats {
            cells: B::NONE,
            wins: B::NONE,
            makes: B::NONE,
            forks: B::NONE,
            stops: B::NONE,
            sum: 0,
        };
        for cells in lines {
            let empty = cells.minus(marks);
            let count = empty.count();
            found.sum += 1 << (line - count);
            found.cells = found.cells.or(empty);
            match count {
                1 => found.wins = found.wins.or(empty),
                2 => found.makes = found.makes.or(empty),
                _ => {}
            }
        }
        if found.makes.count() > 2 {
            found.fork(lines, marks);
        }
        found
    }

    /// Cells that lie in lines with two different cells that would then complete them.
    fn fork(&mut self, lines: &[B], marks: B) {
        let lacks_two = |line: &&B| line.minus(marks).count() == 2;
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| lacks_two(line)) {
            let one = line.minus(marks);
            for other in lines[number + 1..].iter().filter(lacks_two) {
                let shared = one.and(other.minus(marks));
                if shared.count() == 1 {
                    self.forks = self.forks.or(shared);
                }
            }
        }
        self.stops = self.makes;
        let mut forks = self.forks;
        while let Some(at) = forks.pop() {
            let through = lines.iter().filter(lacks_two).map(|line| line.minus(marks));
            let through = through.filter(|empty| empty.has(at));
            let cells = through.fold(B::NONE, B::or);
            // Three threats are too many to take one of them away.
            let stops = if cells.count() == 3 {
                cells
            } else {
                B::one(at)
            };
            self.stops = self.stops.and(stops);
        }
    }
}

impl<B: Bits, const W: usize> Ground<B, W> {
    fn new(spec: &GridSpec) -> Ground<B, W> {
        let symmetries = Symmetry::all(&Variant::Grid(*spec));
        let mut random = Random::new(0x7072_6F6F_6673);
        let table = |random: &mut Random| {
            let words: Vec<u64> = (0..spec.cells()).map(|_| random.draw()).collect();
            let hashes = |at: usize| {
                std::array::from_fn(|way| {
                    words[symmetries[way % symmetries.len()]
                        .cell(Move::at(at))
                        .index()]
                })
            };
            (0..spec.cells()).map(hashes).collect()
        };
        Ground {
            line: spec.line(),
            lines: lines(spec)
                .into_iter()
                .map(|cells| {
                    cells
                        .into_iter()
                        .fold(B::NONE, |set, at| set.or(B::one(at)))
                })
                .collect(),
            hashes: std::array::from_fn(|_| table(&mut random)),
        }
    }
}

/// The cells of every line that the board has room for.
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
