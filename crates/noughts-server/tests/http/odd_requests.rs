//! Requests that no well-behaved client sends. Each gets an answer, and the server keeps running.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::client::{TIMEOUT, TestServer};

/// Sends these bytes and returns the whole answer as text; empty if the server closes the connection without
/// one.
async fn raw(server: &TestServer, bytes: &[u8]) -> String {
    let mut stream = server.connect().await;
    // The server may have closed the connection before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let read = timeout(TIMEOUT, stream.read_to_end(&mut answer)).await;
    let _ = read.expect("the connection stays open");
    String::from_utf8(answer).unwrap()
}

/// Asserts that the answer has this status and does not contain the error message of a library.
fn has_status(answer: &str, status: u16, request: &str) {
    let line = format!("HTTP/1.1 {status} ");
    assert!(answer.starts_with(&line), "{request:?}: {answer}");
    for word in ["expected", "deserialize", "invalid type", "EOF", "`"] {
        assert!(!answer.contains(word), "{request:?}: {answer}");
    }
}

#[tokio::test]
async fn odd_addresses_and_methods_are_refused() {
    let server = TestServer::new().await;
    let (id, _) = server.create_table(r#"{"variant":"3x3k3"}"#).await;
    for (line, status) in [
        (format!("GET /api/games/{id}/ HTTP/1.1"), 404),
        (format!("GET //api/games/{id} HTTP/1.1"), 404),
        (format!("GET /api/games/{id}%20 HTTP/1.1"), 404),
        (format!("GET /api/games/{id}%00 HTTP/1.1"), 404),
        ("GET /api/games/%ff%fe HTTP/1.1".to_owned(), 404),
        (
            "GET /api/games/..%2f..%2fetc%2fpasswd HTTP/1.1".to_owned(),
            404,
        ),
        ("GET /web/x/..%2f..%2fCargo.toml HTTP/1.1".to_owned(), 404),
        ("GET /game/%ff/board.svg HTTP/1.1".to_owned(), 404),
        (format!("GET /game/{id}/qr.svg?turn=x HTTP/1.1"), 400),
        (format!("GET /game/{id}/qr.svg?turn=-1 HTTP/1.1"), 422),
        (
            format!("GET /api/games/{} HTTP/1.1", "9".repeat(8_000)),
            404,
        ),
        ("BREW /api/games HTTP/1.1".to_owned(), 405),
        ("TRACE /api/games HTTP/1.1".to_owned(), 405),
        ("OPTIONS * HTTP/1.1".to_owned(), 404),
        ("GET /api/games?&&&=& HTTP/1.1".to_owned(), 400),
        (
            "GET /api/games?limit=%31%30&player=%00%ff%F0%9F HTTP/1.1".to_owned(),
            200,
        ),
        ("GET /api/games?limit=+5 HTTP/1.1".to_owned(), 400),
        ("GET /api/games?limit=1e1 HTTP/1.1".to_owned(), 400),
        (
            "GET /api/games?before=99999999999999999999.x HTTP/1.1".to_owned(),
            400,
        ),
        (
            format!("GET /api/games?{} HTTP/1.1", "a&".repeat(6_000)),
            400,
        ),
        ("GET http://here/api/variants HTTP/1.1".to_owned(), 200),
    ] {
        let request = format!("{line}\r\nHost: here\r\nConnection: close\r\n\r\n");
        let answer = raw(&server, request.as_bytes()).await;
        has_status(&answer, status, &line);
        assert!(answer.len() < 40_000, "{line}: a long answer");
    }
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
}

#[tokio::test]
async fn floods_of_headers_are_refused() {
    let server = TestServer::new().await;
    let many: String = (0..500).map(|n| format!("X-{n}: 1\r\n")).collect();
    let long = format!("X-Long: {}\r\n", "x".repeat(20_000));
    for headers in [many, long] {
        let request = format!("GET /api/variants HTTP/1.1\r\nHost: here\r\n{headers}\r\n");
        let answer = raw(&server, request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
    let tags = (0..1_500)
        .map(|n| format!("\"{n}\""))
        .collect::<Vec<_>>()
        .join(",");
    let codings = "a;q=0.1,".repeat(500);
    for (name, value) in [("If-None-Match", tags), ("Accept-Encoding", codings)] {
        let headers = [(name, value.as_str())];
        let answer = server.send("GET", "/api/variants", &headers, None).await;
        assert_eq!(answer.status, 200, "{name}");
    }
}

#[tokio::test]
async fn odd_bodies_are_refused() {
    let server = TestServer::new().await;
    let repeated = format!("{{{}\"history\":0}}", "\"history\":0,".repeat(4_000));
    let seats = format!(
        r#"{{"variant":"3x3k3","seats":[{}{{}}]}}"#,
        "{},".repeat(20_000)
    );
    let take = format!(r#"{{"variant":"3x3k3","take":[{}0]}}"#, "0,".repeat(30_000));
    for (body, status, kind) in [
        ("[".repeat(60_000), 400, "bad-json"),
        ("{\"a\":".repeat(10_000), 400, "bad-json"),
        (repeated, 400, "repeated-field"),
        (seats, 400, "not-one-of"),
        (
            r#"{"variant":"3x3k3","history":1e400}"#.to_owned(),
            400,
            "bad-json",
        ),
        (
            r#"{"variant":"3x3k3","history":-0}"#.to_owned(),
            400,
            "wrong-type",
        ),
        (
            r#"{"variant":"3x3k3","take":[256]}"#.to_owned(),
            422,
            "out-of-range",
        ),
        ("\u{0}".to_owned(), 400, "bad-json"),
        (
            format!(r#"{{"{}":1}}"#, "k".repeat(60_000)),
            400,
            "unknown-field",
        ),
    ] {
        let answer = server.request("POST", "/api/games", Some(&body)).await;
        let start: String = body.chars().take(40).collect();
        assert!(answer.text.len() < 4_000, "{start}: a long answer");
        assert_eq!(answer.status, status, "{start}: {}", answer.text);
        answer.is_problem(status, kind);
    }
    let many = server.request("POST", "/api/games", Some(&take)).await;
    assert_eq!(
        many.status, 201,
        "the same seat again and again: {}",
        many.text
    );
    let body = r#"{"variant":"3x3k3"}"#;
    for coding in ["gzip", "br", "x"] {
        let headers = [("Content-Encoding", coding)];
        let answer = server
            .send("POST", "/api/games", &headers, Some(body))
            .await;
        answer.is_problem(415, "wrong-content-type");
    }
    let head = "POST /api/games HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\
        Content-Type: application/json\r\n";
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n");
    let answer = raw(&server, chunked.as_bytes()).await;
    has_status(&answer, 400, "a chunk without a length");
    assert!(answer.contains("/problems/incomplete-body"), "{answer}");
    let two = format!("{head}Content-Length: 2\r\nContent-Length: 5\r\n\r\n{{}}");
    has_status(&raw(&server, two.as_bytes()).await, 400, "two lengths");
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
}
