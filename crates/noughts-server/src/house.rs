//! Everything that the doors share: the tables, the lobby, the robots, the store.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use noughts_engine::{Clock, Setup, StrategyName, Unfit};
use noughts_rules::{Game, Options, Seat, Variant};
use tokio::sync::mpsc;

use crate::bus::Bus;
use crate::counts::Counts;
use crate::guest::Guest;
use crate::id::{Drawn, GameId, Ids, NodeId};
use crate::lobby::{Entered, Lobby, Ticket};
use crate::robots::Robots;
use crate::room::{Keeper, MOST_NOTICES, Notice, Room, Sitter};
use crate::store::{Created, Key, NewGame, Query, Sitting, Status, Store, StoreError, StoredGame};
use crate::table::{Holder, Opening, Setting, Table};

/// Everything that the doors share.
pub struct House {
    store: Box<dyn Store>,
    robots: Robots,
    pairs: Mutex<Lobby<Waiting>>,
    ids: Ids,
    /// Tic-tac-toe: all that the TCP doors play.
    variant: Variant,
    /// The tables that are in memory.
    rooms: Mutex<HashMap<GameId, Room, Drawn>>,
    /// Every room holds one while it lasts.
    open: mpsc::Sender<()>,
    /// This process, among those that share the store.
    node: NodeId,
    /// What it tells them and hears of them.
    bus: Bus,
    clock: Arc<dyn Clock>,
    counts: Counts,
    /// When the clock began, in milliseconds since 1970.
    epoch_ms: u64,
}

/// How many games are looked through for open seats and for robots that play alone. More than anybody
/// waits for; the others are found by who looks for them.
const MOST_OFFERED: usize = 1_000;

/// Who or what waits in the lobby.
#[derive(Debug)]
enum Waiting {
    /// Somebody at a TCP door who waits for a seat.
    Guest {
        name: String,
        notices: mpsc::Sender<Notice>,
    },
    /// A seat at a table that waits for somebody.
    Seat(GameId, Seat),
}

impl Waiting {
    /// Whether anybody would notice.
    fn is_there(&self) -> bool {
        match self {
            Waiting::Guest { notices, .. } => !notices.is_closed(),
            Waiting::Seat(..) => true,
        }
    }

    /// Two guests, or a guest and a seat.
    fn fits(&self, other: &Waiting) -> bool {
        !matches!((self, other), (Waiting::Seat(..), Waiting::Seat(..)))
    }
}

/// Ends when every room has.
#[derive(Debug)]
pub struct Rooms(mpsc::Receiver<()>);

impl Rooms {
    /// Waits until every table is closed, in a house that nobody holds any more.
    pub async fn closed(mut self) {
        while self.0.recv().await.is_some() {}
    }
}

/// What became of a table that was to be laid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Laying {
    /// It is there.
    Laid(GameId),
    /// The same request laid this one before.
    Before(GameId),
    /// The key was used for something else.
    KeyReused,
    /// There can be no such table.
    Impossible,
}

impl House {
    /// A house around a store, with so many robots that may think at once. The seed decides what
    /// is drawn by lot.
    pub fn new(store: Box<dyn Store>, thinkers: usize, outside: Setup) -> (Arc<House>, Rooms) {
        let (open, rooms) = mpsc::channel(1);
        let ids = Ids::default();
        let node = NodeId(ids.draw().number() as u64);
        let house = House {
            bus: store.bus(node),
            store,
            pairs: Mutex::new(Lobby::new(outside.seed)),
            clock: Arc::clone(&outside.clock),
            counts: Counts::default(),
            epoch_ms: since_1970().saturating_sub(outside.clock.now()).as_millis() as u64,
            robots: Robots::new(thinkers, outside),
            node,
            ids,
            variant: "3x3k3".parse().expect("tic-tac-toe is a variant"),
            rooms: Mutex::default(),
            open,
        };
        (Arc::new(house), Rooms(rooms))
    }

    /// Whether this strategy plays at the TCP door, or why not.
    pub fn check(&self, strategy: &StrategyName) -> Result<(), Unfit> {
        let game = Game::new(&self.variant, Options::default()).expect("tic-tac-toe can be played");
        strategy.fits(&game)
    }

