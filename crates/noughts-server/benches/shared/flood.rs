//! One address that opens 100 connections more than it may have.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::time::Duration;

use noughts_server::ConnectionLimits;
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

/// Opens 100 connections more than one address may have. Returns all of them, including those that the server has
/// closed.
pub(crate) fn open(server: SocketAddr) -> Vec<TcpStream> {
    let count = ConnectionLimits::default().per_address + 100;
    (0..count).map(|_| open_one(server, 2)).collect()
}

/// Connects from 127.0.0.`host`. With a `host` from 2 on, the usual limits per address apply; 127.0.0.1 is exempt.
pub(crate) fn open_one(server: SocketAddr, host: u8) -> TcpStream {
    let stream = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    let source = SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, host), 0);
    bind(&stream, &source).expect("127.0.0.0/8 belongs to this machine");
    // Closing this socket resets the connection, so that no port stays in TIME_WAIT.
    set_socket_linger(&stream, Some(Duration::ZERO)).expect("a socket");
    connect(&stream, &server).expect("it listens");
    TcpStream::from(stream)
}

/// What another address does while the clients of a bench are measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Neighbour {
    Quiet,
    Floods,
}

impl Neighbour {
    /// Runs `work` and returns its result. With `Floods`, another address meanwhile opens 100 connections more than it
    /// may have.
    pub(crate) fn beside<T>(self, server: SocketAddr, work: impl FnOnce() -> T) -> T {
        match self {
            Neighbour::Quiet => work(),
            Neighbour::Floods => std::thread::scope(|scope| {
                let flood = scope.spawn(move || open(server));
                let done = work();
                drop(flood.join());
                done
            }),
        }
    }
}
