//! Messages of the lobby's event stream: all waiting tables, then changes.

use serde::{Deserialize, Serialize};

use crate::catalog::GameListing;
use crate::player::WaitingMatches;

/// A message of the lobby's event stream.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LobbyMessage {
    /// The whole list: the newest tables with an open seat, at most 100. Tables are listed only if they are
    /// new or have a connected player. With the query parameter `playing=true`, the list also has the newest
    /// live games in progress, at most 200. This message replaces all earlier messages.
    Games(Vec<GameListing>),
    /// A table was added, or its seats, its players' presence, its spectators or its latest entry changed.
    Game(GameListing),
    /// The table with this id is no longer in the list.
    Gone(String),
    /// How many players wait for a quick match. Sent only with the query parameter `playing=true`.
    Matches(WaitingMatches),
    /// The server is about to restart.
    Restart(bool),
}
