//! A dump has everything that another store needs, whichever kind it is.

use std::collections::BTreeSet;

use noughts_server::{
    BackupCounts, BackupError, DUMPED, Postgres, Store, StoreError, back_up, check_backup,
    copy_store, open_current_store, restore,
};
use sqlx::query_as;

use crate::games::{created, game, loaded};
use crate::migrations::{check, manifest, sqlite_copy};
use crate::players::{hash, registered};
use crate::postgres_server::Server;
use crate::sqlite::Place;

/// Tables that belong to running processes or to the schema itself.
const NOT_DUMPED: [&str; 8] = [
    "schema_steps",
    "probes",
    "player_links",
    "presence",
    "waiting",
    "waiting_lists",
    "quick_matches",
    "sqlite_sequence",
];

type Columns = BTreeSet<(String, String)>;

fn assert_all_dumped(columns: Vec<(String, String)>, database: &str) {
    let columns = columns.into_iter();
    let found: Columns = columns
        .filter(|(table, _)| !NOT_DUMPED.contains(&table.as_str()))
        // In PostgreSQL the only row has an id, which SQLite does not need.
        .filter(|(table, column)| (table.as_str(), column.as_str()) != ("heartbeat", "id"))
        .collect();
    let dumped: Columns = DUMPED
        .iter()
        .flat_map(|table| {
            let columns = table.columns.iter();
            columns.map(|(column, _)| (table.name.to_owned(), (*column).to_owned()))
        })
        .collect();
    assert_eq!(found, dumped, "{database}: store/dump.rs lists all columns");
}

#[tokio::test]
async fn every_column_is_dumped() {
    let place = Place::new();
    drop(place.open().await);
    let select = "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c \
                  WHERE m.type = 'table'";
    let columns = query_as(select).fetch_all(&mut place.raw().await).await;
    assert_all_dumped(columns.unwrap(), "SQLite");
    let mut server = Server::start();
    let url = server.database("columns");
    drop(Postgres::open(&url).await.unwrap());
    let select = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                  WHERE table_schema = 'public'";
    let mut raw = crate::postgres::raw(&url).await;
    let columns = query_as(select).fetch_all(&mut raw).await;
    assert_all_dumped(columns.unwrap(), "PostgreSQL");
}

/// The lines of a backup of the store, sorted, because the databases order text differently.
async fn lines_of(store: &dyn Store) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("backup");
    back_up(store, &file, |_| ()).await.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // The checksum depends on the order.
    let end = lines.pop().unwrap();
    assert!(end.starts_with("end "), "{end}");
    lines.sort();
    lines
}

#[tokio::test]
async fn everything_is_restored_in_the_other_kind_of_store() {
    let place = sqlite_copy();
    let source = place.open().await;
    registered(&source, 7, "Ann\t\\ 日本").await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.backup");
    let counts = back_up(&source, &file, |_| ()).await.unwrap();
    assert!(counts.games >= 16 && counts.entries > 30 && counts.players == 1);
    assert_eq!(check_backup(&file).unwrap(), counts);

    let mut server = Server::start();
    let restored = Postgres::open(&server.database("restored")).await.unwrap();
    assert_eq!(restore(&file, &restored, |_| ()).await.unwrap(), counts);
    assert_eq!(lines_of(&restored).await, lines_of(&source).await);

    let other = Place::new();
    let copied = other.open().await;
    let copies = copy_store(&restored, &copied, |_| ()).await.unwrap();
    assert_eq!(copies, counts);
    assert_eq!(lines_of(&copied).await, lines_of(&source).await);

    let manifest = manifest("schema-1-sqlite.json");
    for store in [&restored as &dyn Store, &copied] {
        check(store, &manifest).await;
        let player = store.player_of_token(hash("token of Ann\t\\ 日本")).await;
        assert_eq!(player.unwrap().unwrap().name, "Ann\t\\ 日本");
        assert_eq!(store.secret().await, source.secret().await);
    }
}

