//! What a seat asks for.

use std::fmt;

use noughts_rules::{Action, Game, Move, PlaceError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a seat asks for, in answer to the table as it was in a turn: exactly one of `play`, `rewind`
/// and `resign`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"turn": 5, "play": "1-0"}))]
pub struct Act {
    /// The `turn` of the view that this answers.
    pub turn: usize,
    /// Put a mark, such as `1-0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<String>,
    /// Take so many marks back, and pass the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewind: Option<u16>,
    /// Give up, if true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<bool>,
}

/// What an [`Act`] says, once it is clear that it says one thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed {
    /// Put a mark.
    Play(String),
    /// Take marks back.
    Rewind(u16),
    /// Give up.
    Resign,
}

/// Why an [`Act`] says nothing that can be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadAct {
    /// None of the three, or several.
    NotOne,
    /// The move is not written as moves of this game are.
    Place(PlaceError),
}

impl Act {
    /// The one thing that it says.
    pub fn deed(&self) -> Result<Deed, BadAct> {
        match (&self.play, self.rewind, self.resign) {
            (Some(play), None, None) => Ok(Deed::Play(play.clone())),
            (None, Some(rewind), None) => Ok(Deed::Rewind(rewind)),
            (None, None, Some(true)) => Ok(Deed::Resign),
            _ => Err(BadAct::NotOne),
        }
    }
}

impl Deed {
    /// The action that it is in this game.
    pub fn action(&self, game: &Game) -> Result<Action, BadAct> {
        match self {
            // Only moves: `<<2` and `resign` have fields of their own.
            Deed::Play(text) => match game.read(text) {
                Ok(play @ Action::Play(_)) => Ok(play),
                Ok(Action::Rewind(_) | Action::Resign) => Err(BadAct::NotOne),
                // Written well, so the rules are asked: it may be too late for it anyway.
                Err(PlaceError::OffBoard { .. }) => {
                    Ok(Action::Play(Move::at(game.variant().cells())))
                }
                Err(error @ PlaceError::Unreadable { .. }) => Err(BadAct::Place(error)),
            },
            Deed::Rewind(count) => Ok(Action::Rewind(*count)),
            Deed::Resign => Ok(Action::Resign),
        }
    }
}

impl fmt::Display for BadAct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadAct::NotOne => f.write_str(
                "an action is exactly one of \"play\": \"1-0\", \"rewind\": 2 and \"resign\": true",
            ),
            BadAct::Place(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BadAct {}
