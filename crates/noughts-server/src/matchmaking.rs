//! Pairs TCP clients, quick matches and open lobby seats, first come, first served.
//!
//! The store pairs TCP clients and quick matches of all nodes; see [`across_nodes`]. Open seats are in the
//! store too: the log of a game decides which client gets the seat.

mod across_nodes;
mod queue;
mod quick_match;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use noughts_engine::{StrategyName, UnsupportedGame};
use noughts_rules::{Game, Options, Seat, Variant};
use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;
use tracing::{debug, warn};

use crate::background_tasks::poll_once;
use crate::id::GameId;
use crate::store::{ListQuery, ListedGame, StoreError, WaitingId};
use crate::table::{
    Command, Holder, Key, NewGame, OpenTo, RequestKey, SeatSet, Settings, Status, Table,
};
use crate::tables::{BoxFuture, ConnectedSeat, Creation, LiveTable, SubmitError, Tables};
use across_nodes::{Sent, Withdrawal};
use queue::{Entered, Queue, Ticket};
use quick_match::QuickMatches;

/// Maximum number of waiting games that a search for open seats reads from the store.
const MAX_SCANNED_GAMES: usize = 1_000;

/// How long to wait before another attempt, for example after an error of the store.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// Pairs TCP clients and quick matches with each other and with open seats, first come, first served.
pub struct Matchmaking {
    tables: Arc<Tables>,
    state: Mutex<State>,
    /// Wakes the matchmaking task, for example when a client joins or leaves. The task searches for seats and
    /// sends lists of waiting clients to the store.
    changed: Notify,
    /// The variant that TCP clients play.
    variant: Variant,
}

#[derive(Debug)]
struct State {
    queue: Queue<Waiting>,
    sent: Sent,
    quick: QuickMatches,
}

/// An item of the queue.
#[derive(Debug)]
enum Waiting {
    /// A TCP client.
    Client(Client),
    /// An open seat of a table.
    Seat(GameId, Seat),
}

#[derive(Debug)]
struct Client {
    /// Identifies the client in the store while the client waits. A client that waits again gets a new id.
    id: WaitingId,
    /// When the client joined, in milliseconds since 1970.
    since_ms: u64,
    name: String,
    /// The channel that gives the client its seat. Closed when the client has disconnected.
    seat: oneshot::Sender<ConnectedSeat>,
}

impl Client {
    /// Gives the client the new `id`, because a client that waits again needs a new id.
    fn again(self, id: WaitingId) -> Client {
        Client { id, ..self }
    }
}

impl Waiting {
    /// Whether this item is a TCP client that is still connected.
    fn is_connected(&self) -> bool {
        matches!(self, Waiting::Client(client) if !client.seat.is_closed())
    }

    fn is_client(&self) -> bool {
        matches!(self, Waiting::Client(_))
    }

    /// Whether this node can pair `self` with `other`: one must be a client and the other an open seat. Only
    /// the store pairs clients with clients.
    fn fits(&self, other: &Waiting) -> bool {
        self.is_client() != other.is_client()
    }
}

/// A client's place in the queue. Dropping this value removes the client from the queue.
#[derive(Debug)]
pub struct WaitingClient {
    seat: oneshot::Receiver<ConnectedSeat>,
    place: Option<(Weak<Matchmaking>, Ticket)>,
}

impl WaitingClient {
    /// Waits for the client's seat; `None` if the client gets no seat, for example because the server stops. Cancel
    /// safe.
    pub async fn seat(&mut self) -> Option<ConnectedSeat> {
        (&mut self.seat).await.ok()
    }
}

impl Drop for WaitingClient {
    fn drop(&mut self) {
        self.seat.close();
        if let Some((matchmaking, ticket)) = self.place.take()
            && let Some(matchmaking) = matchmaking.upgrade()
        {
            matchmaking.state().queue.leave(ticket);
            matchmaking.changed.notify_one();
        }
    }
}

impl Matchmaking {
    /// Creates matchmaking with an empty queue. From now on, `tables` notifies the matchmaking when seats
    /// change.
    pub(crate) fn new(tables: &Arc<Tables>) -> Arc<Matchmaking> {
        let matchmaking = Arc::new(Matchmaking {
            tables: Arc::clone(tables),
            state: Mutex::new(State {
                queue: Queue::default(),
                sent: Sent::default(),
                quick: QuickMatches::default(),
            }),
            changed: Notify::new(),
            variant: "3x3k3".parse().expect("tic-tac-toe is a variant"),
        });
        let weak = Arc::downgrade(&matchmaking);
        tables.on_seats_changed(move |table| {
            if let Some(matchmaking) = weak.upgrade() {
                matchmaking.update_seats(table);
            }
        });
        matchmaking
    }

