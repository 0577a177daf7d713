//! What was received, what was expected, and the finding if they differ.

use std::time::Instant;

use noughts_wire::{Dialect, FrameError, FromServer};

use super::Connection;
use crate::frame::{client_words, frame_error_words, hex, server_words};
use crate::verdict::{Fact, Finding, Stop};

/// The next frame of the server, or why no valid frame came.
#[derive(Debug)]
pub(crate) enum Received {
    Frame(FromServer, Vec<u8>),
    /// Bytes that are not a frame.
    Invalid(FrameError, Vec<u8>),
    /// No whole frame came before the deadline. The value has the start of a frame, if there was one.
    Nothing(Vec<u8>),
    /// The server closed the connection. The value has the start of a frame, if there was one.
    Closed(Vec<u8>),
}

/// What the kit expects to receive.
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

    /// Expects exactly this frame.
    pub(crate) fn frame(frame: &FromServer) -> Expected {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        let dialect = match frame {
            FromServer::Result { cell: Some(_), .. } => Dialect::Later,
            _ => Dialect::Seed,
        };
        Expected::new(hex(&bytes), server_words(&bytes, dialect))
    }

    /// Expects an ERROR with this code and any text.
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
    /// Creates a finding: the server sent `received` instead of the expected frame. If nothing came because the time
    /// for the whole check is over, the rule counts as not tried instead.
    pub(crate) fn broken(&self, expected: &Expected, received: &Received) -> Stop {
        if matches!(received, Received::Nothing(_)) && Instant::now() >= self.timeouts.until {
            return Stop::NotTried(crate::tcp::TIME_IS_OVER.to_owned());
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

    /// Describes a frame without its id.
    fn short_words(&self, bytes: &[u8]) -> String {
        let words = server_words(bytes, self.dialect);
        words.replacen(&format!(", id {}", self.id), "", 1)
    }

    /// Creates a finding that includes the last frame that the kit has sent.
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
}
