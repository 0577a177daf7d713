//! WebSockets.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

use crate::client::{TIMEOUT, TestServer};

pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Connects and sends the first message.
    pub(crate) async fn open(server: &TestServer, id: &str, hello: Value) -> Socket {
        let url = format!("ws://127.0.0.1:{}/api/games/{id}/ws", server.http);
        let (socket, _) = connect_async(url).await.unwrap();
        let mut socket = Socket(socket);
        socket.say(&hello.to_string()).await;
        socket
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn receive(&mut self) -> Option<Result<Message, Error>> {
        timeout(TIMEOUT, self.0.next()).await.expect("nothing came")
    }

    /// The next text message.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            match self.receive().await.expect("the end").expect("a message") {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// The next message of this name; skips others.
    pub(crate) async fn next_of(&mut self, name: &str) -> Value {
        loop {
            let mut message = self.next().await;
            if let Some(value) = message.get_mut(name) {
                return value.take();
            }
        }
    }

    /// The close code of the server; skips other messages.
    async fn closed(&mut self) -> Option<u16> {
        loop {
            match self.receive().await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }
}

#[tokio::test]
async fn two_websockets_play_a_game() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let mut watcher = Socket::open(&server, &id, json!({})).await;
    assert_eq!(watcher.next_of("view").await["turn"], 1);
    let mut ann = Socket::open(&server, &id, json!({"token": tokens["0"]})).await;
    let view = ann.next_of("view").await;
    assert_eq!(
        (&view["seats"][0]["present"], &view["you"]),
        (&json!(true), &json!(0))
    );
    let presence = watcher.next_of("presence").await;
    assert_eq!(present(&presence), [true, false]);
    let mut bob = Socket::open(&server, &id, json!({"token": tokens["1"]})).await;
    bob.next_of("view").await;
    for (turn, cell) in ["0-0", "1-0", "0-1", "1-1", "0-2"].into_iter().enumerate() {
        let player = if turn % 2 == 0 { &mut ann } else { &mut bob };
        let act = json!({"turn": turn + 1, "play": cell});
        player.say(&act.to_string()).await;
        // Other messages, such as the change, may come before the answer, which is the view with the new turn.
        let mut view = player.next_of("view").await;
        while view["turn"] != turn + 2 {
            view = player.next_of("view").await;
        }
        let change = watcher.next_of("change").await;
        assert_eq!(change["turn"], turn + 2);
        assert_eq!(change["cells"], json!([{"cell": cell, "side": turn % 2}]));
    }
    let seen = server
        .request("GET", &format!("/api/games/{id}"), None)
        .await;
    assert_eq!(seen.body["outcome"]["sides"], json!([0]));
    // A player who disconnects is no longer present.
    drop(ann);
    while present(&watcher.next_of("presence").await) != [false, true] {}
}

/// Which players are connected, by seat.
fn present(presence: &Value) -> Vec<bool> {
    let seats = presence["seats"].as_array().unwrap();
    seats.iter().map(|seat| seat["present"] == true).collect()
}