    /// Seats somebody, who moves first, against a robot.
    pub fn against_robot(
        self: &Arc<House>,
        name: String,
        strategy: &StrategyName,
    ) -> Result<Guest, Unfit> {
        let holders = vec![self.human(name), Holder::Robot(strategy.clone())];
        let table = self.table(holders);
        let mind = self.robots.mind(strategy, table.game())?;
        let (to_guest, notices) = mpsc::channel(MOST_NOTICES);
        let sitters = vec![Sitter::Listener(to_guest), Sitter::Robot(mind)];
        Ok(Guest::with_table(notices, self.keeping(table, sitters)))
    }

    /// Seats somebody with whoever waits longest, or lets them wait. Who moves first is drawn.
    pub fn against_anybody(self: &Arc<House>, name: String) -> Guest {
        let (to_guest, notices) = mpsc::channel(MOST_NOTICES);
        let waiting = Waiting::Guest {
            name,
            notices: to_guest,
        };
        let queue = self.enter(waiting).map(|ticket| (Arc::clone(self), ticket));
        Guest::new(notices, queue)
    }

    /// Somebody no longer waits.
    pub(crate) fn leave_lobby(&self, ticket: Ticket) {
        self.pairs().leave(ticket);
    }

    /// Somebody or something comes into the lobby: the ticket, where nobody was there.
    fn enter(self: &Arc<House>, waiting: Waiting) -> Option<Ticket> {
        // The guard must be gone before anything else is asked of the lobby.
        let entered = self
            .pairs()
            .enter(waiting, Waiting::is_there, Waiting::fits);
        let (first, second) = match entered {
            Entered::Waits(ticket) => return Some(ticket),
            Entered::Paired { first, second } => (first, second),
        };
        match (first, second) {
            (
                Waiting::Guest { name, notices },
                Waiting::Guest {
                    name: other_name,
                    notices: other_notices,
                },
            ) => {
                let table = self.table(vec![self.human(name), self.human(other_name)]);
                let sitters = [notices, other_notices].map(Sitter::Listener);
                tokio::spawn(self.keeping(table, sitters.into()));
            }
            (Waiting::Guest { name, notices }, Waiting::Seat(id, seat))
            | (Waiting::Seat(id, seat), Waiting::Guest { name, notices }) => {
                let house = Arc::clone(self);
                tokio::spawn(async move { house.take_open_seat(id, seat, name, notices).await });
            }
            (Waiting::Seat(..), Waiting::Seat(..)) => unreachable!("two seats do not fit"),
        }
        None
    }

    /// A guest takes an open seat; where somebody else was first they go back to the lobby.
    async fn take_open_seat(
        self: &Arc<House>,
        id: GameId,
        seat: Seat,
        name: String,
        notices: mpsc::Sender<Notice>,
    ) {
        let sitting = Sitting {
            name: name.clone(),
            node: Some(self.node),
            key: None,
        };
        let sat = match self.room(id).await {
            Ok(Some(room)) => room.sit_down(seat, sitting, notices.clone()).await.is_ok(),
            Ok(None) | Err(_) => false,
        };
        if !sat {
            self.enter(Waiting::Guest { name, notices });
        }
    }

    /// A table with an open seat in the lobby, of the game that the TCP doors play.
    fn offer(self: &Arc<House>, setting: &Setting) {
        if !self.is_for_guests(setting.variant, setting.history) || setting.start.is_some() {
            return;
        }
        for (seat, holder) in (0..).map(Seat).zip(&setting.holders) {
            if let Holder::Open(Opening::Lobby) = holder {
                self.enter(Waiting::Seat(setting.id, seat));
            }
        }
    }

    /// Of the seats of this game only those that are still open go on waiting in the lobby.
    pub(crate) fn withdraw(&self, game: GameId, is_open: impl Fn(Seat) -> bool) {
        let is_taken = |waiting: &Waiting| match waiting {
            Waiting::Seat(id, seat) => *id == game && !is_open(*seat),
            Waiting::Guest { .. } => false,
        };
        self.pairs().dismiss(is_taken);
    }

    fn is_for_guests(&self, variant: Variant, history: u16) -> bool {
        variant == self.variant && history == 0
    }

