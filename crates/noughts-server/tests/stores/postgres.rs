//! Additional properties of PostgreSQL: any number of nodes share one database, which may become unavailable
//! and return.

use std::sync::Arc;

use noughts_rules::Seat;
use noughts_server::{
    Append, Appended, Created, CreationKey, Deletion, GameId, Hint, LinkCreation, ListQuery,
    ListedGame, LogPosition, LogTail, Matches, NewGame, NodeId, PlayerId, Postgres, QuickMatch,
    Redemption, Reply, SeatSet, SecretHash, Store, StoreError, StoredGame, StoredPlayer, Summary,
    Sweep, WaitingCount, WaitingId, WaitingList,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::{ConnectOptions, PgConnection, postgres::PgConnectOptions, query};
use tokio::task::JoinSet;

use crate::PROPERTIES;
use crate::compare_with_memory;
use crate::games::{append, appended, created, game, loaded, play};
use crate::postgres_server::Server;
use crate::properties::{every, nodes_see_each_other_count, writes_are_counted};

async fn open(url: &str) -> Postgres {
    Postgres::open(url).await.expect("the database opens")
}

pub(crate) async fn raw(url: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().unwrap();
    options.connect().await.unwrap()
}

#[tokio::test]
async fn postgres_has_every_property() {
    let mut server = Server::start();
    for (name, property) in PROPERTIES {
        println!("{name}");
        let url = server.database(name);
        property(Arc::new(open(&url).await)).await;
    }
    let url = server.database("counts");
    writes_are_counted(Arc::new(open(&url).await)).await;
    let url = server.database("nodes");
    nodes_see_each_other_count(Arc::new(open(&url).await)).await;
}

/// Two nodes that are used alternately.
struct Both([Postgres; 2], std::sync::atomic::AtomicUsize);

impl Both {
    async fn open(url: &str) -> Both {
        // At once, so that both try to create the schema.
        let (one, other) = tokio::join!(open(url), open(url));
        Both([one, other], Default::default())
    }

    fn next(&self) -> &Postgres {
        let count = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        &self.0[count % 2]
    }
}

impl Store for Both {
    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created> {
        self.next().create(game, summary)
    }
    fn created_with(
        &self,
        key: CreationKey,
        now_ms: u64,
    ) -> Reply<'_, Option<(GameId, CreationKey)>> {
        self.next().created_with(key, now_ms)
    }
    fn append<'a>(&'a self, append: &'a Append) -> Reply<'a, Appended> {
        self.next().append(append)
    }
    fn load(&self, game: GameId) -> Reply<'_, Option<StoredGame>> {
        self.next().load(game)
    }
    fn entries_after(&self, game: GameId, after: u32) -> Reply<'_, Option<LogTail>> {
        self.next().entries_after(game, after)
    }
    fn import(&self, game: StoredGame, summary: Summary) -> Reply<'_, Created> {
        self.next().import(game, summary)
    }
    fn list(&self, query: ListQuery) -> Reply<'_, Vec<ListedGame>> {
        self.next().list(query)
    }
    fn analysis(&self, game: GameId) -> Reply<'_, Option<String>> {
        self.next().analysis(game)
    }
    fn store_analysis(&self, game: GameId, analysis: String) -> Reply<'_, ()> {
        self.next().store_analysis(game, analysis)
    }
    fn secret(&self) -> Reply<'_, [u8; 32]> {
        self.next().secret()
    }
    fn sweep(&self, node: NodeId, now_ms: u64, grace_ms: u64) -> Reply<'_, Sweep> {
        self.next().sweep(node, now_ms, grace_ms)
    }
    fn postpone(&self, game: GameId, before_ms: u64, deadline_ms: u64) -> Reply<'_, ()> {
        self.next().postpone(game, before_ms, deadline_ms)
    }
    fn seats_of_node(&self, node: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>> {
        self.next().seats_of_node(node)
    }
    fn remove_node(&self, node: NodeId) -> Reply<'_, ()> {
        self.next().remove_node(node)
    }
    fn forget(&self, before_ms: u64) -> Reply<'_, Vec<GameId>> {
        self.next().forget(before_ms)
    }
    fn check_writable(&self) -> Reply<'_, ()> {
        self.next().check_writable()
    }
    fn create_player(&self, player: StoredPlayer, token: SecretHash) -> Reply<'_, ()> {
        self.next().create_player(player, token)
    }
    fn player_of_token(&self, token: SecretHash) -> Reply<'_, Option<StoredPlayer>> {
        self.next().player_of_token(token)
    }
    fn players(&self, ids: Vec<PlayerId>) -> Reply<'_, Vec<StoredPlayer>> {
        self.next().players(ids)
    }
    fn rename_player(&self, player: PlayerId, name: String) -> Reply<'_, bool> {
        self.next().rename_player(player, name)
    }
    fn delete_player(&self, player: PlayerId) -> Reply<'_, Deletion> {
        self.next().delete_player(player)
    }
    fn revoke_other_tokens(&self, player: PlayerId, kept: SecretHash) -> Reply<'_, u64> {
        self.next().revoke_other_tokens(player, kept)
    }
    fn create_link(&self, player: PlayerId, code: SecretHash, at: u64) -> Reply<'_, LinkCreation> {
        self.next().create_link(player, code, at)
    }
    fn redeem_link(
        &self,
        code: SecretHash,
        token: SecretHash,
        now_ms: u64,
    ) -> Reply<'_, Redemption> {
        self.next().redeem_link(code, token, now_ms)
    }
    fn set_presence(&self, node: NodeId, seats: Vec<(GameId, SeatSet)>) -> Reply<'_, ()> {
        self.next().set_presence(node, seats)
    }
    fn match_waiting(&self, node: NodeId, list: WaitingList, now_ms: u64) -> Reply<'_, Matches> {
        self.next().match_waiting(node, list, now_ms)
    }
    fn quick_match(&self, id: WaitingId) -> Reply<'_, Option<QuickMatch>> {
        self.next().quick_match(id)
    }
    fn waiting_counts(&self) -> Reply<'_, Vec<WaitingCount>> {
        self.next().waiting_counts()
    }
    fn expire_players(&self, before_ms: u64, now_ms: u64) -> Reply<'_, usize> {
        self.next().expire_players(before_ms, now_ms)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_together_have_every_property() {
    let mut server = Server::start();
    for (name, property) in PROPERTIES {
        println!("{name}");
        let url = server.database(name);
        property(Arc::new(Both::open(&url).await)).await;
    }
    // The same entries from both, in batches: each is stored once, and there is no deadlock.
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
                all.spawn(async move { appended(&*store, id, number, play(0, 1)).await });
            }
        }
        let stored = all.join_all().await;
        let stored = stored.iter().filter(|one| **one == Appended::Stored);
        assert_eq!(stored.count(), games.len());
    }
    for id in games {
        assert_eq!(loaded(&*stores[1], id).await.entries.len(), 5);
    }
}

