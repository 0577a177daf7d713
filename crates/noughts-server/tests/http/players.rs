//! Registered players: accounts, seats, links to other devices, deletion.

use std::collections::HashSet;

use noughts_server::HttpLimits;
use serde_json::{Value, json};

use crate::client::{Response, TestServer};

/// A registered player.
pub(crate) struct Player {
    pub(crate) id: String,
    pub(crate) token: String,
}

pub(crate) async fn register(server: &TestServer, name: &str) -> Player {
    let body = json!({ "name": name }).to_string();
    let created = server.request("POST", "/api/players", Some(&body)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    read_player(&created.body)
}

fn read_player(body: &Value) -> Player {
    let text = |field: &str| body[field].as_str().unwrap().to_owned();
    Player {
        id: text("id"),
        token: text("token"),
    }
}

impl Player {
    pub(crate) async fn send(
        &self,
        server: &TestServer,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Response {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Authorization", bearer.as_str())];
        server.send(method, path, &headers, body).await
    }

    async fn me(&self, server: &TestServer) -> Value {
        let me = self.send(server, "GET", "/api/me", None).await;
        assert_eq!(me.status, 200, "{}", me.body);
        me.body
    }

    /// Creates a table and takes its first seat.
    pub(crate) async fn create_table(&self, server: &TestServer, other: &str) -> String {
        let body = format!(r#"{{"variant":"3x3k3","seats":[{{"human":"x"}},{other}],"take":[0]}}"#);
        let created = self.send(server, "POST", "/api/games", Some(&body)).await;
        assert_eq!(created.status, 201, "{}", created.body);
        created.body["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn take_seat(&self, server: &TestServer, game: &str, seat: u8) -> Response {
        let path = format!("/api/games/{game}/seats/{seat}");
        self.send(server, "POST", &path, Some("{}")).await
    }

    pub(crate) async fn play(
        &self,
        server: &TestServer,
        game: &str,
        turn: usize,
        cell: &str,
    ) -> Response {
        let body = format!(r#"{{"turn":{turn},"play":"{cell}"}}"#);
        let path = format!("/api/games/{game}/actions");
        self.send(server, "POST", &path, Some(&body)).await
    }
}

/// A game in which the first player wins.
async fn play_game(server: &TestServer, first: &Player, second: &Player) -> String {
    let game = first.create_table(server, r#"{"open":"link"}"#).await;
    assert_eq!(second.take_seat(server, &game, 1).await.status, 200);
    let cells = ["0-0", "1-0", "0-1", "1-1", "0-2"];
    for (turn, cell) in (1..).zip(cells) {
        let player = if turn % 2 == 1 { first } else { second };
        let played = player.play(server, &game, turn, cell).await;
        assert_eq!(played.status, 200, "{}", played.body);
    }
    game
}

#[tokio::test]
async fn token_acts_for_the_seats_of_its_player_only() {
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, "Ann").await,
        register(&server, "Bob").await,
    );
    let game = ann.create_table(&server, r#"{"open":"link"}"#).await;
    // Bob has no seat yet.
    let refused = bob.play(&server, &game, 1, "0-0").await;
    refused.is_problem(403, "wrong-game");
    let taken = bob.take_seat(&server, &game, 1).await;
    let seats = &taken.body["view"]["seats"];
    assert_eq!(seats[0]["name"], "Ann");
    assert_eq!(seats[0]["player"], ann.id);
    assert_eq!(seats[1]["player"], bob.id);
    assert_eq!(seats[1]["bot"], Value::Null);
    // It is Ann's turn: Bob's token must not play for her.
    bob.play(&server, &game, 1, "0-0")
        .await
        .is_problem(409, "not-your-turn");
    assert_eq!(ann.play(&server, &game, 1, "0-0").await.status, 200);
    assert_eq!(bob.play(&server, &game, 2, "1-1").await.status, 200);
    for token in ["", "x", "player-", &format!("{}x", ann.token), &ann.id] {
        let stranger = Player {
            id: String::new(),
            token: token.to_owned(),
        };
        let kind = if token.is_empty() {
            "no-token"
        } else {
            "wrong-token"
        };
        let refused = stranger.play(&server, &game, 3, "2-2").await;
        refused.is_problem(401, kind);
        let me = stranger.send(&server, "GET", "/api/me", None).await;
        me.is_problem(401, kind);
    }
    // With a wrong token the request is refused. It does not create a table of an anonymous player.
    let body = r#"{"variant":"3x3k3"}"#;
    let created = server.request_as("player-1", "/api/games", body).await;
    created.is_problem(401, "wrong-token");
    // A player without a seat cannot play.
    let cyd = register(&server, "Cyd").await;
    let refused = cyd.play(&server, &game, 3, "2-2").await;
    refused.is_problem(403, "wrong-game");
}

#[tokio::test]
async fn me_lists_running_and_finished_games() {
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, "Ann").await,
        register(&server, "Bob").await,
    );
    let finished = play_game(&server, &ann, &bob).await;
    let running = ann.create_table(&server, r#"{"open":"link"}"#).await;
    let me = ann.me(&server).await;
    assert_eq!(me["id"], ann.id);
    assert_eq!(me["name"], "Ann");
    let games = me["running"].as_array().unwrap();
    assert_eq!(games.len(), 1);
    assert_eq!(games[0]["id"], running);
    assert_eq!(games[0]["seat"], 0);
    assert_eq!(games[0]["to_move"], 0);
    assert_eq!(me["finished"]["games"][0]["id"], finished);
    assert_eq!(me["finished"]["games"][0]["seats"][1]["player"], bob.id);
    let me = bob.me(&server).await;
    assert_eq!(me["running"], json!([]));
    assert_eq!(me["finished"]["games"].as_array().unwrap().len(), 1);
    // The running games come in pages.
    for _ in 0..3 {
        ann.create_table(&server, r#"{"open":"link"}"#).await;
    }
    let mut path = "/api/me?limit=3".to_owned();
    let mut found = Vec::new();
    loop {
        let page = ann.send(&server, "GET", &path, None).await.body;
        let games = page["running"].as_array().unwrap();
        found.extend(
            games
                .iter()
                .map(|game| game["id"].as_str().unwrap().to_owned()),
        );
        match page["running_before"].as_str() {
            Some(before) => path = format!("/api/me?limit=3&running_before={before}"),
            None => break,
        }
    }
    // Tables of the same millisecond come in the order of their ids.
    assert!(found.contains(&running), "{found:?}");
    assert_eq!(found.len(), 4);
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), 4);
    for (path, status, kind) in [
        ("/api/me?limit=0", 422, "out-of-range"),
        ("/api/me?limit=51", 422, "out-of-range"),
        ("/api/me?before=x", 400, "wrong-format"),
    ] {
        let refused = ann.send(&server, "GET", path, None).await;
        refused.is_problem(status, kind);
    }
}

#[tokio::test]
async fn profile_has_results_by_opponent() {
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, "Ann").await,
        register(&server, "Bob").await,
    );
    play_game(&server, &ann, &bob).await;
    play_game(&server, &ann, &bob).await;
    play_game(&server, &bob, &ann).await;
    let robot = ann.create_table(&server, r#"{"robot":"first"}"#).await;
    let path = format!("/api/games/{robot}/actions");
    let resigned = r#"{"turn":1,"resign":true}"#;
    let resigned = ann.send(&server, "POST", &path, Some(resigned)).await;
    assert_eq!(resigned.status, 200);
    let path = format!("/api/players/{}", ann.id);
    let profile = server.request("GET", &path, None).await.body;
    assert_eq!(profile["name"], "Ann");
    assert_eq!(profile["bot"], false);
    assert_eq!(profile["finished"]["games"].as_array().unwrap().len(), 4);
    let expected = json!([
        {"name":"Bob","player":bob.id,"robot":false,"won":2,"lost":1,"drawn":0},
        {"name":"first","robot":true,"won":0,"lost":1,"drawn":0},
    ]);
    assert_eq!(profile["results"], expected);
    for id in ["x", "00000000000000000000000000"] {
        let path = format!("/api/players/{id}");
        let missing = server.request("GET", &path, None).await;
        missing.is_problem(404, "no-such-player");
    }
}

#[tokio::test]
async fn a_renamed_player_is_renamed_everywhere() {
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, "Ann").await,
        register(&server, "Bob").await,
    );
    let finished = play_game(&server, &ann, &bob).await;
    let renamed = ann
        .send(&server, "PATCH", "/api/me", Some(r#"{"name":"Zoe"}"#))
        .await;
    assert_eq!(renamed.body["name"], "Zoe");
    assert_eq!(ann.me(&server).await["name"], "Zoe");
    let view = format!("/api/games/{finished}");
    let view = server.request("GET", &view, None).await;
    assert_eq!(view.body["seats"][0]["name"], "Zoe");
    let record = format!("/api/games/{finished}/record");
    let record = server.request("GET", &record, None).await;
    assert!(record.text.contains("Zoe"), "{}", record.text);
    assert!(!record.text.contains("Ann"), "{}", record.text);
}

#[tokio::test]
async fn the_name_of_a_deleted_player_is_nowhere() {
    let name = "Annabel Unique";
    let server = TestServer::new().await;
    let (ann, bob) = (
        register(&server, name).await,
        register(&server, "Bob").await,
    );
    let finished = play_game(&server, &ann, &bob).await;
    let running = bob.create_table(&server, r#"{"open":"link"}"#).await;
    assert_eq!(ann.take_seat(&server, &running, 1).await.status, 200);
    let waiting = ann.create_table(&server, r#"{"open":"lobby"}"#).await;
    let paths = [
        "/api/games".to_owned(),
        format!("/api/games/{finished}"),
        format!("/api/games/{running}"),
        format!("/api/games/{waiting}"),
        format!("/api/games/{finished}/record"),
        format!("/api/players/{}", bob.id),
        format!("/api/games?player={}", ann.id),
        format!("/game/{finished}"),
    ];
    let mut shown = 0;
    for path in &paths {
        let before = server.request("GET", path, None).await;
        shown += usize::from(before.text.contains(name));
    }
    assert!(shown >= 7, "{shown}");
    let deleted = ann.send(&server, "DELETE", "/api/me", None).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    for path in &paths {
        let after = server.request("GET", path, None).await;
        assert_ne!(after.status, 503, "{path}");
        assert!(!after.text.contains(name), "{path}: {}", after.text);
        assert!(!after.text.contains(&ann.token));
    }
    // The running game was resigned, and the waiting table is closed.
    let view = server.request("GET", &paths[2], None).await.body;
    assert_ne!(view["outcome"], Value::Null);
    assert_eq!(view["seats"][1]["name"], "");
    assert_eq!(view["seats"][1]["player"], Value::Null);
    let view = server.request("GET", &paths[3], None).await.body;
    assert_ne!(view["outcome"], Value::Null);
    // The token is gone, and so is the player.
    for method in ["GET", "DELETE"] {
        let gone = ann.send(&server, method, "/api/me", None).await;
        gone.is_problem(401, "wrong-token");
    }
    let path = format!("/api/players/{}", ann.id);
    let gone = server.request("GET", &path, None).await;
    gone.is_problem(404, "no-such-player");
    assert_eq!(bob.me(&server).await["running"], json!([]));
}

/// A backup is the id and the token: the token alone identifies the player.
#[tokio::test]
async fn a_code_links_another_device_once_and_a_backup_restores_the_player() {
    let server = TestServer::new().await;
    let ann = register(&server, "Ann").await;
    let game = ann.create_table(&server, r#"{"open":"link"}"#).await;
    let link = ann.send(&server, "POST", "/api/me/links", None).await;
    assert_eq!(link.status, 201, "{}", link.body);
    let code = link.body["code"].as_str().unwrap();
    assert_eq!(code.len(), 16);
    let expected = format!("http://here/#link={code}");
    assert_eq!(link.body["link"], expected);
    assert!(link.body["qr"].as_str().unwrap().contains("<svg"));
    let body = json!({ "code": code }).to_string();
    let phone = server
        .request("POST", "/api/players/link", Some(&body))
        .await;
    assert_eq!(phone.status, 201, "{}", phone.body);
    let phone = read_player(&phone.body);
    assert_eq!(phone.id, ann.id);
    assert_ne!(phone.token, ann.token);
    // The other device acts for the same seat.
    assert_eq!(phone.me(&server).await["running"][0]["id"], game);
    assert_eq!(phone.play(&server, &game, 1, "0-0").await.status, 200);
    let again = server
        .request("POST", "/api/players/link", Some(&body))
        .await;
    again.is_problem(404, "no-such-code");
    let restored = Player {
        id: ann.id.clone(),
        token: ann.token.clone(),
    };
    assert_eq!(restored.me(&server).await["id"], ann.id);
    // The first device signs the other out.
    let revoked = ann.send(&server, "DELETE", "/api/me/tokens", None).await;
    assert_eq!(revoked.status, 204);
    let refused = phone.send(&server, "GET", "/api/me", None).await;
    refused.is_problem(401, "wrong-token");
    ann.me(&server).await;
    for _ in 0..5 {
        let link = ann.send(&server, "POST", "/api/me/links", None).await;
        assert_eq!(link.status, 201);
    }
    let link = ann.send(&server, "POST", "/api/me/links", None).await;
    link.is_problem(429, "too-many-codes");
}

#[tokio::test]
async fn names_that_cannot_be_shown_are_refused() {
    let server = TestServer::new().await;
    let long = "x".repeat(65);
    for name in [
        "",
        "   ",
        "a\u{202e}b",
        "a\u{2066}b",
        "a\u{0}b",
        "a\u{7}b",
        "a\u{200b}b",
        "a\u{200d}b",
        "\u{feff}a",
        "a\u{2028}b",
        "a\nb",
        "\u{e000}",
        &long,
    ] {
        let body = json!({ "name": name }).to_string();
        let refused = server.request("POST", "/api/players", Some(&body)).await;
        refused.is_problem(422, "invalid-name");
        let ann = register(&server, "Ann").await;
        let refused = ann.send(&server, "PATCH", "/api/me", Some(&body)).await;
        refused.is_problem(422, "invalid-name");
        assert_eq!(ann.me(&server).await["name"], "Ann");
    }
    let body = json!({ "name": "x".repeat(1 << 20) }).to_string();
    let refused = server.request("POST", "/api/players", Some(&body)).await;
    refused.is_problem(413, "too-large");
    for (body, kind) in [
        ("{}", "missing-field"),
        ("[]", "not-an-object"),
        (r#"{"name":7}"#, "wrong-type"),
        (r#"{"name":"x","admin":true}"#, "unknown-field"),
    ] {
        let refused = server.request("POST", "/api/players", Some(body)).await;
        refused.is_problem(400, kind);
    }
    let bot = r#"{"name":"Robbie","bot":true}"#;
    let bot = server.request("POST", "/api/players", Some(bot)).await;
    let bot = read_player(&bot.body);
    assert_eq!(bot.me(&server).await["bot"], true);
    let game = bot.create_table(&server, r#"{"open":"link"}"#).await;
    let view = format!("/api/games/{game}");
    let view = server.request("GET", &view, None).await.body;
    assert_eq!(view["seats"][0]["bot"], true);
}

#[tokio::test]
async fn players_per_address_and_day_are_bounded() {
    let limits = HttpLimits {
        players_per_day: 3,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let create = async |address| {
        let body = r#"{"name":"Ann"}"#;
        server.post_from(address, "/api/players", "", body).await
    };
    for _ in 0..3 {
        assert_eq!(create("127.0.0.2").await.status, 201);
    }
    let refused = create("127.0.0.2").await;
    refused.is_problem(429, "too-many-players");
    assert!(
        refused.body["detail"]
            .as_str()
            .unwrap()
            .contains("3 players")
    );
    assert_eq!(create("127.0.0.3").await.status, 201);
}
