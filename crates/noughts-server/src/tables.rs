//! The tables in memory, and the submission of commands.
//!
//! ```text
//!  submit ─► lock ─► Table::decide ─► Store::append ─► Table::apply ─► publish ─► unlock
//!                          ▲                 │ conflict
//!                          └── catch up ◄────┘
//! ```
//!
//! There is no task per table. A *submission* is the execution of one command. The submission of a client's
//! command runs in the task of the client. If the submission must wait, an HTTP handler moves it to a
//! separate task, because the client may disconnect before the submission ends.

mod attendance;
mod catch_up;
mod connected_seat;
mod deadlines;
mod live_table;
mod robot_moves;

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use noughts_rules::{Action, Turn};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{error, info, warn};

use crate::background_tasks::BackgroundTasks;
use crate::bus::{Bus, Hint};
use crate::clock::ServerClock;
use crate::id::{GameId, IdHash, IdSource, NodeId, PlayerId};
use crate::metrics::Metrics;
use crate::players::{PlayerInfo, PlayerNames};
use crate::robots::Robots;
use crate::store::{Append, Appended, Created, Store, StoreError};
use crate::table::{
    Command, Context, CreationKey, Decision, Entry, Holder, LogEntry, NewGame, Outage, RequestKey,
    Table, TableRefusal,
};

pub(crate) use attendance::{Attendance, Spectating};
use catch_up::replay;
pub(crate) use connected_seat::BoxFuture;
pub use connected_seat::ConnectedSeat;
use deadlines::Deadlines;
use live_table::{CloseOnPanic, Phase, State};
pub use live_table::{GameEnd, LiveTable, Progress, Watch};

/// Maximum number of attempts to decide a command and store its entries. An attempt fails, for example, if another node
/// stores entries first.
const MAX_CONFLICTS: usize = 16;

/// How long an unused table stays in memory.
const IDLE: Duration = Duration::from_secs(60);

/// Maximum time that a command at a table with a clock waits for a successful sweep; see [`deadlines`].
const MAX_WAIT_FOR_SWEEP: Duration = Duration::from_secs(3);
/// Interval between two checks whether there was a successful sweep.
const WAIT_FOR_SWEEP: Duration = Duration::from_millis(20);

/// How long to wait after an error of the store before trying again.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// The owner of each table that was loaded from the store, until a client acts at the table. The processor
/// time of the robots at all these tables counts towards the limit of this one address.
const UNKNOWN_OWNER: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED));

/// The tables in memory, and everything that they need.
pub struct Tables {
    store: Box<dyn Store>,
    robots: Robots,
    clock: ServerClock,
    ids: IdSource,
    metrics: Metrics,
    bus: Bus,
    node: NodeId,
    live: Mutex<HashMap<GameId, Arc<LiveTable>, IdHash>>,
    background: BackgroundTasks,
    /// The planned checks of games with a clock. A check stays planned when the game's table is removed from
    /// memory.
    deadlines: Deadlines,
    /// The latest outages, oldest first.
    outages: Mutex<Vec<Outage>>,
    /// The end of the latest outage; 0 if there is none. If a turn began later, `outages` need not be locked.
    outages_until_ms: AtomicU64,
    is_stopping: AtomicBool,
    /// Called for every new table, and for every table whose seats may have changed.
    seats_changed: OnceLock<SeatsChanged>,
    /// Incremented whenever tables, seats, presence or spectators have changed, so that a list of games may have
    /// changed.
    lists_version: watch::Sender<u64>,
    /// Called when a registered player, or a game of a registered player, has changed.
    player_changed: OnceLock<PlayerChanged>,
}

type SeatsChanged = Box<dyn Fn(&Table) + Send + Sync>;
type PlayerChanged = Box<dyn Fn(PlayerId, Option<GameId>) + Send + Sync>;

/// Why a command was not executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SubmitError {
    /// The table refuses the command; nothing has changed.
    Refused(TableRefusal),
    /// There is no such game.
    NoSuchGame,
    /// The command could not be decided or stored now, for example because the store does not reply. The
    /// entries of the command may have been stored nevertheless. A retry is safe.
    Unavailable(StoreError),
    /// Too many submissions wait for this table.
    Busy,
    /// The table was closed, because it was removed from memory or another submission panicked. The caller must get the
    /// table again.
    Closed,
}

