//! One address that opens 100 connections more than it may have.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use noughts_server::ConnectionLimits;
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

/// Opens 100 connections more than one address may have. Returns all of them, including those that the server has
/// closed.
fn open(server: SocketAddr) -> Vec<TcpStream> {
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
pub(crate) enum Neighbour {
    Quiet,
    /// Opens 100 connections more than it may have.
    Floods(FloodProcess),
}

impl Neighbour {
    /// Runs `work` while this neighbour is active, and returns the result.
    pub(crate) fn beside<T>(&mut self, work: impl FnOnce() -> T) -> T {
        match self {
            Neighbour::Quiet => work(),
            Neighbour::Floods(process) => {
                process.next_step();
                let done = work();
                process.next_step();
                process.wait_until_closed();
                done
            }
        }
    }
}

/// This program, started again to flood a server. Dropping this value kills the process.
pub(crate) struct FloodProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl FloodProcess {
    pub(crate) fn start(server: SocketAddr) -> FloodProcess {
        let child = at_idle_priority()
            .args(["--flood", &server.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.expect("chrt is a program of every Linux system");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        FloodProcess {
            child,
            input,
            output,
        }
    }

    /// Makes the process open its connections, or close them if they are open.
    fn next_step(&mut self) {
        self.input.write_all(b"\n").expect("it is still there");
    }

    fn wait_until_closed(&mut self) {
        let closed = self.output.read_line(&mut String::new());
        assert!(closed.is_ok_and(|length| length > 0), "the flood failed");
    }
}

impl Drop for FloodProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The main function of a [`FloodProcess`].
pub(crate) fn run(server: &str) {
    noughts_server::raise_descriptor_limit();
    let server = server.parse().expect("an address");
    let mut steps = std::io::stdin().lines();
    while let Some(Ok(_)) = steps.next() {
        let connections = open(server);
        steps.next();
        drop(connections);
        println!("closed");
    }
}

/// A command that starts this program again with a priority that leaves the processor to all other programs: a real
/// attacker uses the processor of another machine.
pub(crate) fn at_idle_priority() -> Command {
    let mut command = Command::new("chrt");
    let program = std::env::current_exe().expect("this program has a path");
    command.args(["--idle", "0"]).arg(program);
    command
}
