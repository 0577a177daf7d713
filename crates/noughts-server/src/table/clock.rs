//! The clocks of a table: how much time each seat has, and when this time runs out.

use noughts_rules::{Action, ClockSettings, Seat, Termination, Turn};

use super::{Decision, EndReason, Entry, SeatSet, Table, TableRefusal};

/// Maximum time for the first turn of a seat, in milliseconds. Correspondence games do not have this limit:
/// there the first turn has as much time as any other turn.
pub const FIRST_TURN_MS: u64 = 30_000;

/// The clocks of all seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Clock {
    settings: ClockSettings,
    /// The milliseconds that each seat had left when the current turn began, or when the game ended.
    left_ms: Vec<u64>,
    /// When the current turn began, in milliseconds since 1970. `None` until all seats are taken, and when the game is
    /// over. To give a turn more time after an outage, this value is increased.
    since_ms: Option<u64>,
    /// The seats that have completed a play or a rewind.
    moved: SeatSet,
    everybody: SeatSet,
    /// The end of the latest outage for which time was added, in milliseconds since 1970; 0 if there is none.
    outages_until_ms: u64,
}

/// The clocks as a client sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockView {
    /// How much time the clocks give for the game or for each turn.
    pub settings: ClockSettings,
    /// The milliseconds that each seat has left. Except in correspondence games, the first turn of a seat
    /// takes nothing from its time.
    pub left_ms: Vec<u64>,
    /// The seat whose time is running. `None` before all seats are taken and when the game is over. Also `None` during
    /// the first turn of a seat, except in correspondence games.
    pub running: Option<Seat>,
    /// The time until which the seat to move must complete its turn, in milliseconds since 1970. `None` before all
    /// seats are taken and when the game is over.
    pub deadline_ms: Option<u64>,
}

/// A period in which no node could store anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outage {
    /// The last time before the outage at which something was stored, in milliseconds since 1970.
    pub from_ms: u64,
    /// The first time after the outage at which something was stored, in milliseconds since 1970.
    pub until_ms: u64,
}

impl Clock {
    /// Clocks that start at `since_ms`. With `None` they start when all seats are taken.
    pub(super) fn new(settings: ClockSettings, seats: usize, since_ms: Option<u64>) -> Clock {
        Clock {
            left_ms: vec![settings.base_ms(); seats],
            settings,
            since_ms,
            moved: SeatSet::EMPTY,
            everybody: (0..seats).map(|seat| Seat(seat as u8)).collect(),
            outages_until_ms: 0,
        }
    }

    /// Starts the first turn at `at_ms`, unless it has already begun.
    pub(super) fn start(&mut self, at_ms: u64) {
        self.since_ms.get_or_insert(at_ms);
    }

    /// Whether the current turn of `seat` takes time from its clock. The first turn of a seat takes time from the clock
    /// only in correspondence games.
    fn is_charged(&self, seat: Seat) -> bool {
        self.moved.contains(seat) || self.settings.is_correspondence()
    }

    /// Milliseconds that the current turn of `seat` may take.
    fn allowed_ms(&self, seat: Seat) -> u64 {
        match self.is_charged(seat) {
            true => self.left_ms.get(usize::from(seat.0)).copied().unwrap_or(0),
            false => FIRST_TURN_MS,
        }
    }

    fn elapsed_ms(&self, at_ms: u64) -> u64 {
        self.since_ms
            .map_or(0, |since_ms| at_ms.saturating_sub(since_ms))
    }

    /// Subtracts the time since the turn began from the clock of the seat to move, if the turn
    /// [is charged](Self::is_charged). Returns the time since the turn began, in milliseconds.
    fn charge(&mut self, to_move: Seat, at_ms: u64) -> u64 {
        let elapsed_ms = self.elapsed_ms(at_ms);
        if self.is_charged(to_move)
            && let Some(left_ms) = self.left_ms.get_mut(usize::from(to_move.0))
        {
            *left_ms = left_ms.saturating_sub(elapsed_ms);
        }
        elapsed_ms
    }

