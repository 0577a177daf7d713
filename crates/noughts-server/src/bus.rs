//! Hints: short messages between nodes that share a store, such as "this game has entry N".
//!
//! A hint says that something has changed, for example that a game has a new entry. For most hints, the receiving node
//! then reads the change from the store. Hints may arrive late, twice or not at all. [`Hint::Missed`] says that hints
//! may have been lost. PostgreSQL carries hints by LISTEN and NOTIFY (`store/postgres/notify.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use noughts_rules::Seat;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::task::AbortHandle;

use crate::id::{GameId, PlayerId};

/// Sends and receives hints.
#[derive(Debug)]
pub struct Bus {
    /// `None` if no other node can share the store.
    outbox: Option<Outbox>,
    inbox: Inbox,
    tasks: Vec<AbortHandle>,
}

/// A message between nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hint {
    /// A game has this entry, and perhaps later entries.
    Entry {
        /// The game.
        game: GameId,
        /// The number of the entry.
        number: u32,
    },
    /// A player of this game connected or disconnected.
    Presence(GameId),
    /// The player of a seat sent `leave`.
    Left {
        /// The game.
        game: GameId,
        /// The seat.
        seat: Seat,
    },
    /// Waiting players were paired. Some of them may wait at the receiving node.
    Matched,
    /// Something has changed for a registered player: the player itself, its name, tokens, games or quick matches.
    Player(PlayerId),
    /// The receiving node may have missed hints, and must compare everything with the store. A node also gets
    /// this hint each time it connects to the database.
    Missed,
}

/// Maximum number of received hints that wait for a subscriber. If there are more, the subscriber loses the oldest
/// hints and gets [`Hint::Missed`] instead.
const MAX_RECEIVED: usize = 1_024;

/// Maximum number of unsent hints. All [`Hint::Entry`] hints of one game count as one hint. If there are more
/// hints, the node sends a single [`Hint::Missed`] instead of all hints.
const MAX_UNSENT: usize = 10_000;

impl Bus {
    /// The bus of a process that does not share its store. This bus sends and receives nothing.
    pub fn alone() -> Bus {
        Bus {
            outbox: None,
            inbox: Inbox::new(),
            tasks: Vec::new(),
        }
    }

