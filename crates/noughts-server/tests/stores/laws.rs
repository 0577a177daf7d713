//! The laws, one function each.

use std::sync::Arc;

use noughts_rules::{Action, By, Conclusion, Seat, Side, Sides};
use noughts_server::{
    Appended, Created, Ending, GameId, Holder, Last, Leavers, NewGame, NodeId, Query, Sitting,
    Status, Store, StoreFigures,
};
use tokio::task::JoinSet;

use crate::games::{acted, created, game, game_of, key, keyed, loaded, play, sitting};

/// How many are first, of so many that try at once.
async fn winners<T: Send + 'static>(
    tries: impl Iterator<Item = T>,
    act: impl AsyncTry<T>,
) -> usize {
    let mut all = JoinSet::new();
    for one in tries {
        all.spawn(act.clone().attempt(one));
    }
    let results = all.join_all().await;
    results.iter().filter(|r| **r == Appended::Stored).count()
}

/// Something that several try at once.
trait AsyncTry<T>: Clone {
    fn attempt(self, one: T) -> impl Future<Output = Appended> + Send + 'static;
}

impl<T, F, R> AsyncTry<T> for F
where
    F: Fn(T) -> R + Clone,
    R: Future<Output = Appended> + Send + 'static,
{
    fn attempt(self, one: T) -> impl Future<Output = Appended> + Send + 'static {
        self(one)
    }
}

fn ending(conclusion: Conclusion, at_ms: u64) -> Ending {
    Ending { conclusion, at_ms }
}

fn every() -> Query {
    Query {
        variant: None,
        player: None,
        status: None,
        before: None,
        limit: 1_000,
    }
}

async fn ids(store: &dyn Store, query: Query) -> Vec<GameId> {
    let listed = store.list(query).await.unwrap();
    listed.into_iter().map(|listed| listed.id).collect()
}

pub(crate) async fn a_game_is_loaded_as_it_was_created(store: Arc<dyn Store>) {
    let variants = [
        "3x3k3",
        "7x6k4+gravity",
        "4x4k3p3+misere",
        "multi@4",
        "ultimate",
        "255x255k5",
    ];
    for variant in variants {
        let mut new = keyed(game_of(variant, &["Ann", "robot", "link"], 5), variant);
        new.setting.history = 3;
        let position = noughts_rules::Game::new(&new.setting.variant, Default::default()).unwrap();
        new.setting.start = Some(position.diagram());
        let id = created(&*store, new.clone()).await;
        let stored = loaded(&*store, id).await;
        assert_eq!((stored.setting, stored.key), (new.setting, new.key));
        assert!(stored.sat.is_empty() && stored.turns.is_empty() && stored.again.is_empty());
        assert_eq!((stored.left, stored.rematch), (None, None));
    }
    let strange = [
        "",
        " ",
        "two\nlines",
        "\\n",
        "\r",
        "a\0b",
        "😀",
        "'; DROP TABLE games; --",
    ];
    let id = created(&*store, game(&strange)).await;
    let names = loaded(&*store, id).await.setting.holders;
    assert_eq!(names, game(&strange).setting.holders);
}

pub(crate) async fn a_repeated_key_creates_nothing(store: Arc<dyn Store>) {
    let first = keyed(game(&["Ann", "robot"]), "once");
    let id = first.setting.id;
    let created_with = async |text: &str| store.created_with(text.to_owned()).await;
    assert_eq!(created_with("once").await, Ok(None));
    assert_eq!(store.create(first.clone()).await, Ok(Created::Stored));
    assert_eq!(created_with("once").await, Ok(Some(id)));
    assert_eq!(created_with("many").await, Ok(None));
    for again in [first, keyed(game(&["Bob", "robot"]), "once")] {
        let other = again.setting.id;
        assert_eq!(store.create(again).await, Ok(Created::Before(id)));
        assert_eq!(store.load(other).await.unwrap().is_some(), other == id);
    }
    // Of many at once with one key one is created, and all are told which.
    let mut all = JoinSet::new();
    for _ in 0..20 {
        let store = Arc::clone(&store);
        all.spawn(async move {
            let new = keyed(game(&["Ann", "robot"]), "many");
            let id = new.setting.id;
            match store.create(new).await.unwrap() {
                Created::Stored => (id, true),
                Created::Before(id) => (id, false),
            }
        });
    }
    let told = all.join_all().await;
    assert!(told.iter().all(|(id, _)| *id == told[0].0), "{told:?}");
    assert_eq!(told.iter().filter(|(_, stored)| *stored).count(), 1);
}

