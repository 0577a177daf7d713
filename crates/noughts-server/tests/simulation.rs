//! Thousands of games between clients that vanish, stall, repeat and lie, over a store that fails:
//! in virtual time, under a seed that is printed when something goes wrong.
//!
//! `SEED=… cargo nextest run -p noughts-server simulation` replays one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noughts_engine::{Random, Setup as Outside};
use noughts_rules::{Action, Conclusion, Move, Refusal, Seat, Turn};
use noughts_server::{
    Answer, Appended, Chair, Created, Ending, GameId, Guest, Holder, House, Ids, Last, Laying,
    Leavers, Limits, Listed, Memory, NewGame, NodeId, Notice, Opening, Query, Refused, Server,
    Setting, Setup, Sitting, Store, StoreError, StoredGame, StoredTurn, Table, Verdict,
};

/// How many clients a world has, and how many games each wants.
const CLIENTS: u64 = 24;
const WISHES: usize = 12;

#[test]
fn every_game_ends_in_one_result_that_both_agree_on() {
    let seeds = match std::env::var("SEED") {
        Ok(seed) => vec![seed.parse().expect("SEED is a number")],
        Err(_) => (1..=200).collect(),
    };
    let mut sum = Seen::default();
    for seed in seeds {
        let world = std::panic::catch_unwind(|| simulate(seed));
        let seen = world.unwrap_or_else(|_| panic!("it happened in the world of SEED={seed}"));
        sum.add(&seen);
    }
    // What never happened was not tested.
    if std::env::var("SEED").is_err() {
        assert!(sum.games > 10_000, "{sum:?}");
        let each = [
            sum.lines,
            sum.draws,
            sum.leavings,
            sum.refusals,
            sum.stale,
            sum.unavailable,
        ];
        assert!(each.iter().all(|count| *count > 50), "{sum:?}");
    }
}

/// A seat in the lobby is not lost while nobody can be seated there.
#[tokio::test(start_paused = true)]
async fn who_waits_is_seated_when_the_store_answers_again() {
    let mood = Arc::new(Mutex::new(Mood::Good));
    let store = Moody {
        games: Arc::new(Memory::default()),
        mood: Arc::clone(&mood),
    };
    let server = Server::start(Setup {
        http: None,
        tcp: None,
        tcp_strategy: "perfect".parse().unwrap(),
        pairs: None,
        store: Box::new(store),
        limits: Limits::default(),
        thinkers: 1,
        outside: Outside::with_seed(1),
    })
    .unwrap();
    let setting = Setting {
        id: Ids::default().draw(),
        variant: "3x3k3".parse().unwrap(),
        history: 0,
        start: None,
        holders: vec![
            Holder::Robot("first".parse().unwrap()),
            Holder::Open(Opening::Lobby),
        ],
        created_ms: server.house().now_ms(),
    };
    let game = setting.id;
    let laying = server.house().lay(NewGame { setting, key: None }).await;
    assert_eq!(laying, Ok(Laying::Laid(game)));
    tokio::time::sleep(Duration::from_secs(5)).await;
    *mood.lock().unwrap() = Mood::Bad;
    let mut guest = server.house().against_anybody("Ann".to_owned());
    let bad = tokio::time::timeout(Duration::from_secs(60), guest.next()).await;
    assert!(bad.is_err(), "{bad:?}");
    *mood.lock().unwrap() = Mood::Good;
    let good = tokio::time::timeout(Duration::from_secs(60), guest.next()).await;
    let Ok(Some(Notice::Seated(chair))) = good else {
        panic!("{good:?}");
    };
    assert_eq!((chair.game(), chair.seat()), (game, Seat(1)));
    drop((guest, chair));
    assert!(server.stop().await);
}

/// What happened in a world.
#[derive(Default, Debug)]
struct Seen {
    games: usize,
    lines: usize,
    draws: usize,
    leavings: usize,
    refusals: usize,
    stale: usize,
    unavailable: usize,
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.games += other.games;
        self.lines += other.lines;
        self.draws += other.draws;
        self.leavings += other.leavings;
        self.refusals += other.refusals;
        self.stale += other.stale;
        self.unavailable += other.unavailable;
    }
}

/// What one client saw of one game.
struct Sight {
    game: GameId,
    seat: Seat,
    turns: Vec<Turn>,
    /// None where the client left first.
    verdict: Option<Verdict>,
}

