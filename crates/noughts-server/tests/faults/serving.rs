//! Nodes with HTTP listeners that do not know the store's time yet, or have not read its latest entries.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use noughts_engine::EngineSetup;
use noughts_server::{
    HttpConfig, HttpLimits, IdSource, Server, ServerConfig, Store, listen_for_http,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::TIMEOUT;
use crate::cluster::{Database, Fault, Operation, Treatment};
use crate::request_bytes::request_bytes;

/// A node that shares the database, and its port. It runs until the server is dropped.
async fn serve(database: &Arc<Database>, seed: u64) -> (Server, u16) {
    let store = database.connect(true);
    let secret = store.secret().await.unwrap();
    let listener = listen_for_http("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::start(ServerConfig {
        http: Some(HttpConfig {
            listener,
            secret,
            limits: HttpLimits::default(),
        }),
        tcp_strategy: "first".parse().unwrap(),
        ids: IdSource::seeded(seed),
        ..ServerConfig::new(Box::new(store), EngineSetup::with_seed(seed))
    });
    (server.unwrap(), port)
}

async fn send(port: u16, request: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request).await.unwrap();
    stream
}

async fn get(port: u16, path: &str, headers: &[(&str, &str)]) -> TcpStream {
    send(port, &request_bytes("GET", path, "", headers, None)).await
}

async fn post(port: u16, path: &str, token: &str, body: &str) -> TcpStream {
    let body = Some(body.as_bytes());
    send(port, &request_bytes("POST", path, token, &[], body)).await
}

/// Reads until the response contains this text.
async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while !text.contains(end) {
        let read = timeout(TIMEOUT, stream.read(&mut bytes)).await;
        let count = read.expect("it answers").unwrap();
        assert_ne!(count, 0, "the response ended: {text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    text
}

/// A text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).expect(before);
    rest.split_once(after).expect(after).0
}

#[tokio::test]
async fn no_client_is_served_before_the_time_of_the_store_is_known() {
    let database = Database::new();
    let sweeps = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sweeps);
    database.treat(move |request| match request.operation {
        Operation::Sweep => {
            counted.fetch_add(1, Ordering::SeqCst);
            Treatment::only(Fault::RequestLost)
        }
        _ => Treatment::default(),
    });
    let (_server, port) = serve(&database, 1).await;
    let mut stream = get(port, "/healthz", &[]).await;
    while sweeps.load(Ordering::SeqCst) < 2 {
        sleep(Duration::from_millis(10)).await;
    }
    let read = stream.try_read(&mut [0; 16]);
    assert_eq!(read.unwrap_err().kind(), ErrorKind::WouldBlock);
    database.treat(|_| Treatment::default());
    let answer = read_until(&mut stream, "\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn stream_that_is_resumed_at_a_node_that_is_behind_does_not_go_back() {
    let database = Database::new();
    // The second node gets no hints, so it learns of the turn only at its next comparison with the store.
    database.delay_hints(|_| Vec::new());
    let (_first, here) = serve(&database, 1).await;
    let (_second, there) = serve(&database, 2).await;
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let mut created = post(here, "/api/games", "", table).await;
    let created = read_until(&mut created, "\"view\"").await;
    let (id, token) = (
        between(&created, "\"id\":\"", "\""),
        between(&created, "\"tokens\":{\"0\":\"", "\""),
    );
    let mut viewed = get(there, &format!("/api/games/{id}"), &[]).await;
    read_until(&mut viewed, "\"turn\":1").await;
    let actions = format!("/api/games/{id}/actions");
    let mut acted = post(here, &actions, token, r#"{"turn":1,"play":"1-1"}"#).await;
    read_until(&mut acted, "\"turn\":2").await;
    let events = format!("/api/games/{id}/events");
    let mut resumed = get(there, &events, &[("Last-Event-ID", "1")]).await;
    let first = read_until(&mut resumed, "data:").await;
    assert!(first.contains("event: presence"), "{first}");
}
