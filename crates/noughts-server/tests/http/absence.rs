//! Players who are away, across nodes: claims, and tables of the lobby.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::client::{Response, TestServer};
use crate::cluster::Database;
use crate::event_stream::Events;

const SECOND: Duration = Duration::from_secs(1);

async fn two_nodes() -> [TestServer; 2] {
    let database = Database::new();
    [
        TestServer::node(&database).await,
        TestServer::node(&database).await,
    ]
}

async fn claim(node: &TestServer, game: &str, token: &Value) -> Response {
    let path = format!("/api/games/{game}/actions");
    let token = token.as_str().unwrap();
    node.request_as(token, &path, r#"{"claim":"win"}"#).await
}

/// Reads the view with the token of a seat.
async fn poll(node: &TestServer, game: &str, token: &Value) -> Value {
    let bearer = format!("Bearer {}", token.as_str().unwrap());
    let headers = [("Authorization", bearer.as_str())];
    let path = format!("/api/games/{game}");
    node.send("GET", &path, &headers, None).await.body
}

/// Creates a game in which everybody has played one turn, and waits until these requests no longer count as presence.
async fn begun(node: &TestServer, variant: &str, people: usize, clock: &str) -> (String, Value) {
    let seats = vec![json!({"human": ""}); people];
    let new = format!(
        r#"{{"variant":"{variant}","seats":{}{clock}}}"#,
        json!(seats)
    );
    let (game, tokens) = node.create_table(&new).await;
    for seat in 0..people {
        let cell = format!("0-{seat}");
        node.play(&game, &tokens[seat.to_string()], seat + 1, &cell)
            .await;
    }
    // A request counts as presence for 90 seconds.
    sleep(95 * SECOND).await;
    (game, tokens)
}

/// Absence counts from the moment at which a player is connected to no node.
#[tokio::test(start_paused = true)]
async fn claim_needs_absence_from_every_node() {
    let nodes = two_nodes().await;
    for claimed_at in 0..2 {
        for (clock, needed) in [(r#","clock":{"base":3600}"#, 60), ("", 300)] {
            let (game, tokens) = begun(&nodes[0], "3x3k3", 2, clock).await;
            let (ann, bob) = (&tokens["0"], &tokens["1"]);
            let _ann = Events::open_as(&nodes[claimed_at], &game, ann).await;
            let both = [
                Events::open_as(&nodes[0], &game, bob).await,
                Events::open_as(&nodes[1], &game, bob).await,
            ];
            sleep(10 * SECOND).await;
            let [first, second] = both;
            drop(first);
            sleep(needed * SECOND).await;
            let present = claim(&nodes[claimed_at], &game, ann).await;
            present.is_problem(409, "opponent-present");
            drop(second);
            sleep((needed - 3) * SECOND).await;
            let early = claim(&nodes[claimed_at], &game, ann).await;
            early.is_problem(409, "opponent-just-left");
            sleep(4 * SECOND).await;
            let won = claim(&nodes[claimed_at], &game, ann).await;
            assert_eq!(won.body["outcome"]["reason"], "claim", "{}", won.body);
            assert_eq!(won.body["outcome"]["sides"], json!([0]));
        }
    }
}

/// If a player leaves at one node, the opponent may claim at another node after ten seconds, unless the
/// player comes back.
#[tokio::test(start_paused = true)]
async fn leaving_is_known_at_every_node() {
    let nodes = two_nodes().await;
    let (game, tokens) = begun(&nodes[0], "3x3k3", 2, "").await;
    let (ann, bob) = (&tokens["0"], &tokens["1"]);
    let _ann = Events::open_as(&nodes[0], &game, ann).await;
    let leave = async || {
        let path = format!("/api/games/{game}/leave");
        let left = nodes[1].request_as(bob.as_str().unwrap(), &path, "").await;
        assert_eq!(left.status, 204);
    };
    leave().await;
    // A request at the other node: Bob is back.
    sleep(5 * SECOND).await;
    poll(&nodes[0], &game, bob).await;
    sleep(10 * SECOND).await;
    claim(&nodes[0], &game, ann)
        .await
        .is_problem(409, "opponent-present");
    sleep(90 * SECOND).await;
    claim(&nodes[0], &game, ann)
        .await
        .is_problem(409, "opponent-just-left");
    leave().await;
    sleep(11 * SECOND).await;
    let won = claim(&nodes[0], &game, ann).await;
    assert_eq!(won.body["outcome"]["reason"], "claim", "{}", won.body);
}

/// A page that is closed sends `leave` before its stream ends.
#[tokio::test(start_paused = true)]
async fn leaving_counts_also_if_the_stream_ends_afterwards() {
    let nodes = two_nodes().await;
    for left_at in 0..2 {
        let (game, tokens) = begun(&nodes[0], "3x3k3", 2, "").await;
        let _ann = Events::open_as(&nodes[0], &game, &tokens["0"]).await;
        let bob = Events::open_as(&nodes[left_at], &game, &tokens["1"]).await;
        sleep(5 * SECOND).await;
        let path = format!("/api/games/{game}/leave");
        let token = tokens["1"].as_str().unwrap();
        let left = nodes[left_at].request_as(token, &path, "").await;
        assert_eq!(left.status, 204);
        sleep(SECOND).await;
        drop(bob);
        sleep(9 * SECOND).await;
        let early = claim(&nodes[0], &game, &tokens["0"]).await;
        early.is_problem(409, "opponent-just-left");
        sleep(2 * SECOND).await;
        let won = claim(&nodes[0], &game, &tokens["0"]).await;
        assert_eq!(won.body["outcome"]["reason"], "claim", "{}", won.body);
    }
}

/// With three players, a player may claim only if both opponents are away.
#[tokio::test(start_paused = true)]
async fn every_other_person_must_be_away() {
    let nodes = two_nodes().await;
    let (game, tokens) = begun(&nodes[0], "5x5k4p3", 3, "").await;
    let _ann = Events::open_as(&nodes[0], &game, &tokens["0"]).await;
    let cyd = Events::open_as(&nodes[1], &game, &tokens["2"]).await;
    sleep(301 * SECOND).await;
    let refused = claim(&nodes[0], &game, &tokens["0"]).await;
    refused.is_problem(409, "opponent-present");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("seat 2"), "{detail}");
    drop(cyd);
    sleep(301 * SECOND).await;
    let won = claim(&nodes[0], &game, &tokens["0"]).await;
    assert_eq!(won.body["outcome"]["sides"], json!([0]), "{}", won.body);
}

/// A claim against a player who has just come back at another node is refused, even if the hint was lost.
#[tokio::test(start_paused = true)]
async fn player_who_returns_at_another_node_is_present_within_seconds() {
    let database = Database::new();
    let nodes = [
        TestServer::node(&database).await,
        TestServer::node(&database).await,
    ];
    database.delay_hints(|_| Vec::new());
    let (game, tokens) = begun(&nodes[0], "3x3k3", 2, "").await;
    let _ann = Events::open_as(&nodes[0], &game, &tokens["0"]).await;
    sleep(301 * SECOND).await;
    let _bob = Events::open_as(&nodes[1], &game, &tokens["1"]).await;
    sleep(3 * SECOND).await;
    let refused = claim(&nodes[0], &game, &tokens["0"]).await;
    refused.is_problem(409, "opponent-present");
}

const OPEN: &str = r#"{"variant":"3x3k3","history":1,"seats":[{"human":"Ann"},{"open":"lobby"}]}"#;

/// A program that has no stream open, and only reads the view from time to time, is present.
#[tokio::test(start_paused = true)]
async fn table_stays_in_the_lobby_while_its_owner_polls() {
    let nodes = two_nodes().await;
    let (game, tokens) = nodes[0].create_table(OPEN).await;
    let is_listed = async |node: &TestServer| {
        let page = node.request("GET", "/api/games?status=waiting", None).await;
        let games = page.body["games"].as_array().unwrap().len();
        games == 1
    };
    for turn in 0..10 {
        poll(&nodes[turn % 2], &game, &tokens["0"]).await;
        sleep(60 * SECOND).await;
        for node in &nodes {
            assert!(is_listed(node).await, "after {} minutes", turn + 1);
        }
    }
    sleep(35 * SECOND).await;
    for node in &nodes {
        assert!(!is_listed(node).await);
    }
    poll(&nodes[1], &game, &tokens["0"]).await;
    sleep(SECOND).await;
    assert!(is_listed(&nodes[0]).await);
}
