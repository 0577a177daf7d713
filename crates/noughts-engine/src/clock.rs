//! What time it is, from outside, so that tests wait for nothing.

use std::time::{Duration, Instant};

/// A clock that only goes forward.
pub trait Clock: Send + Sync {
    /// How long it has been going.
    fn now(&self) -> Duration;
}

/// The real one.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
