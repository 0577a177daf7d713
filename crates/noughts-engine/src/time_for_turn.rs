//! How long a robot thinks in a game with a clock.

use std::time::Duration;

use noughts_rules::ClockSettings;

/// Maximum time for the first turn of a side. In this turn, the clock of the side does not run yet (except in
/// correspondence games), but the turn must be made within 30 s.
const MAX_FIRST_TURN: Duration = Duration::from_secs(15);

/// How long a robot thinks about a turn if its clock has the time `left`. With a Fischer clock, the time is a
/// thirtieth of `left` plus three quarters of the increment. With other clocks, the time is half of `left`.
/// The time never exceeds half of `left`, and in a first turn never exceeds 15 s. So the robot does not lose
/// on time.
///
/// ```
/// use std::time::Duration;
/// use noughts_engine::time_for_turn;
/// use noughts_rules::ClockSettings;
///
/// let three_minutes = ClockSettings::fischer(180, 2).unwrap();
/// let time = time_for_turn(three_minutes, Duration::from_secs(180), false);
/// assert_eq!(time, Duration::from_millis(6_000 + 1_500));
/// ```
pub fn time_for_turn(settings: ClockSettings, left: Duration, is_first_turn: bool) -> Duration {
    let planned = match settings {
        ClockSettings::Fischer { .. } => {
            left / 30 + Duration::from_millis(settings.increment_ms()) * 3 / 4
        }
        ClockSettings::PerMove { .. } | ClockSettings::Days { .. } => left / 2,
    };
    let maximum = match is_first_turn {
        true => MAX_FIRST_TURN.min(left / 2),
        false => left / 2,
    };
    planned.min(maximum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn half_of_the_time_is_always_kept() {
        let blitz = ClockSettings::fischer(10, 180).unwrap();
        for left in [Duration::ZERO, SECOND / 1_000, SECOND, 10 * SECOND] {
            assert!(time_for_turn(blitz, left, false) <= left / 2, "{left:?}");
        }
        let per_move = ClockSettings::per_move(1).unwrap();
        assert_eq!(time_for_turn(per_move, SECOND, false), SECOND / 2);
    }

    #[test]
    fn forty_turns_without_increment_leave_time() {
        let settings = ClockSettings::fischer(60, 0).unwrap();
        let mut left = 60 * SECOND;
        for _ in 0..40 {
            left -= time_for_turn(settings, left, false);
        }
        assert!(left > 10 * SECOND, "{left:?}");
    }

    #[test]
    fn first_turn_comes_in_time_even_with_a_long_clock() {
        let settings = ClockSettings::fischer(3 * 3_600, 180).unwrap();
        let left = 3 * 3_600 * SECOND;
        assert!(time_for_turn(settings, left, false) > 30 * SECOND);
        assert!(time_for_turn(settings, left, true) < 20 * SECOND);
    }
}
