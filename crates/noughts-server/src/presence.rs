//! Tracks the presence of players: which players are connected. Publishes the presence to the watchers of a
//! table and to the other nodes.

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

/// How long this node collects changes of presence before it stores them and sends hints to the other nodes.
const COLLECT: Duration = Duration::from_millis(50);

/// How long to wait after an error of the store.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// Interval at which all tables in memory are compared with a shared store, because hints may get lost.
const COMPARE_INTERVAL: Duration = Duration::from_secs(2);

/// Maximum number of games per request to the store.
const COMPARED_AT_ONCE: usize = 1_000;

/// A player counts as connected for this long after a request with a token that is valid for the seat. Hidden tabs and
/// some programs send requests and keep no stream open.
const PRESENT_AFTER_REQUEST: Duration = Duration::from_secs(90);

/// Interval at which expired requests are removed.
const FORGET: Duration = Duration::from_secs(1);

/// Maximum number of seats whose players count as present because of recent requests. For all further seats,
/// only open connections count.
const MAX_REQUESTERS: usize = 100_000;

/// The presence of the players that are connected to this node over HTTP.
#[derive(Debug)]
pub(crate) struct Presence {
    tables: Arc<Tables>,
    /// Games whose presence has changed since it was last stored.
    changed: Mutex<BTreeSet<GameId>>,
    filled: Notify,
    /// The seats with a recent request of their player, and until when this request counts.
    requesters: Mutex<HashMap<(GameId, Seat), (Duration, Connected)>>,
}

/// Marks a player as connected, because of an event stream, a WebSocket or a recent request. The mark ends when this
/// value is dropped, for example because an HTTP request is cancelled. A player without a mark on any node is away.
/// Exception: a TCP client needs no mark.
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
            requesters: Mutex::default(),
        })
    }

    /// Marks the player of a seat as connected until the returned value is dropped.
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

    /// Records a request of the player of a seat. The player counts as connected for [`PRESENT_AFTER_REQUEST`].
    pub(crate) fn request(self: &Arc<Presence>, live: &Arc<LiveTable>, seat: Seat) {
        let until = self.tables.clock().now() + PRESENT_AFTER_REQUEST;
        let key = (live.id(), seat);
        let mut requesters = self.requesters();
        if let Some((known_until, connected)) = requesters.get_mut(&key)
            && Arc::ptr_eq(&connected.live, live)
        {
            *known_until = until;
            return;
        }
        if requesters.len() < MAX_REQUESTERS {
            // A previous entry belongs to an earlier instance of the table, which was removed from memory and then
            // loaded again.
            let before = requesters.insert(key, (until, self.connect(live, seat)));
            drop(requesters);
            drop(before);
        }
    }

    /// Records that the player of a seat leaves. The player's earlier requests no longer count, and the other
    /// players may claim a win or a draw sooner.
    pub(crate) fn leave(&self, live: &Arc<LiveTable>, seat: Seat) {
        let requester = self.requesters().remove(&(live.id(), seat));
        drop(requester);
        live.note_left(seat);
        let game = live.id();
        self.tables.bus().publish(Hint::Left { game, seat });
    }

    /// Removes expired requests every second, for as long as the server runs.
    pub(crate) async fn forget_requests(self: Arc<Presence>) {
        loop {
            sleep(FORGET).await;
            let now = self.tables.clock().now();
            let mut requesters = self.requesters();
            let old: Vec<_> = requesters
                .extract_if(|_, (until, _)| *until <= now)
                .collect();
            // The map is unlocked first, because dropping the old entries locks their tables.
            drop(requesters);
            drop(old);
        }
    }

    fn requesters(&self) -> MutexGuard<'_, HashMap<(GameId, Seat), (Duration, Connected)>> {
        self.requesters
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, game: GameId) {
        self.changed().insert(game);
        self.filled.notify_one();
    }

    fn changed(&self) -> MutexGuard<'_, BTreeSet<GameId>> {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores which players are connected, because the lobby needs this information. If the store is shared,
    /// also applies what other nodes have changed: presence and log entries. Runs as long as the server runs.
    pub(crate) async fn share(self: Arc<Presence>) {
        if !self.tables.bus().is_shared() {
            return self.store_presence().await;
        }
        let compare = Notify::new();
        tokio::join!(
            self.store_presence(),
            self.receive_hints(&compare),
            self.compare(&compare)
        );
    }

    async fn store_presence(&self) {
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
                    self.tables.lists_changed();
                    for game in games {
                        self.tables.bus().publish(Hint::Presence(game));
                    }
                }
                Err(error) => {
                    debug!(%error, "cannot store which players are connected; retrying");
                    self.changed().extend(games);
                    self.filled.notify_one();
                    sleep(RETRY_AFTER).await;
                }
            }
        }
    }

    /// Handles the hints of other nodes. For most hints, reads from the store what has changed.
    async fn receive_hints(&self, compare: &Notify) {
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
                Hint::Left { game, seat } => {
                    if let Some(live) = self.tables.in_memory(game) {
                        live.note_left(seat);
                    }
                }
                Hint::Matched | Hint::Player(_) => {}
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
                () = sleep(COMPARE_INTERVAL) => {}
                () = compare.notified() => {}
            }
        }
    }

    /// Compares the tables in memory that belong to `games` with the store, and updates them. After a failure, the next
    /// comparison tries again.
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
                // The game was deleted, or a failover of the store has lost it.
                None => self.refresh(live),
            }
        }
    }

    /// Refreshes a table in its own task, so that one slow table does not delay the others.
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
