//! What the clients of a campaign share: the addresses of the nodes, and everything that any client saw.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::tcp_player::TcpGame;
use crate::load::Draw;

/// Maximum time for which a request is repeated, and maximum time without an acknowledged turn.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(60);

/// Maximum time from the end of a game until its watchers learn of it. Twice the duration of all faults in between is
/// added. Without hints, nodes compare their tables with the store every 2 s.
const MAX_WATCH_DELAY: Duration = Duration::from_secs(5);

/// The addresses of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ports {
    pub(super) http: u16,
    pub(super) tcp: u16,
    pub(super) pairs: u16,
}

/// A state of a game that a client saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub(super) turn: u64,
    pub(super) is_over: bool,
    /// One character per cell; `None` if the message contained only the changes.
    pub(super) marks: Option<String>,
}

/// What clients know of a game.
#[derive(Default)]
pub(super) struct Known {
    /// The states that clients saw. The key is the number of log entries of the state.
    pub(super) states: BTreeMap<u64, Seen>,
    /// The acknowledged turns: number, seat and move.
    pub(super) turns: Vec<(u64, u64, String)>,
    /// When the first client saw the end of the game, and the total duration of faults up to that time.
    ended: Option<(Instant, Duration)>,
}

/// State shared between the clients, the watchers and the faults of a campaign.
#[derive(Default)]
pub(super) struct CampaignState {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    nodes: Vec<Option<Ports>>,
    games: HashMap<String, Known>,
    tcp_games: Vec<TcpGame>,
    to_watch: VecDeque<String>,
    watched: Vec<String>,
    counts: BTreeMap<String, u64>,
    /// The names of all faults, in order.
    faults: Vec<String>,
    acknowledged: usize,
    is_finished: bool,
    failure: Option<String>,
    fault_since: Option<Instant>,
    faulty: Duration,
}

