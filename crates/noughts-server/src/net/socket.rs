//! Listening sockets and socket options.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// Maximum number of connections that the system queues until they are accepted.
const BACKLOG: u32 = 1024;

/// Size of the system's send buffer and of its receive buffer for a TCP client, in bytes. Each buffer holds
/// hundreds of frames.
const SYSTEM_BUFFER: u32 = 16 * 1024;

/// Size of the system's send buffer per HTTP connection, in bytes. It is large enough for fast downloads over
/// connections with high latency.
const HTTP_SEND_BUFFER: u32 = 128 * 1024;

/// Listens at an address for the TCP protocol. Port 0 selects a free port.
pub fn listen(at: SocketAddr) -> io::Result<TcpListener> {
    let socket = bind(at)?;
    // Connections inherit these sizes. Otherwise each buffer may grow to megabytes for a client that sends
    // requests and does not read.
    socket.set_send_buffer_size(SYSTEM_BUFFER)?;
    socket.set_recv_buffer_size(SYSTEM_BUFFER)?;
    socket.listen(BACKLOG)
}

/// Listens at an address for HTTP. Port 0 selects a free port.
pub fn listen_for_http(at: SocketAddr) -> io::Result<TcpListener> {
    let socket = bind(at)?;
    // Without this limit, the buffer may grow to megabytes for each client that watches a game and does not
    // read.
    socket.set_send_buffer_size(HTTP_SEND_BUFFER)?;
    socket.listen(BACKLOG)
}

fn bind(at: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match at {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // Without this option, the server could not listen at the same port for a minute after a restart.
    socket.set_reuseaddr(true)?;
    socket.bind(at)?;
    Ok(socket)
}

/// Sets options of a connection. The system then sends small messages immediately (without Nagle's
/// algorithm), and detects a dead peer after two minutes (keepalive). Outside Linux, the system chooses this
/// time.
///
/// Errors are ignored: without these options a connection is slower, but works.
pub(crate) fn prepare(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    #[cfg(unix)]
    {
        use rustix::net::sockopt;
        let _ = sockopt::set_socket_keepalive(stream, true);
        #[cfg(target_os = "linux")]
        {
            use std::time::Duration;
            let _ = sockopt::set_tcp_keepidle(stream, Duration::from_secs(60));
            let _ = sockopt::set_tcp_keepintvl(stream, Duration::from_secs(15));
            let _ = sockopt::set_tcp_keepcnt(stream, 4);
        }
    }
}

/// Makes the system acknowledge received data immediately. Call this function when the server does not answer
/// yet, for example because it has received only half a frame.
///
/// A client that writes a frame field by field with Nagle's algorithm sends the second field only after the
/// first was acknowledged. A delayed acknowledgement takes 40 ms. The system resets this option, so the
/// option must be set each time. Setting the option after every read would cost one more packet per move,
/// because an answer carries the acknowledgement anyway.
#[cfg(target_os = "linux")]
pub(crate) fn acknowledge_quickly(stream: &TcpStream) {
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn acknowledge_quickly(_: &TcpStream) {}
