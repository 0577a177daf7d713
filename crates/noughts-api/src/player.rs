//! Registered players, their games, and quick matches.

use serde::{Deserialize, Serialize};

use crate::catalog::{GameListing, GamesPage};
use crate::clock::ClockForm;

/// A new player.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPlayer {
    /// The name: 1 to 64 visible characters or spaces. Names are not unique.
    #[cfg_attr(feature = "openapi", schema(example = "Ann"))]
    pub name: String,
    /// Whether the player is a program. All views and lists show this value. It cannot be changed later.
    #[serde(default)]
    pub bot: bool,
}

/// A player's id, and a token with which a client acts for the player. The token is the only proof of
/// identity. A lost token cannot be recovered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PlayerToken {
    /// The id, which is public.
    pub id: String,
    /// The token, which is secret.
    pub token: String,
}

/// A new name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// The name: 1 to 64 visible characters or spaces.
    pub name: String,
}

/// The public data of a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PlayerView {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
    /// Whether the player is a program.
    pub bot: bool,
    /// The time of creation, in milliseconds since 1970.
    pub created_ms: u64,
}

/// The caller's own player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Me {
    /// The player.
    #[serde(flatten)]
    pub player: PlayerView,
    /// A page of the games that are not over, newest first.
    pub running: Vec<MyGame>,
    /// The value of the query parameter `running_before` with which a client requests the next page of
    /// `running`; null on the last page.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub running_before: Option<String>,
    /// A page of the finished games, newest first.
    pub finished: GamesPage,
}

/// A game of the caller.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MyGame {
    /// The game.
    #[serde(flatten)]
    pub game: GameListing,
    /// The caller's seat. If the caller has several seats, this is the one that is to move, or the first one
    /// while another player is to move.
    pub seat: u8,
    /// The seat to move; null if the game is over.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub to_move: Option<u8>,
    /// The number of completed turns plus one.
    pub turn: usize,
}

impl MyGame {
    /// Whether the caller's seat is to move. This may be true even while another seat is open.
    pub fn is_my_turn(&self) -> bool {
        self.to_move == Some(self.seat)
    }
}

/// A message of a player's event stream.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PlayerMessage {
    /// The running games, at most the newest 100, at the start of the stream.
    Games(Vec<MyGame>),
    /// An opponent was found: by a quick match, by a rematch, or because the player took an open seat.
    Match(MyGame),
    /// The player has a new game that is not a `match`, for example because the player created it.
    Game(MyGame),
    /// Another player took an open seat of the game.
    Seated(MyGame),
    /// It is the player's turn.
    Turn(MyGame),
    /// Another seat made an offer.
    Offer(MyGame),
    /// The game is over.
    Over(MyGame),
    /// The server is about to stop: connect again.
    Restart(bool),
}

impl PlayerMessage {
    /// The name of the event.
    pub fn name(&self) -> &'static str {
        match self {
            PlayerMessage::Games(_) => "games",
            PlayerMessage::Match(_) => "match",
            PlayerMessage::Game(_) => "game",
            PlayerMessage::Seated(_) => "seated",
            PlayerMessage::Turn(_) => "turn",
            PlayerMessage::Offer(_) => "offer",
            PlayerMessage::Over(_) => "over",
            PlayerMessage::Restart(_) => "restart",
        }
    }
}

/// A request for an opponent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewMatch {
    /// The variant. It must have two sides.
    #[cfg_attr(feature = "openapi", schema(example = "3x3k3"))]
    pub variant: String,
    /// The clock. Without a clock, the time is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockForm>,
}

/// A quick match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QuickMatchView {
    /// The id.
    pub id: String,
    /// Whether there is an opponent.
    pub status: QuickMatchStatus,
    /// The id of the game; absent while there is no opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The player's seat in the game; absent while there is no opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
}

/// Whether a quick match has an opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum QuickMatchStatus {
    /// The player waits for an opponent.
    Waiting,
    /// The game has begun.
    Matched,
}

/// How many players wait for a quick match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WaitingMatches {
    /// The number of all waiting players.
    pub waiting: u64,
    /// The number of waiting players for each variant and clock.
    pub games: Vec<WaitingVariant>,
}

/// How many players wait for one variant with one clock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WaitingVariant {
    /// The variant.
    pub variant: String,
    /// The clock; absent if the time is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockForm>,
    /// The number of players.
    pub waiting: u64,
}

/// The public data of a player, with finished games and results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Profile {
    /// The player.
    #[serde(flatten)]
    pub player: PlayerView,
    /// A page of the finished games, newest first.
    pub finished: GamesPage,
    /// The results against each opponent in the latest 1 000 finished games. The opponent with the most games is
    /// first.
    pub results: Vec<OpponentResults>,
}

/// The results against one opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpponentResults {
    /// The opponent's name, or the robot's strategy. Empty for deleted players.
    pub name: String,
    /// The opponent's id, if the opponent is a registered player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Whether the opponent is a robot of the server.
    pub robot: bool,
    /// Games that the player won.
    pub won: u32,
    /// Games that the player lost.
    pub lost: u32,
    /// Games that ended in a draw.
    pub drawn: u32,
}

/// A code that another device can exchange for a token of the player. The code works once, for ten minutes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeviceLink {
    /// The code, which the other device sends to `POST /api/players/link`.
    pub code: String,
    /// A link to this server's page that contains the code.
    pub link: String,
    /// The link as a QR code: an SVG image.
    pub qr: String,
    /// When the code expires, in milliseconds since 1970.
    pub expires_ms: u64,
}

/// A code from another device.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkCode {
    /// The code.
    pub code: String,
}
