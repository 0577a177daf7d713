//! Pairs TCP clients with each other and with open lobby seats, first come, first served.
//!
//! A node that has its store to itself pairs its clients in memory. Where nodes share a store, the
//! store pairs the clients of all nodes; see [`across_nodes`]. Open seats are in the store in both cases:
//! the log of their game decides who gets one.

mod across_nodes;
mod queue;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use noughts_engine::{StrategyName, Unfit};
use noughts_rules::{Game, Options, Seat, Variant};
use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;
use tracing::{debug, warn};

use crate::background_tasks::poll_once;
use crate::id::GameId;
use crate::store::{ListQuery, StoreError, WaitingId};
use crate::table::{
    Command, Holder, Key, NewGame, OpenTo, RequestKey, SeatSet, Settings, Status, Table,
};
use crate::tables::{BoxFuture, ConnectedSeat, Creation, LiveTable, SubmitError, Tables};
use across_nodes::{Sent, Withdrawal};
use queue::{Entered, Queue, Ticket};

/// Maximum number of waiting games that one look at the store reads.
const MAX_SCANNED_GAMES: usize = 1_000;

/// How long a store that failed is left alone.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// How often a store without other nodes is searched for open seats while a client waits: those that
/// could not be taken while the store was away are offered again.
const SEARCH_ALONE: Duration = Duration::from_secs(10);

/// Brings clients and open seats together, first come, first served.
pub struct Matchmaking {
    tables: Arc<Tables>,
    state: Mutex<State>,
    /// A client came or went, or found an open seat.
    changed: Notify,
    /// What TCP clients play.
    variant: Variant,
}

#[derive(Debug)]
struct State {
    queue: Queue<Waiting>,
    sent: Sent,
}

/// Who or what waits.
#[derive(Debug)]
enum Waiting {
    /// A TCP client.
    Client(Client),
    /// An open seat of a table.
    Seat(GameId, Seat),
}

#[derive(Debug)]
struct Client {
    /// Names this wait in a shared store.
    id: WaitingId,
    /// When the client came, in milliseconds since 1970.
    since_ms: u64,
    name: String,
    address: Option<IpAddr>,
    /// Where its seat goes; closed when the client has gone.
    seat: oneshot::Sender<ConnectedSeat>,
}

impl Client {
    /// The same client in another wait.
    fn again(self, id: WaitingId) -> Client {
        Client { id, ..self }
    }
}

impl Waiting {
    fn is_still_there(&self) -> bool {
        match self {
            Waiting::Client(client) => !client.seat.is_closed(),
            Waiting::Seat(..) => true,
        }
    }

    fn is_client(&self) -> bool {
        matches!(self, Waiting::Client(_))
    }

    /// Whether the two are paired here: two clients, unless the store does that, or a client and a
    /// seat.
    fn fits(&self, other: &Waiting, is_shared: bool) -> bool {
        match (self.is_client(), other.is_client()) {
            (true, true) => !is_shared,
            (false, false) => false,
            (true, false) | (false, true) => true,
        }
    }
}

/// A client's place in the queue. Dropped, the client no longer waits.
#[derive(Debug)]
pub struct WaitingClient {
    seat: oneshot::Receiver<ConnectedSeat>,
    place: Option<(Weak<Matchmaking>, Ticket)>,
}

