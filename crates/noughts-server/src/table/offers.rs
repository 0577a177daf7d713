//! Offers, answers, abort and claims: when a seat may use them, and their effects.

use noughts_rules::{
    Action, DrawReason, OfferEvent, OfferKind, OfferStep, Refusal, Seat, Termination, Turn,
};

use super::{
    Answer, Decision, EndReason, Entry, Holder, Offer, RequestKey, SeatSet, Table, TableRefusal,
};

/// Maximum number of entries of a game that are not turns.
pub const MAX_OTHER_ENTRIES: usize = 1_000;

/// How many of the [`MAX_OTHER_ENTRIES`] entries are reserved for answers to offers, taken seats, rematch offers,
/// outages and the end of the game.
const RESERVED_ENTRIES: usize = 150;

/// How many of the [`RESERVED_ENTRIES`] entries are reserved for the end of a game and for entries after the end.
const RESERVED_FOR_END: usize = 70;

/// Number of turns that must follow a refused draw offer before the seat may offer a draw again.
pub const DRAW_OFFER_PAUSE: usize = 10;

/// In a game with a clock: how long every other player must have been away before a seat may make a claim, in
/// milliseconds.
const AWAY_WITH_CLOCK_MS: u64 = 60_000;
/// In a game without a clock: how long every other player must have been away before a seat may make a claim,
/// in milliseconds.
const AWAY_WITHOUT_CLOCK_MS: u64 = 300_000;
/// In every game: how long a player who sent `leave` must have been away before a seat may make a claim, in
/// milliseconds.
const AWAY_AFTER_LEAVING_MS: u64 = 10_000;

/// What a seat may claim when all other players are away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// The side of the seat that makes the claim wins.
    Win,
    /// The game is a draw.
    Draw,
}

/// The time of a command, and which players are away.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Context {
    /// The time of the command, in milliseconds since 1970.
    pub now_ms: u64,
    /// For each seat, how long its player has been away; `None` for players who are present.
    pub away: Vec<Option<Absence>>,
}

/// A player who is not connected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Absence {
    /// How long the player has been away, in milliseconds.
    pub ms: u64,
    /// Whether the player sent `leave`.
    pub has_left: bool,
}

/// An offer that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OpenOffer {
    /// The kind of offer.
    pub offer: Offer,
    /// The seat that made the offer.
    pub seat: Seat,
    /// The number of the log entry that made the offer.
    pub entry: u32,
    /// The seats that have accepted the offer.
    pub accepted: SeatSet,
}

/// The open offers of a table, and the draw offers that were refused.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Offers {
    open: Vec<OpenOffer>,
    /// For each seat whose draw offer was refused: the number of completed turns at the time of the refusal.
    refused_draws: Vec<(Seat, usize)>,
}

impl From<u64> for Context {
    fn from(now_ms: u64) -> Context {
        Context {
            now_ms,
            away: Vec::new(),
        }
    }
}

impl Offers {
    pub(super) fn open(&self) -> &[OpenOffer] {
        &self.open
    }

    fn of(&self, offer: Offer, seat: Seat) -> Option<&OpenOffer> {
        let is_it = |open: &&OpenOffer| open.offer == offer && open.seat == seat;
        self.open.iter().find(is_it)
    }

    /// The oldest open offer of the kind `offer` that a seat other than `seat` made.
    fn for_seat(&self, offer: Offer, seat: Seat) -> Option<&OpenOffer> {
        let is_it = |open: &&OpenOffer| open.offer == offer && open.seat != seat;
        self.open.iter().find(is_it)
    }

    pub(super) fn add(&mut self, offer: Offer, seat: Seat, entry: u32) {
        self.open.push(OpenOffer {
            offer,
            seat,
            entry,
            accepted: SeatSet::EMPTY,
        });
    }

    /// Applies an answer. `turns` is the number of completed turns.
    pub(super) fn answer(&mut self, seat: Seat, answer: Answer, turns: usize) {
        match answer {
            Answer::Accept(offer) => {
                let others = self.open.iter_mut();
                let mut others = others.filter(|open| open.offer == offer && open.seat != seat);
                if let Some(open) = others.next() {
                    open.accepted = open.accepted.with(seat);
                }
            }
            // The seat withdraws its own offer, which is no refusal.
            Answer::Decline(offer) if self.of(offer, seat).is_some() => {
                self.open
                    .retain(|open| open.offer != offer || open.seat != seat);
            }
            Answer::Decline(offer) => {
                self.decline(turns, |open| open.offer == offer);
            }
        }
    }

