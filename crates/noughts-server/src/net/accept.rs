//! The accept loop of every listener.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinSet, yield_now};
use tokio::time::{Instant, sleep_until};
use tracing::{debug, info, warn};

use super::{Connections, Permit, WhenFull};

/// A listener that pauses after an error, for example when no file descriptors are left.
pub(crate) struct Acceptor {
    listener: TcpListener,
    /// Number of consecutive errors.
    failures: u32,
    /// When to try again after an error.
    retry_at: Option<Instant>,
}

impl Acceptor {
    pub(crate) fn new(listener: TcpListener) -> Acceptor {
        Acceptor {
            listener,
            failures: 0,
            retry_at: None,
        }
    }

    /// The next connection. Cancel safe: an interrupted wait continues with the next call.
    ///
    /// Some errors concern more than one client, for example too few file descriptors. After such an error,
    /// this function waits for 10 to 640 ms and tries again. Open connections are not affected. When they
    /// close, descriptors become free.
    pub(crate) async fn accept(&mut self) -> (TcpStream, IpAddr) {
        loop {
            if let Some(retry_at) = self.retry_at {
                sleep_until(retry_at).await;
                self.retry_at = None;
            }
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    self.failures = 0;
                    return (stream, peer.ip());
                }
                Err(error) if concerns_one_client(&error) => {}
                Err(error) => {
                    if self.failures == 0 {
                        warn!(%error, "cannot accept connections for the moment");
                    }
                    let wait = Duration::from_millis(10 << self.failures.min(6));
                    self.failures += 1;
                    self.retry_at = Some(Instant::now() + wait);
                }
            }
        }
    }
}

/// Whether the next connection can be accepted immediately after this error. This is so if a client
/// disconnected before it was accepted, or if a signal interrupted the system call.
fn concerns_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionReset | Interrupted
    )
}

/// Accepts connections until `closing` becomes true, and spawns `serve` for each connection that the limits permit.
/// Then closes the listener, and returns the connections that are still open.
///
/// A connection without a permit is closed immediately: nothing is read, written or stored. An open
/// connection is closed when its peer is banned. `accepted` counts every connection, also those without a
/// permit.
pub(crate) async fn serve_connections<F>(
    listener: TcpListener,
    (connections, when_full): (&Arc<Connections>, WhenFull),
    accepted: &Counter,
    mut closing: watch::Receiver<bool>,
    serve: impl Fn(TcpStream, IpAddr, Permit) -> F,
) -> JoinSet<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut acceptor = Acceptor::new(listener);
    let mut open = JoinSet::new();
    // This map is used to close connections of banned peers. If each connection waited for bans itself, every turn of a
    // client would take more processor time.
    let mut peers: HashMap<Id, (IpAddr, AbortHandle)> = HashMap::new();
    let mut bans = connections.bans().subscribe();
    loop {
        tokio::select! {
            biased;
            _ = closing.changed() => return open,
            Some(ended) = open.join_next_with_id() => {
                peers.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
            }
            Ok(()) = bans.changed() => {
                for (peer, task) in peers.values().filter(|(peer, _)| connections.is_banned(*peer)) {
                    info!(%peer, "closed a connection: the address was banned");
                    task.abort();
                }
            }
            (stream, peer) = acceptor.accept() => {
                accepted.inc();
                match connections.admit(peer, when_full) {
                    Some(permit) => {
                        let task = open.spawn(serve(stream, peer, permit));
                        peers.insert(task.id(), (peer, task));
                    }
                    None => debug!(%peer, "refused a connection: there are too many, or the address is banned"),
                }
                // Lets other tasks run. Without this call, the loop accepts up to 128 connections at a time.
                yield_now().await;
            }
        }
    }
}