fn simulate(seed: u64) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(world(seed))
}

async fn world(seed: u64) -> Seen {
    let games = Arc::new(Memory::keeping(1_000_000));
    let store = Moody {
        games: Arc::clone(&games),
        mood: Arc::new(Mutex::new(Mood::Changing(Random::new(!seed)))),
    };
    let (house, rooms) = House::new(Box::new(store), 1, Outside::with_seed(seed));
    let mut seeds = Random::new(seed);
    let clients = (0..CLIENTS).map(|name| {
        let client = Client {
            house: Arc::clone(&house),
            name: name.to_string(),
            random: Random::new(seeds.draw()),
            seen: Seen::default(),
        };
        tokio::spawn(client.live())
    });
    let clients: Vec<_> = clients.collect();
    let (mut sights, mut seen) = (Vec::new(), Seen::default());
    for client in clients {
        let (own, counted) = client.await.expect("no client panics");
        sights.extend(own);
        seen.add(&counted);
    }
    assert_eq!(house.waiting(), 0, "somebody who is gone still waits");
    drop(house);
    // In virtual time, so it costs nothing; a room that nobody can close would never end.
    tokio::time::timeout(Duration::from_secs(600), rooms.closed())
        .await
        .expect("a table stays open that nobody sits at");
    judge(&games, &sights, &mut seen).await;
    seen
}

/// Compares what everybody saw with what was stored.
async fn judge(games: &Memory, sights: &[Sight], seen: &mut Seen) {
    let mut seats: HashMap<GameId, Vec<&Sight>> = HashMap::new();
    for sight in sights {
        seats.entry(sight.game).or_default().push(sight);
    }
    for (id, sights) in seats {
        let stored = games.load(id).await.unwrap().expect("a game was lost");
        let turns: Vec<Turn> = stored.turns.iter().map(|stored| stored.turn).collect();
        let has_left = stored.left.is_some();
        assert!(stored.is_finished, "a game that is over is not listed so");
        let table = Table::restore(stored).expect("what is stored can be played again");
        let conclusion = table.game().conclusion();
        assert!(sights.len() <= 2, "three at a table for two");
        for sight in &sights {
            assert!(
                turns.starts_with(&sight.turns),
                "{} saw {:?}, but the game was {:?}",
                sight.seat.0,
                sight.turns,
                turns
            );
            if let Some(verdict) = sight.verdict {
                assert_eq!(table.result(sight.seat), Some(verdict));
            }
        }
        if let [one, other] = sights[..] {
            assert_ne!(one.seat, other.seat, "two on one seat");
        }
        seen.games += 1;
        match conclusion.expect("a game has no end") {
            Conclusion::Draw => seen.draws += 1,
            Conclusion::Won { .. } if has_left => seen.leavings += 1,
            Conclusion::Won { .. } => seen.lines += 1,
            Conclusion::Abandoned => {}
        }
    }
}

/// Somebody who plays, more or less.
struct Client {
    house: Arc<House>,
    name: String,
    random: Random,
    seen: Seen,
}

impl Client {
    async fn live(mut self) -> (Vec<Sight>, Seen) {
        let mut sights = Vec::new();
        for _ in 0..WISHES {
            self.pause(100).await;
            let guest = match self.random.below(4) {
                0 => {
                    let strategy =
                        ["random", "first", "perfect", "minimax:2"][self.random.below(4)];
                    let strategy = strategy.parse().unwrap();
                    self.house
                        .against_robot(self.name.clone(), &strategy)
                        .unwrap()
                }
                _ => self.house.against_anybody(self.name.clone()),
            };
            sights.extend(self.play(guest).await);
        }
        (sights, self.seen)
    }