    /// Removes the offers for which `is_declined` is true. Records each removed draw offer as refused.
    /// `turns` is the number of completed turns.
    fn decline(&mut self, turns: usize, is_declined: impl Fn(&OpenOffer) -> bool) {
        let declined: Vec<OpenOffer> = self.open.extract_if(.., |open| is_declined(open)).collect();
        for open in declined {
            if open.offer == Offer::Draw {
                self.refused_draws.retain(|(seat, _)| *seat != open.seat);
                self.refused_draws.push((open.seat, turns));
            }
        }
    }

    /// Applies the effects of a turn on offers. `is_human` tells whether a person holds the seat that completed the
    /// turn. `turns` is the number of completed turns, including this turn.
    pub(super) fn after_turn(&mut self, turn: Turn, is_human: bool, turns: usize) {
        if self.open.is_empty() {
            return;
        }
        match turn.action {
            // The position for which the offers were made no longer exists.
            Action::Takeback(_) => self.open.clear(),
            Action::Play(_) | Action::Rewind(_) | Action::Resign => {
                self.open
                    .retain(|open| open.offer != Offer::Takeback || open.seat != turn.by);
                if is_human {
                    self.decline(turns, |open| open.seat != turn.by);
                }
            }
        }
    }

    /// Removes all offers except offers of a rematch, because the game is over.
    pub(super) fn end_game(&mut self) {
        self.open.retain(|open| open.offer == Offer::Rematch);
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
    }
}

impl Table {
    /// The offers that wait for an answer, oldest first.
    pub fn offers(&self) -> &[OpenOffer] {
        self.offers.open()
    }

    /// The seats with an open offer of a rematch.
    pub fn rematch_offers(&self) -> SeatSet {
        let rematches = self.offers.open().iter();
        let rematches = rematches.filter(|open| open.offer == Offer::Rematch);
        rematches.map(|open| open.seat).collect()
    }

    /// The offers and answers of the game, for its record. Rematch offers are not part of the record.
    pub fn offer_events(&self) -> Vec<OfferEvent> {
        let kind = |offer: Offer| match offer {
            Offer::Draw => Some(OfferKind::Draw),
            Offer::Takeback => Some(OfferKind::Takeback),
            Offer::Rematch => None,
        };
        let events = self.other_entries.iter().enumerate();
        let event = |(others, other): (usize, &super::OtherEntry)| {
            let (seat, step, offer) = match other.entry {
                Entry::Offered { seat, offer } => (seat, OfferStep::Offer, offer),
                Entry::Answered { seat, answer } => match answer {
                    Answer::Accept(offer) => (seat, OfferStep::Accept, offer),
                    Answer::Decline(offer) => (seat, OfferStep::Decline, offer),
                },
                Entry::Seated { .. }
                | Entry::Turn(_)
                | Entry::TimeAdded { .. }
                | Entry::Ended { .. }
                | Entry::RematchCreated(_) => return None,
            };
            Some(OfferEvent {
                // `number - 1` entries come before this entry. Of these, `others` are not turns, and the rest are
                // turns.
                after_turns: other.number as usize - 1 - others,
                seat,
                step,
                kind: kind(offer)?,
            })
        };
        events.filter_map(event).collect()
    }

