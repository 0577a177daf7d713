//! What a session requests from the server, and the events that the server reports to it.

use std::fmt;

use crate::cell::Cell;
use crate::error_code::ErrorCode;
use crate::message::GameResult;
use crate::text::Text;

/// What a session asks of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionRequest {
    /// The client sent a valid PLAY: give it a seat. Answer with [`SessionEvent::Admitted`] or
    /// [`SessionEvent::NotSeated`]; in [`GameMode::Pairs`](crate::GameMode::Pairs) when there is an
    /// opponent.
    Seat,
    /// The client plays this cell in its turn. Answer with [`SessionEvent::Accepted`],
    /// [`SessionEvent::Played`], [`SessionEvent::Refused`] or [`SessionEvent::Over`].
    Move(Cell),
    /// The client sent an ERROR, which changes nothing: log it. Needs no answer.
    ClientError(ReceivedError),
    /// Send the pending bytes, then close the connection. No request follows.
    Close(CloseReason),
}

/// An ERROR that a client sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceivedError {
    /// The byte as received. [`ErrorCode::try_from`] knows the documented codes.
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
    /// A name of more than 255 bytes.
    NameTooLong,
    /// An ERROR with more than 255 bytes of text.
    TextTooLong,
    /// A byte that is not an opcode.
    UnknownOpcode(u8),
    /// [`MAX_ERRORS`](crate::MAX_ERRORS) errors in a row.
    TooManyErrors,
}

/// What the server reports to a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionEvent {
    /// A game starts.
    Admitted {
        /// Whether this client moves first.
        first: bool,
    },
    /// There is no seat now. The client gets ADMIT 0 and may send PLAY again.
    NotSeated,
    /// The client's move is valid and the opponent is to move. Nothing is sent.
    Accepted,
    /// The opponent's move. It is then this client's turn. As an answer to a move it also confirms the
    /// client's move.
    Played(Cell),
    /// The client's move was refused; nothing has changed.
    Refused(MoveRefusal),
    /// The game is over, by a move of either side or because the opponent left. Report this instead of the
    /// last `Accepted` or `Played`.
    Over {
        /// The result for this client.
        result: GameResult,
        /// The opponent's last cell, if it ended the game.
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