    /// Whether somebody at the TCP door for pairs waits for a seat.
    pub(crate) fn has_waiting_guest(&self) -> bool {
        let is_guest = |waiting: &Waiting| matches!(waiting, Waiting::Guest { .. });
        self.pairs()
            .has(|waiting| is_guest(waiting) && waiting.is_there())
    }

    /// The seats that wait for somebody, as the store knows them: those that are not in the lobby yet
    /// come in, oldest first.
    pub(crate) async fn offer_stored(self: &Arc<House>) -> Result<(), StoreError> {
        let mut query = Query {
            variant: Some(self.variant),
            player: None,
            status: Some(Status::Waiting),
            before: None,
            limit: 100,
        };
        let mut found = Vec::new();
        while found.len() < MOST_OFFERED {
            let page = self.store.list(query.clone()).await?;
            let Some(last) = page.last() else {
                break;
            };
            query.before = Some((last.created_ms, last.id));
            found.extend(page);
        }
        for listed in found.iter().rev() {
            let is_known =
                |waiting: &Waiting| matches!(waiting, Waiting::Seat(id, _) if *id == listed.id);
            if !self.is_for_guests(listed.variant, listed.history) || self.pairs().has(is_known) {
                continue;
            }
            if let Some(stored) = self.store.load(listed.id).await? {
                // Who sat down meanwhile took a seat that is not open then.
                let mut setting = stored.setting;
                setting.holders.clone_from(&listed.holders);
                self.offer(&setting);
            }
        }
        Ok(())
    }

    /// Games that only robots play go on where nobody looks: some of the newest that are not over.
    pub(crate) async fn go_on(self: &Arc<House>) -> Result<(), StoreError> {
        let query = Query {
            variant: None,
            player: None,
            status: Some(Status::Playing),
            before: None,
            limit: MOST_OFFERED,
        };
        let is_robot = |holder: &Holder| matches!(holder, Holder::Robot(_));
        for listed in self.store.list(query).await? {
            if listed.holders.iter().all(is_robot) {
                self.room(listed.id).await?;
            }
        }
        Ok(())
    }

    /// The room of a game, if it is in memory.
    pub(crate) fn room_in_memory(&self, id: GameId) -> Option<Room> {
        self.rooms().get(&id).cloned()
    }

    /// The games that are in memory.
    pub(crate) fn in_memory(&self) -> Vec<GameId> {
        self.rooms().keys().copied().collect()
    }

    fn table(&self, holders: Vec<Holder>) -> Table {
        let setting = Setting {
            id: self.ids.draw(),
            variant: self.variant,
            history: 0,
            start: None,
            holders,
            created_ms: self.now_ms(),
        };
        Table::new(setting).expect("tic-tac-toe has two seats")
    }

    /// Opens a room for a new table; the future is all that happens there.
    fn keeping(
        self: &Arc<House>,
        table: Table,
        sitters: Vec<Sitter>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let mut keeper = Keeper::new(Arc::clone(self), table, sitters, self.open.clone());
        self.rooms().insert(keeper.id(), keeper.room());
        // It lives in its task and is only borrowed there: handed over, it would be kept twice.
        async move { keeper.lay_and_keep().await }
    }

    /// Lays a table whose seats last, or finds the one that the same request laid before.
    pub async fn lay(self: &Arc<House>, new: NewGame) -> Result<Laying, StoreError> {
        let Ok(table) = Table::new(new.setting.clone()) else {
            return Ok(Laying::Impossible);
        };
        let (id, key, setting) = (table.id(), new.key.clone(), new.setting.clone());
        let laid = new.clone();
        if let Created::Before(before) = self.store.create(new).await? {
            return self.laid_as(before, key.as_ref()).await;
        }
        self.counts.tables_laid.add(1);
        // Whoever lays a table looks at it next, so it need not be read back; where it can't be opened
        // now, whoever looks hears why.
        let _ = self.open_room(StoredGame::new(laid));
        self.offer(&setting);
        Ok(Laying::Laid(id))
    }

    /// What became of the request with this key, if it was made before.
    pub async fn laid_before(&self, key: &Key) -> Result<Option<Laying>, StoreError> {
        match self.store.created_with(key.text.clone()).await? {
            Some(id) => self.laid_as(id, Some(key)).await.map(Some),
            None => Ok(None),
        }
    }

