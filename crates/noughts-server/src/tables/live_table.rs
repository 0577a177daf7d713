//! A table in memory: its state, and the channels for its updates.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_engine::Stop;
use noughts_rules::{Move, Seat, Turn};
use tokio::sync::{broadcast, watch};

use super::{Attendance, SubmitError};
use crate::clock::ServerClock;
use crate::id::{GameId, PlayerId};
use crate::players::{PlayerInfo, PlayerNames};
use crate::robots::Robot;
use crate::store::ATTENDED_MS;
use crate::table::{
    Absence, Change, Entry, Holder, LogEntry, SeatResult, SeatSet, Snapshot, Table, Update,
};

/// Maximum number of updates that wait for a watcher. A watcher that is further behind must take a new snapshot.
const MAX_BEHIND: usize = 64;

/// Maximum number of submissions that wait or run at one table.
const MAX_QUEUED: usize = 64;

/// A hash of the program's version.
const PROGRAM_VERSION: u64 = {
    let (version, mut hash, mut at) = (env!("CARGO_PKG_VERSION").as_bytes(), 0, 0);
    while at < version.len() {
        hash = mix(hash, version[at] as u64);
        at += 1;
    }
    hash
};

/// A table in memory. Reads never wait for the store. Submissions run one at a time.
pub struct LiveTable {
    id: GameId,
    pub(super) has_robots: bool,
    pub(super) has_clock: bool,
    /// Held while a command is decided, stored and applied.
    pub(super) submission: tokio::sync::Mutex<()>,
    /// The number of submissions that wait or run.
    queued: AtomicUsize,
    /// The number of connections that follow the game without a seat.
    spectators: AtomicU32,
    /// When the table was last used, in milliseconds of the process's clock.
    used_ms: AtomicU64,
    clock: ServerClock,
    state: Mutex<State>,
}

/// The changing part of a [`LiveTable`].
pub(super) struct State {
    pub(super) table: Table,
    /// The names of the registered players at the table's seats.
    pub(super) names: Arc<PlayerNames>,
    /// The robots, by seat.
    pub(super) robots: Vec<Option<Robot>>,
    /// The latest snapshot. It is created on demand, and removed when the table changes. While a clock runs, each
    /// request creates a new snapshot.
    snapshot: Option<Arc<Snapshot>>,
    /// Publishes all updates. Created by the first watcher.
    updates: Option<broadcast::Sender<Arc<Update>>>,
    /// Publishes the number of the latest entry. Created by the first subscriber.
    changed: Option<watch::Sender<u32>>,
    /// The number of connections to this node, by seat. Recent requests of a player count as one connection.
    connected: Vec<u32>,
    /// Seats with a connected player on another node.
    present_elsewhere: SeatSet,
    /// For each seat: when its player last connected or disconnected.
    away: Vec<Away>,
    pub(super) phase: Phase,
    /// Entries that this node has sent to the store and that the store did not confirm.
    pub(super) unconfirmed: Vec<LogEntry>,
    /// Whether this node stored the latest entry. If so, this node makes the next move of a robot.
    pub(super) is_stored_here: bool,
    /// Whether a client or a task of the server requested the table by its id. If not, the table is removed from memory
    /// when the game ends.
    pub(super) is_requested: bool,
    /// Stops the robot that is computing a move; `None` if no robot is computing.
    pub(super) robot_stop: Option<Stop>,
    /// The client address against whose limit the robots' processor time counts; `None` if the client has no
    /// limits.
    pub(super) owner: Option<IpAddr>,
}

/// The latest change of a player's connection. `since_ms` says when the player last connected or
/// disconnected, in milliseconds since 1970. `has_left` says whether the player has sent `leave` since the
/// last connection began.
#[derive(Clone, Copy, Debug)]
struct Away {
    since_ms: u64,
    has_left: bool,
}

/// Whether the state is up to date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// As far as this node knows, no entry is missing.
    Current,
    /// The log in the store may differ from the table. The next submission reads the log before it decides.
    Behind,
    /// The table was removed from memory, or a submission panicked. The next request loads the table again.
    Closed,
}

