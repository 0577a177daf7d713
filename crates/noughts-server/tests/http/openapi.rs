//! The OpenAPI description, its page, and the metrics.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::TestServer;

#[tokio::test]
async fn metrics_match_the_documentation() {
    let server = TestServer::new().await;
    let figures = server.request("GET", "/metrics", None).await.text;
    let typed = |line: &str| {
        let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
        // OpenMetrics names a counter's family without the suffix of its samples.
        let suffix = if kind == "counter" { "_total" } else { "" };
        Some((format!("{name}{suffix}"), kind.to_owned()))
    };
    let figures: BTreeSet<(String, String)> = figures.lines().filter_map(typed).collect();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    // | `noughts_turns_total` | counter | … |
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `noughts_")?.split('|');
        let name = cells.next()?.trim().split('`').next()?;
        Some((format!("noughts_{name}"), cells.next()?.trim().to_owned()))
    };
    let told: BTreeSet<(String, String)> = docs.lines().filter_map(row).collect();
    assert!(figures.len() > 10);
    assert_eq!(
        told, figures,
        "docs/operations.md, and what /metrics prints"
    );
}

#[tokio::test]
async fn every_route_is_in_the_openapi_description() {
    let server = TestServer::new().await;
    let answer = server.request("GET", "/api/openapi.json", None).await;
    assert!(answer.headers.contains("content-type: application/json"));
    let api = answer.body;
    assert_eq!(api["info"]["title"], "Noughts");
    let paths = api["paths"].as_object().unwrap();
    for (path, method, id) in [
        ("/api/games", "post", "createGame"),
        ("/api/games", "get", "listGames"),
        ("/api/games/{id}", "get", "getGame"),
        ("/api/games/{id}/seats/{seat}", "post", "joinSeat"),
        ("/api/games/{id}/actions", "post", "act"),
        ("/api/games/{id}/rematch", "post", "offerRematch"),
        ("/api/games/{id}/events", "get", "followGame"),
        ("/api/games/{id}/ws", "get", "openWebSocket"),
        ("/api/games/{id}/record", "get", "getRecord"),
        ("/api/records", "post", "importRecord"),
        ("/api/games/{id}/analysis", "get", "getAnalysis"),
        ("/api/variants", "get", "listVariants"),
        ("/api/strategies", "get", "listStrategies"),
    ] {
        assert_eq!(paths[path][method]["operationId"], id, "{method} {path}");
    }
    let tags: Vec<&Value> = api["tags"].as_array().unwrap().iter().collect();
    let mut ids = BTreeSet::new();
    for (path, methods) in paths {
        for (method, call) in methods.as_object().unwrap() {
            let id = call["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
            let summary = call["summary"].as_str().unwrap();
            assert!(
                summary.ends_with('.') && summary.len() < 80,
                "{id}: {summary}"
            );
            let tag = &call["tags"][0];
            assert!(
                tags.iter().any(|known| known["name"] == *tag),
                "{id}: {tag}"
            );
            let responses = call["responses"].as_object().unwrap();
            assert!(
                responses.contains_key("429"),
                "{method} {path}: {responses:?}"
            );
            assert!(
                responses.contains_key("503"),
                "{method} {path}: {responses:?}"
            );
            for (status, response) in responses {
                let response = match response["$ref"].as_str() {
                    Some(place) => api.pointer(&place[1..]).unwrap(),
                    None => response,
                };
                let said = response["description"].as_str();
                assert!(
                    said.is_some_and(|said| said.len() > 5),
                    "{id} {status}: {response}"
                );
            }
        }
    }
    assert_eq!(
        api["components"]["securitySchemes"]["seat"]["scheme"],
        "bearer"
    );
    assert_eq!(api["servers"][0]["url"], "/");
}

/// Every JSON body of a request or a successful answer has an example.
#[tokio::test]
async fn every_body_has_an_example() {
    let server = TestServer::new().await;
    let api = server.request("GET", "/api/openapi.json", None).await.body;
    let paths = api["paths"].as_object().unwrap().values();
    let mut bodies = 0;
    for call in paths.flat_map(|methods| methods.as_object().unwrap().values()) {
        let responses = call["responses"].as_object().unwrap().iter();
        let answers = responses.filter(|(status, _)| status.starts_with('2'));
        let answers = answers.map(|(_, answer)| &answer["content"]);
        for content in answers.chain([&call["requestBody"]["content"]]) {
            let schema = &content["application/json"]["schema"];
            let named = [&schema["$ref"], &schema["items"]["$ref"]];
            let Some(place) = named.iter().find_map(|place| place.as_str()) else {
                assert!(schema.is_null(), "{schema}");
                continue;
            };
            let schema = api.pointer(&place[1..]).unwrap();
            let has_example = schema["examples"].is_array() || schema["example"].is_object();
            assert!(has_example, "{place}: {schema}");
            bodies += 1;
        }
    }
    assert!(bodies > 25, "{bodies}");
}

/// Generators need a name for every object, and a discriminator for every union.
#[tokio::test]
async fn every_union_has_a_discriminator() {
    let server = TestServer::new().await;
    let api = server.request("GET", "/api/openapi.json", None).await.body;
    let schemas = api["components"]["schemas"].as_object().unwrap();
    for (name, tag, variants) in [
        (
            "TurnView",
            "kind",
            &["PlayTurn", "RewindTurn", "TakebackTurn", "ResignTurn"][..],
        ),
        (
            "Outcome",
            "kind",
            &[
                "WonOutcome",
                "DrawOutcome",
                "AbandonedOutcome",
                "AbortedOutcome",
            ],
        ),
        (
            "BoardView",
            "state",
            &["OpenBoard", "WonBoard", "DrawnBoard"],
        ),
    ] {
        let union = &schemas[name];
        assert_eq!(union["discriminator"]["propertyName"], tag, "{name}");
        let mapping = union["discriminator"]["mapping"].as_object().unwrap();
        assert_eq!(mapping.len(), variants.len(), "{name}");
        for (value, place) in mapping {
            let place = place.as_str().unwrap();
            let variant = api.pointer(&place[1..]).unwrap();
            assert_eq!(
                variant["properties"][tag]["enum"],
                json!([value]),
                "{place}"
            );
            let required = variant["required"].as_array().unwrap();
            assert!(required.contains(&json!(tag)), "{place}");
            assert!(variants.iter().any(|name| place.ends_with(name)), "{place}");
        }
    }
    check_unions("", &json!(schemas));
    // All fields are required, except these optional ones.
    for (name, optional) in [
        ("View", &["rows", "you", "boards", "score", "active"][..]),
        ("Change", &["boards", "score", "active"]),
        ("SeatView", &["open", "player", "bot"]),
        ("GameListing", &[]),
        ("GamesPage", &[]),
        ("OfferView", &[]),
    ] {
        let required = schemas[name]["required"].as_array().unwrap();
        let properties = schemas[name]["properties"].as_object().unwrap();
        let absent = properties
            .keys()
            .filter(|field| !required.contains(&json!(field)));
        let absent: BTreeSet<&str> = absent.map(String::as_str).collect();
        assert_eq!(absent, optional.iter().copied().collect(), "{name}");
    }
}

/// Asserts that every `oneOf` is a union with a discriminator, or a reference that may be null, and that no list has a
/// schema of its own for each item.
fn check_unions(place: &str, schema: &Value) {
    if let Some(variants) = schema["oneOf"].as_array() {
        let is_nullable = variants.len() == 2 && variants[0]["type"] == "null";
        let has_tag = schema["discriminator"].is_object();
        assert!(is_nullable || has_tag, "{place}: {schema}");
    }
    assert!(schema.get("prefixItems").is_none(), "{place}: {schema}");
    assert_ne!(schema["items"], json!(false), "{place}");
    match schema {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, inner)| check_unions(&format!("{place}/{name}"), inner)),
        Value::Array(items) => items.iter().for_each(|inner| check_unions(place, inner)),
        _ => {}
    }
}

