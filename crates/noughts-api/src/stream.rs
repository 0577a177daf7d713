//! What streams carry: one full view, and then what changed.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::view::{Legal, NineBoards, Outcome, TurnView, View};

/// What a turn changed. Together with the view before it, it is the view after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Change {
    /// Completed turns plus one, after this one.
    pub turn: usize,
    /// The seat whose turn it is now.
    pub to_move: Option<u8>,
    /// The turn.
    pub last: TurnView,
    /// The cells that changed, with their side or null.
    pub cells: Vec<(String, Option<u8>)>,
    /// Every legal move now.
    pub legal: Legal,
    /// How many marks may be taken back now.
    pub rewind: Option<u16>,
    /// The nine boards, where there are nine.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub nine: Option<NineBoards>,
    /// How it ended, if it did.
    pub outcome: Option<Outcome>,
}

/// Who listens at which seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Presence {
    /// By seat.
    pub present: Vec<bool>,
    /// The names, since somebody may have sat down.
    pub names: Vec<String>,
}

/// The first message over a WebSocket: who is there. `{}` only watches.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The token of a seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A message of a live stream.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum StreamMessage {
    /// The table as it stands.
    View(View),
    /// A turn was completed.
    Change(Change),
    /// Somebody came or went.
    Presence(Presence),
    /// What was asked for was not done.
    Problem(Problem),
    /// The server is about to stop, and will be back.
    Restart(bool),
}