/// A place in a table's queue of submissions. Dropping this value frees the place.
pub(super) struct Queued<'t>(&'t LiveTable);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Closes a table when a submission panics, so that the next request loads the table again.
pub(super) struct CloseOnPanic<'t>(pub(super) &'t LiveTable);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

/// Adds `part` to a hash. The hash is fast, but not safe against attackers. If exactly one part changes, the hash
/// changes.
const fn mix(hash: u64, part: u64) -> u64 {
    let product = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

impl LiveTable {
    pub(super) fn new(
        table: Table,
        names: Arc<PlayerNames>,
        robots: Vec<Option<Robot>>,
        owner: Option<IpAddr>,
        clock: ServerClock,
    ) -> LiveTable {
        let away = Away {
            since_ms: clock.now_ms(),
            has_left: false,
        };
        LiveTable {
            clock,
            id: table.id(),
            has_robots: robots.iter().any(Option::is_some),
            has_clock: table.settings().clock.is_some(),
            submission: tokio::sync::Mutex::new(()),
            queued: AtomicUsize::new(0),
            spectators: AtomicU32::new(0),
            used_ms: AtomicU64::new(0),
            state: Mutex::new(State {
                connected: vec![0; table.holders().len()],
                away: vec![away; table.holders().len()],
                names,
                robots,
                snapshot: None,
                updates: None,
                changed: None,
                table,
                present_elsewhere: SeatSet::EMPTY,
                phase: Phase::Current,
                unconfirmed: Vec::new(),
                is_stored_here: false,
                is_requested: false,
                robot_stop: None,
                owner,
            }),
        }
    }

    /// The game's id.
    pub fn id(&self) -> GameId {
        self.id
    }

    /// Calls `read` with the current table, and returns the result of `read`.
    pub fn read<T>(&self, read: impl FnOnce(&Table) -> T) -> T {
        read(&self.state().table)
    }

    /// The names of the registered players at the table's seats.
    pub fn names(&self) -> Arc<PlayerNames> {
        Arc::clone(&self.state().names)
    }

    /// The registered players at the table's seats.
    pub(crate) fn players(&self) -> Vec<PlayerId> {
        self.read(|table| {
            let holders = table.holders().iter();
            holders.filter_map(Holder::player_id).collect()
        })
    }

    /// A snapshot of the table. The snapshot includes every entry that this node confirmed to a client before
    /// this call.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let now_ms = self.clock.now_ms();
        self.state().snapshot(now_ms)
    }

    /// A number that changes whenever the view changes, except for the time left on a running clock. For the same view,
    /// all nodes with the same version of the server compute the same number.
    pub fn view_version(&self) -> u64 {
        let state = self.state();
        let table = &state.table;
        // The parts include the time, because after a failover of the store another entry may have the same
        // number.
        let parts = [
            u64::from(table.entry()),
            table.last_ms(),
            state.present().bits(),
        ];
        let names = match state.names.is_empty() {
            true => 0,
            false => {
                let mut hash = DefaultHasher::new();
                state.names.hash(&mut hash);
                hash.finish()
            }
        };
        parts.into_iter().fold(mix(PROGRAM_VERSION, names), mix)
    }

    /// A snapshot with the game as it was after the first `turns` turns; see [`Table::snapshot_after`].
    /// `None` if fewer turns are completed.
    pub fn snapshot_after(&self, turns: usize) -> Option<Snapshot> {
        let state = self.state();
        let exists = turns < state.table.turn();
        exists.then(|| Snapshot {
            names: Arc::clone(&state.names),
            ..state.table.snapshot_after(turns, state.present())
        })
    }

    /// A snapshot, and all updates after it. Fails with [`SubmitError::Closed`] if the table was removed from memory.
    pub fn watch(&self) -> Result<Watch, SubmitError> {
        let mut state = self.state();
        if state.phase == Phase::Closed {
            return Err(SubmitError::Closed);
        }
        let updates = state
            .updates
            .get_or_insert_with(|| broadcast::Sender::new(MAX_BEHIND))
            .subscribe();
        let snapshot = state.snapshot(self.clock.now_ms());
        Ok(Watch { snapshot, updates })
    }

    /// The updates after the entry with the number `entry`. `None` if there are too many updates, or if the log has no
    /// entry with this number.
    pub fn changes_after(&self, entry: u32) -> Option<Vec<Update>> {
        /// Maximum number of missed entries that are sent one by one.
        const MAX_ENTRIES: u32 = 1_000;
        /// Maximum product of the number of missed entries and the number of cells, because each update lists the legal
        /// moves. On boards that are too large for such a list, only [`MAX_ENTRIES`] limits the updates.
        const MAX_MOVES: usize = 100_000;
        let state = self.state();
        let missed = state.table.entry().checked_sub(entry)?;
        let cells = state.table.settings().variant.cells();
        let listed = match cells > crate::table::MAX_LISTED_CELLS {
            true => 1,
            false => cells,
        };
        if missed > MAX_ENTRIES || missed as usize * listed > MAX_MOVES {
            return None;
        }
        let (present, names) = (state.present(), Arc::clone(&state.names));
        let missed = state.table.missed_after(entry)?;
        // Unlock first, because the replay of a long game takes milliseconds.
        drop(state);
        Some(missed.updates(present, &names, || self.snapshot()))
    }

    /// Records that a client has created the table or acts at it. Therefore the table stays in memory for a
    /// while after the game. From now on, the processor time of the table's robots counts towards the limit
    /// of this client.
    pub(crate) fn set_requested(&self, client: Option<IpAddr>) {
        let mut state = self.state();
        (state.is_requested, state.owner) = (true, client);
    }

    /// A receiver that is notified whenever an entry was applied.
    pub(super) fn subscribe(&self) -> watch::Receiver<u32> {
        let mut state = self.state();
        let entry = state.table.entry();
        state
            .changed
            .get_or_insert_with(|| watch::Sender::new(entry))
            .subscribe()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // A panic closes the table, and closed tables are only read.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters the queue of submissions. Returns [`SubmitError::Busy`] if the queue is full.
    pub(super) fn enqueue(&self) -> Result<Queued<'_>, SubmitError> {
        let before = self.queued.fetch_add(1, Ordering::Relaxed);
        let queued = Queued(self);
        match before < MAX_QUEUED {
            true => Ok(queued),
            false => Err(SubmitError::Busy),
        }
    }

    /// Records that the log in the store may differ from the table.
    pub(super) fn mark_behind(&self) {
        let mut state = self.state();
        if state.phase == Phase::Current {
            state.phase = Phase::Behind;
        }
    }

    /// Closes the table, because it is removed from memory or a submission panicked. Event streams end, and
    /// submissions fail with [`SubmitError::Closed`].
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.updates = None;
        state.changed = None;
        if let Some(stop) = &state.robot_stop {
            stop.set();
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().phase == Phase::Closed
    }

    pub(super) fn mark_used(&self, now: Duration) {
        let now_ms = now.as_millis() as u64;
        self.used_ms.store(now_ms, Ordering::Relaxed);
    }

    pub(super) fn used_ms(&self) -> u64 {
        self.used_ms.load(Ordering::Relaxed)
    }

    /// Records that the player of `seat` has one more connection to this node. Returns true for the first connection.
    pub(crate) fn connect(&self, seat: Seat) -> bool {
        self.count(seat, |count| {
            *count += 1;
            *count == 1
        })
    }

    /// Records that the player of `seat` has one connection fewer to this node. Returns true if this was the last
    /// connection.
    pub(crate) fn disconnect(&self, seat: Seat) -> bool {
        self.count(seat, |count| {
            *count = count.saturating_sub(1);
            *count == 0
        })
    }

    fn count(&self, seat: Seat, change: impl FnOnce(&mut u32) -> bool) -> bool {
        let now_ms = self.clock.now_ms();
        let mut state = self.state();
        let Some(count) = state.connected.get_mut(usize::from(seat.0)) else {
            return false;
        };
        let has_changed = change(count);
        if has_changed {
            state.note_connection_change(SeatSet::only(seat), now_ms);
            state.publish_seats(None);
        }
        has_changed
    }

    /// Adds a spectator to the count.
    pub(super) fn add_spectator(&self) {
        self.spectators.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes a spectator from the count.
    pub(super) fn remove_spectator(&self) {
        self.spectators.fetch_sub(1, Ordering::Relaxed);
    }

    /// Who is connected, and the latest entry.
    pub(crate) fn attendance(&self) -> Attendance {
        let state = self.state();
        Attendance {
            present: state.present(),
            spectators: self.spectators.load(Ordering::Relaxed),
            entry: Some(state.table.entry()),
        }
    }

    /// Records that the player of a seat sent `leave`.
    pub(crate) fn note_left(&self, seat: Seat) {
        if let Some(away) = self.state().away.get_mut(usize::from(seat.0)) {
            away.has_left = true;
        }
    }

    /// The seats with a connected player on this node.
    pub(crate) fn connected_here(&self) -> SeatSet {
        self.state().connected_here()
    }

    /// Whether a player is connected on any node, or the table is new.
    pub(crate) fn is_attended(&self, now_ms: u64) -> bool {
        let state = self.state();
        let created_ms = state.table.settings().created_ms;
        !state.present().is_empty() || now_ms < created_ms.saturating_add(ATTENDED_MS)
    }

    /// Sets the seats with a connected player on another node.
    pub(crate) fn set_present_elsewhere(&self, seats: SeatSet) {
        let now_ms = self.clock.now_ms();
        let mut state = self.state();
        if state.present_elsewhere != seats {
            let changed = state.present_elsewhere.symmetric_difference(seats);
            state.present_elsewhere = seats;
            state.note_connection_change(changed, now_ms);
            state.publish_seats(None);
        }
    }

    /// What is new for the player of `seat`, to whom `turns` turns were already reported.
    pub(super) fn progress(&self, seat: Seat, turns: usize) -> Progress {
        let state = self.state();
        let table = &state.table;
        let mut new = table.game().turns().get(turns..).unwrap_or_default();
        if table.is_ended_by_turn() {
            new = &new[..new.len().saturating_sub(1)];
        }
        Progress {
            turns: new.to_vec(),
            end: table.result(seat).map(|result| GameEnd {
                result,
                opponent_move: table.opponent_move_that_ended(seat),
            }),
        }
    }
}

impl fmt::Debug for LiveTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LiveTable({})", self.id)
    }
}

