//! Games in one file: SQLite, built in.
//!
//! One connection writes, by group commit; others read beside it, from the last commit.

mod ledger;
mod read;
mod write;

use std::fs::OpenOptions;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Seat;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use self::ledger::SqliteLedger;
use super::row::NewTurn;
use super::writer::{Done, Request, Tally, Writer, surprise};
use super::{
    Answer, Appended, Created, Ending, Last, Listed, NewGame, Query, Sitting, Store, StoreError,
    StoreFigures, StoredGame, StoredTurn,
};
use crate::id::{GameId, NodeId};
use crate::table::Leavers;

/// Games in one file.
#[derive(Debug)]
pub struct Sqlite {
    ledger: Arc<SqliteLedger>,
    writer: Writer,
    tally: Arc<Tally>,
    readers: SqlitePool,
}

/// When a commit is answered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SyncMode {
    /// When the disk has it: what was answered survives a power failure.
    #[default]
    Full,
    /// When the system has it: what was answered survives the process, and a power failure may
    /// take the last moments.
    Normal,
}

impl FromStr for SyncMode {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<SyncMode, StoreError> {
        match text {
            "full" => Ok(SyncMode::Full),
            "normal" => Ok(SyncMode::Normal),
            other => Err(StoreError(format!("sync is full or normal, not {other:?}"))),
        }
    }
}

/// Reading is a matter of microseconds: more connections would only wait for the same processors.
const READERS: u32 = 4;

/// How long a lock of somebody else's is waited for: a backup, or a person with a shell.
const BUSY: Duration = Duration::from_secs(5);

impl Sqlite {
    /// Opens the file, and makes it where there is none, for its owner's eyes only: it holds the
    /// secret that seats' tokens are derived from. Takes as long with a million games as with none.
    pub async fn open(path: &Path, sync: SyncMode) -> Result<Sqlite, StoreError> {
        let told = |why: &dyn std::fmt::Display| {
            StoreError(format!("{} can't be opened: {why}", path.display()))
        };
        make_private(path).map_err(|error| told(&error))?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(BUSY)
            .statement_cache_capacity(200);
        let writing = options
            .clone()
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(match sync {
                SyncMode::Full => SqliteSynchronous::Full,
                SyncMode::Normal => SqliteSynchronous::Normal,
            });
        let ledger = SqliteLedger::open(writing).await;
        let ledger = Arc::new(ledger.map_err(|error| told(&error.0))?);
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(BUSY)
            // A connection to a file does not die unnoticed.
            .test_before_acquire(false)
            .connect_lazy_with(options.pragma("query_only", "on"));
        let tally = Arc::new(Tally::default());
        Ok(Sqlite {
            writer: Writer::start(Arc::clone(&ledger), 1, Arc::clone(&tally)),
            tally,
            ledger,
            readers,
        })
    }

    /// From now on the file takes no more than so many pages of 4 KiB, or as many as it has. What
    /// does not fit is an error, as when the disk is full. Tells how many it takes.
    pub async fn limit_pages(&self, pages: u32) -> Result<u32, StoreError> {
        self.ledger.limit_pages(pages).await
    }
}

#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    // The files beside it, SQLite makes with the same rights.
    options.append(true).create(true).mode(0o600);
    options.open(path).map(drop)
}

#[cfg(not(unix))]
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).open(path).map(drop)
}

impl Store for Sqlite {
    fn create(&self, game: NewGame) -> Answer<'_, Created> {
        Box::pin(self.writer.create(game))
    }

    fn created_with(&self, key: String) -> Answer<'_, Option<GameId>> {
        Box::pin(read::created_with(&self.readers, key))
    }

    fn sit(&self, game: GameId, seat: Seat, sitter: Sitting) -> Answer<'_, Appended> {
        Box::pin(self.writer.append(Request::Sit(game, seat, sitter)))
    }

    fn append(&self, game: GameId, number: usize, turn: StoredTurn) -> Answer<'_, Appended> {
        let turn = NewTurn::acted(game, number, &turn);
        Box::pin(self.writer.append(Request::Turn(turn)))
    }

    fn leave(&self, game: GameId, number: usize, leavers: Leavers) -> Answer<'_, Appended> {
        let turn = NewTurn::left(game, number, leavers);
        Box::pin(self.writer.append(Request::Turn(turn)))
    }

    fn conclude(&self, game: GameId, last: Last, ending: Ending) -> Answer<'_, Appended> {
        let turn = NewTurn::last(game, &last, &ending);
        Box::pin(self.writer.append(Request::Turn(turn)))
    }

    fn finish(&self, game: GameId, ending: Ending) -> Answer<'_, ()> {
        Box::pin(self.writer.note(Request::Finish(game, ending)))
    }

    fn rematch(&self, game: GameId, seat: Seat, next: Option<NewGame>) -> Answer<'_, Appended> {
        Box::pin(self.writer.append(Request::Rematch(game, seat, next)))
    }

    fn load(&self, game: GameId) -> Answer<'_, Option<StoredGame>> {
        Box::pin(read::load(&self.readers, game))
    }

    fn archive(&self, game: StoredGame, ending: Ending) -> Answer<'_, Created> {
        Box::pin(async move {
            let archive = Request::Archive(Box::new(game), ending);
            match self.writer.ask(archive).await? {
                Done::Created(created) => Ok(created),
                other => Err(surprise(&other)),
            }
        })
    }

    fn list(&self, query: Query) -> Answer<'_, Vec<Listed>> {
        Box::pin(read::list(&self.readers, query))
    }

    fn analysis(&self, game: GameId) -> Answer<'_, Option<String>> {
        Box::pin(read::analysis(&self.readers, game))
    }

    fn keep_analysis(&self, game: GameId, analysis: String) -> Answer<'_, ()> {
        Box::pin(self.writer.note(Request::KeepAnalysis(game, analysis)))
    }

    fn figures(&self) -> StoreFigures {
        self.tally.figures()
    }

    fn secret(&self) -> Answer<'_, [u8; 32]> {
        Box::pin(read::secret(&self.readers))
    }

    fn renew(&self, node: NodeId, lasts_ms: u64) -> Answer<'_, Vec<NodeId>> {
        Box::pin(async move {
            match self.writer.ask(Request::Renew(node, lasts_ms)).await? {
                Done::Lapsed(nodes) => Ok(nodes),
                other => Err(surprise(&other)),
            }
        })
    }

    fn tied_to(&self, node: NodeId) -> Answer<'_, Vec<(GameId, Leavers)>> {
        Box::pin(read::tied_to(&self.readers, node))
    }

    fn bury(&self, node: NodeId) -> Answer<'_, ()> {
        Box::pin(self.writer.note(Request::Bury(node)))
    }

    fn tidy(&self) -> Answer<'_, ()> {
        Box::pin(self.ledger.tidy())
    }

    fn forget(&self, before_ms: u64) -> Answer<'_, Vec<GameId>> {
        Box::pin(async move {
            match self.writer.ask(Request::Forget(before_ms)).await? {
                Done::Forgotten(games) => Ok(games),
                other => Err(surprise(&other)),
            }
        })
    }
}
