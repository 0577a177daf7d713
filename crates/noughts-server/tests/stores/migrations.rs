//! Stores of schema 1 are migrated with all their games. The last version without logs created these stores; see
//! testdata/stores/make.py.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use noughts_rules::{Action, Turn};
use noughts_server::{
    Appended, EndReason, Entry, GameId, Holder, ListQuery, PlayerFilter, SeatSet, Sqlite, Status,
    Store, StoreError, StoredGame, SyncMode, Table,
};
use serde_json::Value;
use sqlx::{query, query_as, raw_sql};

use crate::games::{append, creation_key, loaded, table};
#[cfg(unix)]
use crate::postgres_server::Server;
use crate::properties::every;
use crate::sqlite::Place;

fn fixture(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.join("../../testdata/stores").join(name)
}

pub(crate) fn manifest(name: &str) -> Value {
    let text = fs::read_to_string(fixture(name)).expect("the manifest is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// A copy of the SQLite file of schema 1.
pub(crate) fn sqlite_copy() -> Place {
    let place = Place::new();
    fs::copy(fixture("schema-1-sqlite.db"), place.file()).expect("there is room for a copy");
    place
}

fn id_of(game: &Value) -> GameId {
    game["id"].as_str().unwrap().parse().unwrap()
}

/// Compares everything in the manifest with a migrated store.
pub(crate) async fn check(store: &dyn Store, manifest: &Value) {
    let games = manifest["games"].as_object().unwrap();
    assert!(games.len() >= 16);
    for (name, game) in games {
        check_game(store, name, game).await;
    }
    check_kinds(store, games).await;
    check_keys(store, manifest).await;
    for (status, word) in [
        (Status::Waiting, "waiting"),
        (Status::Playing, "playing"),
        (Status::Over, "over"),
    ] {
        let query = ListQuery {
            status: Some(status),
            ..every()
        };
        let listed = store.list(query).await.unwrap();
        let expected = manifest["lists"][word]["games"].as_array().unwrap();
        let ids: Vec<GameId> = listed.iter().map(|listed| listed.id).collect();
        assert_eq!(
            ids,
            expected.iter().map(id_of).collect::<Vec<_>>(),
            "{word}"
        );
        for (listed, expected) in listed.iter().zip(expected) {
            assert_eq!(listed.created_ms, expected["created_ms"].as_u64().unwrap());
            let is_over = !expected["outcome"].is_null();
            assert_eq!(listed.ending().is_some(), is_over);
        }
    }
    let of_bob = ListQuery {
        player: Some(PlayerFilter::Name("Bo b\\".to_owned())),
        ..every()
    };
    let listed = store.list(of_bob).await.unwrap();
    assert_eq!(listed[0].id, id_of(&games["three_sides"]));
    let analysis = store.analysis(id_of(&games["won"])).await.unwrap();
    assert!(analysis.is_some());
    check_node(store, id_of(&games["tcp_running"])).await;
    // The games go on.
    let nested = table(store, id_of(&games["nested"])).await;
    let seat = nested.game().to_move().unwrap();
    let action = Action::Play(nested.game().legal()[0]);
    let mut next = append(
        nested.id(),
        nested.entry() + 1,
        [Entry::Turn(Turn { by: seat, action })],
    );
    next.variant = nested.settings().variant;
    assert_eq!(store.append(&next).await, Ok(Appended::Stored));
    assert_eq!(table(store, nested.id()).await.turn(), nested.turn() + 1);
}

/// Checks everything of a game that the view of the older version showed.
async fn check_game(store: &dyn Store, name: &str, expected: &Value) {
    let StoredGame {
        settings, entries, ..
    } = loaded(store, id_of(expected)).await;
    let mut last_ms = settings.created_ms;
    for logged in &entries {
        assert!(logged.at_ms >= last_ms, "{name}");
        last_ms = logged.at_ms;
    }
    assert!(last_ms < settings.created_ms + 3_600_000, "{name}");
    let table = Table::replay(settings, &entries).expect(name);
    let (view, seen) = (&expected["view"], table.game().view());
    assert_eq!(view["variant"], seen.variant.to_string(), "{name}");
    assert_eq!(view["history"], seen.history, "{name}");
    assert_eq!(view["turn"], seen.turn, "{name}");
    assert_eq!(
        view["to_move"],
        Value::from(seen.to_move.map(|seat| seat.0)),
        "{name}"
    );
    assert_eq!(view["outcome"].is_null(), seen.outcome.is_none(), "{name}");
    let marks = seen
        .marks
        .iter()
        .map(|mark| mark.map(noughts_rules::Side::index));
    let marks: Value = marks.collect::<Vec<_>>().into();
    assert_eq!(view["marks"], marks, "{name}");
    let rematch = table.rematch().map(|game| game.to_string());
    assert_eq!(view["rematch"], Value::from(rematch), "{name}");
    let summary = table.summary();
    let seats = view["seats"].as_array().unwrap();
    for (holder, seat) in table.holders().iter().zip(seats) {
        let (kind, name) = match holder {
            Holder::Open(_) => ("open", String::new()),
            Holder::Human { name, .. } => ("human", name.clone()),
            Holder::Player(player) => panic!("schema 1 had no player {player}"),
            Holder::Robot(strategy) => ("robot", strategy.to_string()),
        };
        assert_eq!(seat["kind"], kind);
        if kind != "open" {
            assert_eq!(seat["name"], name);
        }
    }
    let listed = store.list(every()).await.unwrap();
    if let Some(listed) = listed.iter().find(|listed| listed.id == table.id()) {
        assert_eq!(listed.summary.holders, summary.holders, "{name}");
        assert_eq!(listed.summary.status, summary.status, "{name}");
        assert_eq!(listed.summary.deadline_ms, summary.deadline_ms, "{name}");
        let conclusion = |summary: &noughts_server::Summary| {
            let ending = summary.ending.as_ref();
            ending.map(|ending| ending.conclusion.clone())
        };
        assert_eq!(conclusion(&listed.summary), conclusion(&summary), "{name}");
    } else {
        assert_eq!(summary.status, Status::Unlisted, "{name}");
    }
    // Every turn of the record.
    let Some(record) = expected["record"].as_str() else {
        return;
    };
    let is_turn = |line: &&str| line.starts_with(|letter: char| letter.is_ascii_digit());
    let turns: Vec<String> = (1..)
        .zip(table.game().turns())
        .map(|(number, turn)| {
            let action = table.game().format_action(turn.action);
            format!("{number} {} {action}", turn.by.0)
        })
        .collect();
    assert_eq!(
        record.lines().filter(is_turn).collect::<Vec<_>>(),
        turns,
        "{name}"
    );
}

/// Checks the kinds of the entries that the migration made, in order.
async fn check_kinds(store: &dyn Store, games: &serde_json::Map<String, Value>) {
    let kinds = async |name: &str| {
        let game = loaded(store, id_of(&games[name])).await;
        let kind = |entry: &Entry| match entry {
            Entry::Seated { .. } => 's',
            Entry::Turn(_) => 't',
            Entry::Offered { .. } => 'o',
            Entry::Answered { .. } => 'a',
            Entry::TimeAdded { .. } => '+',
            Entry::Ended { .. } => 'e',
            Entry::RematchCreated(_) => 'r',
        };
        game.entries
            .iter()
            .map(|logged| kind(&logged.entry))
            .collect::<String>()
    };
    for (name, expected) in [
        ("won", "ttttt"),
        ("three_sides", "stt"),
        ("lobby", ""),
        ("link", ""),
        ("resigned", "ttttto"),
        ("rematch", "stoor"),
        ("rematch_next", "t"),
        ("imported", "ttttt"),
        ("tcp_left", "te"),
        ("tcp_alone", "e"),
    ] {
        assert_eq!(kinds(name).await, expected, "{name}");
    }
    let left = loaded(store, id_of(&games["tcp_left"])).await;
    let listed = store.list(every()).await.unwrap();
    let listed = listed.iter().find(|listed| listed.id == left.settings.id);
    let end = left.entries.last().unwrap();
    assert_eq!(end.at_ms, listed.unwrap().ending().unwrap().at_ms);
    let Entry::Ended { reason, seats } = &end.entry else {
        panic!("{end:?}");
    };
    assert_eq!((*reason, seats.iter().count()), (EndReason::Leaving, 1));
    let started = loaded(store, id_of(&games["from_position"])).await;
    assert!(started.settings.start.is_some());
}

async fn check_keys(store: &dyn Store, manifest: &Value) {
    let mut seen = 0;
    for request in manifest["requests"].as_array().unwrap() {
        let Some(key) = request["headers"]["Idempotency-Key"].as_str() else {
            continue;
        };
        seen += 1;
        let path = request["path"].as_str().unwrap();
        if path == "/api/games" || path == "/api/records" {
            let id = id_of(&request["response"]);
            let game = loaded(store, id).await;
            let found = store
                .created_with(creation_key("anybody", key), game.settings.created_ms)
                .await;
            let (found, stored) = found.unwrap().expect(key);
            assert_eq!((found, stored.scope.as_str()), (id, ""));
            assert_eq!(
                (Some(&stored), stored.key.text.as_str()),
                (game.key.as_ref(), key)
            );
            assert_ne!(stored.key.request, 0);
        } else {
            let id: GameId = path.split('/').nth(3).unwrap().parse().unwrap();
            let entries = loaded(store, id).await.entries;
            let mut keys = entries.iter().filter_map(|logged| logged.key.as_ref());
            let stored = keys.find(|stored| stored.text == key).expect(key);
            assert_ne!(stored.request, 0);
        }
    }
    assert!(seen >= 15);
}

/// A game whose node was killed is found by its node.
async fn check_node(store: &dyn Store, running: GameId) {
    let game = loaded(store, running).await;
    let node = |holder: &Holder| match holder {
        Holder::Human { node, .. } => *node,
        Holder::Open(_) | Holder::Player(_) | Holder::Robot(_) => None,
    };
    let nodes: Vec<_> = game.settings.holders.iter().filter_map(node).collect();
    assert_eq!(nodes.len(), 2);
    let here = noughts_server::NodeId(1);
    let sweep = store.sweep(here, 0, 0).await.unwrap();
    assert_eq!(sweep.others, [(nodes[0], 0)]);
    let seats = store.seats_of_node(nodes[0]).await.unwrap();
    let both: SeatSet = [0, 1].map(noughts_rules::Seat).into_iter().collect();
    assert_eq!(seats, [(running, both)]);
}

#[tokio::test]
async fn sqlite_file_of_schema_1_is_migrated() {
    let place = sqlite_copy();
    let manifest = manifest("schema-1-sqlite.json");
    check(&place.open().await, &manifest).await;
    // Opening the file again migrates nothing.
    let again = place.open().await;
    let (steps,): (i64,) = query_as("SELECT count(*) FROM schema_steps")
        .fetch_one(&mut place.raw().await)
        .await
        .unwrap();
    assert_eq!(steps, 7);
    loaded(&again, id_of(&manifest["games"]["won"])).await;
}

/// The secret must not change, because tokens depend on it.
#[tokio::test]
async fn secret_survives_the_migration() {
    let place = sqlite_copy();
    let (secret,): (Vec<u8>,) = query_as("SELECT secret FROM secrets")
        .fetch_one(&mut place.raw().await)
        .await
        .unwrap();
    assert_eq!(place.open().await.secret().await.unwrap().to_vec(), secret);
}

#[tokio::test]
async fn migrated_robot_game_has_a_deadline() {
    let place = sqlite_copy();
    query("UPDATE games SET holders = 'robot level:3' || char(10) || 'robot level:3' WHERE variant = 'multi@4'")
        .execute(&mut place.raw().await)
        .await
        .unwrap();
    let store = place.open().await;
    let nested = id_of(&manifest("schema-1-sqlite.json")["games"]["nested"]);
    let expected = table(&store, nested).await.deadline_ms();
    assert!(expected.is_some());
    let listed = store.list(every()).await.unwrap();
    let listed = listed.iter().find(|listed| listed.id == nested).unwrap();
    assert_eq!(listed.summary.deadline_ms, expected);
}

#[tokio::test]
async fn unreadable_old_game_does_not_stop_the_migration() {
    let place = sqlite_copy();
    let mut raw = place.raw().await;
    for sql in [
        "UPDATE games SET holders = 'nonsense' || char(10) || 'robot what' WHERE variant = 'multi@4'",
        "UPDATE turns SET action = 'nonsense' WHERE game IN (SELECT id FROM games WHERE history = 4)",
    ] {
        query(sql).execute(&mut raw).await.unwrap();
    }
    let store = place.open().await;
    let games = &manifest("schema-1-sqlite.json")["games"];
    loaded(&store, id_of(&games["won"])).await;
    for bad in ["nested", "gravity"] {
        let load = store.load(id_of(&games[bad])).await;
        assert!(matches!(load, Err(StoreError::Corrupt(_))), "{load:?}");
    }
}

#[tokio::test]
async fn failed_migration_changes_nothing() {
    let place = sqlite_copy();
    let mut raw = place.raw().await;
    // The name of a table that the second step creates is taken.
    raw_sql("CREATE TABLE probes (other)")
        .execute(&mut raw)
        .await
        .unwrap();
    let count = "SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM games), \
                 (SELECT max(version) FROM schema_steps)";
    let before: (i64, i64) = query_as(count).fetch_one(&mut raw).await.unwrap();
    assert_eq!(before.1, 1);
    for _ in 0..2 {
        assert!(Sqlite::open(&place.file(), SyncMode::Full).await.is_err());
        let after: (i64, i64) = query_as(count).fetch_one(&mut raw).await.unwrap();
        assert_eq!(after, before);
    }
    raw_sql("DROP TABLE probes")
        .execute(&mut raw)
        .await
        .unwrap();
    drop(raw);
    check(&place.open().await, &manifest("schema-1-sqlite.json")).await;
}

#[tokio::test]
async fn migration_waits_for_servers_of_the_older_version() {
    let place = sqlite_copy();
    let mut raw = place.raw().await;
    let now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    let set = |more_ms: u64| format!("UPDATE nodes SET until_ms = {now} + {more_ms}");
    raw_sql(sqlx::AssertSqlSafe(set(3_600_000)))
        .execute(&mut raw)
        .await
        .unwrap();
    let refused = Sqlite::open(&place.file(), SyncMode::Full)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("older version"), "{refused}");
    let (steps,): (i64,) = query_as("SELECT max(version) FROM schema_steps")
        .fetch_one(&mut raw)
        .await
        .unwrap();
    assert_eq!(steps, 1);
    // A lease that expires soon is waited for.
    raw_sql(sqlx::AssertSqlSafe(set(300)))
        .execute(&mut raw)
        .await
        .unwrap();
    drop(raw);
    place.open().await;
}

#[cfg(unix)]
#[tokio::test]
async fn postgres_database_of_schema_1_is_migrated() {
    let mut server = Server::start();
    let dump = fs::read_to_string(fixture("schema-1-postgres.sql")).unwrap();
    let restored = async |url: &str| {
        let mut raw = crate::postgres::raw(url).await;
        raw_sql(sqlx::AssertSqlSafe(dump.clone()))
            .execute(&mut raw)
            .await
            .unwrap();
        raw
    };
    let manifest = manifest("schema-1-postgres.json");
    let url = server.database("migrated");
    drop(restored(&url).await);
    // Two nodes start at once.
    let open = async || noughts_server::Postgres::open(&url).await.unwrap();
    let (store, other) = tokio::join!(open(), open());
    check(&store, &manifest).await;
    loaded(&other, id_of(&manifest["games"]["won"])).await;

    let url = server.database("in_use");
    let mut raw = restored(&url).await;
    let set = |more_ms: u64| {
        sqlx::AssertSqlSafe(format!(
            "UPDATE public.nodes SET until_ms = (extract(epoch FROM now()) * 1000)::int8 + {more_ms}"
        ))
    };
    raw_sql(set(3_600_000)).execute(&mut raw).await.unwrap();
    let refused = noughts_server::Postgres::open(&url).await.unwrap_err();
    assert!(refused.to_string().contains("older version"), "{refused}");
    raw_sql(set(300)).execute(&mut raw).await.unwrap();
    raw_sql("CREATE TABLE public.probes (other int)")
        .execute(&mut raw)
        .await
        .unwrap();
    assert!(
        noughts_server::Postgres::open(&url).await.is_err(),
        "a step fails"
    );
    let (steps, turns): (i64, i64) = query_as(
        "SELECT (SELECT max(version) FROM public.schema_steps), (SELECT count(*) FROM public.turns)",
    )
    .fetch_one(&mut raw)
    .await
    .unwrap();
    assert!(steps == 1 && turns > 0);
    raw_sql("DROP TABLE public.probes")
        .execute(&mut raw)
        .await
        .unwrap();
    let store: Arc<dyn Store> = Arc::new(noughts_server::Postgres::open(&url).await.unwrap());
    check(&*store, &manifest).await;
}
