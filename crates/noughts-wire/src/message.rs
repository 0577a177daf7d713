//! The messages of clients and servers.

use crate::opcode::UnknownByte;
use crate::text::{Name, Text};

/// A message from a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromClient {
    /// Starts a session.
    Hello {
        /// In the dialect `seed`, a number of five digits that the client chooses. In the dialect `later`, 0. The
        /// decoder accepts any number.
        id: u32,
        /// The player's name.
        name: Name,
    },
    /// Starts a game.
    Play {
        /// The session's id.
        id: u32,
    },
    /// Marks a cell.
    Action {
        /// The session's id.
        id: u32,
        /// The bytes as received. [`Cell::try_from`](crate::Cell) validates them.
        cell: [u8; 3],
    },
    /// Reports an error of the server.
    Error {
        /// The session's id.
        id: u32,
        /// The byte as received. [`ErrorCode::try_from`](crate::ErrorCode) accepts only the documented codes.
        code: u8,
        /// An explanation.
        text: Text,
    },
}

/// A message from a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromServer {
    /// The session has started.
    Ready {
        /// The session's id: the client's id or, in the dialect `later`, an id chosen by the server.
        id: u32,
    },
    /// Answers PLAY.
    Admit {
        /// The session's id.
        id: u32,
        /// Whether a game starts, and who moves first.
        flag: Admission,
    },
    /// The opponent marked a cell.
    Action {
        /// The session's id.
        id: u32,
        /// The bytes as received. [`Cell::try_from`](crate::Cell) validates them.
        cell: [u8; 3],
    },
    /// The game is over.
    Result {
        /// The session's id.
        id: u32,
        /// The cell of the opponent's last move if that move ended the game, otherwise [`NO_CELL`]. `None` in
        /// the dialect `seed`.
        cell: Option<[u8; 3]>,
        /// The result for the receiver.
        flag: GameResult,
    },
    /// The server refuses a frame of the client. The frame changed nothing.
    Error {
        /// The session's id. Before READY, it is the id of the frame that caused the error, or 0 if the opcode of this
        /// frame is unknown.
        id: u32,
        /// The byte as received. [`ErrorCode::try_from`](crate::ErrorCode) accepts only the documented codes.
        code: u8,
        /// An explanation.
        text: Text,
    },
}

/// The cell field of a RESULT in the dialect `later`, if the game did not end with a move of the opponent.
pub const NO_CELL: [u8; 3] = *b"---";

/// The flag of ADMIT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Admission {
    /// No game starts. The client may send PLAY again with the id in this ADMIT.
    Refused = 0,
    /// A game starts, and the client moves first.
    First = 1,
    /// A game starts, and the client moves second. Only in games of two clients.
    Second = 2,
}

/// The flag of RESULT, from the receiver's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum GameResult {
    /// The opponent won.
    Lost = 0,
    /// The receiver won.
    Won = 1,
    /// Nobody won.
    Draw = 2,
}

impl TryFrom<u8> for Admission {
    type Error = UnknownByte;

    fn try_from(byte: u8) -> Result<Admission, UnknownByte> {
        [Admission::Refused, Admission::First, Admission::Second]
            .into_iter()
            .find(|&flag| flag as u8 == byte)
            .ok_or(UnknownByte(byte))
    }
}

impl TryFrom<u8> for GameResult {
    type Error = UnknownByte;

    fn try_from(byte: u8) -> Result<GameResult, UnknownByte> {
        [GameResult::Lost, GameResult::Won, GameResult::Draw]
            .into_iter()
            .find(|&flag| flag as u8 == byte)
            .ok_or(UnknownByte(byte))
    }
}

impl GameResult {
    /// The same result from the opponent's point of view.
    ///
    /// ```
    /// use noughts_wire::GameResult;
    ///
    /// assert_eq!(GameResult::Won.for_opponent(), GameResult::Lost);
    /// assert_eq!(GameResult::Draw.for_opponent(), GameResult::Draw);
    /// ```
    #[must_use]
    pub fn for_opponent(self) -> GameResult {
        match self {
            GameResult::Lost => GameResult::Won,
            GameResult::Won => GameResult::Lost,
            GameResult::Draw => GameResult::Draw,
        }
    }
}
