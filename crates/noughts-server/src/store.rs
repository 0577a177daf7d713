//! Where games are stored: one append-only log per game.
//!
//! The key (game, number) of an entry is the only lock, for one process and for fifty: of two that append the same
//! number, one gets [`Appended::Conflict`]. An entry needs its predecessor, so a log has no gaps. Entries never
//! change, and only retention deletes them.

mod codec;
mod error;
mod group_commit;
mod listing;
mod memory;
mod migrations;
mod open;
mod postgres;
mod shared_sql;
mod sqlite;
mod unreadable_games;
mod waiting;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use noughts_rules::Variant;

use crate::bus::Bus;
use crate::id::{GameId, NodeId};
use crate::table::{
    CreationKey, Ending, Holder, LogEntry, NewGame, SeatSet, Settings, Status, Summary,
};

pub use memory::Memory;
pub use open::open_store;
pub use postgres::Postgres;
pub use sqlite::{Sqlite, SyncMode};
pub use waiting::{Match, Matches, WaitingId, WaitingList, WaitingPlayer};

/// The future reply of a store.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A store of games. What a reply confirms is durable. After an error it is unknown whether something was stored;
/// read the log to find out.
pub trait Store: Send + Sync + 'static {
    /// Creates a game with an unused id. If a game was created with the same key (same scope and text, or text alone
    /// for keys of older versions) within the last 24 hours, nothing is stored, and the reply is that game.
    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created>;

    /// The game that was created with this key, and the key as it was stored. Only `scope` and
    /// `key.text` matter, and keys older than 24 hours before `now_ms` do not count.
    fn created_with(
        &self,
        key: CreationKey,
        now_ms: u64,
    ) -> Reply<'_, Option<(GameId, CreationKey)>>;

    /// Appends entries to a game's log, together or not at all.
    fn append<'a>(&'a self, append: &'a Append) -> Reply<'a, Appended>;

    /// A whole game; `None` if there is no such game.
    fn load(&self, game: GameId) -> Reply<'_, Option<StoredGame>>;

    /// The entries after number `after`, and the number of the latest; `None` if there is no such game.
    fn entries_after(&self, game: GameId, after: u32) -> Reply<'_, Option<LogTail>>;

    /// Stores a finished game that was played elsewhere, as a whole or not at all.
    fn import(&self, game: StoredGame, summary: Summary) -> Reply<'_, Created>;

    /// A page of the lobby and the archive, newest first. A row that cannot be read is left out and
    /// logged; it never fails the page.
    fn list(&self, query: ListQuery) -> Reply<'_, Vec<ListedGame>>;

    /// The stored analysis of a finished game, as text that only its writer reads.
    fn analysis(&self, game: GameId) -> Reply<'_, Option<String>>;

    /// Stores an analysis, unless there is one or there is no such game.
    fn store_analysis(&self, game: GameId, analysis: String) -> Reply<'_, ()>;

    /// 32 random bytes, created with the store, from which seat tokens are derived. Equal for every process that uses
    /// the store.
    fn secret(&self) -> Reply<'_, [u8; 32]>;

    /// Increments this node's counter and reads those of the others, the store's clock, and the
    /// games whose deadline passed more than `grace_ms` ago. `now_ms` is the caller's clock, by which
    /// a store without a clock of its own compares deadlines.
    fn sweep(&self, node: NodeId, now_ms: u64, grace_ms: u64) -> Reply<'_, Sweep>;

    /// Moves the deadline of a game that has one: no node can act there now. Nothing happens where the
    /// game was changed or deleted meanwhile.
    fn postpone(&self, game: GameId, deadline_ms: u64) -> Reply<'_, ()>;

    /// The unfinished games with TCP seats of this node, and those seats. A game that cannot be read is left out and
    /// logged.
    fn seats_of_node(&self, node: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>>;

    /// Removes a dead node and its presence. Its seats have left before.
    fn remove_node(&self, node: NodeId) -> Reply<'_, ()>;

    /// Sets which seats have a connected player on this node, for these games. Only shared stores need this.
    fn set_presence(&self, node: NodeId, seats: Vec<(GameId, SeatSet)>) -> Reply<'_, ()> {
        let _ = (node, seats);
        Box::pin(std::future::ready(Ok(())))
    }

    /// The number of the latest entry of each of these games, and which seats have a connected player on another node.
    /// Only shared stores need this.
    fn positions(&self, node: NodeId, games: Vec<GameId>) -> Reply<'_, Vec<LogPosition>> {
        let _ = (node, games);
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Replaces the list of players that wait at this node, pairs the waiting players of all nodes and
    /// creates their games, all of it or nothing. `now_ms` is the caller's clock, which counts where
    /// the store has none. Only stores that nodes share are asked.
    fn match_waiting(&self, node: NodeId, list: WaitingList, now_ms: u64) -> Reply<'_, Matches> {
        let _ = (node, list, now_ms);
        Box::pin(std::future::ready(Ok(Matches::default())))
    }

    /// Deletes some of the games without an entry since this time. Returns their ids; none when there
    /// are no more. A game that cannot be read is deleted like any other.
    fn forget(&self, before_ms: u64) -> Reply<'_, Vec<GameId>>;

    /// Makes a small write, for readiness checks.
    fn check_writable(&self) -> Reply<'_, ()>;

    /// Prepares for the end of the process: SQLite moves everything into the main file.
    fn close(&self) -> Reply<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Counts of writes since it was opened.
    fn write_counts(&self) -> WriteCounts {
        WriteCounts::default()
    }

    /// The bus to the other nodes that share this store; this one is `node`.
    fn bus(&self, node: NodeId) -> Bus {
        let _ = node;
        Bus::alone()
    }
}