pub(crate) async fn one_of_many_gets_a_seat(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "lobby", "link"])).await;
    for seat in [1, 2] {
        let shared = Arc::clone(&store);
        let sit = move |number: u64| {
            let store = Arc::clone(&shared);
            async move {
                let who = Sitting {
                    node: number.is_multiple_of(2).then_some(NodeId(number)),
                    key: Some(key("k")),
                    ..sitting(&format!("guest {number}"))
                };
                store.sit(id, Seat(seat), who).await.unwrap()
            }
        };
        assert_eq!(winners(0..20, sit).await, 1);
    }
    let stored = loaded(&*store, id).await;
    let seats: Vec<u8> = stored.sat.iter().map(|(seat, _)| seat.0).collect();
    assert_eq!(seats, [1, 2]);
    assert_eq!(stored.sat[0].1.key, Some(key("k")));
}

pub(crate) async fn seats_that_are_not_open_are_taken(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "robot"])).await;
    for seat in [0, 1, 2, 255] {
        let sat = store.sit(id, Seat(seat), sitting("Bob")).await;
        assert_eq!(sat, Ok(Appended::Taken));
    }
    let over = created(&*store, game(&["Ann", "lobby"])).await;
    let left = store.leave(over, 0, Leavers::one(Seat(0))).await;
    assert_eq!(left, Ok(Appended::Stored));
    let sat = store.sit(over, Seat(1), sitting("Bob")).await;
    assert_eq!(sat, Ok(Appended::Taken));
}

pub(crate) async fn turns_come_in_order_and_once(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    let turns = [
        play(0, 4),
        play(1, 0),
        acted(0, Action::Rewind(2)),
        acted(1, Action::Resign),
    ];
    let append =
        async |number, turn: &_| store.append(id, number, Clone::clone(turn)).await.unwrap();
    assert_eq!(append(2, &turns[0]).await, Appended::Taken);
    assert_eq!(append(0, &turns[0]).await, Appended::Taken);
    for (number, turn) in (1..).zip(&turns) {
        assert_eq!(append(number + 1, turn).await, Appended::Taken);
        assert_eq!(append(number, turn).await, Appended::Stored);
        assert_eq!(append(number, &play(0, 8)).await, Appended::Taken);
    }
    assert_eq!(append(usize::MAX, &turns[0]).await, Appended::Taken);
    assert_eq!(loaded(&*store, id).await.turns, turns);
}

pub(crate) async fn a_key_is_used_once_a_seat(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    let with = |turn: noughts_server::StoredTurn, text: &str| noughts_server::StoredTurn {
        key: Some(key(text)),
        ..turn
    };
    let append = async |number, turn| store.append(id, number, turn).await.unwrap();
    assert_eq!(append(1, with(play(0, 0), "a")).await, Appended::Stored);
    assert_eq!(append(2, with(play(0, 1), "a")).await, Appended::Taken);
    assert_eq!(append(2, with(play(1, 1), "a")).await, Appended::Stored);
    assert_eq!(append(3, with(play(0, 2), "b")).await, Appended::Stored);
    let stored = loaded(&*store, id).await;
    assert_eq!(stored.turns[2], with(play(0, 2), "b"));
    // Another game's keys are its own.
    let other = created(&*store, game(&["Ann", "Bob"])).await;
    let appended = store.append(other, 1, with(play(0, 0), "a")).await;
    assert_eq!(appended, Ok(Appended::Stored));
}

