//! The tables of docs/api.md about offers, abort and claims, row by row.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::client::{Response, TestServer};
use crate::cluster::Database;
use crate::event_stream::Events;

const DOCUMENT: &str = include_str!("../../../../docs/api.md");

/// The head and the rows of the document's table whose first line begins with `head`.
fn rows_of(head: &str) -> (Vec<&'static str>, Vec<Vec<&'static str>>) {
    let cells = |line: &'static str| -> Vec<&'static str> {
        let line = line.trim_matches('|').split(" | ");
        line.map(|cell| cell.trim().trim_matches('`')).collect()
    };
    let mut lines = DOCUMENT.lines().skip_while(|line| !line.starts_with(head));
    let head = cells(lines.next().expect("the document has this table"));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    (head, rows.map(cells).collect())
}

struct Game<'s> {
    server: &'s TestServer,
    path: String,
    tokens: Value,
}

impl Game<'_> {
    async fn create<'s>(server: &'s TestServer, seats: &str, more: &str) -> Game<'s> {
        let new = format!(r#"{{"variant":"3x3k3","seats":{seats}{more}}}"#);
        let (id, tokens) = server.create_table(&new).await;
        let path = format!("/api/games/{id}");
        Game {
            server,
            path,
            tokens,
        }
    }

    /// A game in one of the states of the document.
    async fn in_state<'s>(server: &'s TestServer, state: &str) -> Game<'s> {
        let seats = match state {
            "waiting" => r#"[{"human":"Ann"},{"open":"link"}]"#,
            "robot" => r#"[{"human":"Ann"},{"robot":"first"}]"#,
            _ => r#"[{"human":"Ann"},{"human":"Bob"}]"#,
        };
        let game = Game::create(server, seats, "").await;
        let steps: &[(&str, &str)] = match state {
            "waiting" | "new" => &[],
            "begun" | "robot" => &[("0", ANN_PLAYS)],
            "playing" => &[("0", ANN_PLAYS), ("1", BOB_PLAYS)],
            "draw offer" => &[("0", ANN_PLAYS), ("1", BOB_PLAYS), ("0", OFFER_DRAW)],
            "takeback offer" => &[
                ("0", ANN_PLAYS),
                ("1", BOB_PLAYS),
                ("0", r#"{"offer":"takeback"}"#),
            ],
            "declined" => &[
                ("0", ANN_PLAYS),
                ("1", BOB_PLAYS),
                ("0", OFFER_DRAW),
                ("1", r#"{"decline":"draw"}"#),
            ],
            "over" => &[("0", ANN_PLAYS), ("1", BOB_PLAYS), ("0", RESIGN)],
            "rematch offer" => &[
                ("0", ANN_PLAYS),
                ("1", BOB_PLAYS),
                ("0", RESIGN),
                ("0", r#"{"offer":"rematch"}"#),
            ],
            _ => panic!("the test does not know the state {state}"),
        };
        for (seat, body) in steps {
            let done = game.act(seat, body).await;
            assert_eq!(done.status, 200, "{state}: {}", done.body);
        }
        game
    }

    async fn act(&self, seat: &str, body: &str) -> Response {
        let token = self.tokens[seat].as_str().unwrap();
        let path = format!("{}/actions", self.path);
        self.server.request_as(token, &path, body).await
    }

    async fn view(&self) -> Value {
        self.server.request("GET", &self.path, None).await.body
    }
}

const ANN_PLAYS: &str = r#"{"turn":1,"play":"0-0"}"#;
const BOB_PLAYS: &str = r#"{"turn":2,"play":"1-1"}"#;
const OFFER_DRAW: &str = r#"{"offer":"draw"}"#;
const RESIGN: &str = r#"{"resign":true}"#;

/// Asserts that the answer is as the document says. `before` and `after` are views of a spectator.
fn check(expected: &str, answer: &Response, kind: &str, seat: u8, before: &Value, after: &Value) {
    let is_offer = |offer: &&Value| offer["kind"] == kind;
    let offers = after["offers"].as_array().unwrap();
    let mut offers = offers.iter().filter(is_offer);
    if ![
        "offered",
        "unchanged",
        "draw",
        "taken back",
        "withdrawn",
        "declined",
        "aborted",
        "new game",
        "claimed",
    ]
    .contains(&expected)
    {
        answer.is_problem(409, expected);
        assert_eq!(after["entry"], before["entry"]);
        return;
    }
    assert_eq!(answer.status, 200, "{}", answer.body);
    match expected {
        "offered" => assert!(offers.any(|offer| offer["seat"] == seat), "{after}"),
        "unchanged" => assert_eq!(after["entry"], before["entry"]),
        "draw" => assert_eq!(
            after["outcome"],
            json!({"kind": "draw", "reason": "agreement"})
        ),
        "taken back" => assert_eq!(after["last"]["kind"], "takeback"),
        "withdrawn" | "declined" => {
            assert_ne!(after["entry"], before["entry"]);
            assert_eq!(offers.count(), 0, "{after}");
        }
        "aborted" => assert_eq!(after["outcome"], json!({"kind": "aborted"})),
        "new game" => assert!(after["rematch"].is_string(), "{after}"),
        _ => assert_eq!(after["outcome"]["reason"], "claim"),
    }
}

#[tokio::test]
async fn every_cell_of_the_table_of_offers_is_true() {
    let server = TestServer::new().await;
    let (head, rows) = rows_of("| body | by |");
    let mut checked = 0;
    for row in &rows {
        let (body, by) = (row[0], row[1]);
        let seat = u8::from(by == "Bob");
        let action: Value = serde_json::from_str(body).unwrap();
        let kind = action.as_object().unwrap().values().next().unwrap();
        for (state, expected) in head.iter().zip(row).skip(2) {
            let game = Game::in_state(&server, state).await;
            assert_eq!(*expected == "–", game.tokens[seat.to_string()].is_null());
            if *expected == "–" {
                continue;
            }
            println!("{body} by {by}, {state}: {expected}");
            // This request makes Bob present.
            if !game.tokens["1"].is_null() {
                let bearer = format!("Bearer {}", game.tokens["1"].as_str().unwrap());
                let headers = [("Authorization", bearer.as_str())];
                server.send("GET", &game.path, &headers, None).await;
            }
            let before = game.view().await;
            let answer = game.act(&seat.to_string(), body).await;
            let after = game.view().await;
            let kind = kind.as_str().unwrap_or_default();
            check(expected, &answer, kind, seat, &before, &after);
            checked += 1;
        }
    }
    assert_eq!((rows.len(), checked), (24, 216));
}

#[tokio::test(start_paused = true)]
async fn every_row_of_the_table_of_claims_is_true() {
    let database = Database::new();
    let server = TestServer::node(&database).await;
    let (_, rows) = rows_of("| clock | Bob |");
    for row in &rows {
        let [clock, how, seconds, expected] = row[..] else {
            panic!("{row:?}");
        };
        println!("{row:?}");
        let clock = match clock {
            "none" => String::new(),
            clock => format!(r#","clock":{clock}"#),
        };
        let people = r#"[{"human":"Ann"},{"human":"Bob"}]"#;
        let game = Game::create(&server, people, &clock).await;
        let id = game.path.rsplit('/').next().unwrap();
        let _ann = Events::open_as(&server, id, &game.tokens["0"]).await;
        let stream = Events::open_as(&server, id, &game.tokens["1"]).await;
        game.act("0", ANN_PLAYS).await;
        game.act("1", BOB_PLAYS).await;
        match how {
            "disconnected" => {
                // Bob's request no longer counts: the stream alone makes him present.
                sleep(Duration::from_secs(100)).await;
                assert_eq!(game.view().await["seats"][1]["present"], true);
                drop(stream);
            }
            "left" => {
                drop(stream);
                let token = game.tokens["1"].as_str().unwrap();
                let leave = format!("{}/leave", game.path);
                assert_eq!(server.request_as(token, &leave, "").await.status, 204);
            }
            "silent" => drop(stream),
            _ => panic!("{how}"),
        }
        let seconds: u64 = seconds.trim_end_matches(" s").parse().unwrap();
        sleep(Duration::from_secs(seconds)).await;
        let before = game.view().await;
        let claim = ["win", "draw"][usize::from(seconds.is_multiple_of(2))];
        let answer = game.act("0", &json!({ "claim": claim }).to_string()).await;
        let after = game.view().await;
        check(expected, &answer, "", 0, &before, &after);
    }
    assert_eq!(rows.len(), 12);
}
