//! One database that several nodes share, with faults to inject between it and each node.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, SystemTime};

use noughts_rules::{Seat, Variant};
use noughts_server::{
    Append, Appended, Bus, Created, CreationKey, Deletion, GameId, Hint, Holder, LinkCreation,
    ListQuery, ListedGame, LogPosition, LogTail, Matches, Memory, NewGame, NodeId, PlayerId,
    QuickMatch, Redemption, Reply, SeatSet, SecretHash, Store, StoreError, StoredGame,
    StoredPlayer, Summary, Sweep, Table, WaitingCount, WaitingId, WaitingList,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

/// A database in memory that several nodes use as their store. Tests inject faults into the requests of the nodes.
pub(crate) struct Database {
    games: Memory,
    state: Mutex<State>,
    /// The time since 1970 when the database was created.
    epoch: Duration,
    begun: Instant,
}

type ChooseTreatment = Box<dyn FnMut(&Request) -> Treatment + Send>;
type ChooseDelays = Box<dyn FnMut(Hint) -> Vec<Duration> + Send>;

struct State {
    /// Every game that a node wanted to create or that a test stored, in order.
    ids: Vec<GameId>,
    indices: HashMap<GameId, usize>,
    counters: BTreeMap<NodeId, u64>,
    presence: HashMap<(NodeId, GameId), SeatSet>,
    links: Vec<Arc<Link>>,
    treat: ChooseTreatment,
    delay_hint: ChooseDelays,
    counts: BTreeMap<&'static str, usize>,
}

/// The kinds of requests of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Operation {
    Create,
    Append,
    Read,
    List,
    Sweep,
    Presence,
    Match,
    Other,
}

/// A request of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// The number of the node, from 0, in the order of their start.
    pub(crate) node: usize,
    pub(crate) operation: Operation,
    /// The number of the game, from 0, in the order of their creation. `None` if the request does not concern one game.
    pub(crate) game: Option<usize>,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Treatment {
    /// How long the request takes to reach the database.
    pub(crate) before: Duration,
    pub(crate) fault: Fault,
    /// How long the reply takes. With [`Fault::CarriedOutLater`], how much later the request is executed.
    pub(crate) after: Duration,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    /// The request is lost.
    RequestLost,
    /// The request is executed, but the reply is lost.
    ReplyLost,
    /// The node gets an error, and the request is executed later.
    CarriedOutLater,
    /// The request panics in the node.
    Panic,
}

impl Treatment {
    /// No delay, with this fault.
    pub(crate) fn only(fault: Fault) -> Treatment {
        Treatment {
            fault,
            ..Treatment::default()
        }
    }
}

impl Database {
    /// An empty database without faults.
    pub(crate) fn new() -> Arc<Database> {
        let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Arc::new(Database {
            games: Memory::keeping(1_000_000),
            state: Mutex::new(State {
                ids: Vec::new(),
                indices: HashMap::new(),
                counters: BTreeMap::new(),
                presence: HashMap::new(),
                links: Vec::new(),
                treat: Box::new(|_| Treatment::default()),
                delay_hint: Box::new(|_| vec![Duration::ZERO]),
                counts: BTreeMap::new(),
            }),
            epoch: epoch.unwrap(),
            begun: Instant::now(),
        })
    }

    /// From now on this function decides what happens to each request.
    pub(crate) fn treat(&self, treat: impl FnMut(&Request) -> Treatment + Send + 'static) {
        self.state().treat = Box::new(treat);
    }

    /// From now on every request has this fault.
    pub(crate) fn treat_all(&self, fault: Fault) {
        self.treat(move |_| Treatment::only(fault));
    }

    /// From now on every request of this kind has this fault; the other requests succeed.
    pub(crate) fn treat_each(&self, operation: Operation, fault: Fault) {
        self.treat(move |request| match request.operation == operation {
            true => Treatment::only(fault),
            false => Treatment::default(),
        });
    }

    /// From now on this function returns the delay of each copy of a hint. If it returns no delay, the hint is lost.
    pub(crate) fn delay_hints(&self, delay: impl FnMut(Hint) -> Vec<Duration> + Send + 'static) {
        self.state().delay_hint = Box::new(delay);
    }

    /// Connects a node. If `is_shared` is false, the node does not know of other nodes, as with SQLite.
    pub(crate) fn connect(self: &Arc<Database>, is_shared: bool) -> Connection {
        let mut state = self.state();
        let link = Arc::new(Link {
            number: state.links.len(),
            is_shared,
            is_dead: AtomicBool::new(false),
            node: OnceLock::new(),
            hints: OnceLock::new(),
        });
        state.links.push(Arc::clone(&link));
        drop(state);
        Connection {
            database: Arc::clone(self),
            link,
        }
    }

