//! Exact values of Connect Four: four in a line with gravity, on boards that fit 64 bits.
//!
//! Alpha-beta with null windows over the *score* of a position: 1 if the winner wins with its last stone, one more
//! for each stone earlier, negative for the loser, 0 for a draw. So the score gives both the value and the number of
//! plies to the end. See [`Score`].
//!
//! A column takes `rows + 1` bits, its lowest cell first. The extra bit separates the columns, and `mask + bottom` is
//! the set of cells on which the next stone of each column lands. The bits of 7x6:
//!
//! ```text
//!  6 13 20 27 34 41 48    extra bits
//!  5 12 19 26 33 40 47    top row
//!  .  .  .  .  .  .  .
//!  0  7 14 21 28 35 42    bottom row
//! ```

use noughts_rules::{Diagram, Goal, Move, Overline, Placement, Side, Variant};

use super::GameValue;
use crate::analysis::Value;

/// Bits of a board.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    columns: u32,
    rows: u32,
    /// The lowest cell of every column.
    bottom: u64,
    cells: u64,
    /// Every second row, chosen so that the number of cells from there to the top is even.
    even: u64,
}

impl Geometry {
    fn new(columns: u32, rows: u32) -> Geometry {
        let bottom = (0..columns).fold(0, |bits, column| bits | 1 << (column * (rows + 1)));
        let even = (0..rows).filter(|row| (rows - row).is_multiple_of(2));
        Geometry {
            columns,
            rows,
            bottom,
            cells: (0..rows).fold(0, |bits, row| bits | bottom << row),
            even: even.fold(0, |bits, row| bits | bottom << row),
        }
    }

    fn column(&self, column: u32) -> u64 {
        ((1 << self.rows) - 1) << (column * (self.rows + 1))
    }

    /// The cells on which the next stone of each column lands.
    fn playable(&self, mask: u64) -> u64 {
        // On a board of 64 bits the sum may overflow into no cell.
        mask.wrapping_add(self.bottom) & self.cells
    }

    fn mirrored(&self, bits: u64) -> u64 {
        let stride = self.rows + 1;
        let column = |column| bits >> (column * stride) & ((1 << stride) - 1);
        (0..self.columns).fold(0, |mirror, at| mirror << stride | column(at))
    }

    fn bit(&self, at: Move) -> u64 {
        let (row, column) = (
            at.index() as u32 / self.columns,
            at.index() as u32 % self.columns,
        );
        1 << (column * (self.rows + 1) + self.rows - 1 - row)
    }

    fn at(&self, bit: u64) -> Move {
        let (column, height) = (
            bit.trailing_zeros() / (self.rows + 1),
            bit.trailing_zeros() % (self.rows + 1),
        );
        Move::at(((self.rows - 1 - height) * self.columns + column) as usize)
    }
}

/// The stones on the board, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stones {
    /// Of the side to move.
    mine: u64,
    /// Of both sides.
    mask: u64,
}

impl Stones {
    fn after(self, cell: u64) -> Stones {
        Stones {
            mine: self.mine ^ self.mask,
            mask: self.mask | cell,
        }
    }
}

/// How soon a side wins or loses with best play of both; see the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Score(i32);

impl Score {
    /// The value with its distance, for a position with this many free cells.
    pub(crate) fn value(self, free: u32) -> Value {
        // The winner's last possible ply, and two plies less for each stone earlier.
        let win = |free: u32, score: i32| {
            let last = if free.is_multiple_of(2) {
                free - 1
            } else {
                free
            };
            last - 2 * (score.unsigned_abs() - 1)
        };
        match self.0 {
            0 => Value::Draw,
            1.. => Value::Win {
                plies: win(free, self.0),
            },
            ..0 => Value::Loss {
                plies: 1 + win(free - 1, self.0),
            },
        }
    }
}

/// Bounds of scores by position. The table grows with the search, because a small one stays in the processor's cache:
/// 500 positions with 15 to 27 stones took 1.2 s with 512 KB and 2.8 s with 64 MB.
struct Bounds {
    /// The low 56 bits of the mixed key above a bound. The high bits of the mixed key are the index.
    slots: Vec<u64>,
    bits: u32,
    max_bits: u32,
    /// Since the table grew or the search started: it grows only for a search that needs it.
    stores: u64,
}

