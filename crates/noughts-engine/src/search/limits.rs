//! When a search stops.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use noughts_rules::Quoted;

use crate::registry::number;

const MAX_TIME_MS: u64 = 3_600_000;
/// Maximum node limit. A search of this many nodes takes about an hour, which is also the maximum time limit.
const MAX_NODES: u64 = 10_000_000_000;

/// When a search stops: at the first limit that it reaches. A search always finds a move, even if it reaches
/// a limit immediately.
///
/// A time or a node limit can be parsed from text:
///
/// ```
/// use std::time::Duration;
/// use noughts_engine::Limits;
///
/// let limits: Limits = "200ms".parse()?;
/// assert_eq!(limits.time, Some(Duration::from_millis(200)));
/// assert_eq!("500000n".parse::<Limits>()?.nodes, Some(500_000));
/// # Ok::<(), noughts_engine::LimitsError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Maximum depth in plies; `None` means no limit.
    pub depth: Option<u32>,
    /// Maximum number of searched positions; `None` means no limit.
    pub nodes: Option<u64>,
    /// Maximum time; `None` means no limit.
    pub time: Option<Duration>,
}

impl FromStr for Limits {
    type Err = LimitsError;

    /// Parses `200ms`, `2s` or `500000n`: at most an hour or 10 000 000 000 nodes.
    fn from_str(text: &str) -> Result<Limits, LimitsError> {
        parse(text).ok_or_else(|| LimitsError(Quoted::from(text)))
    }
}

fn parse(text: &str) -> Option<Limits> {
    let time = |ms| Limits {
        time: Some(Duration::from_millis(ms)),
        ..Limits::default()
    };
    if let Some(ms) = text.strip_suffix("ms") {
        return number(ms, 1..=MAX_TIME_MS).map(time);
    }
    if let Some(seconds) = text.strip_suffix('s') {
        return number(seconds, 1..=MAX_TIME_MS / 1000).map(|s| time(1000 * s));
    }
    let nodes = number(text.strip_suffix('n')?, 1..=MAX_NODES)?;
    Some(Limits {
        nodes: Some(nodes),
        ..Limits::default()
    })
}

/// A text that is neither a time limit nor a node limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitsError(Quoted);

impl fmt::Display for LimitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not a limit: write a time such as 200ms or 2s, or nodes such as 500000n",
            self.0
        )
    }
}

impl std::error::Error for LimitsError {}
