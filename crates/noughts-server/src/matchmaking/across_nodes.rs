//! Pairs clients and quick matches of all nodes through the store.
//!
//! This node sends the store a list of its waiting clients and new quick matches: after every change, and once per
//! second while players wait. Whenever the store receives a list, it pairs players of all nodes. The reply has all
//! matches of this node's clients, also matches that the store made when it received a list of another node. See
//! [`Store::match_waiting`](crate::Store::match_waiting).

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Seat;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, warn};

use super::{Client, Matchmaking, RETRY_AFTER, Waiting};
use crate::bus::Hint;
use crate::id::GameId;
use crate::store::{Match, StoreError, WaitingId, WaitingList, WaitingPlayer};
use crate::tables::ConnectedSeat;

/// Interval at which this node sends its list while a client or a quick match waits. The store pairs only
/// clients whose node keeps sending lists. At the same interval this node looks for open seats of other
/// nodes.
const INTERVAL: Duration = Duration::from_secs(1);

/// Interval at which this node searches the store for open seats while a client waits, if no other node uses
/// the store. The search finds seats that could not be taken while the store was unavailable.
const SEARCH_ALONE: Duration = Duration::from_secs(10);

/// Maximum number of TCP clients in a list. The clients that wait longest come first. The store writes a list in one
/// transaction.
const MAX_LISTED_PLAYERS: usize = 1_000;

/// What this node has sent or must still send to the store about its waiting clients.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// The version of the latest list that this node has created.
    version: u64,
    /// Clients that the store may pair.
    clients: HashSet<WaitingId>,
    /// Clients that found an open seat, so that the store must no longer pair them. The channel gets the match if the
    /// store had already paired the client, and otherwise `None`.
    withdrawn: BTreeMap<WaitingId, oneshot::Sender<Option<Match>>>,
    /// The ids of clients whose matches the store may remove, because this node has received the matches.
    seen: Vec<WaitingId>,
}

/// Receives the match of a withdrawn client if the store paired the client before the withdrawal, and
/// otherwise `None`.
pub(super) type Withdrawal = oneshot::Receiver<Option<Match>>;

impl Sent {
    /// Records that the store must no longer pair `client`, which has left the queue. The next list tells this to the
    /// store. If the store does not know the client, does nothing and returns `None`.
    pub(super) fn withdraw(&mut self, client: WaitingId) -> Option<Withdrawal> {
        if !self.clients.contains(&client) {
            return None;
        }
        let (answer, withdrawal) = oneshot::channel();
        self.withdrawn.insert(client, answer);
        Some(withdrawal)
    }

    fn is_settled(&self) -> bool {
        self.clients.is_empty() && self.seen.is_empty()
    }
}

