//! Decides when to report that players are away. Short absences, such as the reload of a page, are not reported.

use std::time::Duration;

use noughts_rules::Seat;

/// An absence is reported after this time.
const AWAY_DELAY: Duration = Duration::from_secs(10);

/// The absent players.
#[derive(Default, Debug)]
pub(super) struct Presence {
    absent: Vec<Absence>,
    /// Players who came back after their absence was reported.
    back: Vec<Seat>,
}

#[derive(Debug)]
struct Absence {
    seat: Seat,
    since: Duration,
    is_told: bool,
}

impl Presence {
    /// Updates the absent players from the server's new list of absent seats.
    pub(super) fn update(&mut self, absent: &[Seat], now: Duration) {
        let (gone, back) = std::mem::take(&mut self.absent)
            .into_iter()
            .partition::<Vec<Absence>, _>(|known| absent.contains(&known.seat));
        self.absent = gone;
        let told = back.into_iter().filter(|known| known.is_told);
        self.back.extend(told.map(|known| known.seat));
        for seat in absent {
            if !self.absent.iter().any(|known| known.seat == *seat) {
                self.absent.push(Absence {
                    seat: *seat,
                    since: now,
                    is_told: false,
                });
            }
        }
    }

    /// Forgets the absences that were not reported yet, because the connection is lost.
    pub(super) fn forget_unreported(&mut self) {
        self.absent.retain(|known| known.is_told);
    }

    /// When the next notice is due. `None` if there is nothing to report, now or later.
    pub(super) fn next_notice_at(&self) -> Option<Duration> {
        match self.back.is_empty() {
            true => {
                let untold = self.absent.iter().filter(|known| !known.is_told);
                untold.map(|known| known.since + AWAY_DELAY).min()
            }
            false => Some(Duration::ZERO),
        }
    }

    /// Returns the seats to report now. The second value is `true` if the player is away, and `false` if the
    /// player came back. Each change is returned only once.
    pub(super) fn notices(&mut self, now: Duration) -> Vec<(Seat, bool)> {
        let mut notices: Vec<(Seat, bool)> = Vec::new();
        notices.extend(self.back.drain(..).map(|seat| (seat, false)));
        for known in &mut self.absent {
            if !known.is_told && known.since + AWAY_DELAY <= now {
                known.is_told = true;
                notices.push((known.seat, true));
            }
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_absences_are_not_told() {
        let seconds = Duration::from_secs;
        let mut presence = Presence::default();
        presence.update(&[Seat(1)], seconds(0));
        presence.update(&[Seat(1)], seconds(5));
        assert_eq!(presence.next_notice_at(), Some(seconds(10)));
        presence.update(&[], seconds(9));
        assert_eq!(presence.notices(seconds(20)), []);
        presence.update(&[Seat(1)], seconds(20));
        assert_eq!(presence.notices(seconds(29)), []);
        assert_eq!(presence.notices(seconds(30)), [(Seat(1), true)]);
        assert_eq!(presence.notices(seconds(40)), []);
        presence.update(&[], seconds(50));
        assert_eq!(presence.notices(seconds(50)), [(Seat(1), false)]);
        presence.update(&[Seat(1)], seconds(60));
        presence.forget_unreported();
        assert_eq!(presence.next_notice_at(), None);
    }
}
