//! Additional properties of SQLite: one file, which survives the end of the process at any moment.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use noughts_rules::Action;
use noughts_server::{Appended, GameId, ListQuery, Sqlite, Store, StoreError, SyncMode, TOO_LONG};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection, query, query_as};
use tokio::task::JoinSet;

use crate::compare_with_memory;
use crate::games::{
    append, appended, created, game, game_of, holder, keyed, loaded, over, play, seated, summary,
    turn,
};
use crate::properties::every;

/// A directory with one database, removed after the test.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        Place(tempfile::tempdir().expect("there is room for a directory"))
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("noughts.db")
    }

    /// Opens the store without syncing every commit, because no test can cut the power.
    pub(crate) async fn open(&self) -> Sqlite {
        let opened = Sqlite::open(&self.file(), SyncMode::Normal).await;
        opened.expect("the database opens")
    }

    pub(crate) async fn raw(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.file());
        options.connect().await.expect("the file is a database")
    }
}

#[test]
fn sqlite_replies_like_memory() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(ProptestConfig::with_cases(64));
    let compared = runner.run(&compare_with_memory::steps(), |steps| {
        runtime.block_on(async {
            let place = Place::new();
            compare_with_memory::compare(&place.open().await, &steps).await;
        });
        Ok(())
    });
    compared.unwrap();
}

#[tokio::test]
async fn writes_are_counted() {
    let place = Place::new();
    crate::properties::writes_are_counted(Arc::new(place.open().await)).await;
}

#[tokio::test]
async fn nodes_see_each_other_count() {
    let place = Place::new();
    crate::properties::nodes_see_each_other_count(Arc::new(place.open().await)).await;
}

#[tokio::test]
async fn reopened_store_has_everything() {
    let place = Place::new();
    let store = place.open().await;
    let id = created(&store, keyed(game(&["Ann", "lobby", "Dan"]), "s", "k")).await;
    let mut moves = append(
        id,
        1,
        [seated(1, "Bob"), play(0, 4), turn(1, Action::Resign)],
    );
    moves.summary = Some(over(&["Ann", "Bob", "Dan"].map(holder), TOO_LONG, 9));
    assert_eq!(store.append(&moves).await, Ok(Appended::Stored));
    store.store_analysis(id, "drawn".to_owned()).await.unwrap();
    let everything = async |store: &Sqlite| {
        (
            loaded(store, id).await,
            store.secret().await,
            store.analysis(id).await,
            store.list(every()).await,
        )
    };
    let before = everything(&store).await;
    drop(store);
    assert_eq!(everything(&place.open().await).await, before);
}

#[tokio::test]
async fn closed_store_is_one_file() {
    let (place, other) = (Place::new(), Place::new());
    let store = place.open().await;
    let id = created(&store, game(&["Ann", "Bob"])).await;
    store.close().await.unwrap();
    fs::copy(place.file(), other.file()).unwrap();
    assert!(other.open().await.load(id).await.unwrap().is_some());
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let store = place.open().await;
    created(&store, game(&["Ann", "Bob"])).await;
    let mut seen = 0;
    for entry in fs::read_dir(place.0.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{entry:?}");
        seen += 1;
    }
    assert!(seen >= 2, "the database and its log");
}

#[tokio::test]
async fn other_files_are_refused_and_not_changed() {
    let refusal = async |file: &Path| Sqlite::open(file, SyncMode::Full).await.unwrap_err();
    let place = Place::new();
    let missing = refusal(&place.0.path().join("no/such/directory.db")).await;
    assert!(missing.to_string().contains("directory.db"), "{missing}");

    fs::write(place.file(), "not a database at all ".repeat(100)).unwrap();
    let text = fs::read(place.file()).unwrap();
    let error = refusal(&place.file()).await.to_string();
    assert!(
        error.contains("cannot open") && error.contains("noughts.db"),
        "{error}"
    );
    assert_eq!(fs::read(place.file()).unwrap(), text);

    // Made by a newer version, in either journal mode.
    for mode in ["PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = WAL"] {
        // A copy, which no connection of the store has open.
        let (made, place) = (Place::new(), Place::new());
        made.open().await.close().await.unwrap();
        fs::copy(made.file(), place.file()).unwrap();
        let mut raw = place.raw().await;
        for sql in [
            mode,
            "INSERT INTO schema_steps VALUES (1000)",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        ] {
            query(sql).execute(&mut raw).await.unwrap();
        }
        sqlx::Connection::close(raw).await.unwrap();
        let bytes = fs::read(place.file()).unwrap();
        let error = refusal(&place.file()).await;
        let (schema, known) = (1000, 7);
        assert_eq!(error, StoreError::TooNew { schema, known });
        assert_eq!(fs::read(place.file()).unwrap(), bytes);
    }

    let place = Place::new();
    fs::File::create(place.file()).unwrap();
    let mut raw = place.raw().await;
    query("CREATE TABLE diary (day)")
        .execute(&mut raw)
        .await
        .unwrap();
    drop(raw);
    let bytes = fs::read(place.file()).unwrap();
    let error = refusal(&place.file()).await.to_string();
    assert!(error.contains("another program"), "{error}");
    assert_eq!(fs::read(place.file()).unwrap(), bytes);
}

