//! The log of a game: everything that happens at a table, in order.

use noughts_engine::StrategyName;
use noughts_rules::{Player, Seat, Turn};

use crate::id::{GameId, NodeId};

/// One item of a game's log, with when it was stored. Entries are numbered from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// Milliseconds since 1970; never less than that of the entry before.
    pub at_ms: u64,
    /// What happened.
    pub entry: Entry,
    /// The idempotency key of the request that caused it.
    pub key: Option<Box<Key>>,
}

/// Something that happened at a table.
///
/// Ends that follow from the rules, such as a completed line, are computed and not stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A player took an open seat.
    Seated {
        /// Which seat.
        seat: Seat,
        /// Who holds it from now on.
        holder: Holder,
    },
    /// A turn was completed.
    Turn(Turn),
    /// A seat made an offer to the others.
    Offered {
        /// Which seat.
        seat: Seat,
        /// The offer.
        offer: Offer,
    },
    /// The game ended, but not by its rules.
    Ended {
        /// Why.
        reason: EndReason,
        /// The seats that caused it.
        seats: SeatSet,
    },
    /// Every human seat offered a rematch, and this game was created.
    RematchCreated(GameId),
}

/// What a seat may offer to the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offer {
    /// To play again, with seats shifted by one.
    Rematch,
}

/// Why a game ended, if not by its rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// The connections of these seats have ended.
    Leaving,
}

/// An idempotency key, as it is stored with the entry of its request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The client's text: 1 to 128 visible ASCII characters.
    pub text: String,
    /// A hash of the request: the same key with another request is refused.
    pub request: u64,
}

/// The idempotency key of a request that is being made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RequestKey {
    /// As it is stored.
    pub key: Key,
    /// The hash that older versions computed; their keys are still valid.
    pub former_hash: u64,
}

impl RequestKey {
    /// Whether `stored` is the key of the same request.
    pub fn is_repeat_of(&self, stored: &Key) -> bool {
        let hashes = [self.key.request, self.former_hash];
        self.key.text == stored.text && hashes.contains(&stored.request)
    }
}

/// How long a key is remembered, in milliseconds.
pub const KEY_LIFETIME_MS: u64 = 24 * 3_600 * 1_000;

/// Who holds a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Nobody yet.
    Open(OpenTo),
    /// A person, or a program that acts like one.
    Human {
        /// The name that was given; may be empty.
        name: String,
        /// For a seat that lasts as long as a TCP connection: the process that has the connection.
        node: Option<NodeId>,
    },
    /// A robot, by its strategy.
    Robot(StrategyName),
}

/// How an open seat is offered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpenTo {
    /// Everybody who knows the game's id.
    Link,
    /// Everybody: the seat is listed in the lobby.
    Lobby,
}

impl Holder {
    /// The player's name in a record.
    pub fn player(&self) -> Player {
        match self {
            Holder::Open(_) => Player::Human(String::new()),
            Holder::Human { name, .. } => Player::Human(name.clone()),
            Holder::Robot(strategy) => Player::Robot(strategy.to_string()),
        }
    }

    /// Whether the seat is open.
    pub fn is_open(&self) -> bool {
        matches!(self, Holder::Open(_))
    }

    /// Whether a person holds it.
    pub fn is_human(&self) -> bool {
        matches!(self, Holder::Human { .. })
    }
}

/// A set of seats; a table has at most 64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeatSet(u64);

impl SeatSet {
    /// No seat.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// One seat alone.
    pub fn only(seat: Seat) -> SeatSet {
        SeatSet(1u64.checked_shl(seat.0.into()).unwrap_or(0))
    }

    /// The set with one more seat.
    #[must_use]
    pub fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | SeatSet::only(seat).0)
    }

    /// All of both.
    #[must_use]
    pub fn union(self, other: SeatSet) -> SeatSet {
        SeatSet(self.0 | other.0)
    }

    /// Whether the seat is among them.
    pub fn contains(self, seat: Seat) -> bool {
        self.0 & SeatSet::only(seat).0 != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them, ascending.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..64).map(Seat).filter(move |seat| self.contains(*seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> SeatSet {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}
