//! The whole server: doors opened, and closed again.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Setup as Outside, StrategyName, Unfit};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

use crate::house::{House, Rooms};
use crate::http::{HttpDoor, HttpLimits};
use crate::store::Store;
use crate::tcp::{Door, Guests, Limits, Opponent};
use crate::upkeep::{forget_after, keep_up};

/// What a server is made of.
pub struct Setup {
    /// The HTTP door.
    pub http: Option<Http>,
    /// The TCP door against the computer.
    pub tcp: Option<TcpListener>,
    /// How the computer plays there.
    pub tcp_strategy: StrategyName,
    /// The TCP door for two players.
    pub pairs: Option<TcpListener>,
    /// Where games last.
    pub store: Box<dyn Store>,
    /// What a stranger may take up.
    pub limits: Limits,
    /// How many robots may think at the same time.
    pub thinkers: usize,
    /// The time, and the seed of everything that is drawn by lot.
    pub outside: Outside,
}

/// What the HTTP door is made of.
pub struct Http {
    /// Where it listens.
    pub listener: TcpListener,
    /// The store's [secret](Store::secret).
    pub secret: [u8; 32],
    /// What one address may take up.
    pub limits: HttpLimits,
}

/// A server with its doors open. Dropped, it closes them too, but nobody can wait for that as
/// [`stop`](Server::stop) does.
#[derive(Debug)]
pub struct Server {
    doors: Vec<JoinHandle<()>>,
    closing: watch::Sender<bool>,
    house: Arc<House>,
    rooms: Rooms,
    /// What the house does by itself.
    upkeep: Vec<AbortHandle>,
}

/// How long tables have to be closed when the server ends. They take microseconds, or the time
/// of one answer of the store.
const LAST_ORDERS: Duration = Duration::from_secs(5);

impl Server {
    /// Opens the doors, or says why the computer can't play so.
    pub fn start(setup: Setup) -> Result<Server, Unfit> {
        let (house, rooms) = House::new(setup.store, setup.thinkers, setup.outside);
        house.check(&setup.tcp_strategy)?;
        let (closing, closed) = watch::channel(false);
        let guests = Arc::new(Guests::new(setup.limits));
        let open = |listener, opponent| {
            let door = Door::new(opponent, Arc::clone(&house), Arc::clone(&guests));
            tokio::spawn(door.keep(listener, closed.clone()))
        };
        let tcp = setup
            .tcp
            .map(|listener| open(listener, Opponent::Robot(setup.tcp_strategy)));
        let pairs = setup
            .pairs
            .map(|listener| open(listener, Opponent::Anybody));
        let http = setup.http.map(|http| {
            let (house, guests) = (Arc::clone(&house), Arc::clone(&guests));
            let door = HttpDoor::new(house, guests, http.secret, http.limits, closed.clone());
            tokio::spawn(door.keep(http.listener, closed.clone()))
        });
        let upkeep = tokio::spawn(keep_up(Arc::clone(&house))).abort_handle();
        Ok(Server {
            upkeep: vec![upkeep],
            doors: tcp.into_iter().chain(pairs).chain(http).collect(),
            closing,
            house,
            rooms,
        })
    }

    /// Closes the doors: no port is held and no connection open when this returns. True where every
    /// table was closed too; a store that does not answer may keep some from it.
    pub async fn stop(self) -> bool {
        // Before their connections end, so that those who are put out together leave together.
        let put_out = timeout(LAST_ORDERS, self.house.put_out()).await;
        // Nobody is left to be told only where every door has ended already.
        let _ = self.closing.send(true);
        for door in self.doors {
            let _ = door.await;
        }
        let closed = timeout(LAST_ORDERS, self.house.close()).await;
        for task in &self.upkeep {
            task.abort();
        }
        // Its seats have left: the others need not wait for its word to lapse.
        let _ = timeout(LAST_ORDERS, self.house.store().bury(self.house.node())).await;
        let _ = timeout(LAST_ORDERS, self.house.store().tidy()).await;
        drop(self.house);
        closed.is_ok() && put_out.is_ok() && timeout(LAST_ORDERS, self.rooms.closed()).await.is_ok()
    }

    /// From now on games are forgotten when nothing has happened at them for so long.
    pub fn forget_after(&mut self, time: Duration) {
        let forgets = forget_after(Arc::clone(&self.house), time);
        self.upkeep.push(tokio::spawn(forgets).abort_handle());
    }

    /// What the doors share.
    pub fn house(&self) -> &Arc<House> {
        &self.house
    }
}

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Hundreds of frames.
const SYSTEM_BUFFER: u32 = 16 * 1024;

/// Several views of the largest boards, and enough for files over long ways.
const HTTP_SEND_BUFFER: u32 = 128 * 1024;

/// Listens at an address, for the TCP doors; port 0 is any that is free.
pub fn listen(at: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket(at)?;
    // Connections inherit them. The system would let each grow to megabytes of its memory, for a
    // client that asks and does not listen.
    socket.set_send_buffer_size(SYSTEM_BUFFER)?;
    socket.set_recv_buffer_size(SYSTEM_BUFFER)?;
    socket.listen(BACKLOG)
}

/// Listens at an address, for the HTTP door.
pub fn listen_for_http(at: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket(at)?;
    // Else the system would keep megabytes for each who watches and does not read.
    socket.set_send_buffer_size(HTTP_SEND_BUFFER)?;
    socket.listen(BACKLOG)
}

fn socket(at: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match at {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // Else a server that was stopped could not be started again for a minute.
    socket.set_reuseaddr(true)?;
    socket.bind(at)?;
    Ok(socket)
}