#[tokio::test]
async fn unreadable_game_affects_no_other() {
    let place = Place::new();
    let store = place.open().await;
    let bad = created(&store, game(&["Ann@7", "lobby"])).await;
    let mut moves = append(bad, 1, [seated(1, "Bob"), play(0, 0)]);
    moves.summary = Some(summary(&["Ann@7", "Bob"].map(holder)));
    store.append(&moves).await.unwrap();
    let good = created(&store, game_of("3x3k3", &["Ann@7", "Bob"], 1)).await;
    let mut raw = place.raw().await;
    // Table, column, the damaged value, whether lists leave the game out, and whether the game cannot be loaded.
    let faults = [
        ("entries", "data", "'9-9'", false, true),
        ("entries", "kind", "'mystery'", false, true),
        ("entries", "seat", "1000", false, true),
        ("entries", "seat", "NULL", false, true),
        ("entries", "number", "number + 5", false, true),
        ("games", "variant", "'chess'", true, true),
        ("games", "history", "-1", true, true),
        ("games", "history", "'long'", true, true),
        ("games", "holders", "'x'", false, true),
        ("games", "seats", "'x'", true, false),
        ("games", "outcome", "'draw'", true, false),
        ("games", "created_ms", "x'00'", true, true),
        ("games", "start", "'nowhere'", false, true),
    ];
    for (table, column, value, in_list, in_log) in faults {
        let (key, id) = match table {
            "games" => ("id", bad),
            _ => ("game", bad),
        };
        let bytes = id.number().to_be_bytes().to_vec();
        let run = async |raw: &mut SqliteConnection, sql: String| {
            let sql = sqlx::AssertSqlSafe(sql);
            query(sql).bind(&bytes).execute(raw).await.unwrap();
        };
        run(
            &mut raw,
            format!("CREATE TABLE spare AS SELECT * FROM {table} WHERE {key} = ?"),
        )
        .await;
        run(
            &mut raw,
            format!("UPDATE {table} SET {column} = {value} WHERE {key} = ?"),
        )
        .await;
        let what = format!("{table}.{column} = {value}");
        let listed = store.list(every()).await.expect(&what);
        let has = |id: GameId| listed.iter().any(|listed| listed.id == id);
        assert_eq!((has(good), has(bad)), (true, !in_list), "{what}");
        let small = ListQuery {
            limit: 1,
            ..every()
        };
        let first = store.list(small).await.expect(&what);
        let expected = if in_list { good } else { bad };
        // If the place in the order is unreadable too, the page ends there.
        if column != "created_ms" {
            assert_eq!(first[0].id, expected, "the page is filled: {what}");
        }
        let is_corrupt = matches!(store.load(bad).await, Err(StoreError::Corrupt(_)));
        assert_eq!(is_corrupt, in_log, "{what}");
        loaded(&store, good).await;
        let seats = store.seats_of_node(noughts_server::NodeId(7)).await;
        let seats = seats.expect(&what);
        assert!(seats.iter().any(|(id, _)| *id == good), "{what}");
        run(&mut raw, format!("DELETE FROM {table} WHERE {key} = ?")).await;
        let mend = sqlx::AssertSqlSafe(format!("INSERT INTO {table} SELECT * FROM spare"));
        query(mend).execute(&mut raw).await.unwrap();
        query("DROP TABLE spare").execute(&mut raw).await.unwrap();
        loaded(&store, bad).await;
    }
    // Retention deletes damaged games like any other.
    query("UPDATE games SET seats = 'x', variant = 'chess'")
        .execute(&mut raw)
        .await
        .unwrap();
    let mut forgotten = store.forget(u64::MAX / 2).await.unwrap();
    forgotten.sort_unstable();
    let mut all = [bad, good];
    all.sort_unstable();
    assert_eq!(forgotten, all);
    assert_eq!(store.load(bad).await, Ok(None));
}

