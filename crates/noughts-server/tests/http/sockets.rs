//! WebSockets: a table both ways.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::client::{PATIENCE, World};

pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens one and says the first message.
    pub(crate) async fn open(world: &World, id: &str, hello: Value) -> Socket {
        let url = format!("ws://127.0.0.1:{}/api/games/{id}/ws", world.http);
        let (socket, _) = connect_async(url).await.unwrap();
        let mut socket = Socket(socket);
        socket.say(&hello.to_string()).await;
        socket
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn hear(&mut self) -> Option<Result<Message, Error>> {
        timeout(PATIENCE, self.0.next())
            .await
            .expect("nothing came")
    }

    /// The next message that says something.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            match self.hear().await.expect("the end").expect("a message") {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// The next message of this name, others being skipped.
    pub(crate) async fn next_of(&mut self, name: &str) -> Value {
        loop {
            let mut message = self.next().await;
            if let Some(value) = message.get_mut(name) {
                return value.take();
            }
        }
    }

    /// The code with which the other side closes, whatever it says before.
    async fn closed(&mut self) -> Option<u16> {
        loop {
            match self.hear().await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }
}

#[tokio::test]
async fn a_game_is_played_over_two_sockets() {
    let world = World::new().await;
    let wish = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (id, tokens) = world.lay(wish).await;
    let mut watcher = Socket::open(&world, &id, json!({})).await;
    assert_eq!(watcher.next_of("view").await["turn"], 1);
    let mut ann = Socket::open(&world, &id, json!({"token": tokens["0"]})).await;
    assert_eq!(ann.next_of("view").await["seats"][0]["present"], true);
    let presence = watcher.next_of("presence").await;
    assert_eq!(presence["present"], json!([true, false]));
    let mut bob = Socket::open(&world, &id, json!({"token": tokens["1"]})).await;
    bob.next_of("view").await;
    for (turn, cell) in ["0-0", "1-0", "0-1", "1-1", "0-2"].into_iter().enumerate() {
        let player = if turn % 2 == 0 { &mut ann } else { &mut bob };
        let act = json!({"turn": turn + 1, "play": cell});
        player.say(&act.to_string()).await;
        // Whether the answer or the news of it is first, the view says it.
        let mut view = player.next_of("view").await;
        while view["turn"] != turn + 2 {
            view = player.next_of("view").await;
        }
        let change = watcher.next_of("change").await;
        assert_eq!(change["turn"], turn + 2);
        assert_eq!(change["cells"], json!([[cell, turn % 2]]));
    }
    let seen = world.ask("GET", &format!("/api/games/{id}"), None).await;
    assert_eq!(seen.body["outcome"]["won"], json!([0]));
    // Whoever goes is seen to go.
    drop(ann);
    while watcher.next_of("presence").await["present"] != json!([false, true]) {}
}

#[tokio::test]
async fn a_socket_plays_against_a_tcp_client_through_a_lobby_seat() {
    let world = World::new().await;
    let wish = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"lobby"}]}"#;
    let (id, tokens) = world.lay(wish).await;
    let mut ann = Socket::open(&world, &id, json!({"token": tokens["0"]})).await;
    ann.next_of("view").await;
    let mut bob = TcpStream::connect(("127.0.0.1", world.pairs))
        .await
        .unwrap();
    let id_bytes = b"\0\0\x30\x39";
    bob.write_all(b"\x01\0\0\x30\x39Bob\0\0\x03\0\0\x30\x39")
        .await
        .unwrap();
    let mut heard = [0; 11];
    bob.read_exact(&mut heard).await.unwrap();
    assert_eq!(&heard, b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x02");
    while ann.next_of("presence").await["names"] != json!(["Ann", "Bob"]) {}
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
        while change["last"]["by"] != 1 {
            change = ann.next_of("change").await;
        }
        assert_eq!(change["last"]["play"], o);
    }
    ann.say(r#"{"turn":5,"play":"2-2"}"#).await;
    let mut heard = [0; 6];
    bob.read_exact(&mut heard).await.unwrap();
    assert_eq!(&heard, b"\x06\0\0\x30\x39\x00", "bob lost");
    let mut view = ann.next_of("view").await;
    while view["outcome"].is_null() {
        view = ann.next_of("view").await;
    }
    assert_eq!(view["outcome"]["won"], json!([0]));
}

