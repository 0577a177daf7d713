//! Games in PostgreSQL, which any number of nodes can use at the same time.
//!
//! One statement, which is its own transaction, writes the appends of a batch. Exceptions are appends that create a
//! game, and further appends at the same place in a log. If two nodes append at the same place, the primary key decides
//! which node was first.

mod dump;
mod migrate;
mod notify;
mod operator;
mod players;
mod read;
mod waiting;
mod write;
mod writer;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::mpsc;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use self::writer::Writer;
use super::codec::{AppendRows, GameRow};
use super::group_commit::{Counter, GroupCommit};
use super::migrations::Opening;
use super::operator::operator_operations;
use super::player_sql::player_operations;
use super::unreadable_games::UnreadableGames;
use super::{
    Append, Appended, Ban, Created, Deletion, DumpItem, LinkCreation, ListQuery, ListedGame,
    LogPosition, LogTail, Matches, OperatorSettings, QuickMatch, Redemption, Reply, SecretHash,
    Store, StoreError, StoredGame, StoredPlayer, Sweep, WaitingCount, WaitingId, WaitingList,
    WriteCounts,
};
use crate::bus::Bus;
use crate::id::{GameId, NodeId, PlayerId};
use crate::table::{CreationKey, NewGame, SeatSet, Summary};

/// A store in a PostgreSQL database, which any number of nodes can share.
#[derive(Debug)]
pub struct Postgres {
    pool: PgPool,
    // One queue per kind of request, so that each batch is one statement.
    games: GroupCommit,
    appends: GroupCommit,
    counter: Arc<Counter>,
    unreadable: UnreadableGames,
}

/// Maximum number of connections per node. A PostgreSQL server allows a hundred by default: enough for nine
/// nodes.
const MAX_CONNECTIONS: u32 = 10;

/// Number of batches of appends that are written at the same time. While one batch waits for the disk, the next batch
/// is sent.
const APPEND_LANES: usize = 2;

/// How long to wait for a connection if all connections are in use or the database is unavailable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum time of one statement in the database.
const STATEMENT_TIMEOUT: &str = "5s";

/// Maximum time to wait for a reply, except while a dump is sent or loaded. This timeout is for a database that does
/// not reply at all, so it is longer than [`STATEMENT_TIMEOUT`].
const REPLY_TIMEOUT: Duration = Duration::from_secs(8);

impl Postgres {
    /// Connects to `postgres://user@host/database`. A database of an older version is migrated, which may
    /// take minutes. A database of a newer version or of another program is refused and not changed. If the
    /// database becomes unavailable later, requests fail until it is back.
    pub async fn open(url: &str) -> Result<Postgres, StoreError> {
        Postgres::open_as(url, Opening::Migrate).await
    }

    pub(super) async fn open_as(url: &str, opening: Opening) -> Result<Postgres, StoreError> {
        let opened = Postgres::connect(url, opening).await;
        // The message does not repeat the address, because it may contain a password.
        opened.map_err(|error| error.on_opening("the PostgreSQL database"))
    }

    async fn connect(url: &str, opening: Opening) -> Result<Postgres, StoreError> {
        let options = PgConnectOptions::from_str(url)?;
        let options = options.application_name("noughts").options([
            ("statement_timeout", STATEMENT_TIMEOUT),
            ("lock_timeout", STATEMENT_TIMEOUT),
            ("idle_in_transaction_session_timeout", STATEMENT_TIMEOUT),
        ]);
        // Connects without the pool, because the pool would not report why it cannot connect.
        let connected = timeout(CONNECT_TIMEOUT, options.connect()).await;
        let mut connection = connected.map_err(|_| late())??;
        migrate::check(&mut connection, opening).await?;
        migrate::migrate(&mut connection).await?;
        drop(connection);
        let pool = PgPoolOptions::new()
            .max_connections(MAX_CONNECTIONS)
            .acquire_timeout(CONNECT_TIMEOUT)
            .connect_with(options)
            .await?;
        let counter = Arc::new(Counter::default());
        let writer = Arc::new(Writer { pool: pool.clone() });
        Ok(Postgres {
            games: GroupCommit::start(&writer, 1, &counter),
            appends: GroupCommit::start(&writer, APPEND_LANES, &counter),
            counter,
            pool,
            unreadable: UnreadableGames::default(),
        })
    }
}

fn late() -> StoreError {
    StoreError::Unavailable("the database did not reply in time".to_owned())
}

/// Converts the result of work on a connection. If the database did not reply in time, the connection is
/// closed: on an open connection, the late reply could be taken for the reply to another request.
fn detach_if_late<T, E: Into<StoreError>>(
    connection: PoolConnection<sqlx::Postgres>,
    reply: Result<Result<T, E>, Elapsed>,
) -> Result<T, StoreError> {
    match reply {
        Ok(reply) => reply.map_err(Into::into),
        Err(_) => {
            drop(connection.detach());
            Err(late())
        }
    }
}

/// Runs a function on a connection of the pool, with a timeout.
macro_rules! on_connection {
    ($self:ident, $work:path $(, $argument:expr)*) => {
        Box::pin(async move {
            let mut connection = $self.pool.acquire().await?;
            let reply = timeout(REPLY_TIMEOUT, $work(&mut connection $(, $argument)*)).await;
            detach_if_late(connection, reply)
        })
    };
}