#[test]
fn postgres_replies_like_memory() {
    let server = std::cell::RefCell::new(Server::start());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(ProptestConfig {
        max_shrink_iters: 100,
        ..ProptestConfig::with_cases(16)
    });
    let count = std::cell::Cell::new(0);
    let compared = runner.run(&compare_with_memory::steps(), |steps| {
        runtime.block_on(async {
            count.set(count.get() + 1);
            let name = format!("case{}", count.get());
            let url = server.borrow_mut().database(&name);
            compare_with_memory::compare(&open(&url).await, &steps).await;
        });
        Ok(())
    });
    compared.unwrap();
}

#[tokio::test]
async fn store_works_again_after_an_outage() {
    let mut server = Server::start();
    let url = server.database("lost");
    let store = open(&url).await;
    let bus = store.bus(NodeId(1));
    let mut hints = bus.subscribe();
    assert_eq!(hints.next().await, Some(Hint::Missed));
    let id = created(&store, game(&["Ann", "Bob"])).await;
    let secret = store.secret().await;
    server.end();
    let turn = append(id, 1, [play(0, 0)]);
    let (appended, found, check) =
        tokio::join!(store.append(&turn), store.load(id), store.check_writable());
    let is_unavailable = |error: StoreError| matches!(error, StoreError::Unavailable(_));
    assert!(is_unavailable(appended.unwrap_err()));
    assert!(is_unavailable(found.unwrap_err()));
    assert!(is_unavailable(check.unwrap_err()));
    server.begin();
    assert_eq!(store.append(&turn).await, Ok(Appended::Stored));
    assert_eq!(store.check_writable().await, Ok(()));
    assert_eq!(loaded(&store, id).await.entries.len(), 1);
    // Subscribers get `Missed`: hints may have been lost.
    assert_eq!(hints.next().await, Some(Hint::Missed));
    drop((store, bus));
    assert_eq!(open(&url).await.secret().await, secret);
}

#[tokio::test]
async fn hints_reach_the_other_nodes() {
    let mut server = Server::start();
    let url = server.database("hints");
    let (one, other) = tokio::join!(open(&url), open(&url));
    let (here, there) = (one.bus(NodeId(1)), other.bus(NodeId(2)));
    let (mut heard_here, mut heard_there) = (here.subscribe(), there.subscribe());
    for hints in [&mut heard_here, &mut heard_there] {
        assert_eq!(hints.next().await, Some(Hint::Missed), "they listen");
    }
    let entry = |game, number| Hint::Entry {
        game: GameId::new(game),
        number,
    };
    // Many more than one notification holds.
    for number in 0..1_000 {
        here.publish(entry(number, 7));
    }
    let mut heard = Vec::new();
    while heard.len() < 1_000 {
        heard.push(heard_there.next().await.unwrap());
    }
    assert!((0..1_000).all(|number| heard.contains(&entry(number, 7))));
    // A node does not hear its own hints.
    let presence = Hint::Presence(GameId::new(5));
    there.publish(presence);
    assert_eq!(heard_here.next().await, Some(presence));
    // After connections were cut, hints may have been missed.
    query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    .execute(&mut raw(&url).await)
    .await
    .unwrap();
    assert_eq!(heard_there.next().await, Some(Hint::Missed));
    assert_eq!(heard_here.next().await, Some(Hint::Missed));
    here.publish(entry(6, 9));
    assert_eq!(heard_there.next().await, Some(entry(6, 9)));
}

