//! Which games have a connected player, for stores that keep this information in memory.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::id::{GameId, NodeId};
use crate::table::SeatSet;

/// The games with a connected player, by node.
#[derive(Debug, Default)]
pub(super) struct PresentGames(Mutex<HashMap<NodeId, HashSet<GameId>>>);

impl PresentGames {
    pub(super) fn set(&self, node: NodeId, seats: &[(GameId, SeatSet)]) {
        let mut nodes = self.lock();
        let games = nodes.entry(node).or_default();
        for (game, seats) in seats {
            match seats.is_empty() {
                true => games.remove(game),
                false => games.insert(*game),
            };
        }
    }

    pub(super) fn remove_node(&self, node: NodeId) {
        self.lock().remove(&node);
    }

    pub(super) fn contains(&self, game: GameId) -> bool {
        self.lock().values().any(|games| games.contains(&game))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<NodeId, HashSet<GameId>>> {
        // Every change is complete, so a poisoned lock holds a valid value.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
