//! Games in one SQLite file.
//!
//! One connection makes all writes. New games and appends are written by group commit. Other connections read the
//! latest commit at the same time.

mod dump;
mod file;
mod migrate;
mod operator;
mod players;
mod read;
mod statement;
mod write;
mod writer;

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use tokio::sync::mpsc;

use self::file::DatabaseFile;
use self::writer::Writer;
use super::codec::{AppendRows, GameRow};
use super::group_commit::{Counter, GroupCommit};
use super::migrations::Opening;
use super::operator::operator_operations;
use super::player_sql::player_operations;
use super::present_games::PresentGames;
use super::unreadable_games::UnreadableGames;
use super::waiting::WaitingPlayers;
use super::{
    Append, Appended, Ban, Created, Deletion, DumpItem, LinkCreation, ListQuery, ListedGame,
    LogTail, Matches, OperatorSettings, QuickMatch, Redemption, Reply, SecretHash, Store,
    StoreError, StoredGame, StoredPlayer, Sweep, WaitingCount, WaitingId, WaitingList, WriteCounts,
};
use crate::id::{GameId, NodeId, PlayerId};
use crate::table::{CreationKey, NewGame, SeatSet, Summary};

/// A store in one SQLite file, which one process uses.
#[derive(Debug)]
pub struct Sqlite {
    writer: Arc<Writer>,
    group_commit: GroupCommit,
    counter: Arc<Counter>,
    readers: SqlitePool,
    file: Arc<DatabaseFile>,
    unreadable: UnreadableGames,
    /// The games with a connected player. Kept in memory, like `waiting`, because only one process uses the
    /// file.
    present: PresentGames,
    waiting: tokio::sync::Mutex<WaitingPlayers>,
}

/// When a commit is confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SyncMode {
    /// A commit is confirmed when it is on disk. Confirmed writes survive a power failure.
    #[default]
    Full,
    /// A commit is confirmed when the operating system has it. Confirmed writes survive a crash of the process, but a
    /// power failure may lose the latest confirmed writes.
    Normal,
}

impl FromStr for SyncMode {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<SyncMode, StoreError> {
        match text {
            "full" => Ok(SyncMode::Full),
            "normal" => Ok(SyncMode::Normal),
            other => Err(StoreError::Invalid(format!(
                "sync is full or normal, not {other:?}"
            ))),
        }
    }
}

/// Maximum number of reading connections. Reads take microseconds, so more connections would not help.
const MAX_READERS: u32 = 4;

/// Number of pages (of 4 KB) in the write-ahead log at which SQLite copies them into the database file. SQLite's
/// default is 1 000. With 10 000, more changes of one page are copied together: 1 000 clients played about 8 % more
/// turns per second. The slowest of 1 000 commits took 34 ms instead of 13 ms.
const WAL_PAGES: u32 = 10_000;