    /// One game, from the wish to its end or to the moment when the client has enough.
    async fn play(&mut self, mut guest: Guest) -> Option<Sight> {
        let patience = Duration::from_millis(50 + self.random.below(2_000) as u64);
        let seated = tokio::time::timeout(patience, guest.next()).await;
        let chair = match seated {
            Ok(Some(Notice::Seated(chair))) => chair,
            Ok(Some(other)) => panic!("the first notice was {other:?}"),
            // The store would not have it, or nobody came.
            Ok(None) | Err(_) => return None,
        };
        let mut sight = Sight {
            game: chair.game(),
            seat: chair.seat(),
            turns: Vec::new(),
            verdict: None,
        };
        loop {
            if self.random.below(40) == 0 {
                return Some(sight);
            }
            self.do_something(&chair, &sight);
            let patience = Duration::from_millis(10 + self.random.below(300) as u64);
            let Ok(notice) = tokio::time::timeout(patience, guest.next()).await else {
                continue;
            };
            match notice.expect("notices end before the game is over") {
                Notice::Seated(_) => panic!("seated twice"),
                Notice::Turned { number, turn } => {
                    sight.turns.push(turn);
                    assert_eq!(number, sight.turns.len(), "a turn was missed or told twice");
                }
                Notice::Refused(refused) => self.count(refused),
                Notice::Unavailable => self.seen.unavailable += 1,
                Notice::Over { verdict, .. } => {
                    sight.verdict = Some(verdict);
                    assert!(guest.next().await.is_none(), "more than one end");
                    return Some(sight);
                }
            }
        }
    }

    /// Mostly something sensible.
    fn do_something(&mut self, chair: &Chair, sight: &Sight) {
        let turn = sight.turns.len() + 1;
        let is_my_turn = sight.turns.len() % 2 == usize::from(sight.seat.0);
        let (turn, times) = match self.random.below(10) {
            0 => (turn, 1 + self.random.below(20)),
            1 => (self.random.below(12), 1),
            _ if is_my_turn => (turn, 1),
            _ => return,
        };
        for _ in 0..times {
            let action = match self.random.below(60) {
                0 => Action::Rewind(1),
                _ => Action::Play(Move::at(self.random.below(10))),
            };
            chair.act(action, turn);
        }
    }

    fn count(&mut self, refused: Refused) {
        match refused {
            Refused::Stale { .. } => self.seen.stale += 1,
            Refused::Rules(Refusal::Over) => {}
            Refused::Rules(_) => self.seen.refusals += 1,
        }
    }

    async fn pause(&mut self, most_ms: usize) {
        let pause = self.random.below(most_ms) as u64;
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}

/// A store that takes its time and sometimes does not answer.
struct Moody {
    games: Arc<Memory>,
    mood: Arc<Mutex<Mood>>,
}

enum Mood {
    Changing(Random),
    Good,
    Bad,
}

impl Moody {
    /// Asks the games, if in the mood: nothing happens before that is known.
    fn ask<'a, T: 'a>(
        &'a self,
        what: impl Future<Output = Result<T, StoreError>> + Send + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            self.is_in_the_mood().await?;
            what.await
        })
    }

    async fn is_in_the_mood(&self) -> Result<(), StoreError> {
        let (wait, fails) = match &mut *self.mood.lock().unwrap() {
            Mood::Changing(random) => (random.below(20), random.below(50) == 0),
            Mood::Good => (0, false),
            Mood::Bad => (0, true),
        };
        tokio::time::sleep(Duration::from_millis(wait as u64)).await;
        match fails {
            true => Err(StoreError("not today".to_owned())),
            false => Ok(()),
        }
    }
}

macro_rules! moody {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {
        impl Store for Moody {
            $(fn $name(&self, $($argument: $kind),*) -> Answer<'_, $answer> {
                self.ask(async move { self.games.$name($($argument),*).await })
            })*
        }
    };
}

moody! {
    create(game: NewGame) -> Created;
    created_with(key: String) -> Option<GameId>;
    sit(game: GameId, seat: Seat, sitting: Sitting) -> Appended;
    append(game: GameId, number: usize, turn: StoredTurn) -> Appended;
    leave(game: GameId, number: usize, leavers: Leavers) -> Appended;
    conclude(game: GameId, last: Last, ending: Ending) -> Appended;
    finish(game: GameId, ending: Ending) -> ();
    rematch(game: GameId, seat: Seat, next: Option<NewGame>) -> Appended;
    load(game: GameId) -> Option<StoredGame>;
    list(query: Query) -> Vec<Listed>;
    analysis(game: GameId) -> Option<String>;
    keep_analysis(game: GameId, analysis: String) -> ();
    secret() -> [u8; 32];
    renew(node: NodeId, lasts_ms: u64) -> Vec<NodeId>;
    tied_to(node: NodeId) -> Vec<(GameId, Leavers)>;
    bury(node: NodeId) -> ();
    forget(before_ms: u64) -> Vec<GameId>;
}