#[tokio::test]
async fn a_dump_is_of_one_moment() {
    let mut server = Server::start();
    let url = server.database("busy");
    let postgres = Postgres::open(&url).await.unwrap();
    let place = Place::new();
    let sqlite = place.open().await;
    for store in [&postgres as &dyn Store, &sqlite] {
        for _ in 0..3_000 {
            created(store, game(&["Ann", "Bob"])).await;
        }
        // When the dump reaches the players, which come before the games, the receiver creates more games. The dump
        // waits for its receiver, but must not contain these games.
        let (to, mut from) = tokio::sync::mpsc::channel(1);
        let more = async {
            let mut games = 0;
            let mut table = "";
            while let Some(item) = from.recv().await {
                match item {
                    noughts_server::DumpItem::Table { table: next, .. } => {
                        table = next.name;
                        if table == "players" {
                            for _ in 0..10 {
                                created(store, game(&["Cyd", "Dan"])).await;
                            }
                        }
                    }
                    noughts_server::DumpItem::Row(_) => games += u32::from(table == "games"),
                    noughts_server::DumpItem::End => {}
                }
            }
            games
        };
        let (dumped, games) = tokio::join!(store.dump(to), more);
        dumped.unwrap();
        assert_eq!(games, 3_000);
    }
}

#[tokio::test]
async fn a_store_in_use_takes_no_dump() {
    let source = Place::new();
    let source = source.open().await;
    created(&source, game(&["Ann", "Bob"])).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.backup");
    back_up(&source, &file, |_| ()).await.unwrap();
    let mut server = Server::start();
    let mut number = 0;
    for is_sqlite in [true, false] {
        for what in ["it has games", "it has players", "a server is using it"] {
            let place = Place::new();
            number += 1;
            let url = server.database(&format!("used{number}"));
            let store: Box<dyn Store> = match is_sqlite {
                true => Box::new(place.open().await),
                false => Box::new(Postgres::open(&url).await.unwrap()),
            };
            let mut game_there = None;
            match what {
                "it has games" => game_there = Some(created(&*store, game(&["Cyd"; 2])).await),
                "it has players" => drop(registered(&*store, 1, "Eve").await),
                _ => drop(store.sweep(noughts_server::NodeId(1), 1, 0).await.unwrap()),
            }
            let before = lines_of(&*store).await;
            let refused = restore(&file, &*store, |_| ()).await.unwrap_err();
            assert!(refused.to_string().contains(what), "{refused}");
            assert_eq!(lines_of(&*store).await, before);
            if let Some(id) = game_there {
                loaded(&*store, id).await;
            }
        }
    }
}

#[tokio::test]
async fn a_backup_that_is_cut_off_changes_nothing() {
    let place = sqlite_copy();
    let source = place.open().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.backup");
    back_up(&source, &file, |_| ()).await.unwrap();
    let exists = back_up(&source, &file, |_| ()).await.unwrap_err();
    assert!(exists.to_string().contains("exists already"), "{exists}");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let mut server = Server::start();
    let other = Place::new();
    let url = server.database("cut");
    for store in [
        &other.open().await as &dyn Store,
        &Postgres::open(&url).await.unwrap(),
    ] {
        let before = lines_of(store).await;
        let refused = restore(&file, store, |_| ()).await.unwrap_err();
        assert!(matches!(refused, BackupError::Incomplete), "{refused}");
        assert_eq!(lines_of(store).await, before);
    }
    let names = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(names, 1, "nothing is left beside the backup");
}

#[tokio::test]
async fn a_store_of_another_version_is_not_touched() {
    let place = sqlite_copy();
    let before = std::fs::read(place.file()).unwrap();
    let address = format!("sqlite:{}", place.file().display());
    let refused = open_current_store(&address).await.map(drop).unwrap_err();
    assert!(refused.to_string().contains("its schema is 1"), "{refused}");
    assert_eq!(std::fs::read(place.file()).unwrap(), before);
    let missing = format!("{address}-other");
    let refused = open_current_store(&missing).await.map(drop).unwrap_err();
    assert!(refused.to_string().contains("no such file"), "{refused}");
    assert!(!place.file().with_extension("db-other").exists());
    drop(place.open().await);
    sqlx::query("INSERT INTO schema_steps VALUES (99)")
        .execute(&mut place.raw().await)
        .await
        .unwrap();
    let refused = open_current_store(&address).await.map(drop).unwrap_err();
    assert!(matches!(refused, StoreError::TooNew { .. }), "{refused}");
}

#[tokio::test]
async fn a_new_store_has_an_empty_backup() {
    let place = Place::new();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("empty.backup");
    let counts = back_up(&place.open().await, &file, |_| ()).await.unwrap();
    // The secret and the heartbeat.
    let expected = BackupCounts {
        rows: 2,
        ..BackupCounts::default()
    };
    assert_eq!(counts, expected);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