impl State {
    /// The seats with a connected player on any node. While the game goes on, all seats of TCP clients are included.
    fn present(&self) -> SeatSet {
        let is_connection = |holder: &Holder| matches!(holder, Holder::Human { node: Some(_), .. });
        let by_tcp = (0..).map(Seat).zip(self.table.holders());
        let by_tcp = by_tcp.filter(|(_, holder)| is_connection(holder) && !self.table.is_over());
        self.connected_here()
            .union(self.present_elsewhere)
            .union(by_tcp.map(|(seat, _)| seat).collect())
    }

    /// Records that the players of `seats` connected or disconnected now. When a player returns, an earlier
    /// `leave` of this player no longer counts.
    fn note_connection_change(&mut self, seats: SeatSet, now_ms: u64) {
        let present = self.present();
        for (seat, away) in (0..).map(Seat).zip(&mut self.away) {
            if seats.contains(seat) {
                away.since_ms = now_ms;
                away.has_left &= !present.contains(seat);
            }
        }
    }

    /// For each seat, how long its player has been away; `None` for players who are present.
    pub(super) fn away(&self, now_ms: u64) -> Vec<Option<Absence>> {
        let present = self.present();
        let absence = |(seat, away): (Seat, &Away)| {
            let ms = now_ms.saturating_sub(away.since_ms);
            let has_left = away.has_left;
            (!present.contains(seat)).then_some(Absence { ms, has_left })
        };
        (0..).map(Seat).zip(&self.away).map(absence).collect()
    }