const MIN_BITS: u32 = 16;

impl Bounds {
    fn new(bytes: usize) -> Bounds {
        Bounds {
            slots: vec![0; 1 << MIN_BITS],
            bits: MIN_BITS,
            max_bits: (bytes / 8).max(1).ilog2().max(MIN_BITS),
            stores: 0,
        }
    }

    /// Reversible, because the factor is odd: index and low bits together identify a key.
    fn mixed(key: u64) -> u64 {
        key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn get(&self, key: u64) -> u8 {
        let mixed = Bounds::mixed(key);
        let slot = self.slots[(mixed >> (64 - self.bits)) as usize];
        match slot >> 8 == mixed & (u64::MAX >> 8) {
            true => slot as u8,
            false => 0,
        }
    }

    fn put(&mut self, key: u64, bound: u8) {
        let mixed = Bounds::mixed(key);
        self.slots[(mixed >> (64 - self.bits)) as usize] = mixed << 8 | u64::from(bound);
        self.stores += 1;
        if self.stores > 2 << self.bits && self.bits < self.max_bits {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let bits = (self.bits + 2).min(self.max_bits);
        let mut slots = vec![0; 1 << bits];
        for (index, slot) in (0..).zip(&self.slots) {
            if *slot as u8 != 0 {
                let mixed: u64 = index << (64 - self.bits) | slot >> 8;
                slots[(mixed >> (64 - bits)) as usize] = *slot;
            }
        }
        (self.slots, self.bits, self.stores) = (slots, bits, 0);
    }
}

/// A solver for one board size, with a table that serves all positions on it.
pub(crate) struct ConnectFour {
    geometry: Geometry,
    /// The columns from the middle to the sides.
    columns: Vec<u64>,
    bounds: Bounds,
    nodes: u64,
    is_stopped: bool,
}

/// Called every 4 096 nodes with their number and the fill of the table per thousand. The search stops when it returns
/// true.
pub(crate) type ShouldStop<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// A solved position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Solved {
    pub(crate) value: GameValue,
    /// Plies to the end, if they were asked for.
    pub(crate) distance: Option<u32>,
    /// Best play, as far as it was found within [`LINE_NODES`]; empty only on a full board.
    pub(crate) line: Vec<Move>,
}

/// Maximum number of nodes for the best line after the first move.
const LINE_NODES: u64 = 200_000;

/// A search stopped before it had a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stopped;

/// Number of nodes between two calls of [`ShouldStop`].
const NODES_PER_CHECK: u64 = 4_096;

/// Offset of an upper bound in the table, so that 0 means no bound.
const UPPER: i32 = 34;
/// Offset of a lower bound.
const LOWER: i32 = 3 * UPPER;

/// Minimum number of free cells from which the bounds of all children are looked up before one is searched.
const MIN_FREE_FOR_LOOKUP: u32 = 13;
/// Minimum number of free cells from which a position and its mirror image share an entry.
const MIN_FREE_FOR_MIRROR: u32 = 24;

impl ConnectFour {
    /// Whether this solver can solve the game.
    pub(crate) fn fits(variant: &Variant) -> bool {
        let Variant::Grid(spec) = variant else {
            return false;
        };
        spec.sides() == 2
            && spec.line() == 4
            && spec.goal == Goal::Make
            && spec.placement == Placement::Gravity
            && spec.overline == Overline::Counts
            && spec.columns() * (spec.rows() + 1) <= 64
    }

    /// `None` where it does not [fit](ConnectFour::fits). The table takes at most this many bytes.
    pub(crate) fn new(variant: &Variant, bytes: usize) -> Option<ConnectFour> {
        let Variant::Grid(spec) = variant else {
            return None;
        };
        if !ConnectFour::fits(variant) {
            return None;
        }
        let geometry = Geometry::new(spec.columns() as u32, spec.rows() as u32);
        let mut columns: Vec<u32> = (0..geometry.columns).collect();
        columns.sort_by_key(|column| (2 * column + 1).abs_diff(geometry.columns));
        Some(ConnectFour {
            columns: columns.iter().map(|at| geometry.column(*at)).collect(),
            geometry,
            bounds: Bounds::new(bytes),
            nodes: 0,
            is_stopped: false,
        })
    }