    /// Returns an error if `strategy` does not support the game that TCP clients play.
    pub fn check(&self, strategy: &StrategyName) -> Result<(), UnsupportedGame> {
        let game = Game::new(&self.variant, Options::default()).expect("tic-tac-toe can be played");
        strategy.check(&game)
    }

    /// Seats a TCP client against a robot; the client moves first. Retries until the game is stored. If the
    /// caller drops this future before it completes, no game is stored, or the client leaves the game as soon
    /// as the game is stored.
    pub async fn play_robot(
        self: &Arc<Matchmaking>,
        name: String,
        strategy: StrategyName,
        address: Option<IpAddr>,
    ) -> ConnectedSeat {
        let (sender, seat) = oneshot::channel();
        let matchmaking = Arc::clone(self);
        let mut seating: BoxFuture<()> = Box::pin(async move {
            let holders = vec![matchmaking.connected(name), Holder::Robot(strategy)];
            let is_wanted = || !sender.is_closed();
            if let Some(live) = matchmaking.create(holders, address, is_wanted).await {
                // If the client has disconnected, the seat is dropped, and the client leaves the game.
                let _ = sender.send(ConnectedSeat::new(&matchmaking.tables, &live, Seat(0)));
            }
        });
        // If the store replies at once, no task is needed.
        if poll_once(seating.as_mut()).is_pending() {
            self.tables.background().spawn(seating);
        }
        seat.await.expect("it is tried until there is one")
    }

    /// Queues a TCP client. The client gets an open lobby seat from the queue of this node, or the store
    /// pairs the client with another TCP client or a quick match. In both cases, the seat or player that has
    /// waited longest comes first. If the store pairs the client, the first mover is random.
    pub fn join(self: &Arc<Matchmaking>, name: String) -> WaitingClient {
        let (sender, seat) = oneshot::channel();
        let client = Client {
            id: self.new_wait(),
            since_ms: self.tables.clock().now_ms(),
            name,
            seat: sender,
        };
        let ticket = self.enter(Waiting::Client(client));
        WaitingClient {
            seat,
            place: ticket.map(|ticket| (Arc::downgrade(self), ticket)),
        }
    }

    pub(crate) fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// The number of connected TCP clients and open seats in the queue of this node.
    pub fn waiting(&self) -> usize {
        let has_gone = |waiting: &Waiting| matches!(waiting, Waiting::Client(client) if client.seat.is_closed());
        let state = self.state();
        let waiting = state.queue.iter();
        waiting.filter(|waiting| !has_gone(waiting)).count()
    }

    fn new_wait(&self) -> WaitingId {
        WaitingId(self.tables.ids().number())
    }

    /// Pairs `waiting` with an item of the queue, and returns `None`. If no item fits, adds `waiting` to the
    /// queue and returns its ticket.
    fn enter(self: &Arc<Matchmaking>, waiting: Waiting) -> Option<Ticket> {
        // A new seat needs no unattended tables, because a seat never pairs with a seat. The function must
        // not be called then, because the caller may hold the lock of the seat's table.
        let unattended = match &waiting {
            Waiting::Client(_) => self.unattended_tables(),
            Waiting::Seat(..) => HashSet::new(),
        };
        let is_there = |waiting: &Waiting| match waiting {
            Waiting::Client(client) => !client.seat.is_closed(),
            Waiting::Seat(game, _) => !unattended.contains(game),
        };
        let mut state = self.state();
        let queue = &mut state.queue;
        let entered = queue.enter(waiting, is_there, Waiting::fits);
        let (waited, new) = match entered {
            Entered::Waits(ticket) => {
                self.changed.notify_one();
                return Some(ticket);
            }
            Entered::Paired { waited, new } => (waited, new),
        };
        let clients = [&waited, &new];
        let withdrawal = clients.into_iter().find_map(|waiting| match waiting {
            Waiting::Client(client) => state.sent.withdraw(client.id),
            Waiting::Seat(..) => None,
        });
        // Unlock the state before calling other code.
        drop(state);
        if withdrawal.is_some() {
            self.changed.notify_one();
        }
        let matchmaking = Arc::clone(self);
        self.tables.background().spawn(async move {
            match (waited, new) {
                (Waiting::Client(client), Waiting::Seat(id, seat))
                | (Waiting::Seat(id, seat), Waiting::Client(client)) => {
                    if let Some(client) = matchmaking.withdraw(client, withdrawal).await {
                        matchmaking.take_lobby_seat(id, seat, client).await;
                    }
                }
                // The queue never pairs two clients or two seats.
                (Waiting::Client(_), Waiting::Client(_))
                | (Waiting::Seat(..), Waiting::Seat(..)) => {}
            }
        });
        None
    }