    /// Every game that a node wanted to create or that a test stored, in order. Some may not be stored.
    pub(crate) fn ids(&self) -> Vec<GameId> {
        self.state().ids.clone()
    }

    /// A game as it is stored; `None` if there is no such game. No fault is injected.
    pub(crate) async fn load(&self, game: GameId) -> Option<StoredGame> {
        self.games.load(game).await.unwrap()
    }

    /// The game, as replayed from its log.
    pub(crate) async fn table(&self, game: GameId) -> Table {
        let stored = self.load(game).await.expect("the game is stored");
        Table::replay(stored.settings, &stored.entries).expect("the log fits its game")
    }

    /// Loses the latest entries of a game, as a failover to a replica that lags behind does. All other games are lost
    /// too.
    pub(crate) async fn lose_latest(&self, game: GameId, count: usize) {
        let mut stored = self.load(game).await.expect("the game is stored");
        self.games.forget(u64::MAX).await.unwrap();
        stored.entries.truncate(stored.entries.len() - count);
        let table = Table::replay(stored.settings.clone(), &stored.entries).unwrap();
        self.games.import(stored, table.summary()).await.unwrap();
    }

    /// Stores a game with any entries, including invalid ones.
    pub(crate) async fn put(&self, game: StoredGame, summary: Summary) {
        self.register(game.settings.id);
        self.games.import(game, summary).await.unwrap();
    }

    /// All games that lists show. No fault is injected.
    pub(crate) async fn list(&self) -> Vec<ListedGame> {
        let query = ListQuery::all(usize::MAX);
        self.games.list(query).await.unwrap()
    }

