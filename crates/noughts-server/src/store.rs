//! Where games and players are stored. Each game is an append-only log.
//!
//! Callers need no lock to append, neither within a process nor between processes. If two callers append entries with
//! the same number to a game, only one of them succeeds, and the other gets [`Appended::Conflict`]. Entry N is stored
//! only if the log has entry N - 1, so a log has no gaps. Entries never change; they are deleted only together with
//! their game.

mod codec;
mod dump;
mod error;
mod group_commit;
mod listing;
mod memory;
mod migrations;
mod open;
mod operator;
mod player_sql;
mod players;
mod postgres;
mod present_games;
mod shared_sql;
mod sqlite;
mod unreadable_games;
mod waiting;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use noughts_rules::{ClockSettings, Variant};

use tokio::sync::mpsc;

use crate::bus::Bus;
use crate::id::{GameId, NodeId, PlayerId};
use crate::table::{
    CreationKey, Ending, Holder, LogEntry, NewGame, Outage, SeatSet, Settings, Status, Summary,
};

pub use dump::{ColumnKind, DUMPED, DumpItem, DumpTable, DumpValue};
pub use memory::Memory;
pub(crate) use migrations::SCHEMA;
pub use open::{open_current_store, open_store};
pub use operator::{Ban, OperatorSettings};
pub use players::{
    Deletion, LINK_LIFETIME_MS, LinkCreation, MAX_LINKS, MAX_TOKENS, Redemption, SecretHash,
    StoredPlayer,
};
pub use postgres::Postgres;
pub use sqlite::{Sqlite, SyncMode};
pub use waiting::{
    MAX_QUICK_MATCHES, Match, MatchRequest, Matches, QUICK_MATCH_LASTS_MS, QuickMatch,
    WaitingCount, WaitingId, WaitingList, WaitingPlayer,
};

