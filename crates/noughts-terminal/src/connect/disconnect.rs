//! Why the connection to a server ended.

use std::fmt;
use std::io;

use noughts_engine::RobotFault;
use noughts_wire::{Cell, FrameError, ProtocolError, Stage, Text};

/// Why the game loop ended.
#[derive(Debug)]
pub(super) enum Exit {
    /// The user quit, or the input ended.
    Quit,
    /// The connection ended, for this reason.
    Disconnected(Disconnect),
    /// Reading from or writing to the terminal failed.
    Failed(io::Error),
}

/// Why the connection ended.
#[derive(Debug)]
pub enum Disconnect {
    /// The server closed the connection at this stage.
    Left(Stage),
    /// The server did not answer at this stage.
    Silent(Stage),
    /// The server sent an ERROR.
    Refused {
        /// The stage of the session.
        stage: Stage,
        /// The error code.
        code: u8,
        /// The error text.
        text: Text,
    },
    /// The server did not admit this client.
    NotAdmitted,
    /// The server broke the protocol.
    Broken(ProtocolError),
    /// The server played this cell, which is illegal or out of turn.
    IllegalCell(Cell),
    /// The connection failed.
    Lost(io::Error),
    /// The external engine failed.
    Robot(RobotFault),
}

/// Why playing failed.
#[derive(Debug)]
pub enum ConnectError {
    /// The connection ended.
    Server(Disconnect),
    /// Reading from or writing to the terminal failed. The error for a closed output is
    /// [`BrokenPipe`](io::ErrorKind::BrokenPipe).
    Terminal(io::Error),
}

impl From<io::Error> for Exit {
    fn from(error: io::Error) -> Exit {
        Exit::Failed(error)
    }
}

impl From<Disconnect> for Exit {
    fn from(disconnect: Disconnect) -> Exit {
        Exit::Disconnected(disconnect)
    }
}

impl fmt::Display for Disconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disconnect::Left(stage) => write!(f, "the server left {}", left(*stage)),
            Disconnect::Silent(Stage::New | Stage::Greeting) => f.write_str(
                "the server accepted the connection but says nothing; it may not be a Noughts TCP server",
            ),
            Disconnect::Silent(_) => f.write_str("the server does not say how the game ended"),
            Disconnect::Refused { stage, code, text } => {
                let what = match stage {
                    Stage::New | Stage::Greeting => "the session",
                    Stage::Ready | Stage::Joining => "a game",
                    Stage::ItsTurn | Stage::Moving | Stage::OpponentsTurn | Stage::Ended => {
                        "a move"
                    }
                };
                write!(
                    f,
                    "the server refused {what}; its words: {text} (error {code})"
                )
            }
            Disconnect::NotAdmitted => f.write_str("the server did not begin a game, twice"),
            Disconnect::Broken(fault @ ProtocolError::NotACell(_)) => {
                write!(f, "{fault}; the client sent error 0 and ended the game")
            }
            Disconnect::Broken(fault @ ProtocolError::Occupied(_)) => {
                write!(f, "{fault}; the client sent error 1 and ended the game")
            }
            Disconnect::Broken(ProtocolError::Frame(FrameError::UnknownOpcode(b'H'))) => {
                f.write_str("the server is not a Noughts TCP server; for HTTP use `noughts play`")
            }
            Disconnect::Broken(fault) => {
                write!(f, "{fault}; it may not be a Noughts TCP server")
            }
            Disconnect::IllegalCell(cell) => {
                write!(
                    f,
                    "the server played {cell}, though it was not its turn to play"
                )
            }
            Disconnect::Lost(error) => write!(f, "the connection was lost: {error}"),
            Disconnect::Robot(fault) => write!(f, "the robot does not play: {fault}"),
        }
    }
}

fn left(stage: Stage) -> &'static str {
    match stage {
        Stage::New | Stage::Greeting => {
            "instead of answering; it may be full, or not be a Noughts TCP server"
        }
        Stage::Ready | Stage::Joining => "before a game began",
        Stage::ItsTurn => "while it waited for a move",
        Stage::Moving | Stage::OpponentsTurn | Stage::Ended => "in the middle of the game",
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::Server(disconnect) => disconnect.fmt(f),
            ConnectError::Terminal(error) => write!(f, "reading or writing failed: {error}"),
        }
    }
}

impl std::error::Error for ConnectError {}
