//! The first byte of a frame, and the two forms of the protocol.

use std::fmt;

/// What a frame is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Opcode {
    /// A client begins its session.
    Hello = 1,
    /// The server has begun it.
    Ready = 2,
    /// A client wants a game.
    Play = 3,
    /// The server's answer: not yet, first, or second.
    Admit = 4,
    /// A mark on a cell, from either end.
    Action = 5,
    /// The game is over.
    Result = 6,
    /// Something was wrong, from either end.
    Error = 8,
}

/// The two forms of the protocol; the id in HELLO chooses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// The client makes the id, of five digits. RESULT is a flag.
    Seed,
    /// The client says id 0 and the server makes the id. RESULT has a cell before its flag.
    Later,
}

impl Opcode {
    /// The opcode with this byte.
    pub fn read(byte: u8) -> Option<Opcode> {
        Some(match byte {
            1 => Opcode::Hello,
            2 => Opcode::Ready,
            3 => Opcode::Play,
            4 => Opcode::Admit,
            5 => Opcode::Action,
            6 => Opcode::Result,
            8 => Opcode::Error,
            _ => return None,
        })
    }

    /// Its byte.
    pub fn byte(self) -> u8 {
        self as u8
    }

    /// How many bytes such a frame has, the opcode's among them; none for those that end in a string.
    pub fn length(self, dialect: Dialect) -> Option<usize> {
        match (self, dialect) {
            (Opcode::Hello | Opcode::Error, _) => None,
            (Opcode::Ready | Opcode::Play, _) => Some(5),
            (Opcode::Admit, _) | (Opcode::Result, Dialect::Seed) => Some(6),
            (Opcode::Action, _) => Some(8),
            (Opcode::Result, Dialect::Later) => Some(9),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_bytes_are_opcodes() {
        let known: Vec<u8> = (0..=255)
            .filter(|&byte| Opcode::read(byte).is_some())
            .collect();
        assert_eq!(known, [1, 2, 3, 4, 5, 6, 8]);
        assert!(
            known
                .iter()
                .all(|&byte| Opcode::read(byte).is_some_and(|it| it.byte() == byte))
        );
    }
}
