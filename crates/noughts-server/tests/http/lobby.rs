//! `GET /api/games/events`: the tables that wait for players, and the games in progress.

use std::time::Duration;

use serde_json::json;
use tokio::io::BufReader;

use crate::client::TestServer;
use crate::cluster::Database;
use crate::event_stream::Events;

const OPEN: &str = r#"{"variant":"3x3k3","history":1,"seats":[{"human":"Ann"},{"open":"lobby"}]}"#;

async fn watch(server: &TestServer) -> Events {
    let stream = server.open("GET", "/api/games/events", &[], None).await;
    Events(BufReader::new(stream))
}

#[tokio::test]
async fn watchers_see_tables_come_and_go() {
    let server = TestServer::new().await;
    let (first, _) = server.create_table(OPEN).await;
    // This table has no open seat, so the lobby does not list it.
    server.create_table(r#"{"variant":"3x3k3"}"#).await;
    let mut watchers = vec![watch(&server).await, watch(&server).await];
    for events in &mut watchers {
        let (id, name, data) = events.next().await;
        assert_eq!((id, name.as_str()), (None, "games"));
        let games = data["games"].as_array().unwrap();
        assert_eq!(games.len(), 1);
        assert_eq!(games[0]["id"], first);
        assert_eq!(games[0]["status"], "waiting");
    }
    let (second, _) = server.create_table(OPEN).await;
    for events in &mut watchers {
        let (_, name, data) = events.next().await;
        assert_eq!(name, "game");
        assert_eq!(data["game"]["id"], second);
        assert_eq!(data["game"]["seats"][0]["name"], "Ann");
    }
    let path = format!("/api/games/{first}/seats/1");
    let taken = server
        .request("POST", &path, Some(r#"{"name":"Bob"}"#))
        .await;
    assert_eq!(taken.status, 200, "{}", taken.body);
    for events in &mut watchers {
        let (_, name, data) = events.next().await;
        assert_eq!((name.as_str(), data), ("gone", json!({ "gone": first })));
    }
    // A later watcher gets the present list.
    drop(watchers);
    let (_, _, data) = watch(&server).await.next().await;
    assert_eq!(data["games"].as_array().unwrap().len(), 1);
    assert_eq!(data["games"][0]["id"], second);
}

#[tokio::test]
async fn lobby_announces_a_restart() {
    let server = TestServer::new().await;
    let mut events = watch(&server).await;
    assert_eq!(events.next().await.2, json!({ "games": [] }));
    let (stopped, restart) = tokio::join!(server.inner.stop(), events.next());
    assert!(stopped);
    assert_eq!(restart.1, "restart");
}

/// Changes at another node arrive within about a second.
#[tokio::test(start_paused = true)]
async fn lobby_shows_the_tables_of_all_nodes() {
    let database = Database::new();
    let nodes = [
        TestServer::node(&database).await,
        TestServer::node(&database).await,
    ];
    let mut events = watch(&nodes[0]).await;
    assert_eq!(events.next().await.2, json!({ "games": [] }));
    let begun = tokio::time::Instant::now();
    let (game, tokens) = nodes[1].create_table(OPEN).await;
    let (_, name, data) = events.next().await;
    assert_eq!((name.as_str(), &data["game"]["id"]), ("game", &json!(game)));
    assert!(begun.elapsed() < Duration::from_secs(2));
    // The owner of the table stays away, and comes back.
    let (_, name, data) = events.next().await;
    assert_eq!((name.as_str(), data), ("gone", json!({ "gone": game })));
    let _owner = Events::open_as(&nodes[1], &game, &tokens["0"]).await;
    assert_eq!(events.next().await.1, "game");
    let begun = tokio::time::Instant::now();
    let path = format!("/api/games/{game}/seats/1");
    let taken = nodes[1].request("POST", &path, Some(r#"{"name":"Bob"}"#));
    assert_eq!(taken.await.status, 200);
    assert_eq!(events.next().await.1, "gone");
    assert!(begun.elapsed() < Duration::from_secs(2));
}

async fn watch_all(server: &TestServer) -> Events {
    let path = "/api/games/events?playing=true";
    Events(BufReader::new(server.open("GET", path, &[], None).await))
}

/// The number of lists that the server has encoded for the streams of the lobby.
async fn encoded(server: &TestServer) -> u64 {
    let metrics = server.request("GET", "/metrics", None).await.text;
    let name = "noughts_lobby_lists_encoded_total ";
    let value = metrics.lines().find_map(|line| line.strip_prefix(name));
    value.unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_change_among_200_live_tables_is_encoded_once_for_all_viewers() {
    let server = TestServer::new().await;
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}]}"#;
    let mut last = String::new();
    for _ in 0..200 {
        last = server.create_table(table).await.0;
    }
    let mut viewers = Vec::new();
    for _ in 0..30 {
        let mut events = watch_all(&server).await;
        let (_, name, data) = events.next().await;
        assert_eq!(name, "games");
        let games = data["games"].as_array().unwrap();
        assert_eq!(games.len(), 200);
        assert!(games.iter().all(|game| game["spectators"] == 0));
        let (_, name, data) = events.next().await;
        assert_eq!(
            (name.as_str(), &data["matches"]["waiting"]),
            ("matches", &json!(0))
        );
        viewers.push(events);
    }
    assert_eq!(encoded(&server).await, 1);
    let _spectator = Events::open(&server, &last, None).await;
    for events in &mut viewers {
        let (_, name, data) = events.next().await;
        assert_eq!((name.as_str(), &data["game"]["id"]), ("game", &json!(last)));
        assert_eq!(data["game"]["spectators"], 1);
    }
    assert_eq!(encoded(&server).await, 2);
}

/// From the third turn on the presence of the players does not change, only the position.
#[tokio::test]
async fn turns_change_the_entry_of_a_live_game_for_its_viewers() {
    let server = TestServer::new().await;
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}]}"#;
    let (game, tokens) = server.create_table(table).await;
    let mut events = watch_all(&server).await;
    let (_, _, data) = events.next().await;
    let first = data["games"][0]["entry"].as_u64().unwrap();
    assert_eq!(events.next().await.1, "matches");
    let path = format!("/api/games/{game}/actions");
    for (turn, cell) in (1..).zip(["0-0", "1-1", "0-1", "2-2"]) {
        let token = tokens[((turn - 1) % 2).to_string()].as_str().unwrap();
        let play = format!(r#"{{"turn":{turn},"play":"{cell}"}}"#);
        let played = server.request_as(token, &path, &play).await;
        assert_eq!(played.body["entry"], first + turn, "{}", played.body);
        let mut entry = first;
        while entry != first + turn {
            let (_, name, data) = events.next().await;
            assert_eq!((name.as_str(), &data["game"]["id"]), ("game", &json!(game)));
            entry = data["game"]["entry"].as_u64().unwrap();
        }
    }
}

/// A game that its players have left disappears from the games in progress, and returns with a player.
#[tokio::test(start_paused = true)]
async fn games_in_progress_have_presence_and_no_dead_tables() {
    let server = TestServer::node(&Database::new()).await;
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"robot":"level:1"}]}"#;
    let (game, tokens) = server.create_table(table).await;
    let mut events = watch_all(&server).await;
    let (_, _, data) = events.next().await;
    assert_eq!(data["games"][0]["seats"][0]["present"], false);
    assert_eq!(data["games"][0]["seats"][1]["present"], true);
    assert_eq!(events.next().await.1, "matches");
    let (_, name, data) = events.next().await;
    assert_eq!((name.as_str(), data), ("gone", json!({ "gone": game })));
    let _ann = Events::open_as(&server, &game, &tokens["0"]).await;
    let (_, name, data) = events.next().await;
    assert_eq!((name.as_str(), &data["game"]["id"]), ("game", &json!(game)));
    assert_eq!(data["game"]["seats"][0]["present"], true);
    assert_eq!(data["game"]["spectators"], 0);
    // The archive of all games still has it.
    let listed = server
        .request("GET", "/api/games?status=playing", None)
        .await;
    assert_eq!(listed.body["games"][0]["seats"][0]["present"], true);
}

#[tokio::test]
async fn lobby_with_games_in_progress_counts_quick_matches() {
    let server = TestServer::new().await;
    let mut events = watch_all(&server).await;
    assert_eq!(events.next().await.2, json!({ "games": [] }));
    assert_eq!(
        events.next().await.2,
        json!({"matches": {"waiting": 0, "games": []}})
    );
    let player = server
        .request("POST", "/api/players", Some(r#"{"name":"Ann"}"#))
        .await;
    let token = player.body["token"].as_str().unwrap();
    let asked = server
        .request_as(token, "/api/matches", r#"{"variant":"3x3k3"}"#)
        .await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    let (_, name, data) = events.next().await;
    assert_eq!(
        (name.as_str(), &data["matches"]["waiting"]),
        ("matches", &json!(1))
    );
}
