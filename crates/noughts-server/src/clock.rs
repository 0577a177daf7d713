//! The clock behind every stored time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use noughts_engine::Clock;

/// The time since 1970: the process's clock, corrected by the clock of a shared store.
pub struct ServerClock {
    clock: Arc<dyn Clock>,
    /// Milliseconds since 1970 when `clock` stood at zero.
    origin_ms: AtomicU64,
}

impl ServerClock {
    /// Starts at the system's time and advances with `clock`.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> ServerClock {
        // A system clock before 1970 is wrong anyway.
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let origin = since_1970.unwrap_or_default().saturating_sub(clock.now());
        ServerClock {
            clock,
            origin_ms: AtomicU64::new(origin.as_millis() as u64),
        }
    }

    /// How long the process's clock has been running.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.origin_ms.load(Ordering::Relaxed) + self.clock.now().as_millis() as u64
    }

    /// Sets the clock to `now_ms`, the store's time.
    pub(crate) fn correct(&self, now_ms: u64) {
        let origin = now_ms.saturating_sub(self.clock.now().as_millis() as u64);
        self.origin_ms.store(origin, Ordering::Relaxed);
    }
}
