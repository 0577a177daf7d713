//! Records, analyses and the archive.

use serde_json::{Value, json};

use crate::client::TestServer;

const TEXT: &str = "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o robot perfect\n\
    1 0 0-0\n2 1 0-1\n3 0 1-1\n4 1 0-2\n5 0 2-2\nresult won x by line\n";

async fn archive_text(server: &TestServer, text: &str) -> crate::client::Response {
    server
        .send_as("text/plain", "/api/records", &[], text)
        .await
}

#[tokio::test]
async fn imported_record_is_exported_as_text_and_json() {
    let server = TestServer::new().await;
    let archived = archive_text(&server, TEXT).await;
    assert_eq!(archived.status, 201, "{}", archived.text);
    let id = archived.body["id"].as_str().unwrap();
    assert_eq!(archived.body["view"]["outcome"]["sides"], json!([0]));
    let path = format!("/api/games/{id}/record");
    assert_eq!(server.request("GET", &path, None).await.text, TEXT);
    let accept = [("Accept", "application/json, text/plain")];
    let record = server.send("GET", &path, &accept, None).await.body;
    assert_eq!(
        record,
        json!({
            "noughts": 1, "variant": "3x3k3", "history": 0,
            "seats": [{"symbol": "x", "human": "Ann"}, {"symbol": "o", "robot": "perfect"}],
            "turns": [
                {"kind": "play", "seat": 0, "move": "0-0"}, {"kind": "play", "seat": 1, "move": "0-1"},
                {"kind": "play", "seat": 0, "move": "1-1"}, {"kind": "play", "seat": 1, "move": "0-2"},
                {"kind": "play", "seat": 0, "move": "2-2"},
            ],
            "result": "won x by line",
        })
    );
    // An exported record can be imported as another game.
    let again = server
        .request("POST", "/api/records", Some(&record.to_string()))
        .await;
    assert_eq!(again.status, 201, "{}", again.text);
    assert_ne!(again.body["id"], archived.body["id"]);
    let listed = server
        .request("GET", "/api/games?status=over&player=Ann", None)
        .await;
    let games = listed.body["games"].as_array().unwrap();
    assert_eq!(games.len(), 2);
    assert_eq!(games[0]["outcome"]["reason"], "line");

    let key = [("Idempotency-Key", "0123456789abcdef")];
    let first = server
        .send_as("text/plain", "/api/records", &key, TEXT)
        .await;
    let second = server
        .send_as("text/plain", "/api/records", &key, TEXT)
        .await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body["id"], second.body["id"]);
    let other = TEXT.replace("Ann", "Bob");
    let reused = server
        .send_as("text/plain", "/api/records", &key, &other)
        .await;
    reused.is_problem(422, "key-reused");
}

#[tokio::test]
async fn every_kind_of_ending_survives_export_and_import() {
    let server = TestServer::new().await;
    for (turns, result) in [
        ("1 0 1-1\n2 1 resign\n", "won x by resignation"),
        ("1 0 1-1\n", "won o by leaving"),
        ("1 0 1-1\n", "abandoned"),
        (
            "1 0 0-0\n2 1 1-1\n3 0 2-2\n4 1 0-1\n5 0 2-1\n6 1 2-0\n7 0 0-2\n8 1 1-2\n9 0 1-0\n",
            "draw",
        ),
    ] {
        let text = format!(
            "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o human Bob\n{turns}result {result}\n"
        );
        let archived = archive_text(&server, &text).await;
        assert_eq!(archived.status, 201, "{result}: {}", archived.text);
        let path = format!(
            "/api/games/{}/record",
            archived.body["id"].as_str().unwrap()
        );
        assert_eq!(server.request("GET", &path, None).await.text, text);
    }
}

