//! One connection to the server that is judged: what was said and heard on it.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use noughts_wire::{Cell, Dialect, FrameError, FromClient, FromServer, Name};

use crate::frame::{client_words, hex, malformed_words, server_words};
use crate::receive_buffer::ReceiveBuffer;
use crate::verdict::{Fact, Finding, Judged, Stop};

/// How long one may wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// For one answer.
    pub(crate) answer: Duration,
    /// For everything.
    pub(crate) until: Instant,
}

impl Timeouts {
    /// The time until which one answer is waited for.
    fn deadline(&self) -> Instant {
        (Instant::now() + self.answer).min(self.until)
    }
}

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: ReceiveBuffer,
    pub(crate) dialect: Dialect,
    /// The session's id, as far as it is known.
    pub(crate) id: u32,
    timeouts: Timeouts,
    sent: Vec<u8>,
    sent_at: Instant,
    /// The longest time that an answer took.
    pub(crate) slowest: Duration,
    log: Vec<String>,
    /// How this client is called in the log, where there are two.
    name: &'static str,
}

/// What came.
#[derive(Debug)]
pub(crate) enum Received {
    Frame(FromServer, Vec<u8>),
    /// Bytes that are no frame.
    Garbled(FrameError, Vec<u8>),
    /// The time is over; perhaps the beginning of a frame came.
    Nothing(Vec<u8>),
    /// The server has closed the connection; perhaps within a frame.
    Ended(Vec<u8>),
}

