//! Clients that play, repeat requests, and remember every acknowledged turn.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Answer, Client};

/// State shared between the clients and the test that kills servers.
#[derive(Default)]
pub(crate) struct LoadState {
    state: Mutex<State>,
    changed: Condvar,
    is_stopped: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The ports of the servers. `port_changes` counts how often they were set.
    ports: Vec<u16>,
    port_changes: usize,
    /// The number of acknowledged turns.
    acknowledged: usize,
    /// The acknowledged turns of each game: number, seat and move.
    turns: HashMap<String, Vec<(u64, u64, String)>>,
    /// Games with turns that were not verified yet.
    unverified: HashSet<String>,
    /// The number of games created.
    begun: usize,
}

/// Maximum time that a test waits for something.
const MAX_WAIT: Duration = Duration::from_secs(120);

impl LoadState {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no client has failed")
    }

    fn wait_until(&self, mut is: impl FnMut(&State) -> bool) -> MutexGuard<'_, State> {
        let waited = self
            .changed
            .wait_timeout_while(self.state(), MAX_WAIT, |state| !is(state));
        let (state, timeout) = waited.expect("no client has failed");
        assert!(!timeout.timed_out(), "nothing happens any more");
        state
    }

    /// Sets the ports of the servers.
    pub(crate) fn set_ports(&self, ports: &[u16]) {
        let mut state = self.state();
        state.ports = ports.to_vec();
        state.port_changes += 1;
        self.changed.notify_all();
    }

    /// Waits until this many more turns are acknowledged.
    pub(crate) fn wait_for_turns(&self, more: usize) {
        let until = self.state().acknowledged + more;
        drop(self.wait_until(|state| state.acknowledged >= until));
    }

    /// Lets all clients finish their game and stop.
    pub(crate) fn stop_clients(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }

    /// Returns a state with only the turns that are acknowledged now, so that a test can check these turns at another
    /// server.
    pub(crate) fn acknowledged_so_far(&self) -> LoadState {
        let turns = self.state().turns.clone();
        let unverified = turns.keys().cloned().collect();
        let load = LoadState::default();
        (load.state().turns, load.state().unverified) = (turns, unverified);
        load
    }

    /// Verifies every game with new turns: each acknowledged turn is stored, and no cell is played twice.
    pub(crate) fn check(&self, port: u16) {
        let unverified = std::mem::take(&mut self.state().unverified);
        self.check_until(port, unverified, Instant::now());
    }

    /// Like `check`, but waits for missing turns, because another process may have acknowledged them just now.
    pub(crate) fn check_in_the_end(&self, port: u16) {
        let unverified = self.state().unverified.clone();
        self.check_until(port, unverified, Instant::now() + MAX_WAIT);
    }

    fn check_until(&self, port: u16, unverified: HashSet<String>, until: Instant) {
        let mut client = Client::new(port);
        for id in unverified {
            let acknowledged = self.state().turns[&id].clone();
            loop {
                let record = client.get(&format!("/api/games/{id}/record")).unwrap();
                assert_eq!(record.status, 200, "{id}: {}", record.text);
                let lines = turns_of(&record.text);
                assert!((1..).zip(&lines).all(|(number, line)| number == line.0));
                let cells: HashSet<&String> = lines.iter().map(|line| &line.2).collect();
                assert_eq!(cells.len(), lines.len(), "{}", record.text);
                match acknowledged.iter().find(|turn| !lines.contains(turn)) {
                    Some(turn) if Instant::now() >= until => {
                        panic!("{turn:?} is lost: {}", record.text)
                    }
                    Some(_) => {}
                    None => break,
                }
            }
        }
    }

    /// Checks that the list has every created game once and that each game is over.
    pub(crate) fn check_archive(&self, port: u16) {
        let mut found = HashSet::new();
        for game in Client::new(port).list() {
            assert_eq!(game["status"], "over", "{game}");
            assert!(found.insert(game["id"].as_str().unwrap().to_owned()));
        }
        let state = self.state();
        let known: HashSet<String> = state.turns.keys().cloned().collect();
        assert!(known.is_subset(&found));
        assert_eq!(found.len(), state.begun);
    }
}

/// The turns of a record: number, seat and move.
fn turns_of(record: &str) -> Vec<(u64, u64, String)> {
    let turn = |line: &str| {
        let (number, rest) = line.split_once(' ')?;
        let (seat, place) = rest.split_once(' ')?;
        Some((number.parse().ok()?, seat.parse().ok()?, place.to_owned()))
    };
    record.lines().filter_map(turn).collect()
}

