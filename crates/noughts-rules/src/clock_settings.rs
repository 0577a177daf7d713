//! How much time the players of a game have.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::notation::number;
use crate::quote::Quoted;

/// How much time each side of a game has. The constructors and the parser check that every value is in its allowed
/// range.
///
/// ```
/// use noughts_rules::ClockSettings;
///
/// let clock = ClockSettings::fischer(180, 2)?;
/// assert_eq!(clock.to_string(), "180+2");
/// assert_eq!("180+2".parse(), Ok(clock));
/// assert_eq!("move 30".parse(), ClockSettings::per_move(30));
/// assert_eq!("days 3".parse(), ClockSettings::days(3));
/// assert!(ClockSettings::fischer(5, 0).is_err());
/// # Ok::<(), noughts_rules::ClockError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockSettings {
    /// A time for the whole game. Each completed turn adds `increment_s`.
    #[non_exhaustive]
    Fischer {
        /// Time of each side at the start of the game, in seconds.
        base_s: u32,
        /// Seconds that a completed turn adds.
        increment_s: u32,
    },
    /// A time for each turn.
    #[non_exhaustive]
    PerMove {
        /// Seconds per turn.
        move_s: u32,
    },
    /// Correspondence: a time for each turn, in days.
    #[non_exhaustive]
    Days {
        /// Days per turn.
        days: u32,
    },
}

impl ClockSettings {
    /// Allowed values of `base_s`.
    pub const BASE_S: RangeInclusive<u32> = 10..=10_800;
    /// Allowed values of `increment_s`.
    pub const INCREMENT_S: RangeInclusive<u32> = 0..=180;
    /// Allowed values of `move_s`.
    pub const MOVE_S: RangeInclusive<u32> = 1..=3_600;
    /// Allowed values of `days`.
    pub const DAYS: RangeInclusive<u32> = 1..=14;

    /// A clock with `base_s` seconds per side for the whole game. Each completed turn adds `increment_s` seconds.
    pub fn fischer(base_s: u32, increment_s: u32) -> Result<ClockSettings, ClockError> {
        let base_s = within(base_s, &Self::BASE_S).ok_or(ClockError::Base)?;
        let increment_s = within(increment_s, &Self::INCREMENT_S).ok_or(ClockError::Increment)?;
        Ok(ClockSettings::Fischer {
            base_s,
            increment_s,
        })
    }

    /// A clock with `move_s` seconds for each turn.
    pub fn per_move(move_s: u32) -> Result<ClockSettings, ClockError> {
        let move_s = within(move_s, &Self::MOVE_S).ok_or(ClockError::Move)?;
        Ok(ClockSettings::PerMove { move_s })
    }

    /// A correspondence clock with `days` days for each turn.
    pub fn days(days: u32) -> Result<ClockSettings, ClockError> {
        let days = within(days, &Self::DAYS).ok_or(ClockError::Days)?;
        Ok(ClockSettings::Days { days })
    }

    /// The time of a side in milliseconds: at the start of the game (Fischer), or for each turn (other clocks).
    pub fn base_ms(self) -> u64 {
        let seconds = match self {
            ClockSettings::Fischer { base_s, .. } => base_s,
            ClockSettings::PerMove { move_s } => move_s,
            ClockSettings::Days { days } => days * 24 * 3_600,
        };
        u64::from(seconds) * 1_000
    }

    /// Milliseconds that a completed turn adds; 0 for a clock without an increment.
    pub fn increment_ms(self) -> u64 {
        match self {
            ClockSettings::Fischer { increment_s, .. } => u64::from(increment_s) * 1_000,
            ClockSettings::PerMove { .. } | ClockSettings::Days { .. } => 0,
        }
    }

    /// Whether this is a correspondence clock, with a number of days for each turn.
    pub fn is_correspondence(self) -> bool {
        matches!(self, ClockSettings::Days { .. })
    }
}

fn within(value: u32, range: &RangeInclusive<u32>) -> Option<u32> {
    range.contains(&value).then_some(value)
}

impl fmt::Display for ClockSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClockSettings::Fischer {
                base_s,
                increment_s,
            } => write!(f, "{base_s}+{increment_s}"),
            ClockSettings::PerMove { move_s } => write!(f, "move {move_s}"),
            ClockSettings::Days { days } => write!(f, "days {days}"),
        }
    }
}

impl FromStr for ClockSettings {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<ClockSettings, ClockError> {
        let unreadable = || ClockError::Unreadable(Quoted::from(text));
        let read = |digits: &str| {
            let value = number(digits).ok_or_else(unreadable)?;
            Ok(u32::try_from(value).unwrap_or(u32::MAX))
        };
        if let Some(seconds) = text.strip_prefix("move ") {
            return ClockSettings::per_move(read(seconds)?);
        }
        if let Some(days) = text.strip_prefix("days ") {
            return ClockSettings::days(read(days)?);
        }
        let (base, increment) = text.split_once('+').ok_or_else(unreadable)?;
        ClockSettings::fischer(read(base)?, read(increment)?)
    }
}

/// Why clock settings are refused. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClockError {
    /// The time at the start is out of range.
    Base,
    /// The time that a turn adds is out of range.
    Increment,
    /// The time per turn is out of range.
    Move,
    /// The number of days is out of range.
    Days,
    /// The text does not describe a clock.
    Unreadable(Quoted),
}

impl fmt::Display for ClockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, range) = match self {
            ClockError::Base => ("base is", ClockSettings::BASE_S),
            ClockError::Increment => ("increment is", ClockSettings::INCREMENT_S),
            ClockError::Move => ("time per move is", ClockSettings::MOVE_S),
            ClockError::Days => {
                let (min, max) = ClockSettings::DAYS.into_inner();
                return write!(f, "a correspondence clock has {min} to {max} days");
            }
            ClockError::Unreadable(text) => {
                return write!(
                    f,
                    "a clock is written '180+2', 'move 30' or 'days 3', not {text}"
                );
            }
        };
        let (min, max) = range.into_inner();
        write!(f, "a clock's {name} {min} to {max} seconds")
    }
}

impl std::error::Error for ClockError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_round_trip_within_their_bounds_only() {
        for text in [
            "10+0",
            "10800+180",
            "move 1",
            "move 3600",
            "days 1",
            "days 14",
        ] {
            let clock: ClockSettings = text.parse().unwrap();
            assert_eq!(clock.to_string(), text);
        }
        let refused = [
            ("9+0", ClockError::Base),
            ("10801+0", ClockError::Base),
            ("10+181", ClockError::Increment),
            ("4294967297+0", ClockError::Base),
            ("move 0", ClockError::Move),
            ("move 3601", ClockError::Move),
            ("days 0", ClockError::Days),
            ("days 15", ClockError::Days),
        ];
        for (text, error) in refused {
            assert_eq!(text.parse::<ClockSettings>(), Err(error), "{text}");
        }
        for text in [
            "", "180", "180+", "+2", "-1+0", "move", "move x", "days 1.5",
        ] {
            let read = text.parse::<ClockSettings>();
            assert!(matches!(read, Err(ClockError::Unreadable(_))), "{text}");
        }
    }
}