    /// Ends the turn of the seat to move and begins the next turn. Returns the milliseconds that the ended turn took.
    pub(super) fn end_turn(&mut self, to_move: Seat, turn: Turn, at_ms: u64) -> u64 {
        let used_ms = self.charge(to_move, at_ms);
        if let Some(since_ms) = &mut self.since_ms {
            *since_ms = at_ms.max(*since_ms);
        }
        let is_complete = match turn.action {
            Action::Play(_) | Action::Rewind(_) => turn.by == to_move,
            // Takebacks and resignations add no time to the clock.
            Action::Takeback(_) | Action::Resign => false,
        };
        if is_complete && let Some(left_ms) = self.left_ms.get_mut(usize::from(to_move.0)) {
            match self.settings {
                ClockSettings::Fischer { .. } if self.moved.contains(to_move) => {
                    *left_ms += self.settings.increment_ms();
                }
                // The first turn took no time from the clock, so it adds no increment.
                ClockSettings::Fischer { .. } => {}
                ClockSettings::PerMove { .. } | ClockSettings::Days { .. } => {
                    *left_ms = self.settings.base_ms();
                }
            }
            self.moved = self.moved.with(to_move);
        }
        used_ms
    }

    /// Stops the clocks, because the game is over.
    pub(super) fn stop(&mut self, to_move: Seat, at_ms: u64) {
        self.charge(to_move, at_ms);
        self.since_ms = None;
    }

    /// Gives the current turn `ms` more milliseconds, because of an outage that ended at `until_ms`.
    pub(super) fn add_time(&mut self, ms: u64, until_ms: u64, at_ms: u64) {
        self.outages_until_ms = self.outages_until_ms.max(until_ms);
        if let Some(since_ms) = &mut self.since_ms {
            *since_ms = since_ms.saturating_add(ms).min(at_ms).max(*since_ms);
        }
    }

    /// When the time of the seat to move runs out; `None` while no clock runs.
    pub(super) fn deadline_ms(&self, to_move: Seat) -> Option<u64> {
        Some(self.since_ms?.saturating_add(self.allowed_ms(to_move)))
    }

    /// The earliest time at which the clock of any seat can run out, whatever happens in the game after
    /// `at_ms`. `None` while no clock runs. Later turns never make this time earlier, so a turn need not
    /// update the deadline in the store.
    pub(super) fn earliest_deadline_ms(&self, to_move: Seat, at_ms: u64) -> Option<u64> {
        let current = self.deadline_ms(to_move)?;
        let seats = (0..self.left_ms.len()).map(|seat| Seat(seat as u8));
        // `current` is the deadline of the seat to move, so `later` leaves this seat out. Exception: a seat before its
        // first turn is included, because its clock may have less time than `FIRST_TURN_MS`.
        let later = seats.filter(|seat| *seat != to_move || !self.moved.contains(to_move));
        let later = later.map(|seat| {
            let left_ms = self.left_ms[usize::from(seat.0)];
            at_ms.saturating_add(left_ms.min(self.allowed_ms(seat)))
        });
        later.chain([current]).min()
    }

    /// Whether every seat has completed its first turn.
    pub(super) fn has_everybody_moved(&self) -> bool {
        self.moved == self.everybody
    }

    /// The milliseconds that the current turn lost because of `outage`, without milliseconds that were
    /// already added. `None` if the turn lost no time.
    fn lost_ms(&self, outage: &Outage) -> Option<u64> {
        let since_ms = self.since_ms?;
        let from_ms = outage.from_ms.max(since_ms).max(self.outages_until_ms);
        let lost_ms = outage.until_ms.checked_sub(from_ms)?;
        (lost_ms > 0).then_some(lost_ms)
    }

    pub(super) fn view(&self, to_move: Option<Seat>, now_ms: u64) -> ClockView {
        let running = to_move.filter(|seat| self.since_ms.is_some() && self.is_charged(*seat));
        let deadline_ms = to_move.and_then(|seat| self.deadline_ms(seat));
        let mut left_ms = self.left_ms.clone();
        if let Some((seat, deadline_ms)) = running.zip(deadline_ms)
            && let Some(left_ms) = left_ms.get_mut(usize::from(seat.0))
        {
            *left_ms = deadline_ms.saturating_sub(now_ms).min(*left_ms);
        }
        ClockView {
            settings: self.settings,
            left_ms,
            running,
            deadline_ms,
        }
    }
}