#[tokio::test]
async fn refusals_over_a_socket_change_nothing_and_are_bounded() {
    let world = World::new().await;
    let wish = r#"{"variant":"3x3k3","seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = world.lay(wish).await;
    let (other, _) = world.lay(wish).await;
    let mut bob = Socket::open(&world, &id, json!({"token": tokens["1"]})).await;
    bob.next_of("view").await;
    for (message, status, kind) in [
        (r#"{"turn":1,"play":"1-1"}"#, 409, "not-your-turn"),
        (r#"{"turn":3,"play":"1-1"}"#, 409, "stale"),
        ("{", 400, "unreadable"),
        (r#"{"turn":1}"#, 400, "unreadable"),
    ] {
        bob.say(message).await;
        let problem = bob.next_of("problem").await;
        assert_eq!(problem["type"], format!("/problems/{kind}"), "{message}");
        assert_eq!(problem["status"], status);
    }
    let mut watcher = Socket::open(&world, &id, json!({})).await;
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
        let mut socket = Socket::open(&world, &id, hello).await;
        assert_eq!(socket.next_of("problem").await["status"], status);
        assert_eq!(socket.closed().await, Some(1008));
    }
    let mut foreign = Socket::open(&world, &other, json!({"token": tokens["0"]})).await;
    assert_eq!(foreign.next_of("problem").await["status"], 403);

    // Too long, or not text: closed, as the protocol says.
    let mut long = Socket::open(&world, &id, json!({})).await;
    long.say(&"x".repeat(5_000)).await;
    assert!(matches!(long.closed().await, None | Some(1009)));
    let mut binary = Socket::open(&world, &id, json!({})).await;
    let sent = binary.0.send(Message::binary(vec![1, 2, 3])).await;
    sent.unwrap();
    assert_eq!(binary.closed().await, Some(1003));
    let view = world.ask("GET", &format!("/api/games/{id}"), None).await;
    assert_eq!(view.body["turn"], 1);
}

#[tokio::test]
async fn pings_are_answered_and_a_planned_stop_is_announced() {
    let world = World::new().await;
    let (id, _) = world.lay(r#"{"variant":"3x3k3"}"#).await;
    let mut socket = Socket::open(&world, &id, json!({})).await;
    socket.next_of("view").await;
    let ping = Message::Ping(b"there?".as_slice().into());
    socket.0.send(ping).await.unwrap();
    match socket.hear().await {
        Some(Ok(Message::Pong(payload))) => assert_eq!(payload.as_ref(), b"there?"),
        other => panic!("{other:?}"),
    }
    let stopping = tokio::spawn(world.server.stop());
    assert_eq!(socket.next_of("restart").await, true);
    assert_eq!(socket.closed().await, Some(1012));
    assert!(stopping.await.unwrap());
}

#[tokio::test]
async fn only_pages_of_this_server_open_sockets() {
    let world = World::new().await;
    let (id, _) = world.lay(r#"{"variant":"3x3k3"}"#).await;
    let open = |origin: Option<String>, id: &str| {
        let url = format!("ws://127.0.0.1:{}/api/games/{id}/ws", world.http);
        let mut request = url.into_client_request().unwrap();
        if let Some(origin) = origin {
            let origin = HeaderValue::from_str(&origin).unwrap();
            request.headers_mut().insert("Origin", origin);
        }
        connect_async(request)
    };
    let ours = format!("http://127.0.0.1:{}", world.http);
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
    let plain = world.ask("GET", &format!("/api/games/{id}/ws"), None).await;
    plain.is_problem(400, "unreadable");
}

#[tokio::test]
async fn a_slow_watcher_is_given_a_fresh_view_and_nobody_waits_for_it() {
    let world = World::new().await;
    // A board large enough that views fill what the system keeps for one who does not read.
    let wish =
        r#"{"variant":"31x31k5","history":2,"seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = world.lay(wish).await;
    let mut slow = Socket::open(&world, &id, json!({})).await;
    slow.next_of("view").await;
    let turns = 600;
    for turn in 0..turns {
        let token = &tokens[(turn % 2).to_string()];
        // Two in a row at most, so that nobody wins.
        let cell = format!("{}-{}", turn / 31, turn % 31);
        let body = match turn % 4 {
            0 | 1 => format!(r#"{{"turn":{},"play":"{cell}"}}"#, turn + 1),
            _ => format!(r#"{{"turn":{},"rewind":1}}"#, turn + 1),
        };
        let path = format!("/api/games/{id}/actions");
        let answer = world.ask_as(token.as_str().unwrap(), &path, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    // Now it reads: turns in order, views where some were skipped, and at last the present.
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