/// A future that returns the reply of a store.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A store of games and players. When a reply confirms a change, the change is stored. A store in memory
/// keeps the change until the process ends. SQLite keeps it according to the [`SyncMode`], PostgreSQL
/// according to the settings of the database. Exceptions: a store in memory keeps only the latest finished
/// games, and SQLite keeps presence and waiting players only in memory. After an error the caller does not
/// know whether the write was stored, and must read the log to find out.
pub trait Store: Send + Sync + 'static {
    /// Creates a game, whose id must be unused. If a game was created with the same key within the last 24 hours,
    /// nothing is stored, and the reply has the id of that game. Two keys are the same if they have the same scope and
    /// text. Keys that older versions of the server stored have no scope; for these keys, only the text is compared.
    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created>;

    /// The game that was created with this key, and the key as it was stored. Keys are compared as in
    /// [`create`](Store::create). Returns `None` if no game has this key, or if the key was stored more than
    /// 24 hours before `now_ms`.
    fn created_with(
        &self,
        key: CreationKey,
        now_ms: u64,
    ) -> Reply<'_, Option<(GameId, CreationKey)>>;

    /// Appends entries to a game's log: all of them or none.
    fn append<'a>(&'a self, append: &'a Append) -> Reply<'a, Appended>;

    /// A whole game; `None` if there is no such game.
    fn load(&self, game: GameId) -> Reply<'_, Option<StoredGame>>;

    /// The entries after number `after`, and the number of the latest entry; `None` if there is no such game.
    fn entries_after(&self, game: GameId, after: u32) -> Reply<'_, Option<LogTail>>;

    /// Stores a finished game that was not played at this server: all of it or nothing.
    fn import(&self, game: StoredGame, summary: Summary) -> Reply<'_, Created>;

    /// A page of a list of games, newest first. A row that cannot be read is left out and logged; the other rows are
    /// still returned.
    fn list(&self, query: ListQuery) -> Reply<'_, Vec<ListedGame>>;

    /// The stored analysis of a finished game; `None` if there is none. The store does not interpret the
    /// text.
    fn analysis(&self, game: GameId) -> Reply<'_, Option<String>>;

    /// Stores an analysis. Does nothing if the game has an analysis already or does not exist.
    fn store_analysis(&self, game: GameId, analysis: String) -> Reply<'_, ()>;

    /// 32 random bytes from which seat tokens are derived. The bytes were created together with the store.
    /// Every process that uses the store gets the same bytes.
    fn secret(&self) -> Reply<'_, [u8; 32]>;

    /// Increments this node's counter, which shows the other nodes that this node is alive. Returns the
    /// counters of the other nodes, the time of the store's clock, some of the games whose deadline passed
    /// more than `grace_ms` ago, and the latest outages. An outage is a period of more than three seconds in
    /// which no node sweeps. `now_ms` is the time of the caller's clock. Stores without their own clock use
    /// `now_ms`.
    fn sweep(&self, node: NodeId, now_ms: u64, grace_ms: u64) -> Reply<'_, Sweep>;

    /// Sets the deadline of a game to `deadline_ms` if the stored deadline is before `before_ms`. Otherwise, or if
    /// the game was deleted, does nothing.
    fn postpone(&self, game: GameId, before_ms: u64, deadline_ms: u64) -> Reply<'_, ()>;

    /// The unfinished games in which TCP clients of `node` have seats, and these seats. Games that cannot be read are
    /// left out and logged.
    fn seats_of_node(&self, node: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>>;

    /// Removes a dead or stopped node and the presence that this node has stored. Before this call, the node's TCP
    /// clients must have left their games.
    fn remove_node(&self, node: NodeId) -> Reply<'_, ()>;

    /// Stores for each game which seats have a connected player on `node`.
    fn set_presence(&self, node: NodeId, seats: Vec<(GameId, SeatSet)>) -> Reply<'_, ()>;

    /// For each game in `games` that exists: the number of the game's latest entry, and the seats with a connected
    /// player on a node other than `node`. Only stores that several nodes share implement this function; for other
    /// stores the list is empty.
    fn positions(&self, node: NodeId, games: Vec<GameId>) -> Reply<'_, Vec<LogPosition>> {
        let _ = (node, games);
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Replaces the list of clients that wait at this node, and adds new quick matches. Then pairs players of
    /// all nodes who want the same game, and creates their games. The store ignores a list if a newer list of
    /// the same node has already arrived. `now_ms` is the time of the caller's clock. Stores without their
    /// own clock use `now_ms`.
    fn match_waiting(&self, node: NodeId, list: WaitingList, now_ms: u64) -> Reply<'_, Matches>;

    /// A quick match that waits or was paired; `None` if the store does not know the id. The store may forget
    /// a paired quick match after ten minutes, or earlier if 10 000 other quick matches have been paired
    /// since.
    fn quick_match(&self, id: WaitingId) -> Reply<'_, Option<QuickMatch>>;

    /// The number of waiting quick matches, by variant and clock.
    fn waiting_counts(&self) -> Reply<'_, Vec<WaitingCount>>;

    /// Deletes some old games: games that were created before `before_ms` and have no entry at or after
    /// `before_ms`. Unreadable games are deleted too. Returns the ids of the deleted games. The list is empty
    /// if there are no more games to delete, or if another node is deleting games.
    fn forget(&self, before_ms: u64) -> Reply<'_, Vec<GameId>>;

    /// Creates a player and its first token. The id of the player must be unused.
    fn create_player(&self, player: StoredPlayer, token: SecretHash) -> Reply<'_, ()>;

    /// The player that a token belongs to; `None` if the token belongs to no player.
    fn player_of_token(&self, token: SecretHash) -> Reply<'_, Option<StoredPlayer>>;

    /// The players in `ids` that exist, in any order.
    fn players(&self, ids: Vec<PlayerId>) -> Reply<'_, Vec<StoredPlayer>>;

    /// Renames a player. Returns whether the player exists.
    fn rename_player(&self, player: PlayerId, name: String) -> Reply<'_, bool>;

    /// Deletes a player with its tokens and link codes, unless the player has running games. The player's finished
    /// games stay.
    fn delete_player(&self, player: PlayerId) -> Reply<'_, Deletion>;

    /// Deletes all tokens of a player except `kept`. Returns the number of deleted tokens.
    fn revoke_other_tokens(&self, player: PlayerId, kept: SecretHash) -> Reply<'_, u64>;

    /// Stores a link code. Within [`LINK_LIFETIME_MS`], another device can redeem the code once for a token.
    fn create_link(
        &self,
        player: PlayerId,
        code: SecretHash,
        now_ms: u64,
    ) -> Reply<'_, LinkCreation>;

    /// Redeems a link code, which can be used once: `token` becomes a token of the player who created the code.
    fn redeem_link(
        &self,
        code: SecretHash,
        token: SecretHash,
        now_ms: u64,
    ) -> Reply<'_, Redemption>;

    /// Deletes old players without games. Checks some of the players whose latest check was before `before_ms`; the
    /// creation of a player counts as its first check. Returns the number of checked players: 0 if there are no more
    /// players to check.
    fn expire_players(&self, before_ms: u64, now_ms: u64) -> Reply<'_, usize>;

    /// The settings of the operator, which apply to all nodes.
    fn operator_settings(&self) -> Reply<'_, OperatorSettings> {
        Box::pin(std::future::ready(Ok(OperatorSettings::default())))
    }

    /// Bans a network, or replaces its ban.
    fn set_ban(&self, ban: Ban) -> Reply<'_, ()> {
        let _ = ban;
        Box::pin(std::future::ready(Err(without_operator_settings())))
    }

    /// Removes the ban of exactly this network. Returns whether this ban existed.
    fn remove_ban(&self, network: String) -> Reply<'_, bool> {
        let _ = network;
        Box::pin(std::future::ready(Err(without_operator_settings())))
    }

    /// Replaces the announcement; `None` removes it.
    fn announce(&self, text: Option<String>) -> Reply<'_, ()> {
        let _ = text;
        Box::pin(std::future::ready(Err(without_operator_settings())))
    }

    /// Lists at most `limit` players whose ids are greater than `after`, ordered by id. If `after` is `None`,
    /// the list begins with the smallest id.
    fn list_players(&self, after: Option<PlayerId>, limit: usize) -> Reply<'_, Vec<StoredPlayer>> {
        let _ = (after, limit);
        Box::pin(std::future::ready(Err(without_operator_settings())))
    }

    /// Deletes a game with everything that belongs to it. Returns whether the game existed.
    fn delete_game(&self, game: GameId) -> Reply<'_, bool> {
        let _ = game;
        Box::pin(std::future::ready(Err(without_operator_settings())))
    }

    /// Sends a consistent snapshot of the tables in [`DUMPED`] to `to`. The last item is [`DumpItem::End`].
    /// Other processes may use the store at the same time. Stops without an error if the receiver is dropped.
    fn dump(&self, to: mpsc::Sender<DumpItem>) -> Reply<'_, ()> {
        let _ = to;
        Box::pin(std::future::ready(Err(only_in_memory())))
    }

    /// Loads the dump of another store: all of it or nothing. Fails if this store has games or players, or if
    /// a server uses it.
    fn load_dump(&self, from: mpsc::Receiver<DumpItem>) -> Reply<'_, ()> {
        let _ = from;
        Box::pin(std::future::ready(Err(only_in_memory())))
    }

    /// The time of the latest [`sweep`](Store::sweep) of any node, in milliseconds since 1970; 0 before the
    /// first sweep.
    fn last_sweep_ms(&self) -> Reply<'_, u64> {
        Box::pin(std::future::ready(Err(only_in_memory())))
    }

    /// Makes a small write, for readiness checks.
    fn check_writable(&self) -> Reply<'_, ()>;

    /// Prepares the store for the end of the process. SQLite moves everything from its write-ahead log into
    /// the main file.
    fn close(&self) -> Reply<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The numbers of transactions and writes since the store was opened. A store in memory returns zeros.
    fn write_counts(&self) -> WriteCounts {
        WriteCounts::default()
    }

    /// The bus between this node and the other nodes that share the store.
    fn bus(&self, node: NodeId) -> Bus {
        let _ = node;
        Bus::alone()
    }
}

