//! One connection to the server under test, and the conversation on it.

mod findings;
mod observations;

use std::cell::RefCell;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use noughts_wire::{Cell, Dialect, FromClient, FromServer, Name, Opcode};

use crate::frame::{client_words, frame_error_words, hex, server_words};
use crate::framing::{Parsed, parse_server};
use crate::receive_buffer::ReceiveBuffer;
use crate::verdict::{RuleResult, Stop};

pub(crate) use findings::{Expected, Received};
pub(crate) use observations::Observations;

/// How long the kit waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// Timeout for one answer.
    pub(crate) answer: Duration,
    /// Deadline of the whole check.
    pub(crate) until: Instant,
}

impl Timeouts {
    fn deadline(&self) -> Instant {
        (Instant::now() + self.answer).min(self.until)
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    buffer: ReceiveBuffer,
    pub(crate) dialect: Dialect,
    /// The session's id. In the seed dialect the kit chooses the id. In the later dialect the server sends
    /// the id in READY.
    pub(crate) id: u32,
    timeouts: Timeouts,
    sent: Vec<u8>,
    sent_at: Instant,
    /// The last frame of the server.
    last_frame: Vec<u8>,
    /// Whether the kit has received a frame since it sent its last frame.
    has_answer: bool,
    /// Whether the server sent a frame that answers no request.
    pub(crate) has_unasked: bool,
    /// Whether the timeout of the next answer counts from the time when the last frame was sent. If not, the
    /// timeout counts from the time when the kit begins to wait.
    pub(crate) is_timed_from_sending: bool,
    conversation: Vec<String>,
    /// The client's name in the conversation.
    name: &'static str,
    observations: Rc<RefCell<Observations>>,
}

impl Connection {
    pub(crate) fn open(
        name: &'static str,
        address: SocketAddr,
        dialect: Dialect,
        id: u32,
        timeouts: Timeouts,
        observations: &Rc<RefCell<Observations>>,
    ) -> RuleResult<Connection> {
        let wait = timeouts
            .deadline()
            .saturating_duration_since(Instant::now())
            .max(Duration::from_millis(1));
        let stream = TcpStream::connect_timeout(&address, wait).map_err(|error| {
            let error = error.to_string();
            let reason = error.split(" (os error").next().unwrap_or_default();
            Stop::NotTried(format!("the server accepts no connection: {reason}"))
        })?;
        let _ = stream.set_nodelay(true);
        Ok(Connection {
            stream,
            buffer: ReceiveBuffer::default(),
            dialect,
            id,
            timeouts,
            sent: Vec::new(),
            sent_at: Instant::now(),
            last_frame: Vec::new(),
            has_answer: false,
            has_unasked: false,
            is_timed_from_sending: false,
            conversation: Vec::new(),
            name,
            observations: Rc::clone(observations),
        })
    }

    pub(crate) fn hello(&mut self, name: &str) {
        let hello = self.hello_bytes(name);
        self.send_bytes(&hello);
    }

    /// Encodes a HELLO with the given name.
    pub(crate) fn hello_bytes(&self, name: &str) -> Vec<u8> {
        let name = Name::new(name).expect("the kit's names are in Latin-1");
        let id = match self.dialect {
            Dialect::Seed => self.id,
            Dialect::Later => 0,
        };
        let mut bytes = encoded(&FromClient::Hello { id, name });
        if self.observations.borrow().one_zero {
            bytes.pop();
        }
        bytes
    }

    pub(crate) fn play(&mut self) {
        self.send(&FromClient::Play { id: self.id });
    }

    pub(crate) fn act(&mut self, cell: Cell) {
        self.act_with(self.id, cell.to_bytes());
    }

    pub(crate) fn act_with(&mut self, id: u32, cell: [u8; 3]) {
        self.send(&FromClient::Action { id, cell });
    }

    fn send(&mut self, frame: &FromClient) {
        self.send_bytes(&encoded(frame));
    }

    /// Sends bytes. Write errors are ignored: they show up as a missing answer.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.note_sent(bytes);
        // Not `write_all`: a server that reads very slowly must not delay the kit.
        let deadline = self.timeouts.deadline();
        let mut rest = bytes;
        while !rest.is_empty() && Instant::now() < deadline {
            match self.stream.write(rest) {
                Ok(count @ 1..) => rest = &rest[count..],
                Ok(0) | Err(_) => break,
            }
        }
    }

