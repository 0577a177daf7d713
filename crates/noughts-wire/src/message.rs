//! The messages, named by their direction.

use crate::text::{Name, Text};

/// What a client says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromClient {
    /// Begin a session.
    Hello {
        /// Five digits made by the client, or 0 for the later dialect.
        id: u32,
        /// Who plays.
        name: Name,
    },
    /// Begin a game.
    Play {
        /// The session's.
        id: u32,
    },
    /// Mark a cell.
    Action {
        /// The session's.
        id: u32,
        /// As it came; [`Cell::read`](crate::Cell::read) judges it.
        cell: [u8; 3],
    },
    /// Complain of the server.
    Error {
        /// The session's.
        id: u32,
        /// As it came; [`Complaint::from_code`](crate::Complaint::from_code) knows some.
        code: u8,
        /// In any words.
        text: Text,
    },
}

/// What a server says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromServer {
    /// The session has begun.
    Ready {
        /// The session's: the client's own, or in the later dialect the one that the server made.
        id: u32,
    },
    /// The answer to PLAY.
    Admit {
        /// The session's.
        id: u32,
        /// Whether a game begins, and who begins it.
        flag: Admission,
    },
    /// The opponent marked a cell.
    Action {
        /// The session's.
        id: u32,
        /// As it came; [`Cell::read`](crate::Cell::read) judges it.
        cell: [u8; 3],
    },
    /// The game is over.
    Result {
        /// The session's.
        id: u32,
        /// Only in the later dialect: the opponent's last cell if that ended the game, or `---`.
        cell: Option<[u8; 3]>,
        /// Who won, seen by the receiver.
        flag: Verdict,
    },
    /// The client did something wrong; nothing has changed.
    Error {
        /// The session's, or before READY that of the frame complained of.
        id: u32,
        /// As it came; [`Complaint::from_code`](crate::Complaint::from_code) knows some.
        code: u8,
        /// In any words.
        text: Text,
    },
}

/// In a RESULT of the later dialect: no cell of the opponent's ended the game.
pub const NO_CELL: [u8; 3] = *b"---";

/// The flag of ADMIT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Admission {
    /// Not admitted; PLAY may be tried again with the id that came along.
    Refused = 0,
    /// Admitted, and moves first.
    First = 1,
    /// Admitted, and moves second: only where two clients play.
    Second = 2,
}

/// The flag of RESULT, from the receiver's side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Verdict {
    /// The opponent won.
    Lost = 0,
    /// The receiver won.
    Won = 1,
    /// Nobody did.
    Draw = 2,
}

impl Admission {
    /// The flag with this byte.
    pub fn read(byte: u8) -> Option<Admission> {
        [Admission::Refused, Admission::First, Admission::Second]
            .into_iter()
            .find(|&flag| flag as u8 == byte)
    }
}

impl Verdict {
    /// The flag with this byte.
    pub fn read(byte: u8) -> Option<Verdict> {
        [Verdict::Lost, Verdict::Won, Verdict::Draw]
            .into_iter()
            .find(|&flag| flag as u8 == byte)
    }

    /// The same game, seen by the opponent.
    pub fn turned(self) -> Verdict {
        match self {
            Verdict::Lost => Verdict::Won,
            Verdict::Won => Verdict::Lost,
            Verdict::Draw => Verdict::Draw,
        }
    }
}
