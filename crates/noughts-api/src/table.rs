//! Creating a table and taking seats.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::ClockForm;
use crate::view::View;

/// A new table. Only `variant` or `from` is required: by default the caller takes seat 0, and robots of level 8 take
/// the other seats.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    /// The variant, such as `3x3k3`. Not needed with `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "3x3k3"))]
    pub variant: Option<String>,
    /// The history size. A rewind must take back fewer marks than this number. With 0, the game has no
    /// rewind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(maximum = 65_024, default = 0))]
    pub history: Option<u16>,
    /// The seats, in turn order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<Vec<SeatRequest>>,
    /// The seats that the caller takes and gets tokens for. The default is the `human` seats of `seats`, or seat 0
    /// without `seats`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take: Option<Vec<u8>>,
    /// With `true`, lists show the table even while a link seat is open. With `false`, lists show the table
    /// and its rematches only when they are over. `false` is refused for a table with a lobby seat. The
    /// default depends on the open seats. Without link seats, lists show the table. With link seats but no
    /// lobby seats, lists show the table only when it is over. With link seats and lobby seats, lists show
    /// the table only when no link seat is open any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<bool>,
    /// How much time the players have: `{"base":180,"increment":2}`, `{"move":30}` or `{"days":3}`. By default the
    /// time is not limited. A table where only robots play has no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub clock: Option<ClockForm>,
    /// A position of another game to continue from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<StartFrom>,
}

/// Who holds a seat of a new table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SeatRequest {
    /// The caller, with a name that may be empty.
    Human(String),
    /// A robot with this strategy.
    Robot(String),
    /// An open seat.
    Open(OpenSeat),
}

/// How an open seat is offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum OpenSeat {
    /// Anybody who knows the game's id can take the seat.
    Link,
    /// Anybody can take the seat; the lobby lists it.
    Lobby,
}

/// A position of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StartFrom {
    /// The game's id.
    pub game: String,
    /// The number of completed turns at the position. The field may also be called `turn`.
    #[serde(alias = "turn")]
    pub after: usize,
}

/// A created table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedTable {
    /// The game's id.
    pub id: String,
    /// The tokens of the seats that the caller has taken. The keys are the seat numbers.
    pub tokens: BTreeMap<String, String>,
    /// The table's view.
    pub view: View,
}

/// The table after a request for a rematch. When all players have asked for the rematch, `seat` and `token` are for the
/// new table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RematchView {
    /// The old table. Its field `rematch` is the id of the new game.
    #[serde(flatten)]
    pub view: View,
    /// The caller's seat at the new table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub seat: Option<u8>,
    /// The token of the caller's seat at the new table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub token: Option<String>,
}

/// A request to take an open seat.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TakeSeat {
    /// The player's name. The server ignores it if the request has the token of a player.
    #[serde(default)]
    pub name: String,
}

/// A seat that was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TakenSeat {
    /// The seat's token.
    pub token: String,
    /// The table's view.
    pub view: View,
}