    pub(super) fn is_connected_here(&self, seat: Seat) -> bool {
        self.connected_here().contains(seat)
    }

    fn connected_here(&self) -> SeatSet {
        let connected = (0..).map(Seat).zip(&self.connected);
        let connected = connected.filter(|(_, count)| **count > 0);
        connected.map(|(seat, _)| seat).collect()
    }

    fn snapshot(&mut self, now_ms: u64) -> Arc<Snapshot> {
        let has_clock = self.table.clock_deadline_ms().is_some();
        if let Some(snapshot) = &self.snapshot
            && !has_clock
        {
            return Arc::clone(snapshot);
        }
        let mut snapshot = Snapshot {
            names: Arc::clone(&self.names),
            ..self.table.snapshot(self.present())
        };
        if has_clock {
            snapshot.clock = self.table.clock(now_ms);
        }
        let snapshot = Arc::new(snapshot);
        self.snapshot = Some(Arc::clone(&snapshot));
        snapshot
    }

    /// Applies a stored entry, and sends the update to all watchers.
    pub(super) fn apply(&mut self, logged: &LogEntry) -> Result<(), crate::table::InvalidLog> {
        let is_watched = self.is_watched();
        let cells = match &logged.entry {
            Entry::Turn(turn) if is_watched => self.table.cells_changed_by(*turn),
            _ => Vec::new(),
        };
        self.table.apply(logged)?;
        self.table.keep_copy_if_due();
        self.snapshot = None;
        let entry = self.table.entry();
        if let Some(changed) = &self.changed {
            changed.send_replace(entry);
        }
        if !is_watched {
            return Ok(());
        }
        match &logged.entry {
            Entry::Turn(turn) => {
                let change = Box::new(self.table.turn_change(*turn, cells));
                self.send(Some(entry), Change::Turn(change));
            }
            Entry::Seated { .. } => self.publish_seats(Some(entry)),
            Entry::Offered { .. } | Entry::Answered { .. } => {
                let offers = self.table.offers().to_vec();
                self.send(Some(entry), Change::Offers { entry, offers });
            }
            Entry::TimeAdded { .. } | Entry::Ended { .. } | Entry::RematchCreated(_) => {
                self.publish_view();
            }
        }
        Ok(())
    }

