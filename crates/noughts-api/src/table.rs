//! Laying a table, and sitting down at one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::view::View;

/// A new table. Only the variant is needed: the caller then takes seat 0, and robots of level 8 sit
/// in the others.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    /// Which game, such as `3x3k3`. With `from` it is that game's and need not be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "3x3k3"))]
    pub variant: Option<String>,
    /// A rewind takes back fewer marks than this; 0: there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<u16>,
    /// Who sits where, in turn order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<Vec<SeatRequest>>,
    /// The seats that the caller takes, and gets a token for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take: Option<Vec<u8>>,
    /// A position of another game to play on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<StartFrom>,
}

/// Who shall sit there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SeatRequest {
    /// The caller, by name: only for seats in `take`.
    Human(String),
    /// A robot, by its strategy.
    Robot(String),
    /// Whoever comes.
    Open(OpenSeat),
}

/// For whom an open seat is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum OpenSeat {
    /// For whoever has the link; not listed.
    Link,
    /// For everybody; listed.
    Lobby,
}

/// A position of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StartFrom {
    /// Of this one.
    pub game: String,
    /// After so many completed turns.
    pub turn: usize,
}

/// The answer to a new table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedTable {
    /// The game's name.
    pub id: String,
    /// A token for each seat that was taken, by its number.
    pub tokens: BTreeMap<String, String>,
    /// The table.
    pub view: View,
}

/// The answer to who wants to play again: the table, and once everybody does, a seat at the new one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RematchView {
    /// The old table; its `rematch` is the new one.
    #[serde(flatten)]
    pub view: View,
    /// The caller's seat at the new table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// Its token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Takes an open seat.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TakeSeat {
    /// Under this name.
    #[serde(default)]
    pub name: String,
}

/// The answer to who took a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TakenSeat {
    /// The seat's.
    pub token: String,
    /// The table.
    pub view: View,
}
