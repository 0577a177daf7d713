//! The requests of a session to the server, and the events that the server reports to the session.

use std::fmt;

use crate::cell::Cell;
use crate::error_code::ErrorCode;
use crate::message::GameResult;
use crate::text::Text;

/// A request of a session to the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionRequest {
    /// The client sent a valid PLAY: give the client a seat. Answer with [`SessionEvent::Admitted`] or
    /// [`SessionEvent::NotSeated`]. In [`GameMode::Pairs`](crate::GameMode::Pairs), send `Admitted` only when there is
    /// an opponent.
    Seat,
    /// The client plays in this cell, and it is the client's turn. Answer with [`SessionEvent::Accepted`],
    /// [`SessionEvent::Played`], [`SessionEvent::Refused`] or [`SessionEvent::Over`].
    Move(Cell),
    /// The client sent an ERROR. The server should log it. An ERROR changes nothing and needs no answer.
    ClientError(ReceivedError),
    /// Send the pending bytes, then close the connection. No request follows.
    Close(CloseReason),
}

/// An ERROR that a client sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceivedError {
    /// The byte as received. [`ErrorCode::try_from`] accepts only the documented codes.
    pub code: u8,
    /// The client's explanation.
    pub text: Text,
}

/// Why a session closes its connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CloseReason {
    /// The server has reached its connection limit.
    Full,
    /// The client sent a name of more than 255 bytes.
    NameTooLong,
    /// The client sent an ERROR with more than 255 bytes of text.
    TextTooLong,
    /// The client sent a byte that is not an opcode.
    UnknownOpcode(u8),
    /// The session counted [`MAX_ERRORS`](crate::MAX_ERRORS) errors in a row.
    TooManyErrors,
}

/// An event that the server reports to a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionEvent {
    /// A game starts.
    Admitted {
        /// Whether this client moves first.
        first: bool,
    },
    /// No seat is free now. The client gets ADMIT 0 and may send PLAY again.
    NotSeated,
    /// The client's move is valid, and it is the opponent's turn. The client gets no frame.
    Accepted,
    /// The opponent played in this cell. It is now this client's turn. As an answer to a move, this event also
    /// confirms the client's move.
    Played(Cell),
    /// The client's move was refused. It is still this client's turn.
    Refused(MoveRefusal),
    /// The game is over: a move ended it, or the opponent left. If a move ended the game, report `Over` instead of
    /// `Accepted` or `Played`.
    Over {
        /// The result for this client.
        result: GameResult,
        /// The cell of the opponent's last move, if that move ended the game.
        opponent_cell: Option<Cell>,
    },
}

/// Why a move was refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveRefusal {
    /// There is no such cell.
    NoSuchCell,
    /// The cell has a mark.
    Occupied,
    /// It is not this client's turn, or the game is over.
    NotNow,
}

impl MoveRefusal {
    /// The error code that the client receives.
    pub fn error_code(self) -> ErrorCode {
        match self {
            MoveRefusal::NoSuchCell => ErrorCode::UnknownMove,
            MoveRefusal::Occupied => ErrorCode::InvalidMove,
            MoveRefusal::NotNow => ErrorCode::Unexpected,
        }
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloseReason::Full => write!(f, "the server is full"),
            CloseReason::NameTooLong => write!(f, "the name is too long"),
            CloseReason::TextTooLong => write!(f, "the text of an error is too long"),
            CloseReason::UnknownOpcode(byte) => write!(f, "no frame has the opcode {byte}"),
            CloseReason::TooManyErrors => write!(f, "too many errors in a row"),
        }
    }
}