/// Like `on_connection`, but also counts a durable write.
macro_rules! written {
    ($self:ident, $work:path $(, $argument:expr)*) => {
        Box::pin(async move {
            let done = on_connection!($self, $work $(, $argument)*);
            $self.counter.count(1, done).await
        })
    };
}

/// Like `written`, but runs the function in a transaction.
macro_rules! in_transaction {
    ($self:ident, $work:path $(, $argument:expr)*) => {
        Box::pin(async move {
            let mut connection = $self.pool.acquire().await?;
            let done = timeout(REPLY_TIMEOUT, $self.counter.count(1, async {
                let mut at = connection.begin().await?;
                let done = $work(&mut *at $(, $argument)*).await?;
                at.commit().await?;
                Ok(done)
            })).await;
            detach_if_late::<_, StoreError>(connection, done)
        })
    };
}

impl Store for Postgres {
    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created> {
        Box::pin(self.games.create(GameRow::new(&game, &summary)))
    }

    fn created_with(
        &self,
        key: CreationKey,
        now_ms: u64,
    ) -> Reply<'_, Option<(GameId, CreationKey)>> {
        on_connection!(self, read::created_with, &key.scope, &key.key.text, now_ms)
    }

    fn append<'a>(&'a self, append: &'a Append) -> Reply<'a, Appended> {
        Box::pin(async move { self.appends.append(AppendRows::new(append)?).await })
    }

    fn load(&self, game: GameId) -> Reply<'_, Option<StoredGame>> {
        on_connection!(self, read::load, game)
    }

    fn entries_after(&self, game: GameId, after: u32) -> Reply<'_, Option<LogTail>> {
        on_connection!(self, read::entries_after, game, after)
    }

    fn import(&self, game: StoredGame, summary: Summary) -> Reply<'_, Created> {
        written!(self, write::import, &game, &summary)
    }

    fn list(&self, query: ListQuery) -> Reply<'_, Vec<ListedGame>> {
        on_connection!(self, read::list, query, &self.unreadable)
    }

    fn analysis(&self, game: GameId) -> Reply<'_, Option<String>> {
        on_connection!(self, read::analysis, game)
    }

    fn store_analysis(&self, game: GameId, analysis: String) -> Reply<'_, ()> {
        written!(self, write::store_analysis, game, &analysis)
    }

    fn secret(&self) -> Reply<'_, [u8; 32]> {
        on_connection!(self, read::secret)
    }

    /// Uses the database's clock, because the nodes' clocks may differ.
    fn sweep(&self, node: NodeId, _: u64, grace_ms: u64) -> Reply<'_, Sweep> {
        written!(self, write::sweep, node, grace_ms)
    }

    fn postpone(&self, game: GameId, before_ms: u64, deadline_ms: u64) -> Reply<'_, ()> {
        written!(self, write::postpone, game, before_ms, deadline_ms)
    }

    fn seats_of_node(&self, node: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>> {
        on_connection!(self, read::seats_of_node, node, &self.unreadable)
    }

    fn remove_node(&self, node: NodeId) -> Reply<'_, ()> {
        written!(self, write::remove_node, node)
    }

    fn set_presence(&self, node: NodeId, seats: Vec<(GameId, SeatSet)>) -> Reply<'_, ()> {
        written!(self, write::set_presence, node, &seats)
    }

    fn positions(&self, node: NodeId, games: Vec<GameId>) -> Reply<'_, Vec<LogPosition>> {
        on_connection!(self, read::positions, node, &games)
    }

    fn match_waiting(&self, node: NodeId, list: WaitingList, _: u64) -> Reply<'_, Matches> {
        written!(self, waiting::match_waiting, node, &list)
    }

    fn quick_match(&self, id: WaitingId) -> Reply<'_, Option<QuickMatch>> {
        on_connection!(self, waiting::quick_match, id)
    }

    fn waiting_counts(&self) -> Reply<'_, Vec<WaitingCount>> {
        on_connection!(self, waiting::counts)
    }

    fn forget(&self, before_ms: u64) -> Reply<'_, Vec<GameId>> {
        written!(self, write::forget, before_ms)
    }

    player_operations!();

    operator_operations!();

    /// A dump has no timeout, because it takes as long as its receiver needs.
    fn dump(&self, to: mpsc::Sender<DumpItem>) -> Reply<'_, ()> {
        Box::pin(async move { dump::dump_snapshot(&mut *self.pool.acquire().await?, &to).await })
    }

    fn load_dump(&self, from: mpsc::Receiver<DumpItem>) -> Reply<'_, ()> {
        Box::pin(
            async move { dump::load_in_transaction(&mut *self.pool.acquire().await?, from).await },
        )
    }

    fn last_sweep_ms(&self) -> Reply<'_, u64> {
        on_connection!(self, dump::last_sweep_ms)
    }

    fn check_writable(&self) -> Reply<'_, ()> {
        written!(self, write::probe)
    }

    fn write_counts(&self) -> WriteCounts {
        self.counter.counts()
    }

    fn bus(&self, node: NodeId) -> Bus {
        notify::bus(self.pool.clone(), node)
    }
}
