//! The result of a search.

use std::fmt;
use std::time::Duration;

use noughts_rules::Move;

/// The value of a position to the side to move, as far as a search knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// It wins in this many plies, whatever the others do. Its own next move is the first ply.
    Win {
        /// Plies to the end.
        plies: u32,
    },
    /// It loses in this many plies if the others play well.
    Loss {
        /// Plies to the end.
        plies: u32,
    },
    /// Best play leads to a draw.
    Draw,
    /// Unknown: an estimate, positive if the side to move stands better. About 10 000 and more means a decided game.
    Estimate(i32),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Win { plies } => write!(f, "win in {plies}"),
            Value::Loss { plies } => write!(f, "loss in {plies}"),
            Value::Draw => f.write_str("draw"),
            Value::Estimate(points) => write!(f, "{:+.2}", f64::from(*points) / 100.0),
        }
    }
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// Value to the side to move.
    pub value: Value,
    /// The principal variation; its first move is the best move found.
    pub line: Vec<Move>,
    /// Completed depth in plies.
    pub depth: u32,
    /// Number of positions searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}
