//! One connection of the client that is judged.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use noughts_wire::{Dialect, FrameError, FromClient, FromServer};

use crate::frame::{client_words, hex, server_words};
use crate::receive_buffer::ReceiveBuffer;
use crate::verdict::{Fact, Finding};

/// One connection.
pub(super) struct ClientConnection {
    stream: TcpStream,
    buffer: ReceiveBuffer,
    timeout: Duration,
    pub(super) dialect: Dialect,
    pub(super) id: u32,
    /// Frames are sent byte by byte.
    pub(super) in_pieces: bool,
    log: Vec<String>,
}

/// What came.
#[derive(Debug)]
pub(super) enum Received {
    Frame(FromClient, Vec<u8>),
    Garbled(FrameError, Vec<u8>),
    Nothing(Vec<u8>),
    Ended(Vec<u8>),
}

/// How long it takes to believe that nothing comes.
const SHORT: Duration = Duration::from_millis(60);

impl ClientConnection {
    pub(super) fn new(stream: TcpStream, timeout: Duration) -> ClientConnection {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(timeout));
        ClientConnection {
            stream,
            buffer: ReceiveBuffer::default(),
            timeout,
            dialect: Dialect::Seed,
            id: 0,
            in_pieces: false,
            log: Vec::new(),
        }
    }

    /// The next frame, or why there is none.
    pub(super) fn hear(&mut self) -> Received {
        let deadline = Instant::now() + self.timeout;
        let heard = loop {
            match FromClient::decode(&self.buffer.bytes) {
                Ok(Some((frame, length))) => {
                    let bytes = self.buffer.bytes.drain(..length).collect();
                    break Received::Frame(frame, bytes);
                }
                Err(malformed) => {
                    break Received::Garbled(malformed, std::mem::take(&mut self.buffer.bytes));
                }
                Ok(None) if self.buffer.has_ended => {
                    break Received::Ended(std::mem::take(&mut self.buffer.bytes));
                }
                Ok(None) => {}
            }
            if !self.receive(deadline) {
                break Received::Nothing(self.buffer.bytes.clone());
            }
        };
        let line = match &heard {
            Received::Frame(_, bytes) | Received::Garbled(_, bytes) => {
                format!("client → {}   {}", hex(bytes), client_words(bytes))
            }
            Received::Nothing(bytes) => format!("client → {} (nothing more came)", hex(bytes)),
            Received::Ended(bytes) => format!("client → {} (closed the connection)", hex(bytes)),
        };
        self.note(line);
        heard
    }

    fn receive(&mut self, deadline: Instant) -> bool {
        self.buffer.receive(&mut self.stream, deadline)
    }

    /// Whether the client says something though it should wait.
    pub(super) fn speaks_unasked(&mut self) -> bool {
        let deadline = Instant::now() + SHORT;
        while !self.buffer.has_ended && self.buffer.bytes.is_empty() && self.receive(deadline) {}
        !self.buffer.bytes.is_empty()
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
        heard: &Received,
    ) -> Finding {
        let (bytes, words) = match heard {
            Received::Frame(_, bytes) | Received::Garbled(_, bytes) => (bytes, client_words(bytes)),
            Received::Nothing(bytes) if bytes.is_empty() => (
                bytes,
                format!("nothing within {} s", self.timeout.as_secs_f64()),
            ),
            Received::Ended(bytes) if bytes.is_empty() => {
                (bytes, "the end of the connection".to_owned())
            }
            Received::Nothing(bytes) | Received::Ended(bytes) => (bytes, client_words(bytes)),
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
