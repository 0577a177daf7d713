//! Starts and stops the server.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{EngineSetup, StrategyName, UnsupportedGame};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;
use tracing::warn;

use crate::admin::Admin;
use crate::clock::ServerClock;
use crate::http::{HttpLimits, HttpServer};
use crate::id::IdSource;
use crate::liveness;
use crate::matchmaking::Matchmaking;
use crate::net::{ConnectionLimits, Connections, Tls};
use crate::operator::Operator;
use crate::players::Players;
use crate::presence::Presence;
use crate::retention::forget_after;
use crate::robots::Robots;
use crate::store::Store;
use crate::tables::Tables;
use crate::tcp::{Opponent, TcpServer};

/// The configuration of a server.
pub struct ServerConfig {
    /// The HTTP listener, and the configuration of the HTTP server.
    pub http: Option<HttpConfig>,
    /// The TCP listener for games against the computer.
    pub tcp: Option<TcpListener>,
    /// The computer's strategy at the listener `tcp`.
    pub tcp_strategy: StrategyName,
    /// The TCP listener for games between two clients.
    pub pairs: Option<TcpListener>,
    /// The certificate, and the TCP listeners with TLS. If this is set, the HTTP listener uses TLS too.
    pub tls: Option<TlsListeners>,
    /// Where games are stored.
    pub store: Box<dyn Store>,
    /// The connection limits, which apply to all listeners together.
    pub limits: ConnectionLimits,
    /// Number of threads for robots and analyses. The server uses at least 2.
    pub robot_threads: usize,
    /// The random seed of the robots, and the clock of the whole server.
    pub engine: EngineSetup,
    /// The source of ids of games and players.
    pub ids: IdSource,
}

impl ServerConfig {
    /// A configuration without listeners, with default limits and the minimum number of threads for robots.
    /// The strategy for the listener `tcp` is `perfect`.
    pub fn new(store: Box<dyn Store>, engine: EngineSetup) -> ServerConfig {
        ServerConfig {
            http: None,
            tcp: None,
            tcp_strategy: "perfect".parse().expect("this is a strategy"),
            pairs: None,
            tls: None,
            store,
            limits: ConnectionLimits::default(),
            robot_threads: 2,
            engine,
            ids: IdSource::default(),
        }
    }
}

/// Additional TCP listeners with TLS, and the certificate of all listeners with TLS.
pub struct TlsListeners {
    /// The certificate. The HTTP listener uses it too.
    pub tls: Arc<Tls>,
    /// The TCP listener for games against the computer.
    pub tcp: Option<TcpListener>,
    /// The TCP listener for games between two clients.
    pub pairs: Option<TcpListener>,
}

/// The configuration of the HTTP server.
pub struct HttpConfig {
    /// The listener.
    pub listener: TcpListener,
    /// The store's [secret](Store::secret).
    pub secret: [u8; 32],
    /// Limits per client address.
    pub limits: HttpLimits,
}

/// A running server. [`stop`](Server::stop) shuts the server down gracefully. Dropping this value also stops
/// the server, but does not wait for unfinished work.
#[derive(Debug)]
pub struct Server {
    listeners: Vec<JoinHandle<()>>,
    closing: watch::Sender<bool>,
    tables: Arc<Tables>,
    matchmaking: Arc<Matchmaking>,
    admin: Arc<Admin>,
    /// Tasks that run as long as the server runs.
    tasks: Vec<AbortHandle>,
}

/// Maximum time for each step of [`Server::stop`] that waits for the store.
const STOP_STEP: Duration = Duration::from_secs(1);

