//! A job that measures the cost of many idle connections.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use noughts_wire::{Dialect, FromClient, FromServer, Name};

use crate::process::Process;
use crate::rounds::Job;
use crate::servers::Role;

/// Number of connections.
pub(crate) const CONNECTIONS_OPENED: usize = 10_000;

/// The cost of idle connections.
pub(crate) struct IdleFigures {
    /// Time from the first connect until the last connection is accepted.
    pub(crate) accepted_in: Duration,
    /// Processor time of the process, from the first connect until the process is idle again.
    pub(crate) cpu: Duration,
    /// How much the memory of the process grew before any client sent something, in bytes.
    pub(crate) silent_bytes: u64,
    /// How much the memory of the process grew until each client had sent HELLO and read READY, in bytes. `None` for
    /// the accept loop.
    pub(crate) greeted_bytes: Option<u64>,
}

/// Starts a new process in each round, and opens all connections to it.
pub(crate) struct IdleConnections {
    role: Role,
    figures: Option<IdleFigures>,
}

impl IdleConnections {
    pub(crate) fn new(role: Role) -> IdleConnections {
        IdleConnections {
            role,
            figures: None,
        }
    }
}

impl Job for IdleConnections {
    type Figures = IdleFigures;
    const SLICES: usize = 1;

    fn slice(&mut self) {
        self.figures = Some(measure(self.role));
    }

    fn figures(&mut self) -> IdleFigures {
        self.figures.take().expect("a slice")
    }
}

/// Opens all connections, measures, and closes them.
fn measure(role: Role) -> IdleFigures {
    let process = Process::start(role, &[]);
    let (empty, open, cpu) = (process.resident(), descriptors(&process), process.cpu());
    let started = Instant::now();
    let mut streams: Vec<TcpStream> = (0..CONNECTIONS_OPENED).map(|_| connect(&process)).collect();
    while descriptors(&process) < open + CONNECTIONS_OPENED {
        assert!(started.elapsed() < TIMEOUT, "not all were let in");
        sleep(Duration::from_millis(1));
    }
    let accepted_in = started.elapsed();
    process.wait_until_idle();
    let silent = IdleFigures {
        accepted_in,
        cpu: process.cpu() - cpu,
        silent_bytes: process.resident() - empty,
        greeted_bytes: None,
    };
    if role != Role::Server {
        return silent;
    }
    greet(&mut streams);
    process.wait_until_idle();
    IdleFigures {
        greeted_bytes: Some(process.resident() - empty),
        ..silent
    }
}

const TIMEOUT: Duration = Duration::from_secs(20);

fn connect(process: &Process) -> TcpStream {
    let stream = TcpStream::connect(process.address).expect("it listens");
    // Closing this socket resets the connection, so that no port stays in TIME_WAIT.
    #[cfg(unix)]
    rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("a socket");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    stream
}

fn greet(streams: &mut [TcpStream]) {
    let mut hello = Vec::new();
    FromClient::Hello {
        id: ID,
        name: Name::new("Ann").expect("Latin-1"),
    }
    .encode(&mut hello);
    for stream in &mut *streams {
        stream.write_all(&hello).expect("it is still there");
    }
    for stream in streams {
        let mut ready = [0; 5];
        stream.read_exact(&mut ready).expect("an answer");
        let said = FromServer::decode(&ready, Dialect::Seed);
        assert_eq!(said, Ok(Some((FromServer::Ready { id: ID }, ready.len()))));
    }
}

const ID: u32 = 12_345;

/// Number of open files and sockets of the process.
fn descriptors(process: &Process) -> usize {
    let folder = process.about("fd");
    // Since Linux 6.2, the size of this folder is the number of its entries. On older versions the size is 0, so the
    // entries are counted.
    match fs::metadata(&folder).map_or(0, |folder| folder.len()) {
        0 => fs::read_dir(folder).map_or(0, Iterator::count),
        open => open as usize,
    }
}
