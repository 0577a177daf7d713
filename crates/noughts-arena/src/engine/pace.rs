//! How long this program may think, as its manager says.

use std::thread::available_parallelism;
use std::time::Duration;

/// How long it thinks about a move if nobody says anything.
const USUAL: Duration = Duration::from_secs(1);

/// Where it shall play as fast as it can.
const AT_ONCE: Duration = Duration::from_millis(10);

/// Of the time left for the whole game, a move takes this part as a rule, and that one in need. Many
/// replies are forced and take nothing, so it lasts for more moves than that.
const USUAL_SHARE: u32 = 16;
const LARGEST_SHARE: u32 = 5;

/// So many threads think at most, and no more than the machine runs at once.
const MOST_THREADS: usize = 64;

/// Of the memory it may take, this is for everything but what a search remembers: with nothing
/// remembered it took 15 MB, and 2 more for what two threads put on their stacks.
const OTHER_MEMORY: usize = 20_000_000;

/// No move takes longer than a day.
const LONGEST: Duration = Duration::from_secs(86_400);

/// What managers say to be left where nothing is counted.
const ENDLESS_MS: u64 = i32::MAX as u64;

/// How long a move may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Allowance {
    /// Never more than this.
    pub(super) most: Duration,
    /// As a rule this, where the whole game has a clock, so that what one move saves another has.
    pub(super) usual: Option<Duration>,
}

/// Limits in the words of the protocol; 0 means none, but for the turn, where it means at once.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    turn_ms: Option<u64>,
    match_ms: Option<u64>,
    left_ms: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u32>,
    threads: Option<usize>,
    memory: Option<usize>,
    has_heard_of_memory: bool,
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
            "thread_num" => {
                let cores = available_parallelism().map_or(1, usize::from);
                self.threads = limit.map(|number| cores.min(number as usize));
            }
            "max_memory" => {
                self.memory = limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
                self.has_heard_of_memory = true;
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

    /// Whether a manager spoke of time at all.
    pub(super) fn is_timed(&self) -> bool {
        self.turn_ms.is_some() || self.match_ms.is_some()
    }

    /// How many threads shall think.
    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or(1).min(MOST_THREADS)
    }

    /// Whether a manager spoke of memory, so that what may be taken is known before the first move.
    pub(super) fn has_heard_of_memory(&self) -> bool {
        self.has_heard_of_memory
    }

    /// How many bytes a search may take for what it remembers.
    pub(super) fn memory(&self) -> usize {
        let all = self.memory.unwrap_or(usize::MAX);
        all.saturating_sub(OTHER_MEMORY)
    }

    /// How long the next move may take, with something left for the way to the manager.
    pub(super) fn allowance(&self) -> Allowance {
        let turn = match self.turn_ms {
            Some(0) => AT_ONCE,
            Some(ms) => Duration::from_millis(ms).min(LONGEST),
            None if self.match_ms.is_some() => LONGEST,
            None => USUAL,
        };
        let left = match (self.match_ms, self.left_ms) {
            // Managers say a huge time left where the match has no limit.
            (None, Some(left)) if left >= ENDLESS_MS => None,
            (_, Some(left)) => Some(Duration::from_millis(left)),
            (Some(all), None) => Some(Duration::from_millis(all) / 2),
            (None, None) => None,
        };
        match left {
            None => Allowance {
                most: ahead_of(turn),
                usual: None,
            },
            Some(left) => Allowance {
                most: ahead_of(turn.min(left / LARGEST_SHARE)),
                usual: Some(ahead_of(turn.min(left / USUAL_SHARE))),
            },
        }
    }
}

/// What is left of this when the way to the manager is taken off.
fn ahead_of(whole: Duration) -> Duration {
    let whole = whole.max(Duration::from_millis(1));
    let spare = (whole / 10).clamp(Duration::from_millis(2), Duration::from_millis(50));
    whole.saturating_sub(spare).max(whole / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most and the usual time, in ms.
    fn allowance(limits: &[(&str, i64)]) -> (u128, Option<u128>) {
        let mut pace = Pace::default();
        for (key, value) in limits {
            assert!(pace.set(key, *value));
        }
        let allowance = pace.allowance();
        let usual = allowance.usual.map(|time| time.as_millis());
        (allowance.most.as_millis(), usual)
    }

    #[test]
    fn a_move_takes_less_than_its_time() {
        assert_eq!(allowance(&[]), (950, None));
        assert_eq!(allowance(&[("timeout_turn", 300)]), (270, None));
        assert_eq!(allowance(&[("timeout_turn", 30_000)]), (29_950, None));
        assert_eq!(allowance(&[("timeout_turn", 0)]), (8, None));
        let free = [
            ("timeout_turn", 300),
            ("timeout_match", 0),
            ("time_left", 2_147_483_647),
        ];
        assert_eq!(allowance(&free), (270, None));
        assert_eq!(allowance(&[("timeout_turn", i64::MAX)]).0, 86_399_950);
    }

    #[test]
    fn of_the_time_for_the_game_a_move_takes_a_part() {
        // A sixteenth of 160 s is 10 s, a fifth 32 s; a turn has 5 s.
        let game = [
            ("timeout_turn", 5_000),
            ("timeout_match", 180_000),
            ("time_left", 160_000),
        ];
        assert_eq!(allowance(&game), (4_950, Some(4_950)));
        // A sixteenth of 1.6 s is 100 ms, a fifth 320 ms; a tenth of each is spare.
        let late = [game[0], game[1], ("time_left", 1_600)];
        assert_eq!(allowance(&late), (288, Some(90)));
        let over = [game[0], game[1], ("time_left", 0)];
        assert_eq!(allowance(&over), (0, Some(0)));
        // Nobody says what is left: half of it, as it were in the middle of the game.
        let silent = [("timeout_match", 32_000)];
        assert_eq!(allowance(&silent), (3_150, Some(950)));
        // Nobody says how long a turn is.
        let alone = [("timeout_match", 32_000), ("time_left", 32_000)];
        assert_eq!(allowance(&alone), (6_350, Some(1_950)));
    }

    #[test]
    fn of_the_memory_some_is_for_other_things() {
        let memory = |bytes| {
            let mut pace = Pace::default();
            assert!(pace.set("max_memory", bytes));
            pace.memory()
        };
        assert_eq!(memory(83_886_080), 63_886_080);
        assert_eq!(memory(20_000_001), 1);
        assert_eq!(memory(1_000), 0);
        // No limit is more than anybody wants.
        for bytes in [0, -1, i64::MAX] {
            assert!(memory(bytes) > 1 << 40, "{bytes}");
        }
    }

    #[test]
    fn as_many_threads_as_are_wanted_and_can_run() {
        let threads = |number| {
            let mut pace = Pace::default();
            assert!(pace.set("thread_num", number));
            pace.threads()
        };
        assert_eq!(Pace::default().threads(), 1);
        for (number, least) in [(1, 1), (0, 1), (-5, 1), (2, 1), (i64::MAX, 1)] {
            let cores = available_parallelism().map_or(1, usize::from);
            assert!((least..=cores).contains(&threads(number)), "{number}");
        }
        assert_eq!(threads(1), 1);
    }
}