    /// Finds the unattended tables that have an open seat in the queue. A table is unattended if no player is
    /// connected and the table is not new. A table that is not in memory counts as unattended, even if a
    /// player is connected to it on another node. In that case, the next search for stored seats adds the
    /// table's seats to the queue again.
    fn unattended_tables(&self) -> HashSet<GameId> {
        let game = |waiting: &Waiting| match waiting {
            Waiting::Seat(game, _) => Some(*game),
            Waiting::Client(_) => None,
        };
        // Tables are locked only after the queue is unlocked, because code that holds the lock of a table may change
        // the queue.
        let games: HashSet<GameId> = self.state().queue.iter().filter_map(game).collect();
        let now_ms = self.tables.clock().now_ms();
        let is_attended = |game: GameId| {
            let live = self.tables.in_memory(game);
            live.is_some_and(|live| live.is_attended(now_ms))
        };
        games
            .into_iter()
            .filter(|game| !is_attended(*game))
            .collect()
    }

    /// Waits until the store no longer pairs `client`, and returns the client. If the store has already
    /// paired the client, gives the client its seat in the new game and returns `None`.
    async fn withdraw(
        self: &Arc<Matchmaking>,
        client: Client,
        withdrawal: Option<Withdrawal>,
    ) -> Option<Client> {
        let matched = match withdrawal {
            Some(withdrawal) => withdrawal.await.ok().flatten(),
            None => None,
        };
        let Some(matched) = matched else {
            return Some(client);
        };
        // The client no longer needs the open seat. The next search finds the seat again.
        self.seat_matched(Some(client), matched);
        None
    }

    /// Lets a client take an open seat. If that fails, for example because another client was faster, the client goes
    /// back to the queue.
    async fn take_lobby_seat(self: &Arc<Matchmaking>, id: GameId, seat: Seat, client: Client) {
        let key = Key {
            text: self.tables.ids().game().to_string(),
            request: 0,
        };
        // The key makes a retry safe: if the store's reply was lost, the retry gets the result of the first attempt.
        let command = Command::TakeSeat {
            seat,
            holder: self.connected(client.name.clone()),
            key: Some(Box::new(RequestKey {
                key,
                former_hash: 0,
            })),
        };
        // Whether a reply of the store was lost, so that the client may already have the seat.
        let mut is_unknown = false;
        loop {
            if client.seat.is_closed() && !is_unknown {
                return;
            }
            let live = match self.tables.get(id).await {
                Ok(Some(live)) => live,
                Ok(None) => break,
                Err(StoreError::Corrupt(reason)) => {
                    warn!(game = %id, reason, "cannot take a lobby seat of an unreadable game");
                    sleep(RETRY_AFTER).await;
                    break;
                }
                Err(error) => {
                    debug!(game = %id, %error, "cannot take a lobby seat; retrying");
                    sleep(RETRY_AFTER).await;
                    continue;
                }
            };
            match self.tables.submit(&live, &command).await {
                Ok(()) => {
                    // If the client has disconnected, the seat is dropped, and the client leaves the game.
                    let seat = ConnectedSeat::new(&self.tables, &live, seat);
                    let _ = client.seat.send(seat);
                    return;
                }
                Err(SubmitError::Unavailable(error)) => {
                    debug!(game = %id, %error, "cannot take a lobby seat; retrying");
                    is_unknown = true;
                }
                Err(SubmitError::Busy | SubmitError::Closed) => {}
                Err(SubmitError::Refused(_) | SubmitError::NoSuchGame) => break,
            }
            sleep(RETRY_AFTER).await;
        }
        if !client.seat.is_closed() {
            self.enter(Waiting::Client(client.again(self.new_wait())));
        }
    }

