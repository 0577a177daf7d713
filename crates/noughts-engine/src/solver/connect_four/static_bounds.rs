//! Bounds of the score that need no search.
//!
//! A side *follows* if it answers each mark of the other side with a mark directly above. Following works
//! only in columns with an even number of free cells. The free cells of such a column form pairs of a lower
//! and an upper cell. The follower gets the upper cells, and the other side gets only lower cells. The next
//! cell of a column with an odd number of free cells is an *odd cell*. The follower pairs odd cells of
//! different columns: if the other side takes one cell of a pair, the follower takes the other cell. Both
//! columns then have an even number of free cells.

use super::{ConnectFour, Marks};

impl ConnectFour {
    /// Bounds of the score of a position in which the side to move cannot win immediately. `threats` are the
    /// cells that complete a line of the opponent. The function skips a bound that cannot narrow the window.
    pub(super) fn static_bounds<const STRIDE: u32>(
        &self,
        marks: Marks,
        playable: u64,
        threats: u64,
        (alpha, beta): (i32, i32),
    ) -> (i32, i32) {
        let has_line = |marks: u64| self.geometry.has_line::<STRIDE>(marks);
        let (mine, theirs) = (marks.mine, marks.mine ^ marks.mask);
        let empty = self.geometry.cells ^ marks.mask;
        let (lower, upper) = (empty & self.geometry.lower, empty & !self.geometry.lower);
        let odd = playable & upper;
        let paired = upper & !odd;
        // The other side gets no mark above a cell on which the follower completes a line, because the game is then
        // over.
        let my_lower = lower & !self.geometry.above(threats & paired);
        let (mut low, mut high) = (i32::MIN, i32::MAX);
        if odd.count_ones().is_multiple_of(2) {
            // The opponent follows.
            if beta >= 0 && self.is_contained::<STRIDE>(mine | my_lower, odd) {
                high = if has_line(theirs | paired) { -1 } else { 0 };
            }
        } else {
            if alpha <= 0 {
                low = self.bound_of_following::<STRIDE>(mine, theirs, (lower, paired, odd));
            }
            if beta >= 0 && low < 0 {
                for cell in bits(odd) {
                    let column = self.geometry.column_of(cell);
                    let wins = threats & lower & column;
                    if wins == 0 {
                        continue;
                    }
                    // The opponent follows, and plays in this column only as an answer. When no other move is
                    // left, the side to move must play in this column, and the opponent completes a line
                    // there.
                    let below = (wins & wins.wrapping_neg()) - 1;
                    let reachable = my_lower & !column | upper & column & below;
                    if self.is_contained::<STRIDE>(mine | reachable, odd ^ cell) {
                        let above = (column & !below).count_ones() as i32 - 1;
                        high = high.min(-(above + 1) / 2);
                    }
                }
            }
        }
        if alpha < 0 && low < 0 && high >= 0 && !has_line(theirs | empty) {
            low = 0;
        }
        if beta > 0 && low <= 0 && high > 0 && !has_line(mine | empty) {
            high = 0;
        }
        (low, high)
    }

    /// A lower bound of the score. The side to move plays an odd cell, and follows from then on. The number of odd
    /// cells must be odd.
    fn bound_of_following<const STRIDE: u32>(
        &self,
        mine: u64,
        theirs: u64,
        (lower, paired, odd): (u64, u64, u64),
    ) -> i32 {
        let has_line = |marks: u64| self.geometry.has_line::<STRIDE>(marks);
        let wins = self.geometry.completing::<STRIDE>(mine, mine | theirs) & paired;
        let their_lower = lower & !self.geometry.above(wins);
        if has_line(theirs | their_lower) {
            return i32::MIN;
        }
        let mut low = i32::MIN;
        for cell in bits(odd) {
            if self.is_contained::<STRIDE>(theirs | their_lower, odd ^ cell) {
                if has_line(mine | cell | paired) {
                    return 1;
                }
                low = 0;
            }
        }
        low
    }

    /// Whether a side cannot get a line if it gets the cells `marks` and one cell of each pair of odd cells.
    /// The other side chooses the pairs.
    fn is_contained<const STRIDE: u32>(&self, marks: u64, odd: u64) -> bool {
        let has_line = |marks: u64| self.geometry.has_line::<STRIDE>(marks);
        if !has_line(marks | odd) {
            return true;
        }
        let mut cells = [0; 4];
        let count = odd.count_ones() as usize;
        if count > cells.len() {
            return false;
        }
        for (cell, bit) in cells.iter_mut().zip(bits(odd)) {
            *cell = bit;
        }
        let [a, b, c, d] = cells;
        match count {
            2 => !has_line(marks | a) && !has_line(marks | b),
            4 => {
                let is_safe = |one: u64, other: u64| !has_line(marks | one | other);
                let (ab, ac, ad) = (is_safe(a, b), is_safe(a, c), is_safe(a, d));
                let (bc, bd, cd) = (is_safe(b, c), is_safe(b, d), is_safe(c, d));
                ac && ad && bc && bd || ab && ad && bc && cd || ab && ac && bd && cd
            }
            _ => false,
        }
    }
}

/// The set bits of a word, each as a word with only this bit.
fn bits(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = word & word.wrapping_neg();
        word ^= bit;
        (bit != 0).then_some(bit)
    })
}