pub(crate) async fn nothing_follows_after_somebody_left(store: Arc<dyn Store>) {
    let both = Leavers::one(Seat(0)).and(Seat(1));
    for after in [0, 2] {
        let id = created(&*store, game(&["Ann", "Bob"])).await;
        for number in 1..=after {
            store.append(id, number, play(0, number)).await.unwrap();
        }
        let leave = async |number| store.leave(id, number, both).await.unwrap();
        assert_eq!(leave(after + 1).await, Appended::Taken);
        assert_eq!(leave(after).await, Appended::Stored);
        assert_eq!(leave(after).await, Appended::Taken);
        for number in after..after + 3 {
            let appended = store.append(id, number, play(1, 8)).await;
            assert_eq!(appended, Ok(Appended::Taken), "turn {number} after {after}");
            assert_eq!(leave(number).await, Appended::Taken);
        }
        let stored = loaded(&*store, id).await;
        assert_eq!((stored.turns.len(), stored.left), (after, Some(both)));
    }
    // Of a turn and somebody who leaves instead one is first.
    for _ in 0..20 {
        let id = created(&*store, game(&["Ann", "Bob"])).await;
        let (turned, left) =
            tokio::join!(store.append(id, 1, play(0, 0)), store.leave(id, 0, both));
        assert_ne!(turned.unwrap(), left.unwrap());
    }
}

pub(crate) async fn one_of_many_appends_each_turn(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    let mut won = Vec::new();
    for number in 1..=20 {
        let shared = Arc::clone(&store);
        let append = move |cell| {
            let store = Arc::clone(&shared);
            async move { store.append(id, number, play(0, cell)).await.unwrap() }
        };
        assert_eq!(winners(0..9, append).await, 1);
        won.push(number);
        assert_eq!(loaded(&*store, id).await.turns.len(), won.len());
    }
}

pub(crate) async fn turns_of_many_games_are_all_kept(store: Arc<dyn Store>) {
    let mut players = JoinSet::new();
    for _ in 0..100 {
        let store = Arc::clone(&store);
        players.spawn(async move {
            let id = created(&*store, game(&["Ann", "Bob"])).await;
            for number in 1..=9 {
                let turn = play((number % 2) as u8, number - 1);
                let appended = store.append(id, number, turn).await;
                assert_eq!(appended, Ok(Appended::Stored));
            }
            let draw = ending(Conclusion::Draw, 9);
            store.finish(id, draw).await.unwrap();
            id
        });
    }
    for id in players.join_all().await {
        assert_eq!(loaded(&*store, id).await.turns.len(), 9);
    }
    let over = Query {
        status: Some(Status::Over),
        ..every()
    };
    assert_eq!(ids(&*store, over).await.len(), 100);
}

pub(crate) async fn a_game_ends_once(store: Arc<dyn Store>) {
    let id = created(&*store, game_of("multi@4", &["Ann", "Bob"], 1)).await;
    let won = Conclusion::Won {
        sides: Sides::only(Side::SECOND),
        by: By::Points,
    };
    for conclusion in [won.clone(), Conclusion::Draw, Conclusion::Abandoned] {
        store.finish(id, ending(conclusion, 77)).await.unwrap();
    }
    let listed = store.list(every()).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].ending, Some(ending(won, 77)));
    assert_eq!(listed[0].status, Status::Over);
    assert_eq!(
        store
            .finish(GameId::new(1), ending(Conclusion::Draw, 1))
            .await,
        Ok(())
    );
}

pub(crate) async fn an_end_comes_with_its_last_turn(store: Arc<dyn Store>) {
    let listed = async |id| {
        let listed = store.list(every()).await.unwrap();
        let listed = listed.into_iter().find(|listed| listed.id == id).unwrap();
        assert_eq!(
            loaded(&*store, id).await.is_finished,
            listed.ending.is_some()
        );
        (listed.status, listed.ending)
    };
    let draw = ending(Conclusion::Draw, 9);
    let lasts = [
        Last::Turn(2, play(1, 8)),
        Last::Leave(1, Leavers::one(Seat(1))),
    ];
    for last in lasts {
        let id = created(&*store, game(&["Ann", "Bob"])).await;
        let conclude = async || store.conclude(id, last.clone(), draw.clone()).await;
        // What is not stored ends nothing.
        assert_eq!(conclude().await, Ok(Appended::Taken));
        assert_eq!(listed(id).await, (Status::Playing, None));
        store.append(id, 1, play(0, 4)).await.unwrap();
        assert_eq!(conclude().await, Ok(Appended::Stored));
        assert_eq!(listed(id).await, (Status::Over, Some(draw.clone())));
        assert_eq!(conclude().await, Ok(Appended::Taken));
        let stored = loaded(&*store, id).await;
        assert_eq!(stored.turns.len() + usize::from(stored.left.is_some()), 2);
        let missing = store.conclude(GameId::new(1), last, draw.clone()).await;
        assert!(missing.is_err());
    }
    // Of many that would end it one does, and it is listed as that one says.
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    let shared = Arc::clone(&store);
    let conclude = move |cell: u64| {
        let store = Arc::clone(&shared);
        let last = Last::Turn(1, play(0, cell as usize));
        async move {
            let ending = ending(Conclusion::Draw, cell);
            store.conclude(id, last, ending).await.unwrap()
        }
    };
    assert_eq!(winners(0..9, conclude).await, 1);
    let turn = loaded(&*store, id).await.turns[0].turn;
    let ended_ms = listed(id).await.1.unwrap().at_ms;
    assert_eq!(turn, play(0, ended_ms as usize).turn);
}

