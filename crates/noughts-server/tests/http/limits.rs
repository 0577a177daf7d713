//! Limits for requests, connections, sizes and times, over HTTP.

use std::time::{Duration, Instant};

use noughts_server::{ConnectionLimits, HttpLimits};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{advance, timeout};
use tokio_tungstenite::connect_async;

use crate::client::{FREE, Response, TIMEOUT, TestServer};
use crate::still_clock::still;

const NEW_TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":""},{"human":""}],"take":[0,1]}"#;

#[tokio::test]
async fn requests_per_address_are_limited() {
    let limits = HttpLimits {
        per_second: 1,
        at_once: 20,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let ask = |address: &'static str| {
        let server = &server;
        async move {
            let headers = [("X-Forwarded-For", address)];
            server.send("GET", "/api/variants", &headers, None).await
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
    refused.is_problem(429, "too-many-requests");
    let wait = refused.headers.split("retry-after: ").nth(1).unwrap();
    let wait: u64 = wait.split("\r\n").next().unwrap().parse().unwrap();
    assert!((1..=2).contains(&wait), "{wait}");
    // Other addresses are served, another address of the same /64 is not, and 127.0.0.1 is exempt.
    assert_eq!(ask("203.0.113.8").await.status, 200);
    for _ in 0..20 {
        ask("2001:db8::1").await;
    }
    assert_eq!(ask("2001:db8::2").await.status, 429);
    assert_eq!(ask("2001:db8:0:1::2").await.status, 200);
    for _ in 0..40 {
        assert_eq!(
            server.request("GET", "/api/variants", None).await.status,
            200
        );
    }
}

#[tokio::test]
async fn open_tables_per_address_are_limited() {
    let limits = HttpLimits {
        open_tables: 3,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let create_table = |address: &'static str| {
        let server = &server;
        async move {
            let headers = [("X-Forwarded-For", address)];
            server
                .send("POST", "/api/games", &headers, Some(NEW_TABLE))
                .await
        }
    };
    let lay_with = |key: &'static str, new_table: &'static str| {
        let server = &server;
        async move {
            let headers = [("X-Forwarded-For", "203.0.113.7"), ("Idempotency-Key", key)];
            server
                .send("POST", "/api/games", &headers, Some(new_table))
                .await
        }
    };
    let first = lay_with("0123456789abcdef", NEW_TABLE).await;
    for _ in 0..2 {
        assert_eq!(create_table("203.0.113.7").await.status, 201);
    }
    // A repeated request creates no further table.
    let again = lay_with("0123456789abcdef", NEW_TABLE).await;
    assert_eq!(again.status, 200);
    assert_eq!(again.body["id"], first.body["id"]);
    assert_eq!(again.body["tokens"], first.body["tokens"]);
    let other = lay_with("0123456789abcdef", r#"{"variant":"4x4k3"}"#).await;
    other.is_problem(422, "key-reused");
    let fresh = lay_with("0123456789abcdeg", NEW_TABLE).await;
    fresh.is_problem(429, "too-many-tables");
    let refused = create_table("203.0.113.7").await;
    refused.is_problem(429, "too-many-tables");
    assert!(refused.headers.contains("retry-after: 10"));
    assert_eq!(create_table("203.0.113.8").await.status, 201);
    // A game that is over makes room.
    let path = format!("/api/games/{}/actions", first.body["id"].as_str().unwrap());
    let token = first.body["tokens"]["0"].as_str().unwrap();
    let resigned = server
        .request_as(token, &path, r#"{"turn":1,"resign":true}"#)
        .await;
    assert_eq!(resigned.status, 200);
    assert_eq!(create_table("203.0.113.7").await.status, 201);
    create_table("203.0.113.7")
        .await
        .is_problem(429, "too-many-tables");
}

#[tokio::test]
async fn streams_per_address_are_limited() {
    let limits = HttpLimits {
        streams: 2,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let (id, _) = server.create_table(NEW_TABLE).await;
    let path = format!("/api/games/{id}/events");
    let headers = [("X-Forwarded-For", "203.0.113.7")];
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = server.open("GET", &path, &headers, None).await;
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        streams.push(stream);
    }
    let refused = server.send("GET", &path, &headers, None).await;
    refused.is_problem(429, "too-many-streams");
    // A closed stream makes room, as soon as the server has noticed.
    streams.pop();
    loop {
        let mut stream = server.open("GET", &path, &headers, None).await;
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        if &first == b"HTTP/1.1 200" {
            break;
        }
    }
}

#[tokio::test]
async fn body_of_ten_megabytes_is_refused() {
    let server = TestServer::new().await;
    let large = "x".repeat(10 * 1024 * 1024);
    let answer = server.request("POST", "/api/games", Some(&large)).await;
    answer.is_problem(413, "too-large");
    let answer = server.request("POST", "/api/records", Some(&large)).await;
    answer.is_problem(413, "too-large");
    // Also without a Content-Length.
    let mut stream = server.connect().await;
    let head = "POST /api/games HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\
        Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..20 {
        stream.write_all(chunk.as_bytes()).await.unwrap();
    }
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    let mut text = String::new();
    let read = timeout(TIMEOUT, stream.read_to_string(&mut text)).await;
    read.expect("no answer came").unwrap();
    assert!(text.starts_with("HTTP/1.1 413"), "{text}");
}

#[tokio::test]
async fn headers_are_limited() {
    let server = TestServer::new().await;
    let long = "x".repeat(100_000);
    let mut stream = server.connect().await;
    let head = format!("GET /healthz HTTP/1.1\r\nHost: here\r\nX-Long: {long}\r\n\r\n");
    // The server may close before all is sent.
    let _ = stream.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let read = timeout(TIMEOUT, stream.read_to_end(&mut answer)).await;
    let _ = read.expect("it was waited for");
    let text = String::from_utf8_lossy(&answer);
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 431"),
        "{text}"
    );
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
}

#[tokio::test]
async fn only_allowed_origins_may_use_the_api() {
    let strict = TestServer::new().await;
    let limits = HttpLimits {
        origins: vec!["https://games.example".to_owned()],
        ..HttpLimits::default()
    };
    let open = TestServer::with(limits).await;
    let from = |origin: &'static str| [("Origin", origin)];
    for (server, origin, is_allowed) in [
        (&strict, "https://games.example", false),
        (&open, "https://games.example", true),
        (&open, "https://evil.example", false),
    ] {
        let answer = server
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
        let asked = server.send("OPTIONS", "/api/games", &headers, None).await;
        assert_eq!(asked.status, if is_allowed { 204 } else { 405 });
        assert_eq!(
            asked.headers.contains("access-control-allow-headers"),
            is_allowed
        );
    }
}

#[tokio::test]
async fn names_are_plain_text_or_refused() {
    let server = TestServer::new().await;
    // HTML in a name is plain text.
    let markup = "<script>alert('1')</script>&amp;";
    let body = json!({"variant": "3x3k3", "seats": [{"human": markup}, {"open": "link"}]});
    let (id, _) = server.create_table(&body.to_string()).await;
    let view = server
        .request("GET", &format!("/api/games/{id}"), None)
        .await;
    assert_eq!(view.body["seats"][0]["name"], markup);
    assert!(view.headers.contains("content-type: application/json"));
    assert!(view.headers.contains("x-content-type-options: nosniff"));
    let record = server
        .request("GET", &format!("/api/games/{id}/record"), None)
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
        let answer = server.request("POST", &sit, Some(&body)).await;
        answer.is_problem(422, "invalid-name");
    }
    let body = json!({"name": "n".repeat(64)}).to_string();
    assert_eq!(server.request("POST", &sit, Some(&body)).await.status, 200);
}

#[tokio::test]
async fn request_needs_exactly_one_host() {
    let server = TestServer::new().await;
    for (hosts, status) in [
        ("Host: here\r\n", 200),
        ("", 400),
        ("Host: here\r\nHost: evil.example\r\n", 400),
    ] {
        let mut stream = server.connect().await;
        let request = format!("GET /healthz HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let line = format!("HTTP/1.1 {status} ");
        assert!(text.starts_with(&line), "{hosts:?}: {text}");
    }
}

#[tokio::test]
async fn guessed_tokens_and_repeats_have_no_effect() {
    let server = TestServer::new().await;
    let (id, tokens) = server.create_table(NEW_TABLE).await;
    let token = tokens["0"].as_str().unwrap();
    let path = format!("/api/games/{id}/actions");
    // A changed token, and a game that does not exist.
    let parts: Vec<&str> = token.split('.').collect();
    let other_seat = [parts[0], "1", parts[2], parts[3]].join(".");
    let play = r#"{"turn":1,"play":"1-1"}"#;
    server
        .request_as(&other_seat, &path, play)
        .await
        .is_problem(401, "wrong-token");
    for guess in ["1", "0000000000000000000000000A", "..%2f..", "%00", "é"] {
        let answer = server
            .request("GET", &format!("/api/games/{guess}"), None)
            .await;
        answer.is_problem(404, "no-such-game");
    }
    // A repeated request is one turn.
    for _ in 0..3 {
        let answer = server.request_as(token, &path, play).await;
        assert_eq!((answer.status, &answer.body["turn"]), (200, &json!(2)));
    }
}

#[tokio::test(start_paused = true)]
async fn slow_sender_is_refused_and_others_are_served() {
    // The paused clock advances whenever every task waits.
    let server = TestServer::new().await;
    let mut headers = server.connect().await;
    headers
        .write_all(b"GET /healthz HTTP/1.1\r\nHo")
        .await
        .unwrap();
    let mut body = server.connect().await;
    let head = "POST /api/games HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n\
        Content-Length: 100\r\n\r\n{";
    body.write_all(head.as_bytes()).await.unwrap();
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
    let mut text = Vec::new();
    headers.read_to_end(&mut text).await.unwrap();
    let mut first = [0; 12];
    body.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 408");
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
}

/// Sends one request and reads the answer. Returns the connection, which stays open.
async fn kept_open(mut stream: TcpStream) -> TcpStream {
    let request = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut text = Vec::new();
    while !text.ends_with(b"alive\n") {
        let mut more = [0; 512];
        let read = timeout(TIMEOUT, stream.read(&mut more)).await;
        let count = read.expect("no answer came").unwrap();
        assert_ne!(count, 0, "{}", text.escape_ascii());
        text.extend(&more[..count]);
    }
    assert!(text.starts_with(b"HTTP/1.1 200"), "{}", text.escape_ascii());
    stream
}

/// Whether the server closes the connection without a response.
async fn is_closed_at_once(mut stream: TcpStream) -> bool {
    let mut text = Vec::new();
    let read = timeout(TIMEOUT, stream.read_to_end(&mut text)).await;
    // If the server closes the connection before it has read the request, the read here may fail.
    let _ = read.expect("it stays open");
    text.is_empty()
}

#[tokio::test]
async fn full_server_still_answers_health_checks() {
    let _still = still();
    let limits = ConnectionLimits {
        connections: 3,
        ..ConnectionLimits::default()
    };
    let server = TestServer::limited(limits, HttpLimits::default()).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(kept_open(server.connect_from("127.0.0.1").await).await);
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        let answer = server.request("GET", path, None).await;
        assert_eq!(answer.status, 200, "{path}");
    }
    let refused = server.request("GET", "/api/variants", None).await;
    refused.is_problem(503, "server-full");
    assert!(
        refused.headers.contains("retry-after: 5"),
        "{}",
        refused.headers
    );
    // A reserved connection serves one request, even if the client wants more.
    let mut stream = server.connect_from("127.0.0.1").await;
    let request = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
    stream.write_all(request).await.unwrap();
    assert_eq!(Response::from(stream).await.status, 200);
    // Silent clients can occupy the reserve only for a short time.
    let mut silent = Vec::new();
    for _ in 0..32 {
        silent.push(server.connect_from("127.0.0.1").await);
    }
    assert!(is_closed_at_once(server.connect_from("127.0.0.1").await).await);
    advance(Duration::from_secs(6)).await;
    for stream in silent {
        assert!(is_closed_at_once(stream).await);
    }
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
    let metrics = server.request("GET", "/metrics", None).await.text;
    let line = metrics
        .lines()
        .find(|line| line.starts_with("noughts_connections_refused_total"));
    let count: u64 = line.unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    assert!(count >= 38, "{count}");
}

#[tokio::test]
async fn address_with_too_many_connections_gets_429() {
    let limits = ConnectionLimits {
        per_address: 3,
        ..ConnectionLimits::default()
    };
    let server = TestServer::limited(limits, HttpLimits::default()).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(kept_open(server.connect_from("127.0.0.2").await).await);
    }
    let refused = server.get_from("127.0.0.2", "/healthz").await;
    refused.is_problem(429, "too-many-connections");
    assert!(
        refused.headers.contains("retry-after: 5"),
        "{}",
        refused.headers
    );
    assert!(refused.headers.contains("connection: close"));
    // Some get a refusal, the others are closed at once.
    let mut silent = Vec::new();
    for _ in 0..16 {
        silent.push(server.connect_from("127.0.0.2").await);
    }
    assert!(is_closed_at_once(server.connect_from("127.0.0.2").await).await);
    assert_eq!(server.get_from("127.0.0.3", "/healthz").await.status, 200);
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
    // A connection that closes makes room, as soon as the server has seen it close.
    drop((open.pop(), silent));
    loop {
        let mut stream = server.connect_from("127.0.0.2").await;
        let request = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
        let _ = stream.write_all(request).await;
        let mut first = [0; 12];
        if stream.read_exact(&mut first).await.is_ok() && &first == b"HTTP/1.1 200" {
            break;
        }
    }
}

