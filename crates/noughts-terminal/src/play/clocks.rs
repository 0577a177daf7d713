//! The players' clocks.

use std::time::Duration;

use noughts_engine::time_for_turn;
use noughts_rules::{ClockSettings, Seat};

/// The clocks of a table at the time when the server sent the state of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// The settings: how much time the players have for the game or for each turn.
    pub settings: ClockSettings,
    /// The time that each seat has left.
    pub left: Vec<Duration>,
    /// The seat whose clock runs. `None` if no clock runs.
    pub running: Option<Seat>,
}

/// A player gets a warning when one of these times is left.
const WARNINGS: [Duration; 3] = [
    Duration::from_secs(60),
    Duration::from_secs(30),
    Duration::from_secs(10),
];

impl Clocks {
    /// The remaining time of a seat when the time `elapsed` has passed since the server sent the state.
    pub(super) fn left_after(&self, elapsed: Duration, seat: Seat) -> Option<Duration> {
        let left = *self.left.get(usize::from(seat.0))?;
        Some(match self.running == Some(seat) {
            true => left.saturating_sub(elapsed),
            false => left,
        })
    }

    /// How long a robot at this seat may think when the time `elapsed` has passed since the server sent the state.
    pub(super) fn time_for_robot(&self, elapsed: Duration, seat: Seat) -> Option<Duration> {
        let left = self.left_after(elapsed, seat)?;
        Some(time_for_turn(self.settings, left, self.running.is_none()))
    }

    /// The remaining time at which the first warning of the turn is due. `None` if the seat has at most 10 seconds
    /// left, which is the shortest warning time.
    pub(super) fn first_warning(&self, seat: Seat) -> Option<Duration> {
        let left = *self.left.get(usize::from(seat.0))?;
        next_warning(left)
    }
}

/// The longest warning time that is shorter than `left`. `None` if no warning time is shorter.
pub(super) fn next_warning(left: Duration) -> Option<Duration> {
    WARNINGS.into_iter().find(|warning| *warning < left)
}

/// Formats a time as `2:58`, `1:02:58` or `2 d 5 h`.
pub(super) fn format(left: Duration) -> String {
    const DAY: u64 = 24 * 3_600;
    let seconds = left.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    match seconds {
        DAY.. => format!("{} d {} h", seconds / DAY, hours % 24),
        3_600.. => format!("{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
        _ => format!("{minutes}:{:02}", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_like_clocks() {
        for (seconds, text) in [
            (0, "0:00"),
            (9, "0:09"),
            (178, "2:58"),
            (3_600, "1:00:00"),
            (3 * 86_400 - 1, "2 d 23 h"),
        ] {
            assert_eq!(format(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn only_the_running_clock_loses_time() {
        let seconds = Duration::from_secs;
        let clocks = Clocks {
            settings: ClockSettings::fischer(180, 2).unwrap(),
            left: vec![seconds(50), seconds(180)],
            running: Some(Seat(0)),
        };
        let after = |seat| clocks.left_after(seconds(45), Seat(seat));
        assert_eq!(after(0), Some(seconds(5)));
        assert_eq!(after(1), Some(seconds(180)));
        assert_eq!(after(2), None);
        assert_eq!(clocks.first_warning(Seat(0)), Some(seconds(30)));
        assert_eq!(clocks.first_warning(Seat(1)), Some(seconds(60)));
        assert_eq!(next_warning(seconds(10)), None);
    }
}
