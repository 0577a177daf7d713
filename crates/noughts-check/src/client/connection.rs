//! One connection of the client under test.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use noughts_wire::{Cell, Dialect, FrameError, FromClient, FromServer};

use super::program::ClientProgram;
use crate::frame::{client_words, frame_error_words, hex, server_words};
use crate::framing::{Deviation, Parsed, parse_client};
use crate::receive_buffer::ReceiveBuffer;
use crate::verdict::{Fact, Finding};

pub(super) struct ClientConnection {
    stream: TcpStream,
    buffer: ReceiveBuffer,
    timeout: Duration,
    pub(super) dialect: Dialect,
    pub(super) id: u32,
    /// Whether the kit sends its frames byte by byte.
    pub(super) in_pieces: bool,
    /// The shortest time so far, in all connections, from a frame of the kit to the client's next frame. It
    /// shows how fast the client and the machine are. As long as the client has not answered any frame, the
    /// value is the timeout.
    pub(super) fastest_answer: Duration,
    sent_at: Instant,
    /// The client's process, if the kit started it.
    pub(super) program: Option<ClientProgram>,
    last_frame: Vec<u8>,
    sent: Vec<u8>,
    conversation: Vec<String>,
    /// The first finding about a frame that is longer or shorter than in the figure of the course document.
    /// Findings about the end of a name are in `name_fault`.
    pub(super) size_fault: Option<Finding>,
    /// The finding about a HELLO whose name does not end with two zero bytes.
    pub(super) name_fault: Option<Finding>,
}

/// The next frame of the client, or why no valid frame came.
#[derive(Debug)]
pub(super) enum Received {
    Frame(FromClient, Vec<u8>),
    Invalid(FrameError, Vec<u8>),
    Nothing(Vec<u8>),
    Closed(Vec<u8>),
}

/// The shortest and the longest pause within a frame that is sent byte by byte.
const PAUSES: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(300)];

/// If no byte comes for this time, the kit treats the bytes received so far as a whole frame that is too short.
const QUIET: Duration = Duration::from_millis(1000);

/// The time between two reads of the client's output.
const UPDATE_INTERVAL: Duration = Duration::from_millis(20);

