//! Backups: copies a store to a file, a file to a store, or one store to another. The file is text: a header, then each
//! table of the database with its columns and rows, and a last line with the number of rows and a checksum. If the last
//! line is missing, the file was cut off. The format is the same for every kind of store.

mod file;

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::store::{DumpItem, Store, StoreError};
use file::{BackupReader, create_file, write_items};

/// Maximum number of rows that wait in each channel, between a store and a file or between two stores.
const QUEUE: usize = 1_000;

/// What a backup contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BackupCounts {
    /// The number of rows in all tables together.
    pub rows: u64,
    /// The number of games.
    pub games: u64,
    /// The number of log entries in all games together.
    pub entries: u64,
    /// The number of registered players.
    pub players: u64,
}

impl BackupCounts {
    fn add(&mut self, table: &str) {
        self.rows += 1;
        match table {
            "games" => self.games += 1,
            "entries" => self.entries += 1,
            "players" => self.players += 1,
            _ => {}
        }
    }
}

/// Why a backup was not made or not restored.
#[derive(Debug)]
pub enum BackupError {
    /// The store failed, or it refuses the operation, for example because it is not empty.
    Store(StoreError),
    /// The file cannot be written.
    Write(io::Error),
    /// The file cannot be read.
    Read(io::Error),
    /// The file is not a backup.
    NotABackup,
    /// A newer version of this program made the file. Contains a message that names what this version does not support.
    TooNew(String),
    /// The end of the file is missing.
    Incomplete,
    /// The content does not match the row count and the checksum in the last line, or something follows that line.
    Damaged,
    /// A line of the file has the wrong form.
    Line {
        /// The number of the line, counted from 1.
        number: u64,
        /// What is wrong with the line.
        why: &'static str,
    },
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackupError::Store(error) => error.fmt(f),
            BackupError::Write(error) => write!(f, "cannot write the backup: {error}"),
            BackupError::Read(error) => write!(f, "cannot read the backup: {error}"),
            BackupError::NotABackup => f.write_str("this file is not a backup of noughts"),
            BackupError::TooNew(what) => write!(
                f,
                "the backup was made by a newer version of noughts: {what}"
            ),
            BackupError::Incomplete => f.write_str(
                "the backup is incomplete: its end is missing, because the file was cut off or its copy did not finish",
            ),
            BackupError::Damaged => {
                f.write_str("the backup is damaged: its content does not match its checksum")
            }
            BackupError::Line { number, why } => {
                write!(f, "the backup is damaged: line {number}: {why}")
            }
        }
    }
}

impl std::error::Error for BackupError {}

impl From<StoreError> for BackupError {
    fn from(error: StoreError) -> BackupError {
        BackupError::Store(error)
    }
}

/// Writes a consistent snapshot of `store` to the new file `path`. Fails if this file exists already. Other
/// processes may use the store at the same time. Calls `progress` from time to time with the number of rows
/// written so far. After an error, no new file is left.
pub async fn back_up(
    store: &dyn Store,
    path: &Path,
    progress: impl Fn(u64) + Send + 'static,
) -> Result<BackupCounts, BackupError> {
    let (to, from) = mpsc::channel(QUEUE);
    let path = path.to_owned();
    let written =
        spawn_blocking(move || create_file(&path, |file| write_items(file, from, progress)));
    let (dumped, written) = tokio::join!(dump_into(store, to), written);
    // If the dump fails, `written` is an error too, which only says that the end of the dump is missing. So the
    // function returns the error of the dump first.
    dumped?;
    written.map_err(|error| BackupError::Write(io::Error::other(error)))?
}

async fn dump_into(store: &dyn Store, to: mpsc::Sender<DumpItem>) -> Result<(), StoreError> {
    store.dump(to).await
}

/// Checks a whole backup file, and counts what it contains.
pub fn check_backup(path: &Path) -> Result<BackupCounts, BackupError> {
    read_file(path, |_| true)
}

fn read_file(path: &Path, take: impl FnMut(DumpItem) -> bool) -> Result<BackupCounts, BackupError> {
    let file = File::open(path).map_err(BackupError::Read)?;
    BackupReader::new(BufReader::new(file)).read(take)
}

/// Loads a backup into an empty store. After an error the store is unchanged.
pub async fn restore(
    path: &Path,
    store: &dyn Store,
    progress: impl Fn(u64) + Send + 'static,
) -> Result<BackupCounts, BackupError> {
    let (to, from) = mpsc::channel(QUEUE);
    let path = path.to_owned();
    let read = spawn_blocking(move || {
        let mut rows = 0;
        read_file(&path, |item| {
            rows += 1;
            report(rows, &progress);
            to.blocking_send(item).is_ok()
        })
    });
    let (read, loaded) = tokio::join!(read, store.load_dump(from));
    let read = read.map_err(|error| BackupError::Read(io::Error::other(error)))?;
    // If the file cannot be read, `loaded` is an error too, which only says that the end of the dump is missing. So the
    // function returns the error of the file first.
    let counts = read?;
    loaded?;
    Ok(counts)
}

/// Copies all data from one store into an empty store of any kind. After an error the target store is unchanged.
pub async fn copy_store(
    from: &dyn Store,
    to: &dyn Store,
    progress: impl Fn(u64),
) -> Result<BackupCounts, BackupError> {
    let (dump, mut dumped) = mpsc::channel(QUEUE);
    let (load, loaded) = mpsc::channel(QUEUE);
    let count = async {
        let mut counts = BackupCounts::default();
        let mut table = "";
        while let Some(item) = dumped.recv().await {
            match &item {
                DumpItem::Table { table: next, .. } => table = next.name,
                DumpItem::Row(_) => {
                    counts.add(table);
                    report(counts.rows, &progress);
                }
                DumpItem::End => {}
            }
            if load.send(item).await.is_err() {
                break;
            }
        }
        // Closes both channels, so that the dump and the load end too.
        drop((dumped, load));
        counts
    };
    let (dumped, counts, loaded) = tokio::join!(dump_into(from, dump), count, to.load_dump(loaded));
    dumped?;
    loaded?;
    Ok(counts)
}

/// Calls `progress` if `rows` is a multiple of 1 024.
fn report(rows: u64, progress: &impl Fn(u64)) {
    if rows.is_multiple_of(1_024) {
        progress(rows);
    }
}
