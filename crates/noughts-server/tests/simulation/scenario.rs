//! A scenario: nodes, clients, a database that fails for a while, and a time without failures at the end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use noughts_engine::Random;
use noughts_server::{ConnectedSeat, GameId, Matchmaking, Tables};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use crate::cluster::{Database, Fault, Node, Treatment};
use crate::observations::Observations;
use crate::watchers::{Watched, watch_game};
use crate::{check_logs, players, tcp_clients};

/// How long the database fails. After that, clients start nothing new.
pub(crate) const FAULTY: Duration = Duration::from_secs(45);

/// Time without failures before the logs are checked: long enough to detect dead nodes and to move for their
/// robots.
const CALM: Duration = Duration::from_secs(60);

/// Maximum time for an instant robot to move after a client opens its game. In a game with people, such a robot has no
/// deadline, so nodes need not move for it before a client opens the game.
const LOOKED_AT: Duration = Duration::from_secs(3);

const TCP_CLIENTS: usize = 7;
const API_GAMES: usize = 6;

/// What all clients of a scenario share.
pub(crate) struct Scenario {
    pub(crate) database: Arc<Database>,
    nodes: Mutex<Vec<Arc<RunningNode>>>,
    observations: Mutex<Observations>,
    /// Seats of TCP clients that stay connected until the end, each with its node.
    pub(crate) kept: Mutex<Vec<(Arc<RunningNode>, ConnectedSeat)>>,
    watchers: Mutex<Vec<JoinHandle<Watched>>>,
    is_finished: watch::Sender<bool>,
    pub(crate) begun: Instant,
}

/// A node as its clients see it.
pub(crate) struct RunningNode {
    pub(crate) tables: Arc<Tables>,
    pub(crate) matchmaking: Arc<Matchmaking>,
    ended: watch::Receiver<bool>,
}

impl RunningNode {
    fn of(node: &Node) -> Arc<RunningNode> {
        Arc::new(RunningNode {
            tables: Arc::clone(&node.tables),
            matchmaking: Arc::clone(&node.matchmaking),
            ended: node.ended(),
        })
    }

    pub(crate) fn is_killed(&self) -> bool {
        *self.ended.borrow()
    }

    /// Returns when the node is killed.
    pub(crate) async fn killed(&self) {
        // An error means that the node was dropped, which is an end too.
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    /// Runs a future as long as the node runs; `None` if the node ends first.
    pub(crate) async fn while_alive<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.killed() => None,
            done = work => Some(done),
        }
    }
}

impl Scenario {
    pub(crate) fn observations(&self) -> MutexGuard<'_, Observations> {
        self.observations.lock().unwrap()
    }

    pub(crate) fn count(&self, what: &'static str) {
        self.observations().count(what);
    }

    /// Any node that runs.
    pub(crate) fn node(&self, random: &mut Random) -> Arc<RunningNode> {
        let nodes = self.nodes.lock().unwrap();
        Arc::clone(&nodes[random.below(nodes.len())])
    }

    /// Whether clients may begin something new.
    pub(crate) fn is_open(&self) -> bool {
        self.begun.elapsed() < FAULTY
    }

    /// Adds a watcher that stays to the end of the scenario.
    pub(crate) fn watch_game(self: &Arc<Scenario>, game: GameId, random: &mut Random) {
        let random = Random::new(random.draw());
        let watching = tokio::spawn(watch_game(Arc::clone(self), game, random));
        self.watchers.lock().unwrap().push(watching);
    }

    /// Returns when the logs are about to be checked.
    pub(crate) async fn finished(&self) {
        let mut is_finished = self.is_finished.subscribe();
        let _ = is_finished.wait_for(|finished| *finished).await;
    }
}

/// A random time below this many milliseconds.
pub(crate) fn up_to_ms(random: &mut Random, ms: usize) -> Duration {
    Duration::from_millis(random.below(ms) as u64)
}

