//! Messages of event streams and WebSockets: one full view, then changes.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::view::{Legal, NineBoards, Outcome, TurnView, View};

/// What a turn changed. Applied to the view before the turn, it gives the view after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Change {
    /// The number of completed turns plus one.
    pub turn: usize,
    /// The seat to move.
    pub to_move: Option<u8>,
    /// The completed turn.
    pub last: TurnView,
    /// The changed cells, with the side or null.
    pub cells: Vec<(String, Option<u8>)>,
    /// The legal moves.
    pub legal: Legal,
    /// The maximum number of marks that may be taken back now.
    pub rewind: Option<u16>,
    /// The state of nine boards, for variants that have them.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub nine: Option<NineBoards>,
    /// The outcome, if the game is over.
    pub outcome: Option<Outcome>,
}

/// Which players are connected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Presence {
    /// By seat.
    pub present: Vec<bool>,
    /// The names by seat, because a seat may have been taken.
    pub names: Vec<String>,
}

/// The first message over a WebSocket. `{}` only watches.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The token of a seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A message of an event stream or a WebSocket.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StreamMessage {
    /// The current view.
    View(View),
    /// A turn was completed.
    Change(Change),
    /// A player connected or disconnected.
    Presence(Presence),
    /// A request was refused.
    Problem(Problem),
    /// The server is about to restart.
    Restart(bool),
}