    /// How often each kind of event happened between the nodes and the database.
    pub(crate) fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.state().counts.clone()
    }

    /// The nodes that the database knows.
    pub(crate) fn nodes(&self) -> Vec<NodeId> {
        self.state().counters.keys().copied().collect()
    }

    pub(crate) fn now_ms(&self) -> u64 {
        (self.epoch + self.begun.elapsed()).as_millis() as u64
    }

    fn note(&self, what: &'static str) {
        *self.state().counts.entry(what).or_default() += 1;
    }

    fn register(&self, game: GameId) {
        let mut state = self.state();
        let next = state.ids.len();
        if *state.indices.entry(game).or_insert(next) == next {
            state.ids.push(game);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    async fn sweep(&self, node: NodeId, grace_ms: u64) -> Result<Sweep, StoreError> {
        let now_ms = self.now_ms();
        let swept = self.games.sweep(node, now_ms, grace_ms).await?;
        let mut state = self.state();
        *state.counters.entry(node).or_default() += 1;
        *state.counts.entry("overdue").or_default() += swept.overdue.len();
        let others = state.counters.iter().filter(|(other, _)| **other != node);
        Ok(Sweep {
            others: others.map(|(other, counter)| (*other, *counter)).collect(),
            now_ms: Some(now_ms),
            overdue: swept.overdue,
            outages: swept.outages,
        })
    }

    async fn seats_of_node(&self, node: NodeId) -> Result<Vec<(GameId, SeatSet)>, StoreError> {
        let mut found = Vec::new();
        for id in self.ids() {
            let Some(stored) = self.games.load(id).await? else {
                continue;
            };
            let table = Table::replay(stored.settings, &stored.entries).unwrap();
            let is_its = |holder: &Holder| matches!(holder, Holder::Human { node: Some(its), .. } if *its == node);
            let seats = (0..).map(Seat).zip(table.holders());
            let seats = seats.filter(|(_, holder)| is_its(holder));
            let seats: SeatSet = seats.map(|(seat, _)| seat).collect();
            if !table.is_over() && !seats.is_empty() {
                found.push((id, seats));
            }
        }
        Ok(found)
    }

    async fn positions(
        &self,
        node: NodeId,
        games: Vec<GameId>,
    ) -> Result<Vec<LogPosition>, StoreError> {
        let mut found = Vec::new();
        for game in games {
            let Some(tail) = self.games.entries_after(game, u32::MAX).await? else {
                continue;
            };
            let state = self.state();
            let elsewhere = state.presence.iter();
            let elsewhere = elsewhere.filter(|((at, of), _)| *at != node && *of == game);
            let present = elsewhere.fold(SeatSet::EMPTY, |all, (_, seats)| all.union(*seats));
            let entry = tail.last;
            found.push(LogPosition {
                game,
                entry,
                present,
            });
        }
        Ok(found)
    }

    /// Sends a hint to every other node, with the configured delays.
    fn carry(&self, from: &Arc<Link>, hint: Hint) {
        let mut state = self.state();
        if from.is_dead.load(Ordering::SeqCst) {
            return;
        }
        let others: Vec<Arc<Link>> = state.links.to_vec();
        for link in others {
            if link.number == from.number || link.is_dead.load(Ordering::SeqCst) {
                continue;
            }
            let delays = (state.delay_hint)(hint);
            let what = match delays.len() {
                0 => "hints lost",
                1 => "hints carried",
                _ => "hints repeated",
            };
            *state.counts.entry(what).or_default() += 1;
            for delay in delays {
                let link = Arc::clone(&link);
                tokio::spawn(async move {
                    wait(delay).await;
                    if let Some(hints) = link.hints.get() {
                        // A node that is slow or gone misses the hint.
                        let _ = hints.try_send(hint);
                    }
                });
            }
        }
    }
}

/// A node's connection to the database.
struct Link {
    number: usize,
    is_shared: bool,
    is_dead: AtomicBool,
    node: OnceLock<NodeId>,
    hints: OnceLock<mpsc::Sender<Hint>>,
}

/// The store of one node.
pub(crate) struct Connection {
    database: Arc<Database>,
    link: Arc<Link>,
}

/// Ends a node's connection permanently.
pub(crate) struct Plug(Arc<Link>);

impl Plug {
    /// Kills the node: none of its requests is executed or answered any more.
    pub(crate) fn pull(&self) {
        self.0.is_dead.store(true, Ordering::SeqCst);
    }

    /// The id that the node chose.
    pub(crate) fn node(&self) -> NodeId {
        *self.0.node.get().expect("the node has started")
    }

    /// The number of the node, from 0, in the order of their start.
    pub(crate) fn number(&self) -> usize {
        self.0.number
    }
}

type Work<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

impl Connection {
    pub(crate) fn plug(&self) -> Plug {
        Plug(Arc::clone(&self.link))
    }

    /// Executes a request, with the configured faults.
    fn ask<T: Send + 'static>(
        &self,
        operation: Operation,
        game: Option<GameId>,
        work: impl FnOnce(Arc<Database>) -> Work<T> + Send + 'static,
    ) -> Reply<'_, T> {
        let (database, link) = (Arc::clone(&self.database), Arc::clone(&self.link));
        Box::pin(async move {
            link.is_alive().await;
            let treatment = {
                let mut state = database.state();
                let request = Request {
                    node: link.number,
                    operation,
                    game: game.and_then(|game| state.indices.get(&game).copied()),
                };
                (state.treat)(&request)
            };
            wait(treatment.before).await;
            link.is_alive().await;
            match treatment.fault {
                Fault::RequestLost => {
                    database.note("requests lost");
                    return Err(StoreError::Unavailable("the request was lost".to_owned()));
                }
                Fault::CarriedOutLater => {
                    database.note("requests carried out later");
                    tokio::spawn(async move {
                        wait(treatment.after).await;
                        let _ = work(database).await;
                    });
                    return Err(StoreError::Unavailable("there was no reply".to_owned()));
                }
                Fault::Panic => panic!("an injected panic"),
                Fault::None | Fault::ReplyLost => {}
            }
            let reply = work(Arc::clone(&database)).await;
            wait(treatment.after).await;
            link.is_alive().await;
            match treatment.fault {
                Fault::ReplyLost => {
                    database.note("replies lost");
                    Err(StoreError::Unavailable("the reply was lost".to_owned()))
                }
                _ => reply,
            }
        })
    }
}

impl Link {
    /// Returns at once if the node is alive; otherwise waits for ever.
    async fn is_alive(&self) {
        if self.is_dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }
}

/// Sleeps, without a timer if there is nothing to wait for.
async fn wait(delay: Duration) {
    if !delay.is_zero() {
        sleep(delay).await;
    }
}

macro_rules! plain {
    ($($operation:ident: $name:ident($($argument:ident: $kind:ty),*) -> $reply:ty, $game:expr;)*) => {
        $(fn $name(&self, $($argument: $kind),*) -> Reply<'_, $reply> {
            self.ask(Operation::$operation, $game, move |database| {
                Box::pin(async move { database.games.$name($($argument),*).await })
            })
        })*
    };
}

