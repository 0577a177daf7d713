//! The TCP protocol: games against the computer, and games between two clients.

mod connection;
mod fault_proxy;

use std::sync::Arc;

use noughts_engine::StrategyName;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::matchmaking::Matchmaking;
use crate::metrics::ListenerKind;
use crate::net::{self, Connections, Tls, WhenFull, serve_connections};
use crate::operator::Operator;
use crate::tables::Tables;
use connection::Connection;

pub use fault_proxy::{InjectedFault, UnknownFault, inject_fault};

/// The opponents that a listener offers to its clients.
#[derive(Clone, Debug)]
pub(crate) enum Opponent {
    /// The computer, with this strategy.
    Robot(StrategyName),
    /// Other players: TCP clients, players of quick matches, and players at tables of the lobby.
    Players,
}

/// The server of one TCP listener.
#[derive(Debug)]
pub(crate) struct TcpServer {
    opponent: Opponent,
    tables: Arc<Tables>,
    matchmaking: Arc<Matchmaking>,
    connections: Arc<Connections>,
    operator: Arc<Operator>,
    tls: Option<Arc<Tls>>,
}

impl TcpServer {
    pub(crate) fn new(
        opponent: Opponent,
        matchmaking: &Arc<Matchmaking>,
        (connections, operator): (&Arc<Connections>, &Arc<Operator>),
        tls: Option<Arc<Tls>>,
    ) -> TcpServer {
        TcpServer {
            opponent,
            tables: Arc::clone(matchmaking.tables()),
            matchmaking: Arc::clone(matchmaking),
            connections: Arc::clone(connections),
            operator: Arc::clone(operator),
            tls,
        }
    }

    /// Serves connections until `closing` becomes true, then closes them.
    pub(crate) async fn run(self, listener: TcpListener, closing: watch::Receiver<bool>) {
        let server = Arc::new(self);
        let accepted = server.tables.metrics().accepted_by(server.kind());
        let limits = (&server.connections, WhenFull::Refuse);
        let serve = |stream, peer, permit| {
            let server = Arc::clone(&server);
            async move {
                // The accept loop must not wait, so the TLS handshake is in the task of the connection.
                net::prepare(&stream);
                let stream = net::open_stream(stream, server.tls.as_deref(), &permit).await;
                if let Some(stream) = stream {
                    Connection::new(server, stream, peer, permit).serve().await;
                }
            }
        };
        let open = serve_connections(listener, limits, &accepted, closing, serve);
        open.await.shutdown().await;
    }

    fn kind(&self) -> ListenerKind {
        match self.opponent {
            Opponent::Robot(_) => ListenerKind::Tcp,
            Opponent::Players => ListenerKind::Pairs,
        }
    }
}
