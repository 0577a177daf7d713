//! The log of a game: everything that happens at a table, in order.

use noughts_engine::StrategyName;
use noughts_rules::{Seat, Turn};

use crate::id::{GameId, NodeId, PlayerId};

/// One item of a game's log, with its time. Entries are numbered from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// The time of the entry, in milliseconds since 1970. It is never earlier than the time of the previous entry.
    pub at_ms: u64,
    /// What happened.
    pub entry: Entry,
    /// The idempotency key of the request that caused the entry; `None` if the request had no key.
    pub key: Option<Box<Key>>,
}

/// Something that happened at a table.
///
/// The log does not store an end that follows from the rules, such as a completed line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A player took an open seat.
    Seated {
        /// The seat that was open.
        seat: Seat,
        /// The new holder.
        holder: Holder,
    },
    /// A turn was completed.
    Turn(Turn),
    /// A seat made an offer to the other seats.
    Offered {
        /// The seat that made the offer.
        seat: Seat,
        /// What the seat offered.
        offer: Offer,
    },
    /// A seat answered an offer.
    Answered {
        /// The seat that answered.
        seat: Seat,
        /// Whether the seat accepted or declined, and which kind of offer.
        answer: Answer,
    },
    /// The current turn got more time, because nothing could be stored during an outage.
    TimeAdded {
        /// The added time, in milliseconds.
        ms: u64,
        /// The end of the outage, in milliseconds since 1970. With this value, a table adds the time of each
        /// outage only once.
        until_ms: u64,
    },
    /// The game ended for a reason that is not a turn.
    Ended {
        /// Why the game ended.
        reason: EndReason,
        /// The seats to which the reason refers.
        seats: SeatSet,
    },
    /// Every human seat offered a rematch, and this game was created.
    RematchCreated(GameId),
}

/// What a seat may offer to the other seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offer {
    /// An offer to end the game as a draw.
    Draw,
    /// An offer to take back the last play of the offering seat and all later plays.
    Takeback,
    /// An offer to play another game, in which each player has the next seat.
    Rematch,
}

impl Offer {
    /// The name of the offer, in the API and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Offer::Draw => "draw",
            Offer::Takeback => "takeback",
            Offer::Rematch => "rematch",
        }
    }

    /// The offer with this name; `None` if there is no such offer.
    pub fn from_word(word: &str) -> Option<Offer> {
        let all = [Offer::Draw, Offer::Takeback, Offer::Rematch];
        all.into_iter().find(|offer| offer.word() == word)
    }
}

/// An answer to an offer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// The seat accepts the offer.
    Accept(Offer),
    /// The seat declines the offer. A seat that declines its own offer withdraws the offer.
    Decline(Offer),
}

/// Why a game ended, if no turn ended it. Below, `seats` is the field `seats` of [`Entry::Ended`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// The connections of `seats` have ended.
    Leaving,
    /// The seats in `seats` agreed on a draw.
    Agreement,
    /// The time of the seat in `seats` ran out.
    Time,
    /// The seat in `seats` aborted the game, or did not complete its first turn in time. If `seats` has all
    /// seats, an operator has ended the game.
    Aborted,
    /// The seat in `seats` claimed the win, because all other players were away.
    WinClaimed,
    /// The seat in `seats` claimed a draw, because all other players were away.
    DrawClaimed,
}

/// An idempotency key as stored with the entry of its request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The client's text: 1 to 128 visible ASCII characters.
    pub text: String,
    /// A hash of the request. The server refuses the same key with another request.
    pub request: u64,
}

/// The idempotency key of a request that the server has just received.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RequestKey {
    /// The key as it will be stored.
    pub key: Key,
    /// The hash that older versions of the server computed for this request. The keys that those versions stored are
    /// still valid.
    pub former_hash: u64,
}

impl RequestKey {
    /// Whether `stored` is the key of the same request.
    pub fn is_repeat_of(&self, stored: &Key) -> bool {
        let hashes = [self.key.request, self.former_hash];
        self.key.text == stored.text && hashes.contains(&stored.request)
    }
}

/// How long a key is valid, in milliseconds.
pub const KEY_LIFETIME_MS: u64 = 24 * 3_600 * 1_000;

/// The holder of a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// The seat is free. The value says who may take it.
    Open(OpenTo),
    /// An unregistered person, or an unregistered program that plays like a person.
    Human {
        /// The name that the player has given; may be empty.
        name: String,
        /// The node that has the TCP connection of the client in this seat; `None` if the client does not use TCP.
        node: Option<NodeId>,
    },
    /// A registered player. The player's name is not stored here, so that renaming or deleting the player changes the
    /// name at every table.
    Player(PlayerId),
    /// A robot, by its strategy.
    Robot(StrategyName),
}

/// Who may take an open seat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpenTo {
    /// Anyone who has the game's link. The table is not in lists.
    Link,
    /// Anyone who has the game's link. The table is in lists.
    ListedLink,
    /// Anyone. The table is in the lobby.
    Lobby,
}

impl Holder {
    /// Whether the seat is open.
    pub fn is_open(&self) -> bool {
        matches!(self, Holder::Open(_))
    }

    /// Whether a person, or a program that plays like a person, holds the seat.
    pub fn is_human(&self) -> bool {
        match self {
            Holder::Human { .. } | Holder::Player(_) => true,
            Holder::Open(_) | Holder::Robot(_) => false,
        }
    }

    /// Whether a robot holds the seat.
    pub fn is_robot(&self) -> bool {
        matches!(self, Holder::Robot(_))
    }

    /// The registered player who holds the seat; `None` for all other holders.
    pub fn player_id(&self) -> Option<PlayerId> {
        match self {
            Holder::Player(player) => Some(*player),
            Holder::Open(_) | Holder::Human { .. } | Holder::Robot(_) => None,
        }
    }
}

/// A set of seats. A table has at most 64 seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeatSet(u64);

impl SeatSet {
    /// The empty set.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// The set that contains only `seat`.
    pub fn only(seat: Seat) -> SeatSet {
        SeatSet(1u64.checked_shl(seat.0.into()).unwrap_or(0))
    }

    /// This set with `seat` added.
    #[must_use]
    pub fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | SeatSet::only(seat).0)
    }

    /// The seats that are in `self`, in `other` or in both.
    #[must_use]
    pub fn union(self, other: SeatSet) -> SeatSet {
        SeatSet(self.0 | other.0)
    }

    /// The seats that are in exactly one of the two sets.
    #[must_use]
    pub fn symmetric_difference(self, other: SeatSet) -> SeatSet {
        SeatSet(self.0 ^ other.0)
    }

    /// Whether the set contains the seat.
    pub fn contains(self, seat: Seat) -> bool {
        self.0 & SeatSet::only(seat).0 != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One bit per seat; seat 0 is the lowest bit.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The seats, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..64).map(Seat).filter(move |seat| self.contains(*seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> SeatSet {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}
