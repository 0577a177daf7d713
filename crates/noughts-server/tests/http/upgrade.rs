//! A store of schema 1, from the version before games were stored as logs. Every game, token and idempotency key still
//! works.

use std::path::Path;
use std::time::SystemTime;

use noughts_server::{Sqlite, SyncMode};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, query, query_as};

use crate::client::TestServer;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/stores");

/// The requests to the older version, and its answers, recorded when the file was made.
fn fixture() -> Value {
    let text = std::fs::read_to_string(format!("{FIXTURES}/schema-1-sqlite.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A server over a copy of the older version's file. All times are moved to today, because keys expire.
async fn upgraded(directory: &Path) -> TestServer {
    let file = directory.join("noughts.db");
    std::fs::copy(format!("{FIXTURES}/schema-1-sqlite.db"), &file).unwrap();
    let options = SqliteConnectOptions::new().filename(&file);
    let mut raw = options.connect().await.unwrap();
    let newest = "SELECT max(created_ms) FROM games";
    let (newest,): (i64,) = query_as(newest).fetch_one(&mut raw).await.unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let later = now.unwrap().as_millis() as i64 - newest;
    for update in [
        "UPDATE games SET created_ms = created_ms + ?1, ended_ms = ended_ms + ?1",
        "UPDATE turns SET at_ms = at_ms + ?1",
        "UPDATE players SET created_ms = created_ms + ?1",
    ] {
        query(update).bind(later).execute(&mut raw).await.unwrap();
    }
    drop(raw);
    let store = Sqlite::open(&file, SyncMode::Normal).await.unwrap();
    TestServer::over(Box::new(store)).await
}

/// A view without fields that are new or that change by themselves.
fn comparable(view: &Value) -> Value {
    let mut view = view.clone();
    let fields = view.as_object_mut().unwrap();
    for new in ["entry", "offers", "clock"] {
        fields.remove(new);
    }
    for seat in fields["seats"].as_array_mut().unwrap() {
        let seat = seat.as_object_mut().unwrap();
        for field in ["present", "open"] {
            seat.remove(field);
        }
    }
    view
}

/// A view of the older version, with outcome, last turn and boards in the form of this version.
fn in_current_form(view: &Value) -> Value {
    let mut view = view.clone();
    let outcome = view["outcome"].take();
    view["outcome"] = match &outcome {
        Value::Null => Value::Null,
        outcome if outcome["draw"] == true => json!({"kind": "draw", "reason": "full"}),
        outcome if outcome["abandoned"] == true => json!({"kind": "abandoned"}),
        outcome => json!({
            "kind": "won", "sides": outcome["won"], "reason": outcome["by"],
            "line": outcome.get("line").unwrap_or(&json!([])),
        }),
    };
    view["last"] = turn_in_current_form(&view["last"]);
    if let Some(boards) = view.get_mut("boards") {
        for board in boards.as_array_mut().unwrap() {
            *board = match board["won"].as_u64() {
                Some(side) => json!({"state": "won", "side": side}),
                None => json!({ "state": board }),
            };
        }
    }
    view
}

fn turn_in_current_form(turn: &Value) -> Value {
    let seat = &turn["by"];
    match (turn, &turn["play"], &turn["rewind"]) {
        (Value::Null, ..) => Value::Null,
        (_, Value::String(at), _) => json!({"kind": "play", "seat": seat, "move": at}),
        (_, _, Value::Number(count)) => json!({"kind": "rewind", "seat": seat, "count": count}),
        _ => json!({"kind": "resign", "seat": seat}),
    }
}

#[tokio::test]
async fn games_of_the_older_version_look_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let server = upgraded(directory.path()).await;
    let fixture = fixture();
    for (name, game) in fixture["games"].as_object().unwrap() {
        let id = game["id"].as_str().unwrap();
        let answer = server
            .request("GET", &format!("/api/games/{id}"), None)
            .await;
        assert_eq!(answer.status, 200, "{name}");
        assert_eq!(
            comparable(&answer.body),
            comparable(&in_current_form(&game["view"])),
            "{name}"
        );
        if let Some(record) = game["record"].as_str() {
            let path = format!("/api/games/{id}/record");
            let answer = server.request("GET", &path, None).await;
            assert_eq!(answer.text, record, "{name}");
        }
        if let Some(analysis) = game.get("analysis") {
            let path = format!("/api/games/{id}/analysis");
            let answer = server.request("GET", &path, None).await;
            let mut analysis = analysis.clone();
            for turn in analysis["turns"].as_array_mut().unwrap() {
                turn["done"] = turn_in_current_form(&turn["done"]);
            }
            assert_eq!(answer.body, analysis, "{name}");
        }
    }
}

/// If a request of a seat or a request with a key is sent again, it counts as a repeat of the request to the older
/// version.
#[tokio::test]
async fn repeats_of_requests_to_the_older_version_are_recognized() {
    let directory = tempfile::tempdir().unwrap();
    let server = upgraded(directory.path()).await;
    let fixture = fixture();
    let mut repeated = 0;
    for request in fixture["requests"].as_array().unwrap() {
        let text = |name: &str| request[name].as_str().unwrap();
        let headers = request["headers"].as_object().unwrap();
        let (path, response) = (text("path"), &request["response"]);
        let creates = path == "/api/games" || path == "/api/records" || path.contains("/seats/");
        if creates && !headers.contains_key("Idempotency-Key") {
            continue;
        }
        let sent: Vec<(&str, &str)> = headers
            .iter()
            .filter(|(name, _)| *name != "Content-Type")
            .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
            .collect();
        let medium = headers["Content-Type"].as_str().unwrap();
        let answer = server.send_as(medium, path, &sent, text("body")).await;
        assert_eq!(
            answer.status,
            200,
            "{path} {}: {}",
            text("body"),
            answer.text
        );
        for field in ["id", "token", "tokens"] {
            // The recorded answer to the first request for a rematch has no token, because the other player had not
            // requested the rematch yet.
            if let Some(value) = response.get(field).filter(|value| !value.is_null()) {
                assert_eq!(&answer.body[field], value, "{path}");
            }
        }
        repeated += 1;
    }
    assert!(repeated > 30, "{repeated}");
    // Nothing was carried out twice.
    let game = &fixture["games"]["three_sides"];
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    let view = server.request("GET", &path, None).await.body;
    assert_eq!(view["turn"], game["view"]["turn"]);
}

#[tokio::test]
async fn games_of_the_older_version_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let server = upgraded(directory.path()).await;
    let fixture = fixture();
    let game = &fixture["games"]["gravity"];
    let (id, view) = (game["id"].as_str().unwrap(), &game["view"]);
    let to_move = view["to_move"].to_string();
    let token = &game["tokens"][&to_move];
    let turn = view["turn"].as_u64().unwrap() as usize;
    let after = server.play(id, token, turn, "5").await;
    assert_eq!(after["turn"], turn + 1);
    // The key of one request is refused for another.
    let keyed = fixture["requests"].as_array().unwrap().iter();
    let mut keyed = keyed.filter(|request| {
        request["path"] == "/api/games" && request["headers"].get("Idempotency-Key").is_some()
    });
    let key = keyed.next().unwrap()["headers"]["Idempotency-Key"].as_str();
    let headers = [("Idempotency-Key", key.unwrap())];
    let body = Some(r#"{"variant":"9x9k5"}"#);
    let other = server.send("POST", "/api/games", &headers, body).await;
    other.is_problem(422, "key-reused");
}
