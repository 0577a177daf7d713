//! How many may be in, and for how long they may say nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What a stranger may take up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// So many may be connected at once.
    pub connections: usize,
    /// So long may somebody whose turn it is say nothing.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 10_000,
            idle: Duration::from_secs(120),
        }
    }
}

/// So many more are told that there is no room, before the others are not even heard.
const TOLD: usize = 256;

/// Everybody who is in, at any door.
#[derive(Debug)]
pub(crate) struct Guests {
    limits: Limits,
    inside: AtomicUsize,
}

/// One who is in. Dropped, there is room for another.
#[derive(Debug)]
pub(crate) struct Admitted {
    guests: Arc<Guests>,
    /// There was no room: this one is only told so.
    pub(crate) full: bool,
}

impl Guests {
    pub(crate) fn new(limits: Limits) -> Guests {
        Guests {
            limits,
            inside: AtomicUsize::new(0),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many are in.
    pub(crate) fn inside(&self) -> usize {
        self.inside.load(Ordering::Relaxed)
    }

    /// Room for one more, or none at all.
    pub(crate) fn admit(self: &Arc<Guests>) -> Option<Admitted> {
        let inside = self.inside.fetch_add(1, Ordering::Relaxed);
        let admitted = Admitted {
            guests: Arc::clone(self),
            full: inside >= self.limits.connections,
        };
        (inside < self.limits.connections.saturating_add(TOLD)).then_some(admitted)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.guests.inside.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_more_are_told_and_who_leaves_makes_room() {
        let guests = Arc::new(Guests::new(Limits {
            connections: 2,
            ..Limits::default()
        }));
        let mut inside: Vec<Admitted> = std::iter::from_fn(|| guests.admit()).collect();
        assert_eq!(inside.len(), 2 + TOLD);
        assert_eq!(inside.iter().filter(|one| one.full).count(), TOLD);
        assert!(guests.admit().is_none());
        inside.truncate(1);
        assert!(guests.admit().is_some_and(|one| !one.full));
    }
}
