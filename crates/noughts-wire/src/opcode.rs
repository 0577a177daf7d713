//! The first byte of a frame, and the two dialects.

use std::fmt;

/// The kind of a frame: its first byte.
///
/// ```
/// use noughts_wire::{Dialect, Opcode};
///
/// assert_eq!(Opcode::try_from(6), Ok(Opcode::Result));
/// assert_eq!(Opcode::Result.frame_length(Dialect::Later), Some(9));
/// assert_eq!(Opcode::try_from(7).unwrap_err().0, 7);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Opcode {
    /// A client starts its session.
    Hello = 1,
    /// The server has started the session.
    Ready = 2,
    /// A client wants a game.
    Play = 3,
    /// The server's answer to PLAY: refused, first or second.
    Admit = 4,
    /// A move, from the client or the server.
    Action = 5,
    /// The game is over.
    Result = 6,
    /// An error report, from the client or the server.
    Error = 8,
}

/// The two forms of the protocol; the id in HELLO selects one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// The client chooses a five-digit id. RESULT has an id and a flag.
    Seed,
    /// The client sends id 0, and the server chooses the id. RESULT has an id, a cell and a flag.
    Later,
}

/// A byte that is not a valid value of its field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownByte(pub u8);

impl Opcode {
    /// The opcode's byte.
    pub fn to_byte(self) -> u8 {
        self as u8
    }

    /// The length of this kind of frame in bytes, including the opcode; `None` if the frame ends with a string.
    pub fn frame_length(self, dialect: Dialect) -> Option<usize> {
        match (self, dialect) {
            (Opcode::Hello | Opcode::Error, _) => None,
            (Opcode::Ready | Opcode::Play, _) => Some(5),
            (Opcode::Admit, _) | (Opcode::Result, Dialect::Seed) => Some(6),
            (Opcode::Action, _) => Some(8),
            (Opcode::Result, Dialect::Later) => Some(9),
        }
    }
}

impl TryFrom<u8> for Opcode {
    type Error = UnknownByte;

    fn try_from(byte: u8) -> Result<Opcode, UnknownByte> {
        Ok(match byte {
            1 => Opcode::Hello,
            2 => Opcode::Ready,
            3 => Opcode::Play,
            4 => Opcode::Admit,
            5 => Opcode::Action,
            6 => Opcode::Result,
            8 => Opcode::Error,
            _ => return Err(UnknownByte(byte)),
        })
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Opcode::Hello => "HELLO",
            Opcode::Ready => "READY",
            Opcode::Play => "PLAY",
            Opcode::Admit => "ADMIT",
            Opcode::Action => "ACTION",
            Opcode::Result => "RESULT",
            Opcode::Error => "ERROR",
        })
    }
}

impl fmt::Display for UnknownByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the byte {} has no meaning here", self.0)
    }
}

impl std::error::Error for UnknownByte {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_bytes_are_opcodes() {
        let known: Vec<u8> = (0..=255)
            .filter(|&byte| Opcode::try_from(byte).is_ok_and(|known| known.to_byte() == byte))
            .collect();
        assert_eq!(known, [1, 2, 3, 4, 5, 6, 8]);
    }
}
