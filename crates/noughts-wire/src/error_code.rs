//! The code and the text of an ERROR frame.

use std::fmt;

use crate::opcode::UnknownByte;

/// The documented error codes. A server sends all of them; [`ClientSession`](crate::ClientSession) sends only 0 and 1.
///
/// ```
/// use noughts_wire::ErrorCode;
///
/// assert_eq!(ErrorCode::try_from(1), Ok(ErrorCode::InvalidMove));
/// assert_eq!(ErrorCode::InvalidMove.text(), "Moviment Invalid");
/// assert_eq!(ErrorCode::InvalidMove.to_string(), "that cell is taken");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The bytes in an ACTION are not a cell.
    UnknownMove = 0,
    /// The cell in an ACTION is occupied.
    InvalidMove = 1,
    /// The frame is not allowed: it arrived at the wrong time, its sender may not send this kind of frame,
    /// its text is too long, or its opcode is unknown.
    Unexpected = 2,
    /// In the dialect `later`, an ACTION has another id than the session.
    WrongSessionLater = 3,
    /// HELLO is refused. Or, in the dialect `seed`, an ACTION has another id than the session.
    WrongSession = 9,
}

impl ErrorCode {
    /// The code's byte in an ERROR frame.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text sent in an ERROR frame, in the language of the protocol (Catalan).
    pub fn text(self) -> &'static str {
        match self {
            ErrorCode::UnknownMove => "Moviment Desconegut",
            ErrorCode::InvalidMove => "Moviment Invalid",
            ErrorCode::Unexpected => "Comanda Inesperada",
            ErrorCode::WrongSessionLater => "ID Sessio Incorrecte",
            ErrorCode::WrongSession => "Sessio Incorrecte",
        }
    }
}

impl TryFrom<u8> for ErrorCode {
    type Error = UnknownByte;

    fn try_from(byte: u8) -> Result<ErrorCode, UnknownByte> {
        Ok(match byte {
            0 => ErrorCode::UnknownMove,
            1 => ErrorCode::InvalidMove,
            2 => ErrorCode::Unexpected,
            3 => ErrorCode::WrongSessionLater,
            9 => ErrorCode::WrongSession,
            _ => return Err(UnknownByte(byte)),
        })
    }
}

/// An explanation in English. An ERROR frame contains the [`text`](ErrorCode::text) instead.
impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ErrorCode::UnknownMove => "there is no such cell",
            ErrorCode::InvalidMove => "that cell is taken",
            ErrorCode::Unexpected => "this command does not fit here",
            ErrorCode::WrongSessionLater => "that is not this session's id",
            ErrorCode::WrongSession => "the session was refused, or has another id",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_bytes_are_error_codes() {
        let known: Vec<u8> = (0..=255)
            .filter(|&byte| ErrorCode::try_from(byte).is_ok_and(|known| known.code() == byte))
            .collect();
        assert_eq!(known, [0, 1, 2, 3, 9]);
    }
}
