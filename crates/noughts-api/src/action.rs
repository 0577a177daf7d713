//! Actions of a seat.

use std::fmt;

use noughts_rules::{Action, Game, Move, PlaceError};
use serde::{Deserialize, Deserializer, Serialize};

use crate::view::OfferKind;

/// A request to act: exactly one of `play`, `rewind`, `resign`, `offer`, `accept`, `decline`, `abort` and `claim`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", schema(example = json!({"turn": 5, "play": "1-0"})))]
pub struct ActionRequest {
    /// The `turn` of the view that this request responds to. Required for `play` and `rewind`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 260_201))]
    pub turn: Option<usize>,
    /// The move to play, such as `1-0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<String>,
    /// The number of marks to take back. The turn then passes to the next seat.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "saturating"
    )]
    #[cfg_attr(feature = "openapi", schema(minimum = 0))]
    pub rewind: Option<u16>,
    /// `true` resigns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<bool>,
    /// Makes an offer to the other players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub offer: Option<OfferKind>,
    /// Accepts an offer of another seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub accept: Option<OfferKind>,
    /// Declines an offer of another seat, or withdraws your own offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub decline: Option<OfferKind>,
    /// `true` ends the game without a result. Allowed until every side has played, and while a seat is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort: Option<bool>,
    /// Claims a win or a draw, because all other players are away. This ends the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub claim: Option<ClaimKind>,
    /// The id of the message. Over a WebSocket, the answer repeats this id. Over HTTP, the server ignores the
    /// id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub id: Option<String>,
}

/// Parses the number of marks to take back. A number above `u16::MAX` becomes `u16::MAX`, which the rules
/// refuse.
fn saturating<'de, D: Deserializer<'de>>(number: D) -> Result<Option<u16>, D::Error> {
    let number: Option<u64> = Option::deserialize(number)?;
    Ok(number.map(|number| u16::try_from(number).unwrap_or(u16::MAX)))
}

/// The result that a seat may claim when all other players are away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClaimKind {
    /// The seat's side wins.
    Win,
    /// Nobody wins.
    Draw,
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
    /// Make an offer.
    Offer(OfferKind),
    /// Accept an offer.
    Accept(OfferKind),
    /// Decline an offer, or withdraw your own offer.
    Decline(OfferKind),
    /// End the game without a result.
    Abort,
    /// Claim a win or a draw, because all other players are away. This ends the game.
    Claim(ClaimKind),
}

/// Why an [`ActionRequest`] is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ActionError {
    /// The request contains no action or several actions, or the value of `resign` or `abort` is `false`.
    NotOne,
    /// The text of `play` does not have the form of a move of this variant.
    Place(PlaceError),
}

impl ActionRequest {
    /// The requested action.
    pub fn requested_action(&self) -> Result<RequestedAction, ActionError> {
        let requested = [
            self.play.clone().map(RequestedAction::Play),
            self.rewind.map(RequestedAction::Rewind),
            self.resign.map(|_| RequestedAction::Resign),
            self.offer.map(RequestedAction::Offer),
            self.accept.map(RequestedAction::Accept),
            self.decline.map(RequestedAction::Decline),
            self.abort.map(|_| RequestedAction::Abort),
            self.claim.map(RequestedAction::Claim),
        ];
        let mut requested = requested.into_iter().flatten();
        let is_false = self.resign == Some(false) || self.abort == Some(false);
        match (requested.next(), requested.next()) {
            (Some(only), None) if !is_false => Ok(only),
            _ => Err(ActionError::NotOne),
        }
    }
}

impl RequestedAction {
    /// Whether the request must have the field `turn`. Plays and rewinds need it, because the same request
    /// would have a different effect in a later turn.
    pub fn needs_turn(&self) -> bool {
        match self {
            RequestedAction::Play(_) | RequestedAction::Rewind(_) => true,
            RequestedAction::Resign
            | RequestedAction::Offer(_)
            | RequestedAction::Accept(_)
            | RequestedAction::Decline(_)
            | RequestedAction::Abort
            | RequestedAction::Claim(_) => false,
        }
    }

    /// Converts the requested action into an action of the rules. Returns an error for a play whose text is not written
    /// like a move. Also returns an error for offers, answers to offers, aborts and claims, because these are not
    /// actions of the rules.
    pub fn action(&self, game: &Game) -> Result<Action, ActionError> {
        match self {
            // The texts `<<2` and `resign` are refused, because rewinds and resignations have their own fields.
            RequestedAction::Play(text) => match game.parse_action(text) {
                Ok(play @ Action::Play(_)) => Ok(play),
                Ok(Action::Rewind(_) | Action::Takeback(_) | Action::Resign) => {
                    Err(ActionError::NotOne)
                }
                // The move is well formed but off the board. The rules refuse this index, because no cell has it.
                Err(PlaceError::OffBoard { .. }) => {
                    Ok(Action::Play(Move::at(game.variant().cells())))
                }
                Err(error @ PlaceError::Unreadable { .. }) => Err(ActionError::Place(error)),
            },
            RequestedAction::Rewind(count) => Ok(Action::Rewind(*count)),
            RequestedAction::Resign => Ok(Action::Resign),
            RequestedAction::Offer(_)
            | RequestedAction::Accept(_)
            | RequestedAction::Decline(_)
            | RequestedAction::Abort
            | RequestedAction::Claim(_) => Err(ActionError::NotOne),
        }
    }
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionError::NotOne => f.write_str(
                "an action is exactly one of \"play\": \"1-0\", \"rewind\": 2, \"resign\": true, \"offer\": \"draw\", \
                 \"accept\": \"draw\", \"decline\": \"draw\", \"abort\": true and \"claim\": \"win\"",
            ),
            ActionError::Place(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ActionError {}