    /// The position as bits. It must be a position of this board, see [`Diagram::check`].
    pub(crate) fn stones(&self, diagram: &Diagram) -> Stones {
        let bits = |side: Option<Side>| {
            let marks = diagram.marks.iter().enumerate();
            let cells =
                marks.filter(|(_, mark)| mark.is_some() && (side.is_none() || **mark == side));
            cells.fold(0, |bits, (cell, _)| {
                bits | self.geometry.bit(Move::at(cell))
            })
        };
        Stones {
            mine: bits(Some(diagram.to_move)),
            mask: bits(None),
        }
    }

    pub(crate) fn free(&self, stones: Stones) -> u32 {
        (self.geometry.cells ^ stones.mask).count_ones()
    }

    /// Positions searched so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// How much of the table's largest size is allocated, per thousand.
    pub(crate) fn fill(&self) -> u64 {
        1000 >> (self.bounds.max_bits - self.bounds.bits)
    }

    /// The legal moves and the positions after them, from the middle column to the sides.
    pub(crate) fn children(&self, stones: Stones) -> Vec<(Move, Stones)> {
        let playable = self.geometry.playable(stones.mask);
        let cells = self.columns.iter().map(|column| playable & column);
        cells
            .filter(|cell| *cell != 0)
            .map(|cell| (self.geometry.at(cell), stones.after(cell)))
            .collect()
    }

    /// Whether the side that has just moved has a line.
    pub(crate) fn is_won(&self, stones: Stones) -> bool {
        self.has_line::<0>(stones.mine ^ stones.mask)
    }

    /// Solves a position without a line; `None` if it was stopped.
    pub(crate) fn solve(
        &mut self,
        stones: Stones,
        is_exact: bool,
        stop: ShouldStop<'_>,
    ) -> Option<Solved> {
        let score = match is_exact {
            true => self.score(stones, stop),
            false => self.sign(stones, stop).map(Score),
        };
        let score = score.ok()?;
        let free = self.free(stones);
        let distance = is_exact.then(|| match score.value(free) {
            Value::Win { plies } | Value::Loss { plies } => plies,
            Value::Draw | Value::Estimate(_) => free,
        });
        let value = match score.0 {
            0 => GameValue::Draw,
            1.. => GameValue::Win,
            ..0 => GameValue::Loss,
        };
        let line = self.line(stones, score, is_exact, stop);
        Some(Solved {
            value,
            distance,
            line,
        })
    }

    /// Best play from a position with this score, or with a score of this sign.
    fn line(
        &mut self,
        mut stones: Stones,
        mut score: Score,
        is_exact: bool,
        stop: ShouldStop<'_>,
    ) -> Vec<Move> {
        let (mut line, mut limit) = (Vec::new(), u64::MAX);
        while !self.is_won(stones) {
            let mut should_stop = |nodes: u64, fill: u64| nodes > limit || stop(nodes, fill);
            let Some((at, child)) = self.best(stones, score, is_exact, &mut should_stop) else {
                break;
            };
            line.push(at);
            stones = child;
            score = Score(-score.0);
            limit = limit.min(self.nodes + LINE_NODES);
        }
        line
    }

    /// A move that keeps the score; `None` if it was stopped.
    fn best(
        &mut self,
        stones: Stones,
        score: Score,
        is_exact: bool,
        stop: ShouldStop<'_>,
    ) -> Option<(Move, Stones)> {
        let children = self.children(stones);
        let wins = children.iter().find(|(_, child)| self.is_won(*child));
        if let Some(win) = wins {
            return Some(*win);
        }
        if !is_exact && score.0 < 0 {
            // Every move loses. This one does not lose at once, if there is one.
            let loses_at_once = |child: Stones| {
                let completing = self.completing::<0>(child.mine, child.mask);
                completing & self.geometry.playable(child.mask) != 0
            };
            let late = children.iter().find(|(_, child)| !loses_at_once(*child));
            return late.or(children.first()).copied();
        }
        for (at, child) in &children {
            // The score of the child, from the opponent's view, may be at most this.
            let is_best = match self.reaches(*child, Score(1 - score.0), stop) {
                Ok(reaches) => !reaches,
                Err(Stopped) => return None,
            };
            if is_best {
                return Some((*at, *child));
            }
        }
        None
    }