impl Store for Connection {
    plain! {
        Create: created_with(key: CreationKey, now_ms: u64) -> Option<(GameId, CreationKey)>, None;
        Read: load(game: GameId) -> Option<StoredGame>, Some(game);
        Read: entries_after(game: GameId, after: u32) -> Option<LogTail>, Some(game);
        Create: import(game: StoredGame, summary: Summary) -> Created, None;
        List: list(query: ListQuery) -> Vec<ListedGame>, None;
        Other: analysis(game: GameId) -> Option<String>, Some(game);
        Other: store_analysis(game: GameId, analysis: String) -> (), Some(game);
        Other: secret() -> [u8; 32], None;
        Other: postpone(game: GameId, before_ms: u64, deadline_ms: u64) -> (), Some(game);
        Other: forget(before_ms: u64) -> Vec<GameId>, None;
        Other: check_writable() -> (), None;
        Other: create_player(player: StoredPlayer, token: SecretHash) -> (), None;
        Read: player_of_token(token: SecretHash) -> Option<StoredPlayer>, None;
        Read: players(ids: Vec<PlayerId>) -> Vec<StoredPlayer>, None;
        Other: rename_player(player: PlayerId, name: String) -> bool, None;
        Other: delete_player(player: PlayerId) -> Deletion, None;
        Other: revoke_other_tokens(player: PlayerId, kept: SecretHash) -> u64, None;
        Other: create_link(player: PlayerId, code: SecretHash, now_ms: u64) -> LinkCreation, None;
        Other: redeem_link(code: SecretHash, token: SecretHash, now_ms: u64) -> Redemption, None;
        Other: expire_players(before_ms: u64, now_ms: u64) -> usize, None;
        Read: quick_match(id: WaitingId) -> Option<QuickMatch>, None;
        Read: waiting_counts() -> Vec<WaitingCount>, None;
    }

    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created> {
        let id = game.settings.id;
        self.database.register(id);
        self.ask(Operation::Create, Some(id), move |database| {
            Box::pin(async move { database.games.create(game, summary).await })
        })
    }

    fn append<'a>(&'a self, append: &'a Append) -> Reply<'a, Appended> {
        let append = append.clone();
        if let Some((new, _)) = &append.new_game {
            self.database.register(new.settings.id);
        }
        self.ask(Operation::Append, Some(append.game), move |database| {
            Box::pin(async move {
                let appended = database.games.append(&append).await;
                if appended == Ok(Appended::Conflict) {
                    database.note("conflicts");
                }
                appended
            })
        })
    }

    fn sweep(&self, node: NodeId, _: u64, grace_ms: u64) -> Reply<'_, Sweep> {
        self.ask(Operation::Sweep, None, move |database| {
            Box::pin(async move { database.sweep(node, grace_ms).await })
        })
    }

    fn seats_of_node(&self, node: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>> {
        self.ask(Operation::Other, None, move |database| {
            Box::pin(async move { database.seats_of_node(node).await })
        })
    }

    fn remove_node(&self, node: NodeId) -> Reply<'_, ()> {
        self.ask(Operation::Other, None, move |database| {
            Box::pin(async move {
                let removed = database.games.remove_node(node).await;
                let mut state = database.state();
                state.counters.remove(&node);
                state.presence.retain(|(at, _), _| *at != node);
                removed
            })
        })
    }

    fn set_presence(&self, node: NodeId, seats: Vec<(GameId, SeatSet)>) -> Reply<'_, ()> {
        self.ask(Operation::Presence, None, move |database| {
            Box::pin(async move {
                let told = database.games.set_presence(node, seats.clone()).await;
                let mut state = database.state();
                for (game, seats) in seats {
                    state.presence.insert((node, game), seats);
                }
                told
            })
        })
    }

    fn positions(&self, node: NodeId, games: Vec<GameId>) -> Reply<'_, Vec<LogPosition>> {
        self.ask(Operation::Presence, None, move |database| {
            Box::pin(async move { database.positions(node, games).await })
        })
    }

    fn match_waiting(&self, node: NodeId, list: WaitingList, _: u64) -> Reply<'_, Matches> {
        self.ask(Operation::Match, None, move |database| {
            Box::pin(async move {
                database.state().counters.entry(node).or_default();
                let now_ms = database.now_ms();
                let matches = database.games.match_waiting(node, list, now_ms).await?;
                for game in &matches.created {
                    database.register(*game);
                    database.note("pairs matched by the store");
                }
                Ok(matches)
            })
        })
    }

    fn bus(&self, node: NodeId) -> Bus {
        let _ = self.link.node.set(node);
        if !self.link.is_shared {
            return Bus::alone();
        }
        let (sent, mut outgoing) = mpsc::channel(64);
        let (incoming, received) = mpsc::channel(1_024);
        let _ = self.link.hints.set(incoming);
        let (database, link) = (Arc::clone(&self.database), Arc::clone(&self.link));
        tokio::spawn(async move {
            while let Some(hint) = outgoing.recv().await {
                database.carry(&link, hint);
            }
        });
        Bus::linked(sent, received)
    }
}

/// The variant with this name.
pub(crate) fn variant(name: &str) -> Variant {
    name.parse().unwrap()
}