fn without_operator_settings() -> StoreError {
    StoreError::Invalid(
        "this store cannot store bans or announcements, list players or delete games".to_owned(),
    )
}

fn only_in_memory() -> StoreError {
    StoreError::Invalid(
        "memory: exists only inside its server and cannot be copied: use sqlite:FILE or postgres://…"
            .to_owned(),
    )
}

/// Selects the id, the time of creation and the seats of at most `$3` games. These games have status `$1`,
/// were created before `$2`, and have no entry at or after `$2`. The statement uses an index and returns the
/// oldest games first.
const OLD_GAMES: &str = "SELECT id, created_ms, seats FROM games WHERE status = $1 \
    AND created_ms < $2 AND coalesce((SELECT at_ms FROM entries WHERE game = id \
    ORDER BY number DESC LIMIT 1), 0) < $2 ORDER BY created_ms, id LIMIT $3";

/// The tables whose rows are deleted together with a game, each with the column that has the game's id. Two tables are
/// not included: seat_names, whose rows are found by name, and presence, which only PostgreSQL has.
const TABLES_OF_GAMES: [(&str, &str); 3] =
    [("entries", "game"), ("analyses", "game"), ("games", "id")];

/// Maximum number of players that one statement reads.
const MAX_PLAYERS_READ: usize = 500;