#[tokio::test]
async fn rest_of_the_loopback_network_is_limited_and_not_trusted() {
    let limits = HttpLimits {
        per_second: 1,
        at_once: 3,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    for status in [200, 200, 200, 429] {
        let mut stream = server.connect_from("127.0.0.2").await;
        let request = format!(
            "GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.{status}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        assert_eq!(Response::from(stream).await.status, status);
    }
}

#[tokio::test]
async fn connection_of_a_direct_client_over_the_limit_is_closed() {
    let limits = HttpLimits {
        per_second: 1,
        at_once: 1,
        proxies: vec!["127.0.0.3".parse().unwrap()],
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    // Sends three requests over one connection, and returns the statuses of the answers. Only the last request asks
    // the server to close the connection.
    let ask = async |host: &str, forwarded_for: [&str; 3]| {
        let mut stream = server.connect_from(host).await;
        let mut requests = String::new();
        for (number, client) in forwarded_for.iter().enumerate() {
            let connection = ["keep-alive", "keep-alive", "close"][number];
            requests += &format!(
                "GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: {connection}\r\nX-Forwarded-For: {client}\r\n\r\n"
            );
        }
        stream.write_all(requests.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let statuses = text.split("HTTP/1.1 ").skip(1);
        statuses
            .map(|answer| answer[..3].to_owned())
            .collect::<Vec<_>>()
    };
    // A direct client cannot name another address, and gets no third answer.
    let clients = ["192.0.2.1", "192.0.2.1", "192.0.2.2"];
    assert_eq!(ask("127.0.0.2", clients).await, ["200", "429"]);
    // A proxy carries the requests of many clients over one connection, which stays open.
    assert_eq!(ask("127.0.0.1", clients).await, ["200", "429", "200"]);
    let clients = ["192.0.2.3", "192.0.2.3", "192.0.2.4"];
    assert_eq!(ask("127.0.0.3", clients).await, ["200", "429", "200"]);
    // The same if the proxy names no client, so that the limits of its own address apply.
    assert_eq!(ask("127.0.0.3", ["", "", ""]).await, ["200", "429", "429"]);
}

#[tokio::test]
async fn event_stream_that_is_never_read_is_closed() {
    let _still = still();
    // Small buffers at both ends, so that a few hundred turns fill them.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(4096).unwrap();
    socket.bind(FREE.parse().unwrap()).unwrap();
    let listener = socket.listen(16).unwrap();
    let server =
        TestServer::behind(listener, ConnectionLimits::default(), HttpLimits::default()).await;
    let new_table = r#"{"variant":"255x255k5","seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = ([127, 0, 0, 1], server.http).into();
    let mut stream = socket.connect(address).await.unwrap();
    let request = format!("GET /api/games/{id}/events HTTP/1.1\r\nHost: here\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.readable().await.unwrap();
    for turn in 1..=500 {
        let cell = format!("{}-{}", (turn - 1) / 255, (turn - 1) % 255);
        let seat = ((turn - 1) % 2).to_string();
        server.play(&id, &tokens[&seat], turn, &cell).await;
    }
    let connections = async || {
        let metrics = server.request("GET", "/metrics", None).await.text;
        let mut lines = metrics.lines();
        let line = lines.find(|line| line.starts_with("noughts_connections_open "));
        line.unwrap().split(' ').nth(1).unwrap().to_owned()
    };
    // For 27 seconds the connection stays open: the server waits 30 seconds for a client that does not read.
    for _ in 0..3 {
        advance(Duration::from_secs(9)).await;
        assert_eq!(connections().await, "2");
    }
    let mut waited = 0;
    while connections().await != "1" {
        assert!(waited < 60, "it stays open");
        advance(Duration::from_secs(1)).await;
        waited += 1;
    }
}

#[tokio::test]
async fn imported_bytes_per_address_are_limited() {
    let record = "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o robot perfect\n\
        1 0 0-0\n2 1 0-1\n3 0 1-1\n4 1 0-2\n5 0 2-2\nresult won x by line\n";
    let limits = HttpLimits {
        // Each record counts as 1 272 bytes in the store.
        import_bytes_per_day: 2_600,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let import = |address: &'static str, key: &'static str| {
        let headers = [("X-Forwarded-For", address), ("Idempotency-Key", key)];
        let server = &server;
        async move {
            let path = "/api/records";
            server.send_as("text/plain", path, &headers, record).await
        }
    };
    let first = import("203.0.113.7", "0123456789abcde0").await;
    assert_eq!(first.status, 201, "{}", first.text);
    // A repeat stores nothing, so it costs nothing.
    for _ in 0..3 {
        assert_eq!(import("203.0.113.7", "0123456789abcde0").await.status, 200);
    }
    assert_eq!(import("203.0.113.7", "0123456789abcde1").await.status, 201);
    let refused = import("203.0.113.7", "0123456789abcde2").await;
    refused.is_problem(429, "too-many-bytes");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("2600"), "{detail}");
    let wait = refused.headers.split("retry-after: ").nth(1).unwrap();
    let wait: u64 = wait.split("\r\n").next().unwrap().parse().unwrap();
    assert!((36_000..=43_200).contains(&wait), "{wait}");
    let again = import("203.0.113.7", "0123456789abcde1").await;
    assert_eq!(again.status, 200, "a repeat is answered at the limit too");
    // The refused import stored nothing, and other addresses are served.
    let listed = server.request("GET", "/api/games?status=over", None).await;
    assert_eq!(listed.body["games"].as_array().unwrap().len(), 2);
    assert_eq!(import("203.0.113.8", "0123456789abcde3").await.status, 201);
}

/// Maximum time for a stop in these tests. It usually takes some milliseconds.
const PROMPT: Duration = Duration::from_millis(1_500);

#[tokio::test(flavor = "multi_thread")]
async fn stop_does_not_wait_for_silent_clients() {
    let server = TestServer::new().await;
    let (id, _) = server.create_table(NEW_TABLE).await;
    let mut sockets = Vec::new();
    for _ in 0..50 {
        let url = format!("ws://127.0.0.1:{}/api/games/{id}/ws", server.http);
        sockets.push(connect_async(url).await.unwrap().0);
    }
    let mut idle = Vec::new();
    for _ in 0..50 {
        idle.push(kept_open(server.connect_from("127.0.0.1").await).await);
    }
    let mut streams = Vec::new();
    for _ in 0..20 {
        let path = format!("/api/games/{id}/events");
        let mut stream = server.open("GET", &path, &[], None).await;
        stream.read_exact(&mut [0; 12]).await.unwrap();
        streams.push(stream);
    }
    let begun = Instant::now();
    assert!(server.inner.stop().await, "a table stays open");
    let took = begun.elapsed();
    assert!(took < PROMPT, "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_answers_requests_that_wait_for_an_analysis() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"15x15k5","seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let mut waiting = Vec::new();
    for _ in 0..6 {
        let (id, tokens) = server.create_table(new_table).await;
        for turn in 1..=9 {
            let (row, seat) = ((turn - 1) % 2, ((turn - 1) % 2).to_string());
            let cell = format!("{}-{}", row * 3, (turn - 1) / 2);
            server.play(&id, &tokens[&seat], turn, &cell).await;
        }
        let path = format!("/api/games/{id}/analysis");
        waiting.push(server.open("GET", &path, &[], None).await);
    }
    let queued = async {
        loop {
            let metrics = server.request("GET", "/metrics", None).await.text;
            let mut lines = metrics.lines();
            if lines.any(|line| line == "noughts_computations_queued 4") {
                break;
            }
        }
    };
    timeout(TIMEOUT, queued).await.expect("nobody thinks");
    let begun = Instant::now();
    assert!(server.inner.stop().await, "a table stays open");
    let took = begun.elapsed();
    assert!(took < PROMPT, "{took:?}");
    for stream in waiting {
        let answer = Response::from(stream).await;
        answer.is_problem(503, "restarting");
        assert_ne!(answer.body["detail"], Value::Null);
    }
}
