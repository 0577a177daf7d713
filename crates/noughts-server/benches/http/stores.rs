//! The cost of durable games: durable turns compared with turns in memory, a million stored games compared with none,
//! and a turn that is watched at another process.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use noughts_server::{Sqlite, SyncMode};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, raw_sql};
use tempfile::TempDir;

use crate::clients::connect;
use crate::clients::{self, Clients, Counted, RequestKind};
use crate::process::Process;
use crate::rounds::{self, ROUNDS, Spread, column};
use crate::servers::Role;
use crate::websockets::{frame, watch};

/// Number of concurrent players.
pub(crate) const PLAYERS: usize = 1_000;

/// Compares the rate of durable turns (SQLite, sync full) with the rate in memory.
pub(crate) fn durable() {
    let place = place();
    let file = address(&place, "durable.db");
    let sides = [&file, "memory:"].map(|store| Process::start(Role::Server, &[("STORE", store)]));
    let [disk, memory] = sides
        .each_ref()
        .map(|side| Clients::connect(side, PLAYERS, RequestKind::Turns));
    let [disk, memory] = rounds::alternate([disk, memory]);
    let [a, b] = [&disk, &memory].map(|side| column(side, Counted::rate));
    println!(
        "turns a second by {PLAYERS} clients, with SQLite and sync full: {:.0}; in memory: {:.0}; \
         the one / the other, needed 0.50: {} ({ROUNDS} rounds)",
        Spread::of(&a).median,
        Spread::of(&b).median,
        rounds::ratios(&a, &b)
    );
    println!("a synced write here takes {:.2} ms\n", synced_write(&place));
}

