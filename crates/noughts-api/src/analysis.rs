//! What was found out about a finished game.

use serde::{Deserialize, Serialize};

use crate::view::TurnView;

/// A finished game, turn by turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GameAnalysis {
    /// The game's name.
    pub id: String,
    /// Which game.
    pub variant: String,
    /// Every turn, oldest first.
    pub turns: Vec<TurnAnalysis>,
}

/// What stood before a turn, and what the turn made of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TurnAnalysis {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// Who did what.
    pub done: TurnView,
    /// What the position before it was worth to the side to move; null where the time was over.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub worth: Option<Evaluation>,
    /// The best move that was found there.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub best: Option<String>,
    /// What was given away by it, where that is known; null where nothing was.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub mistake: Option<Mistake>,
}

/// What a position is worth to the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evaluation {
    /// In a word.
    pub value: GameValue,
    /// Where it is won or lost: in so many plays at best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// Where it is unknown: above 0 where the side to move stands better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<i32>,
}

/// A position's worth in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum GameValue {
    /// It is lost, if the others play well.
    Loss,
    /// It can be held.
    Draw,
    /// It can be won, whatever the others do.
    Win,
    /// Nobody found out.
    Unknown,
}

/// What a turn gave away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mistake {
    /// What there was before it, for who made it.
    pub had: GameValue,
    /// What there was after it.
    pub left: GameValue,
}
