//! Time limits of robots and analyses: per computation, and processor time per owner as a token bucket.

use std::time::Duration;

/// Maximum time for one computation.
pub(crate) const MAX_THINK: Duration = Duration::from_secs(5);

/// Maximum time for one computation of an owner whose budget is used up.
pub(super) const MIN_THINK: Duration = Duration::from_millis(50);

/// Maximum processor time in a bucket.
const CAPACITY: Duration = Duration::from_secs(20);

/// Seconds of wall-clock time that refill one second of processor time.
const REFILL_SECONDS: u32 = 2;

/// Maximum debt of an owner whose bucket is empty. The debt is paid after at most 10 s; then the bucket fills again.
const MAX_DEBT: Duration = Duration::from_secs(5);

/// A token bucket of processor time. A full bucket need not be stored, because a new bucket is full too.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Budget {
    /// When the bucket is full again.
    full_at: Duration,
}

impl Budget {
    /// Maximum time for the next computation.
    pub(super) fn limit(&self, now: Duration) -> Duration {
        self.remaining(now).clamp(MIN_THINK, MAX_THINK)
    }

    /// Processor time that is left.
    pub(super) fn remaining(&self, now: Duration) -> Duration {
        CAPACITY.saturating_sub(self.missing(now))
    }

    /// Takes used processor time from the bucket.
    pub(super) fn charge(&mut self, used: Duration, now: Duration) {
        let missing = (self.missing(now) + used).min(CAPACITY + MAX_DEBT);
        self.full_at = now + missing * REFILL_SECONDS;
    }

    pub(super) fn is_full(&self, now: Duration) -> bool {
        self.full_at <= now
    }

    fn missing(&self, now: Duration) -> Duration {
        self.full_at.saturating_sub(now) / REFILL_SECONDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn refills_half_a_second_per_second() {
        let mut budget = Budget::default();
        assert!(budget.is_full(Duration::ZERO));
        budget.charge(3 * SECOND, 100 * SECOND);
        assert_eq!(budget.remaining(100 * SECOND), 17 * SECOND);
        assert_eq!(budget.remaining(102 * SECOND), 18 * SECOND);
        assert!(!budget.is_full(105 * SECOND));
        assert!(budget.is_full(106 * SECOND));
        assert_eq!(budget.remaining(1_000 * SECOND), CAPACITY);
    }

    #[test]
    fn debt_is_bounded() {
        let mut budget = Budget::default();
        for _ in 0..1_000 {
            budget.charge(5 * SECOND, SECOND);
        }
        assert_eq!(budget.remaining(SECOND), Duration::ZERO);
        assert_eq!(budget.remaining(11 * SECOND), Duration::ZERO);
        assert_eq!(budget.remaining(13 * SECOND), SECOND);
    }
}
