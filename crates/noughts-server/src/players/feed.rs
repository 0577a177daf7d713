//! Notifies the event streams of registered players when the players' games may have changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::id::{GameId, PlayerId};
use crate::matchmaking::Matchmaking;

/// What may have changed for a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Notice {
    /// Something may have changed in this game.
    Game(GameId),
    /// Anything may have changed.
    Everything,
}

/// Maximum number of notifications that wait for a stream. If there are more, the stream gets
/// [`Notice::Everything`] instead.
const MAX_QUEUED_NOTICES: usize = 64;

/// The event streams of players at this node.
#[derive(Debug)]
pub(crate) struct Feeds {
    matchmaking: Arc<Matchmaking>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    streams: HashMap<PlayerId, Streams>,
    /// The followed games. For each game: the players who follow the game, each with the number of this
    /// player's streams that follow the game.
    followed: HashMap<GameId, HashMap<PlayerId, usize>>,
}

/// The streams of one player.
#[derive(Debug)]
struct Streams {
    notices: broadcast::Sender<Notice>,
    count: usize,
}

/// One event stream of a player. The stream counts as open until this value is dropped.
#[derive(Debug)]
pub(crate) struct Feed {
    feeds: Arc<Feeds>,
    player: PlayerId,
    notices: broadcast::Receiver<Notice>,
    followed: Vec<GameId>,
}

impl Feeds {
    pub(crate) fn new(matchmaking: &Arc<Matchmaking>) -> Arc<Feeds> {
        Arc::new(Feeds {
            matchmaking: Arc::clone(matchmaking),
            state: Mutex::default(),
        })
    }

    /// Opens a stream of a player.
    pub(crate) fn open(self: &Arc<Feeds>, player: PlayerId) -> Feed {
        let mut state = self.state();
        let streams = state.streams.entry(player).or_insert_with(|| Streams {
            notices: broadcast::Sender::new(MAX_QUEUED_NOTICES),
            count: 0,
        });
        streams.count += 1;
        let notices = streams.notices.subscribe();
        drop(state);
        self.matchmaking.player_connected(player);
        Feed {
            feeds: Arc::clone(self),
            player,
            notices,
            followed: Vec::new(),
        }
    }

    /// Notifies the streams of a player that `game` may have changed; with `None`, that anything may have changed.
    pub(crate) fn notify(&self, player: PlayerId, game: Option<GameId>) {
        let state = self.state();
        let Some(streams) = state.streams.get(&player) else {
            return;
        };
        // `send` returns an error if the last stream has just ended. This error does not matter.
        let _ = streams.notices.send(match game {
            Some(game) => Notice::Game(game),
            None => Notice::Everything,
        });
        drop(state);
        if game.is_none() {
            // The player may have a new quick match, which continues only while the player is connected.
            self.matchmaking.player_connected(player);
        }
    }

    /// Notifies the players who follow `game`, because another node has changed the game.
    pub(crate) fn notify_followers(&self, game: GameId) {
        let players: Vec<PlayerId> = {
            let state = self.state();
            let followers = state.followed.get(&game).into_iter().flatten();
            followers.map(|(player, _)| *player).collect()
        };
        for player in players {
            self.notify(player, Some(game));
        }
    }

    /// Notifies all streams, because this node may have missed hints of other nodes.
    pub(crate) fn notify_all(&self) {
        let players: Vec<PlayerId> = self.state().streams.keys().copied().collect();
        for player in players {
            self.notify(player, None);
        }
    }

    /// The number of players with a stream.
    pub(crate) fn players(&self) -> usize {
        self.state().streams.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Feed {
    /// Waits for the next notification; `None` if there can be no more notifications. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Notice> {
        match self.notices.recv().await {
            Ok(notice) => Some(notice),
            Err(RecvError::Lagged(_)) => {
                self.notices = self.notices.resubscribe();
                Some(Notice::Everything)
            }
            Err(RecvError::Closed) => None,
        }
    }

    /// From now on, this stream is notified when another node changes the game.
    pub(crate) fn follow(&mut self, game: GameId) {
        self.followed.push(game);
        let mut state = self.feeds.state();
        let followers = state.followed.entry(game).or_default();
        *followers.entry(self.player).or_default() += 1;
    }

    /// Stops following a game.
    pub(crate) fn unfollow(&mut self, game: GameId) {
        if let Some(at) = self.followed.iter().position(|one| *one == game) {
            self.followed.swap_remove(at);
            self.feeds.state().unfollow(game, self.player);
        }
    }
}

impl State {
    fn unfollow(&mut self, game: GameId, player: PlayerId) {
        let Some(followers) = self.followed.get_mut(&game) else {
            return;
        };
        if let Some(count) = followers.get_mut(&player) {
            *count -= 1;
            if *count == 0 {
                followers.remove(&player);
            }
        }
        if followers.is_empty() {
            self.followed.remove(&game);
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let mut state = self.feeds.state();
        for game in &self.followed {
            state.unfollow(*game, self.player);
        }
        let Some(streams) = state.streams.get_mut(&self.player) else {
            return;
        };
        streams.count -= 1;
        if streams.count == 0 {
            state.streams.remove(&self.player);
            drop(state);
            self.feeds.matchmaking.player_disconnected(self.player);
        }
    }
}