#[tokio::test]
async fn full_disk_is_reported_and_leaves_no_partial_write() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    assert_eq!(store.check_writable().await, Ok(()));
    // The limit is the current size of the file, so one more page is too many.
    store.limit_pages(1).await.unwrap();
    let (mut stored, mut refused) = (0, 0);
    while refused < 50 {
        // Several requests at once, so that whole batches fail.
        let mut all = JoinSet::new();
        for _ in 0..10 {
            let store = Arc::clone(&store);
            all.spawn(async move {
                let new = game(&["somebody with a long name ".repeat(20).as_str(), "Bob"]);
                let (id, summary) = (new.settings.id, summary(&new.settings.holders));
                let created = store.create(new, summary).await;
                if let Err(error) = &created {
                    assert!(matches!(error, StoreError::NotWritable(_)), "{error}");
                }
                assert_eq!(store.load(id).await.unwrap().is_some(), created.is_ok());
                created.is_ok()
            });
        }
        for is_stored in all.join_all().await {
            if is_stored { stored += 1 } else { refused += 1 }
        }
        assert!(stored < 10_000, "the disk is never full");
    }
    let check = store.check_writable().await;
    assert!(
        matches!(check, Err(StoreError::NotWritable(_))),
        "{check:?}"
    );
    assert!(loaded(&*store, id).await.entries.is_empty());
    // With a higher limit, writes succeed again.
    store.limit_pages(1_000_000).await.unwrap();
    assert_eq!(store.check_writable().await, Ok(()));
    assert_eq!(appended(&*store, id, 1, play(0, 0)).await, Appended::Stored);
    created(&*store, game(&["Ann", "Bob"])).await;
    let mut raw = place.raw().await;
    let games = count(&mut raw, "SELECT count(*) FROM games").await;
    assert_eq!(games, stored + 2);
    let players = count(&mut raw, "SELECT count(DISTINCT game) FROM seat_names").await;
    assert_eq!(players, games);
}

#[tokio::test]
async fn deleted_or_replaced_file_is_an_error() {
    let is_not_writable = |error: &StoreError, word: &str| matches!(error, StoreError::NotWritable(why) if why.contains(word));
    for word in ["deleted", "replaced"] {
        let place = Place::new();
        let store = place.open().await;
        let id = created(&store, game(&["Ann", "Bob"])).await;
        let aside = place.0.path().join("aside.db");
        fs::rename(place.file(), &aside).unwrap();
        if word == "replaced" {
            fs::write(place.file(), "").unwrap();
        }
        let check = store.check_writable().await.unwrap_err();
        assert!(is_not_writable(&check, word), "{check}");
        let refused = store
            .append(&append(id, 1, [play(0, 0)]))
            .await
            .unwrap_err();
        assert!(is_not_writable(&refused, word), "{refused}");
        let new = game(&["Ann", "Bob"]);
        let holders = new.settings.holders.clone();
        let refused = store.create(new, summary(&holders)).await.unwrap_err();
        assert!(is_not_writable(&refused, word), "{refused}");
        // When the file is back in its place, writes succeed again.
        fs::rename(aside, place.file()).unwrap();
        assert_eq!(loaded(&store, id).await.entries, [], "nothing was written");
        assert_eq!(store.check_writable().await, Ok(()));
        assert_eq!(appended(&store, id, 1, play(0, 0)).await, Appended::Stored);
    }
}

/// A file that is immutable until this value is dropped.
#[cfg(target_os = "linux")]
struct Immutable(PathBuf);