    /// The exact score of a position without a line.
    pub(crate) fn score(&mut self, stones: Stones, stop: ShouldStop<'_>) -> Result<Score, Stopped> {
        let (low, high) = self.range(stones);
        self.within(stones, low, high, stop).map(Score)
    }

    /// -1, 0 or 1, which takes less time than the exact score.
    pub(crate) fn sign(&mut self, stones: Stones, stop: ShouldStop<'_>) -> Result<i32, Stopped> {
        let (low, high) = self.range(stones);
        // Early wins and losses are frequent, and searching for them first is cheap: 1 100 instead of 17 900 nodes
        // for positions that are decided soon, 17 400 instead of 17 000 for others.
        let (early_loss, early_win) = (low * 3 / 5, high * 3 / 5);
        if early_win > 1 && self.within(stones, early_win, early_win + 1, stop)? > early_win {
            return Ok(1);
        }
        if early_loss < -1 && self.within(stones, early_loss - 1, early_loss, stop)? < early_loss {
            return Ok(-1);
        }
        self.within(stones, -1, 1, stop)
    }

    /// Whether the score is at least this.
    pub(crate) fn reaches(
        &mut self,
        stones: Stones,
        score: Score,
        stop: ShouldStop<'_>,
    ) -> Result<bool, Stopped> {
        Ok(self.within(stones, score.0 - 1, score.0, stop)? >= score.0)
    }

    /// The lowest and the highest possible score.
    fn range(&self, stones: Stones) -> (i32, i32) {
        let free = self.free(stones) as i32;
        (-(free / 2), (free + 1) / 2)
    }

    /// The score, or the nearer bound where it is outside.
    fn within(
        &mut self,
        stones: Stones,
        low: i32,
        high: i32,
        stop: ShouldStop<'_>,
    ) -> Result<i32, Stopped> {
        self.is_stopped = false;
        self.bounds.stores = 0;
        // Constant shifts save a fifth of the time, so the usual height has code of its own.
        match self.geometry.rows {
            6 => self.narrow::<7>(stones, low, high, stop),
            _ => self.narrow::<0>(stones, low, high, stop),
        }
    }

    fn narrow<const STRIDE: u32>(
        &mut self,
        stones: Stones,
        mut low: i32,
        mut high: i32,
        stop: ShouldStop<'_>,
    ) -> Result<i32, Stopped> {
        let free = self.free(stones);
        let completing = self.completing::<STRIDE>(stones.mine, stones.mask);
        if completing & self.geometry.playable(stones.mask) != 0 {
            return Ok(((free as i32 + 1) / 2).clamp(low, high));
        }
        while low < high {
            // Extreme scores are excluded faster than those near 0.
            let middle = match low + (high - low) / 2 {
                middle if middle <= 0 => middle.min(low / 2),
                middle => middle.max(high / 2),
            };
            let score = self.search::<STRIDE>(stones, free, (middle, middle + 1), stop);
            if self.is_stopped {
                return Err(Stopped);
            }
            match score <= middle {
                true => high = score.max(low),
                false => low = score.min(high),
            }
        }
        Ok(low)
    }

