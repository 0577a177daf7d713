//! How long a search goes on where the time that it saves is its own: in a game with a clock.

use std::time::Duration;

use noughts_rules::Move;

/// A depth takes about so many times as long as the one before it. What could not be finished is
/// not begun.
const GROWTH: u32 = 2;

/// After so many depths with the same best move another is unlikely.
const SETTLED: u32 = 4;

/// Who stands worse by this than two plies before has something to find out: a line that lacks two
/// marks is worth as much.
const FALL: i32 = 200;

/// What the depths so far have shown.
#[derive(Default)]
pub(super) struct TimeManager {
    /// When the latest depth was done.
    done: Duration,
    /// The best move, and for how many depths it has been that.
    best: Option<Move>,
    same: u32,
    /// The values of the two latest depths, the latest last: whose move is the last makes more of a
    /// difference than one ply, so each is compared with the one before the one before it.
    values: [Option<i32>; 2],
}

impl TimeManager {
    /// Whether another depth is begun, after one that was done at `elapsed` and found this, where
    /// `usual` is what a move should take.
    pub(super) fn lasts(&mut self, usual: Duration, elapsed: Duration, found: (Move, i32)) -> bool {
        let (at, value) = found;
        let latest = elapsed.saturating_sub(self.done);
        let [before, last] = self.values;
        let has_fallen = before.is_some_and(|before| before - value >= FALL);
        let is_new = self.best.is_some_and(|best| best != at);
        self.same = if self.best == Some(at) {
            self.same + 1
        } else {
            0
        };
        self.best = Some(at);
        self.values = [last, Some(value)];
        self.done = elapsed;
        let budget = if has_fallen {
            4 * usual
        } else if is_new {
            usual + usual / 2
        } else if self.same >= SETTLED {
            usual / 2
        } else {
            usual
        };
        elapsed + GROWTH * latest <= budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to which depth it goes, if depths end at these times in ms with these moves and values and
    /// 100 ms are usual.
    fn goes_to(depths: &[(u64, usize, i32)]) -> usize {
        let mut time_manager = TimeManager::default();
        let usual = Duration::from_millis(100);
        let stops = depths.iter().position(|(ms, cell, value)| {
            let elapsed = Duration::from_millis(*ms);
            !time_manager.lasts(usual, elapsed, (Move::at(*cell), *value))
        });
        stops.map_or(usize::MAX, |index| index + 1)
    }

    #[test]
    fn a_depth_that_would_not_be_finished_is_not_begun() {
        // 20 + 2 * 10 are within 100, 40 + 2 * 20 too, 80 + 2 * 40 are not.
        let even = [(10, 1, 0), (20, 1, 0), (40, 1, 0), (80, 1, 0)];
        assert_eq!(goes_to(&even), 4);
        assert_eq!(goes_to(&[(50, 1, 0), (101, 1, 0)]), 1);
    }

    #[test]
    fn a_move_that_stays_best_is_played_sooner() {
        let same: Vec<_> = (1..=10).map(|depth| (6 * depth, 1, 0)).collect();
        // From the fifth depth on only 50 are left: 42 + 12 is more.
        assert_eq!(goes_to(&same), 7);
        let changing: Vec<_> = (1..=10)
            .map(|depth| (6 * depth, depth as usize, 0))
            .collect();
        assert_eq!(goes_to(&changing), usize::MAX);
    }

    #[test]
    fn who_falls_thinks_longer() {
        let falling = [(20, 1, 50), (40, 1, 0), (100, 1, -300), (180, 1, -300)];
        // The third is 350 worse than the first, so 400 are allowed; the fourth 300 than the second.
        assert_eq!(goes_to(&falling), usize::MAX);
        let steady = [(20, 1, 50), (40, 1, 0), (100, 1, 0), (180, 1, 0)];
        assert_eq!(goes_to(&steady), 3);
        // That odd and even depths differ is no fall.
        let swinging = [(20, 1, 500), (40, 1, -500), (70, 1, 500), (90, 1, -500)];
        assert_eq!(goes_to(&swinging), 3);
    }
}
