//! Clocks, in requests, views and records.

use noughts_rules::{ClockError, ClockSettings};
use serde::{Deserialize, Serialize};

/// How much time the players have: `{"base":180,"increment":2}`, `{"move":30}` or `{"days":3}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", schema(example = json!({"base": 180, "increment": 2})))]
pub struct ClockForm {
    /// Seconds that each player has for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 10, maximum = 10_800))]
    pub base: Option<u32>,
    /// Seconds that a player gets after each play or rewind, but not after the player's first turn. 0 by
    /// default. Only with `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(maximum = 180))]
    pub increment: Option<u32>,
    /// Seconds for each turn.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 3_600))]
    pub per_move: Option<u32>,
    /// Days for each turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 14))]
    pub days: Option<u32>,
}

/// Why a [`ClockForm`] is not a valid clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClockFormError {
    /// The form does not have exactly the fields of one of the three kinds of clock.
    NotOne,
    /// A number is out of range.
    Range(ClockError),
}

impl TryFrom<ClockForm> for ClockSettings {
    type Error = ClockFormError;

    fn try_from(form: ClockForm) -> Result<ClockSettings, ClockFormError> {
        let clock = match (form.base, form.increment, form.per_move, form.days) {
            (Some(base), increment, None, None) => {
                ClockSettings::fischer(base, increment.unwrap_or(0))
            }
            (None, None, Some(seconds), None) => ClockSettings::per_move(seconds),
            (None, None, None, Some(days)) => ClockSettings::days(days),
            _ => return Err(ClockFormError::NotOne),
        };
        clock.map_err(ClockFormError::Range)
    }
}

impl From<ClockSettings> for ClockForm {
    fn from(clock: ClockSettings) -> ClockForm {
        let mut form = ClockForm::default();
        match clock {
            ClockSettings::Fischer {
                base_s,
                increment_s,
                ..
            } => (form.base, form.increment) = (Some(base_s), Some(increment_s)),
            ClockSettings::PerMove { move_s, .. } => form.per_move = Some(move_s),
            ClockSettings::Days { days, .. } => form.days = Some(days),
        }
        form
    }
}

impl std::fmt::Display for ClockFormError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClockFormError::NotOne => f.write_str(
                "a clock is one of {\"base\":180,\"increment\":2}, {\"move\":30} and {\"days\":3}",
            ),
            ClockFormError::Range(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ClockFormError {}

/// The clock of a table: its settings, and the time that is left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ClockView {
    /// Seconds that each player has for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub base: Option<u32>,
    /// Seconds that a player gets after each play or rewind, but not after the player's first turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub increment: Option<u32>,
    /// Seconds for each turn.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub per_move: Option<u32>,
    /// Days for each turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub days: Option<u32>,
    /// The remaining time of each seat, in milliseconds, when the view was made.
    pub left_ms: Vec<u64>,
    /// The seat whose clock runs; null if no clock runs.
    #[cfg_attr(feature = "openapi", schema(required, maximum = 63))]
    pub running: Option<u8>,
}

impl ClockView {
    /// Creates the view of a clock from its settings, the remaining time of each seat, and the seat whose clock runs.
    pub fn new(clock: ClockSettings, left_ms: Vec<u64>, running: Option<u8>) -> ClockView {
        let ClockForm {
            base,
            increment,
            per_move,
            days,
        } = clock.into();
        ClockView {
            base,
            increment,
            per_move,
            days,
            left_ms,
            running,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_has_one_of_three_forms() {
        for (json, text) in [
            (r#"{"base":180,"increment":2}"#, "180+2"),
            (r#"{"base":10,"increment":0}"#, "10+0"),
            (r#"{"move":30}"#, "move 30"),
            (r#"{"days":3}"#, "days 3"),
        ] {
            let form: ClockForm = serde_json::from_str(json).unwrap();
            let clock = ClockSettings::try_from(form).unwrap();
            assert_eq!(clock.to_string(), text);
            assert_eq!(
                serde_json::to_string(&ClockForm::from(clock)).unwrap(),
                json
            );
        }
        for json in [
            "{}",
            r#"{"increment":2}"#,
            r#"{"base":180,"move":30}"#,
            r#"{"move":30,"increment":2}"#,
            r#"{"base":9}"#,
            r#"{"base":180,"increment":181}"#,
            r#"{"move":0}"#,
            r#"{"days":15}"#,
        ] {
            let form: ClockForm = serde_json::from_str(json).unwrap();
            assert!(ClockSettings::try_from(form).is_err(), "{json}");
        }
    }
}