/// The result of a request for a new table.
#[derive(Clone, Debug)]
pub enum Creation {
    /// The table was created.
    Created(Arc<LiveTable>),
    /// The same request created this game before.
    Repeat(GameId),
    /// The idempotency key was used for another request.
    KeyReused,
}

impl Tables {
    /// An empty set of tables.
    pub(crate) fn new(
        store: Box<dyn Store>,
        robots: Robots,
        clock: ServerClock,
        ids: IdSource,
    ) -> Arc<Tables> {
        let node = ids.node();
        Arc::new(Tables {
            bus: store.bus(node),
            store,
            robots,
            clock,
            ids,
            metrics: Metrics::default(),
            node,
            live: Mutex::default(),
            background: BackgroundTasks::default(),
            deadlines: Deadlines::default(),
            outages: Mutex::default(),
            outages_until_ms: AtomicU64::new(0),
            is_stopping: AtomicBool::new(false),
            seats_changed: OnceLock::new(),
            lists_version: watch::Sender::new(0),
            player_changed: OnceLock::new(),
        })
    }

    /// The table of a game, from memory or from the store; `None` if there is no such game.
    pub async fn get(self: &Arc<Tables>, id: GameId) -> Result<Option<Arc<LiveTable>>, StoreError> {
        if let Some(live) = self.in_memory(id) {
            live.mark_used(self.clock.now());
            live.state().is_requested = true;
            return Ok(Some(live));
        }
        let Some(stored) = self.store.load(id).await? else {
            return Ok(None);
        };
        let table = replay(stored)?;
        let names = self.names_of(table.holders()).await?;
        let live = self.insert(table, names, UNKNOWN_OWNER);
        live.state().is_requested = true;
        self.move_robots(&live);
        Ok(Some(live))
    }

    /// The table of a game, if it is in memory. Closed tables are not returned, so that the caller loads the table
    /// again.
    pub(crate) fn in_memory(&self, id: GameId) -> Option<Arc<LiveTable>> {
        let all = self.live();
        all.get(&id).filter(|live| !live.is_closed()).cloned()
    }

    /// Every table in memory.
    pub(crate) fn all(&self) -> Vec<Arc<LiveTable>> {
        self.live().values().cloned().collect()
    }

    /// The number of tables in memory.
    pub fn len(&self) -> usize {
        self.live().len()
    }

    /// Whether no table is in memory.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Creates a table, or finds the table that the same request created before. The processor time of the
    /// table's robots counts towards the limit of the address `owner`.
    pub async fn create(
        self: &Arc<Tables>,
        new: NewGame,
        request: Option<&RequestKey>,
        owner: Option<IpAddr>,
    ) -> Result<Creation, StoreError> {
        let table = Table::new(new.settings.clone());
        let table = table.map_err(|error| StoreError::Invalid(error.to_string()))?;
        let names = self.names_of(table.holders()).await?;
        let created = self.store.create(new, table.summary()).await;
        let created = created.inspect_err(|error| warn!(%error, "a game could not be created"));
        match created? {
            Created::Existing(id, stored) => return Ok(repeat_of(id, &stored, request)),
            Created::Stored => {}
        }
        Ok(Creation::Created(self.open(table, names, owner)))
    }

    /// Puts a new game into memory. This node has created the game.
    fn open(
        self: &Arc<Tables>,
        table: Table,
        names: Arc<PlayerNames>,
        owner: Option<IpAddr>,
    ) -> Arc<LiveTable> {
        self.metrics.tables_created.inc();
        self.seats_changed(&table);
        for player in players_of(&table) {
            self.notify_player(player);
        }
        let live = self.insert(table, names, owner);
        live.state().is_stored_here = true;
        self.move_robots(&live);
        live
    }

