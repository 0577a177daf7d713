//! What the system must know about a connection.

use tokio::net::TcpStream;

/// A frame goes out at once, and who is gone without a word is noticed in a few minutes.
///
/// What fails here makes a connection slower, not wrong, so it is no reason to refuse one.
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

/// Acknowledges now what was read and will not be answered at once, such as half a frame.
///
/// Clients that write a frame field by field with Nagle's algorithm on send the second field only
/// when the first was acknowledged, and a lazy acknowledgement takes 40 ms. The system forgets this
/// wish again, so it is told whenever it matters. With every read it would be a packet more a move:
/// an answer carries the acknowledgement by itself.
#[cfg(target_os = "linux")]
pub(super) fn acknowledge_quickly(stream: &TcpStream) {
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn acknowledge_quickly(_: &TcpStream) {}
