//! `noughts connect`: a game over the TCP protocol on standard input and output.

use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use noughts_rules::Quoted;
use noughts_terminal::connect::{self, ConnectError, ConnectOptions, ConnectSettings, Connection};

use crate::args::{Connect, Dialect};
use crate::{Failure, robot_setup, tls_stream};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) fn run(task: Connect) -> Result<(), Failure> {
    let port = read_port(task.port.as_deref(), task.pairs)?;
    let engine_setup = robot_setup::from_seed(task.seed.as_deref())?;
    let setup = ConnectSettings::new(&ConnectOptions {
        name: task.name,
        user: std::env::var("USER").ok(),
        robot: task.robot,
        games: task.games,
        is_pair: task.pairs,
        is_later: matches!(task.dialect, Dialect::Later),
        engines: robot_setup::engines(),
    })
    .map_err(Failure::invalid)?;
    let (peer, stream) = connect_to(&task.host, port)?;
    prepare(&stream);
    let (reader, writer): (Box<dyn Read + Send>, Box<dyn Write>) = match task.tls {
        false => (Box::new(QuickAck(stream.try_clone()?)), Box::new(stream)),
        true => {
            let authorities = tls_stream::authorities(task.cacert.as_deref())?;
            let (reader, writer) = tls_stream::open(&task.host, stream, authorities)?;
            (Box::new(reader), Box::new(writer))
        }
    };
    let connection = Connection {
        peer: peer.to_string(),
        reader,
        writer,
    };
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let input = BufReader::new(io::stdin());
    connect::play(&setup, &engine_setup, connection, input, output).map_err(|error| match error {
        ConnectError::Server(parting) => Failure::invalid(parting),
        ConnectError::Terminal(error) => Failure::Output(error),
    })
}

fn read_port(text: Option<&str>, is_pair: bool) -> Result<u16, Failure> {
    let Some(text) = text else {
        return Ok(if is_pair { 8082 } else { 8081 });
    };
    let port = text.parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| {
        Failure::invalid(format_args!(
            "the port (-p) must be a number from 1 to 65535, not {}",
            Quoted::from(text)
        ))
    })
}

/// Tries the addresses of the host in order, and returns the first connection that succeeds.
fn connect_to(host: &str, port: u16) -> Result<(SocketAddr, TcpStream), Failure> {
    let unknown = || {
        Failure::invalid(format_args!(
            "unknown host (-h) {}: give a name or an address without a port, such as 127.0.0.1",
            Quoted::from(host)
        ))
    };
    let addresses = (host, port).to_socket_addrs().map_err(|_| unknown())?;
    let mut refusals = Vec::new();
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok((address, stream)),
            Err(error) => refusals.push(refusal(address, &error)),
        }
    }
    match refusals.is_empty() {
        true => Err(unknown()),
        false => Err(Failure::invalid(format_args!(
            "{}; `noughts serve` starts a server",
            refusals.join(", ")
        ))),
    }
}

fn refusal(address: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => format!("cannot connect to {address}: connection refused"),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => {
            format!("cannot connect to {address}: timeout")
        }
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable => {
            format!("cannot connect to {address}: network unreachable")
        }
        _ => format!("cannot connect to {address}: {error}"),
    }
}

/// Sets socket options: frames are sent immediately, and on Linux the client notices within two minutes that
/// a server has disappeared. Failures are ignored, because the connection works without these options.
fn prepare(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    #[cfg(unix)]
    {
        use rustix::net::sockopt;
        let _ = sockopt::set_socket_keepalive(stream, true);
        #[cfg(target_os = "linux")]
        {
            let _ = sockopt::set_tcp_keepidle(stream, Duration::from_secs(60));
            let _ = sockopt::set_tcp_keepintvl(stream, Duration::from_secs(15));
            let _ = sockopt::set_tcp_keepcnt(stream, 4);
        }
    }
}

/// A stream that acknowledges received data immediately, on Linux. A server that writes a frame field by
/// field with Nagle's algorithm would otherwise wait 40 ms for each field. The kernel resets the option, so
/// every read sets the option again.
struct QuickAck(TcpStream);

impl Read for QuickAck {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        acknowledge_quickly(&self.0);
        let count = self.0.read(bytes);
        acknowledge_quickly(&self.0);
        count
    }
}

#[cfg(target_os = "linux")]
fn acknowledge_quickly(stream: &TcpStream) {
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
fn acknowledge_quickly(_: &TcpStream) {}
