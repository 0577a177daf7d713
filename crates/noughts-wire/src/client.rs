//! A client that sends and receives frames over a byte stream, such as a `TcpStream`.

mod event;
mod session;

pub use event::{Event, Greeting, ProtocolError, Stage, WrongStage};
pub use session::ClientSession;

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};

use crate::cell::Cell;
use crate::text::Name;

/// A client that sends and receives frames over a byte stream, such as a `TcpStream`. [`hello`](Client::hello),
/// [`play`](Client::play) and [`act`](Client::act) each send one frame and wait for the answer.
///
/// Every frame is written by one call of `write_all`, followed by `flush`. To run code before or after each read
/// (such as setting TCP_QUICKACK again), pass a wrapper of the stream.
///
/// If the server closes the connection, the result is [`Event::Left`], not an error. If the server breaks the protocol,
/// the result is [`Event::Broken`]. If a read times out, the call returns the stream's error. A later call of
/// [`wait`](Client::wait) continues, and no bytes are lost.
#[derive(Debug)]
pub struct Client<S> {
    stream: S,
    session: ClientSession,
}

/// Why a call failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The frame cannot be sent at this stage. Nothing was sent.
    WrongStage(WrongStage),
    /// The stream failed, but not because of a disconnection: for example, a read timed out.
    Stream(io::Error),
}

impl<S: Read + Write> Client<S> {
    /// Creates a client that has not sent HELLO yet.
    pub fn new(stream: S) -> Client<S> {
        Client {
            stream,
            session: ClientSession::new(),
        }
    }

    /// Sends HELLO. The answer is [`Event::Ready`] or [`Event::Refused`]. After `Refused`, HELLO may be repeated.
    pub fn hello(&mut self, name: &Name, greeting: Greeting) -> Result<Event, ClientError> {
        self.send(|session, out| session.hello(name, greeting, out))
    }

    /// Sends PLAY. The answer is [`Event::Admitted`], [`Event::NotAdmitted`] or [`Event::Refused`]. After `NotAdmitted`
    /// or `Refused`, PLAY may be repeated. In a game of two clients, `Admitted` comes only when there is an opponent.
    pub fn play(&mut self) -> Result<Event, ClientError> {
        self.send(ClientSession::play)
    }

    /// Sends ACTION. The answer is [`Event::Played`], [`Event::Over`] or [`Event::Refused`]. After `Refused`, it is
    /// still this client's turn.
    pub fn act(&mut self, cell: Cell) -> Result<Event, ClientError> {
        self.send(|session, out| session.act(cell, out))
    }

    /// Waits for the next event without sending a request. Call this function if this client moves second, and after a
    /// timeout. If the server plays a cell that does not exist or is occupied, this function answers with an
    /// ERROR.
    pub fn wait(&mut self) -> Result<Event, ClientError> {
        let mut out = Vec::new();
        let mut bytes = [0; 512];
        loop {
            if let Some(event) = self.session.next_event(&mut out) {
                // `out` is empty, or has an ERROR for a server that played an impossible or an occupied cell. A failure
                // of this write is ignored, because the connection may already be closed.
                let _ = self.write(&out);
                return Ok(event);
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(self.session.end()),
                Ok(count) => drop(self.session.receive(&bytes[..count])),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_disconnect(&error) => return Ok(self.session.end()),
                Err(error) => return Err(ClientError::Stream(error)),
            }
        }
    }

    /// The state of the session: id, dialect, stage.
    pub fn session(&self) -> &ClientSession {
        &self.session
    }

    /// The stream, for example to set timeouts.
    pub fn stream(&self) -> &S {
        &self.stream
    }

    /// The stream, for example to write other bytes.
    pub fn stream_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    fn send(
        &mut self,
        prepare: impl FnOnce(&mut ClientSession, &mut Vec<u8>) -> Result<(), WrongStage>,
    ) -> Result<Event, ClientError> {
        let mut out = Vec::new();
        prepare(&mut self.session, &mut out).map_err(ClientError::WrongStage)?;
        match self.write(&out) {
            Ok(()) => self.wait(),
            Err(error) if is_disconnect(&error) => Ok(self.session.end()),
            Err(error) => Err(ClientError::Stream(error)),
        }
    }

    fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        if frame.is_empty() {
            return Ok(());
        }
        self.stream.write_all(frame)?;
        self.stream.flush()
    }
}

/// Whether this error means that the peer disconnected.
pub fn is_disconnect(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::BrokenPipe
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::NotConnected
            | ErrorKind::UnexpectedEof
            | ErrorKind::WriteZero
    )
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::WrongStage(error) => error.fmt(f),
            ClientError::Stream(error) => write!(f, "the connection failed: {error}"),
        }
    }
}

impl std::error::Error for ClientError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ClientError::WrongStage(_) => None,
            ClientError::Stream(error) => Some(error),
        }
    }
}