impl Server {
    /// Starts the server. Fails if `tcp_strategy` cannot play tic-tac-toe.
    pub fn start(setup: ServerConfig) -> Result<Server, UnsupportedGame> {
        let clock = ServerClock::new(Arc::clone(&setup.engine.clock));
        let robots = Robots::new(setup.robot_threads, setup.engine);
        let tables = Tables::new(setup.store, robots, clock, setup.ids);
        let matchmaking = Matchmaking::new(&tables);
        matchmaking.check(&setup.tcp_strategy)?;
        let presence = Presence::new(&tables);
        let players = Players::new(&matchmaking);
        let (closing, closed) = watch::channel(false);
        let http_limits = setup.http.as_ref().map(|http| &http.limits);
        let proxies = http_limits.map_or(&[][..], |limits| &limits.proxies);
        let connections = Arc::new(Connections::new(setup.limits, proxies));
        let operator = Operator::new(&tables, &connections);
        let robot = Opponent::Robot(setup.tcp_strategy);
        let (tls, tcp_tls, pairs_tls) = match setup.tls {
            Some(TlsListeners { tls, tcp, pairs }) => (Some(tls), tcp, pairs),
            None => (None, None, None),
        };
        let tcp = [
            (setup.tcp, robot.clone(), None),
            (setup.pairs, Opponent::Players, None),
            (tcp_tls, robot, tls.clone()),
            (pairs_tls, Opponent::Players, tls.clone()),
        ];
        let tcp = tcp.into_iter().filter_map(|(listener, opponent, tls)| {
            let shared = (&connections, &operator);
            let server = TcpServer::new(opponent, &matchmaking, shared, tls);
            let run = server.run(listener?, closed.clone());
            let run = run_when_time_is_known(Arc::clone(&tables), closed.clone(), run);
            Some(tokio::spawn(run))
        });
        let mut listeners: Vec<JoinHandle<()>> = tcp.collect();
        listeners.extend(setup.http.map(|http| {
            let server = HttpServer::new(
                (&tables, &matchmaking, &presence, &players),
                (Arc::clone(&connections), Arc::clone(&operator)),
                http.secret,
                http.limits,
                tls,
                closed.clone(),
            );
            let run = server.run(http.listener, closed.clone());
            let tables = Arc::clone(&tables);
            tokio::spawn(run_when_time_is_known(tables, closed.clone(), run))
        }));
        let tasks = vec![
            tokio::spawn(liveness::sweep(Arc::clone(&tables))).abort_handle(),
            tokio::spawn(liveness::remove_idle_tables(Arc::clone(&tables))).abort_handle(),
            tokio::spawn(Arc::clone(&presence).forget_requests()).abort_handle(),
            tokio::spawn(presence.share()).abort_handle(),
            tokio::spawn(Arc::clone(&players).share()).abort_handle(),
            tokio::spawn(Arc::clone(&players).expire()).abort_handle(),
            tokio::spawn(Arc::clone(&operator).run()).abort_handle(),
            tokio::spawn(Arc::clone(&matchmaking).run()).abort_handle(),
        ];
        Ok(Server {
            listeners,
            closing,
            admin: Admin::new((&tables, &matchmaking, &players), connections, operator),
            matchmaking,
            tables,
            tasks,
        })
    }

    /// Stops the server and closes all ports and connections. Returns true if everything in progress was
    /// stored.
    pub async fn stop(mut self) -> bool {
        // The TCP clients leave their games before their connections close. So two clients at one table leave
        // at the same time, and neither of them wins.
        self.tables.leave_all();
        let has_left = self.tables.background().ended(STOP_STEP).await;
        if !has_left {
            warn!("the store is slow: some TCP games have not ended yet");
        }
        // An error only means that every listener has already ended.
        let _ = self.closing.send(true);
        for listener in std::mem::take(&mut self.listeners) {
            let _ = listener.await;
        }
        for task in &self.tasks {
            task.abort();
        }
        let is_withdrawn = self.matchmaking.withdraw_all(STOP_STEP).await;
        let is_stored = self.tables.background().ended(STOP_STEP).await && is_withdrawn;
        let store = self.tables.store();
        if is_stored {
            // The TCP clients of this node have left their games. So the other nodes need not wait until they
            // detect that this node is gone.
            let removed = timeout(STOP_STEP, store.remove_node(self.tables.node())).await;
            if !matches!(removed, Ok(Ok(()))) {
                warn!("the store is slow: the other nodes will detect that this one is gone");
            }
        }
        if !matches!(timeout(STOP_STEP, store.close()).await, Ok(Ok(()))) {
            warn!("the store is slow: it was not closed properly; nothing is lost");
        }
        is_stored
    }

    /// From now on, deletes each game whose creation and latest entry are both more than `age` ago.
    pub fn forget_after(&mut self, age: Duration) {
        let (tables, matchmaking) = (Arc::clone(&self.tables), Arc::clone(&self.matchmaking));
        let forget = forget_after(tables, matchmaking, age);
        self.tasks.push(tokio::spawn(forget).abort_handle());
    }

    /// Serves operators on a Unix socket from now on. Every process that can connect to the socket has the
    /// rights of an operator.
    #[cfg(unix)]
    pub fn serve_admin(&mut self, listener: tokio::net::UnixListener) {
        let serve = Arc::clone(&self.admin).serve(listener);
        self.tasks.push(tokio::spawn(serve).abort_handle());
    }

    /// The tables.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// The players that wait for an opponent.
    pub fn matchmaking(&self) -> &Arc<Matchmaking> {
        &self.matchmaking
    }
}

/// Waits until the time of a shared store is known, then runs `run`, which serves clients. Before that,
/// clients would get times of this node's own clock. If this clock is wrong, games would end too early or too
/// late. If the store is not shared, `run` starts immediately. If the server stops first, `run` does not
/// start.
async fn run_when_time_is_known(
    tables: Arc<Tables>,
    mut closed: watch::Receiver<bool>,
    run: impl Future<Output = ()>,
) {
    let is_known = !tables.bus().is_shared()
        || tokio::select! {
            () = tables.clock().first_sweep() => true,
            _ = closed.wait_for(|is_closed| *is_closed) => false,
        };
    drop(tables);
    if is_known {
        run.await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.closing.send(true);
        for task in &self.tasks {
            task.abort();
        }
    }
}