    /// The result for a request with the idempotency key `key`, if a game was already created with this key.
    /// Otherwise `None`.
    pub async fn created_before(
        &self,
        key: &CreationKey,
        request: &RequestKey,
    ) -> Result<Option<Creation>, StoreError> {
        let found = self.store.created_with(key.clone(), self.clock.now_ms());
        let found = found.await?;
        Ok(found.map(|(id, stored)| repeat_of(id, &stored, Some(request))))
    }

    /// Puts a table into memory, unless it is already there. Returns the table in memory.
    fn insert(
        &self,
        table: Table,
        names: Arc<PlayerNames>,
        owner: Option<IpAddr>,
    ) -> Arc<LiveTable> {
        let robot = |holder: &Holder| match holder {
            Holder::Robot(name) => self.robots.robot(name, table.game()).ok(),
            Holder::Open(_) | Holder::Human { .. } | Holder::Player(_) => None,
        };
        let robots = table.holders().iter().map(robot).collect();
        self.schedule_deadline(&table, false);
        let clock = self.clock.clone();
        let live = Arc::new(LiveTable::new(table, names, robots, owner, clock));
        live.mark_used(self.clock.now());
        let mut all = self.live();
        match all.get(&live.id()) {
            Some(before) if !before.is_closed() => Arc::clone(before),
            Some(_) | None => {
                all.insert(live.id(), Arc::clone(&live));
                live
            }
        }
    }

    /// Executes a command: decides it, stores its entries, and applies them. Replies of robots that need only
    /// microseconds are stored together with these entries. The time of a player's command is the time of
    /// this call, however long the call waits for the table and the store. On an error the command has not
    /// been executed. Exception: after [`SubmitError::Unavailable`] the entries of the command may have been
    /// stored. Not cancel safe.
    pub async fn submit(
        self: &Arc<Tables>,
        live: &Arc<LiveTable>,
        command: &Command,
    ) -> Result<(), SubmitError> {
        let arrived_ms = match command {
            // The clock of a seat has certainly run out if its deadline is before `certain_ms`.
            Command::CheckDeadline => self.clock.certain_ms(),
            _ if live.has_clock => match self.clock.fresh_ms() {
                Some(now_ms) => now_ms,
                None => self.time_of_arrival().await?,
            },
            _ => self.clock.now_ms(),
        };
        let _queued = live.enqueue()?;
        let _submission = live.submission.lock().await;
        let _guard = CloseOnPanic(live);
        if let Command::TakeSeat { holder, .. } = command {
            let learned = self.learn_names(live, [holder]).await;
            learned.map_err(SubmitError::Unavailable)?;
        }
        // Whether this submission has compared the table with the store.
        let mut is_checked = false;
        for _ in 0..MAX_CONFLICTS {
            let append = match self.decide(live, command, arrived_ms, is_checked)? {
                Decided::Nothing => return Ok(()),
                Decided::CatchUp => {
                    self.catch_up(live).await?;
                    is_checked = true;
                    // An entry may be stored although its confirmation was lost. After this entry, a robot
                    // may be to move.
                    self.move_robots(live);
                    continue;
                }
                Decided::Append(append) => append,
            };
            match self.store.append(&append).await {
                Ok(Appended::Stored) if is_added_time(&append) => self.apply(live, &append),
                Ok(Appended::Stored) => {
                    self.apply(live, &append);
                    if live.has_robots {
                        self.move_robots(live);
                    }
                    self.open_rematch(live, append);
                    return Ok(());
                }
                Ok(Appended::Conflict) => live.mark_behind(),
                Ok(Appended::NoSuchGame) => {
                    self.remove(live);
                    return Err(SubmitError::NoSuchGame);
                }
                Err(error) => {
                    warn!(game = %live.id(), %error, "cannot store entries");
                    // The entries may have been stored although there was an error. The next submission checks this.
                    live.mark_behind();
                    live.state().unconfirmed = append.entries;
                    return Err(SubmitError::Unavailable(error));
                }
            }
        }
        let error =
            StoreError::Unavailable("other nodes stored entries first in every attempt".to_owned());
        Err(SubmitError::Unavailable(error))
    }

