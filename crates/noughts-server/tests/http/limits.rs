//! What a stranger can't do: each is refused or bounded.

use noughts_server::HttpLimits;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{PATIENCE, World};

const WISH: &str = r#"{"variant":"3x3k3","seats":[{"human":""},{"human":""}],"take":[0,1]}"#;

#[tokio::test]
async fn an_address_asks_so_often_and_no_more() {
    let limits = HttpLimits {
        per_second: 1,
        at_once: 20,
        ..HttpLimits::default()
    };
    let world = World::with(limits).await;
    let ask = |address: &'static str| {
        let world = &world;
        async move {
            let headers = [("X-Forwarded-For", address)];
            world.send("GET", "/api/variants", &headers, None).await
        }
    };
    let mut refused = None;
    for _ in 0..40 {
        let answer = ask("spoofed, 203.0.113.7").await;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("forty at once are too many");
    refused.is_problem(429, "too-many");
    let wait = refused.headers.split("retry-after: ").nth(1).unwrap();
    let wait: u64 = wait.split("\r\n").next().unwrap().parse().unwrap();
    assert!((1..=2).contains(&wait), "{wait}");
    // Others are served, one of the same household is not, and who is on this machine is not counted.
    assert_eq!(ask("203.0.113.8").await.status, 200);
    for _ in 0..20 {
        ask("2001:db8::1").await;
    }
    assert_eq!(ask("2001:db8::2").await.status, 429);
    assert_eq!(ask("2001:db8:0:1::2").await.status, 200);
    for _ in 0..40 {
        assert_eq!(world.ask("GET", "/api/variants", None).await.status, 200);
    }
}

#[tokio::test]
async fn an_address_has_so_many_open_tables() {
    let limits = HttpLimits {
        open_tables: 3,
        ..HttpLimits::default()
    };
    let world = World::with(limits).await;
    let lay = |address: &'static str| {
        let world = &world;
        async move {
            let headers = [("X-Forwarded-For", address)];
            world.send("POST", "/api/games", &headers, Some(WISH)).await
        }
    };
    let lay_with = |key: &'static str, wish: &'static str| {
        let world = &world;
        async move {
            let headers = [("X-Forwarded-For", "203.0.113.7"), ("Idempotency-Key", key)];
            world.send("POST", "/api/games", &headers, Some(wish)).await
        }
    };
    let first = lay_with("0123456789abcdef", WISH).await;
    for _ in 0..2 {
        assert_eq!(lay("203.0.113.7").await.status, 201);
    }
    // A repeat asks for no further table.
    let again = lay_with("0123456789abcdef", WISH).await;
    assert_eq!(again.status, 200);
    assert_eq!(again.body["id"], first.body["id"]);
    assert_eq!(again.body["tokens"], first.body["tokens"]);
    let other = lay_with("0123456789abcdef", r#"{"variant":"4x4k3"}"#).await;
    other.is_problem(422, "key-reused");
    let fresh = lay_with("0123456789abcdeg", WISH).await;
    fresh.is_problem(429, "too-many");
    let refused = lay("203.0.113.7").await;
    refused.is_problem(429, "too-many");
    assert!(refused.headers.contains("retry-after: 10"));
    assert_eq!(lay("203.0.113.8").await.status, 201);
    // A game that is over makes room.
    let path = format!("/api/games/{}/actions", first.body["id"].as_str().unwrap());
    let token = first.body["tokens"]["0"].as_str().unwrap();
    let resigned = world
        .ask_as(token, &path, r#"{"turn":1,"resign":true}"#)
        .await;
    assert_eq!(resigned.status, 200);
    assert_eq!(lay("203.0.113.7").await.status, 201);
    lay("203.0.113.7").await.is_problem(429, "too-many");
}

#[tokio::test]
async fn an_address_watches_so_many_tables() {
    let limits = HttpLimits {
        streams: 2,
        ..HttpLimits::default()
    };
    let world = World::with(limits).await;
    let (id, _) = world.lay(WISH).await;
    let path = format!("/api/games/{id}/events");
    let headers = [("X-Forwarded-For", "203.0.113.7")];
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = world.open("GET", &path, &headers, None).await;
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        streams.push(stream);
    }
    let refused = world.send("GET", &path, &headers, None).await;
    refused.is_problem(429, "too-many");
    // When one goes there is room again, as soon as the server has seen it go.
    streams.pop();
    loop {
        let mut stream = world.open("GET", &path, &headers, None).await;
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        if &first == b"HTTP/1.1 200" {
            break;
        }
    }
}

#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused() {
    let world = World::new().await;
    let large = "x".repeat(10 * 1024 * 1024);
    let answer = world.ask("POST", "/api/games", Some(&large)).await;
    answer.is_problem(413, "too-large");
    let answer = world.ask("POST", "/api/records", Some(&large)).await;
    answer.is_problem(413, "too-large");
    // Also where nobody says beforehand how long it will be.
    let mut stream = TcpStream::connect(("127.0.0.1", world.http)).await.unwrap();
    let head = "POST /api/games HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\
        Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..20 {
        stream.write_all(chunk.as_bytes()).await.unwrap();
    }
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    let mut text = String::new();
    let read = timeout(PATIENCE, stream.read_to_string(&mut text)).await;
    read.expect("no answer came").unwrap();
    assert!(text.starts_with("HTTP/1.1 413"), "{text}");
}

