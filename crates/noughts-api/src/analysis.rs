//! The analysis of a finished game.

use serde::{Deserialize, Serialize};

use crate::view::TurnView;

/// The analysis of a finished game, turn by turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GameAnalysis {
    /// The game's id.
    pub id: String,
    /// The variant.
    pub variant: String,
    /// The turns, oldest first.
    pub turns: Vec<TurnAnalysis>,
}

/// The analysis of one turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TurnAnalysis {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// The completed turn.
    pub done: TurnView,
    /// The value of the position before the turn, for the side to move; null if the time for the analysis did
    /// not suffice.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub worth: Option<Evaluation>,
    /// The best move found in the position before the turn; null if no best move was found in time.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub best: Option<String>,
    /// The best moves of all sides in order, from the position before the turn, as far as the search found
    /// them. The first move is `best`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    /// After a play: the moves with which the side that played could complete a line, if it could move again.
    /// Two or more of these moves are a fork. Absent if there are no such moves, and after every turn that is
    /// not a play. Always absent on nine boards, on boards with more than 1 024 cells, and in misère games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threats: Vec<String>,
    /// Like `threats`, but after the move `best` instead of the completed turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub best_threats: Vec<String>,
    /// The exact values of all legal moves in the position before the turn, best first; absent if the values are not
    /// known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveEvaluation>,
    /// The values before and after the turn, if the turn is known to be a mistake; otherwise null.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub mistake: Option<Mistake>,
}

/// The value of a position for the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evaluation {
    /// Win, draw, loss or unknown.
    pub value: GameValue,
    /// The number of plays until the end, if the value is a win or a loss and the number is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub plies: Option<u32>,
    /// An estimate, if the value is unknown. It is positive if the side to move has the advantage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub estimate: Option<i32>,
}

/// The exact value of a move for the player who makes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MoveEvaluation {
    /// The move, such as `5-3`.
    #[serde(rename = "move")]
    pub at: String,
    /// Win, draw or loss.
    pub value: GameValue,
    /// The number of plays until the end, including this move, if the value is a win or a loss and the number is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
}

/// The game-theoretic value of a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum GameValue {
    /// The side to move loses against perfect play.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move can force a win.
    Win,
    /// The value is not known.
    Unknown,
}

/// A turn after which the value is worse than before, for the player who made the turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mistake {
    /// The value before the turn, for the player who made the turn.
    pub had: GameValue,
    /// The value after the turn, for the same player.
    pub left: GameValue,
}