/// How long to wait for a lock of another process, such as a backup, and for a free reading connection.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl Sqlite {
    /// Opens the file, or creates it. On Unix, only the owner can read a new file, because it contains the
    /// secret for seat tokens. A file of an older version is migrated. A file of a newer version or of
    /// another program is refused and not changed.
    pub async fn open(path: &Path, sync: SyncMode) -> Result<Sqlite, StoreError> {
        Sqlite::open_as(path, sync, Opening::Migrate).await
    }

    pub(super) async fn open_as(
        path: &Path,
        sync: SyncMode,
        opening: Opening,
    ) -> Result<Sqlite, StoreError> {
        let opened = Sqlite::open_file(path, sync, opening).await;
        opened.map_err(|error| error.on_opening(&path.display().to_string()))
    }

    async fn open_file(
        path: &Path,
        sync: SyncMode,
        opening: Opening,
    ) -> Result<Sqlite, StoreError> {
        match opening {
            Opening::Migrate => file::create_private(path)?,
            Opening::RefuseOlder if path.exists() => {}
            Opening::RefuseOlder => {
                return Err(StoreError::Invalid("there is no such file".to_owned()));
            }
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(BUSY_TIMEOUT)
            .statement_cache_capacity(200);
        migrate::check(&options, opening).await?;
        let writing = options
            .clone()
            .journal_mode(SqliteJournalMode::Wal)
            .pragma("wal_autocheckpoint", WAL_PAGES.to_string())
            .synchronous(match sync {
                SyncMode::Full => SqliteSynchronous::Full,
                SyncMode::Normal => SqliteSynchronous::Normal,
            });
        let file = Arc::new(DatabaseFile::new(path)?);
        let writer = Arc::new(Writer::open(writing, Arc::clone(&file)).await?);
        let readers = SqlitePoolOptions::new()
            // All connections are opened at the start and kept. A connection that is opened later could open
            // another file that has replaced the database file.
            .min_connections(MAX_READERS)
            .max_connections(MAX_READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(BUSY_TIMEOUT)
            // A connection to a file does not break, so it needs no test.
            .test_before_acquire(false)
            .after_connect({
                let file = Arc::clone(&file);
                move |_, _| {
                let is_same = file.check();
                let is_same = is_same.map_err(|error| sqlx::Error::Configuration(error.into()));
                Box::pin(std::future::ready(is_same))
            }})
            .connect_with(options.pragma("query_only", "on"))
            .await?;
        let counter = Arc::new(Counter::default());
        Ok(Sqlite {
            group_commit: GroupCommit::start(&writer, 1, &counter),
            writer,
            counter,
            readers,
            file,
            unreadable: UnreadableGames::default(),
            present: PresentGames::default(),
            waiting: tokio::sync::Mutex::default(),
        })
    }

    /// Takes a reading connection from the pool.
    async fn reader(&self) -> Result<PoolConnection<sqlx::Sqlite>, StoreError> {
        self.file.check_shared_memory()?;
        Ok(self.readers.acquire().await?)
    }

    /// Begins a read transaction: all its reads see the same state.
    async fn snapshot(&self) -> Result<sqlx::Transaction<'_, sqlx::Sqlite>, StoreError> {
        self.file.check_shared_memory()?;
        Ok(self.readers.begin().await?)
    }

    /// Limits the file to `pages` pages of 4 KiB. A file that is already larger is limited to its current
    /// size. Writes beyond the limit fail as on a full disk. Returns the limit in pages.
    pub async fn limit_pages(&self, pages: u32) -> Result<u32, StoreError> {
        self.writer.limit_pages(pages).await
    }
}

/// Runs a write in its own transaction. The connection's lock is fair, so at most one batch of the group commit comes
/// before this write.
macro_rules! in_transaction {
    ($self:ident, $work:path $(, $argument:expr)*) => {
        Box::pin(async move {
            $self.counter.count(1, async {
                let mut transaction = $self.writer.begin().await?;
                let done = $work(transaction.connection() $(, $argument)*).await;
                transaction.end(done).await
            }).await
        })
    };
}

/// Runs a read on a connection of the pool.
macro_rules! on_connection {
    ($self:ident, $work:path $(, $argument:expr)*) => {
        Box::pin(async move { $work(&mut *$self.reader().await? $(, $argument)*).await })
    };
}

impl Sqlite {
    fn create_pairs<'a>(&'a self, games: &'a [GameRow]) -> Reply<'a, ()> {
        in_transaction!(self, write::create_pairs, games)
    }
}

impl Store for Sqlite {
    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created> {
        Box::pin(self.group_commit.create(GameRow::new(&game, &summary)))
    }