impl Matchmaking {
    /// Searches for open seats and sends lists, as long as the server runs.
    pub(crate) async fn run(self: Arc<Matchmaking>) {
        let is_shared = self.tables.bus().is_shared();
        let search_interval = match is_shared {
            true => INTERVAL,
            false => SEARCH_ALONE,
        };
        let mut hints = self.tables.bus().subscribe();
        let mut searched: Option<Instant> = None;
        // A separate task looks for open seats for quick matches. That task waits for lists that this task
        // sends, so this task cannot do the search itself.
        let mut seating: Option<(Instant, JoinHandle<()>)> = None;
        loop {
            let is_time = searched.is_none_or(|searched| searched.elapsed() >= search_interval);
            // For a new client, the search comes before the list. So the client gets an open seat of another node, if
            // there is one, before the store can pair the client.
            let has_new_client = is_shared && self.has_new_client();
            if searched.is_none() || has_new_client || (is_time && self.has_client()) {
                match self.offer_stored_seats().await {
                    Ok(()) => searched = Some(Instant::now()),
                    Err(error) => debug!(%error, "cannot search for open seats; retrying"),
                }
            }
            if let Err(error) = self.exchange().await {
                debug!(%error, "cannot send the list of waiting clients; retrying");
                sleep(RETRY_AFTER).await;
                continue;
            }
            let is_seating = |(begun, task): &(Instant, JoinHandle<()>)| {
                begun.elapsed() < INTERVAL || !task.is_finished()
            };
            if self.state().quick.has_waiting_here() && !seating.as_ref().is_some_and(is_seating) {
                let matchmaking = Arc::clone(&self);
                let task = tokio::spawn(async move { matchmaking.seat_quick_matches().await });
                seating = Some((Instant::now(), task));
            }
            let is_matched = async {
                while let Some(hint) = hints.next().await {
                    match hint {
                        Hint::Matched | Hint::Missed => return,
                        Hint::Entry { .. }
                        | Hint::Presence(_)
                        | Hint::Left { .. }
                        | Hint::Player(_) => {}
                    }
                }
                std::future::pending::<()>().await;
            };
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                () = is_matched => {}
                () = sleep(INTERVAL) => {}
            }
        }
    }

    /// Whether the queue has a connected client that was not yet in a list for the store.
    fn has_new_client(&self) -> bool {
        let state = self.state();
        let is_new = |waiting: &Waiting| match waiting {
            Waiting::Client(client) => {
                !client.seat.is_closed() && !state.sent.clients.contains(&client.id)
            }
            Waiting::Seat(..) => false,
        };
        state.queue.has(is_new)
    }

    /// Sends the next list, if there is one. Then seats the clients that were paired, and answers the requests for
    /// quick matches.
    async fn exchange(self: &Arc<Matchmaking>) -> Result<(), StoreError> {
        let Some(list) = self.next_list() else {
            return Ok(());
        };
        let (node, now_ms) = (self.tables.node(), self.tables.clock().now_ms());
        let store = self.tables.store();
        let matches = match store.match_waiting(node, list.clone(), now_ms).await {
            Ok(matches) => matches,
            Err(error) => {
                self.state().quick.note_lost_reply(&list);
                return Err(error);
            }
        };
        if !matches.created.is_empty() {
            self.tables.bus().publish(Hint::Matched);
            self.tables
                .metrics()
                .tables_created
                .inc_by(matches.created.len() as u64);
        }
        self.announce(&list, &matches);
        let mut state = self.state();
        state.quick.answer_requests(&list, &matches);
        state.sent.clients = list.players.iter().map(|player| player.id).collect();
        state.sent.seen.retain(|id| !list.seen.contains(id));
        for matched in matches.unseen {
            state.sent.seen.push(matched.player);
            state.sent.clients.remove(&matched.player);
            let is_it = |waiting: &Waiting| matches!(waiting, Waiting::Client(client) if client.id == matched.player);
            if let Some(Waiting::Client(client)) = state.queue.take(is_it) {
                self.seat_matched(Some(client), matched);
            } else if let Some(answer) = state.sent.withdrawn.remove(&matched.player) {
                let _ = answer.send(Some(matched));
            } else {
                self.seat_matched(None, matched);
            }
        }
        let sent = &mut state.sent;
        let clients = &sent.clients;
        let withdrawn = std::mem::take(&mut sent.withdrawn);
        for (id, answer) in withdrawn {
            match clients.contains(&id) {
                true => drop(sent.withdrawn.insert(id, answer)),
                false => drop(answer.send(None)),
            }
        }
        if !sent.seen.is_empty() || !sent.withdrawn.is_empty() {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// The next list to send. `None` if nobody waits for an opponent and the store already knows this.
    fn next_list(&self) -> Option<WaitingList> {
        let mut state = self.state();
        let player = |waiting: &Waiting| match waiting {
            Waiting::Client(client) if !client.seat.is_closed() => Some(WaitingPlayer {
                id: client.id,
                variant: self.variant,
                clock: None,
                holder: self.connected(client.name.clone()),
                since_ms: client.since_ms,
            }),
            Waiting::Client(_) | Waiting::Seat(..) => None,
        };
        let is_stopping = self.tables.is_stopping();
        let players: Vec<WaitingPlayer> = match is_stopping {
            true => Vec::new(),
            false => {
                let players = state.queue.iter().filter_map(player);
                players.take(MAX_LISTED_PLAYERS).collect()
            }
        };
        let list = WaitingList {
            players,
            seen: state.sent.seen.clone(),
            ..match is_stopping {
                true => WaitingList::default(),
                false => state.quick.list(),
            }
        };
        let is_awaited = state.quick.has_waiting_players && !is_stopping;
        if list == WaitingList::default() && state.sent.is_settled() && !is_awaited {
            return None;
        }
        let sent = &mut state.sent;
        sent.version += 1;
        sent.clients
            .extend(list.players.iter().map(|player| player.id));
        let version = sent.version;
        Some(WaitingList { version, ..list })
    }

    /// Gives a client the seat that the store has assigned. If the client has disconnected, or `client` is
    /// `None`, the player of this seat leaves the game. If the opponent has already left, the client waits
    /// again.
    pub(super) fn seat_matched(self: &Arc<Matchmaking>, client: Option<Client>, matched: Match) {
        let matchmaking = Arc::clone(self);
        let Match { game, seat, .. } = matched;
        self.tables.background().spawn(async move {
            let Some(seat) = matchmaking.load_seat(game, seat).await else {
                return;
            };
            let Some(client) = client else { return };
            match seat.is_over() && !client.seat.is_closed() {
                // The opponent left before the game began: the client waits again.
                true => {
                    matchmaking.enter(Waiting::Client(client.again(matchmaking.new_wait())));
                }
                // If the client has disconnected, the seat is dropped, and the client leaves the game.
                false => drop(client.seat.send(seat)),
            }
        });
    }

    /// Loads a stored game and returns its seat `seat`. Returns `None` if the game was deleted or cannot be
    /// read.
    async fn load_seat(self: &Arc<Matchmaking>, game: GameId, seat: Seat) -> Option<ConnectedSeat> {
        loop {
            match self.tables.get(game).await {
                Ok(Some(live)) => return Some(ConnectedSeat::new(&self.tables, &live, seat)),
                Ok(None) => return None,
                Err(StoreError::Corrupt(reason)) => {
                    warn!(%game, reason, "cannot load the game of a pair");
                    return None;
                }
                Err(error) => {
                    debug!(%game, %error, "cannot load the game of a pair; retrying");
                    sleep(RETRY_AFTER).await;
                }
            }
        }
    }

    /// Tells the store that no client waits at this node, because the server stops. Returns true when the
    /// store no longer pairs clients of this node, and false if this takes longer than `max_wait`.
    pub(crate) async fn withdraw_all(self: &Arc<Matchmaking>, max_wait: Duration) -> bool {
        let withdrawn = async {
            while !self.state().sent.is_settled() {
                if self.exchange().await.is_err() {
                    sleep(RETRY_AFTER).await;
                }
            }
        };
        timeout(max_wait, withdrawn).await.is_ok()
    }
}
