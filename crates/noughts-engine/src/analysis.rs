//! What a position is worth, and how that was found.

use std::fmt;
use std::time::Duration;

use noughts_rules::Move;

/// What a position is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// It wins in so many plies, its own next move the first, whatever the others do.
    Win {
        /// Plies to the end.
        plies: u32,
    },
    /// It loses in so many plies, if the others play well.
    Loss {
        /// Plies to the end.
        plies: u32,
    },
    /// It can hold a draw, and force no more.
    Draw,
    /// Not known: an estimate, above 0 where it stands better. A decided game is some 10 000.
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

/// What a search found out.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// GameValue to the side to move.
    pub value: Value,
    /// The best line that was found; its first move is the best move.
    pub line: Vec<Move>,
    /// How many plies were looked ahead.
    pub depth: u32,
    /// How many positions were looked at.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}
