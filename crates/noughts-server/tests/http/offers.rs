//! Clocks, offers, abort, claims and leaving.

use serde_json::{Value, json};

use crate::client::{Response, TestServer};

struct Game {
    server: TestServer,
    path: String,
    tokens: Value,
}

impl Game {
    /// A game of two people. `more` has additional fields of the request that creates the table.
    async fn new(more: &str) -> Game {
        let server = TestServer::new().await;
        let new =
            format!(r#"{{"variant":"3x3k3","seats":[{{"human":"Ann"}},{{"human":"Bob"}}]{more}}}"#);
        let (id, tokens) = server.create_table(&new).await;
        let path = format!("/api/games/{id}");
        Game {
            server,
            path,
            tokens,
        }
    }

    async fn act(&self, seat: &str, body: &str) -> Response {
        let token = self.tokens[seat].as_str().unwrap();
        let path = format!("{}/actions", self.path);
        self.server.request_as(token, &path, body).await
    }

    async fn play(&self, seat: &str, turn: usize, cell: &str) -> Value {
        let body = json!({"turn": turn, "play": cell}).to_string();
        let played = self.act(seat, &body).await;
        assert_eq!(played.status, 200, "{}", played.body);
        played.body
    }
}

#[tokio::test]
async fn absurd_clocks_are_refused() {
    let server = TestServer::new().await;
    for (clock, status, kind) in [
        (r#"{"base":9}"#, 422, "out-of-range"),
        (r#"{"base":10801}"#, 422, "out-of-range"),
        (r#"{"base":180,"increment":181}"#, 422, "out-of-range"),
        (r#"{"move":0}"#, 422, "out-of-range"),
        (r#"{"move":3601}"#, 422, "out-of-range"),
        (r#"{"days":15}"#, 422, "out-of-range"),
        (r#"{}"#, 400, "not-one-of"),
        (r#"{"base":180,"days":3}"#, 400, "not-one-of"),
    ] {
        let body = format!(r#"{{"variant":"3x3k3","clock":{clock}}}"#);
        let refused = server.request("POST", "/api/games", Some(&body)).await;
        refused.is_problem(status, kind);
    }
    let robots = r#"{"variant":"3x3k3","clock":{"move":30},"seats":[{"robot":"first"},{"robot":"first"}],"take":[]}"#;
    let refused = server.request("POST", "/api/games", Some(robots)).await;
    refused.is_problem(422, "seat-conflict");
}

#[tokio::test]
async fn view_changes_and_record_have_the_clock() {
    let game = Game::new(r#","clock":{"base":180,"increment":2}"#).await;
    let clock =
        json!({"base": 180, "increment": 2, "left_ms": [180_000, 180_000], "running": null});
    let view = game.server.request("GET", &game.path, None).await.body;
    assert_eq!(view["clock"], clock);
    game.play("0", 1, "0-0").await;
    let view = game.play("1", 2, "1-1").await;
    // The first turns are free; now Ann's time runs.
    assert_eq!(view["clock"]["running"], 0);
    assert_eq!(view["clock"]["left_ms"][1], 180_000);
    let left_ms = view["clock"]["left_ms"][0].as_u64().unwrap();
    assert!((170_000..=180_000).contains(&left_ms), "{left_ms}");
    let record = format!("{}/record", game.path);
    let record = game.server.request("GET", &record, None).await.text;
    assert!(record.starts_with("noughts 2\n"), "{record}");
    assert!(record.contains("\nclock 180+2\n"), "{record}");
    let imported: noughts_rules::Record = record.parse().unwrap();
    assert_eq!(imported.used_ms().len(), 2);
}

#[tokio::test]
async fn draw_is_offered_declined_and_agreed() {
    let game = Game::new("").await;
    game.act("0", r#"{"offer":"draw"}"#)
        .await
        .is_problem(409, "draw-too-early");
    game.play("0", 1, "0-0").await;
    let offered = game.act("0", r#"{"offer":"draw"}"#).await;
    let offers = json!([{"kind": "draw", "seat": 0, "entry": 2}]);
    assert_eq!((offered.status, &offered.body["offers"]), (200, &offers));
    game.act("0", r#"{"accept":"draw"}"#)
        .await
        .is_problem(409, "no-offer");
    let declined = game.act("1", r#"{"decline":"draw"}"#).await;
    assert_eq!(declined.body["offers"], json!([]));
    game.act("0", r#"{"offer":"draw"}"#)
        .await
        .is_problem(409, "draw-refused");
    game.play("1", 2, "1-1").await;
    game.act("1", r#"{"offer":"draw"}"#).await;
    let agreed = game.act("0", r#"{"accept":"draw"}"#).await;
    let outcome = json!({"kind": "draw", "reason": "agreement"});
    assert_eq!(agreed.body["outcome"], outcome);
    game.act("0", r#"{"offer":"draw"}"#)
        .await
        .is_problem(409, "over");
    // The record has the offers and the result.
    let record = format!("{}/record", game.path);
    let record = game.server.request("GET", &record, None).await.text;
    assert!(
        record.ends_with("offer 1 draw\naccept 0 draw\nresult draw by agreement\n"),
        "{record}"
    );
    let rematch = game.act("0", r#"{"offer":"rematch"}"#).await;
    assert_eq!(rematch.body["offers"][0]["kind"], "rematch");
    let created = game.act("1", r#"{"accept":"rematch"}"#).await;
    assert!(created.body["rematch"].is_string(), "{}", created.body);
}

#[tokio::test]
async fn takeback_is_agreed_by_people_and_granted_by_robots() {
    let game = Game::new("").await;
    game.act("0", r#"{"offer":"takeback"}"#)
        .await
        .is_problem(409, "nothing-to-take-back");
    game.play("0", 1, "0-0").await;
    game.play("1", 2, "1-1").await;
    game.act("0", r#"{"offer":"takeback"}"#).await;
    let taken = game.act("1", r#"{"accept":"takeback"}"#).await.body;
    assert_eq!(
        taken["last"],
        json!({"kind": "takeback", "seat": 0, "count": 2})
    );
    assert_eq!((&taken["to_move"], &taken["turn"]), (&json!(0), &json!(4)));
    let server = TestServer::new().await;
    let new = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"robot":"first"}]}"#;
    let (id, tokens) = server.create_table(new).await;
    server.play(&id, &tokens["0"], 1, "1-1").await;
    let path = format!("/api/games/{id}/actions");
    let token = tokens["0"].as_str().unwrap();
    let taken = server
        .request_as(token, &path, r#"{"offer":"takeback"}"#)
        .await
        .body;
    assert_eq!(
        taken["last"],
        json!({"kind": "takeback", "seat": 0, "count": 2})
    );
    let refused = server.request_as(token, &path, r#"{"offer":"draw"}"#).await;
    refused.is_problem(409, "no-other-player");
}

#[tokio::test]
async fn game_is_aborted_and_claimed_only_as_allowed() {
    let game = Game::new("").await;
    game.play("0", 1, "0-0").await;
    game.act("0", r#"{"claim":"win"}"#)
        .await
        .is_problem(409, "claim-too-early");
    game.play("1", 2, "1-1").await;
    game.act("0", r#"{"abort":true}"#)
        .await
        .is_problem(409, "too-late-to-abort");
    // Bob made a request a moment ago.
    game.act("0", r#"{"claim":"win"}"#)
        .await
        .is_problem(409, "opponent-present");
    let bob = game.tokens["1"].as_str().unwrap();
    let leave = format!("{}/leave", game.path);
    assert_eq!(game.server.request_as(bob, &leave, "").await.status, 204);
    game.act("0", r#"{"claim":"win"}"#)
        .await
        .is_problem(409, "opponent-just-left");
    let view = game.server.request("GET", &game.path, None).await.body;
    assert_eq!(
        (&view["seats"][0]["present"], &view["seats"][1]["present"]),
        (&json!(true), &json!(false))
    );
    let game = Game::new("").await;
    let aborted = game.act("1", r#"{"abort":true}"#).await;
    assert_eq!(aborted.body["outcome"], json!({"kind": "aborted"}));
}