impl ClientConnection {
    pub(super) fn new(
        stream: TcpStream,
        timeout: Duration,
        program: Option<ClientProgram>,
    ) -> ClientConnection {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(timeout));
        ClientConnection {
            stream,
            buffer: ReceiveBuffer::default(),
            timeout,
            dialect: Dialect::Seed,
            id: 0,
            in_pieces: false,
            fastest_answer: timeout,
            sent_at: Instant::now(),
            program,
            last_frame: Vec::new(),
            sent: Vec::new(),
            conversation: Vec::new(),
            size_fault: None,
            name_fault: None,
        }
    }

    /// Waits for the next frame. Returns the frame, or the reason why no valid frame came.
    pub(super) fn receive(&mut self) -> Received {
        self.receive_within(self.timeout)
    }

    pub(super) fn receive_within(&mut self, time: Duration) -> Received {
        let deadline = Instant::now() + time;
        let mut quiet_at = Instant::now() + QUIET;
        let received = loop {
            let length = self.buffer.bytes.len();
            let is_quiet = length > 0 && (Instant::now() >= quiet_at || self.buffer.has_ended);
            match parse_client(&self.buffer.bytes, is_quiet) {
                Parsed::Frame(frame, length, deviation) => {
                    let bytes: Vec<u8> = self.buffer.bytes.drain(..length).collect();
                    self.observe(deviation, &frame, &bytes);
                    break Received::Frame(frame, bytes);
                }
                Parsed::Invalid(_) if self.skip_excess() => continue,
                Parsed::Invalid(error) if is_quiet || self.last_frame.is_empty() => {
                    break Received::Invalid(error, std::mem::take(&mut self.buffer.bytes));
                }
                // The bytes may be the rest of a frame that was too long, so wait for the next frame.
                Parsed::Invalid(_) => {}
                Parsed::Incomplete if self.buffer.has_ended => {
                    break Received::Closed(std::mem::take(&mut self.buffer.bytes));
                }
                Parsed::Incomplete => {}
            }
            if !self.fill(deadline) {
                break Received::Nothing(self.buffer.bytes.clone());
            }
            if self.buffer.bytes.len() > length {
                quiet_at = Instant::now() + QUIET;
            }
        };
        let line = match &received {
            Received::Frame(_, bytes) => {
                if !self.sent.is_empty() {
                    self.fastest_answer = self.fastest_answer.min(self.sent_at.elapsed());
                }
                self.last_frame.clone_from(bytes);
                format!("client → {}   {}", hex(bytes), client_words(bytes))
            }
            Received::Invalid(error, bytes) => format!(
                "client → {}   {}",
                hex(bytes),
                frame_error_words(*error, bytes)
            ),
            Received::Nothing(bytes) => format!("client → {} (nothing more came)", hex(bytes)),
            Received::Closed(bytes) => format!("client → {} (closed the connection)", hex(bytes)),
        };
        self.note(line);
        received
    }

    fn observe(&mut self, deviation: Option<Deviation>, frame: &FromClient, bytes: &[u8]) {
        let Some(Deviation::Size(problem) | Deviation::FlagCharacter(problem)) = deviation else {
            return;
        };
        let (expected, name) = match frame {
            FromClient::Hello { .. } => ("HELLO with two zero bytes after the name", "HELLO"),
            FromClient::Action { .. } => ("ACTION with 8 bytes", "ACTION"),
            FromClient::Play { .. } => ("PLAY with 5 bytes", "PLAY"),
            FromClient::Error { .. } => ("ERROR with two zero bytes after the text", "ERROR"),
        };
        let words = format!("{name} with {} bytes", bytes.len());
        let finding = self.found(&problem, expected, bytes, &words);
        match frame {
            FromClient::Hello { .. } => self.name_fault = Some(finding),
            _ => self.size_fault = self.size_fault.take().or(Some(finding)),
        }
    }

    /// Reads the client's output and answers its prompts, then waits a short time for bytes. Returns false after the
    /// deadline.
    fn fill(&mut self, deadline: Instant) -> bool {
        let until = match &mut self.program {
            Some(program) => {
                program.update();
                deadline.min(Instant::now() + UPDATE_INTERVAL)
            }
            None => deadline.min(Instant::now() + QUIET / 4),
        };
        self.buffer.receive(&mut self.stream, until) || Instant::now() < deadline
    }

    /// How long the kit waits for a frame that the client need not send.
    pub(super) fn patience(&self) -> Duration {
        self.timeout / 2
    }

    /// Whether the client sends a frame although it should wait. If the bytes are only the rest of a frame
    /// that is too long, another rule reports them, and the result is false.
    pub(super) fn sends_unasked(&mut self) -> bool {
        let deadline = Instant::now() + self.patience().min(QUIET);
        while !self.buffer.has_ended && self.buffer.bytes.is_empty() && self.fill(deadline) {}
        if self.buffer.bytes.is_empty() {
            return false;
        }
        if !matches!(parse_client(&self.buffer.bytes, false), Parsed::Invalid(_)) {
            return true;
        }
        let excess = std::mem::take(&mut self.buffer.bytes);
        self.observe_excess(&excess);
        false
    }

    /// Skips the rest of a frame that was too long. Returns whether something was skipped.
    fn skip_excess(&mut self) -> bool {
        const MAX_EXCESS: usize = 9;
        let bytes = &self.buffer.bytes;
        let is_next = |skipped: &usize| match FromClient::decode(&bytes[*skipped..]) {
            Ok(Some(_)) => bytes[skipped + 1..skipped + 5] == self.id.to_be_bytes(),
            Ok(None) | Err(_) => false,
        };
        let skipped = (1..bytes.len().min(MAX_EXCESS)).find(is_next);
        let Some(skipped) = skipped.filter(|_| !self.last_frame.is_empty()) else {
            return false;
        };
        let excess: Vec<u8> = self.buffer.bytes.drain(..skipped).collect();
        self.observe_excess(&excess);
        true
    }

    /// Records bytes that follow the last field of the last frame.
    fn observe_excess(&mut self, excess: &[u8]) {
        let length = self.last_frame.len();
        let words = client_words(&self.last_frame);
        let name = words.split(',').next().unwrap_or_default().to_owned();
        let problem = format!(
            "{name} has {} bytes instead of {length}: {} follow its last field",
            length + excess.len(),
            hex(excess)
        );
        let all = [&self.last_frame[..], excess].concat();
        self.note(format!("client → {}   (not asked for)", hex(excess)));
        let more = format!("{words}, and {} more bytes", excess.len());
        let finding = self.found(&problem, &format!("{words}, and nothing more"), &all, &more);
        self.size_fault = self.size_fault.take().or(Some(finding));
    }

    pub(super) fn send(&mut self, frame: &FromServer) {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        self.send_bytes(&bytes);
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        self.sent = bytes.to_vec();
        self.note(format!(
            "server → {}   {}",
            hex(bytes),
            server_words(bytes, self.dialect)
        ));
        self.sent_at = Instant::now();
        // Write errors are ignored: they show up as a missing answer.
        if !self.in_pieces {
            let _ = self.stream.write_all(bytes);
            return;
        }
        let [shortest, longest] = PAUSES;
        let pause = (3 * self.fastest_answer).clamp(shortest, longest);
        for (at, byte) in bytes.iter().enumerate() {
            let _ = self.stream.write_all(&[*byte]);
            if at == 0 || at == bytes.len() / 2 {
                std::thread::sleep(pause);
            }
        }
    }

    /// Sets the free cell that replaces `{row}` and `{column}` in answers to the client's prompts. `None` changes
    /// nothing.
    pub(super) fn offer_cell(&mut self, cell: Option<Cell>) {
        if let (Some(program), Some(cell)) = (&mut self.program, cell) {
            program.free_cell = cell;
        }
    }

    fn note(&mut self, line: String) {
        const MAX_LINES: usize = 60;
        if self.conversation.len() < MAX_LINES {
            self.conversation.push(line);
        }
    }

    /// Creates a finding: the client sent `received` instead of the expected frame.
    pub(super) fn finding(
        &self,
        problem: impl Into<String>,
        expected: &str,
        received: &Received,
    ) -> Finding {
        let (bytes, words) = match received {
            Received::Frame(_, bytes) => (bytes, client_words(bytes)),
            Received::Invalid(error, bytes) => (bytes, frame_error_words(*error, bytes)),
            Received::Nothing(bytes) if bytes.is_empty() => (
                bytes,
                format!("nothing within {} s", self.timeout.as_secs_f64()),
            ),
            Received::Closed(bytes) if bytes.is_empty() => {
                (bytes, "the end of the connection".to_owned())
            }
            Received::Nothing(bytes) | Received::Closed(bytes) => (bytes, client_words(bytes)),
        };
        self.found(&problem.into(), expected, bytes, &words)
    }

    fn found(&self, problem: &str, expected: &str, bytes: &[u8], words: &str) -> Finding {
        let mut facts = vec![Fact {
            label: "sent",
            hex: hex(&self.sent),
            words: match self.sent.is_empty() {
                true => "nothing yet".to_owned(),
                false => server_words(&self.sent, self.dialect),
            },
        }];
        facts.push(Fact {
            label: "received",
            hex: hex(bytes),
            words: words.to_owned(),
        });
        facts.push(Fact::new("expected", expected));
        Finding {
            problem: problem.to_owned(),
            facts,
            conversation: self.conversation.clone(),
        }
    }
}