    /// The seats that people hold, except `seat`.
    fn other_people(&self, seat: Seat) -> impl Iterator<Item = Seat> + '_ {
        let is_human = |other: &Seat| self.holder(*other).is_some_and(Holder::is_human);
        self.seats()
            .filter(move |other| *other != seat)
            .filter(is_human)
    }

    /// Whether this seat has completed a turn.
    fn has_moved(&self, seat: Seat) -> bool {
        self.game.turns().iter().any(|turn| turn.by == seat)
    }

    /// Whether every seat has completed a turn.
    fn has_everybody_moved(&self) -> bool {
        self.seats().all(|seat| self.has_moved(seat))
    }

    pub(super) fn has_open_seat(&self) -> bool {
        self.holders.iter().any(Holder::is_open)
    }

    /// Checks that the game goes on, that it has the seat `seat`, and that all seats are taken.
    fn check_player(&self, seat: Seat) -> Result<(), TableRefusal> {
        let check = self.game.check(seat, Action::Resign);
        check.map_err(TableRefusal::Rules)?;
        match self.has_open_seat() {
            true => Err(TableRefusal::NotStarted),
            false => Ok(()),
        }
    }

    fn check_room(&self) -> Result<(), TableRefusal> {
        match self.other_entries.len() + RESERVED_ENTRIES < MAX_OTHER_ENTRIES {
            true => Ok(()),
            false => Err(TableRefusal::LogFull),
        }
    }

    pub(super) fn check_room_for_time(&self) -> Result<(), TableRefusal> {
        match self.other_entries.len() + RESERVED_FOR_END < MAX_OTHER_ENTRIES {
            true => Ok(()),
            false => Err(TableRefusal::LogFull),
        }
    }

    pub(super) fn decide_offer(
        &self,
        seat: Seat,
        offer: Offer,
        at_ms: u64,
        key: Option<&RequestKey>,
    ) -> Result<Option<Decision>, TableRefusal> {
        self.check_player(seat)?;
        if self.offers.of(offer, seat).is_some() {
            return Ok(None);
        }
        let has_others = self.other_people(seat).next().is_some();
        match offer {
            Offer::Draw => {
                if !has_others {
                    return Err(TableRefusal::NoOtherPlayer);
                }
                if self.offers.for_seat(offer, seat).is_some() {
                    let answer = Answer::Accept(offer);
                    return self.decide_answer(seat, answer, at_ms, key);
                }
                self.check_draw_offer(seat)?;
            }
            Offer::Takeback => {
                self.takeback(seat)?;
            }
            Offer::Rematch => return Err(TableRefusal::NotOver),
        }
        self.check_room()?;
        let mut decision = Decision::one(Entry::Offered { seat, offer }, at_ms, key);
        if offer == Offer::Takeback && !has_others {
            self.add_takeback(&mut decision, seat, at_ms)?;
        }
        Ok(Some(decision))
    }

    fn check_draw_offer(&self, seat: Seat) -> Result<(), TableRefusal> {
        if !self.has_moved(seat) {
            return Err(TableRefusal::DrawTooEarly);
        }
        let mut refused = self.offers.refused_draws.iter();
        let refused = refused.find(|(refused, _)| *refused == seat);
        match refused.map(|(_, turns)| turns + DRAW_OFFER_PAUSE) {
            Some(allowed) if self.game.turns().len() < allowed => {
                Err(TableRefusal::DrawRefused { turn: allowed + 1 })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The turn that takes back the last play of `seat` and all later plays. Fails if `seat` has no play to
    /// take back.
    fn takeback(&self, seat: Seat) -> Result<Turn, TableRefusal> {
        let count = self.game.takeback_of(seat);
        let count = count.ok_or(TableRefusal::Rules(Refusal::NothingToTakeBack))?;
        Ok(Turn {
            by: seat,
            action: Action::Takeback(count),
        })
    }

    fn add_takeback(
        &self,
        decision: &mut Decision,
        seat: Seat,
        at_ms: u64,
    ) -> Result<(), TableRefusal> {
        let turn = self.takeback(seat)?;
        let end = self.decide_turn(turn, at_ms, None)?;
        decision.entries.extend(end.entries);
        decision.conclusion = end.conclusion;
        Ok(())
    }

    pub(super) fn decide_answer(
        &self,
        seat: Seat,
        answer: Answer,
        at_ms: u64,
        key: Option<&RequestKey>,
    ) -> Result<Option<Decision>, TableRefusal> {
        let (Answer::Accept(offer) | Answer::Decline(offer)) = answer;
        if offer != Offer::Rematch {
            self.check_player(seat)?;
        } else if !self.is_over() {
            return Err(TableRefusal::NotOver);
        } else if self.holder(seat).is_none() {
            let seats = self.holders().len();
            return Err(TableRefusal::Rules(Refusal::NoSuchSeat { seats }));
        }
        let no_offer = TableRefusal::NoOffer { offer };
        let open = self.offers.for_seat(offer, seat);
        let open = match answer {
            Answer::Accept(_) => open.ok_or(no_offer)?,
            Answer::Decline(_) => {
                let own = self.offers.of(offer, seat);
                own.or(open).ok_or(no_offer)?
            }
        };
        let answered = Entry::Answered { seat, answer };
        let mut decision = Decision::one(answered, at_ms, key);
        if answer == Answer::Decline(offer) {
            self.check_room_for_time()?;
            return Ok(Some(decision));
        }
        if open.accepted.contains(seat) {
            return Ok(None);
        }
        self.check_room_for_time()?;
        let accepted = open.accepted.with(seat);
        if !self
            .other_people(open.seat)
            .all(|other| accepted.contains(other))
        {
            return Ok(Some(decision));
        }
        match offer {
            Offer::Draw => {
                let people = accepted.with(open.seat);
                let end = Termination::Draw(DrawReason::Agreement);
                let end = self.decide_end(EndReason::Agreement, people, end, at_ms)?;
                decision.entries.extend(end.entries);
                decision.conclusion = end.conclusion;
            }
            Offer::Takeback => self.add_takeback(&mut decision, open.seat, at_ms)?,
            // This answer has no further effect. Clients accept a rematch by `Command::AcceptRematch`.
            Offer::Rematch => {}
        }
        Ok(Some(decision))
    }

    /// The decision that ends the game before every seat has completed a turn, or cancels a table that waits for
    /// players.
    pub(super) fn decide_abort(
        &self,
        seat: Seat,
        at_ms: u64,
    ) -> Result<Option<Decision>, TableRefusal> {
        let (reason, seats) = (EndReason::Aborted, SeatSet::only(seat));
        if self.has_ended_by(reason, seats) {
            return Ok(None);
        }
        let check = self.game.check(seat, Action::Resign);
        check.map_err(TableRefusal::Rules)?;
        if self.has_everybody_moved() && !self.has_open_seat() {
            return Err(TableRefusal::TooLateToAbort);
        }
        let end = self.decide_end(reason, seats, Termination::Aborted, at_ms)?;
        Ok(Some(end))
    }

    pub(super) fn decide_claim(
        &self,
        seat: Seat,
        claim: Claim,
        now: &Context,
    ) -> Result<Option<Decision>, TableRefusal> {
        let seats = SeatSet::only(seat);
        let (reason, end) = match claim {
            Claim::Win => (EndReason::WinClaimed, Termination::WinClaimed(seat)),
            Claim::Draw => (EndReason::DrawClaimed, Termination::Draw(DrawReason::Claim)),
        };
        if self.has_ended_by(reason, seats) {
            return Ok(None);
        }
        self.check_player(seat)?;
        let clock = self.settings.clock;
        if clock.is_some_and(noughts_rules::ClockSettings::is_correspondence) {
            return Err(TableRefusal::NoClaimInCorrespondence);
        }
        let mut others = self.other_people(seat).peekable();
        if others.peek().is_none() {
            return Err(TableRefusal::NoOtherPlayer);
        }
        if !self.has_everybody_moved() {
            return Err(TableRefusal::ClaimTooEarly);
        }
        let mut wait_ms = 0;
        for other in others {
            let away = now.away.get(usize::from(other.0)).copied().flatten();
            let absence = away.ok_or(TableRefusal::OpponentIsPresent { seat: other })?;
            let needed_ms = match (absence.has_left, clock) {
                (true, _) => AWAY_AFTER_LEAVING_MS,
                (false, Some(_)) => AWAY_WITH_CLOCK_MS,
                (false, None) => AWAY_WITHOUT_CLOCK_MS,
            };
            wait_ms = wait_ms.max(needed_ms.saturating_sub(absence.ms));
        }
        if wait_ms > 0 {
            return Err(TableRefusal::OpponentJustLeft { wait_ms });
        }
        let at_ms = now.now_ms.max(self.last_ms());
        Ok(Some(self.decide_end(reason, seats, end, at_ms)?))
    }

    /// Whether `seats` have already ended the game for `reason`. If so, a command of `seats` to end the game
    /// for this reason only repeats an earlier command.
    fn has_ended_by(&self, reason: EndReason, seats: SeatSet) -> bool {
        let end = Entry::Ended { reason, seats };
        self.other_entries.iter().any(|other| other.entry == end)
    }

    /// The decision that ends the game for a reason that is not a turn.
    pub(super) fn decide_end(
        &self,
        reason: EndReason,
        seats: SeatSet,
        end: Termination,
        at_ms: u64,
    ) -> Result<Decision, TableRefusal> {
        let conclusion = self.game.conclusion_of(end).map_err(TableRefusal::Rules)?;
        let ended = Entry::Ended { reason, seats };
        Ok(Decision {
            conclusion: Some(conclusion),
            ..Decision::one(ended, at_ms.max(self.last_ms()), None)
        })
    }
}
