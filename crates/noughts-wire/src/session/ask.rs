//! What a session wants from outside, and what it is told.

use std::fmt;

use crate::cell::Cell;
use crate::complaint::Complaint;
use crate::message::Verdict;
use crate::text::Text;

/// What a session wants from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// PLAY was right: seat this client at a table. Answered by [`News::Admitted`] or
    /// [`News::NotSeated`]; on the door for pairs as late as there is an opponent.
    Seat,
    /// The client, whose turn it is, plays this cell. Answered by [`News::Accepted`],
    /// [`News::Played`], [`News::Refused`] or [`News::Over`].
    Move(Cell),
    /// The client complained, which changes nothing: log it. Not answered.
    Heard(Heard),
    /// Send what was answered, then close. The last ask of all.
    Close(Why),
}

/// What a client complained of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heard {
    /// Any byte; [`Complaint::from_code`] knows some.
    pub code: u8,
    /// In any words; shown without control characters.
    pub text: Text,
}

/// Why a session wants to be closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// The server is above its limit.
    Full,
    /// A name of more than 255 bytes.
    NameTooLong,
    /// An ERROR with more than 255 bytes of text.
    TextTooLong,
    /// A byte that begins no frame.
    UnknownOpcode(u8),
    /// Too many frames in a row came to nothing.
    TooManyErrors,
}

/// What happened outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// A game begins; `first`: this client moves first.
    Admitted {
        /// This client moves first.
        first: bool,
    },
    /// There is no seat now: the client hears ADMIT 0 and may ask again.
    NotSeated,
    /// The client's move stands and the opponent is to move; the client hears nothing.
    Accepted,
    /// The opponent's move, after which it is this client's turn. As an answer to a move it also says
    /// that the move stands.
    Played(Cell),
    /// The client's move was not made, nothing has changed.
    Refused(Refused),
    /// The game is over, at any moment of it: by the client's move, the opponent's, or because the
    /// opponent left. Told instead of the last `Accepted` or `Played`.
    Over {
        /// Seen by this client.
        verdict: Verdict,
        /// The opponent's last cell, if that ended the game.
        opponent_cell: Option<Cell>,
    },
}

/// Why a move was not made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refused {
    /// There is no such cell.
    NoSuchCell,
    /// The cell has a mark.
    Occupied,
    /// It is not this client's turn, or the game is over.
    NotNow,
}

impl Refused {
    /// What the client hears.
    pub fn complaint(self) -> Complaint {
        match self {
            Refused::NoSuchCell => Complaint::UnknownMove,
            Refused::Occupied => Complaint::InvalidMove,
            Refused::NotNow => Complaint::Unexpected,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Full => write!(f, "the server is full"),
            Why::NameTooLong => write!(f, "the name is too long"),
            Why::TextTooLong => write!(f, "the text of an error is too long"),
            Why::UnknownOpcode(byte) => write!(f, "no frame has the opcode {byte}"),
            Why::TooManyErrors => write!(f, "too many errors in a row"),
        }
    }
}