/// Selects id, time of creation and seats of at most `$3` games with status `$1` and no entry since `$2`. An index finds
/// them, oldest first.
const OLD_GAMES: &str = "SELECT id, created_ms, seats FROM games WHERE status = $1 \
    AND created_ms < $2 AND coalesce((SELECT at_ms FROM entries WHERE game = id \
    ORDER BY number DESC LIMIT 1), 0) < $2 ORDER BY created_ms, id LIMIT $3";

/// The tables with rows of a game, except players, and the column that names the game.
const TABLES_OF_GAMES: [(&str, &str); 3] =
    [("entries", "game"), ("analyses", "game"), ("games", "id")];

/// Maximum number of overdue games that one sweep returns.
const MAX_OVERDUE: usize = 100;

/// Entries to append to a game's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Append {
    /// Which game.
    pub game: GameId,
    /// Its variant, by which moves are written.
    pub variant: Variant,
    /// The number of the first entry.
    pub first: u32,
    /// At least one.
    pub entries: Vec<LogEntry>,
    /// What lists show from now on, if that changes.
    pub summary: Option<Summary>,
    /// A game to create together with the entries, and what lists show of it. Its key is ignored.
    pub new_game: Option<(NewGame, Summary)>,
}

/// The result of an append.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Appended {
    /// They are stored.
    Stored,
    /// Not stored: the log has other entries at these numbers, or is shorter.
    Conflict,
    /// There is no such game.
    NoSuchGame,
}

/// The result of creating a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Created {
    /// It is stored.
    Stored,
    /// The key was used before, for this game; the key as it was stored.
    Existing(GameId, CreationKey),
}

/// A game as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    /// The settings of its table.
    pub settings: Settings,
    /// The key of the request that created it.
    pub key: Option<CreationKey>,
    /// Its log, oldest first.
    pub entries: Vec<LogEntry>,
}

/// The end of a game's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogTail {
    /// The number of the latest entry.
    pub last: u32,
    /// The requested entries, oldest first.
    pub entries: Vec<LogEntry>,
}

/// What one sweep found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sweep {
    /// The other nodes, each with its counter.
    pub others: Vec<(NodeId, u64)>,
    /// The store's own clock, in milliseconds since 1970; `None` if it has none.
    pub now_ms: Option<u64>,
    /// Some of the games whose deadline has passed, oldest deadline first.
    pub overdue: Vec<GameId>,
}

/// The state of a game in a shared store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogPosition {
    /// Which game.
    pub game: GameId,
    /// The number of its latest entry.
    pub entry: u32,
    /// The seats with a connected player on another node.
    pub present: SeatSet,
}

/// What a store has written since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteCounts {
    /// Transactions.
    pub batches: u64,
    /// Writes in them.
    pub writes: u64,
    /// Time spent on them, in microseconds.
    pub micros: u64,
}

/// Which games to list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListQuery {
    /// Only games of this variant; `multi@N` counts as `multi`.
    pub variant: Option<Variant>,
    /// Only games of a player with exactly this name.
    pub player: Option<String>,
    /// Only games with this status. Unlisted games are never listed.
    pub status: Option<Status>,
    /// Only games created before this one, the last of the previous page.
    pub before: Option<(u64, GameId)>,
    /// The size of a page.
    pub limit: usize,
}

impl ListQuery {
    /// Whether a game matches, regardless of the page.
    pub fn matches(&self, listed: &ListedGame) -> bool {
        let sits = |name: &String| {
            let is = |holder: &Holder| matches!(holder, Holder::Human { name: n, .. } if n == name);
            listed.summary.holders.iter().any(is)
        };
        let status = listed.summary.status;
        status != Status::Unlisted
            && self.status.is_none_or(|wanted| wanted == status)
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

/// A game as the lobby and the archive list it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedGame {
    /// Its id.
    pub id: GameId,
    /// Which game.
    pub variant: Variant,
    /// The size of its history.
    pub history: u16,
    /// Whether its first position is not the variant's own.
    pub has_start: bool,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: u64,
    /// Its players and status.
    pub summary: Summary,
}

impl ListedGame {
    /// How it ended, if it did.
    pub fn ending(&self) -> Option<&Ending> {
        self.summary.ending.as_ref()
    }
}

/// Why a store failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoreError {
    /// It cannot be reached, or did not reply in time. Trying again may help.
    Unavailable(String),
    /// It cannot write: the disk is full or read-only, or the file is gone.
    NotWritable(String),
    /// Its content cannot be read.
    Corrupt(String),
    /// It was made by a newer version of this program.
    TooNew {
        /// Its schema.
        schema: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// It cannot be opened, or the address is wrong.
    Invalid(String),
}

impl StoreError {
    /// A new game has the id of a stored one. Ids are random, so this is not by chance.
    fn another_game(id: GameId) -> StoreError {
        StoreError::Invalid(format!("there is another game with the id {id}"))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Unavailable(why) => write!(f, "the store does not reply: {why}"),
            StoreError::NotWritable(why) => write!(f, "the store cannot write: {why}"),
            StoreError::Corrupt(what) => write!(f, "the store cannot be read: {what}"),
            StoreError::TooNew { schema, known } => write!(
                f,
                "the store was made by a newer version of noughts: its schema is {schema}, \
                 and this version knows schemas up to {known}"
            ),
            StoreError::Invalid(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {}