/// A strategy with the largest parameter is accepted, as the list says.
#[tokio::test]
async fn listed_strategies_are_accepted() {
    let server = TestServer::new().await;
    let listed = server.request("GET", "/api/strategies", None).await.body;
    let strategies = listed.as_array().unwrap();
    let largest = |strategy: &Value| strategy["max"].as_array().unwrap().clone();
    let largest: Vec<Value> = strategies.iter().flat_map(largest).collect();
    assert!(largest.len() > 3, "{largest:?}");
    for name in largest {
        let seats = json!([{"human": ""}, {"robot": name}]);
        let table = json!({"variant": "3x3k3", "seats": seats}).to_string();
        server.create_table(&table).await;
    }
    for name in [
        "minimax:10",
        "mcts:1000001",
        "search:6s",
        "search:5000001n",
        "level:9",
    ] {
        let seats = json!([{"human": ""}, {"robot": name}]);
        let table = json!({"variant": "3x3k3", "seats": seats}).to_string();
        let refused = server.request("POST", "/api/games", Some(&table)).await;
        assert_eq!(refused.status, 422, "{name}: {}", refused.body);
    }
}

#[tokio::test]
async fn docs_page_loads_only_files_of_this_server() {
    let server = TestServer::new().await;
    for (path, medium) in [
        ("/api/docs", "text/html"),
        ("/api/docs.js", "text/javascript"),
        ("/api/docs.css", "text/css"),
    ] {
        let answer = server.request("GET", path, None).await;
        assert_eq!(answer.status, 200);
        assert!(
            answer.headers.contains(&format!("content-type: {medium}")),
            "{path}"
        );
        assert!(answer.headers.contains("default-src 'none'"), "{path}");
        for elsewhere in ["http:", "https:", "src=\"//"] {
            assert!(!answer.text.contains(elsewhere), "{path}: {elsewhere}");
        }
    }
}

#[tokio::test]
async fn metrics_count_requests_and_games() {
    let server = TestServer::new().await;
    let figure = |name: &'static str| {
        let server = &server;
        async move {
            let text = server.request("GET", "/metrics", None).await.text;
            let line = text
                .lines()
                .find(|line| line.split(' ').next() == Some(name));
            let value = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
            value.unwrap_or(0.0)
        }
    };
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    server.play(&id, &tokens["0"], 1, "1-1").await;
    let path = format!("/api/games/{id}/actions");
    let bob = tokens["1"].as_str().unwrap();
    let taken = server
        .request_as(bob, &path, r#"{"turn":2,"play":"1-1"}"#)
        .await;
    taken.is_problem(409, "occupied");
    server
        .request_as(bob, &path, r#"{"turn":2,"resign":true}"#)
        .await;
    for (name, value) in [
        ("noughts_tables_created_total", 1.0),
        ("noughts_turns_total", 2.0),
        ("noughts_games_ended_total", 1.0),
        (
            "noughts_refusals_total{listener=\"http\",reason=\"occupied\"}",
            1.0,
        ),
        ("noughts_http_responses_total{class=\"4xx\"}", 1.0),
        (
            "noughts_http_request_duration_seconds_count{kind=\"write\"}",
            4.0,
        ),
        ("noughts_tables_in_memory", 1.0),
        ("noughts_connections_open", 1.0),
        ("noughts_computations_queued", 0.0),
    ] {
        assert_eq!(figure(name).await, value, "{name}");
    }
}