impl CampaignState {
    pub(super) fn new(nodes: Vec<Option<Ports>>) -> CampaignState {
        let campaign = CampaignState::default();
        campaign.set_nodes(nodes);
        campaign
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the addresses of the nodes; `None` for a node that is known to be down.
    pub(super) fn set_nodes(&self, nodes: Vec<Option<Ports>>) {
        self.state().nodes = nodes;
        self.changed.notify_all();
    }

    /// Waits for a node that is not known to be down, and returns a random one; `None` if the campaign failed or no
    /// node came up in time.
    pub(super) fn pick(&self, draw: &mut Draw) -> Option<Ports> {
        let is_down = |state: &mut State| {
            state.failure.is_none() && state.nodes.iter().flatten().next().is_none()
        };
        let waited = self
            .changed
            .wait_timeout_while(self.state(), MAX_WAIT, is_down);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let nodes: Vec<Ports> = state.nodes.iter().flatten().copied().collect();
        let is_failed = state.failure.is_some() || nodes.is_empty();
        (!is_failed).then(|| nodes[draw.below(nodes.len())])
    }

    /// Records the first failure. All clients stop.
    pub(super) fn fail(&self, why: String) {
        let mut state = self.state();
        if state.failure.is_none() {
            let latest = state.faults.len().saturating_sub(3);
            let latest = &state.faults[latest..];
            let during = state.fault_since.is_some();
            let why = format!("{why}\nthe latest faults: {latest:?}, during the last: {during}");
            eprintln!("failed: {why}");
            state.failure = Some(why);
        }
        self.changed.notify_all();
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    pub(super) fn is_failed(&self) -> bool {
        self.state().failure.is_some()
    }

    /// Whether clients begin another game.
    pub(super) fn is_running(&self) -> bool {
        let state = self.state();
        !state.is_finished && state.failure.is_none()
    }

    /// Lets clients finish their game and stop.
    pub(super) fn finish(&self) {
        self.state().is_finished = true;
        self.changed.notify_all();
    }

    pub(super) fn count(&self, what: &str) {
        *self.state().counts.entry(what.to_owned()).or_default() += 1;
    }

    pub(super) fn counts(&self) -> BTreeMap<String, u64> {
        let state = self.state();
        let mut counts = state.counts.clone();
        let states = state.games.values().map(|known| known.states.len() as u64);
        counts.insert("states".to_owned(), states.sum());
        counts.insert("tables".to_owned(), state.games.len() as u64);
        counts
    }

    pub(super) fn begin_fault(&self, name: &str) {
        self.count(&format!("fault:{name}"));
        let mut state = self.state();
        state.fault_since = Some(Instant::now());
        state.faults.push(name.to_owned());
    }

    pub(super) fn end_fault(&self) {
        let mut state = self.state();
        let since = state.fault_since.take();
        state.faulty += since.map_or(Duration::ZERO, |since| since.elapsed());
    }

    /// The total duration of faults since the beginning.
    pub(super) fn faulty(&self) -> Duration {
        let state = self.state();
        let now = state.fault_since.map(|since| since.elapsed());
        state.faulty + now.unwrap_or_default()
    }

    /// Waits until this many more turns are acknowledged.
    pub(super) fn wait_for_turns(&self, more: usize) {
        let state = self.state();
        let until = state.acknowledged + more;
        let waited = self.changed.wait_timeout_while(state, MAX_WAIT, |state| {
            state.acknowledged < until && state.failure.is_none()
        });
        let is_late = waited.is_ok_and(|(_, timeout)| timeout.timed_out());
        if is_late {
            self.fail("no turn is acknowledged any more".to_owned());
        }
    }

    /// Records that a turn was acknowledged over this interface.
    pub(super) fn acknowledge(&self, interface: &str, game: &str, turn: (u64, u64, String)) {
        let mut state = self.state();
        let known = state.games.entry(game.to_owned()).or_default();
        known.turns.push(turn);
        drop(state);
        self.acknowledge_one(interface);
    }

    pub(super) fn acknowledge_one(&self, interface: &str) {
        self.count(&format!("acknowledged:{interface}"));
        self.state().acknowledged += 1;
        self.changed.notify_all();
    }

    /// Records a view or a change that a client saw. The campaign fails if two clients see different states after the
    /// same entry.
    pub(super) fn observe(&self, game: &str, message: &Value) {
        let (Some(entry), Some(turn)) = (message["entry"].as_u64(), message["turn"].as_u64())
        else {
            return self.fail(format!("game {game}: no entry and turn in {message}"));
        };
        let mark = |side: &Value| match side.as_u64() {
            Some(side) => char::from_digit(side as u32, 36).expect("there are few sides"),
            None => '.',
        };
        let marks = message["marks"].as_array();
        let seen = Seen {
            turn,
            is_over: !message["outcome"].is_null(),
            marks: marks.map(|marks| marks.iter().map(mark).collect()),
        };
        let faulty = self.faulty();
        let mut state = self.state();
        let known = state.games.entry(game.to_owned()).or_default();
        if seen.is_over && known.ended.is_none() {
            known.ended = Some((Instant::now(), faulty));
        }
        let before = known.states.entry(entry).or_insert_with(|| seen.clone());
        before.marks = before.marks.take().or_else(|| seen.marks.clone());
        let differs = (before.turn, before.is_over) != (seen.turn, seen.is_over)
            || seen.marks.is_some() && before.marks != seen.marks;
        if differs {
            let why =
                format!("game {game} had two states after entry {entry}: {before:?}, {seen:?}");
            drop(state);
            self.fail(why);
        }
    }

    pub(super) fn add_tcp_game(&self, game: TcpGame) {
        self.state().tcp_games.push(game);
    }

    /// Calls `read` with everything that the clients saw. The clients must have stopped.
    pub(super) fn read<T>(&self, read: impl FnOnce(&HashMap<String, Known>, &[TcpGame]) -> T) -> T {
        let state = self.state();
        read(&state.games, &state.tcp_games)
    }

    /// Offers a new game to the watchers. Of the games that no watcher has taken, only the newest four are kept.
    pub(super) fn offer_to_watchers(&self, game: &str) {
        let mut state = self.state();
        state.to_watch.truncate(3);
        state.to_watch.push_front(game.to_owned());
        self.changed.notify_all();
    }

    /// Waits for the next game to watch; `None` if there are no more games because the campaign is over.
    pub(super) fn next_to_watch(&self) -> Option<String> {
        let waited = self.changed.wait_while(self.state(), |state| {
            state.to_watch.is_empty() && !state.is_finished && state.failure.is_none()
        });
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        let game = state.to_watch.pop_front()?;
        state.watched.push(game.clone());
        Some(game)
    }

    /// Records that a watcher saw the end of its game.
    pub(super) fn stop_watching(&self, game: &str) {
        self.state().watched.retain(|watched| watched != game);
    }

    pub(super) fn is_watched(&self) -> bool {
        !self.state().watched.is_empty()
    }

    /// Checks the watchers repeatedly for this time, in which no fault happens.
    pub(super) fn keep_quiet(&self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until && !self.is_failed() {
            self.check_watchers();
            sleep(Duration::from_millis(100));
        }
    }

    /// Checks that every watcher learns of the end of its game in time.
    pub(super) fn check_watchers(&self) {
        let faulty = self.faulty();
        let state = self.state();
        let is_late = |game: &&String| {
            let ended = state.games.get(*game).and_then(|known| known.ended);
            ended.is_some_and(|(ended, faulty_then)| {
                let faults = faulty.saturating_sub(faulty_then);
                ended.elapsed() > MAX_WATCH_DELAY + 2 * faults
            })
        };
        if let Some(game) = state.watched.iter().find(is_late) {
            let why = format!("game {game} is over, and a watcher did not learn of it in time");
            drop(state);
            self.fail(why);
        }
    }
}
