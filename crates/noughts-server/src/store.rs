//! Where games last: append-only turns, each under its game and number.
//!
//! That key is the lock, for one process and for fifty: of two that write the same turn one is
//! told that somebody was first. Nothing is changed or deleted, but by retention.

mod address;
mod memory;
mod page;
mod postgres;
mod row;
mod schema;
mod sqlite;
mod text;
mod writer;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use noughts_rules::{Conclusion, Seat, Turn, Variant};

use crate::bus::Bus;
use crate::id::{GameId, NodeId};
use crate::table::{Holder, Leavers, Setting};

pub use address::open_store;
pub use memory::Memory;
pub use postgres::Postgres;
pub use sqlite::{Sqlite, SyncMode};

/// A store's answer, when it comes.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where games last. When an answer says that something is stored, it is as durable as the store
/// makes things: what was stored is never lost again, and an error means that nothing was stored,
/// or that nobody knows; then loading the game tells.
pub trait Store: Send + Sync + 'static {
    /// A new game, under an id that no other has. With a key that another game was created with
    /// nothing is stored, and that other game is named.
    fn create(&self, game: NewGame) -> Answer<'_, Created>;

    /// The game that was created with this key; `None` where there is none.
    fn created_with(&self, key: String) -> Answer<'_, Option<GameId>>;

    /// Somebody takes an open seat.
    fn sit(&self, game: GameId, seat: Seat, sitter: Sitting) -> Answer<'_, Appended>;

    /// Turn `number` of a game, counted from 1, whose predecessor is stored. Taken is also what has
    /// the key of another turn of the same seat.
    fn append(&self, game: GameId, number: usize, turn: StoredTurn) -> Answer<'_, Appended>;

    /// These left and ended the game, after turn `number`. No turn may follow.
    fn leave(&self, game: GameId, number: usize, leavers: Leavers) -> Answer<'_, Appended>;

    /// The last that happens at a game and what the archive lists of it, both or neither: whenever
    /// the process ends, no game is over and listed as if it went on.
    fn conclude(&self, game: GameId, last: Last, ending: Ending) -> Answer<'_, Appended>;

    /// What the archive lists of a game that has ended, where that was not stored [with its
    /// end](Store::conclude). To say it again changes nothing.
    fn finish(&self, game: GameId, ending: Ending) -> Answer<'_, ()>;

    /// A seat's wish to play again. When this was the last that was missing, `next` is created, and
    /// its id is remembered as this game's rematch; of two that are last one is told `Taken`.
    fn rematch(&self, game: GameId, seat: Seat, next: Option<NewGame>) -> Answer<'_, Appended>;

    /// Everything of a game; `None` where there is no such game.
    fn load(&self, game: GameId) -> Answer<'_, Option<StoredGame>>;

    /// A game that was played elsewhere and has ended. A store that can be cut off between two turns
    /// should do it all at once: what is half archived would be taken for a game that goes on.
    fn archive(&self, game: StoredGame, ending: Ending) -> Answer<'_, Created> {
        Box::pin(async move {
            let StoredGame { setting, key, .. } = game;
            let id = setting.id;
            if let before @ Created::Before(_) = self.create(NewGame { setting, key }).await? {
                return Ok(before);
            }
            let turns = game.turns.len();
            for (number, turn) in (1..).zip(game.turns) {
                self.append(id, number, turn).await?;
            }
            if let Some(leavers) = game.left {
                self.leave(id, turns, leavers).await?;
            }
            self.finish(id, ending).await?;
            Ok(Created::Stored)
        })
    }

    /// A page of the lobby and the archive, newest first.
    fn list(&self, query: Query) -> Answer<'_, Vec<Listed>>;

    /// What was found out about a finished game, as text that only its writer reads.
    fn analysis(&self, game: GameId) -> Answer<'_, Option<String>>;

    /// Keeps what was found out. To keep it again changes nothing.
    fn keep_analysis(&self, game: GameId, analysis: String) -> Answer<'_, ()>;

    /// What it has done since it was opened, for whoever watches over the server. A store that writes
    /// nothing together says nothing.
    fn figures(&self) -> StoreFigures {
        StoreFigures::default()
    }

    /// 32 bytes that were drawn when the store was made, from which the tokens of seats are
    /// derived. Every process that opens the store gets the same.
    fn secret(&self) -> Answer<'_, [u8; 32]>;

    /// This process lives, and will say so again before `lasts_ms` are over, by the store's own clock
    /// where it has one. Gives those whose word has lapsed; each is given until [`bury`](Store::bury)
    /// is called for it.
    fn renew(&self, node: NodeId, lasts_ms: u64) -> Answer<'_, Vec<NodeId>>;

    /// A process that is gone: the games in which seats are tied to it, with those seats, but for those
    /// that were [finished](Store::finish). Some may have ended and only miss that.
    fn tied_to(&self, node: NodeId) -> Answer<'_, Vec<(GameId, Leavers)>>;

    /// Forgets a process: its seats have left.
    fn bury(&self, node: NodeId) -> Answer<'_, ()>;

    /// How many [entries](StoredGame::entries) these games have by now, those of them that there are.
    /// Asked only where other processes share the store.
    fn entries(&self, _games: Vec<GameId>) -> Answer<'_, Vec<(GameId, usize)>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Forgets some of the games that ended before this time, or in which nothing was played since and
    /// that were made before, with everything of theirs. Tells which; none when there are no more.
    fn forget(&self, before_ms: u64) -> Answer<'_, Vec<GameId>>;

    /// The process is about to end: where games are in a file, all of them are in it from now on, and a
    /// copy of it has them. Nothing is lost without.
    fn tidy(&self) -> Answer<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The bus to the other processes that share this store; this one is called `node`. Where there can
    /// be no others it is that of a process [alone](Bus::alone).
    fn bus(&self, _node: NodeId) -> Bus {
        Bus::alone()
    }
}

