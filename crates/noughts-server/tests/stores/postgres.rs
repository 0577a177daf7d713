//! What PostgreSQL promises beyond the laws: any number of processes on one database, which may go
//! away and come back.

use std::sync::Arc;

use noughts_rules::Seat;
use noughts_server::{
    Answer, Appended, Created, Ending, GameId, Last, Leavers, Listed, NewGame, News, NodeId,
    Postgres, Query, Sitting, Store, StoredGame, StoredTurn,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::{ConnectOptions, postgres::PgConnectOptions, query};
use tokio::task::JoinSet;

use crate::LAWS;
use crate::games::{created, game, loaded, play};
use crate::history;
use crate::laws::what_is_durable_is_counted;
use crate::leases::leases;
use crate::postgres_server::Server;

async fn open(url: &str) -> Postgres {
    Postgres::open(url).await.expect("the database opens")
}

#[tokio::test]
async fn postgres_keeps_the_laws() {
    let mut server = Server::start();
    for (name, law) in LAWS {
        println!("{name}");
        let url = server.database(name);
        law(Arc::new(open(&url).await)).await;
    }
    let url = server.database("figures");
    what_is_durable_is_counted(Arc::new(open(&url).await)).await;
    let url = server.database("leases");
    leases(&open(&url).await).await;
}

/// Two processes that are asked in turns.
struct Both([Postgres; 2], std::sync::atomic::AtomicUsize);

impl Both {
    async fn open(url: &str) -> Both {
        // At once, so that both would make the schema.
        let (one, other) = tokio::join!(open(url), open(url));
        Both([one, other], Default::default())
    }

    fn next(&self) -> &Postgres {
        let count = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        &self.0[count % 2]
    }
}

impl Store for Both {
    fn create(&self, game: NewGame) -> Answer<'_, Created> {
        self.next().create(game)
    }
    fn created_with(&self, key: String) -> Answer<'_, Option<GameId>> {
        self.next().created_with(key)
    }
    fn sit(&self, game: GameId, seat: Seat, sitter: Sitting) -> Answer<'_, Appended> {
        self.next().sit(game, seat, sitter)
    }
    fn append(&self, game: GameId, number: usize, turn: StoredTurn) -> Answer<'_, Appended> {
        self.next().append(game, number, turn)
    }
    fn leave(&self, game: GameId, number: usize, leavers: Leavers) -> Answer<'_, Appended> {
        self.next().leave(game, number, leavers)
    }
    fn conclude(&self, game: GameId, last: Last, ending: Ending) -> Answer<'_, Appended> {
        self.next().conclude(game, last, ending)
    }
    fn finish(&self, game: GameId, ending: Ending) -> Answer<'_, ()> {
        self.next().finish(game, ending)
    }
    fn rematch(&self, game: GameId, seat: Seat, next: Option<NewGame>) -> Answer<'_, Appended> {
        self.next().rematch(game, seat, next)
    }
    fn load(&self, game: GameId) -> Answer<'_, Option<StoredGame>> {
        self.next().load(game)
    }
    fn list(&self, query: Query) -> Answer<'_, Vec<Listed>> {
        self.next().list(query)
    }
    fn analysis(&self, game: GameId) -> Answer<'_, Option<String>> {
        self.next().analysis(game)
    }
    fn keep_analysis(&self, game: GameId, analysis: String) -> Answer<'_, ()> {
        self.next().keep_analysis(game, analysis)
    }
    fn secret(&self) -> Answer<'_, [u8; 32]> {
        self.next().secret()
    }
    fn renew(&self, node: NodeId, lasts_ms: u64) -> Answer<'_, Vec<NodeId>> {
        self.next().renew(node, lasts_ms)
    }
    fn tied_to(&self, node: NodeId) -> Answer<'_, Vec<(GameId, Leavers)>> {
        self.next().tied_to(node)
    }
    fn bury(&self, node: NodeId) -> Answer<'_, ()> {
        self.next().bury(node)
    }

    fn entries(&self, games: Vec<GameId>) -> Answer<'_, Vec<(GameId, usize)>> {
        self.next().entries(games)
    }

    fn archive(&self, game: StoredGame, ending: Ending) -> Answer<'_, Created> {
        self.next().archive(game, ending)
    }

    fn forget(&self, before_ms: u64) -> Answer<'_, Vec<GameId>> {
        self.next().forget(before_ms)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_keep_the_laws_together() {
    let mut server = Server::start();
    for (name, law) in LAWS {
        println!("{name}");
        let url = server.database(name);
        law(Arc::new(Both::open(&url).await)).await;
    }
    // The same turns from both, in batches: each is stored once, and nobody waits for ever.
    let url = server.database("batches");
    let stores = Both::open(&url).await.0.map(Arc::new);
    let mut games = Vec::new();
    for _ in 0..100 {
        games.push(created(&*stores[0], game(&["Ann", "Bob"])).await);
    }
    for number in 1..=5 {
        let mut all = JoinSet::new();
        for (at, id) in games.iter().copied().enumerate() {
            for store in [at % 2, 1 - at % 2].map(|which| Arc::clone(&stores[which])) {
                all.spawn(async move { store.append(id, number, play(0, number)).await.unwrap() });
            }
        }
        let stored = all.join_all().await;
        let stored = stored.iter().filter(|one| **one == Appended::Stored);
        assert_eq!(stored.count(), games.len());
    }
    for id in games {
        assert_eq!(loaded(&*stores[1], id).await.turns.len(), 5);
    }
}

