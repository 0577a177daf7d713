//! How long this program may think, as its manager says.

use std::time::Duration;

/// How long it thinks about a move if nobody says anything.
const USUAL: Duration = Duration::from_secs(1);

/// Where it shall play as fast as it can.
const AT_ONCE: Duration = Duration::from_millis(10);

/// Of the time left for the whole game, one move has at most this part.
const MOVES_LEFT: u32 = 16;

/// Limits in the words of the protocol; 0 means none, but for the turn, where it means at once.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    turn_ms: Option<u64>,
    match_ms: Option<u64>,
    left_ms: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u32>,
}

impl Pace {
    /// Takes an `INFO` that is a limit; whether it was one.
    pub(super) fn set(&mut self, key: &str, value: i64) -> bool {
        let number = u64::try_from(value).ok();
        let limit = number.filter(|number| *number > 0);
        match key {
            "timeout_turn" => self.turn_ms = number,
            "timeout_match" => self.match_ms = limit,
            "time_left" => self.left_ms = number,
            "max_node" => self.nodes = limit,
            "max_depth" => self.depth = limit.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
            _ => return false,
        }
        true
    }

    pub(super) fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    pub(super) fn depth(&self) -> Option<u32> {
        self.depth
    }

    /// Whether a manager spoke of time at all.
    pub(super) fn is_timed(&self) -> bool {
        self.turn_ms.is_some() || self.match_ms.is_some()
    }

    /// How long the next move may take, with something left for the way to the manager.
    pub(super) fn allowance(&self) -> Duration {
        let turn = match self.turn_ms {
            Some(0) => AT_ONCE,
            Some(ms) => Duration::from_millis(ms),
            None if self.match_ms.is_some() => Duration::MAX,
            None => USUAL,
        };
        // Managers say a huge time left where the match has no limit.
        let game = match (self.match_ms, self.left_ms) {
            (Some(_), Some(left)) | (None, Some(left)) => Duration::from_millis(left) / MOVES_LEFT,
            (Some(all), None) => Duration::from_millis(all) / (2 * MOVES_LEFT),
            (None, None) => Duration::MAX,
        };
        let whole = turn.min(game).max(Duration::from_millis(1));
        let spare = (whole / 10).clamp(Duration::from_millis(2), Duration::from_millis(50));
        whole.saturating_sub(spare).max(whole / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(limits: &[(&str, i64)]) -> u128 {
        let mut pace = Pace::default();
        for (key, value) in limits {
            assert!(pace.set(key, *value));
        }
        pace.allowance().as_millis()
    }

    #[test]
    fn a_move_takes_less_than_its_time_and_a_part_of_what_is_left() {
        assert_eq!(allowance(&[]), 950);
        assert_eq!(allowance(&[("timeout_turn", 300)]), 270);
        assert_eq!(allowance(&[("timeout_turn", 30_000)]), 29_950);
        assert_eq!(allowance(&[("timeout_turn", 0)]), 8);
        let game = [("timeout_turn", 5_000), ("timeout_match", 180_000)];
        assert_eq!(allowance(&game), 4_950);
        let late = [game[0], game[1], ("time_left", 1_600)];
        assert_eq!(allowance(&late), 90);
        let over = [game[0], game[1], ("time_left", 0)];
        assert!(allowance(&over) <= 1);
        let free = [
            ("timeout_turn", 300),
            ("timeout_match", 0),
            ("time_left", 2_147_483_647),
        ];
        assert_eq!(allowance(&free), 270);
    }
}