/// Runs a scenario and checks it. Returns how often each kind of event happened.
pub(crate) async fn run(seed: u64) -> BTreeMap<&'static str, usize> {
    let mut random = Random::new(seed);
    let database = Database::new();
    let mut nodes = vec![
        Node::start(&database, random.draw()),
        Node::start(&database, random.draw()),
    ];
    let scenario = Arc::new(Scenario {
        database: Arc::clone(&database),
        nodes: Mutex::new(nodes.iter().map(RunningNode::of).collect()),
        observations: Mutex::default(),
        kept: Mutex::default(),
        watchers: Mutex::default(),
        is_finished: watch::Sender::new(false),
        begun: Instant::now(),
    });
    fail(&scenario, &mut random);
    let mut clients = Vec::new();
    for number in 0..TCP_CLIENTS {
        let own = Random::new(random.draw());
        clients.push(tokio::spawn(tcp_clients::run(
            Arc::clone(&scenario),
            number,
            own,
        )));
    }
    for number in 0..API_GAMES {
        let own = Random::new(random.draw());
        clients.push(tokio::spawn(players::run(
            Arc::clone(&scenario),
            number,
            own,
        )));
    }
    // One node is killed, and a new one starts.
    sleep(Duration::from_secs(5) + up_to_ms(&mut random, 25_000)).await;
    let killed = random.below(2);
    scenario.nodes.lock().unwrap().remove(killed);
    nodes[killed].kill();
    scenario.count("nodes killed");
    sleep(up_to_ms(&mut random, 8_000)).await;
    let started = Node::start(&database, random.draw());
    scenario
        .nodes
        .lock()
        .unwrap()
        .push(RunningNode::of(&started));
    nodes.push(started);
    sleep_until(scenario.begun + FAULTY).await;
    database.treat_all(Fault::None);
    for client in clients {
        client.await.expect("a client ends well");
    }
    sleep(CALM).await;
    look_at_all(&scenario, &mut random).await;
    sleep(LOOKED_AT).await;
    scenario.is_finished.send_replace(true);
    let watchers = std::mem::take(&mut *scenario.watchers.lock().unwrap());
    let mut watched = Vec::new();
    for watcher in watchers {
        watched.push(watcher.await.expect("a watcher ends well"));
    }
    check_logs::check(&scenario, nodes[killed].id(), watched).await;
    let counts = database.counts();
    let mut observations = scenario.observations();
    for (what, count) in counts {
        observations.add(what, count);
    }
    observations.counts()
}

/// Opens every game, each at a random node.
async fn look_at_all(scenario: &Scenario, random: &mut Random) {
    for game in scenario.database.ids() {
        let node = scenario.node(random);
        // If the creation of a game failed, there is no such game.
        let _ = node.tables.get(game).await.expect("the database is good");
    }
}

/// From now on the database is slow and loses requests and replies, and hints get lost.
fn fail(scenario: &Arc<Scenario>, random: &mut Random) {
    let mut own = Random::new(random.draw());
    // Each scenario has its own share of faults, and some have an outage.
    let share = 10 + random.below(60);
    let slowness_ms = 2 + random.below(120);
    let outage_from = Duration::from_secs(3) + up_to_ms(random, 30_000);
    let outage = match random.below(2) {
        0 => Duration::ZERO,
        _ => {
            scenario.count("outages");
            up_to_ms(random, 14_000)
        }
    };
    let begun = scenario.begun;
    scenario.database.treat(move |_| {
        let time = begun.elapsed();
        let is_out = time >= outage_from && time < outage_from + outage;
        let fault = match own.below(1_000) {
            _ if is_out => Fault::RequestLost,
            roll if roll < share => Fault::RequestLost,
            roll if roll < 2 * share => Fault::ReplyLost,
            roll if roll < 3 * share => Fault::CarriedOutLater,
            _ => Fault::None,
        };
        let slowness_ms = match own.below(60) {
            0 => 2_000,
            _ => slowness_ms,
        };
        Treatment {
            before: up_to_ms(&mut own, slowness_ms),
            fault,
            after: up_to_ms(&mut own, slowness_ms),
        }
    });
    let mut own = Random::new(random.draw());
    let lost = random.below(60);
    scenario
        .database
        .delay_hints(move |_| match own.below(100) {
            roll if roll < lost => Vec::new(),
            roll if roll > 95 => vec![up_to_ms(&mut own, 50), up_to_ms(&mut own, 3_000)],
            _ => vec![up_to_ms(&mut own, 200)],
        });
}
