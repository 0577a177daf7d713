//! The limits that a manager sets with `INFO`, and the time for the next move.

use std::thread::available_parallelism;
use std::time::Duration;

/// Time per move if the manager sets no time limit.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Time per move for `timeout_turn 0`, which means as fast as possible.
const SHORTEST_TIME: Duration = Duration::from_millis(10);

/// The target time of a move is the remaining time divided by this number. In practice, the remaining time is
/// enough for more than 16 moves, because many replies are forced and take almost no time.
const TARGET_SHARE: u32 = 16;
/// The maximum time of a move is the remaining time divided by this number.
const MAXIMUM_SHARE: u32 = 5;

/// Maximum number of search threads. The number of cores of the machine is another limit.
const MAX_THREADS: usize = 64;

/// Memory for everything except the transposition table, in bytes. A measurement gave 15 MB, plus 2 MB for
/// the stacks of two threads.
const OTHER_MEMORY: usize = 20_000_000;

/// Maximum time per move.
const MAX_TIME: Duration = Duration::from_secs(86_400);

/// The value of `time_left` that managers send if the whole game has no time limit.
const UNLIMITED_MS: u64 = i32::MAX as u64;

/// The time for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MoveTime {
    pub(super) maximum: Duration,
    /// How long the move should usually take. `None` if only single moves have a time limit.
    pub(super) target: Option<Duration>,
}

/// The limits that the manager has set. In the protocol 0 means unlimited, except for `timeout_turn` and `time_left`.
#[derive(Clone, Copy, Default)]
pub(super) struct SearchLimits {
    turn_ms: Option<u64>,
    match_ms: Option<u64>,
    left_ms: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u32>,
    threads: Option<usize>,
    memory: Option<usize>,
    has_memory_limit: bool,
}