/// Maximum number of players that one call of `expire_players` checks.
const MAX_EXPIRED: usize = 100;

/// A period without a sweep of any node counts as an outage if it is longer than this, in milliseconds. Each
/// node sweeps once per second.
pub(crate) const MIN_OUTAGE_MS: u64 = 3_000;

/// Maximum number of outages that a sweep returns.
const MAX_OUTAGES: usize = 100;

/// Maximum number of overdue games that one sweep returns.
const MAX_OVERDUE: usize = 100;

/// Entries to append to a game's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Append {
    /// The id of the game.
    pub game: GameId,
    /// The variant of the game, which determines the notation of moves.
    pub variant: Variant,
    /// The number of the first entry.
    pub first: u32,
    /// The entries, at least one.
    pub entries: Vec<LogEntry>,
    /// The new summary of the game for lists; `None` if the stored summary can stay as it is.
    pub summary: Option<Summary>,
    /// A game to create together with the entries, and the summary of that game for lists. The creation key of the new
    /// game is ignored.
    pub new_game: Option<(NewGame, Summary)>,
}

/// The result of an append.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Appended {
    /// The entries are stored.
    Stored,
    /// Nothing is stored: the log already has an entry with the number [`Append::first`], or it lacks the entry before
    /// this number.
    Conflict,
    /// There is no such game.
    NoSuchGame,
}

/// The result of creating a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Created {
    /// The game is stored.
    Stored,
    /// Nothing is stored, because the key was used before. Contains the game that was created with the key, and the key
    /// as it was stored.
    Existing(GameId, CreationKey),
}

/// A game as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    /// The settings of the game's table.
    pub settings: Settings,
    /// The idempotency key of the request that created the game; `None` if the request had no key.
    pub key: Option<CreationKey>,
    /// The entries of the game's log, oldest first.
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
    /// The time of the store's own clock, in milliseconds since 1970; `None` if the store has no clock.
    pub now_ms: Option<u64>,
    /// Some of the games whose deadline passed more than `grace_ms` ago (see [`Store::sweep`]), oldest
    /// deadline first.
    pub overdue: Vec<GameId>,
    /// The latest outages, newest first.
    pub outages: Vec<Outage>,
}

/// The number of a game's latest entry and the presence of its players, in a store that several nodes share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogPosition {
    /// The id of the game.
    pub game: GameId,
    /// The number of the game's latest entry.
    pub entry: u32,
    /// The seats with a connected player on a node other than the node that asks.
    pub present: SeatSet,
}

/// What a store has written since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteCounts {
    /// Number of transactions.
    pub batches: u64,
    /// Number of writes in all transactions.
    pub writes: u64,
    /// Time spent on all transactions, in microseconds.
    pub micros: u64,
}

/// Which games to list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListQuery {
    /// Only games of this variant. Games of `multi@N` count as games of `multi`.
    pub variant: Option<Variant>,
    /// Only games of this player.
    pub player: Option<PlayerFilter>,
    /// Only games with this status; `None` for games with any status except [`Status::Unlisted`]. Unlisted games appear
    /// only in the list of a player's running games ([`PlayerFilter::Running`]).
    pub status: Option<Status>,
    /// Leaves out waiting games that are not *attended* at this time. A waiting game is attended if a player
    /// is connected, or if the table was created less than [`ATTENDED_MS`] earlier. `None` lists all waiting
    /// games.
    pub attended_at_ms: Option<u64>,
    /// The creation time and id of the last game of the previous page. The page begins with the next older
    /// game. `None` for the first page.
    pub before: Option<(u64, GameId)>,
    /// Maximum number of games in a page.
    pub limit: usize,
}

/// How long a new table counts as attended even if no player is connected, in milliseconds.
pub const ATTENDED_MS: u64 = 30_000;

/// Whose games to list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerFilter {
    /// Games with exactly this name at a seat. The names of registered players are not searched.
    Name(String),
    /// Games of this registered player.
    Player(PlayerId),
    /// All games of this registered player that are not over, including unlisted games. The status of the query is
    /// ignored.
    Running(PlayerId),
}