    /// Sends each byte separately, so that the server must combine them. Several small packets may still
    /// arrive as one. So this function calls `pause` after the first and after the middle byte, to give the
    /// server time to read.
    pub(crate) fn send_in_pieces(&mut self, bytes: &[u8], mut pause: impl FnMut()) {
        self.note_sent(bytes);
        for (at, byte) in bytes.iter().enumerate() {
            let _ = self.stream.write_all(&[*byte]);
            if at == 0 || at == bytes.len() / 2 {
                pause();
            }
        }
    }

    fn note_sent(&mut self, bytes: &[u8]) {
        self.remove_unasked();
        self.sent = bytes.to_vec();
        self.has_answer = false;
        self.sent_at = Instant::now();
        let _ = self.stream.set_write_timeout(Some(self.timeouts.answer));
        let line = format!("{} → {}   {}", self.name, hex(bytes), client_words(bytes));
        self.note(line);
    }

    fn note(&mut self, line: String) {
        const MAX_LINES: usize = 60;
        if self.conversation.len() < MAX_LINES {
            self.conversation.push(line);
        }
    }

    /// Waits for the next frame. Returns the frame, or the reason why no valid frame came.
    pub(crate) fn receive(&mut self) -> Received {
        let deadline = match std::mem::take(&mut self.is_timed_from_sending) {
            // Wait at least a moment, so that data that has already arrived is read.
            true => (self.sent_at + self.timeouts.answer).max(Instant::now() + MIN_WAIT),
            false => self.timeouts.deadline(),
        };
        let received = loop {
            let received = self.receive_until(deadline);
            match &received {
                // A second READY or ADMIT answers no request.
                Received::Frame(frame, bytes)
                    if *bytes == self.last_frame && self.is_repeated(frame) =>
                {
                    let bytes = bytes.clone();
                    self.observe_unasked(&bytes);
                }
                _ => break received,
            }
        };
        let words = match &received {
            Received::Frame(_, bytes) => {
                self.last_frame.clone_from(bytes);
                if !std::mem::replace(&mut self.has_answer, true)
                    && let Some(opcode) = self.sent.first()
                {
                    let time = (*opcode, self.sent_at.elapsed());
                    self.observations.borrow_mut().answer_times.push(time);
                }
                format!("{}   {}", hex(bytes), server_words(bytes, self.dialect))
            }
            Received::Invalid(error, bytes) => {
                format!("{}   {}", hex(bytes), frame_error_words(*error, bytes))
            }
            Received::Nothing(bytes) => format!("{} (nothing more came)", hex(bytes)),
            Received::Closed(bytes) => format!("{} (closed the connection)", hex(bytes)),
        };
        self.note(format!("server → {words}"));
        received
    }

    /// Whether a READY or ADMIT answers no request: the kit's last frame is not the matching request, or the
    /// server has already answered that frame.
    fn is_repeated(&self, frame: &FromServer) -> bool {
        let asked_by = match frame {
            FromServer::Ready { .. } => Opcode::Hello,
            FromServer::Admit { .. } => Opcode::Play,
            _ => return false,
        };
        self.has_answer || self.sent.first() != Some(&asked_by.to_byte())
    }

    fn receive_until(&mut self, deadline: Instant) -> Received {
        let limit = deadline.saturating_duration_since(Instant::now());
        let mut is_quiet = false;
        loop {
            let parsed = parse_server(&self.buffer.bytes, self.dialect, is_quiet);
            match parsed {
                Parsed::Frame(frame, length, deviation) => {
                    let bytes: Vec<u8> = self.buffer.bytes.drain(..length).collect();
                    if let Some(deviation) = deviation {
                        self.observe(&deviation, &frame, &bytes);
                    }
                    return Received::Frame(frame, bytes);
                }
                Parsed::Invalid(_) if self.skip_excess() => continue,
                Parsed::Invalid(error) if is_quiet || !self.may_be_excess() => {
                    return Received::Invalid(error, std::mem::take(&mut self.buffer.bytes));
                }
                Parsed::Invalid(_) => {}
                Parsed::Incomplete if self.buffer.has_ended => {
                    return match is_quiet {
                        true => Received::Closed(std::mem::take(&mut self.buffer.bytes)),
                        false => {
                            is_quiet = true;
                            continue;
                        }
                    };
                }
                Parsed::Incomplete => {}
            }
            let length = self.buffer.bytes.len();
            let soon = match length > 0 && !is_quiet {
                true => deadline.min(Instant::now() + self.quiet_time()),
                false => deadline,
            };
            acknowledge_quickly(&self.stream);
            let is_in_time = self.buffer.receive(&mut self.stream, soon);
            if self.buffer.bytes.len() > length {
                is_quiet = false;
            } else if !is_in_time && soon == deadline {
                self.observations.borrow_mut().waited += limit;
                return Received::Nothing(self.buffer.bytes.clone());
            } else if Instant::now() >= soon && length > 0 {
                let quiet_time = self.quiet_time();
                self.observations.borrow_mut().waited += quiet_time;
                is_quiet = true;
            }
        }
    }

