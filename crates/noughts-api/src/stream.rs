//! Messages of event streams and WebSockets: one full view, then changes.

use serde::{Deserialize, Serialize};

use crate::clock::ClockView;
use crate::problem::Problem;
use crate::view::{NineBoards, OfferView, Outcome, SeatView, TurnView, View};

/// What a turn changed. A client that applies the change to the view before the turn gets the view after the turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Change {
    /// The number of the turn's log entry.
    pub entry: u32,
    /// The number of completed turns plus one.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub turn: usize,
    /// The seat to move; null if the turn ended the game.
    #[cfg_attr(feature = "openapi", schema(required, maximum = 63))]
    pub to_move: Option<u8>,
    /// The completed turn.
    pub last: TurnView,
    /// The changed cells.
    pub cells: Vec<CellChange>,
    /// The legal moves; null in the same cases as `legal` in the view.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub legal: Option<Vec<String>>,
    /// The maximum number of marks that may be taken back now; null in the same cases as `rewind` in the
    /// view.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub rewind: Option<u16>,
    /// The offers that wait for an answer.
    pub offers: Vec<OfferView>,
    /// The clock; null at a table without a clock.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub clock: Option<ClockView>,
    /// On nine boards: the state of each board, the score, and the board to play in.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub nine: Option<NineBoards>,
    /// The outcome; null while the game runs.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub outcome: Option<Outcome>,
}

/// A cell that changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CellChange {
    /// The cell, written like a move.
    #[cfg_attr(feature = "openapi", schema(example = "1-0"))]
    pub cell: String,
    /// The side of the cell's new mark; null if the cell is empty now.
    #[cfg_attr(feature = "openapi", schema(required, maximum = 63))]
    pub side: Option<u8>,
}

/// Who holds each seat, and which players are connected. Replaces the view's `seats`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Presence {
    /// The seats, in turn order.
    pub seats: Vec<SeatView>,
}

/// The offers that wait for an answer. Replaces the view's `offers`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Offers {
    /// The number of the latest log entry.
    pub entry: u32,
    /// The offers, oldest first.
    pub offers: Vec<OfferView>,
}

/// The first message of a client over a WebSocket. With `{}` the client only watches.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The token of a seat or of a player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// An id of the client's choice, which the answer repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub id: Option<String>,
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
    /// A player connected, disconnected, took a seat, or was renamed or deleted.
    Presence(Presence),
    /// A seat made, accepted or declined an offer.
    Offers(Offers),
    /// A request was refused.
    Problem(Problem),
    /// The server is about to restart.
    Restart(bool),
}
