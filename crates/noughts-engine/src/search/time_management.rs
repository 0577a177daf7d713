//! Decides whether a search in a game with a clock stops before its time limit.

use std::time::Duration;

use noughts_rules::Move;

/// The search of one depth takes about this many times as long as the search of the previous depth. If the
/// next depth would probably not finish within the time for the turn, the search does not start it.
const GROWTH: u32 = 2;

/// If the best move has not changed for this number of depths, it is unlikely to change later. The search
/// then takes only half of the usual time.
const SETTLED: u32 = 4;

/// If the value falls by at least this number within two depths, the search may take longer than usual. The
/// number is about the value of a line that lacks two marks.
const FALL: i32 = 200;

/// The history of the completed depths.
#[derive(Default)]
pub(super) struct TimeManager {
    /// The time from the start of the search to the end of the latest depth.
    done: Duration,
    /// The best move, and the number of depths for which it has not changed.
    best: Option<Move>,
    same: u32,
    /// The values of the two latest depths. The values of odd and even depths differ, so each value is compared with
    /// the value two depths earlier.
    values: [Option<i32>; 2],
}

impl TimeManager {
    /// Whether the search should start another depth. The latest depth ended at `elapsed` and gave the move
    /// and the value in `found`. `usual` is the usual time per move.
    pub(super) fn should_search_deeper(
        &mut self,
        usual: Duration,
        elapsed: Duration,
        found: (Move, i32),
    ) -> bool {
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

    /// The depth that a search reaches with 100 ms per move. Each entry of `depths` has the end of a depth in ms, its
    /// best move and its value.
    fn goes_to(depths: &[(u64, usize, i32)]) -> usize {
        let mut time_manager = TimeManager::default();
        let usual = Duration::from_millis(100);
        let stops = depths.iter().position(|(ms, cell, value)| {
            let elapsed = Duration::from_millis(*ms);
            !time_manager.should_search_deeper(usual, elapsed, (Move::at(*cell), *value))
        });
        stops.map_or(usize::MAX, |index| index + 1)
    }

    #[test]
    fn unfinishable_depths_are_not_started() {
        // With 100 ms: 20 + 2 * 10 and 40 + 2 * 20 are within the limit, 80 + 2 * 40 is not.
        let even = [(10, 1, 0), (20, 1, 0), (40, 1, 0), (80, 1, 0)];
        assert_eq!(goes_to(&even), 4);
        assert_eq!(goes_to(&[(50, 1, 0), (101, 1, 0)]), 1);
    }

    #[test]
    fn stable_moves_are_played_sooner() {
        let same: Vec<_> = (1..=10).map(|depth| (6 * depth, 1, 0)).collect();
        // From the fifth depth on, only 50 ms are allowed, and 42 + 12 is more than 50.
        assert_eq!(goes_to(&same), 7);
        let changing: Vec<_> = (1..=10)
            .map(|depth| (6 * depth, depth as usize, 0))
            .collect();
        assert_eq!(goes_to(&changing), usize::MAX);
    }

    #[test]
    fn falling_values_take_longer() {
        let falling = [(20, 1, 50), (40, 1, 0), (100, 1, -300), (180, 1, -300)];
        // The third value is 350 below the first, so 400 ms are allowed. The fourth is 300 below the second.
        assert_eq!(goes_to(&falling), usize::MAX);
        let steady = [(20, 1, 50), (40, 1, 0), (100, 1, 0), (180, 1, 0)];
        assert_eq!(goes_to(&steady), 3);
        // A difference between odd and even depths is not a fall.
        let swinging = [(20, 1, 500), (40, 1, -500), (70, 1, 500), (90, 1, -500)];
        assert_eq!(goes_to(&swinging), 3);
    }
}
