//! `noughts backup`, `noughts restore` and `noughts migrate`.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use noughts_rules::Quoted;
use noughts_server::{
    BackupCounts, BackupError, Store, StoreError, SyncMode, back_up, check_backup, copy_store,
    open_current_store, open_store, restore,
};

use crate::Failure;
use crate::args::{Backup, Migrate, Restore};
use crate::progress;

pub(crate) fn back_up_store(task: &Backup) -> Result<(), Failure> {
    run(async |spinner| {
        let store = open_current_store(&task.store).await;
        let store = store.map_err(Failure::invalid)?;
        let counts = back_up(&*store, &task.file, progress_callback(&spinner)).await;
        let counts = counts.map_err(|error| with_file_name(&task.file, &error))?;
        Ok(format!("{} is complete", task.file.display()) + &in_words(counts))
    })
}

pub(crate) fn restore_store(task: &Restore) -> Result<(), Failure> {
    run(async |spinner| {
        // Check the backup first, because opening the store may create a file or tables.
        let expected =
            check_backup(&task.file).map_err(|error| with_file_name(&task.file, &error))?;
        let store = open_empty(&task.store).await?;
        let counts = restore(&task.file, &*store, progress_callback(&spinner)).await;
        let counts = counts.map_err(|error| with_file_name(&task.file, &error))?;
        debug_assert_eq!(counts, expected);
        store.close().await.map_err(Failure::invalid)?;
        Ok(format!("the backup is restored{}", in_words(counts)))
    })
}

pub(crate) fn migrate_store(task: &Migrate) -> Result<(), Failure> {
    run(async |spinner| {
        let from = open_current_store(&task.from).await;
        let from = from.map_err(|error| with_option("--from", &error))?;
        refuse_used(&*from).await?;
        let to = open_empty(&task.to).await;
        let to = to.map_err(|failure| with_option("--to", &failure))?;
        let counts = copy_store(&*from, &*to, progress_callback(&spinner)).await;
        let counts = counts.map_err(Failure::invalid)?;
        to.close().await.map_err(Failure::invalid)?;
        Ok(format!("the store is copied{}", in_words(counts)))
    })
}

/// Runs `work`, and prints the summary that `work` returns.
fn run(work: impl AsyncFnOnce(ProgressBar) -> Result<String, Failure>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let spinner = progress::spinner();
    let done = runtime.block_on(work(spinner.clone()));
    spinner.finish_and_clear();
    Ok(writeln!(io::stdout(), "{}", done?)?)
}

fn progress_callback(spinner: &ProgressBar) -> impl Fn(u64) + Send + 'static {
    let spinner = spinner.clone();
    move |rows| spinner.set_message(format!("{rows} rows"))
}

/// Opens the store into which data is loaded, or creates the store. Refuses `memory:`. Does not check that the store is
/// empty, because `restore` and `copy_store` check this.
async fn open_empty(address: &str) -> Result<Box<dyn Store>, Failure> {
    if address == "memory:" {
        return Err(Failure::invalid(
            "games in memory: are lost when this command ends: give sqlite:FILE or postgres://USER@HOST/DATABASE",
        ));
    }
    open_store(address, SyncMode::Full)
        .await
        .map_err(Failure::invalid)
}

/// Time between the two checks in `refuse_used`. It is longer than the time between two sweeps of a running server.
const SWEEP_WAIT: Duration = Duration::from_millis(2_500);

/// Returns an error if a server uses the store, because the copy would lack the turns that are played during
/// the copy.
async fn refuse_used(store: &dyn Store) -> Result<(), Failure> {
    let last_sweep = async || -> Result<u64, StoreError> { store.last_sweep_ms().await };
    let before = last_sweep().await.map_err(Failure::invalid)?;
    tokio::time::sleep(SWEEP_WAIT).await;
    match last_sweep().await.map_err(Failure::invalid)? == before {
        true => Ok(()),
        false => Err(Failure::invalid(
            "a server uses the store (--from): stop it first, because the copy would lack its latest turns",
        )),
    }
}

/// Converts an error. Adds the name of the file to every error that is not an error of the store.
fn with_file_name(file: &Path, error: &BackupError) -> Failure {
    match error {
        BackupError::Store(error) => Failure::invalid(error),
        BackupError::Write(_)
        | BackupError::Read(_)
        | BackupError::NotABackup
        | BackupError::TooNew(_)
        | BackupError::Incomplete
        | BackupError::Damaged
        | BackupError::Line { .. } => {
            let file = file.to_string_lossy();
            Failure::invalid(format_args!("{}: {error}", Quoted::from(&*file)))
        }
    }
}

fn with_option(option: &str, error: &dyn Display) -> Failure {
    Failure::invalid(format_args!("{option}: {error}"))
}

fn in_words(counts: BackupCounts) -> String {
    let count = |number: u64, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    };
    format!(
        ": {} with {}, {}",
        count(counts.games, "game", "games"),
        count(counts.entries, "entry", "entries"),
        count(counts.players, "player", "players"),
    )
}
