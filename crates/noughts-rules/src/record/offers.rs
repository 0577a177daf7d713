//! Offers in a record: `offer 0 draw`, `accept 1 draw`, `decline 1 draw`.

use std::fmt;

use super::Reason;
use crate::game::Seat;
use crate::notation::number;
use crate::quote::Quoted;

/// Maximum number of offers and answers in a record.
pub const MAX_RECORDED_OFFERS: usize = 1_000;

/// An offer, or an answer to an offer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OfferEvent {
    /// The number of turns that were completed before this event.
    pub after_turns: usize,
    /// The seat that offered or answered.
    pub seat: Seat,
    /// Whether the seat offered, accepted or declined.
    pub step: OfferStep,
    /// What was offered.
    pub kind: OfferKind,
}

/// What a seat does with an offer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OfferStep {
    /// A seat made the offer.
    Offer,
    /// A seat accepted the offer.
    Accept,
    /// A seat declined the offer, or withdrew its own offer.
    Decline,
}

/// What a seat may offer while a game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OfferKind {
    /// To end the game as a draw.
    Draw,
    /// To take back the last play of the offering seat and all later plays.
    Takeback,
}

impl OfferStep {
    const ALL: [OfferStep; 3] = [OfferStep::Offer, OfferStep::Accept, OfferStep::Decline];

    fn word(self) -> &'static str {
        match self {
            OfferStep::Offer => "offer",
            OfferStep::Accept => "accept",
            OfferStep::Decline => "decline",
        }
    }
}

impl OfferKind {
    const ALL: [OfferKind; 2] = [OfferKind::Draw, OfferKind::Takeback];

    fn word(self) -> &'static str {
        match self {
            OfferKind::Draw => "draw",
            OfferKind::Takeback => "takeback",
        }
    }
}

impl fmt::Display for OfferEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OfferEvent { seat, .. } = self;
        write!(f, "{} {} {}", self.step.word(), seat.0, self.kind.word())
    }
}

/// Parses a line such as `offer 0 draw`; `None` if the line does not begin with `offer`, `accept` or `decline`.
pub(super) fn read_offer(
    line: &str,
    after_turns: usize,
    seats: usize,
) -> Option<Result<OfferEvent, Reason>> {
    let (step, rest) = line.split_once(' ')?;
    let step = OfferStep::ALL.into_iter().find(|s| s.word() == step)?;
    let read = || {
        let (seat, kind) = rest.split_once(' ')?;
        let seat = u8::try_from(number(seat)?).ok()?;
        let kind = OfferKind::ALL.into_iter().find(|k| k.word() == kind)?;
        (usize::from(seat) < seats).then_some(OfferEvent {
            after_turns,
            seat: Seat(seat),
            step,
            kind,
        })
    };
    Some(read().ok_or_else(|| Reason::Offer {
        step: step.word(),
        text: Quoted::from(line),
    }))
}

/// Checks that there are at most [`MAX_RECORDED_OFFERS`] offers, that they are in the order of the turns, and that
/// their seats and turns exist.
pub(super) fn check_offers(
    offers: &[OfferEvent],
    turns: usize,
    seats: usize,
) -> Result<(), Reason> {
    if offers.len() > MAX_RECORDED_OFFERS {
        return Err(Reason::TooManyOffers);
    }
    let fits = |offer: &OfferEvent| usize::from(offer.seat.0) < seats && offer.after_turns <= turns;
    match offers.iter().all(fits) && offers.is_sorted_by_key(|offer| offer.after_turns) {
        true => Ok(()),
        false => Err(Reason::OffersOutOfOrder),
    }
}
