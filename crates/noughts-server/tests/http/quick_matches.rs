//! Quick matches and the event streams of players.

use std::time::Duration;

use noughts_server::HttpLimits;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{TIMEOUT, TestServer};
use crate::cluster::Database;
use crate::event_stream::Events;
use crate::players::{Player, register};

const MATCH: &str = r#"{"variant":"3x3k3"}"#;

/// The event stream of a player.
struct PlayerEvents {
    events: Events,
    /// The id of the latest event that had one.
    id: String,
}

impl PlayerEvents {
    /// Opens the stream, and reads the first event, which has the running games.
    async fn open(server: &TestServer, player: &Player) -> PlayerEvents {
        let mut events = PlayerEvents::open_after(server, player, None).await;
        let (name, games) = events.next().await;
        assert_eq!(name, "games");
        assert!(games["games"].is_array());
        events
    }

    /// Opens or resumes the stream.
    async fn open_after(server: &TestServer, player: &Player, id: Option<&str>) -> PlayerEvents {
        let bearer = format!("Bearer {}", player.token);
        let mut headers = vec![("Authorization", bearer.as_str())];
        headers.extend(id.map(|id| ("Last-Event-ID", id)));
        let stream = server.open("GET", "/api/me/events", &headers, None).await;
        PlayerEvents {
            events: Events(BufReader::new(stream)),
            id: id.unwrap_or_default().to_owned(),
        }
    }

    /// The next event: its name and its data.
    async fn next(&mut self) -> (String, Value) {
        let (id, name, data) = self.events.next_with_id().await;
        self.id = id.unwrap_or(std::mem::take(&mut self.id));
        (name, data)
    }

    /// Reads the next event, which must have this name, and returns the game in it.
    async fn expect(&mut self, name: &str) -> Value {
        let (found, data) = self.next().await;
        assert_eq!(found, name, "{data}");
        data[name].clone()
    }
}

#[tokio::test]
async fn two_players_are_matched_and_learn_of_it() {
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, "Ann").await,
        register(&server, "Bob").await,
    );
    let mut events = [
        PlayerEvents::open(&server, &ann).await,
        PlayerEvents::open(&server, &bob).await,
    ];
    let asked = ann.send(&server, "POST", "/api/matches", Some(MATCH)).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    assert_eq!(asked.body["status"], "waiting");
    let id = asked.body["id"].as_str().unwrap();
    // If Ann sends the same request again, she gets the same match; she is not paired with herself.
    let again = ann.send(&server, "POST", "/api/matches", Some(MATCH)).await;
    assert_eq!(again.body["id"], id);
    let waiting = server.request("GET", "/api/matches", None).await.body;
    assert_eq!(
        waiting,
        json!({"waiting":1,"games":[{"variant":"3x3k3","waiting":1}]})
    );
    let path = format!("/api/matches/{id}");
    let seen = ann.send(&server, "GET", &path, None).await.body;
    assert_eq!(seen, json!({"id":id,"status":"waiting"}));
    let other = bob.send(&server, "GET", &path, None).await;
    other.is_problem(404, "no-such-match");
    let asked = bob.send(&server, "POST", "/api/matches", Some(MATCH)).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    let mut games = Vec::new();
    for events in &mut events {
        let game = events.expect("match").await;
        assert_eq!(game["variant"], "3x3k3");
        games.push(game);
    }
    assert_eq!(games[0]["id"], games[1]["id"]);
    let game = games[0]["id"].as_str().unwrap();
    let seen = ann.send(&server, "GET", &path, None).await.body;
    assert_eq!(seen["status"], "matched");
    assert_eq!(seen["game"], game);
    let refused = ann.send(&server, "DELETE", &path, None).await;
    refused.is_problem(409, "already-matched");
    let waiting = server.request("GET", "/api/matches", None).await.body;
    assert_eq!(waiting, json!({"waiting":0,"games":[]}));
    // Each stream reports its player's turn and the end of the game.
    let first = usize::from(games[0]["seat"] != 0);
    let players = [[&ann, &bob], [&bob, &ann]][first];
    let mut streams = events.iter_mut().collect::<Vec<_>>();
    if first == 1 {
        streams.swap(0, 1);
    }
    for (turn, cell) in (1..).zip(["0-0", "1-0", "0-1", "1-1", "0-2"]) {
        let at = (turn + 1) % 2;
        let told = streams[at].expect("turn").await;
        assert_eq!(told["turn"], turn);
        let played = players[at].play(&server, game, turn, cell).await;
        assert_eq!(played.status, 200, "{}", played.body);
    }
    for stream in streams {
        let over = stream.expect("over").await;
        assert_ne!(over["outcome"], Value::Null);
    }
}