impl SearchLimits {
    /// Sets a limit. Returns false if the key is not a limit.
    pub(super) fn set(&mut self, key: &str, value: i64) -> bool {
        let number = u64::try_from(value).ok();
        let limit = number.filter(|number| *number > 0);
        match key {
            "timeout_turn" => self.turn_ms = number,
            "timeout_match" => self.match_ms = limit,
            "time_left" => self.left_ms = number,
            "max_node" => self.nodes = limit,
            "max_depth" => self.depth = limit.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
            "thread_num" => {
                let cores = available_parallelism().map_or(1, usize::from);
                self.threads = limit.map(|number| cores.min(number as usize));
            }
            "max_memory" => {
                self.memory = limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
                self.has_memory_limit = true;
            }
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

    /// Whether the manager has set a time limit for a move or for the whole game.
    pub(super) fn is_timed(&self) -> bool {
        self.turn_ms.is_some() || self.match_ms.is_some()
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or(1).min(MAX_THREADS)
    }

    /// Whether the manager has sent `max_memory`.
    pub(super) fn has_memory_limit(&self) -> bool {
        self.has_memory_limit
    }

    /// The maximum size of the transposition table in bytes.
    pub(super) fn memory(&self) -> usize {
        let all = self.memory.unwrap_or(usize::MAX);
        all.saturating_sub(OTHER_MEMORY)
    }

    /// The time for the next move, minus a reserve for the transmission to the manager.
    pub(super) fn move_time(&self) -> MoveTime {
        let turn = match self.turn_ms {
            Some(0) => SHORTEST_TIME,
            Some(ms) => Duration::from_millis(ms).min(MAX_TIME),
            None if self.match_ms.is_some() => MAX_TIME,
            None => DEFAULT_TIME,
        };
        let left = match (self.match_ms, self.left_ms) {
            (None, Some(left)) if left >= UNLIMITED_MS => None,
            (_, Some(left)) => Some(Duration::from_millis(left)),
            (Some(all), None) => Some(Duration::from_millis(all) / 2),
            (None, None) => None,
        };
        match left {
            None => MoveTime {
                maximum: minus_reserve(turn),
                target: None,
            },
            Some(left) => MoveTime {
                maximum: minus_reserve(turn.min(left / MAXIMUM_SHARE)),
                target: Some(minus_reserve(turn.min(left / TARGET_SHARE))),
            },
        }
    }
}

fn minus_reserve(whole: Duration) -> Duration {
    let whole = whole.max(Duration::from_millis(1));
    let reserve = (whole / 10).clamp(Duration::from_millis(2), Duration::from_millis(50));
    whole.saturating_sub(reserve).max(whole / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the maximum and the target time in ms, after each of `pairs` was set as a limit.
    fn move_time(pairs: &[(&str, i64)]) -> (u128, Option<u128>) {
        let mut limits = SearchLimits::default();
        for (key, value) in pairs {
            assert!(limits.set(key, *value));
        }
        let time = limits.move_time();
        let target = time.target.map(|time| time.as_millis());
        (time.maximum.as_millis(), target)
    }

    #[test]
    fn move_time_is_below_the_limit() {
        assert_eq!(move_time(&[]), (950, None));
        assert_eq!(move_time(&[("timeout_turn", 300)]), (270, None));
        assert_eq!(move_time(&[("timeout_turn", 30_000)]), (29_950, None));
        assert_eq!(move_time(&[("timeout_turn", 0)]), (8, None));
        let free = [
            ("timeout_turn", 300),
            ("timeout_match", 0),
            ("time_left", 2_147_483_647),
        ];
        assert_eq!(move_time(&free), (270, None));
        assert_eq!(move_time(&[("timeout_turn", i64::MAX)]).0, 86_399_950);
    }

    #[test]
    fn move_takes_a_part_of_the_remaining_time() {
        // A sixteenth of 160 s is 10 s and a fifth is 32 s, but a turn may take only 5 s.
        let game = [
            ("timeout_turn", 5_000),
            ("timeout_match", 180_000),
            ("time_left", 160_000),
        ];
        assert_eq!(move_time(&game), (4_950, Some(4_950)));
        // A sixteenth of 1.6 s is 100 ms and a fifth is 320 ms. The reserve is a tenth of each.
        let late = [game[0], game[1], ("time_left", 1_600)];
        assert_eq!(move_time(&late), (288, Some(90)));
        let over = [game[0], game[1], ("time_left", 0)];
        assert_eq!(move_time(&over), (0, Some(0)));
        // Without `time_left`, half of the time is assumed to be left.
        let silent = [("timeout_match", 32_000)];
        assert_eq!(move_time(&silent), (3_150, Some(950)));
        // Without `timeout_turn`, only the remaining time limits a move.
        let alone = [("timeout_match", 32_000), ("time_left", 32_000)];
        assert_eq!(move_time(&alone), (6_350, Some(1_950)));
    }

    #[test]
    fn memory_is_reserved_for_other_things() {
        let memory = |bytes| {
            let mut limits = SearchLimits::default();
            assert!(limits.set("max_memory", bytes));
            limits.memory()
        };
        assert_eq!(memory(83_886_080), 63_886_080);
        assert_eq!(memory(20_000_001), 1);
        assert_eq!(memory(1_000), 0);
        for bytes in [0, -1, i64::MAX] {
            assert!(memory(bytes) > 1 << 40, "{bytes}");
        }
    }

    #[test]
    fn threads_are_limited_by_request_and_cores() {
        let threads = |number| {
            let mut limits = SearchLimits::default();
            assert!(limits.set("thread_num", number));
            limits.threads()
        };
        assert_eq!(SearchLimits::default().threads(), 1);
        for (number, least) in [(1, 1), (0, 1), (-5, 1), (2, 1), (i64::MAX, 1)] {
            let cores = available_parallelism().map_or(1, usize::from);
            assert!((least..=cores).contains(&threads(number)), "{number}");
        }
        assert_eq!(threads(1), 1);
    }
}
