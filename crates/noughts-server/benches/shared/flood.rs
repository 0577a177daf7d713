//! One address that opens connections until it is refused.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};

use noughts_server::ConnectionLimits;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

/// From 127.0.0.2, which has the limits of any address, unlike 127.0.0.1.
const SOURCE: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, 2), 0);

/// More connections than one address may have. Those that the server closes are held too.
pub(crate) fn open(server: SocketAddr) -> Vec<TcpStream> {
    let count = ConnectionLimits::default().per_address + 100;
    (0..count).map(|_| open_one(server)).collect()
}

fn open_one(server: SocketAddr) -> TcpStream {
    let stream = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    bind(&stream, &SOURCE).expect("127.0.0.2 is an address of this machine");
    connect(&stream, &server).expect("it listens");
    TcpStream::from(stream)
}

/// What happens while clients play.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Neighbour {
    Quiet,
    Floods,
}

impl Neighbour {
    /// Runs `work` with or without the flood.
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