/// Export, import and export give the same record, also with a clock, offers, takebacks and new results.
#[tokio::test]
async fn record_with_a_clock_survives_export_and_import() {
    let server = TestServer::new().await;
    const TURNS: &str = "1 0 0-0 2500ms\n2 1 1-1 800ms\n3 0 0-1 0ms\noffer 0 takeback\naccept 1 takeback\n\
        4 0 takeback 1 1200ms\noffer 0 draw\ndecline 1 draw\n5 0 0-2 17000ms\n";
    for clock in ["clock 180+2\n", "clock move 30\n", "clock days 3\n", ""] {
        for (more, result) in [
            ("", "won x by time"),
            ("", "draw by claim"),
            ("", "won o by claim"),
            ("", "aborted"),
            ("", "abandoned"),
            ("6 1 2-2 5ms\n7 0 0-1 93784005ms\n", "won x by line"),
            ("6 1 resign 1ms\n", "won x by resignation"),
            ("offer 1 draw\naccept 0 draw\n", "draw by agreement"),
        ] {
            let mut turns = format!("{TURNS}{more}");
            if clock.is_empty() {
                if result.ends_with("by time") {
                    continue;
                }
                let line = |line: &str| match line.strip_suffix("ms") {
                    Some(timed) => timed.rsplit_once(' ').unwrap().0.to_owned() + "\n",
                    None => format!("{line}\n"),
                };
                turns = turns.lines().map(line).collect();
            }
            let text = format!(
                "noughts 2\nvariant 3x3k3\nhistory 0\n{clock}seat 0 x human Ann\nseat 1 o human Bob\n{turns}result {result}\n"
            );
            let archived = archive_text(&server, &text).await;
            assert_eq!(archived.status, 201, "{text}: {}", archived.text);
            let path = |archived: &Value| {
                format!("/api/games/{}/record", archived["id"].as_str().unwrap())
            };
            let exported = server.request("GET", &path(&archived.body), None).await;
            assert_eq!(exported.text, text);
            let accept = [("Accept", "application/json")];
            let json = server
                .send("GET", &path(&archived.body), &accept, None)
                .await;
            assert_eq!(json.body["noughts"], 2);
            assert_eq!(json.body["used_ms"].is_array(), !clock.is_empty());
            let again = server
                .request("POST", "/api/records", Some(&json.text))
                .await;
            assert_eq!(again.status, 201, "{}", again.text);
            let again_json = server.send("GET", &path(&again.body), &accept, None).await;
            assert_eq!(again_json.text, json.text);
            let exported = server.request("GET", &path(&again.body), None).await;
            assert_eq!(exported.text, text);
        }
    }
    // Times that no game can have had.
    let long = "noughts 2\nvariant 3x3k3\nhistory 0\nclock days 3\nseat 0 x human Ann\nseat 1 o human Bob\n\
        1 0 0-0 1000000000000ms\n2 1 resign 1000000000000ms\nresult won x by resignation\n";
    let refused = archive_text(&server, long).await;
    refused.is_problem(422, "impossible-record");
}

#[tokio::test]
async fn invalid_records_are_explained() {
    let server = TestServer::new().await;
    for (from, to, status, kind, part) in [
        ("2-2\n", "0-0\n", 400, "unreadable-record", "line 10"),
        (
            "won x by line",
            "draw",
            400,
            "unreadable-record",
            "won x by line",
        ),
        (
            "noughts 1",
            "noughts 3",
            400,
            "unreadable-record",
            "noughts 1",
        ),
        ("perfect", "engine:rm", 400, "unreadable-record", "command"),
        ("perfect", "nobody", 422, "unknown-strategy", "strategy"),
        ("Ann", "A\u{202e}n", 422, "invalid-name", "U+202E"),
    ] {
        let answer = archive_text(&server, &TEXT.replacen(from, to, 1)).await;
        answer.is_problem(status, kind);
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains(part), "{to}: {detail}");
    }
    let unfinished = TEXT
        .replace("5 0 2-2\n", "")
        .replace("won x by line", "unfinished");
    archive_text(&server, &unfinished)
        .await
        .is_problem(422, "impossible-record");
    // `draw` without a reason means a full board or the limit of turns. Neither is true here.
    let too_early = unfinished.replace("unfinished", "draw");
    archive_text(&server, &too_early)
        .await
        .is_problem(422, "impossible-record");
    let several = "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human\nseat 1 x human\n\
        seat 2 o human\n1 0 0-0\n2 1 0-1\n3 2 resign\nresult won x by resignation\n";
    archive_text(&server, several)
        .await
        .is_problem(422, "impossible-record");
    let injected = json!({
        "noughts": 1, "variant": "3x3k3", "history": 0, "turns": [], "result": "abandoned",
        "seats": [{"symbol": "x", "human": "A\nseat 1 o human B"}, {"symbol": "o", "human": ""}],
    });
    server
        .request("POST", "/api/records", Some(&injected.to_string()))
        .await
        .is_problem(400, "unreadable-record");
    let medium = server.send_as("image/png", "/api/records", &[], TEXT).await;
    medium.is_problem(415, "wrong-content-type");
    let listed = server.request("GET", "/api/games", None).await;
    assert_eq!(listed.body["games"], json!([]));
}

