//! A client over anything that reads and writes.

mod event;
mod session;

pub use event::{Event, Fault, Greeting, NotNow, Stage};
pub use session::ClientSession;

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};

use crate::cell::Cell;
use crate::text::Name;

/// A client over a stream, one question and one answer at a time.
///
/// Every frame is written by one call of `write_all`, followed by `flush`. Reading is the stream's own:
/// who wants to re-arm something around every read gives a stream that does so in its `read`.
///
/// That the server ended the connection, at any moment, is [`Event::Left`] and not an error. A read
/// that times out is an error of the stream; nothing is lost, and [`wait`](Client::wait) goes on.
#[derive(Debug)]
pub struct Client<S> {
    stream: S,
    session: ClientSession,
}

/// Why a question has no answer.
#[derive(Debug)]
pub enum ClientError {
    /// It can't be asked now; nothing was sent.
    NotNow(NotNow),
    /// The stream failed, in another way than by ending.
    Stream(io::Error),
}

impl<S: Read + Write> Client<S> {
    /// A client that has said nothing yet.
    pub fn new(stream: S) -> Client<S> {
        Client {
            stream,
            session: ClientSession::new(),
        }
    }

    /// HELLO: the answer is [`Event::Ready`], or [`Event::Refused`] after which it may be tried again.
    pub fn hello(&mut self, name: &Name, greeting: Greeting) -> Result<Event, ClientError> {
        self.ask(|session, out| session.hello(name, greeting, out))
    }

    /// PLAY: the answer is [`Event::Admitted`] or [`Event::NotAdmitted`]. For a pair it takes until
    /// there is an opponent.
    pub fn play(&mut self) -> Result<Event, ClientError> {
        self.ask(ClientSession::play)
    }

    /// ACTION: the answer is the opponent's cell, the end of the game, or a refusal after which it is
    /// still this client's turn.
    pub fn act(&mut self, cell: Cell) -> Result<Event, ClientError> {
        self.ask(|session, out| session.act(cell, out))
    }

    /// The next that happens, without saying anything: for who moves second, and after a time-out.
    pub fn wait(&mut self) -> Result<Event, ClientError> {
        let mut out = Vec::new();
        let mut bytes = [0; 512];
        loop {
            if let Some(event) = self.session.next(&mut out) {
                // The last words to a server that broke the protocol; it may have gone.
                let _ = self.write(&out);
                return Ok(event);
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(self.session.end()),
                Ok(count) => drop(self.session.receive(&bytes[..count])),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_end(&error) => return Ok(self.session.end()),
                Err(error) => return Err(ClientError::Stream(error)),
            }
        }
    }

    /// What was agreed so far: the id, the dialect, whose turn it is.
    pub fn session(&self) -> &ClientSession {
        &self.session
    }

    /// The stream, to set its time-outs.
    pub fn stream(&self) -> &S {
        &self.stream
    }

    /// The stream, to write to it by hand.
    pub fn stream_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    fn ask(
        &mut self,
        question: impl FnOnce(&mut ClientSession, &mut Vec<u8>) -> Result<(), NotNow>,
    ) -> Result<Event, ClientError> {
        let mut out = Vec::new();
        question(&mut self.session, &mut out).map_err(ClientError::NotNow)?;
        match self.write(&out) {
            Ok(()) => self.wait(),
            Err(error) if is_end(&error) => Ok(self.session.end()),
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

/// Whether a stream says by this error that the other end is gone: [`Event::Left`], and no failure.
pub fn is_end(error: &io::Error) -> bool {
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
            ClientError::NotNow(not_now) => not_now.fmt(f),
            ClientError::Stream(error) => write!(f, "the connection failed: {error}"),
        }
    }
}

impl std::error::Error for ClientError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ClientError::NotNow(_) => None,
            ClientError::Stream(error) => Some(error),
        }
    }
}