    /// A bound of the score of a position in which the side to move cannot win at once: exact between alpha and beta.
    fn search<const STRIDE: u32>(
        &mut self,
        stones: Stones,
        free: u32,
        (mut alpha, mut beta): (i32, i32),
        stop: ShouldStop<'_>,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_CHECK) {
            self.is_stopped |= stop(self.nodes, self.fill());
        }
        let theirs = stones.mine ^ stones.mask;
        let playable = self.geometry.playable(stones.mask);
        let threats = self.completing::<STRIDE>(theirs, stones.mask);
        let forced = playable & threats;
        let moves = if forced == 0 { playable } else { forced };
        // A stone below a threat lets the opponent win.
        let moves = moves & !(threats >> 1);
        let cells = free as i32;
        if moves == 0 || !forced.is_power_of_two() && forced != 0 {
            return -(cells / 2);
        }
        // The opponent cannot win with its next stone, and the side to move cannot win with this one.
        alpha = alpha.max(-((cells - 2) / 2));
        beta = beta.min((cells - 1) / 2);
        let empty = self.geometry.cells ^ stones.mask;
        if beta > 0 && !self.has_line::<STRIDE>(stones.mine | self.reachable(playable, empty)) {
            beta = 0;
        }
        if alpha < 0 && !self.has_line::<STRIDE>(theirs | empty) {
            alpha = 0;
        }
        if alpha >= beta {
            return if alpha < 0 { alpha } else { beta };
        }
        let key = self.key(stones, free);
        match i32::from(self.bounds.get(key)) {
            0 => {}
            bound if bound > 2 * UPPER => alpha = alpha.max(bound - LOWER),
            bound => beta = beta.min(bound - UPPER),
        }
        if alpha >= beta {
            return alpha.max(beta);
        }
        let (moves, count) = self.ordered::<STRIDE>(stones, moves);
        let moves = &moves[..count];
        if free >= MIN_FREE_FOR_LOOKUP && count > 1 {
            for cell in moves {
                let bound = i32::from(self.bounds.get(self.key(stones.after(*cell), free - 1)));
                if (1..=2 * UPPER).contains(&bound) && UPPER - bound >= beta {
                    return UPPER - bound;
                }
            }
        }
        for cell in moves {
            let window = (-beta, -alpha);
            let score = -self.search::<STRIDE>(stones.after(*cell), free - 1, window, stop);
            if self.is_stopped {
                return 0;
            }
            if score >= beta {
                self.bounds.put(key, (score + LOWER) as u8);
                return score;
            }
            alpha = alpha.max(score);
        }
        self.bounds.put(key, (alpha + UPPER) as u8);
        alpha
    }

    /// The empty cells that the side to move may still get.
    fn reachable(&self, playable: u64, empty: u64) -> u64 {
        match playable & !self.geometry.even {
            // Every column has an even number of free cells. The opponent can always play above the last stone, so the
            // side to move gets only the lower cell of each pair.
            0 => empty & self.geometry.even,
            _ => empty,
        }
    }

    /// The moves, those that make the most threats first.
    fn ordered<const STRIDE: u32>(&self, stones: Stones, moves: u64) -> ([u64; 16], usize) {
        let (mut cells, mut threats, mut count) = ([0; 16], [0; 16], 0);
        for column in &self.columns {
            let cell = moves & column;
            if cell == 0 {
                continue;
            }
            let made = self
                .completing::<STRIDE>(stones.mine | cell, stones.mask)
                .count_ones();
            let mut at = count;
            while at > 0 && threats[at - 1] < made {
                (cells[at], threats[at]) = (cells[at - 1], threats[at - 1]);
                at -= 1;
            }
            (cells[at], threats[at]) = (cell, made);
            count += 1;
        }
        (cells, count)
    }

    /// Different for each position: the sum sets a bit above the highest stone of each column, and the stones of the
    /// side to move below it.
    fn key(&self, stones: Stones, free: u32) -> u64 {
        let key = |stones: Stones| {
            stones
                .mine
                .wrapping_add(stones.mask)
                .wrapping_add(self.geometry.bottom)
        };
        if free < MIN_FREE_FOR_MIRROR {
            return key(stones);
        }
        let mirror = Stones {
            mine: self.geometry.mirrored(stones.mine),
            mask: self.geometry.mirrored(stones.mask),
        };
        key(stones).min(key(mirror))
    }

    fn shifts<const STRIDE: u32>(&self) -> [u32; 3] {
        let stride = if STRIDE == 0 {
            self.geometry.rows + 1
        } else {
            STRIDE
        };
        [stride - 1, stride, stride + 1]
    }

    fn has_line<const STRIDE: u32>(&self, stones: u64) -> bool {
        let has_line = |shift: u32| {
            let pairs = stones & stones >> shift;
            pairs & pairs >> (2 * shift) != 0
        };
        has_line(1) || self.shifts::<STRIDE>().into_iter().any(has_line)
    }

    /// Empty cells that complete a line.
    fn completing<const STRIDE: u32>(&self, stones: u64, mask: u64) -> u64 {
        let mut cells = stones << 1 & stones << 2 & stones << 3;
        for shift in self.shifts::<STRIDE>() {
            let above = stones << shift & stones << (2 * shift);
            let below = stones >> shift & stones >> (2 * shift);
            // Three times the stride of a tall board exceeds a word.
            cells |= above & (stones.unbounded_shl(3 * shift) | stones >> shift);
            cells |= below & (stones.unbounded_shr(3 * shift) | stones << shift);
        }
        cells & (self.geometry.cells ^ mask)
    }
}
