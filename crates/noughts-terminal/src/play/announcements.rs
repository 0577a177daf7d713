//! Messages that the program prints although the player has not asked for them. They are about turns and offers, the
//! player to move, little time, absent players, and a server that does not answer.

use std::io::Write;
use std::time::Duration;

use super::{
    OfferKind, PlayError, SILENCE_DELAY, Session, TableState, clocks, is_unanswered, messages,
};

impl<O: Write> Session<'_, O> {
    /// Returns the time until the next message that is printed because time has passed, such as a time
    /// warning. Returns `None` if no such message is expected.
    pub(super) fn next_notice(&self) -> Option<Duration> {
        let now = self.now();
        let silence = self.silence_at().map(|at| at.saturating_sub(now));
        let is_over = self.has_told_end;
        let away = self.presence.next_notice_at().filter(|_| !is_over);
        let away = away.map(|at| at.saturating_sub(now));
        let warning = self
            .time_warning()
            .map(|(left, at)| left.saturating_sub(at));
        [silence, away, warning].into_iter().flatten().min()
    }

    /// When to tell the player that the server does not answer. `None` if no request is pending, if the
    /// player was already told, if the connection is lost, or if a robot plays.
    pub(super) fn silence_at(&self) -> Option<Duration> {
        let sent = self.pending.as_ref()?;
        let is_told = sent.has_told || !self.is_connected || self.robot.is_some();
        (!is_told).then_some(sent.since + SILENCE_DELAY)
    }

    pub(super) fn tell_what_is_due(&mut self) -> Result<(), PlayError> {
        let now = self.now();
        if self.silence_at().is_some_and(|at| at <= now)
            && let Some(sent) = &mut self.pending
        {
            sent.has_told = true;
            let text = messages::no_answer(&sent.request);
            self.print(text)?;
        }
        let Some(state) = self.state.take() else {
            return Ok(());
        };
        let told = self.tell_about_players(&state, now);
        self.state = Some(state);
        told
    }

    /// Says which players went away or came back, and warns if little time is left.
    pub(super) fn tell_about_players(
        &mut self,
        state: &TableState,
        now: Duration,
    ) -> Result<(), PlayError> {
        if self.has_told_end || self.settings.robot.is_some() {
            return Ok(());
        }
        for (seat, is_away) in self.presence.notices(now) {
            if Some(seat) != self.settings.seat {
                self.print(messages::presence(state, seat, is_away, self.settings))?;
            }
        }
        if let Some((left, at)) = self.time_warning_in(state)
            && left <= at
        {
            let turn = state.record.game().turns().len();
            self.next_time_warning = Some((turn, clocks::next_warning(at)));
            self.print(messages::time_warning(at))?;
        }
        Ok(())
    }

    /// Returns this player's remaining time, and the remaining time at which the next warning is due. Returns
    /// `None` if the player's clock does not run, if no further warning is due in this turn, or if a robot
    /// plays.
    pub(super) fn time_warning(&self) -> Option<(Duration, Duration)> {
        self.time_warning_in(self.state.as_deref()?)
    }

    pub(super) fn time_warning_in(&self, state: &TableState) -> Option<(Duration, Duration)> {
        let seat = self.settings.seat.filter(|_| self.robot.is_none())?;
        let clocks = state
            .clocks
            .as_ref()
            .filter(|clocks| clocks.running == Some(seat))?;
        let left = clocks.left_after(self.now().saturating_sub(self.state_at), seat)?;
        let turn = state.record.game().turns().len();
        let warn_at = match self.next_time_warning {
            Some((known, at)) if known == turn => at?,
            Some(_) | None => clocks.first_warning(seat)?,
        };
        Some((left, warn_at))
    }

    /// The clocks as text, such as `[x 2:58  o 3:00]`. `None` without a clock.
    pub(super) fn clock_text(&self, state: &TableState) -> Option<String> {
        let clocks = state.clocks.as_ref()?;
        let since = self.now().saturating_sub(self.state_at);
        Some(messages::clocks(&state.record, clocks, since))
    }

    /// Says once that the first turn has a separate time limit.
    pub(super) fn tell_first_turn(&mut self, state: &TableState) -> Result<(), PlayError> {
        let has_limit = state
            .clocks
            .as_ref()
            .is_some_and(|clocks| clocks.running.is_none() && !clocks.settings.is_correspondence());
        let turn = state.record.game().turns().len();
        let key = Some((turn, self.settings.seat));
        if has_limit && state.open_seats.is_empty() && self.waiting_for != key {
            self.waiting_for = key;
            self.print(messages::FIRST_TURN)?;
        }
        Ok(())
    }

    /// Says once per turn which player the game waits for.
    pub(super) fn tell_whose_turn(&mut self, state: &TableState) -> Result<(), PlayError> {
        let game = state.record.game();
        let waiting_for = Some((game.turns().len(), game.to_move()));
        if self.waiting_for != waiting_for && self.settings.robot.is_none() {
            self.waiting_for = waiting_for;
            let text = messages::waiting(state);
            self.print(messages::with_clocks(self.clock_text(state), &text))?;
        }
        Ok(())
    }

    /// Prints the turns and offers since the last call, and the board if there were turns. The first call prints only
    /// the board.
    pub(super) fn show(&mut self, state: &TableState) -> Result<(), PlayError> {
        let record = &state.record;
        let turns = record.game().turns();
        let (since, is_first) = match self.turns_shown {
            Some(since) => (since, false),
            None => (turns.len(), true),
        };
        let mut offers = record
            .offers()
            .get(self.offers_shown..)
            .unwrap_or_default()
            .iter();
        let mut next_offer = offers.next();
        for number in since..=turns.len() {
            while let Some(offer) = next_offer.filter(|offer| offer.after_turns <= number) {
                self.print(messages::offer_event(record, offer, self.settings))?;
                next_offer = offers.next();
            }
            if let Some(turn) = turns.get(number) {
                self.print(messages::turn(record, turn, self.settings))?;
            }
        }
        self.offers_shown = record.offers().len();
        self.turns_shown = Some(turns.len());
        if is_first || since != turns.len() {
            self.print("")?;
            self.print(messages::board(record.game()))?;
            self.print("")?;
        }
        Ok(self.output.flush()?)
    }

    /// Prints what `show` does not print: offers made before the first state, requests for a rematch, and own offers
    /// that ended because another player moved.
    pub(super) fn tell_about_offers(
        &mut self,
        before: Option<&TableState>,
        state: &TableState,
    ) -> Result<(), PlayError> {
        let known = before.map_or(&[][..], |before| &before.offers);
        for offer in &state.offers {
            let is_shown = before.is_some() && offer.kind != OfferKind::Rematch;
            if !is_shown && !known.contains(offer) {
                self.print(messages::open_offer(&state.record, offer, self.settings))?;
            }
        }
        if state.record.game().conclusion().is_some() {
            return Ok(());
        }
        for offer in known {
            let is_gone = !state.offers.contains(offer);
            if is_gone && Some(offer.seat) == self.settings.seat && is_unanswered(state, offer) {
                self.print(messages::lapsed(offer.kind))?;
            }
        }
        Ok(())
    }
}
