//! What a server complains of: the code and the text of an ERROR.

use std::fmt;

/// The errors that a server sends. The texts are the protocol's, in its own language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Complaint {
    /// An ACTION names no cell.
    UnknownMove = 0,
    /// An ACTION names a cell that has a mark.
    InvalidMove = 1,
    /// A known frame at the wrong time, or an unknown opcode.
    Unexpected = 2,
    /// An ACTION with another id than the session's, in the later dialect.
    WrongSessionLater = 3,
    /// HELLO refused; or an ACTION with another id than the session's, in the seed's dialect.
    WrongSession = 9,
}

impl Complaint {
    /// The complaint with this code.
    pub fn from_code(code: u8) -> Option<Complaint> {
        Some(match code {
            0 => Complaint::UnknownMove,
            1 => Complaint::InvalidMove,
            2 => Complaint::Unexpected,
            3 => Complaint::WrongSessionLater,
            9 => Complaint::WrongSession,
            _ => return None,
        })
    }

    /// Its byte in an ERROR.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Its text in an ERROR.
    pub fn text(self) -> &'static str {
        match self {
            Complaint::UnknownMove => "Moviment Desconegut",
            Complaint::InvalidMove => "Moviment Invalid",
            Complaint::Unexpected => "Comanda Inesperada",
            Complaint::WrongSessionLater => "ID Sessio Incorrecte",
            Complaint::WrongSession => "Sessio Incorrecte",
        }
    }
}

/// In English, for people; [`text`](Complaint::text) is what is sent.
impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Complaint::UnknownMove => "there is no such cell",
            Complaint::InvalidMove => "that cell is taken",
            Complaint::Unexpected => "this command does not fit here",
            Complaint::WrongSessionLater => "that is not this session's id",
            Complaint::WrongSession => "the session was refused, or has another id",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_codes_are_known() {
        let known: Vec<u8> = (0..=255)
            .filter(|&code| Complaint::from_code(code).is_some())
            .collect();
        assert_eq!(known, [0, 1, 2, 3, 9]);
        assert!(
            known
                .iter()
                .all(|&code| Complaint::from_code(code).is_some_and(|it| it.code() == code))
        );
    }
}
