//! A clock that stops a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts_engine::{Clock, Stop};

/// A clock that sets the stop when it is read for the third time.
pub(crate) struct StoppingClock {
    stop: Stop,
    reads: AtomicU64,
}

impl StoppingClock {
    pub(crate) fn new(stop: &Stop) -> Arc<StoppingClock> {
        Arc::new(StoppingClock {
            stop: stop.clone(),
            reads: AtomicU64::new(0),
        })
    }
}

impl Clock for StoppingClock {
    fn now(&self) -> Duration {
        if self.reads.fetch_add(1, Ordering::Relaxed) == 2 {
            self.stop.set();
        }
        Duration::ZERO
    }
}