/// A pseudorandom number generator.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// The tables that clients create in turn, and the seats that they take: with a fast robot, with a slow robot, and
/// for two people.
pub(crate) const TABLES: [(&str, &[u64]); 3] = [
    (
        r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"robot":"random"}],"take":[0]}"#,
        &[0],
    ),
    (
        r#"{"variant":"4x4k4","seats":[{"robot":"mcts:20"},{"human":"Bob"}],"take":[1]}"#,
        &[1],
    ),
    (
        r#"{"variant":"3x3k3","seats":[{"human":"Cyd"},{"human":"Dan"}],"take":[0,1]}"#,
        &[0, 1],
    ),
];

/// One client. It repeats unanswered requests with the same key, at any server.
pub(crate) struct Player<'l> {
    load: &'l LoadState,
    name: String,
    draw: Draw,
    client: Option<(u16, Client)>,
}

impl<'l> Player<'l> {
    pub(crate) fn new(load: &'l LoadState, number: u64) -> Player<'l> {
        Player {
            load,
            name: format!("somebody-number-{number}"),
            draw: Draw(number),
            client: None,
        }
    }

    /// Plays games until the test stops it.
    pub(crate) fn play(&mut self) {
        let mut number = self.draw.below(TABLES.len());
        while !self.load.is_stopped.load(Ordering::SeqCst) {
            self.play_one(number);
            number += 1;
        }
    }

    fn play_one(&mut self, number: usize) {
        let (table, seats) = TABLES[number % TABLES.len()];
        let key = format!("{}-{number}", self.name);
        let created = self.ask_until_answered("POST", "/api/games", "", &key, Some(table));
        assert!([200, 201].contains(&created.status), "{}", created.text);
        let id = created.body["id"].as_str().unwrap().to_owned();
        self.load.state().begun += 1;
        let mut view = created.body["view"].clone();
        let mut seen = 0;
        while view["outcome"].is_null() {
            // The view of another node may be some milliseconds old.
            let is_old = view["turn"].as_u64() < Some(seen);
            seen = seen.max(view["turn"].as_u64().unwrap());
            let Some(seat) = view["to_move"]
                .as_u64()
                .filter(|seat| seats.contains(seat) && !is_old)
            else {
                // A robot is to move, or the view is old.
                view = self
                    .ask_until_answered("GET", &format!("/api/games/{id}"), "", "", None)
                    .body;
                continue;
            };
            let token = created.body["tokens"][seat.to_string()]
                .as_str()
                .unwrap()
                .to_owned();
            view = self.play_turn(&id, seat, &token, &view);
        }
    }

    fn play_turn(&mut self, id: &str, seat: u64, token: &str, view: &Value) -> Value {
        let legal = view["legal"].as_array().unwrap();
        let cell = legal[self.draw.below(legal.len())].as_str().unwrap();
        let turn = view["turn"].as_u64().unwrap();
        let body = format!(r#"{{"turn":{turn},"play":"{cell}"}}"#);
        let path = format!("/api/games/{id}/actions");
        let done =
            self.ask_until_answered("POST", &path, token, &format!("turn-{turn}"), Some(&body));
        assert_eq!(done.status, 200, "{path} {body}: {}", done.text);
        let mut state = self.load.state();
        let turns = state.turns.entry(id.to_owned()).or_default();
        turns.push((turn, seat, cell.to_owned()));
        state.unverified.insert(id.to_owned());
        state.acknowledged += 1;
        self.load.changed.notify_all();
        done.body
    }

    fn ask_until_answered(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        key: &str,
        body: Option<&str>,
    ) -> Answer {
        loop {
            let (port, port_changes) = {
                let state = self.load.wait_until(|state| !state.ports.is_empty());
                let port = state.ports[self.draw.below(state.ports.len())];
                (port, state.port_changes)
            };
            let mut client = match self.client.take() {
                Some((at, client)) if at == port => client,
                _ => Client::new(port),
            };
            match client.ask(method, path, token, key, body) {
                Ok(answer) => {
                    self.client = Some((port, client));
                    return answer;
                }
                // The server is gone; another will start.
                Err(_) => drop(
                    self.load
                        .wait_until(|state| state.port_changes > port_changes),
                ),
            }
        }
    }
}