impl Table {
    /// The clocks at the time `now_ms`; `None` at a table without a clock.
    pub fn clock(&self, now_ms: u64) -> Option<ClockView> {
        let clock = self.clock.as_ref()?;
        Some(clock.view(self.game.to_move(), now_ms.max(self.last_ms)))
    }

    /// The milliseconds that each turn took; empty without a clock.
    pub fn used_ms(&self) -> &[u64] {
        &self.used_ms
    }

    /// When the time of the seat to move runs out, in milliseconds since 1970; `None` if no clock runs.
    pub fn clock_deadline_ms(&self) -> Option<u64> {
        let to_move = self.game.to_move()?;
        self.clock.as_ref()?.deadline_ms(to_move)
    }

    /// Whether the current turn began before `ms`. If so, an outage that ended at `ms` may have taken time from this
    /// turn.
    pub(crate) fn has_turn_begun_before(&self, ms: u64) -> bool {
        let clock = self.clock.as_ref();
        let since_ms = clock.and_then(|clock| clock.since_ms);
        since_ms.is_some_and(|since_ms| since_ms < ms)
    }

    /// The decision that ends the game because the time of the seat to move has run out at `now_ms`. `None` if this
    /// time has not run out.
    pub fn at_deadline(&self, now_ms: u64) -> Option<Decision> {
        let to_move = self.game.to_move()?;
        let clock = self.clock.as_ref()?;
        if now_ms <= clock.deadline_ms(to_move)? {
            return None;
        }
        let (reason, end) = match clock.moved.contains(to_move) {
            true => (EndReason::Time, Termination::TimeOut(to_move)),
            false => (EndReason::Aborted, Termination::Aborted),
        };
        let seats = SeatSet::only(to_move);
        self.decide_end(reason, seats, end, now_ms).ok()
    }

    /// The decision that adds to the current turn the time that the turn lost because of an outage. `None` if
    /// the turn lost no time, or if the time was already added.
    pub(super) fn decide_add_time(
        &self,
        outage: &Outage,
        at_ms: u64,
    ) -> Result<Option<Decision>, TableRefusal> {
        let lost_ms = self.clock.as_ref().and_then(|clock| clock.lost_ms(outage));
        let Some(ms) = lost_ms.filter(|_| !self.is_over()) else {
            return Ok(None);
        };
        self.check_room_for_time()?;
        let until_ms = outage.until_ms;
        let added = Entry::TimeAdded { ms, until_ms };
        Ok(Some(Decision::one(added, at_ms.max(until_ms), None)))
    }

