//! Registered players: their names at tables, their tokens, and their event streams.

mod feed;
mod names;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::sleep;
use tracing::{debug, info, warn};

use crate::bus::Hint;
use crate::id::{IdSource, PlayerId};
use crate::matchmaking::Matchmaking;
use crate::store::{SecretHash, StoreError, StoredPlayer};
use crate::tables::Tables;

pub(crate) use feed::{Feed, Feeds, Notice};
pub use names::{PlayerInfo, PlayerNames};

/// How long a token stays in the cache. If another node revokes a token and the hint about it is lost, this node still
/// accepts the token for at most this time.
const TOKEN_CACHE: Duration = Duration::from_secs(10);

/// Maximum number of cached tokens.
const MAX_CACHED_TOKENS: usize = 10_000;

/// Interval at which the names at tables in memory are compared with a shared store, because hints between nodes may
/// get lost.
const COMPARE_INTERVAL: Duration = Duration::from_secs(30);

/// Interval between searches for players without games.
const EXPIRY_INTERVAL: Duration = Duration::from_secs(600);

/// The server checks each player when this time has passed since the player was created or last checked. If the player
/// has no games, the server deletes the player.
const EXPIRY_MS: u64 = 30 * 24 * 3_600 * 1_000;

/// The registered players, with this node's cache of tokens and its event streams.
pub(crate) struct Players {
    tables: Arc<Tables>,
    /// The cache: for the hash of each token, the player, and the time until which the cache entry is valid.
    tokens: Mutex<HashMap<SecretHash, (StoredPlayer, Duration)>>,
    feeds: Arc<Feeds>,
}

/// A new token for a player: 256 random bits.
pub(crate) fn new_token(ids: &IdSource) -> String {
    format!("{TOKEN_PREFIX}{}{}", ids.player(), ids.player())
}

/// A new code that links another device: 80 random bits, short enough to type.
pub(crate) fn new_link_code(ids: &IdSource) -> String {
    // The last 16 letters have five random bits each. The first letter of an id has only three random bits.
    ids.player().to_string().split_off(26 - 16)
}

/// The prefix of player tokens. Seat tokens never start with this prefix.
const TOKEN_PREFIX: &str = "player-";

/// Whether a text begins like a player's token.
pub(crate) fn is_player_token(text: &str) -> bool {
    text.starts_with(TOKEN_PREFIX)
}

impl Players {
    pub(crate) fn new(matchmaking: &Arc<Matchmaking>) -> Arc<Players> {
        let feeds = Feeds::new(matchmaking);
        let weak_feeds = Arc::downgrade(&feeds);
        matchmaking.tables().on_player_changed(move |player, game| {
            if let Some(feeds) = weak_feeds.upgrade() {
                feeds.notify(player, game);
            }
        });
        Arc::new(Players {
            tables: Arc::clone(matchmaking.tables()),
            tokens: Mutex::default(),
            feeds,
        })
    }

    /// The event streams of players at this node.
    pub(crate) fn feeds(&self) -> &Arc<Feeds> {
        &self.feeds
    }

    /// The player that `token` belongs to; `None` if the token belongs to no player.
    pub(crate) async fn of_token(&self, token: &str) -> Result<Option<StoredPlayer>, StoreError> {
        if !is_player_token(token) {
            return Ok(None);
        }
        let (hash, now) = (SecretHash::of(token), self.tables.clock().now());
        if let Some((player, until)) = self.tokens().get(&hash)
            && now < *until
        {
            return Ok(Some(player.clone()));
        }
        let found = self.tables.store().player_of_token(hash).await?;
        let mut tokens = self.tokens();
        match &found {
            Some(player) => {
                if tokens.len() >= MAX_CACHED_TOKENS {
                    tokens.clear();
                }
                tokens.insert(hash, (player.clone(), now + TOKEN_CACHE));
            }
            None => drop(tokens.remove(&hash)),
        }
        Ok(found)
    }

    /// Removes a changed player's tokens from the cache. If the player has a seat at a table in memory, reads the
    /// player again and updates the name there.
    pub(crate) async fn refresh(&self, player: PlayerId) -> Result<(), StoreError> {
        self.tokens().retain(|_, (known, _)| known.id != player);
        let mut tables = self.tables.all().into_iter();
        if !tables.any(|live| live.players().contains(&player)) {
            return Ok(());
        }
        let found = self.tables.store().players(vec![player]).await?;
        let info = found.into_iter().next().map(PlayerInfo::from);
        self.tables.set_player(player, info);
        Ok(())
    }

    /// Tells this node and all other nodes that a player has changed.
    pub(crate) async fn publish(&self, player: PlayerId) {
        if let Err(error) = self.refresh(player).await {
            debug!(%error, "cannot read a player; retrying later");
        }
        self.tables.notify_player(player);
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<SecretHash, (StoredPlayer, Duration)>> {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies the changes that other nodes make to players, as long as the server runs. Returns immediately
    /// if other nodes cannot use the store.
    pub(crate) async fn share(self: Arc<Players>) {
        if !self.tables.bus().is_shared() {
            return;
        }
        let mut hints = self.tables.bus().subscribe();
        loop {
            let hint = tokio::select! {
                hint = hints.next() => hint,
                () = sleep(COMPARE_INTERVAL) => Some(Hint::Missed),
            };
            let refreshed = match hint {
                Some(Hint::Player(player)) => {
                    let refreshed = self.refresh(player).await;
                    self.feeds.notify(player, None);
                    refreshed
                }
                Some(Hint::Missed) => {
                    self.feeds.notify_all();
                    self.refresh_all().await
                }
                Some(Hint::Entry { game, .. }) => {
                    self.feeds.notify_followers(game);
                    Ok(())
                }
                Some(Hint::Presence(_) | Hint::Left { .. } | Hint::Matched) => Ok(()),
                None => return,
            };
            if let Err(error) = refreshed {
                debug!(%error, "cannot read the names of players; retrying later");
            }
        }
    }

    /// Reads all players at tables in memory again, and updates their names there.
    async fn refresh_all(&self) -> Result<(), StoreError> {
        let tables = self.tables.all();
        let ids: BTreeSet<PlayerId> = tables.iter().flat_map(|live| live.players()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let found = self.tables.store().players(ids.iter().copied().collect());
        let mut found: HashMap<PlayerId, PlayerInfo> = found
            .await?
            .into_iter()
            .map(|player| (player.id, player.into()))
            .collect();
        for id in ids {
            self.tables.set_player(id, found.remove(&id));
        }
        Ok(())
    }

    /// Deletes players without games, as long as the server runs.
    pub(crate) async fn expire(self: Arc<Players>) {
        loop {
            // The task waits first, because the server has other work at its start.
            sleep(EXPIRY_INTERVAL).await;
            while self.expire_some().await {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Checks some players and deletes those without games. Returns whether there may be more players to check.
    async fn expire_some(&self) -> bool {
        let now_ms = self.tables.clock().now_ms();
        let before_ms = now_ms.saturating_sub(EXPIRY_MS);
        match self.tables.store().expire_players(before_ms, now_ms).await {
            Ok(0) => false,
            Ok(players) => {
                info!(players, "looked for players without games");
                true
            }
            Err(error) => {
                warn!(%error, "cannot look for players without games now");
                false
            }
        }
    }
}
