//! The players and spectators that are connected to a table, and the number of its latest entry. Lists of games show
//! both.

use std::collections::HashMap;
use std::sync::Arc;

use super::{LiveTable, Tables};
use crate::id::GameId;
use crate::store::{ATTENDED_MS, ListedGame, LogPosition, StoreError};
use crate::table::{Holder, SeatSet};

/// Who is connected to a table, and the latest entry of its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attendance {
    /// The seats with a connected player on any node.
    pub(crate) present: SeatSet,
    /// The number of connections to this node that follow the game without a seat.
    pub(crate) spectators: u32,
    /// The number of the game's latest entry. `None` if this node does not know the number. This node knows
    /// the numbers of all tables in memory. If several nodes share the store, this node also knows the
    /// numbers of all other games that are not over.
    pub(crate) entry: Option<u32>,
}

impl Attendance {
    /// Neither players nor spectators, and no known entry.
    pub(crate) const NOBODY: Attendance = Attendance {
        present: SeatSet::EMPTY,
        spectators: 0,
        entry: None,
    };

    /// Whether a game in progress is *live*: a player is connected, only robots play, or the game is new. A
    /// seat of a TCP client counts as connected.
    pub(crate) fn is_live(self, game: &ListedGame, now_ms: u64) -> bool {
        let holders = &game.summary.holders;
        let by_tcp = |holder: &Holder| matches!(holder, Holder::Human { node: Some(_), .. });
        !self.present.is_empty()
            || now_ms < game.created_ms.saturating_add(ATTENDED_MS)
            || holders.iter().any(by_tcp)
            || !holders.iter().any(Holder::is_human)
    }
}

/// A connection that follows a game without a seat. Dropping this value removes the spectator from the count.
#[derive(Debug)]
pub(crate) struct Spectating {
    tables: Arc<Tables>,
    live: Arc<LiveTable>,
}

impl Drop for Spectating {
    fn drop(&mut self) {
        self.live.remove_spectator();
        self.tables.lists_changed();
    }
}

impl Tables {
    /// Counts a spectator until the returned value is dropped.
    pub(crate) fn spectate(self: &Arc<Tables>, live: &Arc<LiveTable>) -> Spectating {
        live.add_spectator();
        self.lists_changed();
        Spectating {
            tables: Arc::clone(self),
            live: Arc::clone(live),
        }
    }

    /// Returns for each game who is connected to its table, in the order of `games`.
    pub(crate) async fn attendance(
        &self,
        games: &[ListedGame],
    ) -> Result<Vec<Attendance>, StoreError> {
        let in_memory = games.iter().map(|game| self.in_memory(game.id));
        let in_memory: Vec<_> = in_memory.collect();
        // Games that are not over and whose tables this node does not have in memory. Other nodes may have these tables
        // in memory.
        let elsewhere = games.iter().zip(&in_memory);
        let elsewhere = elsewhere.filter(|(game, live)| live.is_none() && game.ending().is_none());
        let elsewhere: Vec<GameId> = elsewhere.map(|(game, _)| game.id).collect();
        let elsewhere: HashMap<GameId, Attendance> = match elsewhere.is_empty() {
            true => HashMap::new(),
            false => {
                let found = self.store.positions(self.node, elsewhere).await?;
                let attendance = |found: &LogPosition| Attendance {
                    present: found.present,
                    spectators: 0,
                    entry: Some(found.entry),
                };
                let found = found.iter();
                found.map(|found| (found.game, attendance(found))).collect()
            }
        };
        let games = games.iter().zip(in_memory);
        let attendance = games.map(|(game, live)| match live {
            Some(live) => live.attendance(),
            None => elsewhere
                .get(&game.id)
                .copied()
                .unwrap_or(Attendance::NOBODY),
        });
        Ok(attendance.collect())
    }
}