impl PlayerFilter {
    fn matches(&self, holder: &Holder) -> bool {
        match self {
            PlayerFilter::Name(wanted) => {
                matches!(holder, Holder::Human { name, .. } if name == wanted)
            }
            PlayerFilter::Player(player) | PlayerFilter::Running(player) => {
                holder.player_id() == Some(*player)
            }
        }
    }
}

impl ListQuery {
    /// All listed games: the first page, with at most `limit` games.
    pub fn all(limit: usize) -> ListQuery {
        ListQuery {
            variant: None,
            player: None,
            status: None,
            attended_at_ms: None,
            before: None,
            limit,
        }
    }

    /// Whether a waiting game is left out because it is not attended. `is_present` tells whether a player is connected.
    fn leaves_out(&self, listed: &ListedGame, is_present: impl FnOnce(GameId) -> bool) -> bool {
        match (self.attended_at_ms, listed.summary.status) {
            (Some(at_ms), Status::Waiting) => {
                let is_new = at_ms < listed.created_ms.saturating_add(ATTENDED_MS);
                !is_new && !is_present(listed.id)
            }
            (Some(_) | None, _) => false,
        }
    }

    /// Whether a game matches the query. Does not check the fields `before`, `limit` and `attended_at_ms`.
    pub fn matches(&self, listed: &ListedGame) -> bool {
        let status = listed.summary.status;
        let has_status = match self.player {
            Some(PlayerFilter::Running(_)) => status != Status::Over,
            Some(PlayerFilter::Name(_) | PlayerFilter::Player(_)) | None => {
                status != Status::Unlisted && self.status.is_none_or(|wanted| wanted == status)
            }
        };
        let sits = |wanted: &PlayerFilter| {
            let holders = &listed.summary.holders;
            holders.iter().any(|holder| wanted.matches(holder))
        };
        has_status
            && self
                .variant
                .is_none_or(|wanted| wanted == family(&listed.variant))
            && self.player.as_ref().is_none_or(sits)
    }
}

/// The variant under which lists show a game: `multi@4` is listed under `multi`.
pub fn family(variant: &Variant) -> Variant {
    match variant {
        Variant::Grid(_) => *variant,
        Variant::Nested(spec) => Variant::Nested(spec.starting_on(None)),
    }
}

/// A game as the lobby and the archive list it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedGame {
    /// The game's id.
    pub id: GameId,
    /// The variant of the game, including the first board of `multi@4`.
    pub variant: Variant,
    /// The limit of a rewind: a rewind takes back fewer marks than this number. With 0 the game has no
    /// rewind.
    pub history: u16,
    /// Whether the game starts in the usual start position of the variant.
    pub starts_empty: bool,
    /// The clock; `None` if the players' time is not limited.
    pub clock: Option<ClockSettings>,
    /// When the game was created, in milliseconds since 1970.
    pub created_ms: u64,
    /// The players and the status.
    pub summary: Summary,
}

impl ListedGame {
    /// A game as lists show it.
    pub(crate) fn new(settings: &Settings, summary: Summary) -> ListedGame {
        ListedGame {
            id: settings.id,
            variant: settings.variant,
            history: settings.history,
            starts_empty: settings.start.is_none(),
            clock: settings.clock,
            created_ms: settings.created_ms,
            summary,
        }
    }

    /// Whether the game starts in the usual position and has no rewind. Quick matches join only such games.
    pub(crate) fn is_plain(&self) -> bool {
        self.starts_empty && self.history == 0
    }

    /// How the game ended; `None` if it is not over.
    pub fn ending(&self) -> Option<&Ending> {
        self.summary.ending.as_ref()
    }
}

/// Why a store failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoreError {
    /// The store cannot be reached, or did not reply in time. A retry may succeed.
    Unavailable(String),
    /// The store cannot write, for example because the disk is full or read-only, or because the file is gone.
    NotWritable(String),
    /// The content of the store cannot be read.
    Corrupt(String),
    /// A newer version of this program created the store.
    TooNew {
        /// The schema of the store.
        schema: i64,
        /// The newest schema that this program supports.
        known: i64,
    },
    /// The store cannot be opened, its address is wrong, or it refuses the operation.
    Invalid(String),
}

impl StoreError {
    /// The error if a new game has the id of a stored game. Ids are random, so this does not happen by chance.
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