    /// Starts one task that sends the hints of the outbox, and one task that receives hints.
    pub(crate) fn between<S, R>(
        send: impl FnOnce(Outbox) -> S,
        receive: impl FnOnce(Inbox) -> R,
    ) -> Bus
    where
        S: Future<Output = ()> + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let (outbox, inbox) = (Outbox::default(), Inbox::new());
        let tasks = vec![
            tokio::spawn(send(outbox.clone())).abort_handle(),
            tokio::spawn(receive(inbox.clone())).abort_handle(),
        ];
        Bus {
            outbox: Some(outbox),
            inbox,
            tasks,
        }
    }

    /// A bus over the caller's channels, for tests that lose, delay or repeat hints.
    pub fn linked(sent: mpsc::Sender<Hint>, mut received: mpsc::Receiver<Hint>) -> Bus {
        let send = |outbox: Outbox| async move {
            loop {
                outbox.filled().await;
                for hint in outbox.take() {
                    if sent.send(hint).await.is_err() {
                        return;
                    }
                }
            }
        };
        let receive = |inbox: Inbox| async move {
            while let Some(hint) = received.recv().await {
                inbox.put(hint);
            }
        };
        Bus::between(send, receive)
    }

    /// Sends a hint to the other nodes soon, usually within milliseconds. Call this function only after the change that
    /// the hint announces was stored. Does nothing if the store is not shared.
    pub fn publish(&self, hint: Hint) {
        if let Some(outbox) = &self.outbox {
            outbox.put(hint);
        }
    }

    /// Whether other nodes may share the store.
    pub fn is_shared(&self) -> bool {
        self.outbox.is_some()
    }

    /// Subscribes to hints received from now on.
    pub fn subscribe(&self) -> Hints {
        Hints(self.inbox.0.subscribe())
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// The hints that one subscriber receives.
#[derive(Debug)]
pub struct Hints(broadcast::Receiver<Hint>);

impl Hints {
    /// The next hint; `None` when the bus is closed. Cancel safe.
    pub async fn next(&mut self) -> Option<Hint> {
        match self.0.recv().await {
            Ok(hint) => Some(hint),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Hint::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// Distributes received hints to all subscribers.
#[derive(Clone, Debug)]
pub(crate) struct Inbox(broadcast::Sender<Hint>);

impl Inbox {
    fn new() -> Inbox {
        Inbox(broadcast::Sender::new(MAX_RECEIVED))
    }

    pub(crate) fn put(&self, hint: Hint) {
        // `send` returns an error if there is no subscriber. This error does not matter.
        let _ = self.0.send(hint);
    }
}

/// Hints that wait to be sent. Clones share the same hints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox(Arc<Unsent>);

#[derive(Debug, Default)]
struct Unsent {
    hints: Mutex<Collected>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Collected {
    /// The number of the latest entry of each game. A hint for an entry also announces all earlier entries of
    /// the game.
    entries: BTreeMap<GameId, u32>,
    presence: BTreeSet<GameId>,
    players: BTreeSet<PlayerId>,
    left: BTreeSet<(GameId, Seat)>,
    has_matched: bool,
    has_missed: bool,
}

impl Collected {
    fn put(&mut self, hint: Hint) {
        match hint {
            Hint::Entry { game, number } => {
                let latest = self.entries.entry(game).or_default();
                *latest = number.max(*latest);
            }
            Hint::Presence(game) => {
                self.presence.insert(game);
            }
            Hint::Player(player) => {
                self.players.insert(player);
            }
            Hint::Left { game, seat } => {
                self.left.insert((game, seat));
            }
            Hint::Matched => self.has_matched = true,
            Hint::Missed => self.has_missed = true,
        }
        let players = self.players.len() + self.left.len();
        if self.entries.len() + self.presence.len() + players > MAX_UNSENT {
            *self = Collected {
                has_missed: true,
                ..Collected::default()
            };
        }
    }
}

impl Outbox {
    fn put(&self, hint: Hint) {
        self.change(|collected| collected.put(hint));
        self.0.filled.notify_one();
    }

    /// Waits until there is a hint to send.
    pub(crate) async fn filled(&self) {
        self.0.filled.notified().await;
    }

    /// Takes all hints.
    pub(crate) fn take(&self) -> Vec<Hint> {
        let collected = self.change(std::mem::take);
        let missed = collected.has_missed.then_some(Hint::Missed);
        let entries = collected.entries.into_iter();
        let entries = entries.map(|(game, number)| Hint::Entry { game, number });
        let presence = collected.presence.into_iter().map(Hint::Presence);
        let matched = collected.has_matched.then_some(Hint::Matched);
        let players = collected.players.into_iter().map(Hint::Player);
        let first = missed.into_iter().chain(matched);
        let left = collected.left.into_iter();
        let left = left.map(|(game, seat)| Hint::Left { game, seat });
        first
            .chain(entries)
            .chain(presence)
            .chain(left)
            .chain(players)
            .collect()
    }

    /// Puts back hints that could not be sent.
    pub(crate) fn put_back(&self, hints: Vec<Hint>) {
        self.change(|collected| hints.into_iter().for_each(|hint| collected.put(hint)));
        self.0.filled.notify_one();
    }

    fn change<T>(&self, change: impl FnOnce(&mut Collected) -> T) -> T {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        let mut hints = self.0.hints.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut hints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(game: u128, number: u32) -> Hint {
        let game = GameId::new(game);
        Hint::Entry { game, number }
    }

    #[tokio::test]
    async fn single_node_receives_nothing() {
        let bus = Bus::alone();
        let mut hints = bus.subscribe();
        bus.publish(entry(1, 1));
        drop(bus);
        assert_eq!(hints.next().await, None);
    }

    #[tokio::test]
    async fn slow_subscriber_gets_missed() {
        let bus = Bus::alone();
        let mut hints = bus.subscribe();
        for number in 0..=MAX_RECEIVED as u32 {
            bus.inbox.put(entry(1, number));
        }
        assert_eq!(hints.next().await, Some(Hint::Missed));
        assert_eq!(hints.next().await, Some(entry(1, 1)));
    }

    #[test]
    fn only_the_latest_entry_of_a_game_is_sent() {
        let outbox = Outbox::default();
        for number in [1, 3, 2] {
            outbox.put(entry(7, number));
        }
        let hints = outbox.take();
        assert_eq!(hints, [entry(7, 3)]);
        assert_eq!(outbox.take(), []);
        outbox.put(entry(7, 4));
        outbox.put_back(hints);
        assert_eq!(outbox.take(), [entry(7, 4)]);
    }

    #[test]
    fn unsent_hints_are_bounded() {
        let outbox = Outbox::default();
        for game in 0..=MAX_UNSENT as u128 {
            outbox.put(entry(game, 1));
        }
        assert_eq!(outbox.take(), [Hint::Missed]);
    }
}
