//! One connection to the server under test, with everything that was sent and received.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use noughts_wire::{Cell, Dialect, FrameError, FromClient, FromServer, Name, Opcode};

use crate::frame::{client_words, frame_error_words, hex, result_words, server_words};
use crate::framing::{Deviation, Parsed, parse_server};
use crate::receive_buffer::ReceiveBuffer;
use crate::verdict::{Fact, Finding, RuleResult, Stop};

/// How long the kit waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// For one answer.
    pub(crate) answer: Duration,
    /// For the whole check.
    pub(crate) until: Instant,
}

impl Timeouts {
    fn deadline(&self) -> Instant {
        (Instant::now() + self.answer).min(self.until)
    }
}

/// What was observed on any connection. Each fault is reported by one rule.
#[derive(Default)]
pub(crate) struct Observations {
    /// A frame that is longer or shorter than its figure.
    pub(crate) size: Option<Finding>,
    /// A flag that is a character.
    pub(crate) flag_character: Option<Finding>,
    /// A frame that answers no request.
    pub(crate) unasked: Option<Finding>,
    /// Whether the server stops reading a name at its first zero byte. Then all further names end with one
    /// zero byte, so that this fault does not hide others.
    pub(crate) one_zero: bool,
    /// Whether the server leaves connections open that the client has closed.
    keeps_connections: bool,
    /// For each frame of the client that got an answer: its opcode, and how long the answer took.
    pub(crate) answer_times: Vec<(u8, Duration)>,
    /// The sum of the limits of all waits in which nothing came. It does not depend on the speed of the
    /// machine.
    pub(crate) waited: Duration,
}

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: ReceiveBuffer,
    pub(crate) dialect: Dialect,
    /// The session's id, if it is known.
    pub(crate) id: u32,
    timeouts: Timeouts,
    sent: Vec<u8>,
    sent_at: Instant,
    /// The last frame of the server.
    last_frame: Vec<u8>,
    /// Whether a frame came after the last one that was sent.
    has_answer: bool,
    /// Whether a frame came that answers no request.
    pub(crate) has_unasked: bool,
    /// Whether the time for the next answer starts when the last frame was sent, and not when the wait
    /// starts.
    pub(crate) is_timed_from_sending: bool,
    conversation: Vec<String>,
    /// The client's name in the conversation, if there are two clients.
    name: &'static str,
    observations: Rc<RefCell<Observations>>,
}

/// What was received.
#[derive(Debug)]
pub(crate) enum Received {
    Frame(FromServer, Vec<u8>),
    /// Bytes that are not a frame.
    Invalid(FrameError, Vec<u8>),
    /// Nothing until the deadline. Contains the start of a frame, if there was one.
    Nothing(Vec<u8>),
    /// The server closed the connection. Contains the start of a frame, if there was one.
    Closed(Vec<u8>),
}

/// What should be received.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) hex: String,
    pub(crate) words: String,
}

impl Expected {
    pub(crate) fn new(hex: impl Into<String>, words: impl Into<String>) -> Expected {
        Expected {
            hex: hex.into(),
            words: words.into(),
        }
    }

    /// Exactly this frame.
    pub(crate) fn frame(frame: &FromServer) -> Expected {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        let dialect = match frame {
            FromServer::Result { cell: Some(_), .. } => Dialect::Later,
            _ => Dialect::Seed,
        };
        Expected::new(hex(&bytes), server_words(&bytes, dialect))
    }

    /// An ERROR with this code and any text.
    pub(crate) fn error(id: u32, code: u8) -> Expected {
        let id_bytes = hex(&id.to_be_bytes());
        Expected::new(
            format!("08 {id_bytes} {code:02x} … 00 00"),
            format!(
                "ERROR, id {id}, code {code}{}",
                crate::frame::code_words(code)
            ),
        )
    }

    pub(crate) fn action(id: u32) -> Expected {
        let id_bytes = hex(&id.to_be_bytes());
        Expected::new(
            format!("05 {id_bytes} .. 2d .."),
            format!("ACTION, id {id}, with a free cell"),
        )
    }
}

impl Connection {
    /// Connects to the server.
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

    /// HELLO with this name.
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

    /// Sends bytes. Errors show up as a missing answer.
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

