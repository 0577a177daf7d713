//! A plain alpha-beta search for Connect Four on 7x6. Benchmarks compare its speed with the speed of the
//! solver. The search uses bit boards, null windows and a transposition table of upper bounds. It tries the
//! columns from the middle outwards, and skips moves that lose immediately.

const STRIDE: u32 = 7;
const BOTTOM: u64 = 0x0408_1020_4081;
const BOARD: u64 = BOTTOM * 0x3F;
const TABLE: usize = 1 << 20;

/// Solves positions of 7x6, with a transposition table of 16 MB.
pub struct PlainAlphaBeta {
    table: Vec<(u64, i8)>,
    /// Number of positions searched.
    pub nodes: u64,
}

impl Default for PlainAlphaBeta {
    fn default() -> PlainAlphaBeta {
        PlainAlphaBeta::new()
    }
}

impl PlainAlphaBeta {
    /// A solver with an empty table.
    pub fn new() -> PlainAlphaBeta {
        PlainAlphaBeta {
            table: vec![(0, 0); TABLE],
            nodes: 0,
        }
    }

    /// The score of the position after plays in `columns`, for the side to move. Columns are counted from 0.
    /// A win with the winner's last mark scores 1, and each mark that the winner has left adds 1. A loss has
    /// the negative score of the opponent's win, and a draw scores 0. The game must not be over.
    pub fn score(&mut self, columns: impl IntoIterator<Item = u8>) -> i32 {
        let (mine, mask) = marks(columns);
        let free = 42 - mask.count_ones() as i32;
        self.within(mine, mask, -free / 2, (free + 1) / 2)
    }

    /// The sign of the score of a position. `mine` has the marks of the side to move, and `mask` has the
    /// marks of both sides. Each column takes seven bits from the bottom up; the seventh bit is unused.
    pub fn sign(&mut self, mine: u64, mask: u64) -> i32 {
        self.within(mine, mask, -1, 1).signum()
    }

    fn within(&mut self, mine: u64, mask: u64, mut low: i32, mut high: i32) -> i32 {
        if completing(mine, mask) & playable(mask) != 0 {
            return (43 - mask.count_ones() as i32) / 2;
        }
        while low < high {
            let mut middle = low + (high - low) / 2;
            if middle <= 0 && low / 2 < middle {
                middle = low / 2;
            } else if middle >= 0 && high / 2 > middle {
                middle = high / 2;
            }
            let score = self.search(mine, mask, middle, middle + 1);
            if score <= middle {
                high = score;
            } else {
                low = score;
            }
        }
        low
    }

    /// The score of a position. A result that is not between `alpha` and `beta` is only a bound. The side to
    /// move must have no move that wins immediately.
    fn search(&mut self, mine: u64, mask: u64, mut alpha: i32, mut beta: i32) -> i32 {
        self.nodes += 1;
        let free = 42 - mask.count_ones() as i32;
        let threats = completing(mine ^ mask, mask);
        let forced = playable(mask) & threats;
        let moves = if forced == 0 { playable(mask) } else { forced };
        let moves = moves & !(threats >> 1);
        if moves == 0 || forced.count_ones() > 1 {
            return -free / 2;
        }
        if free <= 2 {
            return 0;
        }
        alpha = alpha.max(-(free - 2) / 2);
        beta = beta.min((free - 1) / 2);
        let (key, slot) = (mine + mask, (mine + mask) as usize % (TABLE - 3));
        if self.table[slot].0 == key {
            beta = beta.min(self.table[slot].1.into());
        }
        if alpha >= beta {
            return beta;
        }
        for column in [3, 2, 4, 1, 5, 0, 6] {
            let cell = moves & 0x3F << (STRIDE * column);
            if cell != 0 {
                let score = -self.search(mine ^ mask, mask | cell, -beta, -alpha);
                if score >= beta {
                    return score;
                }
                alpha = alpha.max(score);
            }
        }
        self.table[slot] = (key, alpha as i8);
        alpha
    }
}

/// The marks of the side to move, and the marks of both sides.
fn marks(columns: impl IntoIterator<Item = u8>) -> (u64, u64) {
    let (mut mine, mut mask) = (0, 0);
    for column in columns {
        mine ^= mask;
        mask |= mask + (1 << (STRIDE * u32::from(column)));
    }
    (mine, mask)
}

fn playable(mask: u64) -> u64 {
    (mask + BOTTOM) & BOARD
}

fn completing(marks: u64, mask: u64) -> u64 {
    let mut cells = marks << 1 & marks << 2 & marks << 3;
    for shift in [STRIDE - 1, STRIDE, STRIDE + 1] {
        let (above, below) = (
            marks << shift & marks << (2 * shift),
            marks >> shift & marks >> (2 * shift),
        );
        cells |= above & (marks << (3 * shift) | marks >> shift);
        cells |= below & (marks >> (3 * shift) | marks << shift);
    }
    cells & (BOARD ^ mask)
}
