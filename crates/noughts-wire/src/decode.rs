//! Bytes to messages.

use std::fmt;

use crate::message::{Admission, FromClient, FromServer, Verdict};
use crate::opcode::{Dialect, Opcode};
use crate::text::{MOST_BYTES, Text};

/// Why bytes are no frame, however many more may come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// No frame begins with this byte, so nobody knows where the next one begins.
    UnknownOpcode(u8),
    /// Only the other end sends such frames. [`Opcode::length`] tells where the next one begins.
    WrongWay(Opcode),
    /// The name in a HELLO has more than 255 bytes.
    NameTooLong {
        /// The frame's.
        id: u32,
    },
    /// The text in an ERROR has more than 255 bytes.
    TextTooLong {
        /// The frame's.
        id: u32,
    },
    /// No ADMIT has such a flag.
    UnknownAdmission(u8),
    /// No RESULT has such a flag.
    UnknownVerdict(u8),
}

/// A message and how many bytes it took; none while bytes are missing.
pub type Decoded<M> = Result<Option<(M, usize)>, Malformed>;

impl FromClient {
    /// The message that these bytes begin with, and how many bytes it took; `Ok(None)`: more please.
    ///
    /// What is decided is never taken back: more bytes behind don't change a message nor a refusal. A
    /// call looks at no more than 264 bytes, so asking again after each single byte is bounded too.
    ///
    /// ```
    /// use noughts_wire::FromClient;
    ///
    /// let bytes = *b"\x03\0\0\x30\x39\x05";
    /// assert_eq!(FromClient::decode(&bytes[..4]), Ok(None));
    /// assert_eq!(FromClient::decode(&bytes), Ok(Some((FromClient::Play { id: 12345 }, 5))));
    /// ```
    pub fn decode(bytes: &[u8]) -> Decoded<FromClient> {
        let Some((&byte, body)) = bytes.split_first() else {
            return Ok(None);
        };
        let opcode = Opcode::read(byte).ok_or(Malformed::UnknownOpcode(byte))?;
        let mut body = Body { rest: body };
        let message = match opcode {
            Opcode::Hello => body.hello()?,
            Opcode::Play => body.id().map(|id| FromClient::Play { id }),
            Opcode::Action => body
                .action()
                .map(|(id, cell)| FromClient::Action { id, cell }),
            Opcode::Error => {
                body.error()?
                    .map(|(id, code, text)| FromClient::Error { id, code, text })
            }
            Opcode::Ready | Opcode::Admit | Opcode::Result => {
                return Err(Malformed::WrongWay(opcode));
            }
        };
        Ok(message.map(|message| (message, bytes.len() - body.rest.len())))
    }
}

impl FromServer {
    /// As [`FromClient::decode`]. The dialect says how long a RESULT is.
    pub fn decode(bytes: &[u8], dialect: Dialect) -> Decoded<FromServer> {
        let Some((&byte, body)) = bytes.split_first() else {
            return Ok(None);
        };
        let opcode = Opcode::read(byte).ok_or(Malformed::UnknownOpcode(byte))?;
        let mut body = Body { rest: body };
        let message = match opcode {
            Opcode::Ready => body.id().map(|id| FromServer::Ready { id }),
            Opcode::Admit => body.admit()?,
            Opcode::Action => body
                .action()
                .map(|(id, cell)| FromServer::Action { id, cell }),
            Opcode::Result => body.result(dialect)?,
            Opcode::Error => {
                body.error()?
                    .map(|(id, code, text)| FromServer::Error { id, code, text })
            }
            Opcode::Hello | Opcode::Play => return Err(Malformed::WrongWay(opcode)),
        };
        Ok(message.map(|message| (message, bytes.len() - body.rest.len())))
    }
}

/// The bytes behind an opcode that no field has taken yet.
struct Body<'b> {
    rest: &'b [u8],
}

impl Body<'_> {
    fn hello(&mut self) -> Result<Option<FromClient>, Malformed> {
        let Some(id) = self.id() else { return Ok(None) };
        let name = self
            .text()
            .map_err(|TooLong| Malformed::NameTooLong { id })?;
        Ok(name.map(|name| FromClient::Hello { id, name }))
    }

    fn admit(&mut self) -> Result<Option<FromServer>, Malformed> {
        let Some((id, [flag])) = self.id().zip(self.take()) else {
            return Ok(None);
        };
        let flag = Admission::read(flag).ok_or(Malformed::UnknownAdmission(flag))?;
        Ok(Some(FromServer::Admit { id, flag }))
    }

    fn action(&mut self) -> Option<(u32, [u8; 3])> {
        self.id().zip(self.take())
    }

    fn result(&mut self, dialect: Dialect) -> Result<Option<FromServer>, Malformed> {
        let Some(id) = self.id() else { return Ok(None) };
        let (cell, flag) = match dialect {
            Dialect::Seed => (None, self.take()),
            Dialect::Later => self
                .take()
                .map_or((None, None), |cell| (Some(cell), self.take())),
        };
        let Some([flag]) = flag else { return Ok(None) };
        let flag = Verdict::read(flag).ok_or(Malformed::UnknownVerdict(flag))?;
        Ok(Some(FromServer::Result { id, cell, flag }))
    }

    fn error(&mut self) -> Result<Option<(u32, u8, Text)>, Malformed> {
        let Some((id, [code])) = self.id().zip(self.take()) else {
            return Ok(None);
        };
        let text = self
            .text()
            .map_err(|TooLong| Malformed::TextTooLong { id })?;
        Ok(text.map(|text| (id, code, text)))
    }

    fn id(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*field)
    }

    /// All before the first two adjacent zeros, which are taken too.
    fn text(&mut self) -> Result<Option<Text>, TooLong> {
        let window = &self.rest[..self.rest.len().min(MOST_BYTES + 2)];
        match window.windows(2).position(|pair| pair == [0, 0]) {
            Some(length) => {
                let text = Text::trusted(&window[..length]);
                self.rest = &self.rest[length + 2..];
                Ok(Some(text))
            }
            None if window.len() == MOST_BYTES + 2 => Err(TooLong),
            None => Ok(None),
        }
    }
}

struct TooLong;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::UnknownOpcode(byte) => write!(f, "no frame has the opcode {byte}"),
            Malformed::WrongWay(opcode) => write!(f, "only the other end may send {opcode}"),
            Malformed::NameTooLong { .. } => write!(f, "the name has more than {MOST_BYTES} bytes"),
            Malformed::TextTooLong { .. } => {
                write!(f, "the text of an ERROR has more than {MOST_BYTES} bytes")
            }
            Malformed::UnknownAdmission(flag) => write!(f, "no ADMIT has the flag {flag}"),
            Malformed::UnknownVerdict(flag) => write!(f, "no RESULT has the flag {flag}"),
        }
    }
}

impl std::error::Error for Malformed {}
