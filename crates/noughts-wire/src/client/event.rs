//! What a client asks for, and what it is told.

use std::fmt;

use crate::cell::Cell;
use crate::decode::Malformed;
use crate::message::Verdict;
use crate::opcode::Opcode;
use crate::text::Text;

/// How a client begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Greeting {
    /// The seed's dialect, with an id made by the client. It is sent as it is; a server takes five digits.
    Seed(u32),
    /// The later dialect: the server makes the id.
    Later,
}

/// What happened to a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The session has begun and has this id.
    Ready {
        /// Of five digits, if the server keeps the rules.
        id: u32,
    },
    /// A game begins.
    Admitted {
        /// This client moves first.
        first: bool,
    },
    /// No game; PLAY may be tried again, and will carry the id that the server named.
    NotAdmitted,
    /// The opponent's cell: a free one, and it is this client's turn.
    Played(Cell),
    /// The game is over; PLAY begins another.
    Over {
        /// Seen by this client.
        verdict: Verdict,
        /// The opponent's last cell where the later dialect names one; for the screen, not judged.
        opponent_cell: Option<Cell>,
    },
    /// The server complained. What was asked last was not done and may be tried again.
    Refused {
        /// Any byte; [`Complaint::from_code`](crate::Complaint::from_code) knows some.
        code: u8,
        /// The server's words.
        text: Text,
    },
    /// The server broke the protocol. The session is over.
    Broken(Fault),
    /// The server ended the connection. The session is over.
    Left,
}

/// How a server broke the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Its move names no cell; it was told so by ERROR 0.
    NotACell([u8; 3]),
    /// Its move is on a mark; it was told so by ERROR 1.
    Occupied(Cell),
    /// READY with an id that this client did not make.
    OtherId(u32),
    /// A frame that has no meaning at this stage.
    Unexpected(Opcode, Stage),
    /// Bytes that are no frame.
    Malformed(Malformed),
}

/// Where a client stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// It has not said HELLO, or was refused.
    New,
    /// It said HELLO.
    Greeting,
    /// It may PLAY.
    Ready,
    /// It said PLAY.
    Joining,
    /// It is to move.
    ItsTurn,
    /// It moved; the opponent's answer also says that the move stands.
    Moving,
    /// It moves second, and the opponent has not moved.
    OpponentsTurn,
    /// The session is over.
    Ended,
}

/// Something can't be said at this stage. Nothing was sent, nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotNow {
    /// What was to be said.
    pub opcode: Opcode,
    /// Where the client stands.
    pub stage: Stage,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotACell(bytes) => {
                write!(
                    f,
                    "the server played \"{}\", which is no cell",
                    bytes.escape_ascii()
                )
            }
            Fault::Occupied(cell) => write!(f, "the server played {cell}, which is taken"),
            Fault::OtherId(id) => write!(f, "the server confirmed the id {id}, which is not ours"),
            Fault::Unexpected(opcode, stage) => {
                write!(f, "the server sent {opcode} while {stage}")
            }
            Fault::Malformed(malformed) => {
                write!(f, "the server sent bytes that are no frame: {malformed}")
            }
        }
    }
}

impl std::error::Error for Fault {}

/// Reads on after "while".
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stage::New => "nobody had said HELLO",
            Stage::Greeting => "HELLO was to be answered",
            Stage::Ready => "no game was on",
            Stage::Joining => "PLAY was to be answered",
            Stage::ItsTurn => "it was the client's turn",
            Stage::Moving => "ACTION was to be answered",
            Stage::OpponentsTurn => "the opponent was to begin",
            Stage::Ended => "the session was over",
        })
    }
}

impl fmt::Display for NotNow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} can't be said while {}", self.opcode, self.stage)
    }
}

impl std::error::Error for NotNow {}
