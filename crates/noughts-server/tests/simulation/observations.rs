//! What clients observed: at the end it is compared with the stored logs.

use std::collections::{BTreeMap, HashMap, HashSet};

use noughts_rules::{Action, Seat, Turn};
use noughts_server::{GameId, Holder, SeatResult, TableRefusal};

/// Everything that clients observed.
#[derive(Default)]
pub(crate) struct Observations {
    pub(crate) acts: Vec<Acted>,
    /// Seats that API players took.
    pub(crate) seated: Vec<(GameId, Seat, Holder)>,
    /// Rematch offers.
    pub(crate) offers: Vec<(GameId, Seat)>,
    pub(crate) results: Vec<(GameId, Seat, SeatResult)>,
    /// The turns that a TCP client received.
    pub(crate) turns: Vec<(GameId, Vec<Turn>)>,
    /// The games that API players created.
    pub(crate) created: HashSet<GameId>,
    /// Keys of requests that were refused: nothing is stored with them.
    pub(crate) refused_keys: HashMap<String, TableRefusal>,
    /// The seats that TCP clients got, and whether they left.
    pub(crate) connected: HashMap<(GameId, Seat), bool>,
    counts: BTreeMap<&'static str, usize>,
}

/// An action that was acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acted {
    pub(crate) game: GameId,
    pub(crate) seat: Seat,
    pub(crate) action: Action,
    pub(crate) turn: usize,
}

impl Observations {
    pub(crate) fn count(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    pub(crate) fn add(&mut self, what: &'static str, count: usize) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    pub(crate) fn count_refusal(&mut self, refusal: TableRefusal) {
        self.count(match refusal {
            TableRefusal::Stale { .. } => "refused: stale",
            TableRefusal::Rules(_) => "refused by the rules",
            TableRefusal::KeyReused => "keys reused",
            TableRefusal::SeatTaken => "refused: seat taken",
            TableRefusal::NotOver => "refused: not over",
            TableRefusal::TimeIsOver => "refused: time is over",
            TableRefusal::ConsentNeeded
            | TableRefusal::NotStarted
            | TableRefusal::NoOtherPlayer
            | TableRefusal::NoOffer { .. }
            | TableRefusal::DrawTooEarly
            | TableRefusal::DrawRefused { .. }
            | TableRefusal::LogFull => "refused offers and answers",
            TableRefusal::TooLateToAbort => "refused: too late to abort",
            TableRefusal::ClaimTooEarly
            | TableRefusal::NoClaimInCorrespondence
            | TableRefusal::OpponentIsPresent { .. }
            | TableRefusal::OpponentJustLeft { .. } => "refused claims",
        });
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.counts.clone()
    }
}
