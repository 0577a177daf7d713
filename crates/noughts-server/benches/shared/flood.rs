//! One address that opens 100 connections more than it may have.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use noughts_server::ConnectionLimits;
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

/// Opens 100 connections more than one address may have, from 127.0.0.`host`. Returns all of them, including those that
/// the server has closed. Returns earlier when `is_stopped` is set.
fn open(server: SocketAddr, host: u8, is_stopped: &AtomicBool) -> Vec<TcpStream> {
    let count = ConnectionLimits::default().per_address + 100;
    let connections = (0..count).take_while(|_| !is_stopped.load(Ordering::Relaxed));
    connections.map(|_| open_one(server, host)).collect()
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
                process.count_opened();
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

    /// Waits until all connections are closed. Fails if the process opened no more connections than it may have.
    fn count_opened(&mut self) {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a pipe");
        let opened: usize = line.trim().parse().expect("a number");
        let allowed = ConnectionLimits::default().per_address;
        assert!(opened > allowed, "only {opened} connections in this slice");
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
    // Each slice uses another address, because the limit on new connections of the previous address is used up.
    for host in (2..=250).cycle() {
        let wait_for_step = || std::io::stdin().read_line(&mut String::new());
        if wait_for_step().unwrap_or(0) == 0 {
            return;
        }
        let is_stopped = AtomicBool::new(false);
        let connections = thread::scope(|scope| {
            let opening = scope.spawn(|| open(server, host, &is_stopped));
            let _ = wait_for_step();
            is_stopped.store(true, Ordering::Relaxed);
            opening.join().expect("the server listens")
        });
        let opened = connections.len();
        drop(connections);
        println!("{opened}");
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