/// Of stores that write for many at once; the one in memory has nothing to tell.
pub(crate) async fn what_is_durable_is_counted(store: Arc<dyn Store>) {
    let before = store.figures();
    let id = created(&*store, game(&["Ann", "lobby"])).await;
    store.sit(id, Seat(1), sitting("Bob")).await.unwrap();
    let alone = store.figures();
    let since = |now: StoreFigures, then: StoreFigures| {
        assert!(now.took_us > then.took_us);
        (now.batches - then.batches, now.writes - then.writes)
    };
    assert_eq!(since(alone, before), (2, 2));
    let mut all = JoinSet::new();
    for _ in 0..100 {
        let store = Arc::clone(&store);
        all.spawn(async move { created(&*store, game(&["Ann", "Bob"])).await });
    }
    all.join_all().await;
    let (batches, writes) = since(store.figures(), alone);
    assert_eq!(writes, 100);
    assert!(
        (1..100).contains(&batches),
        "{batches} commits for a hundred"
    );
}

pub(crate) async fn one_of_many_makes_the_rematch(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob", "Cyd"])).await;
    for _ in 0..2 {
        let wished = store.rematch(id, Seat(2), None).await;
        assert_eq!(wished, Ok(Appended::Stored));
    }
    let nexts: Vec<NewGame> = (0..10).map(|_| game(&["Bob", "Cyd", "Ann"])).collect();
    let shared = Arc::clone(&store);
    let wish = move |(seat, next)| {
        let store = Arc::clone(&shared);
        async move { store.rematch(id, Seat(seat), Some(next)).await.unwrap() }
    };
    let wishes: Vec<(u8, NewGame)> = (0..10).map(|n| n % 2).zip(nexts.clone()).collect();
    assert_eq!(winners(wishes.into_iter(), wish).await, 1);
    let stored = loaded(&*store, id).await;
    assert_eq!(stored.again.len(), 2);
    assert!(stored.again.contains(&Seat(2)));
    for next in nexts {
        let there = store.load(next.setting.id).await.unwrap();
        assert_eq!(there.is_some(), stored.rematch == Some(next.setting.id));
    }
    let late = store.rematch(id, Seat(1), None).await;
    assert_eq!(late, Ok(Appended::Taken));
}

pub(crate) async fn a_missing_game_is_an_error_or_nothing(store: Arc<dyn Store>) {
    let id = game(&[]).setting.id;
    assert_eq!(store.load(id).await, Ok(None));
    assert_eq!(store.analysis(id).await, Ok(None));
    assert!(store.append(id, 1, play(0, 0)).await.is_err());
    assert!(store.leave(id, 0, Leavers::one(Seat(0))).await.is_err());
    assert!(store.sit(id, Seat(0), sitting("Ann")).await.is_err());
    assert!(store.rematch(id, Seat(0), None).await.is_err());
    assert!(store.keep_analysis(id, "good".to_owned()).await.is_err());
    // And who asks beside somebody who is wrong is answered as ever.
    let there = created(&*store, game(&["Ann", "Bob"])).await;
    let (wrong, right) = tokio::join!(
        store.append(id, 1, play(0, 0)),
        store.append(there, 1, play(0, 0))
    );
    assert!(wrong.is_err());
    assert_eq!(right, Ok(Appended::Stored));
}

pub(crate) async fn an_analysis_is_kept_once(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    assert_eq!(store.analysis(id).await, Ok(None));
    for text in ["first\nof two lines", "second"] {
        store.keep_analysis(id, text.to_owned()).await.unwrap();
    }
    let kept = store.analysis(id).await.unwrap();
    assert_eq!(kept.as_deref(), Some("first\nof two lines"));
}

