//! Decoding: bytes to messages.

use std::fmt;

use crate::message::{Admission, FromClient, FromServer, GameResult};
use crate::opcode::{Dialect, Opcode};
use crate::text::{MAX_TEXT_BYTES, Text};

/// Why bytes are not a frame. The error stays the same if more bytes arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameError {
    /// The first byte is not an opcode. The length of the frame is unknown, so the next frame cannot be found.
    UnknownOpcode(u8),
    /// Only the receiver of this frame may send this kind of frame. For every kind except HELLO,
    /// [`Opcode::frame_length`] gives the length of the frame, so that the next frame can be found.
    WrongDirection(Opcode),
    /// The name in a HELLO has more than 255 bytes.
    NameTooLong {
        /// The frame's id.
        id: u32,
    },
    /// The text in an ERROR has more than 255 bytes.
    TextTooLong {
        /// The frame's id.
        id: u32,
    },
    /// The flag of an ADMIT is not 0, 1 or 2.
    UnknownAdmission(u8),
    /// The flag of a RESULT is not 0, 1 or 2.
    UnknownResult(u8),
}

/// A message and its length in bytes, or `None` if the frame is incomplete.
pub type Decoded<M> = Result<Option<(M, usize)>, FrameError>;

impl FromClient {
    /// Decodes the first message of `bytes`, and returns it with its length. `Ok(None)` means that the
    /// frame is incomplete.
    ///
    /// If the result is a message or an error, more bytes at the end of `bytes` would not change the result. A call
    /// reads at most 264 bytes, so it is cheap to call this function after each received byte.
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
        let opcode = Opcode::try_from(byte).map_err(|_| FrameError::UnknownOpcode(byte))?;
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
                return Err(FrameError::WrongDirection(opcode));
            }
        };
        Ok(message.map(|message| (message, bytes.len() - body.rest.len())))
    }
}

impl FromServer {
    /// Like [`FromClient::decode`]. The dialect decides the length of a RESULT.
    pub fn decode(bytes: &[u8], dialect: Dialect) -> Decoded<FromServer> {
        let Some((&byte, body)) = bytes.split_first() else {
            return Ok(None);
        };
        let opcode = Opcode::try_from(byte).map_err(|_| FrameError::UnknownOpcode(byte))?;
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
            Opcode::Hello | Opcode::Play => return Err(FrameError::WrongDirection(opcode)),
        };
        Ok(message.map(|message| (message, bytes.len() - body.rest.len())))
    }
}

/// The bytes after the opcode that were not decoded yet.
struct Body<'b> {
    rest: &'b [u8],
}

impl Body<'_> {
    fn hello(&mut self) -> Result<Option<FromClient>, FrameError> {
        let Some(id) = self.id() else { return Ok(None) };
        let name = self
            .text()
            .map_err(|TooLong| FrameError::NameTooLong { id })?;
        Ok(name.map(|name| FromClient::Hello { id, name }))
    }

    fn admit(&mut self) -> Result<Option<FromServer>, FrameError> {
        let Some((id, [flag])) = self.id().zip(self.take()) else {
            return Ok(None);
        };
        let flag = Admission::try_from(flag).map_err(|_| FrameError::UnknownAdmission(flag))?;
        Ok(Some(FromServer::Admit { id, flag }))
    }

    fn action(&mut self) -> Option<(u32, [u8; 3])> {
        self.id().zip(self.take())
    }

    fn result(&mut self, dialect: Dialect) -> Result<Option<FromServer>, FrameError> {
        let Some(id) = self.id() else { return Ok(None) };
        let (cell, flag) = match dialect {
            Dialect::Seed => (None, self.take()),
            Dialect::Later => self
                .take()
                .map_or((None, None), |cell| (Some(cell), self.take())),
        };
        let Some([flag]) = flag else { return Ok(None) };
        let flag = GameResult::try_from(flag).map_err(|_| FrameError::UnknownResult(flag))?;
        Ok(Some(FromServer::Result { id, cell, flag }))
    }

    fn error(&mut self) -> Result<Option<(u32, u8, Text)>, FrameError> {
        let Some((id, [code])) = self.id().zip(self.take()) else {
            return Ok(None);
        };
        let text = self
            .text()
            .map_err(|TooLong| FrameError::TextTooLong { id })?;
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

    /// Reads a string up to the first two adjacent zero bytes, and skips these two bytes.
    fn text(&mut self) -> Result<Option<Text>, TooLong> {
        let window = &self.rest[..self.rest.len().min(MAX_TEXT_BYTES + 2)];
        match window.windows(2).position(|pair| pair == [0, 0]) {
            Some(length) => {
                let text = Text::from_valid_bytes(&window[..length]);
                self.rest = &self.rest[length + 2..];
                Ok(Some(text))
            }
            None if window.len() == MAX_TEXT_BYTES + 2 => Err(TooLong),
            None => Ok(None),
        }
    }
}

struct TooLong;

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::UnknownOpcode(byte) => write!(f, "no frame has the opcode {byte}"),
            FrameError::WrongDirection(opcode) => {
                write!(f, "only the other side may send {opcode}")
            }
            FrameError::NameTooLong { .. } => {
                write!(f, "the name has more than {MAX_TEXT_BYTES} bytes")
            }
            FrameError::TextTooLong { .. } => {
                write!(
                    f,
                    "the text of an ERROR has more than {MAX_TEXT_BYTES} bytes"
                )
            }
            FrameError::UnknownAdmission(flag) => write!(f, "no ADMIT has the flag {flag}"),
            FrameError::UnknownResult(flag) => write!(f, "no RESULT has the flag {flag}"),
        }
    }
}

impl std::error::Error for FrameError {}
