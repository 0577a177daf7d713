//! Parses durations on the command line.

use std::time::Duration;

use noughts_rules::Quoted;

use crate::Failure;

/// Parses `120`, `120s` or `500ms`. A number without a unit means seconds. The error message begins with
/// `what`.
pub(crate) fn parse(what: &str, text: &str) -> Result<Duration, Failure> {
    let (number, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1),
        (None, Some(number)) => (number, 1_000),
        (None, None) => (text, 1_000),
    };
    let amount = number.parse::<u64>().ok().filter(|amount| *amount > 0);
    let amount = amount.and_then(|amount| amount.checked_mul(unit));
    // At most a year, so that sums do not overflow.
    amount
        .filter(|amount| *amount <= 365 * 24 * 3_600 * 1_000)
        .map(Duration::from_millis)
        .ok_or_else(|| {
            Failure::invalid(format_args!(
                "{what} must be a time such as 120s or 500ms, up to a year, not {}",
                Quoted::from(text)
            ))
        })
}