#[cfg(target_os = "linux")]
impl Immutable {
    fn new(path: PathBuf) -> Option<Immutable> {
        let change = std::process::Command::new("chattr")
            .arg("+i")
            .arg(&path)
            .output();
        let is_changed = change.is_ok_and(|change| change.status.success());
        is_changed.then_some(Immutable(path))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Immutable {
    fn drop(&mut self) {
        let _ = std::process::Command::new("chattr")
            .arg("-i")
            .arg(&self.0)
            .output();
    }
}

/// If the store did not check the file, the kernel would kill the process.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn immutable_file_is_not_writable() {
    for end in ["", "-wal", "-shm"] {
        let place = Place::new();
        let store = place.open().await;
        let id = created(&store, game(&["Ann", "Bob"])).await;
        let path = PathBuf::from(format!("{}{end}", place.file().display()));
        let Some(immutable) = Immutable::new(path) else {
            println!("chattr does not work here");
            return;
        };
        for _ in 0..3 {
            let refused = store.append(&append(id, 1, [play(0, 0)])).await;
            assert!(
                matches!(refused, Err(StoreError::NotWritable(_))),
                "{refused:?}"
            );
            let check = store.check_writable().await;
            assert!(
                matches!(check, Err(StoreError::NotWritable(_))),
                "{check:?}"
            );
            // The read may fail, but the process is not killed.
            let _ = store.load(id).await;
        }
        drop(immutable);
        assert_eq!(appended(&store, id, 1, play(0, 0)).await, Appended::Stored);
        assert_eq!(store.check_writable().await, Ok(()));
    }
}

#[tokio::test]
async fn locked_file_is_unavailable() {
    let place = Place::new();
    let store = place.open().await;
    let id = created(&store, game(&["Ann", "Bob"])).await;
    let mut raw = place.raw().await;
    query("BEGIN IMMEDIATE").execute(&mut raw).await.unwrap();
    let (refused, check) = tokio::join!(
        async { store.append(&append(id, 1, [play(0, 0)])).await },
        store.check_writable()
    );
    let is_unavailable = |error: &StoreError| matches!(error, StoreError::Unavailable(_));
    assert!(is_unavailable(&refused.unwrap_err()));
    assert!(is_unavailable(&check.unwrap_err()));
    query("COMMIT").execute(&mut raw).await.unwrap();
    assert_eq!(appended(&store, id, 1, play(0, 0)).await, Appended::Stored);
}

#[tokio::test]
async fn cancelled_write_leaves_the_store_usable() {
    let place = Place::new();
    let store = place.open().await;
    for round in 0..20 {
        // Dropped after its first steps, in the middle of a transaction.
        let mut write = store.check_writable();
        for _ in 0..round {
            let poll = std::future::poll_fn(|context| {
                std::task::Poll::Ready(write.as_mut().poll(context).is_ready())
            });
            if poll.await {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(write);
        created(&store, game(&["Ann", "Bob"])).await;
    }
    assert_eq!(store.list(every()).await.unwrap().len(), 20);
}

/// Copies the files under load. The copies are as if the process was killed at that moment.
#[tokio::test(flavor = "multi_thread")]
async fn copy_of_the_files_under_load_has_every_confirmed_turn() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    // The number of the latest confirmed entry of each game.
    let confirmed: Arc<Mutex<HashMap<GameId, u32>>> = Arc::default();
    let mut players = JoinSet::new();
    for _ in 0..16 {
        let (store, confirmed) = (Arc::clone(&store), Arc::clone(&confirmed));
        players.spawn(async move {
            for _ in 0..10 {
                let id = created(&*store, game_of("20x20k5", &["Ann", "Bob"], 1)).await;
                for number in 1..=40 {
                    let stored = appended(&*store, id, number, play(0, 1)).await;
                    assert_eq!(stored, Appended::Stored);
                    confirmed.lock().unwrap().insert(id, number);
                }
            }
        });
    }
    for games in [1, 20, 50, 90, 140] {
        while confirmed.lock().unwrap().len() < games {
            tokio::task::yield_now().await;
        }
        // While a transaction reads, the write-ahead log is not restarted. Otherwise the copies of the two
        // files would be from different moments, which is not a fault of the store.
        let mut reader = place.raw().await;
        query("BEGIN").execute(&mut reader).await.unwrap();
        count(&mut reader, "SELECT count(*) FROM games").await;
        let before = confirmed.lock().unwrap().clone();
        let killed = Place::new();
        copy_files(&place, &killed);
        query("COMMIT").execute(&mut reader).await.unwrap();
        let opened = killed.open().await;
        for (id, number) in before {
            let entries = loaded(&opened, id).await.entries.len();
            assert!(entries >= number as usize, "entry {number} is lost");
        }
    }
    players.join_all().await;
}

async fn count(raw: &mut SqliteConnection, sql: &'static str) -> i64 {
    let (count,): (i64,) = query_as(sql).fetch_one(raw).await.unwrap();
    count
}

fn copy_files(from: &Place, to: &Place) {
    for end in ["", "-wal"] {
        let name = |place: &Place| PathBuf::from(format!("{}{end}", place.file().display()));
        fs::copy(name(from), name(to)).unwrap();
    }
}
