//! How a client starts a session, the stages of the session, and its events and errors.

use std::fmt;

use crate::cell::Cell;
use crate::decode::FrameError;
use crate::message::GameResult;
use crate::opcode::Opcode;
use crate::text::Text;

/// How a client starts a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Greeting {
    /// In the dialect `seed`, with this id. The client does not check the id. Servers accept only ids of five digits.
    Seed(u32),
    /// In the dialect `later`. HELLO has the id 0, and the server chooses the id.
    Later,
}

/// An event of a client's session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The session has started.
    Ready {
        /// The session's id. It has five digits if the server follows the protocol.
        id: u32,
    },
    /// A game starts.
    Admitted {
        /// Whether this client moves first.
        first: bool,
    },
    /// The server started no game. The client may send PLAY again. The new PLAY contains the id that the
    /// server sent with this answer.
    NotAdmitted,
    /// The opponent played in this cell, which was free. It is now this client's turn.
    Played(Cell),
    /// The game is over. The client may send PLAY to start another game.
    Over {
        /// The result for this client.
        result: GameResult,
        /// The opponent's last cell, if the server sent one (only in the dialect `later`). The client does not check
        /// whether this cell was free.
        opponent_cell: Option<Cell>,
    },
    /// The server sent an ERROR. The last request had no effect and may be repeated.
    Refused {
        /// The byte as received. [`ErrorCode::try_from`](crate::ErrorCode) accepts only the documented codes.
        code: u8,
        /// The server's explanation.
        text: Text,
    },
    /// The server broke the protocol. The session is over.
    Broken(ProtocolError),
    /// The server ended the connection. The session is over.
    Left,
}

/// How a server broke the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The server's move is not a cell. The session answers with ERROR 0.
    NotACell([u8; 3]),
    /// The server's move is on an occupied cell. The session answers with ERROR 1.
    Occupied(Cell),
    /// In the dialect `seed`, READY has another id than HELLO.
    OtherId(u32),
    /// The server sent a frame that is not allowed at this stage.
    Unexpected(Opcode, Stage),
    /// The server sent bytes that are not a frame.
    Frame(FrameError),
}

/// The stage of a client's session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// HELLO was not sent, or the server refused it.
    New,
    /// HELLO was sent and not answered yet.
    Greeting,
    /// PLAY may be sent.
    Ready,
    /// PLAY was sent and not answered yet.
    Joining,
    /// It is this client's turn.
    ItsTurn,
    /// ACTION was sent, and the server has not confirmed the move yet. The opponent's next move or the end of
    /// the game confirms it.
    Moving,
    /// The client moves second, and the opponent has not moved yet.
    OpponentsTurn,
    /// The session is over.
    Ended,
}

/// A frame cannot be sent at this stage. Nothing was sent and nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongStage {
    /// The kind of the frame that was not sent.
    pub opcode: Opcode,
    /// The current stage.
    pub stage: Stage,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProtocolError::NotACell(bytes) => {
                write!(
                    f,
                    "the server played \"{}\", which is not a cell",
                    bytes.escape_ascii()
                )
            }
            ProtocolError::Occupied(cell) => write!(f, "the server played {cell}, which is taken"),
            ProtocolError::OtherId(id) => {
                write!(f, "the server confirmed the id {id}, which is not ours")
            }
            ProtocolError::Unexpected(opcode, stage) => {
                write!(f, "the server sent {opcode} while {stage}")
            }
            ProtocolError::Frame(error) => {
                write!(f, "the server sent bytes that are not a frame: {error}")
            }
        }
    }
}

impl std::error::Error for ProtocolError {}

/// A clause that follows the word "while" in an error message.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stage::New => "no HELLO was sent",
            Stage::Greeting => "HELLO was not answered yet",
            Stage::Ready => "no game was running",
            Stage::Joining => "PLAY was not answered yet",
            Stage::ItsTurn => "it was the client's turn",
            Stage::Moving => "ACTION was not answered yet",
            Stage::OpponentsTurn => "the opponent had not moved yet",
            Stage::Ended => "the session was over",
        })
    }
}

impl fmt::Display for WrongStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be sent while {}", self.opcode, self.stage)
    }
}

impl std::error::Error for WrongStage {}
