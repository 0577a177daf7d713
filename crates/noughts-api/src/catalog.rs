//! The list of games, and the variants and strategies on offer.

use serde::{Deserialize, Serialize};

use crate::view::{Outcome, SeatKind, View};

/// A page of the list of games, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GamesPage {
    /// The games.
    pub games: Vec<GameListing>,
    /// The value of `before` for the next page; null on the last page.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub before: Option<String>,
}

/// One game of the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GameListing {
    /// The game's id.
    pub id: String,
    /// The variant.
    pub variant: String,
    /// The history size.
    pub history: u16,
    /// The status.
    pub status: GameStatus,
    /// The seats, in turn order.
    pub seats: Vec<SeatListing>,
    /// The time of creation, in milliseconds since 1970.
    pub created_ms: u64,
    /// The outcome; null while the game runs.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub outcome: Option<Outcome>,
}

/// The status of a listed game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum GameStatus {
    /// A seat is open in the lobby.
    Waiting,
    /// The game is running.
    Playing,
    /// The game is over.
    Over,
}

/// One seat of a listed game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatListing {
    /// Who holds the seat.
    pub kind: SeatKind,
    /// The person's name or the robot's strategy.
    pub name: String,
}

/// An imported game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportedGame {
    /// The game's id.
    pub id: String,
    /// The view at the end of the game.
    pub view: View,
}

/// A variant on offer. Every other valid variant can be played too.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferedVariant {
    /// Its name.
    pub name: String,
    /// A description.
    pub about: String,
    /// The number of sides.
    pub sides: u8,
    /// The number of cells.
    pub cells: usize,
}

/// A strategy on offer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferedStrategy {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(example = "minimax:7"))]
    pub form: String,
    /// A description.
    pub about: String,
}
