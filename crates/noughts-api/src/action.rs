//! Actions of a seat.

use std::fmt;

use noughts_rules::{Action, Game, Move, PlaceError};
use serde::{Deserialize, Serialize};

/// A request to act in a turn: exactly one of `play`, `rewind` and `resign`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", schema(example = json!({"turn": 5, "play": "1-0"})))]
pub struct ActionRequest {
    /// The `turn` of the view to which this responds.
    pub turn: usize,
    /// The move to play, such as `1-0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<String>,
    /// The number of marks to take back; passes the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewind: Option<u16>,
    /// `true` resigns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<bool>,
}

/// The single action of an [`ActionRequest`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestedAction {
    /// Play a move.
    Play(String),
    /// Take marks back and pass the turn.
    Rewind(u16),
    /// Resign.
    Resign,
}

/// Why an [`ActionRequest`] is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ActionError {
    /// None or several of the three actions.
    NotOne,
    /// The text is not a move of this variant.
    Place(PlaceError),
}

impl ActionRequest {
    /// The requested action.
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
    /// The action in this game.
    pub fn action(&self, game: &Game) -> Result<Action, ActionError> {
        match self {
            // `<<2` and `resign` have fields of their own.
            RequestedAction::Play(text) => match game.parse_action(text) {
                Ok(play @ Action::Play(_)) => Ok(play),
                Ok(Action::Rewind(_) | Action::Resign) => Err(ActionError::NotOne),
                // Well formed, so that the rules check it, in their order.
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