/// What should come.
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

    /// An ERROR with this code, in any words.
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
    /// Calls the server.
    pub(crate) fn call(
        name: &'static str,
        address: SocketAddr,
        dialect: Dialect,
        id: u32,
        timeouts: Timeouts,
    ) -> Judged<Connection> {
        let wait = timeouts
            .deadline()
            .saturating_duration_since(Instant::now());
        let wait = wait.max(Duration::from_millis(1));
        let stream = TcpStream::connect_timeout(&address, wait)
            .map_err(|error| Stop::NotTried(format!("no connection could be made: {error}")))?;
        let _ = stream.set_nodelay(true);
        let now = Instant::now();
        Ok(Connection {
            stream,
            buffer: ReceiveBuffer::default(),
            dialect,
            id,
            timeouts,
            sent: Vec::new(),
            sent_at: now,
            slowest: Duration::ZERO,
            log: Vec::new(),
            name,
        })
    }

    pub(crate) fn hello(&mut self, name: &str) {
        let name = Name::new(name).expect("the judge's names are in Latin-1");
        let id = match self.dialect {
            Dialect::Seed => self.id,
            Dialect::Later => 0,
        };
        self.say(&FromClient::Hello { id, name });
    }

    pub(crate) fn play(&mut self) {
        self.say(&FromClient::Play { id: self.id });
    }

    pub(crate) fn act(&mut self, cell: Cell) {
        self.act_with(self.id, cell.to_bytes());
    }

    pub(crate) fn act_with(&mut self, id: u32, cell: [u8; 3]) {
        self.say(&FromClient::Action { id, cell });
    }

    fn say(&mut self, frame: &FromClient) {
        self.say_bytes(&encoded(frame));
    }

    /// Whatever goes wrong here is noticed by the answer that does not come.
    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) {
        self.note_sent(bytes);
        // Not `write_all`: who reads a byte now and then must not hold up the judge.
        let deadline = self.timeouts.deadline();
        let mut rest = bytes;
        while !rest.is_empty() && Instant::now() < deadline {
            match self.stream.write(rest) {
                Ok(count @ 1..) => rest = &rest[count..],
                Ok(0) | Err(_) => break,
            }
        }
    }

    /// Each byte for itself, so that the server has to put them together.
    pub(crate) fn say_in_pieces(&mut self, bytes: &[u8]) {
        self.note_sent(bytes);
        for (at, byte) in bytes.iter().enumerate() {
            let _ = self.stream.write_all(&[*byte]);
            // Small packets in a row may still arrive as one: at least two are apart for certain.
            if at == 0 || at == bytes.len() / 2 {
                std::thread::sleep(SHORT / 3);
            }
        }
    }

    fn note_sent(&mut self, bytes: &[u8]) {
        self.sent = bytes.to_vec();
        self.sent_at = Instant::now();
        // What does not leave within the time never will.
        let _ = self.stream.set_write_timeout(Some(self.timeouts.answer));
        let name = self.name;
        self.note(format_args!(
            "{name} → {}   {}",
            hex(bytes),
            client_words(bytes)
        ));
    }

    fn note(&mut self, line: std::fmt::Arguments<'_>) {
        const MOST_LINES: usize = 60;
        if self.log.len() < MOST_LINES {
            self.log.push(line.to_string());
        }
    }

    /// The next frame, or why there is none.
    pub(crate) fn hear(&mut self) -> Received {
        let deadline = self.timeouts.deadline();
        let heard = self.hear_until(deadline);
        self.slowest = self.slowest.max(self.sent_at.elapsed());
        let words = match &heard {
            Received::Frame(_, bytes) => {
                format!("{}   {}", hex(bytes), server_words(bytes, self.dialect))
            }
            Received::Garbled(malformed, bytes) => {
                format!("{}   {}", hex(bytes), malformed_words(*malformed))
            }
            Received::Nothing(bytes) => format!("{} (nothing more came)", hex(bytes)),
            Received::Ended(bytes) => format!("{} (closed the connection)", hex(bytes)),
        };
        self.note(format_args!("server → {words}"));
        heard
    }

    fn hear_until(&mut self, deadline: Instant) -> Received {
        loop {
            match FromServer::decode(&self.buffer.bytes, self.dialect) {
                Ok(Some((frame, length))) => {
                    let bytes = self.buffer.bytes.drain(..length).collect();
                    return Received::Frame(frame, bytes);
                }
                Err(malformed) => {
                    return Received::Garbled(malformed, std::mem::take(&mut self.buffer.bytes));
                }
                Ok(None) if self.buffer.has_ended => {
                    return Received::Ended(std::mem::take(&mut self.buffer.bytes));
                }
                Ok(None) => {}
            }
            if !self.receive(deadline) {
                return Received::Nothing(self.buffer.bytes.clone());
            }
        }
    }

    /// Waits for bytes; false when the time is over.
    fn receive(&mut self, deadline: Instant) -> bool {
        acknowledge_quickly(&self.stream);
        self.buffer.receive(&mut self.stream, deadline)
    }

    /// The next frame if it is as expected; else how it is not.
    pub(crate) fn expect(
        &mut self,
        expected: &Expected,
        fits: impl FnOnce(&FromServer) -> bool,
    ) -> Judged<FromServer> {
        match self.hear() {
            Received::Frame(frame, _) if fits(&frame) => Ok(frame),
            heard => Err(self.broken(expected, &heard)),
        }
    }

    /// What was heard is not what was expected.
    pub(crate) fn broken(&self, expected: &Expected, heard: &Received) -> Stop {
        if matches!(heard, Received::Nothing(_)) && Instant::now() >= self.timeouts.until {
            return Stop::NotTried("the time for everything was used up".to_owned());
        }
        let (wrong, bytes) = match heard {
            Received::Frame(_, bytes) => ("the server answered something else".to_owned(), bytes),
            Received::Garbled(_, bytes) => {
                ("the server sent bytes that are no frame".to_owned(), bytes)
            }
            Received::Nothing(bytes) if bytes.is_empty() => {
                (format!("no answer came within {}", self.waited()), bytes)
            }
            Received::Nothing(bytes) => (
                format!(
                    "only the beginning of a frame came within {}",
                    self.waited()
                ),
                bytes,
            ),
            Received::Ended(bytes) if bytes.is_empty() => {
                ("the server closed the connection instead".to_owned(), bytes)
            }
            Received::Ended(bytes) => (
                "the server closed the connection within a frame".to_owned(),
                bytes,
            ),
        };
        let words = match heard {
            Received::Nothing(bytes) | Received::Ended(bytes) if bytes.is_empty() => {
                "nothing".to_owned()
            }
            _ => server_words(bytes, self.dialect),
        };
        self.found(wrong, expected, &hex(bytes), &words)
    }

    fn waited(&self) -> String {
        format!("{} s", self.timeouts.answer.as_secs_f64())
    }

    /// A finding with what was said last.
    pub(crate) fn found(
        &self,
        wrong: impl Into<String>,
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
        facts.push(fact("expected", &expected.hex, &expected.words));
        facts.push(fact("received", received_hex, received));
        Stop::broken(Finding {
            wrong: wrong.into(),
            facts,
            log: self.log.clone(),
        })
    }

    /// Fails when anything comes within a short time.
    pub(crate) fn expect_silence(&mut self, after: &str) -> Judged {
        match self.hear_until(Instant::now() + SHORT) {
            Received::Nothing(bytes) if bytes.is_empty() => Ok(()),
            heard => {
                let nothing = Expected::new("", format!("nothing more after {after}"));
                let mut stop = self.broken(&nothing, &heard);
                if let (Stop::Broken(finding), Received::Frame(..) | Received::Garbled(..)) =
                    (&mut stop, &heard)
                {
                    finding.wrong = format!("the server said more after {after}");
                }
                Err(stop)
            }
        }
    }

    /// Gives the server a moment.
    pub(crate) fn pause(&mut self) {
        let deadline = Instant::now() + SHORT / 5;
        while !self.buffer.has_ended && self.buffer.bytes.is_empty() && self.receive(deadline) {}
    }

    /// Leaves, and gives the server a moment to notice.
    pub(crate) fn leave(mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
        let deadline = (Instant::now() + SHORT).min(self.timeouts.until);
        while !self.buffer.has_ended && self.receive(deadline) {
            self.buffer.bytes.clear();
        }
    }

    /// Goes when the answer has arrived and was not read, which the system tells the server as a reset.
    pub(crate) fn leave_unread(self) {
        let wait = self.timeouts.answer.max(Duration::from_millis(1));
        let _ = self.stream.set_read_timeout(Some(wait));
        let _ = self.stream.peek(&mut [0]);
        drop(self.stream);
        std::thread::sleep(SHORT / 5);
    }

    /// Whether the server ends the connection within the time; what it says before is passed over.
    pub(crate) fn is_closed(&mut self) -> bool {
        let deadline = (Instant::now() + 5 * SHORT).min(self.timeouts.until);
        while !self.buffer.has_ended && self.receive(deadline) {
            self.buffer.bytes.clear();
        }
        self.buffer.has_ended
    }
}

/// How long it takes to believe that nothing comes.
const SHORT: Duration = Duration::from_millis(100);

pub(crate) fn encoded(frame: &FromClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame.encode(&mut bytes);
    bytes
}

/// A server that writes a frame field by field with Nagle's algorithm on would else wait 40 ms for each.
#[cfg(target_os = "linux")]
fn acknowledge_quickly(stream: &TcpStream) {
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
fn acknowledge_quickly(_: &TcpStream) {}
