//! A test server, and an HTTP client without a library.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::EngineSetup;
use noughts_server::{
    ConnectionLimits, HttpConfig, HttpLimits, Memory, Server, ServerConfig, Store, listen,
    listen_for_http,
};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::cluster::{Database, VirtualClock};
use crate::request_bytes::request_bytes;

/// Any free port.
pub(crate) const FREE: &str = "127.0.0.1:0";

/// Longer than any step of these tests, also on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) struct TestServer {
    pub(crate) inner: Server,
    pub(crate) http: u16,
    pub(crate) pairs: u16,
}

impl TestServer {
    pub(crate) async fn new() -> TestServer {
        TestServer::with(HttpLimits::default()).await
    }

    /// A server with these limits per address.
    pub(crate) async fn with(limits: HttpLimits) -> TestServer {
        TestServer::limited(ConnectionLimits::default(), limits).await
    }

    /// A server with these limits.
    pub(crate) async fn limited(limits: ConnectionLimits, http_limits: HttpLimits) -> TestServer {
        let listener = listen_for_http(FREE.parse().unwrap()).unwrap();
        TestServer::behind(listener, limits, http_limits).await
    }

    /// A server with this listener for HTTP.
    pub(crate) async fn behind(
        http: TcpListener,
        limits: ConnectionLimits,
        http_limits: HttpLimits,
    ) -> TestServer {
        let (store, engine) = (Box::<Memory>::default(), EngineSetup::with_seed(1));
        TestServer::start(http, limits, http_limits, store, engine).await
    }

    /// A server over this store.
    pub(crate) async fn over(store: Box<dyn Store>) -> TestServer {
        TestServer::over_with(store, HttpLimits::default(), EngineSetup::with_seed(1)).await
    }

    /// A server over this store, with these limits per address and this clock.
    pub(crate) async fn over_with(
        store: Box<dyn Store>,
        http_limits: HttpLimits,
        engine: EngineSetup,
    ) -> TestServer {
        let listener = listen_for_http(FREE.parse().unwrap()).unwrap();
        TestServer::start(
            listener,
            ConnectionLimits::default(),
            http_limits,
            store,
            engine,
        )
        .await
    }

    /// A node over this database, in virtual time: for tests that begin with a paused clock.
    pub(crate) async fn node(database: &Arc<Database>) -> TestServer {
        let engine = EngineSetup {
            seed: 1,
            clock: Arc::new(VirtualClock::default()),
        };
        let store = Box::new(database.connect(true));
        TestServer::over_with(store, HttpLimits::default(), engine).await
    }

    async fn start(
        http: TcpListener,
        limits: ConnectionLimits,
        http_limits: HttpLimits,
        store: Box<dyn Store>,
        engine: EngineSetup,
    ) -> TestServer {
        let pairs = listen(FREE.parse().unwrap()).unwrap();
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let secret = store.secret().await.unwrap();
        TestServer {
            http: port(&http),
            pairs: port(&pairs),
            inner: Server::start(ServerConfig {
                http: Some(HttpConfig {
                    listener: http,
                    secret,
                    limits: http_limits,
                }),
                pairs: Some(pairs),
                limits,
                ..ServerConfig::new(store, engine)
            })
            .unwrap(),
        }
    }

    /// A connection from another address of this machine, such as 127.0.0.2.
    pub(crate) async fn connect_from(&self, address: &str) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        let address: IpAddr = address.parse().unwrap();
        socket.bind((address, 0).into()).unwrap();
        let server = (Ipv4Addr::LOCALHOST, self.http).into();
        socket.connect(server).await.unwrap()
    }

    /// A request with a body and a token, from another address of this machine.
    pub(crate) async fn post_from(
        &self,
        address: &str,
        path: &str,
        token: &str,
        body: &str,
    ) -> Response {
        let request = request_bytes("POST", path, token, &[], Some(body.as_bytes()));
        exchange(self.connect_from(address).await, &request).await
    }

    /// A request from another address of this machine.
    pub(crate) async fn get_from(&self, address: &str, path: &str) -> Response {
        let request = request_bytes("GET", path, "", &[], None);
        exchange(self.connect_from(address).await, &request).await
    }

    /// A request without a token.
    pub(crate) async fn request(&self, method: &str, path: &str, body: Option<&str>) -> Response {
        self.send(method, path, &[], body).await
    }

    /// Sends a POST request with a token.
    pub(crate) async fn request_as(&self, token: &str, path: &str, body: &str) -> Response {
        let request = request_bytes("POST", path, token, &[], Some(body.as_bytes()));
        exchange(self.connect().await, &request).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Response {
        Response::from(self.open(method, path, headers, body).await).await
    }

    /// Sends a POST request with a body of this media type.
    pub(crate) async fn send_as(
        &self,
        medium: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let headers = [&[("Content-Type", medium)], headers].concat();
        self.send("POST", path, &headers, Some(body)).await
    }

    /// Sends a request; the caller reads the answer.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> TcpStream {
        let mut stream = self.connect().await;
        let request = request_bytes(method, path, "", headers, body.map(str::as_bytes));
        stream.write_all(&request).await.unwrap();
        stream
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.http)).await.unwrap()
    }

    /// Creates a table, and returns its id and tokens.
    pub(crate) async fn create_table(&self, body: &str) -> (String, Value) {
        let created = self.request("POST", "/api/games", Some(body)).await;
        assert_eq!(created.status, 201, "{}", created.body);
        let id = created.body["id"].as_str().unwrap().to_owned();
        (id, created.body["tokens"].clone())
    }

    /// Plays a legal move. Returns the body of the answer.
    pub(crate) async fn play(&self, id: &str, token: &Value, turn: usize, cell: &str) -> Value {
        let body = format!(r#"{{"turn":{turn},"play":"{cell}"}}"#);
        let path = format!("/api/games/{id}/actions");
        let answer = self.request_as(token.as_str().unwrap(), &path, &body).await;
        assert_eq!(answer.status, 200, "{cell}: {}", answer.body);
        answer.body
    }
}

/// Sends a request, and reads the response.
pub(crate) async fn exchange(mut stream: TcpStream, request: &[u8]) -> Response {
    stream.write_all(request).await.unwrap();
    Response::from(stream).await
}

/// An HTTP response. The headers are in lower case, `text` is the body as it was sent, and `body` is the same as JSON,
/// or null if it is not JSON.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Response {
    /// Reads until the server closes the connection.
    pub(crate) async fn from(mut stream: TcpStream) -> Response {
        let mut text = Vec::new();
        let read = timeout(TIMEOUT, stream.read_to_end(&mut text)).await;
        read.expect("no answer came").unwrap();
        Response::read(&String::from_utf8(text).unwrap())
    }

    fn read(text: &str) -> Response {
        let (head, body) = text.split_once("\r\n\r\n").expect("headers end");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response {
            status,
            headers: head.to_lowercase(),
            body: serde_json::from_str(body).unwrap_or(Value::Null),
            text: body.to_owned(),
        }
    }

    /// Asserts that this is a problem of this kind.
    pub(crate) fn is_problem(&self, status: u16, kind: &str) {
        assert_eq!(self.status, status, "{} {}", self.body, self.text);
        assert_eq!(
            self.body["type"],
            format!("/problems/{kind}"),
            "{}",
            self.body
        );
        assert_eq!(self.body["status"], status);
        let detail = self.body["detail"].as_str().unwrap();
        assert!(!detail.is_empty(), "{}", self.body);
        assert!(
            self.headers
                .contains("content-type: application/problem+json"),
            "{}",
            self.headers
        );
    }
}
