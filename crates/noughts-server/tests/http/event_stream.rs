//! Event streams.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{TIMEOUT, TestServer};

/// A stream of events, read one at a time.
pub(crate) struct Events(pub(crate) BufReader<TcpStream>);

impl Events {
    pub(crate) async fn open(server: &TestServer, id: &str, last: Option<usize>) -> Events {
        let last = last.map(|last| last.to_string());
        let headers: Vec<(&str, &str)> =
            last.iter().map(|l| ("Last-Event-ID", l.as_str())).collect();
        let path = format!("/api/games/{id}/events");
        Events(BufReader::new(
            server.open("GET", &path, &headers, None).await,
        ))
    }

    /// Opens a stream with the token of a seat.
    pub(crate) async fn open_as(server: &TestServer, id: &str, token: &Value) -> Events {
        let bearer = format!("Bearer {}", token.as_str().unwrap());
        let headers = [("Authorization", bearer.as_str())];
        let path = format!("/api/games/{id}/events");
        Events(BufReader::new(
            server.open("GET", &path, &headers, None).await,
        ))
    }

    /// The next event: its id as a number, its name and its data.
    pub(crate) async fn next(&mut self) -> (Option<usize>, String, Value) {
        let (id, name, data) = self.next_with_id().await;
        (id.map(|id| id.parse().unwrap()), name, data)
    }

    /// The next event: its id, its name and its data.
    pub(crate) async fn next_with_id(&mut self) -> (Option<String>, String, Value) {
        let (mut id, mut name) = (None, String::new());
        loop {
            let mut line = String::new();
            let read = timeout(TIMEOUT, self.0.read_line(&mut line)).await;
            assert!(read.expect("nothing came").unwrap() > 0, "the stream ended");
            match line.trim().split_once(": ") {
                Some(("id", value)) => id = Some(value.to_owned()),
                Some(("event", value)) => name = value.to_owned(),
                Some(("data", value)) => return (id, name, serde_json::from_str(value).unwrap()),
                _ => {}
            }
        }
    }

    /// Reads the event that follows the missed entries of a resumed stream.
    async fn expect_end_of_backlog(&mut self) {
        let (number, name, _) = self.next().await;
        assert_eq!((number, name.as_str()), (None, "presence"));
    }
}

#[tokio::test]
async fn watcher_gets_every_turn_in_order() {
    let server = TestServer::new().await;
    let new_table =
        r#"{"variant":"3x3k3","history":4,"seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let mut events = Events::open(&server, &id, None).await;
    let (number, name, view) = events.next().await;
    assert_eq!((number, name.as_str()), (Some(0), "view"));
    assert_eq!(view["view"]["turn"], 1);
    assert_eq!(view["view"]["entry"], 0);
    for (turn, cell) in ["0-0", "1-1", "2-2"].into_iter().enumerate() {
        server
            .play(&id, &tokens[(turn % 2).to_string()], turn + 1, cell)
            .await;
        if turn < 2 {
            // The first request of each player changes the presence.
            assert_eq!(events.next().await.1, "presence");
        }
        let (number, name, data) = events.next().await;
        assert_eq!((number, name.as_str()), (Some(turn + 1), "change"));
        assert_eq!(
            data["change"]["cells"],
            json!([{"cell": cell, "side": turn % 2}])
        );
        assert_eq!(data["change"]["turn"], turn + 2);
        assert_eq!(data["change"]["entry"], turn + 1);
    }
    let path = format!("/api/games/{id}/actions");
    server
        .request_as(
            tokens["1"].as_str().unwrap(),
            &path,
            r#"{"turn":4,"rewind":2}"#,
        )
        .await;
    let (number, _, data) = events.next().await;
    assert_eq!(number, Some(4));
    assert_eq!(
        data["change"]["cells"],
        json!([{"cell": "1-1", "side": null}, {"cell": "2-2", "side": null}])
    );

    // A stream that resumes after entry 2 has the later entries.
    let mut late = Events::open(&server, &id, Some(2)).await;
    for expected in [3, 4] {
        let (number, name, _) = late.next().await;
        assert_eq!((number, name.as_str()), (Some(expected), "change"));
    }
    late.expect_end_of_backlog().await;
    server
        .request_as(
            tokens["0"].as_str().unwrap(),
            &path,
            r#"{"turn":5,"resign":true}"#,
        )
        .await;
    for stream in [&mut events, &mut late] {
        let (number, _, data) = stream.next().await;
        assert_eq!(number, Some(5));
        assert_eq!(
            data["change"]["outcome"],
            json!({"kind": "won", "sides": [1], "reason": "resignation", "line": []})
        );
    }
}

