//! The OpenAPI description, its page, and the metrics.

use std::collections::BTreeSet;

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
    for (path, method) in [
        ("/api/games", "post"),
        ("/api/games", "get"),
        ("/api/games/{id}", "get"),
        ("/api/games/{id}/seats/{seat}", "post"),
        ("/api/games/{id}/actions", "post"),
        ("/api/games/{id}/rematch", "post"),
        ("/api/games/{id}/events", "get"),
        ("/api/games/{id}/ws", "get"),
        ("/api/games/{id}/record", "get"),
        ("/api/records", "post"),
        ("/api/games/{id}/analysis", "get"),
        ("/api/variants", "get"),
        ("/api/strategies", "get"),
    ] {
        let call = &paths[path][method];
        assert!(call["responses"].is_object(), "{method} {path}");
        let said = call["summary"].as_str().or(call["description"].as_str());
        assert!(said.is_some_and(|said| said.len() > 10), "{method} {path}");
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