    /// Returns the next frame if `fits` accepts it. Otherwise, returns an error that says what was expected and what
    /// was received.
    pub(crate) fn expect(
        &mut self,
        expected: &Expected,
        fits: impl FnOnce(&FromServer) -> bool,
    ) -> RuleResult<FromServer> {
        match self.receive() {
            Received::Frame(frame, _) if fits(&frame) => Ok(frame),
            received => Err(self.broken(expected, &received)),
        }
    }

    /// Returns another handle of the connection. The handle keeps the connection open.
    pub(crate) fn stream_clone(&self) -> Option<TcpStream> {
        self.stream.try_clone().ok()
    }

    /// Whether the server has closed the connection, or reading has failed.
    pub(crate) fn has_ended(&self) -> bool {
        self.buffer.has_ended
    }

    /// Whether a frame, or the start of a frame, comes within half the timeout for an answer.
    pub(crate) fn has_answer_soon(&mut self) -> bool {
        self.has_bytes_within(self.timeouts.answer / 2)
    }

    /// Waits up to 20 ms for data from the server, or for the end of the connection.
    pub(crate) fn pause(&mut self) {
        self.has_bytes_within(SHORT / 5);
    }

    fn has_bytes_within(&mut self, limit: Duration) -> bool {
        let deadline = (Instant::now() + limit).min(self.timeouts.until);
        while !self.buffer.has_ended
            && self.buffer.bytes.is_empty()
            && self.buffer.receive(&mut self.stream, deadline)
        {}
        if self.buffer.bytes.is_empty() && !self.buffer.has_ended {
            self.observations.borrow_mut().waited += limit;
        }
        !self.buffer.bytes.is_empty()
    }

    /// Disconnects, and waits a limited time until the server has closed the connection too. The server's
    /// close shows that the server has noticed the disconnection.
    pub(crate) fn leave(mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
        let keeps_connections = self.observations.borrow().keeps_connections;
        let limit = match keeps_connections {
            true => SHORT / 2,
            false => self.timeouts.answer,
        };
        if !self.is_closed_within(limit) {
            self.observations.borrow_mut().keeps_connections = true;
        }
    }

    /// Waits for an answer, at most the timeout for one answer, and disconnects without reading the answer.
    /// The server sees a connection reset.
    pub(crate) fn leave_unread(self) {
        let wait = self.timeouts.answer.max(Duration::from_millis(1));
        let _ = self.stream.set_read_timeout(Some(wait));
        let _ = self.stream.peek(&mut [0]);
        drop(self.stream);
        // The kit cannot observe when the server has noticed the reset, so it pauses.
        self.observations.borrow_mut().waited += SHORT;
        std::thread::sleep(SHORT);
    }

    /// Waits until the connection ends, and discards all frames that come before its end. Waits at most a quarter of
    /// `timeouts.answer`. Returns whether the server closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.is_closed_within(self.timeouts.answer / 4)
    }

    fn is_closed_within(&mut self, limit: Duration) -> bool {
        let deadline = (Instant::now() + limit).min(self.timeouts.until);
        while !self.buffer.has_ended && self.buffer.receive(&mut self.stream, deadline) {
            self.buffer.bytes.clear();
        }
        if !self.buffer.has_ended {
            self.observations.borrow_mut().waited += limit;
        }
        self.buffer.has_ended
    }
}

/// A pause that gives the server time for something that the kit cannot observe.
pub(super) const SHORT: Duration = Duration::from_millis(100);

/// The shortest wait for an answer whose timeout counts from the time when the request was sent.
const MIN_WAIT: Duration = Duration::from_millis(2);

pub(crate) fn encoded(frame: &FromClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame.encode(&mut bytes);
    bytes
}

/// Acknowledges received data immediately. Otherwise a server that writes a frame field by field with Nagle's
/// algorithm waits 40 ms for each field.
#[cfg(target_os = "linux")]
fn acknowledge_quickly(stream: &TcpStream) {
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
fn acknowledge_quickly(_: &TcpStream) {}