#[tokio::test]
async fn stream_tells_of_seats_and_rematches_and_begins_with_the_running_games() {
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, "Ann").await,
        register(&server, "Bob").await,
    );
    let mut events = PlayerEvents::open(&server, &ann).await;
    let game = ann.create_table(&server, r#"{"open":"link"}"#).await;
    assert_eq!(events.expect("game").await["id"], game);
    assert_eq!(bob.take_seat(&server, &game, 1).await.status, 200);
    let told = events.expect("seated").await;
    assert_eq!(told["seats"][1]["name"], "Bob");
    assert_eq!(events.expect("turn").await["turn"], 1);
    // Bob's stream begins with his running games.
    let mut of_bob = PlayerEvents::open_after(&server, &bob, None).await;
    let (_, games) = of_bob.next().await;
    assert_eq!(games["games"][0]["id"], game);
    assert_eq!(games["games"][0]["seat"], 1);
    let path = format!("/api/games/{game}/actions");
    let resign = r#"{"turn":1,"resign":true}"#;
    ann.send(&server, "POST", &path, Some(resign)).await;
    events.expect("over").await;
    of_bob.expect("over").await;
    let path = format!("/api/games/{game}/rematch");
    ann.send(&server, "POST", &path, Some("null")).await;
    assert_eq!(of_bob.expect("offer").await["id"], game);
    bob.send(&server, "POST", &path, Some("null")).await;
    let next = of_bob.expect("match").await;
    assert_ne!(next["id"], game);
    // A deleted player's stream ends.
    let deleted = bob.send(&server, "DELETE", "/api/me", None).await;
    assert_eq!(deleted.status, 204);
    let mut rest = String::new();
    let end = of_bob.events.0.read_to_string(&mut rest);
    timeout(TIMEOUT, end).await.expect("it ends").unwrap();
}