#[tokio::test]
async fn presence_is_shared_between_nodes() {
    let mut server = Server::start();
    let url = server.database("presence");
    let store = open(&url).await;
    let (here, there, third) = (NodeId(1), NodeId(2), NodeId(3));
    let mut games = Vec::new();
    for _ in 0..3 {
        games.push(created(&store, game(&["Ann", "Bob"])).await);
    }
    assert_eq!(
        appended(&store, games[1], 1, play(0, 0)).await,
        Appended::Stored
    );
    let (first, second) = (SeatSet::only(Seat(0)), SeatSet::only(Seat(1)));
    let set = async |node, seats: &[(GameId, SeatSet)]| {
        store.set_presence(node, seats.to_vec()).await.unwrap();
    };
    let present = async |node| {
        let mut asked = games.clone();
        asked.push(GameId::new(7));
        let positions = store.positions(node, asked).await.unwrap();
        assert_eq!(positions.len(), 3, "only games that exist");
        let of = |id: &GameId| {
            let position = positions.iter().find(|position| position.game == *id);
            let LogPosition { entry, present, .. } = *position.unwrap();
            assert_eq!(entry, u32::from(*id == games[1]));
            present
        };
        games.iter().map(of).collect::<Vec<_>>()
    };
    let nobody = SeatSet::EMPTY;
    assert_eq!(present(here).await, [nobody; 3]);
    set(there, &[(games[0], first), (games[1], second)]).await;
    set(third, &[(games[0], second)]).await;
    let both = first.union(second);
    assert_eq!(present(here).await, [both, second, nobody]);
    assert_eq!(present(there).await, [second, nobody, nobody]);
    set(
        there,
        &[(games[0], nobody), (games[1], both), (games[2], first)],
    )
    .await;
    assert_eq!(present(here).await, [second, both, first]);
    store.remove_node(there).await.unwrap();
    assert_eq!(present(here).await, [second, nobody, nobody]);
}

#[tokio::test]
async fn unreadable_game_is_left_out() {
    let mut server = Server::start();
    let url = server.database("unreadable");
    let store = open(&url).await;
    let bad = created(&store, game(&["Ann@7", "Bob"])).await;
    let good = created(&store, game(&["Ann@7", "Bob"])).await;
    assert_eq!(appended(&store, bad, 1, play(0, 0)).await, Appended::Stored);
    let mut raw = raw(&url).await;
    for sql in [
        "UPDATE games SET seats = 'nonsense' WHERE id = $1",
        "UPDATE entries SET kind = 'mystery' WHERE game = $1",
    ] {
        let id = bad.number().to_be_bytes().to_vec();
        query(sql).bind(id).execute(&mut raw).await.unwrap();
    }
    let listed = store.list(every()).await.unwrap();
    assert_eq!(listed.iter().map(|one| one.id).collect::<Vec<_>>(), [good]);
    let seats = store.seats_of_node(NodeId(7)).await.unwrap();
    assert_eq!(seats, [(good, SeatSet::only(Seat(0)))]);
    let load = store.load(bad).await;
    assert!(matches!(load, Err(StoreError::Corrupt(_))), "{load:?}");
    let tail = store.entries_after(bad, 0).await;
    assert!(matches!(tail, Err(StoreError::Corrupt(_))), "{tail:?}");
    assert_eq!(store.forget(u64::MAX / 2).await.unwrap().len(), 2);
}

#[tokio::test]
async fn read_only_database_is_not_writable() {
    let mut server = Server::start();
    let url = server.database("standby");
    drop(open(&url).await);
    query("ALTER DATABASE standby SET default_transaction_read_only = on")
        .execute(&mut raw(&url).await)
        .await
        .unwrap();
    let store = open(&url).await;
    let check = store.check_writable().await;
    assert!(
        matches!(check, Err(StoreError::NotWritable(_))),
        "{check:?}"
    );
}

#[tokio::test]
async fn other_databases_are_refused_and_not_changed() {
    let mut server = Server::start();
    let url = server.database("newer");
    drop(open(&url).await);
    let mut newer = raw(&url).await;
    query("INSERT INTO schema_steps VALUES (1000)")
        .execute(&mut newer)
        .await
        .unwrap();
    let error = Postgres::open(&url).await.unwrap_err();
    let (schema, known) = (1000, 7);
    assert_eq!(error, StoreError::TooNew { schema, known });
    let url = server.database("other");
    let mut other = raw(&url).await;
    query("CREATE TABLE games (name text)")
        .execute(&mut other)
        .await
        .unwrap();
    let error = Postgres::open(&url).await.unwrap_err().to_string();
    assert!(error.contains("another program"), "{error}");
    let secret = "postgres://ann:sesame@localhost:1/nowhere";
    let error = Postgres::open(secret).await.unwrap_err().to_string();
    assert!(
        error.contains("cannot open") && !error.contains("sesame"),
        "{error}"
    );
    assert!(Postgres::open("postgres").await.is_err());
}