    /// Replaces the table by `table`, which was loaded from the store.
    pub(super) fn replace(&mut self, table: Table) {
        self.table = table;
        self.snapshot = None;
        if let Some(changed) = &self.changed {
            changed.send_replace(self.table.entry());
        }
        self.publish_view();
    }

    fn publish_view(&mut self) {
        if self.is_watched() {
            let snapshot = self.snapshot(self.table.last_ms());
            self.send(Some(snapshot.entry), Change::View(snapshot));
        }
    }

    fn publish_seats(&mut self, entry: Option<u32>) {
        self.snapshot = None;
        if self.is_watched() {
            let (holders, present) = (self.table.holders().to_vec(), self.present());
            let names = Arc::clone(&self.names);
            let seats = Change::Seats {
                holders,
                present,
                names,
            };
            self.send(entry, seats);
        }
    }

    /// Adds names of players who are about to take a seat.
    pub(super) fn learn(&mut self, names: PlayerNames) {
        Arc::make_mut(&mut self.names).extend(names);
    }

    /// Sets the name of a player at this table; `None` if the player was deleted.
    pub(super) fn set_player(&mut self, player: PlayerId, info: Option<PlayerInfo>) {
        let sits = |holder: &Holder| holder.player_id() == Some(player);
        if self.table.holders().iter().any(sits) && Arc::make_mut(&mut self.names).set(player, info)
        {
            self.publish_seats(None);
        }
    }

    fn is_watched(&self) -> bool {
        let updates = self.updates.as_ref();
        updates.is_some_and(|updates| updates.receiver_count() > 0)
    }

    fn send(&self, entry: Option<u32>, change: Change) {
        if let Some(updates) = &self.updates {
            // `send` returns an error if the last watcher has just left. This error does not matter.
            let _ = updates.send(Arc::new(Update::new(entry, change)));
        }
    }
}

/// A snapshot of a table, and all updates after it.
#[derive(Debug)]
pub struct Watch {
    /// The table when the watch began.
    pub snapshot: Arc<Snapshot>,
    /// The updates after the snapshot. A watcher that is too slow misses some updates, and needs a new snapshot.
    pub updates: broadcast::Receiver<Arc<Update>>,
}

/// What is new in a player's game since the last report to this player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The new turns, except a turn that ended the game.
    pub turns: Vec<Turn>,
    /// How the game ended; `None` if it is not over.
    pub end: Option<GameEnd>,
}

/// How a game ended for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameEnd {
    /// The result for this seat.
    pub result: SeatResult,
    /// The opponent's move that ended the game; `None` if the game ended in another way.
    pub opponent_move: Option<Move>,
}