#[tokio::test]
async fn cancelled_match_finds_nobody() {
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, "Ann").await,
        register(&server, "Bob").await,
    );
    let asked = ann.send(&server, "POST", "/api/matches", Some(MATCH)).await;
    let path = format!("/api/matches/{}", asked.body["id"].as_str().unwrap());
    // Only the player of a quick match can cancel it.
    let refused = bob.send(&server, "DELETE", &path, None).await;
    refused.is_problem(404, "no-such-match");
    let anonymous = server.request("DELETE", &path, None).await;
    anonymous.is_problem(401, "no-token");
    let cancelled = ann.send(&server, "DELETE", &path, None).await;
    assert_eq!(cancelled.status, 204, "{}", cancelled.body);
    let again = ann.send(&server, "DELETE", &path, None).await;
    again.is_problem(404, "no-such-match");
    let asked = bob.send(&server, "POST", "/api/matches", Some(MATCH)).await;
    assert_eq!(asked.body["status"], "waiting");
    for (body, status, kind) in [
        (r#"{"variant":"3x3k3p3"}"#, 422, "not-for-two"),
        (r#"{"variant":"chess"}"#, 422, "unknown-variant"),
        (r#"{"variant":"2x2k2"}"#, 422, "impossible-variant"),
        ("{}", 400, "missing-field"),
        (r#"{"variant":"3x3k3","rating":9}"#, 400, "unknown-field"),
        (r#"{"variant":7}"#, 400, "wrong-type"),
        (r#"{"variant":"3x3k3","clock":{}}"#, 400, "not-one-of"),
        (
            r#"{"variant":"3x3k3","clock":{"base":5}}"#,
            422,
            "out-of-range",
        ),
    ] {
        let refused = bob.send(&server, "POST", "/api/matches", Some(body)).await;
        refused.is_problem(status, kind);
    }
    for (number, variant) in ["4x4k4", "5x5k4", "6x6k4", "7x7k4", "8x8k4"]
        .into_iter()
        .enumerate()
    {
        let body = json!({ "variant": variant }).to_string();
        let asked = bob.send(&server, "POST", "/api/matches", Some(&body)).await;
        match number < 4 {
            true => assert_eq!(asked.status, 202),
            false => asked.is_problem(429, "too-many-matches"),
        }
    }
}

/// A TCP client and a quick match are paired with each other.
#[tokio::test]
async fn quick_match_meets_a_tcp_client() {
    let server = TestServer::new().await;
    let ann = register(&server, "Ann").await;
    let mut events = PlayerEvents::open(&server, &ann).await;
    let mut tcp = TcpStream::connect(("127.0.0.1", server.pairs))
        .await
        .unwrap();
    // HELLO and PLAY.
    tcp.write_all(b"\x01\x00\x00\x30\x39Tom\x00\x00\x03\x00\x00\x30\x39")
        .await
        .unwrap();
    let asked = ann.send(&server, "POST", "/api/matches", Some(MATCH)).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    let game = events.expect("match").await;
    let names = [&game["seats"][0]["name"], &game["seats"][1]["name"]];
    assert!(
        names.contains(&&json!("Tom")) && names.contains(&&json!("Ann")),
        "{game}"
    );
}

#[tokio::test]
async fn quick_matches_per_address_are_bounded() {
    let limits = HttpLimits {
        per_second: 100_000,
        at_once: 100_000,
        matches_per_minute: 5,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let ann = register(&server, "Ann").await;
    // All requests go over one connection, one after the other.
    const REQUESTS: usize = 10_000;
    let stream = server.connect_from("127.0.0.2").await;
    let (mut reader, mut writer) = stream.into_split();
    let request = format!(
        "POST /api/matches HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{MATCH}",
        ann.token,
        MATCH.len()
    );
    let end = "GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
    let requests = request.repeat(REQUESTS) + end;
    let sent = tokio::spawn(async move { writer.write_all(requests.as_bytes()).await });
    let mut answers = String::new();
    reader.read_to_string(&mut answers).await.unwrap();
    sent.await.unwrap().unwrap();
    let count = |status: &str| answers.matches(&format!("HTTP/1.1 {status}")).count();
    let (accepted, refused) = (count("202"), count("429"));
    assert!((50..80).contains(&accepted), "{accepted}");
    assert_eq!(accepted + refused, REQUESTS);
    assert!(answers.contains("at most 5 quick matches per minute"));
    let waiting = server.request("GET", "/api/matches", None).await.body;
    assert_eq!(waiting["waiting"], 1);
}

/// Only players who want the same clock meet.
#[tokio::test]
async fn the_clock_of_a_quick_match_counts() {
    let server = TestServer::new().await;
    let ask = async |name: &str, body: &str| {
        let player = register(&server, name).await;
        let asked = player
            .send(&server, "POST", "/api/matches", Some(body))
            .await;
        assert_eq!(asked.status, 202, "{}", asked.body);
        asked.body
    };
    let fast = r#"{"variant":"3x3k3","clock":{"base":180,"increment":2}}"#;
    assert_eq!(ask("Ann", MATCH).await["status"], "waiting");
    assert_eq!(ask("Bob", fast).await["status"], "waiting");
    let waiting = server.request("GET", "/api/matches", None).await.body;
    assert_eq!(waiting["waiting"], 2);
    assert_eq!(waiting["games"].as_array().unwrap().len(), 2);
    let matched = ask("Cyd", fast).await;
    assert_eq!(matched["status"], "matched");
    let path = format!("/api/games/{}", matched["game"].as_str().unwrap());
    let view = server.request("GET", &path, None).await.body;
    assert_eq!(view["clock"]["base"], 180);
    let names = [&view["seats"][0]["name"], &view["seats"][1]["name"]];
    assert!(
        names.contains(&&json!("Bob")) && names.contains(&&json!("Cyd")),
        "{view}"
    );
}

/// A quick match with a clock takes only lobby seats with the same clock, at any node.
#[tokio::test(start_paused = true)]
async fn quick_match_with_a_clock_takes_a_lobby_seat_with_the_same_clock() {
    let database = Database::new();
    let nodes = [
        TestServer::node(&database).await,
        TestServer::node(&database).await,
    ];
    let table = |clock: &str, history: u8| {
        format!(
            r#"{{"variant":"3x3k3","history":{history},"seats":[{{"human":"Cyd"}},{{"open":"lobby"}}]{clock}}}"#
        )
    };
    let fast = r#","clock":{"base":180,"increment":2}"#;
    nodes[0].create_table(&table("", 0)).await;
    nodes[0].create_table(&table(fast, 1)).await;
    let slow = r#","clock":{"base":180,"increment":3}"#;
    nodes[0].create_table(&table(slow, 0)).await;
    let (game, _) = nodes[0].create_table(&table(fast, 0)).await;
    let ann = register(&nodes[1], "Ann").await;
    let mut events = PlayerEvents::open(&nodes[1], &ann).await;
    let body = format!(r#"{{"variant":"3x3k3"{fast}}}"#);
    let asked = ann.send(&nodes[1], "POST", "/api/matches", Some(&body));
    assert_eq!(asked.await.status, 202);
    let found = events.expect("match").await;
    assert_eq!(found["id"], game);
    assert_eq!(
        (&found["seat"], &found["clock"]["base"]),
        (&json!(1), &json!(180))
    );
    let waiting = nodes[0].request("GET", "/api/matches", None).await.body;
    assert_eq!(waiting["waiting"], 0);
}

/// A TCP client never gets a table with a clock, whichever of the two comes first.
#[tokio::test(start_paused = true)]
async fn tcp_client_takes_no_lobby_seat_with_a_clock() {
    let with_clock =
        r#"{"variant":"3x3k3","seats":[{"human":"Cyd"},{"open":"lobby"}],"clock":{"move":30}}"#;
    let without = with_clock.replace(r#","clock":{"move":30}"#, "");
    for is_client_first in [true, false] {
        let database = Database::new();
        let nodes = [
            TestServer::node(&database).await,
            TestServer::node(&database).await,
        ];
        let join = async |node: &TestServer| {
            let mut tcp = TcpStream::connect(("127.0.0.1", node.pairs)).await.unwrap();
            // HELLO and PLAY.
            let join = b"\x01\x00\x00\x30\x39Tom\x00\x00\x03\x00\x00\x30\x39";
            tcp.write_all(join).await.unwrap();
            tcp
        };
        let mut clients = Vec::new();
        if is_client_first {
            clients.extend([join(&nodes[0]).await]);
        }
        let (clocked, _) = nodes[1].create_table(with_clock).await;
        if !is_client_first {
            clients.extend([join(&nodes[0]).await]);
        }
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
        let (plain, _) = nodes[1].create_table(&without).await;
        let holder = async |game: &str| {
            let path = format!("/api/games/{game}");
            let view = nodes[1].request("GET", &path, None).await.body;
            view["seats"][1]["kind"].clone()
        };
        let taken = async {
            while holder(&plain).await != "human" {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        };
        timeout(TIMEOUT, taken).await.expect("the client sits down");
        assert_eq!(holder(&clocked).await, "open");
    }
}

#[tokio::test(start_paused = true)]
async fn stream_of_a_player_resumes_at_another_node() {
    let database = Database::new();
    let nodes = [
        TestServer::node(&database).await,
        TestServer::node(&database).await,
    ];
    let ann = register(&nodes[0], "Ann").await;
    let bob = register(&nodes[0], "Bob").await;
    let mut events = PlayerEvents::open(&nodes[0], &ann).await;
    let open = r#"{"open":"link"}"#;
    let game = ann.create_table(&nodes[0], open).await;
    assert_eq!(events.expect("game").await["id"], game);
    let finished = ann.create_table(&nodes[0], open).await;
    assert_eq!(events.expect("game").await["id"], finished);
    let id = events.id.clone();
    drop(events);
    // While Ann is away: a seat is taken, it is her turn, a game begins and ends, and another ends.
    assert_eq!(bob.take_seat(&nodes[1], &game, 1).await.status, 200);
    let abort = async |game: &str| {
        let path = format!("/api/games/{game}/actions");
        let aborted = ann.send(&nodes[1], "POST", &path, Some(r#"{"abort":true}"#));
        assert_eq!(aborted.await.status, 200);
    };
    abort(&finished).await;
    let short = ann.create_table(&nodes[1], open).await;
    abort(&short).await;
    let mut events = PlayerEvents::open_after(&nodes[1], &ann, Some(&id)).await;
    let mut told = Vec::new();
    for _ in 0..5 {
        let (name, data) = events.next().await;
        told.push((name.clone(), data[&name]["id"].as_str().unwrap().to_owned()));
    }
    told.sort();
    let mut expected = [
        ("game", &short),
        ("over", &short),
        ("over", &finished),
        ("seated", &game),
        ("turn", &game),
    ]
    .map(|(name, game)| (name.to_owned(), game.clone()));
    expected.sort();
    assert_eq!(told, expected);
    // The stream repeats nothing and leaves nothing out.
    let id = events.id.clone();
    drop(events);
    let mut events = PlayerEvents::open_after(&nodes[0], &ann, Some(&id)).await;
    assert_eq!(ann.play(&nodes[1], &game, 1, "0-0").await.status, 200);
    assert_eq!(bob.play(&nodes[0], &game, 2, "1-1").await.status, 200);
    assert_eq!(events.expect("turn").await["turn"], 3);
    for wrong in ["x", "1,2", "1,2,3", &"9".repeat(8_000)] {
        let bearer = format!("Bearer {}", ann.token);
        let headers = [("Authorization", bearer.as_str()), ("Last-Event-ID", wrong)];
        let refused = nodes[0].send("GET", "/api/me/events", &headers, None).await;
        refused.is_problem(400, "wrong-format");
    }
}

#[tokio::test(start_paused = true)]
async fn game_that_ended_before_the_stream_began_is_not_told_on_resumption() {
    let server = TestServer::node(&Database::new()).await;
    let ann = register(&server, "Ann").await;
    let open = r#"{"open":"link"}"#;
    let abort = async |game: &str| {
        let path = format!("/api/games/{game}/actions");
        let aborted = ann.send(&server, "POST", &path, Some(r#"{"abort":true}"#));
        assert_eq!(aborted.await.status, 200);
    };
    let before = ann.create_table(&server, open).await;
    abort(&before).await;
    let first = PlayerEvents::open(&server, &ann).await;
    let id = first.id.clone();
    drop(first);
    let later = ann.create_table(&server, open).await;
    abort(&later).await;
    let mut events = PlayerEvents::open_after(&server, &ann, Some(&id)).await;
    assert_eq!(events.expect("game").await["id"], later);
    assert_eq!(events.expect("over").await["id"], later);
    let next = ann.create_table(&server, open).await;
    assert_eq!(events.expect("game").await["id"], next);
}

/// A stream follows at most 100 games. A further game is announced when one of them is over. No game is announced
/// twice.
#[tokio::test(start_paused = true)]
async fn games_beyond_the_limit_are_announced_once() {
    let server = TestServer::node(&Database::new()).await;
    let ann = register(&server, "Ann").await;
    let open = r#"{"open":"link"}"#;
    let first = ann.create_table(&server, open).await;
    for _ in 1..100 {
        ann.create_table(&server, open).await;
    }
    let mut events = PlayerEvents::open_after(&server, &ann, None).await;
    let (name, games) = events.next().await;
    assert_eq!(name, "games");
    assert_eq!(games["games"].as_array().unwrap().len(), 100);
    let last = ann.create_table(&server, open).await;
    // In this minute the stream checks all games several times.
    let next = timeout(Duration::from_secs(60), events.next()).await;
    assert!(next.is_err(), "{next:?}");
    let path = format!("/api/games/{first}/actions");
    let aborted = ann.send(&server, "POST", &path, Some(r#"{"abort":true}"#));
    assert_eq!(aborted.await.status, 200);
    assert_eq!(events.expect("over").await["id"], first);
    assert_eq!(events.expect("game").await["id"], last);
}
