//! The server's clock. All stored times come from this clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use noughts_engine::Clock;
use tokio::time::sleep;

/// Maximum time by which [`ServerClock`] advances after a sweep, if the store has a clock. The next sweep
/// corrects the time. So the error stays small if the clock of the process jumps. The time also counts as
/// fresh for this long after a sweep; see [`ServerClock::fresh_ms`].
const MAX_AHEAD: Duration = Duration::from_secs(3);

/// Interval between checks whether the first sweep has succeeded.
const FIRST_SWEEP_POLL: Duration = Duration::from_millis(5);

/// The time since 1970: the clock of the process, corrected by the clock of a shared store.
#[derive(Clone)]
pub struct ServerClock {
    clock: Arc<dyn Clock>,
    reading: Arc<Mutex<Reading>>,
}

/// A time (`ms`), and what the process's clock showed at that time (`at`).
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Duration,
    ms: u64,
    /// Whether the store's clock has corrected the time.
    is_from_store: bool,
    /// The time of the latest successful sweep; see [`ServerClock::certain_ms`].
    certain_ms: u64,
    /// The server's time counts as fresh until the process's clock shows this value; `None` before the first
    /// sweep.
    fresh_until: Option<Duration>,
}

impl Reading {
    /// The time in milliseconds since 1970 when the process's clock shows `now`.
    fn ms_at(&self, now: Duration) -> u64 {
        let passed = now.saturating_sub(self.at);
        let passed = match self.is_from_store {
            true => passed.min(MAX_AHEAD),
            false => passed,
        };
        self.ms + passed.as_millis() as u64
    }
}

impl ServerClock {
    /// Starts at the system's time and advances with `clock`.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> ServerClock {
        // If the system clock is before 1970, it is wrong; use 0.
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let reading = Reading {
            at: clock.now(),
            ms: since_1970.unwrap_or_default().as_millis() as u64,
            is_from_store: false,
            certain_ms: 0,
            fresh_until: None,
        };
        ServerClock {
            clock,
            reading: Arc::new(Mutex::new(reading)),
        }
    }

    /// What the process's clock shows: the time since a fixed moment.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        let reading = *self.reading();
        reading.ms_at(self.clock.now())
    }

    /// The time of the latest successful sweep, in milliseconds since 1970; 0 before the first sweep. This
    /// time has certainly passed, and this node knows all outages before this time. The time of a seat has
    /// certainly run out only if its deadline is before `certain_ms`.
    pub fn certain_ms(&self) -> u64 {
        self.reading().certain_ms
    }

    /// Milliseconds since 1970; `None` if no sweep succeeded in the last three seconds. In that case there may be an
    /// outage that this node does not know yet.
    pub(crate) fn fresh_ms(&self) -> Option<u64> {
        let reading = *self.reading();
        let now = self.clock.now();
        (now <= reading.fresh_until?).then(|| reading.ms_at(now))
    }

    /// Waits for the first successful sweep. Before that sweep, the server has only the time of the process, which may
    /// be wrong.
    pub(crate) async fn first_sweep(&self) {
        while self.reading().fresh_until.is_none() {
            sleep(FIRST_SWEEP_POLL).await;
        }
    }

    /// Records a successful sweep that lasted for `took`. If the store has a clock, `store_ms` is the store's
    /// time and corrects this clock. The store read its clock at some moment during the sweep. So the correct
    /// time is at least `store_ms` and at most `store_ms` plus `took`. If this clock shows a time in this
    /// interval, nothing changes. Otherwise this clock is set to the nearer end of the interval. If this
    /// clock were always set to `store_ms`, it would often go back. Then a turn could get a time that is
    /// before its arrival.
    pub(crate) fn correct(&self, store_ms: Option<u64>, took: Duration) {
        let now_ms = self.now_ms();
        let mut reading = self.reading();
        if let Some(ms) = store_ms {
            let latest_ms = ms + took.as_millis() as u64;
            (reading.at, reading.ms) = (self.clock.now(), now_ms.clamp(ms, latest_ms));
            reading.is_from_store = true;
        }
        reading.certain_ms = store_ms.unwrap_or(now_ms);
        reading.fresh_until = Some(self.clock.now() + MAX_AHEAD);
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Injected(Mutex<Duration>);

    impl Injected {
        fn set(&self, seconds: u64) {
            *self.0.lock().unwrap() = Duration::from_secs(seconds);
        }
    }

    impl Clock for Injected {
        fn now(&self) -> Duration {
            *self.0.lock().unwrap()
        }
    }

    #[test]
    fn the_time_of_the_store_decides_when_the_clock_of_the_process_jumps() {
        let injected = Arc::new(Injected::default());
        let clock = ServerClock::new(Arc::clone(&injected) as Arc<dyn Clock>);
        injected.set(10_000);
        clock.correct(Some(5_000_000), Duration::ZERO);
        injected.set(10_001);
        assert_eq!((clock.now_ms(), clock.certain_ms()), (5_001_000, 5_000_000));
        for jump in [13_600, 6_400] {
            injected.set(jump);
            let now_ms = clock.now_ms();
            assert!((5_000_000..=5_003_000).contains(&now_ms), "{now_ms}");
            assert_eq!(clock.certain_ms(), 5_000_000);
        }
        clock.correct(Some(5_002_000), Duration::ZERO);
        injected.set(6_401);
        assert_eq!(clock.now_ms(), 5_003_000);
    }

    #[test]
    fn slow_sweep_does_not_set_the_clock_back() {
        let injected = Arc::new(Injected::default());
        let clock = ServerClock::new(Arc::clone(&injected) as Arc<dyn Clock>);
        injected.set(100);
        clock.correct(Some(5_000_000), Duration::ZERO);
        // The store read its clock at 5 000 100, and its reply took almost two seconds.
        injected.set(102);
        clock.correct(Some(5_000_100), Duration::from_secs(2));
        assert_eq!((clock.now_ms(), clock.certain_ms()), (5_002_000, 5_000_100));
        // If the clock of the process has jumped, a sweep corrects only the part of the error that is
        // certain.
        injected.set(105);
        clock.correct(Some(5_001_000), Duration::from_secs(1));
        assert_eq!(clock.now_ms(), 5_002_000);
        injected.set(106);
        clock.correct(Some(5_010_000), Duration::from_secs(1));
        assert_eq!(clock.now_ms(), 5_010_000);
    }

    #[test]
    fn without_a_shared_store_the_process_tells_the_time() {
        let injected = Arc::new(Injected::default());
        let clock = ServerClock::new(Arc::clone(&injected) as Arc<dyn Clock>);
        let before = clock.now_ms();
        injected.set(3_600);
        assert_eq!(clock.now_ms() - before, 3_600_000);
        assert_eq!(clock.certain_ms(), 0);
        clock.correct(None, Duration::ZERO);
        assert_eq!(clock.certain_ms(), clock.now_ms());
    }
}
