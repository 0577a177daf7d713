//! A test server, and clients that send raw bytes.

use std::time::Duration;

use noughts_engine::EngineSetup;
use noughts_server::{ConnectionLimits, IdSource, Memory, Server, ServerConfig, listen};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// A server on two free ports.
pub(crate) struct TestServer {
    pub(crate) inner: Server,
    pub(crate) tcp: u16,
    pub(crate) pairs: u16,
}

impl TestServer {
    /// A server whose computer plays this strategy. The seed determines who moves first in a game of two clients.
    pub(crate) fn new(strategy: &str, seed: u64, limits: ConnectionLimits) -> TestServer {
        let free = || listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let (tcp, pairs) = (free(), free());
        let port = |listener: &tokio::net::TcpListener| listener.local_addr().unwrap().port();
        TestServer {
            tcp: port(&tcp),
            pairs: port(&pairs),
            inner: Server::start(ServerConfig {
                tcp: Some(tcp),
                tcp_strategy: strategy.parse().unwrap(),
                pairs: Some(pairs),
                limits,
                ids: IdSource::seeded(seed),
                ..ServerConfig::new(Box::<Memory>::default(), EngineSetup::with_seed(seed))
            })
            .unwrap(),
        }
    }

    /// A server with the default limits.
    pub(crate) fn usual(strategy: &str) -> TestServer {
        TestServer::new(strategy, 1, ConnectionLimits::default())
    }

    /// Waits until this many clients wait for an opponent.
    pub(crate) async fn until_waiting(&self, count: usize) {
        until(|| self.inner.matchmaking().waiting() == count).await;
    }
}

/// Waits until the condition holds; fails after a timeout.
pub(crate) async fn until(so: impl Fn() -> bool) {
    let waits = async {
        while !so() {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, waits).await.expect("it never came true");
}

/// Longer than any step of these tests, also on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// A client that sends and reads raw bytes.
pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) async fn connect(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client(stream)
    }

    /// Connects from another address of this machine, such as 127.0.0.2.
    pub(crate) async fn connect_from(address: [u8; 4], port: u16) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        let stream = socket.connect(([127, 0, 0, 1], port).into()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client(stream)
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        // The server may have closed; what it sent before can still be read.
        let _ = self.0.write_all(bytes).await;
    }

    /// Asserts that the next bytes are these.
    pub(crate) async fn expect(&mut self, bytes: &[u8]) {
        let heard = self.read(bytes.len()).await;
        assert_eq!(shown(&heard), shown(bytes));
    }

    /// The next `count` bytes, or fewer if the server closes.
    pub(crate) async fn read(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let mut more = vec![0; count - bytes.len()];
            let read = timeout(TIMEOUT, self.0.read(&mut more)).await;
            match read.unwrap_or_else(|_| panic!("only {} came", shown(&bytes))) {
                Ok(0) | Err(_) => break,
                Ok(count) => bytes.extend(&more[..count]),
            }
        }
        bytes
    }

    /// Asserts that the server has closed and sent nothing more.
    pub(crate) async fn expect_end(&mut self) {
        let heard = self.read(1_000_000).await;
        assert_eq!(shown(&heard), "", "instead of an end");
    }
}

/// Bytes as readable text: ASCII characters, and escapes for all other bytes.
pub(crate) fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
