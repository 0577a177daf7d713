//! Which players are connected: published to the watchers of a table and to the other nodes.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_rules::Seat;
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::debug;

use crate::bus::Hint;
use crate::id::GameId;
use crate::tables::{LiveTable, Tables};

/// How long changes are collected before they are sent to the other nodes.
const COLLECT: Duration = Duration::from_millis(50);

/// How long to wait after an error of the store.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// How often everything in memory is compared with a store that other nodes write to, because hints
/// may get lost.
const COMPARE: Duration = Duration::from_secs(2);

/// How many games one comparison asks for.
const COMPARED_AT_ONCE: usize = 1_000;

/// The players that are connected to this node.
#[derive(Debug)]
pub(crate) struct Presence {
    tables: Arc<Tables>,
    /// Games whose presence the other nodes do not know yet.
    changed: Mutex<BTreeSet<GameId>>,
    filled: Notify,
}

/// A connection of a player, by a stream or a WebSocket. Dropped, the player is no longer connected
/// by it, also when a request is cancelled.
#[derive(Debug)]
pub(crate) struct Connected {
    presence: Arc<Presence>,
    live: Arc<LiveTable>,
    seat: Seat,
}

impl Presence {
    pub(crate) fn new(tables: &Arc<Tables>) -> Arc<Presence> {
        Arc::new(Presence {
            tables: Arc::clone(tables),
            changed: Mutex::default(),
            filled: Notify::new(),
        })
    }

    /// The player of a seat is connected for as long as the value lives.
    pub(crate) fn connect(self: &Arc<Presence>, live: &Arc<LiveTable>, seat: Seat) -> Connected {
        if live.connect(seat) {
            self.note(live.id());
        }
        Connected {
            presence: Arc::clone(self),
            live: Arc::clone(live),
            seat,
        }
    }

    fn note(&self, game: GameId) {
        if self.tables.bus().is_shared() {
            self.changed().insert(game);
            self.filled.notify_one();
        }
    }

    fn changed(&self) -> MutexGuard<'_, BTreeSet<GameId>> {
        // Every change is complete, so a poisoned lock holds a good value.
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exchanges presence with the other nodes, for as long as the server runs.
    pub(crate) async fn share(self: Arc<Presence>) {
        if !self.tables.bus().is_shared() {
            return;
        }
        let compare = Notify::new();
        tokio::join!(self.tell(), self.hear(&compare), self.compare(&compare));
    }

    async fn tell(&self) {
        loop {
            self.filled.notified().await;
            sleep(COLLECT).await;
            let games = std::mem::take(&mut *self.changed());
            let seats = |game: &GameId| {
                let live = self.tables.in_memory(*game);
                (
                    *game,
                    live.map(|live| live.connected_here()).unwrap_or_default(),
                )
            };
            let seats = games.iter().map(seats).collect();
            let told = self.tables.store().set_presence(self.tables.node(), seats);
            match told.await {
                Ok(()) => {
                    for game in games {
                        self.tables.bus().publish(Hint::Presence(game));
                    }
                }
                Err(error) => {
                    debug!(%error, "the other nodes do not know who is connected here");
                    self.changed().extend(games);
                    self.filled.notify_one();
                    sleep(RETRY_AFTER).await;
                }
            }
        }
    }

    /// Takes what other nodes have stored, when a hint says so.
    async fn hear(&self, compare: &Notify) {
        let mut hints = self.tables.bus().subscribe();
        while let Some(hint) = hints.next().await {
            match hint {
                Hint::Entry { game, number } => {
                    if let Some(live) = self.tables.in_memory(game)
                        && live.read(|table| table.entry() < number)
                    {
                        self.refresh(live);
                    }
                }
                Hint::Presence(game) => {
                    if self.tables.in_memory(game).is_some() {
                        self.compare_games(&[game]).await;
                    }
                }
                Hint::Matched => {}
                Hint::Missed => compare.notify_one(),
            }
        }
    }

    async fn compare(&self, compare: &Notify) {
        loop {
            let games: Vec<GameId> = self.tables.all().iter().map(|live| live.id()).collect();
            for games in games.chunks(COMPARED_AT_ONCE) {
                self.compare_games(games).await;
            }
            tokio::select! {
                biased;
                () = sleep(COMPARE) => {}
                () = compare.notified() => {}
            }
        }
    }

    /// Tables in memory become what the store has of these games. What fails now is done soon again.
    async fn compare_games(&self, games: &[GameId]) {
        let node = self.tables.node();
        let Ok(found) = self.tables.store().positions(node, games.to_vec()).await else {
            return;
        };
        let found: HashMap<GameId, _> = found.iter().map(|found| (found.game, found)).collect();
        for game in games {
            let Some(live) = self.tables.in_memory(*game) else {
                continue;
            };
            match found.get(game) {
                Some(position) => {
                    live.set_present_elsewhere(position.present);
                    if live.read(|table| table.entry() != position.entry) {
                        self.refresh(live);
                    }
                }
                // Another node has deleted it, or it is not stored yet.
                None => self.refresh(live),
            }
        }
    }

    /// In a task of its own: a submission to one table must not keep the others waiting.
    fn refresh(&self, live: Arc<LiveTable>) {
        let tables = Arc::clone(&self.tables);
        tokio::spawn(async move { tables.refresh(&live).await });
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        if self.live.disconnect(self.seat) {
            self.presence.note(self.live.id());
        }
    }
}
