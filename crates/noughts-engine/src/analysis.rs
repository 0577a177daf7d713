//! The result of a search.

use std::fmt;
use std::time::Duration;

use noughts_rules::Move;

use crate::search::AS_GOOD_AS_WON;
use crate::solver::GameValue;

/// The value of a position for the side to move, as far as a search found it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The side to move can force a win.
    Win {
        /// The side to move can win within this many plies. The next move is the first ply.
        plies: u32,
    },
    /// The other sides together can force a loss of the side to move.
    Loss {
        /// The side to move loses within this many plies. The next move is the first ply.
        plies: u32,
    },
    /// Best play leads to a draw.
    Draw,
    /// An estimate, positive if the side to move is better. Also stands for a certain win or loss whose
    /// distance is not known. A value beyond about ±10 000 means that one side almost certainly wins.
    Estimate(i32),
}

impl Value {
    /// Converts a solved value. A win or a loss of unknown distance becomes an estimate.
    pub(crate) fn of_exact(value: GameValue, plies: Option<u32>) -> Value {
        match (value, plies) {
            (GameValue::Win, Some(plies)) => Value::Win { plies },
            (GameValue::Loss, Some(plies)) => Value::Loss { plies },
            (GameValue::Win, None) => Value::Estimate(AS_GOOD_AS_WON),
            (GameValue::Loss, None) => Value::Estimate(-AS_GOOD_AS_WON),
            (GameValue::Draw, _) => Value::Draw,
        }
    }
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
    /// The value of the position for the side to move.
    pub value: Value,
    /// The principal variation: the best moves of all sides. The first move is the best move found.
    pub line: Vec<Move>,
    /// The depth in plies that the search completed. If the value comes from the solver, the depth may be the
    /// number of plies to the end, or 0.
    pub depth: u32,
    /// Number of positions searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// The exact values of all legal moves, the best first. Empty if the values are not known.
    pub moves: Vec<MoveValue>,
}

impl Analysis {
    /// The exact value, and the number of plies to the end if this number is known. `None` if the analysis has only an
    /// estimate.
    pub fn exact(&self) -> Option<(GameValue, Option<u32>)> {
        match (self.moves.first(), self.value) {
            (Some(best), _) => Some((best.value, best_distance(&self.moves))),
            (None, Value::Win { plies }) => Some((GameValue::Win, Some(plies))),
            (None, Value::Loss { plies }) => Some((GameValue::Loss, Some(plies))),
            (None, Value::Draw) => Some((GameValue::Draw, None)),
            (None, Value::Estimate(_)) => None,
        }
    }
}

/// The exact value of a move for the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The move.
    pub at: Move,
    /// Win, draw or loss if both sides play best after this move.
    pub value: GameValue,
    /// The number of plies to the end, including this move, if the winner wins as early as possible and the loser loses
    /// as late as possible. `None` if the exact distance was not found.
    pub distance: Option<u32>,
}

impl MoveValue {
    /// A sort key. Wins rank above draws, and draws above losses. Earlier wins rank above later wins, and later losses
    /// above earlier losses. A win of unknown distance ranks last among the wins, and a loss of unknown distance ranks
    /// last among the losses.
    pub(crate) fn rank(&self) -> (GameValue, i64) {
        let plies = match (self.value, self.distance.map(i64::from)) {
            (GameValue::Win, Some(plies)) => -plies,
            (GameValue::Loss, Some(plies)) => plies,
            (GameValue::Win | GameValue::Loss, None) => i64::MIN,
            (GameValue::Draw, _) => 0,
        };
        (self.value, plies)
    }
}

/// The distance of the best move, which must be the first of `moves`. `None` if `moves` is empty, or if
/// another move of the same value has no known distance, because the other move may be better.
pub(crate) fn best_distance(moves: &[MoveValue]) -> Option<u32> {
    let best = moves.first()?;
    let mut equal = moves.iter().filter(|other| other.value == best.value);
    let is_known = equal.all(|other| other.distance.is_some());
    best.distance.filter(|_| is_known)
}