/// How long the disk takes for a small synchronous write, in milliseconds (median). This is the lower bound for a
/// commit.
fn synced_write(place: &TempDir) -> f64 {
    let mut file = std::fs::File::create(place.path().join("probe")).expect("a file");
    let times: Vec<f64> = (0..100)
        .map(|_| {
            file.write_all(&[0; 4096]).expect("there is room");
            let begun = Instant::now();
            file.sync_data().expect("a disk");
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    Spread::of(&times).median
}

const FINISHED: u64 = 1_000_000;

/// Compares start time and memory with a million finished games and without finished games.
pub(crate) fn finished() {
    let place = place();
    let begun = Instant::now();
    for (name, games) in [("none.db", 0), ("many.db", FINISHED)] {
        fill(&place.path().join(name), games);
    }
    println!(
        "a file with {FINISHED} finished games ({} MB, made in {:.0} s) beside one with none:",
        std::fs::metadata(place.path().join("many.db")).map_or(0, |file| file.len() >> 20),
        begun.elapsed().as_secs_f64()
    );
    let mut times = [Vec::new(), Vec::new()];
    let mut sizes = [Vec::new(), Vec::new()];
    for round in 0..10 {
        for turn in [round, round + 1] {
            let which = turn % 2;
            let store = address(&place, ["none.db", "many.db"][which]);
            let begun = Instant::now();
            let server = Process::start(Role::Server, &[("STORE", &store)]);
            let found = listed(&server);
            times[which].push(begun.elapsed().as_secs_f64() * 1e3);
            assert_eq!(found, [0, 20][which], "it serves what it was given");
            server.wait_until_idle();
            sizes[which].push(server.resident() as f64 / 1e6);
        }
    }
    let ratio = |[none, many]: &[Vec<f64>; 2]| {
        let [none, many] = [none, many].map(|figures| Spread::of(figures));
        format!("{many}, with none {none}")
    };
    println!(
        "ms until the first page of the archive is there: {}",
        ratio(&times)
    );
    println!("resident MB then: {}\n", ratio(&sizes));
}

/// Reads the newest page of the archive, and the view of the first game on it, if there is one. Returns the number of
/// games on the page.
fn listed(server: &Process) -> usize {
    let mut stream = connect(server);
    let page = clients::get(&mut stream, "/api/games?status=over&limit=20");
    if let Some((_, rest)) = page.split_once(r#""id":""#) {
        let view = clients::get(&mut stream, &format!("/api/games/{}", &rest[..26]));
        assert!(view.contains(r#""kind":"won","sides":[0]"#), "{view}");
    }
    page.matches(r#""status":"over""#).count()
}

/// Creates a database with `games` finished games. Each was won in five turns.
fn fill(path: &Path, games: u64) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        drop(Sqlite::open(path, SyncMode::Full).await.expect("a file"));
        let options = SqliteConnectOptions::new().filename(path);
        let mut file = options.connect().await.expect("a file");
        let numbers = format!(
            "WITH RECURSIVE game (n) AS (SELECT 1 WHERE {games} > 0 \
             UNION ALL SELECT n + 1 FROM game WHERE n < {games}) "
        );
        let id = "unhex(printf('%032x', n))";
        let made = "1700000000000 + n * 1000";
        let people = "'human Ann' || char(10) || 'human Bob'";
        let turns = "SELECT 1 AS number, 0 AS seat, '0-0' AS action UNION ALL SELECT 2, 1, '1-0' \
             UNION ALL SELECT 3, 0, '0-1' UNION ALL SELECT 4, 1, '1-1' UNION ALL SELECT 5, 0, '0-2'";
        for statement in [
            "PRAGMA synchronous = off".to_owned(),
            format!(
                "INSERT INTO games (id, variant, family, history, holders, created_ms, status, seats, \
                 tied, ended_ms, outcome) {numbers} SELECT {id}, '3x3k3', '3x3k3', 0, {people}, {made}, \
                 'over', {people}, 0, {made} + 500, 'won x by line 0 1 2' FROM game"
            ),
            format!(
                "INSERT INTO entries (game, number, at_ms, seat, kind, data) {numbers} \
                 SELECT {id}, number, {made} + number, seat, 'turn', action FROM game CROSS JOIN ({turns})"
            ),
            format!(
                "INSERT INTO seat_names (name, created_ms, game, family) {numbers} \
                 SELECT 'Ann', {made}, {id}, '3x3k3' FROM game"
            ),
            "PRAGMA wal_checkpoint(TRUNCATE)".to_owned(),
        ] {
            let done = raw_sql(AssertSqlSafe(statement)).execute(&mut file).await;
            done.expect("it is the schema of the store");
        }
    });
}

/// Measures how soon a watcher at another process receives a turn, over PostgreSQL.
#[cfg(unix)]
pub(crate) fn nodes() {
    let mut database = crate::postgres_server::Server::start();
    let store = database.database("nodes");
    let [here, there] = [(); 2].map(|()| Process::start(Role::Server, &[("STORE", &store)]));
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for _ in 0..12 {
        let (id, tokens, _, mut player) = clients::create_table(&here);
        let mut watchers = [watch(&here, &id), watch(&there, &id)];
        for turn in 0..9 {
            let asked = clients::play(&mut player, &id, &tokens[turn % 2], turn);
            for (socket, times) in watchers.iter_mut().zip([&mut own, &mut other]) {
                let message = frame(socket);
                assert!(message.starts_with("{\"change\""), "{message}");
                times.push(asked.elapsed().as_secs_f64() * 1e3);
            }
            clients::receive(&mut player);
            // A pause, so that the hints of several turns are not sent together.
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    println!(
        "ms until a watcher at another process has a turn, at most 100 at the median: {}; at the same: {} \
         ({} turns, PostgreSQL without fsync)\n",
        Spread::of(&other),
        Spread::of(&own),
        own.len()
    );
}

#[cfg(not(unix))]
pub(crate) fn nodes() {
    println!("a watcher at another process is measured where PostgreSQL can be started: on Unix\n");
}

/// Creates a temporary directory on the disk of the build, because the system's temporary directory may be in memory.
pub(crate) fn place() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is room for a directory")
}

pub(crate) fn address(place: &TempDir, name: &str) -> String {
    format!("sqlite:{}", place.path().join(name).display())
}