    /// The time of a command that arrives at a table with a clock while no recent sweep has succeeded. There may be an
    /// outage, so this function waits for the next successful sweep, which records the outage. Otherwise the player
    /// would lose the time of the outage. Fails after [`MAX_WAIT_FOR_SWEEP`].
    async fn time_of_arrival(&self) -> Result<u64, SubmitError> {
        let arrived_ms = self.clock.now_ms();
        let mut waited = Duration::ZERO;
        loop {
            if let Some(now_ms) = self.clock.fresh_ms() {
                return Ok(arrived_ms.min(now_ms));
            }
            if waited >= MAX_WAIT_FOR_SWEEP {
                let why = "the store's time is not known".to_owned();
                return Err(SubmitError::Unavailable(StoreError::Unavailable(why)));
            }
            sleep(WAIT_FOR_SWEEP).await;
            waited += WAIT_FOR_SWEEP;
        }
    }

    /// If `append` created a rematch, puts the table of the rematch into memory, because a robot may have the
    /// first move there.
    fn open_rematch(self: &Arc<Tables>, live: &LiveTable, append: Append) {
        if let Some((new, _)) = append.new_game
            && let Ok(table) = Table::new(new.settings)
        {
            let (owner, names) = {
                let state = live.state();
                (state.owner, Arc::clone(&state.names))
            };
            self.open(table, names, owner);
        }
    }

    fn decide(
        &self,
        live: &LiveTable,
        command: &Command,
        arrived_ms: u64,
        is_checked: bool,
    ) -> Result<Decided, SubmitError> {
        let state = live.state();
        match state.phase {
            Phase::Current => {}
            Phase::Behind => return Ok(Decided::CatchUp),
            Phase::Closed => return Err(SubmitError::Closed),
        }
        if let Some(added) = self.time_to_add(&state.table) {
            return append_of(&state.table, added).map(Decided::Append);
        }
        let table = &state.table;
        let now = Context {
            now_ms: arrived_ms,
            away: match command {
                Command::Claim { .. } => state.away(self.clock.now_ms()),
                _ => Vec::new(),
            },
        };
        let decision = table.decide(command, now);
        if decision == Err(TableRefusal::TimeIsOver)
            && table.clock_deadline_ms() >= Some(self.clock.certain_ms())
        {
            // There may have been an outage that this node has not read yet.
            let why = "the time of this turn is being checked".to_owned();
            return Err(SubmitError::Unavailable(StoreError::Unavailable(why)));
        }
        let refused = |refusal| {
            // Whether another node may have stored entries that this node lacks and that make the command valid. For
            // example, the client has seen a later turn than this node.
            let is_ahead = match (command, refusal) {
                (Command::Act { turn, .. }, TableRefusal::Stale { turn: ours }) => *turn > ours,
                (Command::OfferRematch { .. }, TableRefusal::NotOver) => true,
                (
                    Command::AcceptRematch { .. }
                    | Command::Offer { .. }
                    | Command::Answer { .. }
                    | Command::Abort { .. }
                    | Command::Claim { .. },
                    _,
                ) => true,
                _ => false,
            };
            match is_ahead && self.bus.is_shared() && !is_checked {
                true => Ok(Decided::CatchUp),
                false => Err(SubmitError::Refused(refusal)),
            }
        };
        let mut decision = match decision {
            Ok(Some(decision)) => decision,
            Ok(None) => return Ok(Decided::Nothing),
            Err(refusal) => return refused(refusal),
        };
        if live.has_robots {
            self.add_robot_replies(&state, &mut decision);
        }
        append_of(table, decision).map(Decided::Append)
    }

    /// Applies stored entries and publishes them.
    fn apply(&self, live: &Arc<LiveTable>, append: &Append) {
        let mut state = live.state();
        let was_over = state.table.is_over();
        state.is_stored_here = true;
        state.unconfirmed.clear();
        for logged in &append.entries {
            if let Err(invalid) = state.apply(logged) {
                error!(game = %live.id(), entry = invalid.entry, "a decided entry is not valid");
                state.phase = Phase::Behind;
                return;
            }
            match &logged.entry {
                Entry::Turn(_) => {
                    self.metrics.turns.inc();
                }
                Entry::Seated { holder, .. } => {
                    // The player may be connected to another node, which must learn of the new game.
                    if let Some(player) = holder.player_id() {
                        self.bus.publish(Hint::Player(player));
                    }
                }
                _ => {}
            }
        }
        self.after_entries(&mut state, was_over, append.summary.is_some());
        let (number, over) = (state.table.entry(), state.table.is_over());
        let leaves_memory = over && !state.is_requested;
        drop(state);
        let game = live.id();
        self.bus.publish(Hint::Entry { game, number });
        if leaves_memory {
            self.live().remove(&game);
        }
    }

