//! A node: a server without listeners, which can be killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts_engine::{Clock, EngineSetup};
use noughts_server::{IdSource, Matchmaking, NodeId, Server, ServerConfig, Tables};
use tokio::sync::watch;
use tokio::time::Instant;

use super::database::{Database, Plug};

/// A server without listeners.
pub(crate) struct Node {
    server: Option<Server>,
    pub(crate) tables: Arc<Tables>,
    pub(crate) matchmaking: Arc<Matchmaking>,
    plug: Plug,
    clock: Arc<VirtualClock>,
    ended: watch::Sender<bool>,
}

impl Node {
    /// Starts a node that shares the database with others.
    pub(crate) fn start(database: &Arc<Database>, seed: u64) -> Node {
        Node::start_as(database, seed, true)
    }

    /// Starts a node that has the database to itself.
    pub(crate) fn start_alone(database: &Arc<Database>, seed: u64) -> Node {
        Node::start_as(database, seed, false)
    }

    /// A node that shares the database with others or not.
    pub(crate) fn start_as(database: &Arc<Database>, seed: u64, is_shared: bool) -> Node {
        let connection = database.connect(is_shared);
        let plug = connection.plug();
        let clock = Arc::new(VirtualClock::default());
        let engine = EngineSetup {
            seed,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
        };
        let server = Server::start(ServerConfig {
            ids: IdSource::seeded(seed),
            ..ServerConfig::new(Box::new(connection), engine)
        });
        let server = server.unwrap();
        Node {
            tables: Arc::clone(server.tables()),
            matchmaking: Arc::clone(server.matchmaking()),
            server: Some(server),
            plug,
            clock,
            ended: watch::Sender::new(false),
        }
    }

    /// Kills the node, as `kill -9` does: nothing more is stored or sent.
    pub(crate) fn kill(&mut self) {
        self.plug.pull();
        self.ended.send_replace(true);
        drop(self.server.take());
    }

    /// Stops the node gracefully. Returns whether everything in progress was stored.
    pub(crate) async fn stop(&mut self) -> bool {
        let server = self.server.take().expect("the node runs");
        let is_stored = server.stop().await;
        self.plug.pull();
        self.ended.send_replace(true);
        is_stored
    }

    /// Makes the clock of the node's process jump.
    pub(crate) fn jump_clock(&self, by: Duration) {
        self.clock
            .jumped_ms
            .fetch_add(by.as_millis() as u64, Ordering::Relaxed);
    }

    /// The node's id in the database.
    pub(crate) fn id(&self) -> NodeId {
        self.plug.node()
    }

    /// The number of the node, from 0, in the order of their start.
    pub(crate) fn number(&self) -> usize {
        self.plug.number()
    }

    /// A receiver whose value becomes true when the node ends.
    pub(crate) fn ended(&self) -> watch::Receiver<bool> {
        self.ended.subscribe()
    }
}

/// The time of tokio, which tests may pause, plus the jumps.
pub(crate) struct VirtualClock {
    begun: Instant,
    jumped_ms: AtomicU64,
}

impl Default for VirtualClock {
    fn default() -> VirtualClock {
        VirtualClock {
            begun: Instant::now(),
            jumped_ms: AtomicU64::new(0),
        }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        let jumped_ms = self.jumped_ms.load(Ordering::Relaxed);
        self.begun.elapsed() + Duration::from_millis(jumped_ms)
    }
}
