//! A node with real sockets.

use std::time::Duration;

use noughts_engine::EngineSetup;
use noughts_server::{
    ConnectionLimits, HttpConfig, HttpLimits, Postgres, Server, ServerConfig, Store, listen,
    listen_for_http,
};
use tokio::net::TcpListener;

/// A server on three free ports.
pub(crate) struct Node {
    /// The server runs until this is dropped.
    _server: Server,
    pub(crate) http: u16,
    pub(crate) tcp: u16,
    pub(crate) pairs: u16,
}

impl Node {
    pub(crate) async fn start(store: &str) -> Node {
        Node::with_idle(store, ConnectionLimits::default().idle).await
    }

    /// A node with this idle limit for TCP clients.
    pub(crate) async fn with_idle(store: &str, idle: Duration) -> Node {
        let store = Postgres::open(store).await.expect("the database opens");
        let secret = store.secret().await.expect("it replies");
        let free = || listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let (tcp, pairs) = (free(), free());
        let listener = listen_for_http("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let (http, tcp_port, pairs_port) = (port(&listener), port(&tcp), port(&pairs));
        let server = Server::start(ServerConfig {
            http: Some(HttpConfig {
                listener,
                secret,
                limits: HttpLimits::default(),
            }),
            tcp: Some(tcp),
            tcp_strategy: "first".parse().unwrap(),
            pairs: Some(pairs),
            limits: ConnectionLimits {
                idle,
                ..ConnectionLimits::default()
            },
            ..ServerConfig::new(Box::new(store), EngineSetup::with_seed(1))
        });
        Node {
            _server: server.unwrap(),
            http,
            tcp: tcp_port,
            pairs: pairs_port,
        }
    }
}

/// Three nodes over one database.
pub(crate) async fn three(store: &str) -> [Node; 3] {
    [
        Node::start(store).await,
        Node::start(store).await,
        Node::start(store).await,
    ]
}