#[tokio::test]
async fn websocket_plays_against_a_tcp_client_in_a_lobby_seat() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"lobby"}]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let mut ann = Socket::open(&server, &id, json!({"token": tokens["0"]})).await;
    ann.next_of("view").await;
    let mut bob = TcpStream::connect(("127.0.0.1", server.pairs))
        .await
        .unwrap();
    let id_bytes = b"\0\0\x30\x39";
    bob.write_all(b"\x01\0\0\x30\x39Bob\0\0\x03\0\0\x30\x39")
        .await
        .unwrap();
    let mut heard = [0; 11];
    bob.read_exact(&mut heard).await.unwrap();
    assert_eq!(&heard, b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x02");
    while ann.next_of("presence").await["seats"][1]["name"] != "Bob" {}
    // x takes the diagonal, o the first row.
    for (turn, (x, o)) in [("0-0", "0-1"), ("1-1", "0-2")].into_iter().enumerate() {
        ann.say(&json!({"turn": 2 * turn + 1, "play": x}).to_string())
            .await;
        let mut heard = [0; 8];
        bob.read_exact(&mut heard).await.unwrap();
        assert_eq!(heard, *[b"\x05", &id_bytes[..], x.as_bytes()].concat());
        bob.write_all(&[b"\x05", &id_bytes[..], o.as_bytes()].concat())
            .await
            .unwrap();
        let mut change = ann.next_of("change").await;
        while change["last"]["seat"] != 1 {
            change = ann.next_of("change").await;
        }
        assert_eq!(change["last"]["move"], o);
    }
    ann.say(r#"{"turn":5,"play":"2-2"}"#).await;
    let mut heard = [0; 6];
    bob.read_exact(&mut heard).await.unwrap();
    assert_eq!(&heard, b"\x06\0\0\x30\x39\x00", "bob lost");
    let mut view = ann.next_of("view").await;
    while view["outcome"].is_null() {
        view = ann.next_of("view").await;
    }
    assert_eq!(view["outcome"]["sides"], json!([0]));
}

#[tokio::test]
async fn refused_messages_change_nothing_and_are_limited() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let (other, _) = server.create_table(new_table).await;
    let mut bob = Socket::open(&server, &id, json!({"token": tokens["1"]})).await;
    bob.next_of("view").await;
    for (message, status, kind) in [
        (r#"{"turn":1,"play":"1-1"}"#, 409, "not-your-turn"),
        (r#"{"turn":3,"play":"1-1"}"#, 409, "future-turn"),
        ("{", 400, "bad-json"),
        (r#"{"turn":1}"#, 400, "not-one-of"),
    ] {
        bob.say(message).await;
        let problem = bob.next_of("problem").await;
        assert_eq!(problem["type"], format!("/problems/{kind}"), "{message}");
        assert_eq!(problem["status"], status);
    }
    let mut watcher = Socket::open(&server, &id, json!({})).await;
    watcher.next_of("view").await;
    watcher.say(r#"{"turn":1,"play":"1-1"}"#).await;
    assert_eq!(watcher.next_of("problem").await["status"], 401);
    for _ in 1..50 {
        watcher.say("nonsense").await;
    }
    assert_eq!(watcher.closed().await, Some(1008));

    for (hello, status) in [
        (json!({"token": "nonsense"}), 401),
        (json!({"tokem": ""}), 400),
        (json!([]), 400),
    ] {
        let mut socket = Socket::open(&server, &id, hello).await;
        assert_eq!(socket.next_of("problem").await["status"], status);
        assert_eq!(socket.closed().await, Some(1008));
    }
    let mut foreign = Socket::open(&server, &other, json!({"token": tokens["0"]})).await;
    assert_eq!(foreign.next_of("problem").await["status"], 403);

    // Too long, or not text: closed, as the protocol says.
    let mut long = Socket::open(&server, &id, json!({})).await;
    long.say(&"x".repeat(5_000)).await;
    assert!(matches!(long.closed().await, None | Some(1009)));
    let mut binary = Socket::open(&server, &id, json!({})).await;
    let sent = binary.0.send(Message::binary(vec![1, 2, 3])).await;
    sent.unwrap();
    assert_eq!(binary.closed().await, Some(1003));
    let view = server
        .request("GET", &format!("/api/games/{id}"), None)
        .await;
    assert_eq!(view.body["turn"], 1);
}

/// A client's frame, masked with zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = payload.len();
    let mut bytes = vec![first];
    match u8::try_from(length) {
        Ok(short @ 0..=125) => bytes.push(0x80 | short),
        _ => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// A server's frame: its first byte and its payload.
async fn read_frame(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 2];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(head[1] & 0x80, 0, "a server masks nothing");
    let length = match head[1] {
        126 => usize::from(stream.read_u16().await.unwrap()),
        127 => panic!("nothing here is so long"),
        short => short.into(),
    };
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await.unwrap();
    (head[0], payload)
}

/// Opens a spectator's WebSocket. Returns its connection, so that a test can write any bytes.
async fn raw_socket(server: &TestServer, id: &str) -> TcpStream {
    let headers = [
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let path = format!("/api/games/{id}/ws");
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: here\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    let mut stream = server.connect().await;
    stream
        .write_all((request + "\r\n").as_bytes())
        .await
        .unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 101"));
    stream.write_all(&frame(0x81, b"{}")).await.unwrap();
    let (first, view) = read_frame(&mut stream).await;
    assert!(first == 0x81 && view.starts_with(b"{\"view\""));
    stream
}

/// The kinds of frames in the protocol's conformance suite: valid ones are answered, others close the connection
/// with the right code.
#[tokio::test]
async fn frames_follow_the_websocket_protocol() {
    const TEXT: u8 = 0x81;
    const FIRST: u8 = 0x01;
    const MORE: u8 = 0x00;
    const LAST: u8 = 0x80;
    const PING: u8 = 0x89;
    const PONG: u8 = 0x8A;
    const CLOSE: u8 = 0x88;
    let server = TestServer::new().await;
    let (id, _) = server.create_table(r#"{"variant":"3x3k3"}"#).await;
    // A message in several fragments, with pings in between. One fragment is empty, and two fragments share a
    // character. The bytes are written one by one.
    let mut pieces = raw_socket(&server, &id).await;
    let mut bytes = [
        frame(FIRST, b"{\"tu"),
        frame(PING, b"between"),
        frame(MORE, b""),
        frame(MORE, "é".as_bytes().split_at(1).0),
        frame(PING, &[7; 125]),
        frame(LAST, "é".as_bytes().split_at(1).1),
    ]
    .concat();
    for byte in std::mem::take(&mut bytes) {
        pieces.write_all(&[byte]).await.unwrap();
    }
    assert_eq!(read_frame(&mut pieces).await, (PONG, b"between".to_vec()));
    assert_eq!(read_frame(&mut pieces).await, (PONG, vec![7; 125]));
    let (first, problem) = read_frame(&mut pieces).await;
    let problem = String::from_utf8(problem).unwrap();
    assert!(first == TEXT && problem.contains("/problems/bad-json"));
    // An unsolicited pong is ignored.
    pieces
        .write_all(&frame(PONG, b"nobody asked"))
        .await
        .unwrap();
    pieces.write_all(&frame(PING, b"")).await.unwrap();
    assert_eq!(read_frame(&mut pieces).await, (PONG, Vec::new()));
    // A close frame is answered with the same code.
    let bye = [&1000u16.to_be_bytes()[..], "adéu".as_bytes()].concat();
    pieces.write_all(&frame(CLOSE, &bye)).await.unwrap();
    let (first, answer) = read_frame(&mut pieces).await;
    assert_eq!((first, &answer[..2]), (CLOSE, &1000u16.to_be_bytes()[..]));
    assert_eq!(pieces.read(&mut [0; 9]).await.unwrap(), 0, "and closed");

    let long = [&[CLOSE, 0x80 | 126, 0, 126][..], &[0; 4 + 126]].concat();
    let unmasked = vec![TEXT, 2, b'{', b'}'];
    let huge = [&[TEXT, 0xFF][..], &u64::MAX.to_be_bytes(), &[0; 4]].concat();
    let many: Vec<u8> = std::iter::once(frame(FIRST, &[b' '; 1_000]))
        .chain((0..10).map(|_| frame(MORE, &[b' '; 1_000])))
        .flatten()
        .collect();
    for (what, bytes, code) in [
        ("a mask is missing", unmasked, 1002),
        ("reserved bits", frame(0xC1, b"{}"), 1002),
        ("a reserved opcode", frame(0x83, b""), 1002),
        ("a reserved control opcode", frame(0x8B, b""), 1002),
        ("a control frame in pieces", frame(0x09, b""), 1002),
        ("a control frame that is too long", long, 1002),
        ("a last piece of nothing", frame(LAST, b"{}"), 1002),
        (
            "a message within another",
            [frame(FIRST, b"{"), frame(TEXT, b"}")].concat(),
            1002,
        ),
        ("a good-bye of one byte", frame(CLOSE, &[3]), 1002),
        ("not UTF-8", frame(TEXT, b"\xff\xfe"), 1007),
        ("a surrogate", frame(TEXT, b"\xed\xa0\x80"), 1007),
        (
            "not UTF-8, in pieces",
            [frame(FIRST, b"\xce"), frame(LAST, b"\xce")].concat(),
            1007,
        ),
        ("longer than anything", huge, 1009),
        ("too long in pieces", many, 1009),
    ] {
        let mut socket = raw_socket(&server, &id).await;
        socket.write_all(&bytes).await.unwrap();
        let (first, reason) = read_frame(&mut socket).await;
        assert_eq!(first, CLOSE, "{what}: {reason:?}");
        let said = u16::from_be_bytes([reason[0], reason[1]]);
        assert_eq!(said, code, "{what}");
    }
    let view = server
        .request("GET", &format!("/api/games/{id}"), None)
        .await;
    assert_eq!(view.body["turn"], 1);
}

#[tokio::test(start_paused = true)]
async fn client_that_pings_and_does_not_read_is_closed() {
    // The paused clock advances whenever every task waits.
    let server = TestServer::new().await;
    let (id, _) = server.create_table(r#"{"variant":"3x3k3"}"#).await;
    let mut socket = raw_socket(&server, &id).await;
    let pings = frame(0x89, &[7; 125]).repeat(1_000);
    // More than the buffers of one connection hold.
    let mut sent = 0;
    while sent < 256 * 1024 * 1024 && socket.write_all(&pings).await.is_ok() {
        sent += pings.len();
    }
    assert!(sent < 256 * 1024 * 1024, "its answers were all kept");
    assert_eq!(server.request("GET", "/healthz", None).await.status, 200);
}

#[tokio::test]
async fn pings_are_answered_and_a_restart_is_announced() {
    let server = TestServer::new().await;
    let (id, _) = server.create_table(r#"{"variant":"3x3k3"}"#).await;
    let mut socket = Socket::open(&server, &id, json!({})).await;
    socket.next_of("view").await;
    let ping = Message::Ping(b"there?".as_slice().into());
    socket.0.send(ping).await.unwrap();
    match socket.receive().await {
        Some(Ok(Message::Pong(payload))) => assert_eq!(payload.as_ref(), b"there?"),
        other => panic!("{other:?}"),
    }
    let stopping = tokio::spawn(server.inner.stop());
    assert_eq!(socket.next_of("restart").await, true);
    assert_eq!(socket.closed().await, Some(1012));
    assert!(stopping.await.unwrap());
}

#[tokio::test]
async fn other_origins_cannot_open_websockets() {
    let server = TestServer::new().await;
    let (id, _) = server.create_table(r#"{"variant":"3x3k3"}"#).await;
    let open = |origin: Option<String>, id: &str| {
        let url = format!("ws://127.0.0.1:{}/api/games/{id}/ws", server.http);
        let mut request = url.into_client_request().unwrap();
        if let Some(origin) = origin {
            let origin = HeaderValue::from_str(&origin).unwrap();
            request.headers_mut().insert("Origin", origin);
        }
        connect_async(request)
    };
    let ours = format!("http://127.0.0.1:{}", server.http);
    assert!(open(Some(ours), &id).await.is_ok());
    assert!(open(None, &id).await.is_ok());
    for foreign in ["http://evil.example", "null", "http://127.0.0.1:1", ""] {
        match open(Some(foreign.to_owned()), &id).await {
            Err(Error::Http(response)) => {
                assert_eq!(response.status(), 403, "{foreign}");
                let body = response.body().as_deref().unwrap_or_default();
                let problem: Value = serde_json::from_slice(body).unwrap();
                assert_eq!(problem["type"], "/problems/foreign-origin");
            }
            other => panic!("{foreign}: {other:?}"),
        }
    }
    match open(None, "00000000000000000000000000").await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 404),
        other => panic!("{other:?}"),
    }
    let plain = server
        .request("GET", &format!("/api/games/{id}/ws"), None)
        .await;
    plain.is_problem(426, "not-a-websocket");
}

#[tokio::test]
async fn slow_watcher_gets_a_new_view_and_delays_nobody() {
    let server = TestServer::new().await;
    // A board so large that views fill the buffer of a client that does not read.
    let new_table =
        r#"{"variant":"31x31k5","history":2,"seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    // A small receive buffer, so that a few dozen turns fill it.
    let little = tokio::net::TcpSocket::new_v4().unwrap();
    little.set_recv_buffer_size(4096).unwrap();
    let stream = little.connect(([127, 0, 0, 1], server.http).into()).await;
    let stream = MaybeTlsStream::Plain(stream.unwrap());
    let url = format!("ws://127.0.0.1:{}/api/games/{id}/ws", server.http);
    let mut slow = Socket(client_async(url, stream).await.unwrap().0);
    slow.say("{}").await;
    slow.next_of("view").await;
    let turns = 200;
    for turn in 0..turns {
        let token = &tokens[(turn % 2).to_string()];
        // At most two in a row, so that nobody wins.
        let cell = format!("{}-{}", turn / 31, turn % 31);
        let body = match turn % 4 {
            0 | 1 => format!(r#"{{"turn":{},"play":"{cell}"}}"#, turn + 1),
            _ => format!(r#"{{"turn":{},"rewind":1}}"#, turn + 1),
        };
        let path = format!("/api/games/{id}/actions");
        let answer = server
            .request_as(token.as_str().unwrap(), &path, &body)
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    // Now it reads: changes in order, views where some were skipped, and finally the current state.
    let (mut turn, mut views) = (1, 0);
    while turn < turns + 1 {
        let message = slow.next().await;
        if let Some(change) = message.get("change") {
            assert_eq!(change["turn"], turn + 1, "in order");
            turn += 1;
        } else if let Some(view) = message.get("view") {
            let now = view["turn"].as_u64().unwrap();
            assert!(now > turn, "{now} after {turn}");
            (turn, views) = (now, views + 1);
        }
    }
    assert!(views > 0, "everything was kept for one who did not read");
}

#[tokio::test]
async fn answers_repeat_the_id_of_their_message() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let hello = json!({"token": tokens["0"], "id": "first"});
    let mut ann = Socket::open(&server, &id, hello).await;
    let view = ann.next().await;
    assert_eq!(
        (&view["id"], &view["view"]["turn"]),
        (&json!("first"), &json!(1))
    );
    for (message, answer, repeated) in [
        (r#"{"turn":9,"play":"1-1","id":"a"}"#, "problem", json!("a")),
        (r#"{"turn":9,"plai":"1-1","id":"b"}"#, "problem", json!("b")),
        (r#"{"turn":9,"play":"1-1","id":7}"#, "problem", Value::Null),
        (r#"{"turn":9,"play":"1-1"}"#, "problem", Value::Null),
        (
            r#"{"turn":1,"play":"1-1","id":"\"}"}"#,
            "view",
            json!("\"}"),
        ),
    ] {
        ann.say(message).await;
        // The change of Ann's own turn may come first.
        let mut message = ann.next().await;
        while message.get(answer).is_none() {
            message = ann.next().await;
        }
        assert_eq!(message["id"], repeated, "{message}");
    }
    let long = json!({"turn": 2, "play": "0-0", "id": "x".repeat(65)});
    ann.say(&long.to_string()).await;
    let problem = ann.next_of("problem").await;
    assert_eq!(problem["type"], "/problems/out-of-range");
    assert_eq!(problem["errors"][0]["pointer"], "/id");
    // A change that another player caused has no id.
    let mut bob = Socket::open(&server, &id, json!({"token": tokens["1"]})).await;
    bob.next_of("view").await;
    bob.say(r#"{"turn":2,"play":"0-0","id":"bob"}"#).await;
    let mut message = ann.next().await;
    while message.get("change").is_none() {
        message = ann.next().await;
    }
    assert_eq!(message.get("id"), None);
}

#[tokio::test]
async fn token_in_the_upgrade_replaces_the_first_message() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let connect = |token: &str| {
        let url = format!("ws://127.0.0.1:{}/api/games/{id}/ws", server.http);
        let mut request = url.into_client_request().unwrap();
        let bearer = HeaderValue::try_from(format!("Bearer {token}")).unwrap();
        request.headers_mut().insert("Authorization", bearer);
        connect_async(request)
    };
    let (socket, _) = connect(tokens["0"].as_str().unwrap()).await.unwrap();
    let mut ann = Socket(socket);
    assert_eq!(ann.next_of("view").await["seats"][0]["present"], true);
    ann.say(r#"{"turn":1,"play":"1-1"}"#).await;
    let mut view = ann.next_of("view").await;
    while view["turn"] != 2 {
        view = ann.next_of("view").await;
    }
    match connect("nonsense").await {
        Err(Error::Http(response)) => assert_eq!(response.status().as_u16(), 401),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn resigning_needs_no_turn_and_may_be_repeated() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    server.play(&id, &tokens["0"], 1, "1-1").await;
    let path = format!("/api/games/{id}/actions");
    let ann = tokens["0"].as_str().unwrap();
    for _ in 0..2 {
        let answer = server.request_as(ann, &path, r#"{"resign":true}"#).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.body["turn"], 3);
        assert!(!answer.body["outcome"].is_null());
    }
    let bob = tokens["1"].as_str().unwrap();
    let refused = server.request_as(bob, &path, r#"{"resign":true}"#).await;
    refused.is_problem(409, "over");
}