pub(crate) async fn a_link_is_not_listed_until_it_is_full(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "lobby", "link"])).await;
    assert_eq!(ids(&*store, every()).await, []);
    store.sit(id, Seat(2), sitting("Bob")).await.unwrap();
    let status = async || store.list(every()).await.unwrap()[0].status;
    assert_eq!(status().await, Status::Waiting);
    store.sit(id, Seat(1), sitting("Cyd")).await.unwrap();
    assert_eq!(status().await, Status::Playing);
    for name in ["Ann", "Bob", "Cyd", "Dan"] {
        let query = Query {
            player: Some(name.to_owned()),
            ..every()
        };
        let found = ids(&*store, query).await;
        assert_eq!(found.is_empty(), name == "Dan", "{name}");
    }
    let listed = store.list(every()).await.unwrap();
    let human = |holder: &Holder| matches!(holder, Holder::Human { .. });
    assert!(listed[0].holders.iter().all(human));
}

pub(crate) async fn pages_follow_one_another(store: Arc<dyn Store>) {
    let variants = ["3x3k3", "multi", "multi@3", "4x4k4"];
    let holders = [
        ["Ann", "robot"],
        ["Ann", "Ann"],
        ["Bob", "lobby"],
        ["lobby", "link"],
    ];
    for number in 0..48 {
        // Several are of the same moment.
        let new = game_of(
            variants[number % 4],
            &holders[number / 4 % 4],
            number as u64 / 5,
        );
        let id = created(&*store, new).await;
        if number % 3 == 0 {
            store
                .finish(id, ending(Conclusion::Abandoned, 50))
                .await
                .unwrap();
        }
    }
    let all = store.list(every()).await.unwrap();
    assert!(all.is_sorted_by_key(|listed| std::cmp::Reverse((listed.created_ms, listed.id))));
    let statuses = [
        None,
        Some(Status::Waiting),
        Some(Status::Playing),
        Some(Status::Over),
    ];
    for status in statuses {
        for player in [None, Some("Ann"), Some("Bob"), Some("")] {
            for variant in [None, Some("multi"), Some("3x3k3"), Some("multi@3")] {
                let query = Query {
                    variant: variant.map(|name| name.parse().unwrap()),
                    player: player.map(str::to_owned),
                    status,
                    before: None,
                    limit: 4,
                };
                let wanted = all.iter().filter(|listed| query.wants(listed));
                let wanted: Vec<_> = wanted.cloned().collect();
                assert_eq!(turned(&*store, query).await, wanted);
            }
        }
    }
}

/// Every page of a list, one after the other.
async fn turned(store: &dyn Store, mut query: Query) -> Vec<noughts_server::Listed> {
    let mut found = Vec::new();
    loop {
        let page = store.list(query.clone()).await.unwrap();
        assert!(page.len() <= query.limit);
        let Some(last) = page.last() else {
            return found;
        };
        query.before = Some((last.created_ms, last.id));
        found.extend(page);
    }
}

pub(crate) async fn the_secret_stays(store: Arc<dyn Store>) {
    let secret = store.secret().await.unwrap();
    assert_eq!(store.secret().await, Ok(secret));
    assert_ne!(secret, [0; 32]);
}

pub(crate) async fn entries_count_what_shows(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "lobby"])).await;
    let count = async || loaded(&*store, id).await.entries();
    assert_eq!(count().await, 0);
    store.sit(id, Seat(1), sitting("Bob")).await.unwrap();
    assert_eq!(count().await, 1);
    store.append(id, 1, play(0, 4)).await.unwrap();
    assert_eq!(count().await, 2);
    store.leave(id, 1, Leavers::one(Seat(0))).await.unwrap();
    assert_eq!(count().await, 3);
    store.finish(id, ending(Conclusion::Draw, 9)).await.unwrap();
    assert_eq!(count().await, 3, "how it ended follows from the rest");
    store.rematch(id, Seat(0), None).await.unwrap();
    let next = game(&["Bob", "Ann"]);
    store.rematch(id, Seat(1), Some(next)).await.unwrap();
    assert_eq!(count().await, 6);
    let told = store.entries(vec![id, GameId::new(7)]).await.unwrap();
    // Only stores that processes share need answer.
    assert!(told.is_empty() || told == [(id, 6)], "{told:?}");
}

