//! The list of games, the variants of the catalog, and the strategies that the server accepts.

use serde::{Deserialize, Serialize};

use crate::clock::ClockForm;
use crate::table::OpenSeat;
use crate::view::{Outcome, SeatKind, View};

/// A page of the list of games, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GamesPage {
    /// The games.
    pub games: Vec<GameListing>,
    /// The value of the query parameter `before` with which a client requests the next page; null on the last
    /// page.
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
    /// The history size. A rewind must take back fewer marks than this number. With 0, the game has no
    /// rewind.
    pub history: u16,
    /// The status.
    pub status: GameStatus,
    /// The seats, in turn order.
    pub seats: Vec<SeatListing>,
    /// The clock; null at a table without a clock.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub clock: Option<ClockForm>,
    /// The number of connections at this server process that follow the game without a seat.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub spectators: u32,
    /// The number of the latest entry in the game's log, as in the view. The number grows with every turn.
    /// May be null if the server process does not have the game in memory.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub entry: Option<u32>,
    /// The time of creation, in milliseconds since 1970.
    pub created_ms: u64,
    /// The time of the end, in milliseconds since 1970; null while the game runs.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub ended_ms: Option<u64>,
    /// The outcome; null while the game runs.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub outcome: Option<Outcome>,
}

/// The status of a listed game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum GameStatus {
    /// A seat is open.
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
    /// The player's name, which may be empty, or the robot's strategy.
    pub name: String,
    /// Whether the player is connected; always true for a robot, and false for an open seat.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub present: bool,
    /// The id of the registered player who holds the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub player: Option<String>,
    /// Whether the registered player who holds the seat is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// How an open seat is offered; absent if the seat is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub open: Option<OpenSeat>,
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

/// A well-known variant, from the catalog. Every other valid variant can be played too.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferedVariant {
    /// The name of the variant.
    pub name: String,
    /// A description.
    pub about: String,
    /// The number of sides.
    pub sides: u8,
    /// The number of cells of all boards together.
    pub cells: usize,
}

/// A strategy that the server accepts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferedStrategy {
    /// The name without its parameter: the part before the colon.
    #[cfg_attr(feature = "openapi", schema(example = "minimax"))]
    pub name: String,
    /// How to write the strategy with its parameter.
    #[cfg_attr(feature = "openapi", schema(example = "minimax:N, N from 1 to 99"))]
    pub form: String,
    /// A description.
    pub about: String,
    /// The strategies with the largest parameters that the server accepts, such as `search:5s`. If the
    /// parameter can have several units, such as seconds and nodes, the list has one strategy per unit. Empty
    /// if there is no limit.
    #[cfg_attr(feature = "openapi", schema(example = json!(["minimax:9"])))]
    pub max: Vec<String>,
}

/// The operator's message to all users.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Announcement {
    /// The message; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub text: Option<String>,
}
