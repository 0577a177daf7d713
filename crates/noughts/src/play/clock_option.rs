//! Clocks on the command line: `3+2`, `30s+5`, `30s` or `3d`.

use noughts_rules::{ClockError, ClockSettings, Quoted};

use crate::Failure;

/// Parses a clock:
/// - `3+2`: 3 minutes per player, and 2 seconds added per move,
/// - `30s+5`: 30 seconds per player, and 5 seconds added per move,
/// - `30s`: 30 seconds per move,
/// - `3d`: 3 days per move.
pub(super) fn parse(text: &str) -> Result<ClockSettings, Failure> {
    let unreadable = || {
        Failure::invalid(format_args!(
            "the clock (--clock) is 3+2 (3 minutes, and 2 seconds per move), 30s+5 (30 seconds, and 5 seconds per move), \
             30s (30 seconds per move) or 3d (3 days per move), not {}",
            Quoted::from(text)
        ))
    };
    let number = |digits: &str| digits.parse::<u32>().map_err(|_| unreadable());
    let clock = match text.split_once('+') {
        Some((base, increment)) => {
            let base = match base.strip_suffix('s') {
                Some(seconds) => number(seconds)?,
                None => number(base)?.saturating_mul(60),
            };
            ClockSettings::fischer(base, number(increment.trim_end_matches('s'))?)
        }
        None => match (text.strip_suffix('s'), text.strip_suffix('d')) {
            (Some(seconds), _) => ClockSettings::per_move(number(seconds)?),
            (None, Some(days)) => ClockSettings::days(number(days)?),
            (None, None) => return Err(unreadable()),
        },
    };
    clock.map_err(|error: ClockError| Failure::invalid(format_args!("{error} (--clock)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_written_as_players_write_them() {
        for (text, clock) in [
            ("3+2", "180+2"),
            ("10+0", "600+0"),
            ("30s+5", "30+5"),
            ("30s", "move 30"),
            ("3d", "days 3"),
        ] {
            let read = parse(text).ok().map(|clock| clock.to_string());
            assert_eq!(read.as_deref(), Some(clock), "{text}");
        }
        for text in [
            "",
            "3",
            "+",
            "3+",
            "x+1",
            "-1+0",
            "0s",
            "15d",
            "181+0",
            "3+200",
            "99999999999d",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