    /// Does the work that follows new entries, such as planning the deadline check and sending notifications.
    /// Must be called whether this node or another node has stored the entries.
    fn after_entries(&self, state: &mut State, was_over: bool, seats_may_differ: bool) {
        self.schedule_deadline(&state.table, state.is_stored_here);
        if state.table.is_over() && !was_over {
            if let Some(stop) = state.robot_stop.take() {
                stop.set();
            }
            let table = &state.table;
            info!(
                game = %table.id(), variant = %table.settings().variant,
                players = players(table), turns = table.turn() - 1,
                outcome = table.outcome_in_words(), "game over"
            );
            self.metrics.games_ended.inc();
        }
        if let Some(Entry::Turn(Turn {
            action: Action::Takeback(_),
            ..
        })) = state.table.latest_entry()
            && let Some(stop) = &state.robot_stop
        {
            // The robot is computing a move for a position that no longer exists.
            stop.set();
        }
        if seats_may_differ {
            self.seats_changed(&state.table);
        }
        if let Some(notify) = self.player_changed.get() {
            for player in players_of(&state.table) {
                notify(player, Some(state.table.id()));
            }
        }
    }

    async fn names_of(&self, holders: &[Holder]) -> Result<Arc<PlayerNames>, StoreError> {
        PlayerNames::load(&*self.store, holders).await.map(Arc::new)
    }

    /// Reads the names of registered players who are about to take a seat, and adds them to the table.
    async fn learn_names<'h>(
        &self,
        live: &LiveTable,
        holders: impl IntoIterator<Item = &'h Holder>,
    ) -> Result<(), StoreError> {
        let names = PlayerNames::load(&*self.store, holders).await?;
        if names != PlayerNames::default() {
            live.state().learn(names);
        }
        Ok(())
    }

    /// Publishes a player's new name, or with `None` the player's deletion, at every table in memory where the player
    /// has a seat.
    pub(crate) fn set_player(&self, player: PlayerId, info: Option<PlayerInfo>) {
        for live in self.all() {
            live.state().set_player(player, info.clone());
        }
    }

    fn seats_changed(&self, table: &Table) {
        self.lists_changed();
        if let Some(notify) = self.seats_changed.get() {
            notify(table);
        }
    }

    /// Sets the function that is called for every new table and every table whose seats may have changed.
    pub(crate) fn on_seats_changed(&self, notify: impl Fn(&Table) + Send + Sync + 'static) {
        // The function is set only once, because there is one `Matchmaking` per server.
        let _ = self.seats_changed.set(Box::new(notify));
    }

    /// Notifies the receivers of [`watch_lists`](Tables::watch_lists).
    pub(crate) fn lists_changed(&self) {
        self.lists_version.send_modify(|version| *version += 1);
    }

    /// A receiver that is notified when tables, seats, presence or spectators have changed on this node, so that a list
    /// of games may have changed.
    pub(crate) fn watch_lists(&self) -> watch::Receiver<u64> {
        self.lists_version.subscribe()
    }

    /// Sets the function that is called when a registered player, or a game of that player, has changed. Its second
    /// argument is the game; `None` if anything may have changed.
    pub(crate) fn on_player_changed(
        &self,
        notify: impl Fn(PlayerId, Option<GameId>) + Send + Sync + 'static,
    ) {
        let _ = self.player_changed.set(Box::new(notify));
    }

    /// Notifies all nodes that something changed for a player.
    pub(crate) fn notify_player(&self, player: PlayerId) {
        if let Some(notify) = self.player_changed.get() {
            notify(player, None);
        }
        self.bus.publish(Hint::Player(player));
    }

    /// Whether the server is stopping.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    /// Removes a table from memory, and closes it.
    pub(crate) fn remove(&self, live: &Arc<LiveTable>) {
        let mut all = self.live();
        if all
            .get(&live.id())
            .is_some_and(|one| Arc::ptr_eq(one, live))
        {
            all.remove(&live.id());
        }
        drop(all);
        live.close();
    }

    /// Removes from memory the closed tables, and the tables that were not used for [`IDLE`]. Tables that
    /// other code still uses stay in memory.
    pub(crate) fn remove_idle(&self) {
        let now_ms = self.clock.now().as_millis() as u64;
        let idle_ms = IDLE.as_millis() as u64;
        self.live().retain(|_, live| {
            // No other code has the table, and no other code can get it while the map is locked.
            let is_unused = Arc::strong_count(live) == 1;
            let is_idle = now_ms >= live.used_ms() + idle_ms || live.is_closed();
            !(is_unused && is_idle)
        });
    }

    fn live(&self) -> MutexGuard<'_, HashMap<GameId, Arc<LiveTable>, IdHash>> {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store of all games and players.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The source of new ids.
    pub fn ids(&self) -> &IdSource {
        &self.ids
    }

    /// The clock of the server, not of a game.
    pub fn clock(&self) -> &ServerClock {
        &self.clock
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    pub(crate) fn node(&self) -> NodeId {
        self.node
    }

    pub(crate) fn robots(&self) -> &Robots {
        &self.robots
    }

    /// Tasks that must end before the process ends.
    pub(crate) fn background(&self) -> &BackgroundTasks {
        &self.background
    }
}