#[test]
fn postgres_answers_as_memory_does() {
    let server = std::cell::RefCell::new(Server::start());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(ProptestConfig {
        max_shrink_iters: 100,
        ..ProptestConfig::with_cases(16)
    });
    let count = std::cell::Cell::new(0);
    let compared = runner.run(&history::steps(), |steps| {
        runtime.block_on(async {
            count.set(count.get() + 1);
            let name = format!("case{}", count.get());
            let url = server.borrow_mut().database(&name);
            history::compare(&open(&url).await, &steps).await;
        });
        Ok(())
    });
    compared.unwrap();
}

#[tokio::test]
async fn a_database_that_comes_back_is_used_again() {
    let mut server = Server::start();
    let url = server.database("lost");
    let store = open(&url).await;
    let bus = store.bus(NodeId(1));
    let mut hints = bus.subscribe();
    assert_eq!(hints.next().await, Some(News::Gap));
    let id = created(&store, game(&["Ann", "Bob"])).await;
    let secret = store.secret().await;
    server.end();
    let (appended, found) = tokio::join!(store.append(id, 1, play(0, 0)), store.load(id));
    assert!(appended.is_err() && found.is_err());
    server.begin();
    assert_eq!(store.append(id, 1, play(0, 0)).await, Ok(Appended::Stored));
    assert_eq!(loaded(&store, id).await.turns.len(), 1);
    // Whoever listens is told that something may have been missed.
    assert_eq!(hints.next().await, Some(News::Gap));
    drop((store, bus));
    assert_eq!(open(&url).await.secret().await, secret);
}

#[tokio::test]
async fn hints_go_to_the_others() {
    let mut server = Server::start();
    let url = server.database("hints");
    let (one, other) = tokio::join!(open(&url), open(&url));
    let (here, there) = (one.bus(NodeId(1)), other.bus(NodeId(2)));
    let (mut heard_here, mut heard_there) = (here.subscribe(), there.subscribe());
    for hints in [&mut heard_here, &mut heard_there] {
        assert_eq!(hints.next().await, Some(News::Gap), "they listen");
    }
    let at = |game, entries| News::At {
        game: GameId::new(game),
        entries,
    };
    // Many more than one notification holds.
    for number in 0..1_000 {
        here.publish(GameId::new(number), 7);
    }
    let mut heard = Vec::new();
    while heard.len() < 1_000 {
        heard.push(heard_there.next().await.unwrap());
    }
    assert!((0..1_000).all(|number| heard.contains(&at(number, 7))));
    // And what this process said itself is not what it hears first.
    there.publish(GameId::new(5), 8);
    assert_eq!(heard_here.next().await, Some(at(5, 8)));
    // Connections that are cut are a gap.
    let options: PgConnectOptions = url.parse().unwrap();
    let mut raw = options.connect().await.unwrap();
    query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    .execute(&mut raw)
    .await
    .unwrap();
    assert_eq!(heard_there.next().await, Some(News::Gap));
    assert_eq!(heard_here.next().await, Some(News::Gap));
    here.publish(GameId::new(6), 9);
    assert_eq!(heard_there.next().await, Some(at(6, 9)));
}

#[tokio::test]
async fn what_can_not_be_opened_is_told_in_a_sentence() {
    let mut server = Server::start();
    let url = server.database("newer");
    drop(open(&url).await);
    let options: PgConnectOptions = url.parse().unwrap();
    let mut raw = options.connect().await.unwrap();
    query("INSERT INTO schema_steps VALUES (1000)")
        .execute(&mut raw)
        .await
        .unwrap();
    let error = Postgres::open(&url).await.unwrap_err().to_string();
    assert!(error.contains("newer") && error.contains("1000"), "{error}");
    let secret = "postgres://ann:sesame@localhost:1/nowhere";
    let error = Postgres::open(secret).await.unwrap_err().to_string();
    assert!(
        error.contains("can't be opened") && !error.contains("sesame"),
        "{error}"
    );
    assert!(Postgres::open("postgres").await.is_err());
}
