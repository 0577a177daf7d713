//! Games in one SQLite file.
//!
//! One connection writes, by group commit. Others read the latest commit at the same time.

mod file;
mod migrate;
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

use self::file::DatabaseFile;
use self::writer::Writer;
use super::codec::{AppendRows, GameRow};
use super::group_commit::{Counter, GroupCommit};
use super::unreadable_games::UnreadableGames;
use super::{
    Append, Appended, Created, ListQuery, ListedGame, LogTail, Reply, Store, StoreError,
    StoredGame, Sweep, WriteCounts,
};
use crate::id::{GameId, NodeId};
use crate::table::{CreationKey, NewGame, SeatSet, Summary};

/// Games in one SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    writer: Arc<Writer>,
    group_commit: GroupCommit,
    counter: Arc<Counter>,
    readers: SqlitePool,
    file: Arc<DatabaseFile>,
    unreadable: UnreadableGames,
}

/// When a commit is confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SyncMode {
    /// When the disk has it: confirmed writes survive a power failure.
    #[default]
    Full,
    /// When the operating system has it: confirmed writes survive a crash of the process, but a power failure may lose
    /// the latest of them.
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

/// Reads take microseconds, so more connections would not help.
const MAX_READERS: u32 = 4;

/// How long to wait for a lock of another process, such as a backup.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl Sqlite {
    /// Opens the file, or creates it. Only its owner can read it, because it holds the secret for seat tokens. A file
    /// of an older version is migrated; one of a newer version or of another program is refused and not changed.
    pub async fn open(path: &Path, sync: SyncMode) -> Result<Sqlite, StoreError> {
        let opened = Sqlite::open_file(path, sync).await;
        opened.map_err(|error| error.on_opening(&path.display().to_string()))
    }

    async fn open_file(path: &Path, sync: SyncMode) -> Result<Sqlite, StoreError> {
        file::create_private(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(BUSY_TIMEOUT)
            .statement_cache_capacity(200);
        migrate::check(&options).await?;
        let writing = options
            .clone()
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(match sync {
                SyncMode::Full => SqliteSynchronous::Full,
                SyncMode::Normal => SqliteSynchronous::Normal,
            });
        let file = Arc::new(DatabaseFile::new(path)?);
        let writer = Arc::new(Writer::open(writing, Arc::clone(&file)).await?);
        let readers = SqlitePoolOptions::new()
            // All from the start and for ever: a connection that is opened later would read a file that has replaced
            // this one.
            .min_connections(MAX_READERS)
            .max_connections(MAX_READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(BUSY_TIMEOUT)
            // A connection to a file does not break.
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
        })
    }

    /// A connection to read from.
    async fn reader(&self) -> Result<PoolConnection<sqlx::Sqlite>, StoreError> {
        self.file.check_shared_memory()?;
        Ok(self.readers.acquire().await?)
    }

    /// A transaction for reading: all of it sees the same state.
    async fn snapshot(&self) -> Result<sqlx::Transaction<'_, sqlx::Sqlite>, StoreError> {
        self.file.check_shared_memory()?;
        Ok(self.readers.begin().await?)
    }

    /// Limits the file to this many pages of 4 KiB, or to its current size. Beyond that, writes fail as on a full
    /// disk. Returns the limit.
    pub async fn limit_pages(&self, pages: u32) -> Result<u32, StoreError> {
        self.writer.limit_pages(pages).await
    }
}

/// Runs a write in its own transaction. It waits for at most one batch, because the lock of the connection is fair.
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

impl Store for Sqlite {
    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created> {
        Box::pin(self.group_commit.create(GameRow::new(&game, &summary)))
    }

    fn created_with(
        &self,
        key: CreationKey,
        now_ms: u64,
    ) -> Reply<'_, Option<(GameId, CreationKey)>> {
        Box::pin(async move {
            let mut from = self.reader().await?;
            read::created_with(&mut from, &key.scope, &key.key.text, now_ms).await
        })
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
            read::list_in_transaction(&mut *self.snapshot().await?, query, &self.unreadable).await
        })
    }

    fn analysis(&self, game: GameId) -> Reply<'_, Option<String>> {
        Box::pin(async move { read::analysis(&mut *self.reader().await?, game).await })
    }

    fn store_analysis(&self, game: GameId, analysis: String) -> Reply<'_, ()> {
        in_transaction!(self, write::store_analysis, game, &analysis)
    }

    fn secret(&self) -> Reply<'_, [u8; 32]> {
        Box::pin(async move { read::secret(&mut *self.reader().await?).await })
    }

    fn sweep(&self, node: NodeId, now_ms: u64, grace_ms: u64) -> Reply<'_, Sweep> {
        in_transaction!(self, write::sweep, node, now_ms, grace_ms)
    }

    fn postpone(&self, game: GameId, deadline_ms: u64) -> Reply<'_, ()> {
        in_transaction!(self, write::postpone, game, deadline_ms)
    }

    fn seats_of_node(&self, node: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>> {
        Box::pin(async move {
            read::seats_of_node(&mut *self.reader().await?, node, &self.unreadable).await
        })
    }

    fn remove_node(&self, node: NodeId) -> Reply<'_, ()> {
        in_transaction!(self, write::remove_node, node)
    }

    fn forget(&self, before_ms: u64) -> Reply<'_, Vec<GameId>> {
        in_transaction!(self, write::forget, before_ms)
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