impl WaitingClient {
    /// The client's seat, when there is one; `None` where the server ends. Cancel safe.
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
    /// An empty queue; the seed decides who moves first.
    pub(crate) fn new(tables: &Arc<Tables>, seed: u64) -> Arc<Matchmaking> {
        let matchmaking = Arc::new(Matchmaking {
            tables: Arc::clone(tables),
            state: Mutex::new(State {
                queue: Queue::new(seed),
                sent: Sent::default(),
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

    /// Whether this strategy can play TCP clients, or why not.
    pub fn check(&self, strategy: &StrategyName) -> Result<(), Unfit> {
        let game = Game::new(&self.variant, Options::default()).expect("tic-tac-toe can be played");
        strategy.fits(&game)
    }

    /// Seats a TCP client, who moves first, against a robot. Tries again while the store is away. If
    /// the client goes meanwhile, and drops this, its game ends as soon as it is stored.
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
                // A client that has gone drops its seat, and so leaves.
                let _ = sender.send(ConnectedSeat::new(&matchmaking.tables, &live, Seat(0)));
            }
        });
        // A store that replies at once costs no task.
        if poll_once(seating.as_mut()).is_pending() {
            self.tables.background().spawn(seating);
        }
        seat.await.expect("it is tried until there is one")
    }

    /// Pairs a TCP client with the longest-waiting opponent, or queues it. The first mover is random.
    pub fn join(self: &Arc<Matchmaking>, name: String, address: Option<IpAddr>) -> WaitingClient {
        let (sender, seat) = oneshot::channel();
        let client = Client {
            id: self.new_wait(),
            since_ms: self.tables.clock().now_ms(),
            name,
            address,
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

    /// The number of clients and seats that wait.
    pub fn waiting(&self) -> usize {
        self.state().queue.len()
    }

    fn new_wait(&self) -> WaitingId {
        WaitingId(self.tables.ids().number())
    }

    /// Enters the queue: the place, where nobody fits.
    fn enter(self: &Arc<Matchmaking>, waiting: Waiting) -> Option<Ticket> {
        let is_shared = self.tables.bus().is_shared();
        let fits = |one: &Waiting, other: &Waiting| one.fits(other, is_shared);
        let mut state = self.state();
        let entered = state.queue.enter(waiting, Waiting::is_still_there, fits);
        let (first, second) = match entered {
            Entered::Waits(ticket) => {
                self.changed.notify_one();
                return Some(ticket);
            }
            Entered::Paired { first, second } => (first, second),
        };
        let clients = [&first, &second];
        let withdrawal = clients.into_iter().find_map(|waiting| match waiting {
            Waiting::Client(client) => state.sent.withdraw(client.id),
            Waiting::Seat(..) => None,
        });
        // The state must be unlocked before anything else is asked of it.
        drop(state);
        if withdrawal.is_some() {
            self.changed.notify_one();
        }
        let matchmaking = Arc::clone(self);
        self.tables.background().spawn(async move {
            match (first, second) {
                (Waiting::Client(first), Waiting::Client(second)) => {
                    matchmaking.seat_pair(first, second).await;
                }
                (Waiting::Client(client), Waiting::Seat(id, seat))
                | (Waiting::Seat(id, seat), Waiting::Client(client)) => {
                    if let Some(client) = matchmaking.withdraw(client, withdrawal).await {
                        matchmaking.take_lobby_seat(id, seat, client).await;
                    }
                }
                (Waiting::Seat(..), Waiting::Seat(..)) => {}
            }
        });
        None
    }

    async fn seat_pair(self: &Arc<Matchmaking>, first: Client, second: Client) {
        let holders = [&first, &second].map(|client| self.connected(client.name.clone()));
        let is_wanted = || !first.seat.is_closed() && !second.seat.is_closed();
        let live = self.create(holders.into(), first.address, is_wanted).await;
        let Some(live) = live else {
            // The one who is still there waits on.
            for client in [first, second] {
                if !client.seat.is_closed() {
                    self.enter(Waiting::Client(client));
                }
            }
            return;
        };
        for (seat, client) in (0..).map(Seat).zip([first, second]) {
            // A client that has gone drops its seat, and so leaves.
            let _ = client
                .seat
                .send(ConnectedSeat::new(&self.tables, &live, seat));
        }
    }

    /// Waits until the store will not pair the client any more; `None` where it has already.
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
        // The open seat is found again by the next search.
        self.seat_matched(Some(client), matched);
        None
    }

    /// A client takes an open seat; where somebody else was first it goes back to the queue.
    async fn take_lobby_seat(self: &Arc<Matchmaking>, id: GameId, seat: Seat, client: Client) {
        let key = Key {
            text: self.tables.ids().game().to_string(),
            request: 0,
        };
        // With a key of its own: if the store's reply is lost, the next try finds out.
        let command = Command::TakeSeat {
            seat,
            holder: self.connected(client.name.clone()),
            key: Some(Box::new(RequestKey {
                key,
                former_hash: 0,
            })),
        };
        // Whether the store may have the seat although it did not reply.
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
                    debug!(game = %id, %error, "a lobby seat is tried again");
                    sleep(RETRY_AFTER).await;
                    continue;
                }
            };
            match self.tables.submit(&live, &command).await {
                Ok(()) => {
                    // A client that has gone drops its seat, and so leaves.
                    let seat = ConnectedSeat::new(&self.tables, &live, seat);
                    let _ = client.seat.send(seat);
                    return;
                }
                Err(SubmitError::Unavailable(error)) => {
                    debug!(game = %id, %error, "a lobby seat is tried again");
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

    /// Creates a table for connected players. While the store is away it is tried again, as long as it
    /// is wanted.
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
            holders,
            created_ms: self.tables.clock().now_ms(),
        };
        let id = settings.id;
        // Whether the store may have it although it did not reply, or may still get it.
        let mut is_unknown = false;
        loop {
            let new = NewGame {
                settings: settings.clone(),
                key: None,
            };
            match self.tables.create(new, None, owner).await {
                Ok(Creation::Created(live)) if !is_unknown => return Some(live),
                // The store has it: see below.
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
                // A creation that may come later is made certain, so that its game can end.
                Ok(None) if !is_wanted() && !is_unknown => return None,
                Ok(None) | Err(_) => {}
            }
        }
    }

    /// A seat that lasts as long as a connection to this node.
    fn connected(&self, name: String) -> Holder {
        Holder::Human {
            name,
            node: Some(self.tables.node()),
        }
    }

    /// Open seats of new tables enter the queue, and seats that were taken leave it.
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
        if table.entry() == 0 && settings.start.is_none() {
            self.offer_seats(id, settings.variant, settings.history, table.holders());
        }
    }