    /// Creates a table for TCP clients. Retries after errors of the store. If `is_wanted` is false after such an
    /// error, may return `None`. The store may have created the table although its reply was lost. In this case the
    /// clients leave the game.
    async fn create(
        &self,
        holders: Vec<Holder>,
        owner: Option<IpAddr>,
        is_wanted: impl Fn() -> bool,
    ) -> Option<Arc<LiveTable>> {
        let settings = Settings {
            id: self.tables.ids().game(),
            variant: self.variant,
            history: 0,
            start: None,
            clock: None,
            holders,
            is_listed: true,
            created_ms: self.tables.clock().now_ms(),
        };
        let id = settings.id;
        // Whether a reply of the store was lost, so that the store may have the game now or may create it later.
        let mut is_unknown = false;
        loop {
            let new = NewGame {
                settings: settings.clone(),
                key: None,
            };
            match self.tables.create(new, None, owner).await {
                Ok(Creation::Created(live)) if !is_unknown => return Some(live),
                // The store has the game; it is read below.
                Ok(Creation::Created(_)) => {}
                Ok(Creation::Repeat(_) | Creation::KeyReused) => {}
                Err(error) => {
                    warn!(%error, "no table could be created");
                    is_unknown |= matches!(error, StoreError::Unavailable(_));
                    sleep(RETRY_AFTER).await;
                }
            }
            match self.tables.get(id).await {
                Ok(Some(live)) if is_wanted() => return Some(live),
                Ok(Some(live)) => {
                    let seats = (0..).map(Seat).zip(&settings.holders);
                    let people = seats.filter(|(_, holder)| holder.is_human());
                    let people = people.map(|(seat, _)| seat).collect::<SeatSet>();
                    self.tables.leave(&live, people);
                    return None;
                }
                // If the store may still create the game later, this loop continues, so that the game can be ended.
                Ok(None) if !is_wanted() && !is_unknown => return None,
                Ok(None) | Err(_) => {}
            }
        }
    }

    /// The holder of a seat that belongs to a TCP connection of this node.
    fn connected(&self, name: String) -> Holder {
        Holder::Human {
            name,
            node: Some(self.tables.node()),
        }
    }

    /// Adds the open lobby seats of `table` to the queue if its log is still empty and TCP clients can play
    /// its game. Removes the table's seats that are no longer open.
    fn update_seats(self: &Arc<Matchmaking>, table: &Table) {
        let id = table.id();
        let is_open = |seat: Seat| {
            !table.is_over() && table.holder(seat) == Some(&Holder::Open(OpenTo::Lobby))
        };
        let is_taken = |waiting: &Waiting| match waiting {
            Waiting::Seat(game, seat) => *game == id && !is_open(*seat),
            Waiting::Client(_) => false,
        };
        self.state().queue.remove(is_taken);
        let settings = table.settings();
        // TCP clients support neither clocks nor start positions.
        if table.entry() == 0 && settings.start.is_none() && settings.clock.is_none() {
            self.offer_seats(id, settings.variant, settings.history, table.holders());
        }
    }

    /// Removes the seats of a deleted game from the queue.
    pub(crate) fn forget(&self, id: GameId) {
        let is_its = |waiting: &Waiting| matches!(waiting, Waiting::Seat(game, _) if *game == id);
        self.state().queue.remove(is_its);
    }

    /// Adds the open lobby seats of a table to the queue, if TCP clients play this variant with this history.
    fn offer_seats(
        self: &Arc<Matchmaking>,
        id: GameId,
        variant: Variant,
        history: u16,
        holders: &[Holder],
    ) {
        if variant != self.variant || history != 0 {
            return;
        }
        for (seat, holder) in (0..).map(Seat).zip(holders) {
            if *holder == Holder::Open(OpenTo::Lobby) {
                self.enter(Waiting::Seat(id, seat));
            }
        }
    }

    fn has_client(&self) -> bool {
        self.state().queue.has(Waiting::is_connected)
    }

    /// Reads attended tables from the store, and adds their open lobby seats to the queue, oldest table
    /// first.
    async fn offer_stored_seats(self: &Arc<Matchmaking>) -> Result<(), StoreError> {
        let mut query = ListQuery {
            variant: Some(self.variant),
            status: Some(Status::Waiting),
            attended_at_ms: Some(self.tables.clock().now_ms()),
            ..ListQuery::all(100)
        };
        let mut found = Vec::new();
        while found.len() < MAX_SCANNED_GAMES {
            let page = self.tables.store().list(query.clone()).await?;
            let Some(last) = page.last() else {
                break;
            };
            query.before = Some((last.created_ms, last.id));
            found.extend(page);
        }
        // TCP clients support neither clocks nor start positions.
        let is_known_to_tcp = |listed: &&ListedGame| listed.is_plain() && listed.clock.is_none();
        for listed in found.iter().rev().filter(is_known_to_tcp) {
            let is_known =
                |waiting: &Waiting| matches!(waiting, Waiting::Seat(id, _) if *id == listed.id);
            if !self.state().queue.has(is_known) {
                let holders = &listed.summary.holders;
                self.offer_seats(listed.id, listed.variant, listed.history, holders);
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Matchmaking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matchmaking").finish_non_exhaustive()
    }
}
