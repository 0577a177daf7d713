//! One connection of the client that is judged.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use noughts_wire::{Dialect, FromClient, FromServer, Malformed, is_end};

use crate::frame::{client_words, hex, server_words};
use crate::verdict::{Fact, Finding};

/// One connection.
pub(super) struct Guest {
    stream: TcpStream,
    held: Vec<u8>,
    has_ended: bool,
    timeout: Duration,
    pub(super) dialect: Dialect,
    pub(super) id: u32,
    /// Frames are sent byte by byte.
    pub(super) in_pieces: bool,
    log: Vec<String>,
}

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    Frame(FromClient, Vec<u8>),
    Garbled(Malformed, Vec<u8>),
    Nothing(Vec<u8>),
    Ended(Vec<u8>),
}

/// How long it takes to believe that nothing comes.
const SHORT: Duration = Duration::from_millis(60);

impl Guest {
    pub(super) fn new(stream: TcpStream, timeout: Duration) -> Guest {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(timeout));
        Guest {
            stream,
            held: Vec::new(),
            has_ended: false,
            timeout,
            dialect: Dialect::Seed,
            id: 0,
            in_pieces: false,
            log: Vec::new(),
        }
    }

    /// The next frame, or why there is none.
    pub(super) fn hear(&mut self) -> Heard {
        let deadline = Instant::now() + self.timeout;
        let heard = loop {
            match FromClient::decode(&self.held) {
                Ok(Some((frame, length))) => {
                    let bytes = self.held.drain(..length).collect();
                    break Heard::Frame(frame, bytes);
                }
                Err(malformed) => break Heard::Garbled(malformed, std::mem::take(&mut self.held)),
                Ok(None) if self.has_ended => break Heard::Ended(std::mem::take(&mut self.held)),
                Ok(None) => {}
            }
            if !self.receive(deadline) {
                break Heard::Nothing(self.held.clone());
            }
        };
        let line = match &heard {
            Heard::Frame(_, bytes) | Heard::Garbled(_, bytes) => {
                format!("client → {}   {}", hex(bytes), client_words(bytes))
            }
            Heard::Nothing(bytes) => format!("client → {} (nothing more came)", hex(bytes)),
            Heard::Ended(bytes) => format!("client → {} (closed the connection)", hex(bytes)),
        };
        self.note(line);
        heard
    }

    fn receive(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        let _ = self.stream.set_read_timeout(Some(left));
        let mut bytes = [0; 512];
        match self.stream.read(&mut bytes) {
            Ok(0) => self.has_ended = true,
            Ok(count) => self.held.extend(&bytes[..count]),
            Err(error) if is_end(&error) => self.has_ended = true,
            Err(error) => match error.kind() {
                ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => {}
                _ => self.has_ended = true,
            },
        }
        true
    }

    /// Whether the client says something though it should wait.
    pub(super) fn speaks_unasked(&mut self) -> bool {
        let deadline = Instant::now() + SHORT;
        while !self.has_ended && self.held.is_empty() && self.receive(deadline) {}
        !self.held.is_empty()
    }

    pub(super) fn say(&mut self, frame: &FromServer) {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        self.say_bytes(&bytes);
    }

    pub(super) fn say_bytes(&mut self, bytes: &[u8]) {
        self.note(format!(
            "server → {}   {}",
            hex(bytes),
            server_words(bytes, self.dialect)
        ));
        // Whoever has gone is noticed when they do not answer.
        if !self.in_pieces {
            let _ = self.stream.write_all(bytes);
            return;
        }
        for (at, byte) in bytes.iter().enumerate() {
            let _ = self.stream.write_all(&[*byte]);
            if at == 0 || at == bytes.len() / 2 {
                std::thread::sleep(SHORT / 2);
            }
        }
    }

    fn note(&mut self, line: String) {
        const MOST_LINES: usize = 60;
        if self.log.len() < MOST_LINES {
            self.log.push(line);
        }
    }

    /// What was heard is not what was expected.
    pub(super) fn finding(
        &self,
        wrong: impl Into<String>,
        expected: &str,
        heard: &Heard,
    ) -> Finding {
        let (bytes, words) = match heard {
            Heard::Frame(_, bytes) | Heard::Garbled(_, bytes) => (bytes, client_words(bytes)),
            Heard::Nothing(bytes) if bytes.is_empty() => (
                bytes,
                format!("nothing within {} s", self.timeout.as_secs_f64()),
            ),
            Heard::Ended(bytes) if bytes.is_empty() => {
                (bytes, "the end of the connection".to_owned())
            }
            Heard::Nothing(bytes) | Heard::Ended(bytes) => (bytes, client_words(bytes)),
        };
        let fact = |label, hex: String, words: String| Fact { label, hex, words };
        Finding {
            wrong: wrong.into(),
            facts: vec![
                fact("expected", String::new(), expected.to_owned()),
                fact("received", hex(bytes), words),
            ],
            log: self.log.clone(),
        }
    }
}