#[tokio::test]
async fn headers_have_a_bound() {
    let world = World::new().await;
    let long = "x".repeat(100_000);
    let mut stream = TcpStream::connect(("127.0.0.1", world.http)).await.unwrap();
    let head = format!("GET /healthz HTTP/1.1\r\nHost: here\r\nX-Long: {long}\r\n\r\n");
    // It may be put out before it has said all.
    let _ = stream.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    let _ = read.expect("it was waited for");
    let text = String::from_utf8_lossy(&answer);
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 431"),
        "{text}"
    );
    assert_eq!(world.ask("GET", "/healthz", None).await.status, 200);
}

#[tokio::test]
async fn other_pages_may_ask_only_where_they_are_named() {
    let strict = World::new().await;
    let limits = HttpLimits {
        origins: vec!["https://games.example".to_owned()],
        ..HttpLimits::default()
    };
    let open = World::with(limits).await;
    let from = |origin: &'static str| [("Origin", origin)];
    for (world, origin, is_allowed) in [
        (&strict, "https://games.example", false),
        (&open, "https://games.example", true),
        (&open, "https://evil.example", false),
    ] {
        let answer = world
            .send("GET", "/api/variants", &from(origin), None)
            .await;
        assert_eq!(answer.status, 200);
        let says = format!("access-control-allow-origin: {origin}\r\n");
        assert_eq!(
            answer.headers.contains(&says),
            is_allowed,
            "{}",
            answer.headers
        );
        let headers = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
        ];
        let asked = world.send("OPTIONS", "/api/games", &headers, None).await;
        assert_eq!(asked.status, if is_allowed { 204 } else { 405 });
        assert_eq!(
            asked.headers.contains("access-control-allow-headers"),
            is_allowed
        );
    }
}

#[tokio::test]
async fn names_are_shown_as_they_are_or_refused() {
    let world = World::new().await;
    // Markup is a name like any other: it is data everywhere.
    let markup = "<script>alert('1')</script>&amp;";
    let body = json!({"variant": "3x3k3", "seats": [{"human": markup}, {"open": "link"}]});
    let (id, _) = world.lay(&body.to_string()).await;
    let view = world.ask("GET", &format!("/api/games/{id}"), None).await;
    assert_eq!(view.body["seats"][0]["name"], markup);
    assert!(view.headers.contains("content-type: application/json"));
    assert!(view.headers.contains("x-content-type-options: nosniff"));
    let record = world
        .ask("GET", &format!("/api/games/{id}/record"), None)
        .await;
    assert!(record.headers.contains("content-type: text/plain"));
    assert!(record.headers.contains("x-content-type-options: nosniff"));
    let sit = format!("/api/games/{id}/seats/1");
    let long = "n".repeat(65);
    for name in [
        "a\u{0}b",
        "a\u{1b}[2J",
        "a\u{202e}b",
        "a\u{2066}b",
        "a\u{200b}b",
        &long,
    ] {
        let body = json!({ "name": name }).to_string();
        let answer = world.ask("POST", &sit, Some(&body)).await;
        answer.is_problem(422, "impossible");
    }
    let body = json!({"name": "n".repeat(64)}).to_string();
    assert_eq!(world.ask("POST", &sit, Some(&body)).await.status, 200);
}

#[tokio::test]
async fn a_request_names_one_host() {
    let world = World::new().await;
    for (hosts, status) in [
        ("Host: here\r\n", 200),
        ("", 400),
        ("Host: here\r\nHost: evil.example\r\n", 400),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", world.http)).await.unwrap();
        let request = format!("GET /healthz HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let line = format!("HTTP/1.1 {status} ");
        assert!(text.starts_with(&line), "{hosts:?}: {text}");
    }
}

#[tokio::test]
async fn guesses_and_replays_lead_nowhere() {
    let world = World::new().await;
    let (id, tokens) = world.lay(WISH).await;
    let token = tokens["0"].as_str().unwrap();
    let path = format!("/api/games/{id}/actions");
    // Another seat by a token that was changed, and a game that nobody laid.
    let parts: Vec<&str> = token.split('.').collect();
    let other_seat = [parts[0], "1", parts[2], parts[3]].join(".");
    let play = r#"{"turn":1,"play":"1-1"}"#;
    world
        .ask_as(&other_seat, &path, play)
        .await
        .is_problem(401, "no-token");
    for guess in ["1", "0000000000000000000000000A", "..%2f..", "%00", "é"] {
        let answer = world.ask("GET", &format!("/api/games/{guess}"), None).await;
        answer.is_problem(404, "no-such-game");
    }
    // The same request again and again is one turn.
    for _ in 0..3 {
        let answer = world.ask_as(token, &path, play).await;
        assert_eq!((answer.status, &answer.body["turn"]), (200, &json!(2)));
    }
}

#[tokio::test(start_paused = true)]
async fn who_sends_slowly_is_put_out_and_others_are_served() {
    // Time is ours here: it runs ahead whenever everybody waits.
    let world = World::new().await;
    let mut headers = TcpStream::connect(("127.0.0.1", world.http)).await.unwrap();
    headers
        .write_all(b"GET /healthz HTTP/1.1\r\nHo")
        .await
        .unwrap();
    let mut body = TcpStream::connect(("127.0.0.1", world.http)).await.unwrap();
    let head = "POST /api/games HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n\
        Content-Length: 100\r\n\r\n{";
    body.write_all(head.as_bytes()).await.unwrap();
    assert_eq!(world.ask("GET", "/healthz", None).await.status, 200);
    let mut text = Vec::new();
    headers.read_to_end(&mut text).await.unwrap();
    let mut first = [0; 12];
    body.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 408");
    assert_eq!(world.ask("GET", "/healthz", None).await.status, 200);
}