/// What a store has done since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreFigures {
    /// How often it made something durable.
    pub batches: u64,
    /// How much that was, in all.
    pub writes: u64,
    /// How long that took, in all.
    pub took_us: u64,
}

/// A game that is to be created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewGame {
    /// How the table is laid.
    pub setting: Setting,
    /// The client's key for this request, with what makes another request another.
    pub key: Option<Key>,
}

/// What became of a game that was to be created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Created {
    /// It is stored.
    Stored,
    /// The key was used before, for this game.
    Before(GameId),
}

/// A key that a client gave to a request, so that it may be repeated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The client's words: 1 to 128 visible ASCII characters.
    pub text: String,
    /// A hash of what was asked for: the same key with another is a mistake.
    pub body: u64,
}

/// Somebody who takes an open seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sitting {
    /// Their name.
    pub name: String,
    /// The process to whose connection the seat is tied, at the TCP doors.
    pub node: Option<NodeId>,
    /// The client's key for this request.
    pub key: Option<Key>,
}

impl Sitting {
    /// Who holds the seat from then on.
    pub fn holder(&self) -> Holder {
        Holder::Human {
            name: self.name.clone(),
            node: self.node,
        }
    }
}

/// A turn with what the store keeps beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredTurn {
    /// Who did what.
    pub turn: Turn,
    /// The client's key for this request; unique in a game and seat.
    pub key: Option<Key>,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}

/// The last that happens at a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Last {
    /// This turn ends it, as in [`append`](Store::append).
    Turn(usize, StoredTurn),
    /// These leave, as in [`leave`](Store::leave).
    Leave(usize, Leavers),
}

/// What became of something that was to be appended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Appended {
    /// It is stored.
    Stored,
    /// Somebody else was first: this one is not stored, that other one is.
    Taken,
}

/// A game as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    /// How the table was laid.
    pub setting: Setting,
    /// The key it was created with.
    pub key: Option<Key>,
    /// Who took an open seat since, in any order.
    pub sat: Vec<(Seat, Sitting)>,
    /// Every turn, oldest first.
    pub turns: Vec<StoredTurn>,
    /// Who ended it by leaving.
    pub left: Option<Leavers>,
    /// The seats that want to play again, in any order.
    pub again: Vec<Seat>,
    /// The game that was made for them.
    pub rematch: Option<GameId>,
    /// Whether what the archive lists of it was [stored](Store::finish).
    pub is_finished: bool,
}

impl StoredGame {
    /// One at which nothing has happened yet.
    pub fn new(new: NewGame) -> StoredGame {
        StoredGame {
            setting: new.setting,
            key: new.key,
            sat: Vec::new(),
            turns: Vec::new(),
            left: None,
            again: Vec::new(),
            rematch: None,
            is_finished: false,
        }
    }

    /// How much is stored of what happened at the table: it grows with everything that shows there, so
    /// who knows of fewer has missed something.
    pub fn entries(&self) -> usize {
        let lone = usize::from(self.left.is_some()) + usize::from(self.rematch.is_some());
        self.turns.len() + self.sat.len() + self.again.len() + lone
    }
}

/// What the archive lists of a finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// How it ended.
    pub conclusion: Conclusion,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}

/// Which games to list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// Only those of this variant, `multi@N` being `multi`.
    pub variant: Option<Variant>,
    /// Only those in which somebody of exactly this name sits or sat.
    pub player: Option<String>,
    /// Only those that stand so.
    pub status: Option<Status>,
    /// Only those created before this one: the last of the page before.
    pub before: Option<(u64, GameId)>,
    /// At most so many.
    pub limit: usize,
}

impl Query {
    /// Whether a listed game is one of those, wherever on the pages.
    pub fn wants(&self, listed: &Listed) -> bool {
        let sits = |name: &String| {
            let is = |holder: &Holder| matches!(holder, Holder::Human { name: n, .. } if n == name);
            listed.holders.iter().any(is)
        };
        self.status.is_none_or(|status| status == listed.status)
            && self
                .variant
                .is_none_or(|wanted| wanted == family(&listed.variant))
            && self.player.as_ref().is_none_or(sits)
    }
}

/// The variant that a game is listed under: `multi@4` is a game of `multi`.
pub fn family(variant: &Variant) -> Variant {
    match variant {
        Variant::Grid(_) => *variant,
        Variant::Nested(spec) => Variant::Nested(spec.starting_on(None)),
    }
}

/// How a game stands, for the lobby.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// A seat that is open to everybody waits for somebody. Seats open to who has the link do not
    /// count: such games are not listed until they are full.
    Waiting,
    /// It is being played.
    Playing,
    /// It is over.
    Over,
}

/// A game as the lobby and the archive list it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its name.
    pub id: GameId,
    /// Which game.
    pub variant: Variant,
    /// The size of its history.
    pub history: u16,
    /// Who sits where now.
    pub holders: Vec<Holder>,
    /// How it stands.
    pub status: Status,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: u64,
    /// How it ended, where it did.
    pub ending: Option<Ending>,
}

/// The store can't be reached, or can't take more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreError(pub String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store does not answer: {}", self.0)
    }
}

impl std::error::Error for StoreError {}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        StoreError(error.to_string())
    }
}
