//! The names of registered players. The logs of games contain only the ids of these players.

use std::collections::BTreeMap;

use noughts_rules::Player;

use crate::id::PlayerId;
use crate::store::{Store, StoreError, StoredPlayer};
use crate::table::Holder;

/// The data of a registered player that other players see.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlayerInfo {
    /// The name that the player has chosen.
    pub name: String,
    /// Whether the player is a program.
    pub is_bot: bool,
}

impl From<StoredPlayer> for PlayerInfo {
    fn from(player: StoredPlayer) -> PlayerInfo {
        PlayerInfo {
            name: player.name,
            is_bot: player.is_bot,
        }
    }
}

/// The names of some registered players. A deleted player is missing.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PlayerNames(BTreeMap<PlayerId, PlayerInfo>);

impl PlayerNames {
    /// Reads the names of the registered players among `holders`. Reads nothing if there are no registered players.
    pub async fn load<'h>(
        store: &dyn Store,
        holders: impl IntoIterator<Item = &'h Holder>,
    ) -> Result<PlayerNames, StoreError> {
        let holders = holders.into_iter();
        let mut ids: Vec<PlayerId> = holders.filter_map(Holder::player_id).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(PlayerNames::default());
        }
        let found = store.players(ids).await?.into_iter();
        let known = found.map(|player| (player.id, player.into()));
        Ok(PlayerNames(known.collect()))
    }

    /// Whether this collection has no players.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The data of a player; `None` if the player is unknown or deleted.
    pub fn get(&self, player: PlayerId) -> Option<&PlayerInfo> {
        self.0.get(&player)
    }

    /// The name at a seat: the name of a person, or of a robot's strategy. Empty for open seats and deleted players.
    pub fn name(&self, holder: &Holder) -> String {
        match holder {
            Holder::Open(_) => String::new(),
            Holder::Human { name, .. } => name.clone(),
            Holder::Player(player) => {
                let info = self.get(*player);
                info.map(|info| info.name.clone()).unwrap_or_default()
            }
            Holder::Robot(strategy) => strategy.to_string(),
        }
    }

    /// The holder of a seat in the form that game records use.
    pub fn player(&self, holder: &Holder) -> Player {
        match holder {
            Holder::Open(_) | Holder::Human { .. } | Holder::Player(_) => {
                Player::Human(self.name(holder))
            }
            Holder::Robot(_) => Player::Robot(self.name(holder)),
        }
    }

    /// Adds the players of `others`. If a player is in `self` and in `others`, the data from `others` is
    /// kept.
    pub(crate) fn extend(&mut self, others: PlayerNames) {
        self.0.extend(others.0);
    }

    /// Sets the data of a player. If `info` is `None`, removes the player. Returns whether the data changed.
    pub(crate) fn set(&mut self, player: PlayerId, info: Option<PlayerInfo>) -> bool {
        if self.0.get(&player) == info.as_ref() {
            return false;
        }
        match info {
            Some(info) => self.0.insert(player, info),
            None => self.0.remove(&player),
        };
        true
    }
}
