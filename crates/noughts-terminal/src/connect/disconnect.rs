//! Why a visit ends, or a server could not be played with.

use std::fmt;
use std::io;

use noughts_engine::RobotFault;
use noughts_wire::{Cell, ProtocolError, Stage, Text};

/// Why a conversation is over.
#[derive(Debug)]
pub(super) enum Exit {
    /// Somebody asked to go, or nobody is there any more.
    Quit,
    /// The server is gone, or can't be played with.
    Disconnected(Disconnect),
    /// The person could not be asked or told.
    Failed(io::Error),
}

/// How a server was lost, or why it was left.
#[derive(Debug)]
pub enum Disconnect {
    /// It ended the connection at this stage.
    Left(Stage),
    /// It owed an answer at this stage, and has not given it.
    Silent(Stage),
    /// It complained of what was asked at this stage.
    Refused {
        /// The stage after it.
        stage: Stage,
        /// Its number for it.
        code: u8,
        /// Its words.
        text: Text,
    },
    /// It did not let this client play.
    NotAdmitted,
    /// It broke the protocol; it was told where the protocol has a word for it.
    Broken(ProtocolError),
    /// It played when the game was over, or not its turn.
    PlayedOn(Cell),
    /// The connection failed in another way than by ending.
    Lost(io::Error),
    /// The robot, a program from outside, gave no move.
    Robot(RobotFault),
}

/// Why a visit did not end as it should.
#[derive(Debug)]
pub enum ConnectError {
    /// The server's part.
    Server(Disconnect),
    /// Reading or writing failed at this end; a closed output is
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
                "the server accepted the connection but says nothing; it may play something else",
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
                write!(f, "{fault}; it was told so (error 0), and the game ends")
            }
            Disconnect::Broken(fault @ ProtocolError::Occupied(_)) => {
                write!(f, "{fault}; it was told so (error 1), and the game ends")
            }
            Disconnect::Broken(fault) => {
                write!(f, "{fault}; it may play something else")
            }
            Disconnect::PlayedOn(cell) => {
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
            "instead of answering; it may be full, or play something else"
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