    async fn laid_as(&self, id: GameId, key: Option<&Key>) -> Result<Laying, StoreError> {
        let stored = self.store.load(id).await?;
        let same = stored.and_then(|stored| stored.key).as_ref() == key;
        Ok(match same {
            true => Laying::Before(id),
            false => Laying::KeyReused,
        })
    }

    /// The room of a game, from memory or from the store; `None` where there is no such game.
    pub async fn room(self: &Arc<House>, id: GameId) -> Result<Option<Room>, StoreError> {
        if let Some(room) = self.rooms().get(&id) {
            return Ok(Some(room.clone()));
        }
        match self.store.load(id).await? {
            Some(stored) => self.open_room(stored).map(Some),
            None => Ok(None),
        }
    }

    /// Opens a room for a table as it was stored.
    fn open_room(self: &Arc<House>, stored: StoredGame) -> Result<Room, StoreError> {
        let id = stored.setting.id;
        let keeper = Keeper::restore(Arc::clone(self), stored, self.open.clone());
        let mut keeper =
            keeper.ok_or_else(|| StoreError(format!("game {id} can't be read back")))?;
        match self.rooms().entry(id) {
            // Somebody else was looking for it too.
            Entry::Occupied(room) => Ok(room.get().clone()),
            Entry::Vacant(place) => {
                let room = keeper.room();
                place.insert(room.clone());
                tokio::spawn(async move { keeper.keep().await });
                Ok(room)
            }
        }
    }

    /// A room is closed: it must be looked for in the store from now on.
    pub(crate) fn forget(&self, id: GameId) {
        self.rooms().remove(&id);
    }

    /// Lets all leave who sit at a table with a connection, those of one table together.
    pub(crate) async fn put_out(&self) {
        for room in self.all_rooms() {
            room.put_out().await;
        }
    }

    /// Closes every table whose seats last; the others end with those who sit there.
    pub(crate) async fn close(&self) {
        for room in self.all_rooms() {
            room.close().await;
        }
    }

    fn all_rooms(&self) -> Vec<Room> {
        self.rooms().values().cloned().collect()
    }

    /// How many tables are in memory.
    pub fn tables(&self) -> usize {
        self.rooms().len()
    }

    /// The table for those who play again: everybody moves on by one seat.
    pub(crate) fn rematch_of(&self, setting: &Setting) -> NewGame {
        let mut holders = setting.holders.clone();
        holders.rotate_right(1);
        NewGame {
            setting: Setting {
                id: self.ids.draw(),
                created_ms: self.now_ms(),
                holders,
                ..setting.clone()
            },
            key: None,
        }
    }

    /// A name for a new game.
    pub fn new_id(&self) -> GameId {
        self.ids.draw()
    }

    fn rooms(&self) -> std::sync::MutexGuard<'_, HashMap<GameId, Room, Drawn>> {
        // Nothing is half done in here, whoever panicked while holding it.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A five-digit id for a session whose client leaves the choice to the server. It is a label,
    /// and two sessions may have the same.
    pub fn session_id(&self) -> u32 {
        10_000 + (self.ids.draw().number() % 90_000) as u32
    }

    /// How long the clock has been running.
    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// What is counted.
    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What time it is, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.epoch_ms + self.clock.now().as_millis() as u64
    }

    /// Somebody at a TCP door of this process.
    fn human(&self, name: String) -> Holder {
        Holder::Human {
            name,
            node: Some(self.node),
        }
    }

    /// How many people and seats wait for somebody.
    pub fn waiting(&self) -> usize {
        self.pairs().len()
    }

    /// What this process tells others that share the store, and hears of them.
    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    /// This process.
    pub(crate) fn node(&self) -> NodeId {
        self.node
    }

    /// Where the games last.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(crate) fn robots(&self) -> &Robots {
        &self.robots
    }

    fn pairs(&self) -> std::sync::MutexGuard<'_, Lobby<Waiting>> {
        // Nothing is half done in a lobby, whoever panicked while holding it.
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("House").finish_non_exhaustive()
    }
}

fn since_1970() -> Duration {
    // A clock that stands before 1970 is wrong anyway.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default()
}