    /// Refuses a turn of `seat` if `seat` is to move and its time has run out.
    pub(super) fn check_time(&self, seat: Seat, at_ms: u64) -> Result<(), TableRefusal> {
        let deadline_ms = self.clock_deadline_ms();
        let is_late = deadline_ms.is_some_and(|deadline_ms| at_ms > deadline_ms);
        match is_late && self.game.to_move() == Some(seat) {
            true => Err(TableRefusal::TimeIsOver),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use noughts_rules::Move;

    use super::*;

    const ANN: Seat = Seat(0);
    const BOB: Seat = Seat(1);

    fn play(by: Seat) -> Turn {
        let action = Action::Play(Move::at(0));
        Turn { by, action }
    }

    fn takeback(by: Seat) -> Turn {
        let action = Action::Takeback(1);
        Turn { by, action }
    }

    fn clock(text: &str) -> Clock {
        Clock::new(text.parse().unwrap(), 2, Some(1_000))
    }

    #[test]
    fn first_turns_are_free_and_limited_to_30_seconds() {
        let mut clock = clock("180+2");
        assert_eq!(clock.deadline_ms(ANN), Some(31_000));
        assert_eq!(clock.end_turn(ANN, play(ANN), 21_000), 20_000);
        assert_eq!(clock.deadline_ms(BOB), Some(51_000));
        assert_eq!(clock.end_turn(BOB, play(BOB), 22_000), 1_000);
        assert_eq!(clock.left_ms, [180_000, 180_000]);
        assert_eq!(clock.deadline_ms(ANN), Some(202_000));
    }

    #[test]
    fn fischer_takes_the_time_and_adds_the_increment() {
        let mut clock = clock("180+2");
        clock.moved = SeatSet::only(ANN).with(BOB);
        assert_eq!(clock.end_turn(ANN, play(ANN), 6_000), 5_000);
        assert_eq!(clock.left_ms, [177_000, 180_000]);
        clock.end_turn(BOB, play(BOB), 6_000);
        assert_eq!(clock.left_ms, [177_000, 182_000]);
        clock.stop(ANN, 500_000);
        assert_eq!(clock.left_ms, [0, 182_000], "never negative");
    }

    #[test]
    fn each_turn_has_its_own_time_per_move() {
        let mut clock = clock("move 30");
        clock.moved = SeatSet::only(ANN).with(BOB);
        clock.end_turn(ANN, play(ANN), 21_000);
        assert_eq!(clock.left_ms, [30_000, 30_000]);
        assert_eq!(clock.deadline_ms(BOB), Some(51_000));
    }

    #[test]
    fn takebacks_give_no_time_back() {
        for (text, left) in [("180+2", [175_000, 178_000]), ("move 30", [25_000, 28_000])] {
            let mut clock = clock(text);
            clock.moved = SeatSet::only(ANN).with(BOB);
            // It is Ann's turn during the first two takebacks (by Ann and by Bob), so they cost Ann's time. It is Bob's
            // turn during the third (by Ann), so it costs Bob's time.
            clock.end_turn(ANN, takeback(ANN), 5_000);
            clock.end_turn(ANN, takeback(BOB), 6_000);
            clock.end_turn(BOB, takeback(ANN), 8_000);
            assert_eq!(clock.left_ms, left, "{text}");
        }
    }

    #[test]
    fn correspondence_has_days_from_the_first_turn_on() {
        const DAY_MS: u64 = 24 * 3_600 * 1_000;
        let mut clock = clock("days 3");
        assert_eq!(clock.deadline_ms(ANN), Some(1_000 + 3 * DAY_MS));
        let after_a_day = clock.view(Some(ANN), 1_000 + DAY_MS);
        assert_eq!(after_a_day.left_ms, [2 * DAY_MS, 3 * DAY_MS]);
        assert_eq!(after_a_day.running, Some(ANN));
        let mut stopped = clock.clone();
        stopped.stop(ANN, 1_000 + DAY_MS);
        let over = stopped.view(None, 1_000 + 2 * DAY_MS);
        assert_eq!(over.left_ms, [2 * DAY_MS, 3 * DAY_MS]);
        clock.end_turn(ANN, play(ANN), 1_000 + DAY_MS);
        assert_eq!(clock.deadline_ms(BOB), Some(1_000 + 4 * DAY_MS));
    }

    #[test]
    fn outages_move_the_deadline_by_what_the_turn_lost() {
        let mut clock = clock("180+2");
        let outage = |from_ms, until_ms| Outage { from_ms, until_ms };
        assert_eq!(clock.lost_ms(&outage(0, 900)), None, "before the turn");
        assert_eq!(clock.lost_ms(&outage(0, 9_000)), Some(8_000));
        assert_eq!(clock.lost_ms(&outage(5_000, 9_000)), Some(4_000));
        clock.add_time(4_000, 9_000, 9_000);
        assert_eq!(clock.deadline_ms(ANN), Some(35_000));
        assert_eq!(clock.lost_ms(&outage(5_000, 9_000)), None, "counted");
        assert_eq!(clock.lost_ms(&outage(20_000, 29_000)), Some(9_000));
    }

    #[test]
    fn the_earliest_deadline_never_becomes_earlier() {
        let mut clock = clock("10+0");
        let mut floor = clock.earliest_deadline_ms(ANN, 1_000).unwrap();
        let mut at_ms = 1_000;
        for turn in 0..40 {
            let (seat, next) = [(ANN, BOB), (BOB, ANN)][turn % 2];
            at_ms += [700, 10, 3_000, 1][turn % 4];
            clock.end_turn(seat, play(seat), at_ms);
            let later = clock.earliest_deadline_ms(next, at_ms).unwrap();
            assert!(later <= clock.deadline_ms(next).unwrap());
            assert!(later >= floor, "turn {turn}: {later} after {floor}");
            floor = later;
        }
    }
}