    /// The game was deleted.
    pub(crate) fn forget(&self, id: GameId) {
        let is_its = |waiting: &Waiting| matches!(waiting, Waiting::Seat(game, _) if *game == id);
        self.state().queue.remove(is_its);
    }

    /// The lobby seats of a table of the game that TCP clients play enter the queue.
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

    /// Pairs for as long as the server runs.
    pub(crate) async fn run(self: Arc<Matchmaking>) {
        match self.tables.bus().is_shared() {
            true => self.run_shared().await,
            false => self.find_open_seats().await,
        }
    }

    /// Finds open seats that are not in the queue: at the start, and while clients wait.
    async fn find_open_seats(self: &Arc<Matchmaking>) {
        let mut is_first = true;
        loop {
            if is_first || self.has_client() {
                match self.offer_stored_seats().await {
                    Ok(()) => is_first = false,
                    Err(error) => debug!(%error, "open seats are searched again"),
                }
            }
            sleep(SEARCH_ALONE).await;
        }
    }

    fn has_client(&self) -> bool {
        let is_there = |waiting: &Waiting| waiting.is_client() && waiting.is_still_there();
        self.state().queue.has(is_there)
    }

    /// Oldest first, as they would have entered.
    async fn offer_stored_seats(self: &Arc<Matchmaking>) -> Result<(), StoreError> {
        let mut query = ListQuery {
            variant: Some(self.variant),
            player: None,
            status: Some(Status::Waiting),
            before: None,
            limit: 100,
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
        for listed in found.iter().rev().filter(|listed| !listed.has_start) {
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
        // Every change is complete, so a poisoned lock holds a good value.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Matchmaking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matchmaking").finish_non_exhaustive()
    }
}