/// The next step for a command.
#[expect(
    clippy::large_enum_variant,
    reason = "one per submission, on the stack"
)]
enum Decided {
    Nothing,
    /// The table must be brought up to date with the store. Then the command must be decided again.
    CatchUp,
    Append(Append),
}

/// Converts a decision into entries to append.
fn append_of(table: &Table, decision: Decision) -> Result<Append, SubmitError> {
    let summary = table.summary_after(&decision);
    let new_game = decision.new_game.map(|new| {
        let summary = Table::new(new.settings.clone()).map(|table| table.summary());
        summary.map(|summary| (new, summary))
    });
    let new_game = new_game.transpose().map_err(|error| {
        SubmitError::Unavailable(StoreError::Corrupt(format!("no rematch: {error}")))
    })?;
    Ok(Append {
        game: table.id(),
        variant: table.settings().variant,
        first: table.entry() + 1,
        entries: decision.entries,
        summary,
        new_game,
    })
}

/// Whether the append only adds time to the current turn. If so, the submitted command is decided after this
/// append, and its entries are appended separately.
fn is_added_time(append: &Append) -> bool {
    let is_added = |logged: &LogEntry| matches!(logged.entry, Entry::TimeAdded { .. });
    append.entries.iter().all(is_added)
}

/// The result for a request whose key was already used to create the game `id`.
fn repeat_of(id: GameId, stored: &CreationKey, request: Option<&RequestKey>) -> Creation {
    match request.is_some_and(|request| request.is_repeat_of(&stored.key)) {
        true => Creation::Repeat(id),
        false => Creation::KeyReused,
    }
}

/// The registered players at a table.
fn players_of(table: &Table) -> impl Iterator<Item = PlayerId> {
    table.holders().iter().filter_map(Holder::player_id)
}

/// The players of a table, for the server's log.
fn players(table: &Table) -> String {
    let player = |holder: &Holder| match holder {
        Holder::Open(_) => "nobody".to_owned(),
        Holder::Human { name, .. } => format!("{name:?}"),
        Holder::Player(player) => player.to_string(),
        Holder::Robot(name) => name.to_string(),
    };
    let players: Vec<String> = table.holders().iter().map(player).collect();
    players.join(" ")
}

impl From<TableRefusal> for SubmitError {
    fn from(refusal: TableRefusal) -> SubmitError {
        SubmitError::Refused(refusal)
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").finish_non_exhaustive()
    }
}