#[tokio::test]
async fn restart_is_announced() {
    let server = TestServer::new().await;
    let (id, _) = server.create_table(r#"{"variant":"3x3k3"}"#).await;
    let mut events = Events::open(&server, &id, None).await;
    events.next().await;
    let stopping = tokio::spawn(server.inner.stop());
    let (number, name, _) = events.next().await;
    assert_eq!((number, name.as_str()), (None, "restart"));
    drop(events);
    assert!(stopping.await.unwrap());
}

#[tokio::test]
async fn player_with_a_stream_is_present() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"link"}]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let mut watcher = Events::open(&server, &id, None).await;
    watcher.next().await;
    let ann = Events::open_as(&server, &id, &tokens["0"]).await;
    let (number, name, data) = watcher.next().await;
    assert_eq!((number, name.as_str()), (None, "presence"));
    let seats = json!([
        {"name": "Ann", "kind": "human", "symbol": "x", "present": true},
        {"name": "", "kind": "open", "symbol": "o", "present": false, "open": "link"},
    ]);
    assert_eq!(data, json!({"presence": {"seats": seats}}));
    let sit = format!("/api/games/{id}/seats/1");
    server.request("POST", &sit, Some("{}")).await;
    // A taken seat is an entry of the log; a connection is not. The player gave no name.
    let (number, _, data) = watcher.next().await;
    let seat = json!({"name": "", "kind": "human", "symbol": "o", "present": false});
    assert_eq!((number, &data["presence"]["seats"][1]), (Some(1), &seat));
    drop(ann);
    let (_, _, data) = watcher.next().await;
    assert_eq!(data["presence"]["seats"][0]["present"], false);

    // A token of another game is not valid.
    let (other, _) = server.create_table(new_table).await;
    let bearer = format!("Bearer {}", tokens["0"].as_str().unwrap());
    let headers = [("Authorization", bearer.as_str())];
    let path = format!("/api/games/{other}/events");
    let answer = server.send("GET", &path, &headers, None).await;
    answer.is_problem(403, "wrong-game");
}

#[tokio::test]
async fn resumed_stream_has_every_kind_of_entry() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"link"}]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let path = format!("/api/games/{id}");
    let taken = server
        .request(
            "POST",
            &format!("{path}/seats/1"),
            Some(r#"{"name":"Bob"}"#),
        )
        .await;
    let (ann, bob) = (&tokens["0"], &taken.body["token"]);
    server.play(&id, ann, 1, "1-1").await;
    let resign = r#"{"turn":2,"resign":true}"#;
    let actions = format!("{path}/actions");
    let resigned = server
        .request_as(bob.as_str().unwrap(), &actions, resign)
        .await;
    assert_eq!(resigned.status, 200, "{}", resigned.body);

    // Entries 1 to 3: a taken seat, a move, a resignation.
    let mut events = Events::open(&server, &id, Some(0)).await;
    expect_three_entries(&mut events).await;
    events.expect_end_of_backlog().await;

    // Entry 4: Ann offers a rematch.
    let rematch = format!("{path}/rematch");
    server.request_as(ann.as_str().unwrap(), &rematch, "").await;
    let mut resumed = Events::open(&server, &id, Some(0)).await;
    expect_three_entries(&mut resumed).await;
    for stream in [&mut events, &mut resumed] {
        let (number, name, data) = stream.next().await;
        assert_eq!((number, name.as_str()), (Some(4), "offers"));
        let offers = json!([{"kind": "rematch", "seat": 0, "entry": 4}]);
        assert_eq!(data, json!({"offers": {"entry": 4, "offers": offers}}));
    }
    resumed.expect_end_of_backlog().await;

    // Entries 5 and 6: Bob offers one too, and the rematch is created.
    let both = server.request_as(bob.as_str().unwrap(), &rematch, "").await;
    assert!(both.body["rematch"].is_string(), "{}", both.body);
    for seen in [4, 5] {
        let mut resumed = Events::open(&server, &id, Some(seen)).await;
        if seen == 4 {
            let (number, name, data) = resumed.next().await;
            assert_eq!((number, name.as_str()), (Some(5), "offers"));
            assert_eq!(data["offers"]["offers"][1]["seat"], 1);
        }
        let (number, name, data) = resumed.next().await;
        assert_eq!((number, name.as_str()), (Some(6), "view"));
        assert_eq!(data["view"]["entry"], 6);
        assert_eq!(data["view"]["rematch"], both.body["rematch"]);
        resumed.expect_end_of_backlog().await;
    }
    // A stream that resumes after the latest entry gets no entries.
    let mut resumed = Events::open(&server, &id, Some(6)).await;
    resumed.expect_end_of_backlog().await;
    let now = server.request("GET", &path, None).await;
    assert_eq!(now.body["entry"], 6);
}

/// Reads three entries and checks them: a taken seat, a move and a resignation.
async fn expect_three_entries(events: &mut Events) {
    let (number, name, data) = events.next().await;
    assert_eq!((number, name.as_str()), (Some(1), "presence"));
    assert_eq!(data["presence"]["seats"][1]["name"], "Bob");
    let (number, name, data) = events.next().await;
    assert_eq!((number, name.as_str()), (Some(2), "change"));
    assert_eq!(data["change"]["cells"], json!([{"cell": "1-1", "side": 0}]));
    let (number, name, data) = events.next().await;
    assert_eq!((number, name.as_str()), (Some(3), "change"));
    let won = json!({"kind": "won", "sides": [0], "reason": "resignation", "line": []});
    assert_eq!(data["change"]["outcome"], won);
}