    fn created_with(
        &self,
        key: CreationKey,
        now_ms: u64,
    ) -> Reply<'_, Option<(GameId, CreationKey)>> {
        on_connection!(self, read::created_with, &key.scope, &key.key.text, now_ms)
    }

    fn append<'a>(&'a self, append: &'a Append) -> Reply<'a, Appended> {
        Box::pin(async move { self.group_commit.append(AppendRows::new(append)?).await })
    }

    fn load(&self, game: GameId) -> Reply<'_, Option<StoredGame>> {
        Box::pin(async move { read::load(&mut *self.snapshot().await?, game).await })
    }

    fn entries_after(&self, game: GameId, after: u32) -> Reply<'_, Option<LogTail>> {
        Box::pin(
            async move { read::entries_after(&mut *self.snapshot().await?, game, after).await },
        )
    }

    fn import(&self, game: StoredGame, summary: Summary) -> Reply<'_, Created> {
        in_transaction!(self, write::import, &game, &summary)
    }

    fn list(&self, query: ListQuery) -> Reply<'_, Vec<ListedGame>> {
        Box::pin(async move {
            let mut from = self.snapshot().await?;
            let is_present = |game| self.present.contains(game);
            read::list_in_transaction(&mut from, query, &self.unreadable, is_present).await
        })
    }

    fn analysis(&self, game: GameId) -> Reply<'_, Option<String>> {
        on_connection!(self, read::analysis, game)
    }

    fn store_analysis(&self, game: GameId, analysis: String) -> Reply<'_, ()> {
        in_transaction!(self, write::store_analysis, game, &analysis)
    }

    fn secret(&self) -> Reply<'_, [u8; 32]> {
        on_connection!(self, read::secret)
    }

    fn sweep(&self, node: NodeId, now_ms: u64, grace_ms: u64) -> Reply<'_, Sweep> {
        in_transaction!(self, write::sweep, node, now_ms, grace_ms)
    }

    fn postpone(&self, game: GameId, before_ms: u64, deadline_ms: u64) -> Reply<'_, ()> {
        in_transaction!(self, write::postpone, game, before_ms, deadline_ms)
    }

    fn seats_of_node(&self, node: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>> {
        on_connection!(self, read::seats_of_node, node, &self.unreadable)
    }

    fn set_presence(&self, node: NodeId, seats: Vec<(GameId, SeatSet)>) -> Reply<'_, ()> {
        self.present.set(node, &seats);
        Box::pin(std::future::ready(Ok(())))
    }

    fn remove_node(&self, node: NodeId) -> Reply<'_, ()> {
        self.present.remove_node(node);
        in_transaction!(self, write::remove_node, node)
    }

    fn match_waiting(&self, node: NodeId, list: WaitingList, now_ms: u64) -> Reply<'_, Matches> {
        Box::pin(async move {
            let mut waiting = self.waiting.lock().await;
            let Some(plan) = waiting.plan(node, &list, now_ms) else {
                return Ok(Matches::default());
            };
            if !plan.games.is_empty() {
                let games = plan.games.iter();
                let games = games.map(|(new, summary)| GameRow::new(new, summary));
                let games: Vec<GameRow> = games.collect();
                self.create_pairs(&games).await?;
            }
            Ok(waiting.carry_out(plan, node, list.version, now_ms))
        })
    }

    fn quick_match(&self, id: WaitingId) -> Reply<'_, Option<QuickMatch>> {
        Box::pin(async move { Ok(self.waiting.lock().await.quick_match(id)) })
    }

    fn waiting_counts(&self) -> Reply<'_, Vec<WaitingCount>> {
        Box::pin(async move { Ok(self.waiting.lock().await.counts()) })
    }

    fn forget(&self, before_ms: u64) -> Reply<'_, Vec<GameId>> {
        in_transaction!(self, write::forget, before_ms)
    }

    player_operations!();

    operator_operations!();

    fn dump(&self, to: mpsc::Sender<DumpItem>) -> Reply<'_, ()> {
        Box::pin(async move { dump::dump(&mut *self.snapshot().await?, &to).await })
    }

    fn load_dump(&self, from: mpsc::Receiver<DumpItem>) -> Reply<'_, ()> {
        in_transaction!(self, dump::load_dump, from)
    }

    fn last_sweep_ms(&self) -> Reply<'_, u64> {
        Box::pin(async move { dump::last_sweep_ms(&mut *self.reader().await?).await })
    }

    fn check_writable(&self) -> Reply<'_, ()> {
        in_transaction!(self, write::probe)
    }

    fn close(&self) -> Reply<'_, ()> {
        Box::pin(self.writer.checkpoint())
    }

    fn write_counts(&self) -> WriteCounts {
        self.counter.counts()
    }
}
