//! Received bytes that were not yet parsed as frames.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::Instant;

use noughts_wire::is_disconnect;

#[derive(Default)]
pub(crate) struct ReceiveBuffer {
    pub(crate) bytes: Vec<u8>,
    /// Whether the program under test has closed the connection, or reading has failed.
    pub(crate) has_ended: bool,
}

impl ReceiveBuffer {
    /// Waits for bytes, at most until the deadline. If the deadline has already passed, reads nothing and returns
    /// false. Returns true in all other cases, even if no bytes came.
    pub(crate) fn receive(&mut self, stream: &mut TcpStream, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        let _ = stream.set_read_timeout(Some(left));
        let mut bytes = [0; 512];
        match stream.read(&mut bytes) {
            Ok(0) => self.has_ended = true,
            Ok(count) => self.bytes.extend(&bytes[..count]),
            Err(error) if is_disconnect(&error) => self.has_ended = true,
            Err(error) => match error.kind() {
                ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => {}
                _ => self.has_ended = true,
            },
        }
        true
    }
}
