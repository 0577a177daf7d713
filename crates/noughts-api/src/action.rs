//! What a seat asks for.

use std::fmt;

use noughts_rules::{Action, Game, Move, PlaceError};
use serde::{Deserialize, Serialize};

/// What a seat asks for, in answer to the table as it was in a turn: exactly one of `play`, `rewind`
/// and `resign`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", schema(example = json!({"turn": 5, "play": "1-0"})))]
pub struct ActionRequest {
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

/// What an [`ActionRequest`] says, once it is clear that it says one thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestedAction {
    /// Put a mark.
    Play(String),
    /// Take marks back.
    Rewind(u16),
    /// Give up.
    Resign,
}

/// Why an [`ActionRequest`] is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ActionError {
    /// None of the three, or several.
    NotOne,
    /// The move is not written as moves of this game are.
    Place(PlaceError),
}

impl ActionRequest {
    /// The one thing that it says.
    pub fn requested_action(&self) -> Result<RequestedAction, ActionError> {
        match (&self.play, self.rewind, self.resign) {
            (Some(play), None, None) => Ok(RequestedAction::Play(play.clone())),
            (None, Some(rewind), None) => Ok(RequestedAction::Rewind(rewind)),
            (None, None, Some(true)) => Ok(RequestedAction::Resign),
            _ => Err(ActionError::NotOne),
        }
    }
}

impl RequestedAction {
    /// The action that it is in this game.
    pub fn action(&self, game: &Game) -> Result<Action, ActionError> {
        match self {
            // Only moves: `<<2` and `resign` have fields of their own.
            RequestedAction::Play(text) => match game.parse_action(text) {
                Ok(play @ Action::Play(_)) => Ok(play),
                Ok(Action::Rewind(_) | Action::Resign) => Err(ActionError::NotOne),
                // Written well, so the rules are asked: it may be too late for it anyway.
                Err(PlaceError::OffBoard { .. }) => {
                    Ok(Action::Play(Move::at(game.variant().cells())))
                }
                Err(error @ PlaceError::Unreadable { .. }) => Err(ActionError::Place(error)),
            },
            RequestedAction::Rewind(count) => Ok(Action::Rewind(*count)),
            RequestedAction::Resign => Ok(Action::Resign),
        }
    }
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionError::NotOne => f.write_str(
                "an action is exactly one of \"play\": \"1-0\", \"rewind\": 2 and \"resign\": true",
            ),
            ActionError::Place(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ActionError {}
