//! One address that requests as much as it can. Other addresses are served as usual.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use noughts_engine::{Clock, EngineSetup};
use noughts_rules::{Action, Game, Move, Options, Player, Record, RecordSeat, Seat, Side};
use noughts_server::{HttpLimits, Sqlite, Store, SyncMode};

use crate::client::{Response, TestServer};

/// How long the robot of an ordinary game may take under any load.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// A new table with some of the most expensive robots that clients may request.
fn hostile_table(number: usize) -> String {
    let (variant, seats, robot) = match number % 3 {
        0 => ("255x255k5", 2, "minimax:9"),
        1 => ("16x16k5p64", 64, "mcts:1000000"),
        _ => ("16x16k5p64", 64, "search:5s"),
    };
    let (robot, last) = (format!(r#"{{"robot":"{robot}"}}"#), seats - 1);
    let robots = vec![robot; last].join(",");
    format!(r#"{{"variant":"{variant}","seats":[{robots},{{"human":""}}],"take":[{last}]}}"#)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_hostile_tables_delay_nobody_else() {
    let server = TestServer::new().await;
    for number in 0..200 {
        let body = hostile_table(number);
        let created = server.post_from("127.0.0.2", "/api/games", "", &body);
        let created = created.await;
        assert_eq!(created.status, 201, "{}", created.body);
    }
    assert!(waiting_robots(&server).await > 100);
    let body = r#"{"variant":"15x15k5","seats":[{"human":"Ann"},{"robot":"level:4"}],"take":[0]}"#;
    let created = server.post_from("127.0.0.3", "/api/games", "", body).await;
    let path = format!("/api/games/{}", created.body["id"].as_str().unwrap());
    let token = created.body["tokens"]["0"].as_str().unwrap().to_owned();
    for round in 0..8 {
        let begun = Instant::now();
        let turn = 2 * round + 1;
        let played = play_first_free(&server, &path, &token, turn).await;
        assert_eq!(played.status, 200, "{}", played.body);
        loop {
            let view = server.get_from("127.0.0.3", &path).await;
            let waited = begun.elapsed();
            assert!(waited < ANSWERED_WITHIN, "turn {turn} waits {waited:?}");
            if view.body["turn"].as_u64() > Some(turn as u64 + 1) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    assert!(waiting_robots(&server).await > 100);
}

/// How many computations wait for a thread.
async fn waiting_robots(server: &TestServer) -> u64 {
    let metrics = server.request("GET", "/metrics", None).await.text;
    let mut lines = metrics.lines();
    let count = lines.find_map(|line| line.strip_prefix("noughts_computations_queued "));
    count.unwrap().parse().unwrap()
}

/// Plays the first free cell from a list that never completes a line.
async fn play_first_free(server: &TestServer, path: &str, token: &str, turn: usize) -> Response {
    let actions = format!("{path}/actions");
    for index in 0.. {
        let (row, column) = (3 * (index / 5), 3 * (index % 5));
        let body = format!(r#"{{"turn":{turn},"play":"{row}-{column}"}}"#);
        let answer = server.post_from("127.0.0.3", &actions, token, &body).await;
        if answer.status != 422 && answer.status != 409 {
            return answer;
        }
    }
    unreachable!("the board has more cells than the game has turns")
}

/// A clock that does not advance by itself.
#[derive(Default)]
struct StillClock(AtomicU64);

impl StillClock {
    fn advance(&self, time: Duration) {
        self.0.fetch_add(time.as_secs(), Ordering::Relaxed);
    }
}

impl Clock for StillClock {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

/// The record of a finished game: `turns` moves from the first cell on, and then a resignation.
fn record(variant: &str, name: &str, turns: usize) -> String {
    let variant = variant.parse().unwrap();
    let mut game = Game::new(&variant, Options::default()).unwrap();
    let seats = game.order().len();
    let seat = |number: usize| Seat((number % seats) as u8);
    for cell in 0..turns {
        game.act(seat(cell), Action::Play(Move::at(cell))).unwrap();
    }
    game.act(seat(turns), Action::Resign).unwrap();
    let symbols: Vec<char> = game.order().iter().copied().map(Side::symbol).collect();
    let seat = |symbol: char| RecordSeat {
        symbol,
        player: Player::Human(format!("{name}{symbol}")),
    };
    let seats = symbols.into_iter().map(seat).collect();
    Record::new(game, seats).unwrap().to_string()
}

/// Bytes of the files of a store.
fn stored_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

/// Imports a record until it is refused, and again a day later. Returns by how many bytes the store grew.
async fn import_for_two_days(record: &str, bytes_per_day: usize) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    let store = Sqlite::open(&file, SyncMode::Normal).await.unwrap();
    store.close().await.unwrap();
    let empty = stored_bytes(folder.path());
    let limits = HttpLimits {
        import_bytes_per_day: bytes_per_day,
        per_second: 1_000_000,
        at_once: 1_000_000,
        ..HttpLimits::default()
    };
    let clock = Arc::new(StillClock::default());
    let engine = EngineSetup {
        seed: 1,
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
    };
    let server = TestServer::over_with(Box::new(store), limits, engine).await;
    let headers = [("X-Forwarded-For", "203.0.113.7")];
    for _ in 0..2 {
        loop {
            let import = server.send_as("text/plain", "/api/records", &headers, record);
            let answer = import.await;
            if answer.status == 429 {
                assert!(answer.headers.contains("retry-after: "), "{answer:?}");
                break;
            }
            assert_eq!(answer.status, 201, "{}", answer.text);
        }
        clock.advance(Duration::from_secs(24 * 3_600));
    }
    assert!(server.inner.stop().await);
    stored_bytes(folder.path()) - empty
}

#[tokio::test]
async fn imports_of_one_address_grow_the_store_by_no_more_than_the_limit() {
    let limit = HttpLimits::default().import_bytes_per_day;
    let long = record("255x255k255", "Ann", 60_000);
    let small = record("3x3k3", "", 0);
    let named = record("16x16k5p64", &"\u{1F600}".repeat(31), 0);
    for (record, limit) in [(&long, limit), (&small, 500_000), (&named, 2_000_000)] {
        let grown = import_for_two_days(record, limit).await;
        assert!(grown <= 2 * limit as u64, "{grown} bytes of twice {limit}");
    }
}

#[tokio::test]
async fn replay_of_a_long_game_counts_as_many_requests() {
    let limits = HttpLimits {
        per_second: 1,
        at_once: 30,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let address = ("X-Forwarded-For", "203.0.113.7");
    let long = record("255x255k255", "Ann", 5_000);
    let headers = [address];
    let imported = server.send_as("text/plain", "/api/records", &headers, &long);
    let id = imported.await.body["id"].as_str().unwrap().to_owned();
    let path = format!("/api/games/{id}?after=4999");
    assert_eq!(
        server.send("GET", &path, &[address], None).await.status,
        200
    );
    let refused = server.send("GET", &path, &[address], None).await;
    refused.is_problem(429, "too-many-requests");
    let resume = [address, ("Last-Event-ID", "4990")];
    let events = format!("/api/games/{id}/events");
    let refused = server.send("GET", &events, &resume, None).await;
    refused.is_problem(429, "too-many-requests");
    let body = format!(r#"{{"from":{{"game":"{id}","turn":4999}}}}"#);
    let refused = server
        .send("POST", "/api/games", &[address], Some(&body))
        .await;
    refused.is_problem(429, "too-many-requests");
    // The current view is cheap.
    let view = server
        .send("GET", &format!("/api/games/{id}"), &[address], None)
        .await;
    assert_eq!(view.status, 200);
}