    /// Sends each byte separately, so that the server must combine them.
    pub(crate) fn send_in_pieces(&mut self, bytes: &[u8]) {
        self.note_sent(bytes);
        for (at, byte) in bytes.iter().enumerate() {
            let _ = self.stream.write_all(&[*byte]);
            // Several small packets may still arrive as one. At least two pauses separate them.
            if at == 0 || at == bytes.len() / 2 {
                self.observations.borrow_mut().waited += SHORT / 3;
                std::thread::sleep(SHORT / 3);
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

    /// Removes frames that answer no request, and records them for the rule about them.
    pub(crate) fn remove_unasked(&mut self) {
        if self.sent.is_empty() || self.last_frame.is_empty() {
            return;
        }
        if self.stream.set_nonblocking(true).is_ok() {
            let mut bytes = [0; 512];
            if let Ok(count @ 1..) = self.stream.read(&mut bytes) {
                self.buffer.bytes.extend(&bytes[..count]);
            }
            let _ = self.stream.set_nonblocking(false);
        }
        if !self.buffer.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.buffer.bytes);
            self.observe_unasked(&bytes);
        }
    }

    /// Records bytes after a whole answer: another frame, or the rest of a frame that is too long.
    fn observe_unasked(&mut self, bytes: &[u8]) {
        let frame = server_words(&self.last_frame, self.dialect);
        let line = format!("server → {}   (not asked for)", hex(bytes));
        self.note(line);
        let is_frame = matches!(FromServer::decode(bytes, self.dialect), Ok(Some(_)));
        self.has_unasked |= is_frame;
        let mut observations = self.observations.borrow_mut();
        if is_frame {
            let words = server_words(bytes, self.dialect);
            let expected = Expected::new("", "nothing more until the client sends its next frame");
            let problem = format!("after {frame}, the server sent one more frame");
            let stop = self.found(problem, &expected, &hex(bytes), &words);
            remember(&mut observations.unasked, stop);
        } else {
            let length = self.last_frame.len();
            let name = frame.split(',').next().unwrap_or_default().to_owned();
            let problem = format!(
                "{name} has {} bytes instead of {length}: {} follow its last field",
                length + bytes.len(),
                hex(bytes)
            );
            let expected =
                Expected::new(hex(&self.last_frame), format!("{frame}, and nothing more"));
            let all = [&self.last_frame[..], bytes].concat();
            let words = format!("{frame}, and {} more bytes", bytes.len());
            let stop = self.found(problem, &expected, &hex(&all), &words);
            remember(&mut observations.size, stop);
        }
    }

    /// Records a frame that was understood although it is wrong.
    fn observe(&mut self, deviation: &Deviation, frame: &FromServer, bytes: &[u8]) {
        let name = Opcode::try_from(bytes[0]).map_or(String::new(), |opcode| opcode.to_string());
        let (problem, words, is_size) = match deviation {
            Deviation::Size(problem) => {
                (problem, format!("{name} with {} bytes", bytes.len()), true)
            }
            Deviation::FlagCharacter(problem) => (
                problem,
                format!("{name} with a character for its flag"),
                false,
            ),
        };
        let expected = match (frame, self.dialect) {
            (
                FromServer::Result {
                    id,
                    cell: None,
                    flag,
                },
                Dialect::Later,
            ) => Expected::new(
                format!("06 {} .. .. .. {:02x}", hex(&id.to_be_bytes()), *flag as u8),
                format!(
                    "RESULT, id {id}, a cell or ---, flag {}",
                    result_words(*flag)
                ),
            ),
            _ => Expected::frame(frame),
        };
        let mut stop = self.found(problem.clone(), &expected, &hex(bytes), &words);
        if let Stop::Broken(finding) = &mut stop {
            let line = format!("server → {}   {words}", hex(bytes));
            finding.conversation.push(line);
        }
        let mut observations = self.observations.borrow_mut();
        match is_size {
            true => remember(&mut observations.size, stop),
            false => remember(&mut observations.flag_character, stop),
        }
    }

    /// The next frame, or the reason why there is none.
    pub(crate) fn receive(&mut self) -> Received {
        let deadline = match std::mem::take(&mut self.is_timed_from_sending) {
            // Data that has already arrived is read in any case.
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

    /// Whether this READY or ADMIT answers no request: another frame was sent last, or it was already
    /// answered.
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

    /// How long the rest of a frame may take before the frame counts as too short. If the server is known to
    /// send frames of the wrong size, a wrong guess reports no new fault.
    fn quiet_time(&self) -> Duration {
        let observations = self.observations.borrow();
        match observations.size.is_some() || observations.flag_character.is_some() {
            true => SHORT / 2,
            false => Duration::from_secs(1).min(self.timeouts.answer / 2),
        }
    }

    /// Whether these bytes may be the rest of a frame that was too long, followed by the next frame.
    fn may_be_excess(&self) -> bool {
        const MAX_EXCESS: usize = 9;
        !self.last_frame.is_empty()
            && !self.buffer.has_ended
            && self.buffer.bytes.len() < MAX_EXCESS
    }

    /// Skips the rest of a frame that was too long. Returns whether there was one.
    fn skip_excess(&mut self) -> bool {
        if self.last_frame.is_empty() {
            return false;
        }
        let is_next = |skipped: &usize| {
            let rest = &self.buffer.bytes[*skipped..];
            matches!(FromServer::decode(rest, self.dialect), Ok(Some(_)))
                && rest[1..5] == self.id.to_be_bytes()
        };
        let last = self.buffer.bytes.len().min(9);
        let Some(skipped) = (1..last).find(is_next) else {
            return false;
        };
        let excess: Vec<u8> = self.buffer.bytes.drain(..skipped).collect();
        self.observe_unasked(&excess);
        true
    }

    /// The next frame if it is as expected; otherwise the difference.
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

    /// The finding that something else was received than expected.
    pub(crate) fn broken(&self, expected: &Expected, received: &Received) -> Stop {
        if matches!(received, Received::Nothing(_)) && Instant::now() >= self.timeouts.until {
            return Stop::NotTried(super::TIME_IS_OVER.to_owned());
        }
        let seconds = self.timeouts.answer.as_secs_f64();
        let (problem, bytes, words) = match received {
            Received::Frame(_, bytes) => (
                format!("the server answered {}", self.short_words(bytes)),
                bytes,
                server_words(bytes, self.dialect),
            ),
            Received::Invalid(error, bytes) => {
                let problem = frame_error_words(*error, bytes);
                (problem, bytes, "bytes that are not a frame".to_owned())
            }
            Received::Nothing(bytes) if bytes.is_empty() => (
                format!("the server did not answer within {seconds} s"),
                bytes,
                "nothing".to_owned(),
            ),
            Received::Nothing(bytes) => (
                format!("only the start of a frame came within {seconds} s"),
                bytes,
                server_words(bytes, self.dialect),
            ),
            Received::Closed(bytes) if bytes.is_empty() => (
                "the server closed the connection".to_owned(),
                bytes,
                "the end of the connection".to_owned(),
            ),
            Received::Closed(bytes) => (
                "the server closed the connection within a frame".to_owned(),
                bytes,
                server_words(bytes, self.dialect),
            ),
        };
        self.found(problem, expected, &hex(bytes), &words)
    }

    /// A frame without its id.
    fn short_words(&self, bytes: &[u8]) -> String {
        let words = server_words(bytes, self.dialect);
        words.replacen(&format!(", id {}", self.id), "", 1)
    }

    /// Another handle, which keeps the connection open.
    pub(crate) fn stream_clone(&self) -> Option<TcpStream> {
        self.stream.try_clone().ok()
    }

    /// Whether the server has closed the connection.
    pub(crate) fn has_ended(&self) -> bool {
        self.buffer.has_ended
    }

    /// A finding that includes what was sent last.
    pub(crate) fn found(
        &self,
        problem: impl Into<String>,
        expected: &Expected,
        received_hex: &str,
        received: &str,
    ) -> Stop {
        let fact = |label, hex: &str, words: &str| Fact {
            label,
            hex: hex.to_owned(),
            words: words.to_owned(),
        };
        let mut facts = Vec::new();
        if !self.sent.is_empty() {
            facts.push(fact("sent", &hex(&self.sent), &client_words(&self.sent)));
        }
        facts.push(fact("received", received_hex, received));
        facts.push(fact("expected", &expected.hex, &expected.words));
        Stop::broken(Finding {
            problem: problem.into(),
            facts,
            conversation: self.conversation.clone(),
        })
    }

    /// Whether a frame or its start comes within a short time.
    pub(crate) fn has_answer_soon(&mut self) -> bool {
        self.has_bytes_within(3 * SHORT)
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

    /// Disconnects, and waits until the server has closed the connection too, because then it has noticed.
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

    /// Disconnects when the answer has arrived but was not read. The server sees this as a reset.
    pub(crate) fn leave_unread(self) {
        let wait = self.timeouts.answer.max(Duration::from_millis(1));
        let _ = self.stream.set_read_timeout(Some(wait));
        let _ = self.stream.peek(&mut [0]);
        drop(self.stream);
        // There is no sign that tells when the server has noticed.
        self.observations.borrow_mut().waited += SHORT;
        std::thread::sleep(SHORT);
    }

    /// Whether the server closes the connection. Frames before that are skipped.
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

/// Keeps the first finding.
fn remember(place: &mut Option<Finding>, stop: Stop) {
    if let (None, Stop::Broken(finding)) = (&place, stop) {
        *place = Some(*finding);
    }
}

/// A pause that gives the server time for something that the kit cannot observe.
const SHORT: Duration = Duration::from_millis(100);

/// The shortest wait for an answer.
const MIN_WAIT: Duration = Duration::from_millis(2);

pub(crate) fn encoded(frame: &FromClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame.encode(&mut bytes);
    bytes
}

/// Without this, a server that writes a frame field by field with Nagle's algorithm waits 40 ms per field.
#[cfg(target_os = "linux")]
fn acknowledge_quickly(stream: &TcpStream) {
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
fn acknowledge_quickly(_: &TcpStream) {}
