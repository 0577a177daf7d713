//! Logs each unreadable game once. Lists leave these games out.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::StoreError;
use crate::id::GameId;

/// The games that were logged.
#[derive(Debug, Default)]
pub(super) struct UnreadableGames(Mutex<HashSet<GameId>>);

/// Maximum number of games that are logged. Further unreadable games are left out without a message.
const MAX_LOGGED: usize = 1_000;

impl UnreadableGames {
    /// Logs an unreadable game, the first time it is found. If the id is unreadable too, the error is logged each time.
    pub(super) fn log(&self, game: Option<GameId>, error: &StoreError) {
        let Some(game) = game else {
            tracing::error!(%error, "a game without a readable id is left out");
            return;
        };
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.len() < MAX_LOGGED && logged.insert(game) {
            tracing::error!(%game, %error, "an unreadable game is left out");
        }
    }
}
