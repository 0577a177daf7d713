//! What SQLite promises beyond the laws: one file that survives whatever happens to the process.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use noughts_rules::{Conclusion, Seat};
use noughts_server::{Appended, Ending, GameId, Leavers, Query, Sqlite, Store, SyncMode};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection, query, query_as};
use tokio::task::JoinSet;

use crate::games::{created, game, game_of, keyed, loaded, play, sitting};
use crate::history;
use crate::leases::leases;

/// A directory with one database, gone after the test.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        Place(tempfile::tempdir().expect("there is room for a directory"))
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("noughts.db")
    }

    /// Not synced, since no test can cut the power.
    pub(crate) async fn open(&self) -> Sqlite {
        let opened = Sqlite::open(&self.file(), SyncMode::Normal).await;
        opened.expect("the database opens")
    }

    async fn raw(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.file());
        options.connect().await.expect("the file is a database")
    }
}

#[test]
fn sqlite_answers_as_memory_does() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(ProptestConfig::with_cases(64));
    let compared = runner.run(&history::steps(), |steps| {
        runtime.block_on(async {
            let place = Place::new();
            history::compare(&place.open().await, &steps).await;
        });
        Ok(())
    });
    compared.unwrap();
}

#[tokio::test]
async fn what_is_durable_is_counted() {
    let place = Place::new();
    crate::laws::what_is_durable_is_counted(Arc::new(place.open().await)).await;
}

#[tokio::test]
async fn everything_is_there_when_it_is_opened_again() {
    let place = Place::new();
    let store = place.open().await;
    let id = created(&store, keyed(game(&["Ann", "lobby", "Dan"]), "k")).await;
    store.sit(id, Seat(1), sitting("Bob")).await.unwrap();
    store.append(id, 1, play(0, 4)).await.unwrap();
    store.leave(id, 1, Leavers::one(Seat(1))).await.unwrap();
    store.rematch(id, Seat(0), None).await.unwrap();
    store.keep_analysis(id, "drawn".to_owned()).await.unwrap();
    let ending = Ending {
        conclusion: Conclusion::Abandoned,
        at_ms: 9,
    };
    store.finish(id, ending).await.unwrap();
    let everything = (
        loaded(&store, id).await,
        store.secret().await,
        store.analysis(id).await,
    );
    drop(store);
    let store = place.open().await;
    let again = (
        loaded(&store, id).await,
        store.secret().await,
        store.analysis(id).await,
    );
    assert_eq!(everything, again);
}

#[tokio::test]
async fn tidied_up_the_file_alone_holds_everything() {
    let (place, other) = (Place::new(), Place::new());
    let store = place.open().await;
    let id = created(&store, game(&["Ann", "Bob"])).await;
    store.tidy().await.unwrap();
    fs::copy(place.file(), other.file()).unwrap();
    assert!(other.open().await.load(id).await.unwrap().is_some());
}