pub(crate) async fn what_is_old_is_forgotten(store: Arc<dyn Store>) {
    let over = created(&*store, game_of("3x3k3", &["Ann", "lobby"], 10)).await;
    store.sit(over, Seat(1), sitting("Bob")).await.unwrap();
    store.append(over, 1, play(0, 4)).await.unwrap();
    store.rematch(over, Seat(0), None).await.unwrap();
    store
        .finish(over, ending(Conclusion::Draw, 20))
        .await
        .unwrap();
    store.keep_analysis(over, "fine".to_owned()).await.unwrap();
    let key = keyed(game_of("3x3k3", &["Ann", "link"], 10), "a key");
    let unplayed = created(&*store, key.clone()).await;
    let ended_late = created(&*store, game_of("3x3k3", &["Ann", "Bob"], 10)).await;
    store
        .finish(ended_late, ending(Conclusion::Draw, 30))
        .await
        .unwrap();
    // Its turn is of a later time.
    let played = created(&*store, game_of("3x3k3", &["Ann", "Bob"], 10)).await;
    store.append(played, 1, play(0, 4)).await.unwrap();
    let young = created(&*store, game_of("3x3k3", &["Ann", "lobby"], 30)).await;
    let mut forgotten = Vec::new();
    loop {
        match store.forget(30).await.unwrap() {
            games if games.is_empty() => break,
            games => forgotten.extend(games),
        }
    }
    let mut old = [over, unplayed];
    forgotten.sort_unstable();
    old.sort_unstable();
    assert_eq!(forgotten, old);
    assert_eq!(store.created_with("a key".to_owned()).await, Ok(None));
    for id in [over, unplayed] {
        assert_eq!(store.load(id).await, Ok(None));
    }
    assert_eq!(store.analysis(over).await, Ok(None));
    for id in [ended_late, played, young] {
        loaded(&*store, id).await;
    }
    let of_ann = Query {
        player: Some("Ann".to_owned()),
        ..every()
    };
    let mut listed = ids(&*store, of_ann).await;
    let mut left = vec![ended_late, played, young];
    listed.sort_unstable();
    left.sort_unstable();
    assert_eq!(listed, left);
    // A key of what is forgotten is free again.
    let again = game_of("3x3k3", &["Ann", "link"], 40);
    let again = NewGame {
        key: key.key,
        ..again
    };
    assert_eq!(store.create(again).await, Ok(Created::Stored));
}

pub(crate) async fn an_archived_game_is_there_as_if_it_had_been_played(store: Arc<dyn Store>) {
    for text in [
        "noughts 1\nvariant multi\nhistory 3\nseat 0 x human Ann\nseat 1 o robot level:3\n\
         1 0 4-0\n2 1 0-2\n3 0 <<1\n4 1 0-8\n5 0 resign\nresult won o by resignation\n",
        "noughts 1\nvariant 7x6k4+gravity\nhistory 0\nseat 0 x human Ann\nseat 1 o human Bob\n\
         1 0 5-3\nresult won x by leaving\n",
        "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o human Bob\n\
         1 0 0-0\n2 1 1-1\n3 0 0-1\n4 1 2-2\n5 0 0-2\nresult won x by line\n",
    ] {
        let record = noughts_rules::Record::read(text).unwrap();
        let id = game(&["Ann", "Bob"]).setting.id;
        let (mut archived, ending) = noughts_server::stored_from(&record, id, 7).unwrap();
        archived.key = Some(key(text.lines().nth(1).unwrap()));
        for expected in [Created::Stored, Created::Before(id)] {
            let created = store.archive(archived.clone(), ending.clone()).await;
            assert_eq!(created, Ok(expected));
        }
        let stored = loaded(&*store, id).await;
        assert_eq!(stored, archived);
        let table = noughts_server::Table::restore(stored).unwrap();
        let again = noughts_server::record_of(&table).unwrap();
        assert_eq!(again.to_string(), text);
        let listed = store.list(every()).await.unwrap();
        let listed = listed.iter().find(|listed| listed.id == id).unwrap();
        assert_eq!(
            (listed.status, listed.ending.as_ref()),
            (Status::Over, Some(&ending))
        );
    }
}
