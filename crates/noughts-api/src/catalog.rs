//! The lobby and the archive, and what can be played there.

use serde::{Deserialize, Serialize};

use crate::view::{Outcome, SeatKind, View};

/// A page of the lobby and the archive, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GamesPage {
    /// The games on it.
    pub games: Vec<GameListing>,
    /// What to ask for the next page with; null on the last.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub before: Option<String>,
}

/// One game of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GameListing {
    /// The game's name.
    pub id: String,
    /// Which game.
    pub variant: String,
    /// The size of its history.
    pub history: u16,
    /// How it stands.
    pub status: GameStatus,
    /// Who sits where.
    pub seats: Vec<SeatListing>,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: u64,
    /// How it ended; null where it did not.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub outcome: Option<Outcome>,
}

/// How a listed game stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum GameStatus {
    /// A seat that is open to everybody waits for somebody.
    Waiting,
    /// It is being played.
    Playing,
    /// It is over.
    Over,
}

/// One seat of a listed game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatListing {
    /// What sits there.
    pub kind: SeatKind,
    /// Whoever sits there; a robot's strategy.
    pub name: String,
}

/// A game that was put into the archive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportedGame {
    /// Its name.
    pub id: String,
    /// The table at its end.
    pub view: View,
}

/// A variant that is offered by name; every other that can be written can be played too.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferedVariant {
    /// How it is written.
    pub name: String,
    /// What it is.
    pub about: String,
    /// How many sides, and so seats, it has.
    pub sides: u8,
    /// How many cells.
    pub cells: usize,
}

/// A kind of strategy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferedStrategy {
    /// How it is written.
    #[cfg_attr(feature = "openapi", schema(example = "minimax:7"))]
    pub form: String,
    /// How it plays.
    pub about: String,
}