#[cfg(unix)]
#[tokio::test]
async fn its_files_are_for_its_owner_alone() {
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
async fn what_is_not_our_database_is_refused_in_a_sentence() {
    let place = Place::new();
    let opened = async |file: &Path| {
        Sqlite::open(file, SyncMode::Full)
            .await
            .unwrap_err()
            .to_string()
    };
    fs::write(
        place.file(),
        "Dear diary, this is not a database at all. ".repeat(100),
    )
    .unwrap();
    let error = opened(&place.file()).await;
    assert!(error.contains("noughts.db can't be opened"), "{error}");
    let error = opened(&place.0.path().join("no/such/directory.db")).await;
    assert!(error.contains("directory.db can't be opened"), "{error}");

    let place = Place::new();
    drop(place.open().await);
    let mut raw = place.raw().await;
    query("INSERT INTO schema_steps VALUES (1000)")
        .execute(&mut raw)
        .await
        .unwrap();
    let error = opened(&place.file()).await;
    assert!(error.contains("newer") && error.contains("1000"), "{error}");

    let place = Place::new();
    fs::File::create(place.file()).unwrap();
    let mut raw = place.raw().await;
    query("CREATE TABLE diary (day)")
        .execute(&mut raw)
        .await
        .unwrap();
    let error = opened(&place.file()).await;
    assert!(error.contains("something else"), "{error}");
}

#[tokio::test]
async fn a_row_that_nobody_wrote_is_an_error() {
    let place = Place::new();
    let store = place.open().await;
    let id = created(&store, game(&["Ann", "lobby"])).await;
    store.append(id, 1, play(0, 0)).await.unwrap();
    store.sit(id, Seat(1), sitting("Bob")).await.unwrap();
    let mut raw = place.raw().await;
    for (spoil, mend) in [
        (
            "UPDATE turns SET action = '9-9'",
            "UPDATE turns SET action = '0-0'",
        ),
        ("UPDATE turns SET seat = 1000", "UPDATE turns SET seat = 0"),
        (
            "UPDATE sittings SET holder = 'nobody'",
            "UPDATE sittings SET holder = 'human Bob'",
        ),
        (
            "UPDATE sittings SET seat = 7",
            "UPDATE sittings SET seat = 1",
        ),
        (
            "UPDATE games SET variant = 'chess'",
            "UPDATE games SET variant = '3x3k3'",
        ),
        (
            "UPDATE games SET history = -1",
            "UPDATE games SET history = 0",
        ),
        (
            "UPDATE games SET holders = 'x'",
            "UPDATE games SET holders = 'human Ann' || char(10) || 'open lobby'",
        ),
    ] {
        query(spoil).execute(&mut raw).await.unwrap();
        let every = Query {
            variant: None,
            player: None,
            status: None,
            before: None,
            limit: 9,
        };
        let (load, list) = (store.load(id).await, store.list(every).await);
        // Who is at seat 7 of a game for two, only a list asks.
        assert!(load.is_err() || list.is_err(), "{spoil}: {load:?}");
        query(mend).execute(&mut raw).await.unwrap();
        assert!(store.load(id).await.is_ok(), "{mend}");
    }
}

#[tokio::test]
async fn a_full_disk_is_an_error_and_nothing_is_half_written() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    // As many pages as it has: the next one is one too many.
    store.limit_pages(1).await.unwrap();
    let (mut stored, mut refused) = (0, 0);
    while refused < 50 {
        // Several at once, so that what fails together is tried alone.
        let mut all = JoinSet::new();
        for _ in 0..10 {
            let store = Arc::clone(&store);
            all.spawn(async move {
                let new = game(&["somebody with a long name ".repeat(20).as_str(), "Bob"]);
                let id = new.setting.id;
                let created = store.create(new).await;
                assert_eq!(store.load(id).await.unwrap().is_some(), created.is_ok());
                created.is_ok()
            });
        }
        for is_stored in all.join_all().await {
            if is_stored { stored += 1 } else { refused += 1 }
        }
        assert!(stored < 10_000, "the disk is never full");
    }
    assert!(loaded(&*store, id).await.turns.is_empty());
    // There is room again, and it goes on.
    store.limit_pages(1_000_000).await.unwrap();
    assert_eq!(store.append(id, 1, play(0, 0)).await, Ok(Appended::Stored));
    created(&*store, game(&["Ann", "Bob"])).await;
    let mut raw = place.raw().await;
    let games = count(&mut raw, "SELECT count(*) FROM games").await;
    assert_eq!(games, stored + 2);
    let players = count(&mut raw, "SELECT count(DISTINCT game) FROM players").await;
    assert_eq!(players, games);
}

/// What a machine finds after the process was killed: the files as they were in that moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_the_files_under_load_holds_every_answered_turn() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    // By game, the last turn that was answered.
    let answered: Arc<Mutex<HashMap<GameId, usize>>> = Arc::default();
    let mut players = JoinSet::new();
    for _ in 0..16 {
        let (store, answered) = (Arc::clone(&store), Arc::clone(&answered));
        players.spawn(async move {
            for _ in 0..10 {
                let id = created(&*store, game_of("20x20k5", &["Ann", "Bob"], 1)).await;
                for number in 1..=40 {
                    store.append(id, number, play(0, number)).await.unwrap();
                    answered.lock().unwrap().insert(id, number);
                }
            }
        });
    }
    for games in [1, 20, 50, 90, 140] {
        while answered.lock().unwrap().len() < games {
            tokio::task::yield_now().await;
        }
        // While somebody reads, the log is not begun anew: else the two files would be of two
        // moments, which is no fault of the store's.
        let mut reader = place.raw().await;
        query("BEGIN").execute(&mut reader).await.unwrap();
        count(&mut reader, "SELECT count(*) FROM games").await;
        let before = answered.lock().unwrap().clone();
        let killed = Place::new();
        copy_files(&place, &killed);
        query("COMMIT").execute(&mut reader).await.unwrap();
        let opened = killed.open().await;
        for (id, number) in before {
            let turns = loaded(&opened, id).await.turns;
            assert!(turns.len() >= number, "turn {number} is lost");
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

#[tokio::test]
async fn a_process_that_is_silent_is_gone() {
    let place = Place::new();
    let store = place.open().await;
    leases(&store).await;
}