#[tokio::test]
async fn analysis_finds_mistakes() {
    let server = TestServer::new().await;
    // Against a corner only the centre draws: 0-1 loses, and x plays the winning line.
    let id = archive_text(&server, TEXT).await.body["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/api/games/{id}/analysis");
    let study = server.request("GET", &path, None).await;
    assert_eq!(study.status, 200, "{}", study.text);
    let turns = study.body["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 5);
    assert_eq!(turns[0]["worth"], json!({"value": "draw"}));
    assert_eq!(turns[0]["mistake"], Value::Null);
    assert_eq!(
        turns[1]["done"],
        json!({"kind": "play", "seat": 1, "move": "0-1"})
    );
    assert_eq!(turns[1]["best"], "1-1");
    assert_eq!(turns[1]["mistake"], json!({"had": "draw", "left": "loss"}));
    assert_eq!(turns[2]["worth"]["value"], "win");
    assert_eq!(turns[4]["worth"], json!({"value": "win", "plies": 1}));
    assert_eq!(turns[4]["best"], "2-2");
    for turn in &turns[2..] {
        assert_eq!(turn["mistake"], Value::Null, "{turn}");
    }
    // The page describes these fields in words.
    assert_eq!(turns[2]["threats"], json!(["2-2"]));
    assert_eq!(turns[1]["line"][0], "1-1");
    assert_eq!(turns[1]["moves"].as_array().unwrap().len(), 8);
    assert_eq!(
        turns[1]["moves"][0],
        json!({"move": "1-1", "value": "draw"})
    );
    assert_eq!(turns[1]["moves"][1]["value"], "loss");
    assert_eq!(turns[1]["moves"][1]["plies"], 6);
    assert_eq!(
        turns[4]["moves"][0],
        json!({"move": "2-2", "value": "win", "plies": 1})
    );
    // The second request gets the stored analysis.
    assert_eq!(server.request("GET", &path, None).await.text, study.text);

    let (running, _) = server.create_table(r#"{"variant":"3x3k3"}"#).await;
    server
        .request("GET", &format!("/api/games/{running}/analysis"), None)
        .await
        .is_problem(409, "not-over");
}

#[tokio::test]
async fn archive_has_pages_and_filters() {
    let server = TestServer::new().await;
    for name in ["Ann", "Bob", "Ann", "Cleo", "Ann"] {
        let text = TEXT.replace("Ann", name);
        assert_eq!(archive_text(&server, &text).await.status, 201);
    }
    let (waiting, _) = server
        .create_table(r#"{"variant":"multi@4","seats":[{"human":"Ann"},{"open":"lobby"}]}"#)
        .await;
    let (_, _) = server
        .create_table(r#"{"variant":"multi@4","seats":[{"human":"Ann"},{"open":"link"}]}"#)
        .await;
    let ids = |page: &Value| -> Vec<String> {
        let games = page["games"].as_array().unwrap().iter();
        games
            .map(|game| game["id"].as_str().unwrap().to_owned())
            .collect()
    };
    // Every game appears once, whatever the size of a page.
    let whole = server
        .request("GET", "/api/games?limit=100", None)
        .await
        .body;
    assert_eq!((ids(&whole).len(), &whole["before"]), (6, &Value::Null));
    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/games?limit=4{before}");
        let page = server.request("GET", &path, None).await.body;
        seen.extend(ids(&page));
        match page["before"].as_str() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ids(&whole));
    for (query, count) in [
        ("player=Ann&status=over", 3),
        ("player=Cleo", 1),
        ("player=Nobody", 0),
        ("status=waiting", 1),
        ("status=playing", 0),
        ("variant=multi", 1),
        ("variant=multi@4", 1),
        ("variant=3x3k3", 5),
    ] {
        let page = server
            .request("GET", &format!("/api/games?{query}"), None)
            .await;
        assert_eq!(ids(&page.body).len(), count, "{query}");
    }
    let page = server
        .request("GET", "/api/games?status=waiting", None)
        .await;
    assert_eq!(ids(&page.body), [waiting]);
}
