//! The properties of every store, one function per property.

use std::sync::Arc;

use noughts_rules::{Action, Conclusion, Seat, Side, Sides, WinReason};
use noughts_server::{
    ATTENDED_MS, Append, Appended, Created, EndReason, Entry, GameId, Holder, KEY_LIFETIME_MS,
    ListQuery, LogEntry, LogTail, NewGame, NodeId, Offer, PlayerFilter, SeatSet, Status, Store,
    StoredGame, Summary, TOO_LONG, Table, WriteCounts,
};
use tokio::task::JoinSet;

use crate::games::{
    CREATED_MS, append, appended, created, creation_key, game, game_of, holder, key, keyed, loaded,
    logged, over, play, seated, summary, turn,
};

pub(crate) use crate::waiting::quick_matches_are_paired_once;

pub(crate) use crate::players::{
    a_link_code_gives_one_token, a_player_is_found_by_its_token, a_renamed_player_keeps_its_token,
    players_without_games_expire, running_games_of_a_player_are_listed,
};

pub(crate) fn every() -> ListQuery {
    ListQuery::all(1_000)
}

async fn ids(store: &dyn Store, query: ListQuery) -> Vec<GameId> {
    let listed = store.list(query).await.unwrap();
    listed.into_iter().map(|listed| listed.id).collect()
}

/// How many of these simultaneous appends are stored.
async fn stored_of(store: &Arc<dyn Store>, appends: Vec<Append>) -> usize {
    let mut all = JoinSet::new();
    for append in appends {
        let store = Arc::clone(store);
        all.spawn(async move { store.append(&append).await.unwrap() });
    }
    let outcomes = all.join_all().await;
    let is_stored = |outcome: &&Appended| **outcome == Appended::Stored;
    outcomes.iter().filter(is_stored).count()
}

pub(crate) async fn a_game_loads_as_it_was_created(store: Arc<dyn Store>) {
    let variants = [
        "3x3k3",
        "7x6k4+gravity",
        "4x4k3p3+misere",
        "multi@4",
        "ultimate",
        "255x255k5",
    ];
    for variant in variants {
        let game = game_of(variant, &["Ann", "robot", "link"], 5);
        let mut new = keyed(game, "scope", variant);
        new.settings.history = 3;
        let position = noughts_rules::Game::new(&new.settings.variant, Default::default()).unwrap();
        new.settings.start = Some(position.diagram());
        let id = created(&*store, new.clone()).await;
        let expected = StoredGame {
            settings: new.settings,
            key: new.key,
            entries: vec![],
        };
        assert_eq!(loaded(&*store, id).await, expected);
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
    let names = loaded(&*store, id).await.settings.holders;
    assert_eq!(names, game(&strange).settings.holders);
}

pub(crate) async fn every_kind_of_entry_loads_as_it_was_stored(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "lobby", "link"])).await;
    let with_key = |entry, text: &str| LogEntry {
        key: Some(Box::new(key(text))),
        ..logged(entry)
    };
    let entries = vec![
        with_key(seated(1, "Bo\nb"), "seat"),
        logged(seated(2, "Cyd@18446744073709551615")),
        with_key(play(0, 8), "turn"),
        logged(turn(1, Action::Rewind(1))),
        logged(turn(2, Action::Resign)),
        logged(Entry::Ended {
            reason: EndReason::Leaving,
            seats: SeatSet::only(Seat(0)).with(Seat(2)),
        }),
        logged(Entry::Offered {
            seat: Seat(1),
            offer: Offer::Rematch,
        }),
        LogEntry {
            at_ms: u64::from(u32::MAX) * 1_000,
            ..logged(Entry::RematchCreated(GameId::new(u128::MAX)))
        },
    ];
    for (first, some) in [(1, &entries[..3]), (4, &entries[3..])] {
        let append = Append {
            entries: some.to_vec(),
            ..append(id, first, [])
        };
        assert_eq!(store.append(&append).await, Ok(Appended::Stored));
    }
    assert_eq!(loaded(&*store, id).await.entries, entries);
    for after in 0..=entries.len() as u32 + 1 {
        let tail = LogTail {
            last: entries.len() as u32,
            entries: entries.iter().skip(after as usize).cloned().collect(),
        };
        assert_eq!(store.entries_after(id, after).await, Ok(Some(tail)));
    }
}

pub(crate) async fn a_creation_key_creates_one_game(store: Arc<dyn Store>) {
    let first = keyed(game(&["Ann", "robot"]), "a", "once");
    let id = first.settings.id;
    let created_with = async |scope: &str, text: &str| {
        let key = creation_key(scope, text);
        store.created_with(key, CREATED_MS).await.unwrap()
    };
    assert_eq!(created_with("a", "once").await, None);
    created(&*store, first.clone()).await;
    let found = Some((id, creation_key("a", "once")));
    assert_eq!(created_with("a", "once").await, found);
    assert_eq!(created_with("a", "many").await, None);
    assert_eq!(created_with("b", "once").await, None);
    for again in [first, keyed(game(&["Bob", "robot"]), "a", "once")] {
        let (other, summary) = (again.settings.id, summary(&again.settings.holders));
        let created = store.create(again, summary).await;
        assert_eq!(
            created,
            Ok(Created::Existing(id, creation_key("a", "once")))
        );
        assert_eq!(store.load(other).await.unwrap().is_some(), other == id);
    }
    // Another scope has its own keys.
    let other = created(&*store, keyed(game(&["Bob", "robot"]), "b", "once")).await;
    let found = Some((other, creation_key("b", "once")));
    assert_eq!(created_with("b", "once").await, found);
    // Of many simultaneous requests with one key, one creates the game, and all get its id.
    let mut all = JoinSet::new();
    for _ in 0..20 {
        let store = Arc::clone(&store);
        all.spawn(async move {
            let new = keyed(game(&["Ann", "robot"]), "a", "many");
            let (id, summary) = (new.settings.id, summary(&new.settings.holders));
            match store.create(new, summary).await.unwrap() {
                Created::Stored => (id, true),
                Created::Existing(id, _) => (id, false),
            }
        });
    }
    let told = all.join_all().await;
    assert!(told.iter().all(|(id, _)| *id == told[0].0), "{told:?}");
    assert_eq!(told.iter().filter(|(_, stored)| *stored).count(), 1);
}

pub(crate) async fn a_creation_key_is_forgotten_after_a_day(store: Arc<dyn Store>) {
    let at = |created_ms, scope| keyed(game_of("3x3k3", &["Ann", "robot"], created_ms), scope, "k");
    let created_with = async |now_ms| {
        let found = store.created_with(creation_key("s", "k"), now_ms).await;
        found.unwrap().map(|(id, _)| id)
    };
    let first = created(&*store, at(1_000, "s")).await;
    let end = 1_000 + KEY_LIFETIME_MS;
    assert_eq!(created_with(end - 1).await, Some(first));
    assert_eq!(created_with(end).await, None);
    let late = at(end - 1, "s");
    let holders = late.settings.holders.clone();
    let before = store.create(late, summary(&holders)).await;
    assert_eq!(before, Ok(Created::Existing(first, creation_key("s", "k"))));
    // The new game takes the key over.
    let mut all = JoinSet::new();
    for _ in 0..5 {
        let (store, new) = (Arc::clone(&store), at(end, "s"));
        all.spawn(async move {
            let (id, summary) = (new.settings.id, summary(&new.settings.holders));
            match store.create(new, summary).await.unwrap() {
                Created::Stored => id,
                Created::Existing(id, _) => id,
            }
        });
    }
    let told = all.join_all().await;
    assert!(told.iter().all(|id| *id == told[0] && *id != first));
    assert_eq!(created_with(end).await, Some(told[0]));
    assert_eq!(loaded(&*store, first).await.key, None);
    assert_eq!(
        loaded(&*store, told[0]).await.key,
        Some(creation_key("s", "k"))
    );
}

pub(crate) async fn a_key_without_scope_counts_for_everybody(store: Arc<dyn Store>) {
    let old = created(&*store, keyed(game(&["Ann", "robot"]), "", "k")).await;
    let found = store
        .created_with(creation_key("anybody", "k"), CREATED_MS)
        .await;
    assert_eq!(found, Ok(Some((old, creation_key("", "k")))));
    let create = async |created_ms| {
        let new = keyed(
            game_of("3x3k3", &["Bob", "robot"], created_ms),
            "anybody",
            "k",
        );
        let summary = summary(&new.settings.holders);
        store.create(new, summary).await
    };
    let before = Ok(Created::Existing(old, creation_key("", "k")));
    assert_eq!(create(CREATED_MS + KEY_LIFETIME_MS - 1).await, before);
    assert_eq!(
        create(CREATED_MS + KEY_LIFETIME_MS).await,
        Ok(Created::Stored)
    );
}

pub(crate) async fn entries_have_consecutive_numbers(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    let entries = [
        play(0, 4),
        play(1, 0),
        turn(0, Action::Rewind(2)),
        turn(1, Action::Resign),
    ];
    let conflict = Appended::Conflict;
    assert_eq!(appended(&*store, id, 2, play(0, 0)).await, conflict);
    assert_eq!(appended(&*store, id, 0, play(0, 0)).await, conflict);
    for (number, entry) in (1..).zip(entries.clone()) {
        assert_eq!(
            appended(&*store, id, number + 1, play(0, 8)).await,
            conflict
        );
        assert_eq!(appended(&*store, id, number, entry).await, Appended::Stored);
        assert_eq!(appended(&*store, id, number, play(0, 8)).await, conflict);
    }
    assert_eq!(appended(&*store, id, u32::MAX, play(0, 8)).await, conflict);
    let stored = loaded(&*store, id).await.entries;
    assert_eq!(stored, entries.map(logged));
}

pub(crate) async fn entries_of_one_append_are_stored_together(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    let pair = |first| append(id, first, [play(0, 1), play(1, 2)]);
    assert_eq!(store.append(&pair(1)).await, Ok(Appended::Stored));
    for wrong in [1, 2, 4] {
        assert_eq!(store.append(&pair(wrong)).await, Ok(Appended::Conflict));
    }
    assert_eq!(store.append(&pair(3)).await, Ok(Appended::Stored));
    assert_eq!(loaded(&*store, id).await.entries.len(), 4);
    // Long and short appends that compete for one place, in one batch.
    for round in 0..10 {
        let first = loaded(&*store, id).await.entries.len() as u32 + 1;
        let appends = (0..9).map(|n| {
            let entries = vec![play(0, n); 1 + (n + round) % 3];
            append(id, first, entries)
        });
        assert_eq!(stored_of(&store, appends.collect()).await, 1);
        let entries = loaded(&*store, id).await.entries;
        let new = &entries[first as usize - 1..];
        let Entry::Turn(turn) = new[0].entry else {
            panic!("a turn was stored");
        };
        let Action::Play(at) = turn.action else {
            panic!("a play was stored");
        };
        assert_eq!(new.len(), 1 + (at.index() + round) % 3);
        assert!(new.iter().all(|entry| *entry == new[0]));
    }
}

pub(crate) async fn one_of_many_appends_at_a_place_is_stored(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    for number in 1..=20 {
        let appends = (0..9).map(|cell| append(id, number, [play(0, cell)]));
        assert_eq!(stored_of(&store, appends.collect()).await, 1);
        assert_eq!(loaded(&*store, id).await.entries.len(), number as usize);
    }
}

pub(crate) async fn many_games_keep_all_their_entries(store: Arc<dyn Store>) {
    let mut players = JoinSet::new();
    for _ in 0..100 {
        let store = Arc::clone(&store);
        players.spawn(async move {
            let new = game(&["Ann", "Bob"]);
            let holders = new.settings.holders.clone();
            let id = created(&*store, new).await;
            for number in 1..=9u32 {
                let entry = play((number % 2) as u8, number as usize - 1);
                let mut append = append(id, number, [entry]);
                append.summary = (number == 9).then(|| over(&holders, TOO_LONG, 9));
                assert_eq!(store.append(&append).await, Ok(Appended::Stored));
            }
            id
        });
    }
    for id in players.join_all().await {
        assert_eq!(loaded(&*store, id).await.entries.len(), 9);
    }
    let over = ListQuery {
        status: Some(Status::Over),
        ..every()
    };
    assert_eq!(ids(&*store, over).await.len(), 100);
}

pub(crate) async fn a_summary_is_stored_with_its_entry(store: Arc<dyn Store>) {
    let new = game_of("multi@4", &["Ann", "Bob"], 1);
    let holders = new.settings.holders.clone();
    let id = created(&*store, new).await;
    let listed = async || {
        let listed = store.list(every()).await.unwrap();
        listed.into_iter().find(|listed| listed.id == id).unwrap()
    };
    let summary_of = |cell: u64| {
        let won = Conclusion::Won {
            sides: Sides::only(Side::SECOND),
            by: WinReason::Points,
        };
        over(&holders, won, cell)
    };
    let at = |first, cell: u64| Append {
        variant: "multi@4".parse().unwrap(),
        summary: Some(summary_of(cell)),
        ..append(id, first, [play(0, cell as usize)])
    };
    // An append that is not stored changes no summary.
    assert_eq!(store.append(&at(2, 7)).await, Ok(Appended::Conflict));
    assert_eq!(listed().await.summary, summary(&holders));
    let thinking = Summary {
        deadline_ms: Some(77),
        ..summary(&holders)
    };
    let mut append = at(1, 8);
    append.summary = Some(thinking.clone());
    assert_eq!(store.append(&append).await, Ok(Appended::Stored));
    assert_eq!(listed().await.summary, thinking);
    // If several appends compete for one place, the summary is that of the stored append.
    assert_eq!(
        stored_of(&store, (0..9).map(|cell| at(2, cell)).collect()).await,
        1
    );
    let Entry::Turn(turn) = loaded(&*store, id).await.entries[1].entry else {
        panic!("a turn was stored");
    };
    let ended_ms = listed().await.summary.ending.unwrap().at_ms;
    assert_eq!(Entry::Turn(turn), play(0, ended_ms as usize));
    assert_eq!(listed().await.summary, summary_of(ended_ms));
}

pub(crate) async fn a_seated_player_is_listed(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "lobby", "link"])).await;
    assert_eq!(ids(&*store, every()).await, []);
    let seat = async |first, seat: u8, name: &str, now: [&str; 3]| {
        let mut append = append(id, first, [seated(seat, name)]);
        append.summary = Some(summary(&now.map(holder)));
        assert_eq!(store.append(&append).await, Ok(Appended::Stored));
    };
    let status = async || store.list(every()).await.unwrap()[0].summary.status;
    seat(1, 2, "Bob", ["Ann", "lobby", "Bob"]).await;
    assert_eq!(status().await, Status::Waiting);
    seat(2, 1, "Cyd", ["Ann", "Cyd", "Bob"]).await;
    assert_eq!(status().await, Status::Playing);
    for name in ["Ann", "Bob", "Cyd", "Dan"] {
        let query = ListQuery {
            player: Some(PlayerFilter::Name(name.to_owned())),
            ..every()
        };
        let found = ids(&*store, query).await;
        assert_eq!(found.is_empty(), name == "Dan", "{name}");
    }
    let listed = store.list(every()).await.unwrap();
    let holders = &listed[0].summary.holders;
    assert!(holders.iter().all(Holder::is_human));
}

pub(crate) async fn a_rematch_is_created_with_its_entry(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    let nexts: Vec<NewGame> = (0..10).map(|_| game(&["Bob", "Ann"])).collect();
    let rematch = |next: &NewGame| {
        let offer = Entry::Offered {
            seat: Seat(1),
            offer: Offer::Rematch,
        };
        let made = Entry::RematchCreated(next.settings.id);
        let mut append = append(id, 1, [offer, made]);
        append.new_game = Some((next.clone(), summary(&next.settings.holders)));
        append
    };
    assert_eq!(
        stored_of(&store, nexts.iter().map(rematch).collect()).await,
        1
    );
    let entries = loaded(&*store, id).await.entries;
    assert_eq!(entries.len(), 2);
    for next in nexts {
        let next_id = next.settings.id;
        let is_it = entries[1].entry == Entry::RematchCreated(next_id);
        let there = store.load(next_id).await.unwrap();
        assert_eq!(
            there.map(|game| game.settings),
            is_it.then_some(next.settings)
        );
    }
    assert_eq!(ids(&*store, every()).await.len(), 2);
    // A game that exists is not replaced, and nothing is stored.
    let mut taken = append(id, 3, [play(0, 0)]);
    let existing = loaded(&*store, id).await;
    let again = NewGame {
        settings: existing.settings,
        key: None,
    };
    taken.new_game = Some((again.clone(), summary(&again.settings.holders)));
    assert!(store.append(&taken).await.is_err());
    assert_eq!(loaded(&*store, id).await.entries.len(), 2);
}

pub(crate) async fn a_missing_game_is_told(store: Arc<dyn Store>) {
    let id = GameId::random();
    assert_eq!(store.load(id).await, Ok(None));
    assert_eq!(store.entries_after(id, 0).await, Ok(None));
    assert_eq!(store.analysis(id).await, Ok(None));
    assert_eq!(store.store_analysis(id, "good".to_owned()).await, Ok(()));
    assert_eq!(store.analysis(id).await, Ok(None));
    for first in [1, 2] {
        let told = appended(&*store, id, first, play(0, 0)).await;
        assert_eq!(told, Appended::NoSuchGame);
    }
    let mut with_game = append(id, 1, [play(0, 0)]);
    let next = game(&["Ann", "Bob"]);
    with_game.new_game = Some((next.clone(), summary(&next.settings.holders)));
    assert_eq!(store.append(&with_game).await, Ok(Appended::NoSuchGame));
    assert_eq!(store.load(next.settings.id).await, Ok(None));
    // A request in the same batch is not affected.
    let there = created(&*store, game(&["Ann", "Bob"])).await;
    let (wrong, right) = tokio::join!(
        appended(&*store, id, 1, play(0, 0)),
        appended(&*store, there, 1, play(0, 0))
    );
    assert_eq!((wrong, right), (Appended::NoSuchGame, Appended::Stored));
}

pub(crate) async fn an_id_is_used_once(store: Arc<dyn Store>) {
    let new = game(&["Ann", "Bob"]);
    let id = created(&*store, new.clone()).await;
    let holders = new.settings.holders.clone();
    assert!(store.create(new, summary(&holders)).await.is_err());
    assert_eq!(loaded(&*store, id).await.settings.holders, holders);
}

pub(crate) async fn an_analysis_is_stored_once(store: Arc<dyn Store>) {
    let id = created(&*store, game(&["Ann", "Bob"])).await;
    assert_eq!(store.analysis(id).await, Ok(None));
    for text in ["first\nof two lines", "second"] {
        store.store_analysis(id, text.to_owned()).await.unwrap();
    }
    let kept = store.analysis(id).await.unwrap();
    assert_eq!(kept.as_deref(), Some("first\nof two lines"));
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
        // Several games have the same time.
        let variant = variants[number % 4];
        let mut new = game_of(variant, &holders[number / 4 % 4], number as u64 / 5);
        if variant == "4x4k4" {
            let settings = &mut new.settings;
            let position = noughts_rules::Game::new(&settings.variant, Default::default());
            settings.start = Some(position.unwrap().diagram());
        }
        if variant == "multi@3" {
            new.settings.clock = Some("180+2".parse().unwrap());
        }
        let summary = match number % 3 {
            0 => over(&new.settings.holders, Conclusion::Abandoned, 50),
            _ => summary(&new.settings.holders),
        };
        store.create(new, summary).await.unwrap();
    }
    let all = store.list(every()).await.unwrap();
    assert!(all.is_sorted_by_key(|listed| std::cmp::Reverse((listed.created_ms, listed.id))));
    for listed in &all {
        let variant = listed.variant.to_string();
        assert_eq!(listed.starts_empty, variant != "4x4k4");
        let clock = listed.clock.map(|clock| clock.to_string());
        assert_eq!(clock.as_deref(), (variant == "multi@3").then_some("180+2"));
    }
    let statuses = [
        None,
        Some(Status::Waiting),
        Some(Status::Playing),
        Some(Status::Over),
        Some(Status::Unlisted),
    ];
    for status in statuses {
        for player in [None, Some("Ann"), Some("Bob"), Some("")] {
            for variant in [None, Some("multi"), Some("3x3k3"), Some("multi@3")] {
                let query = ListQuery {
                    variant: variant.map(|name| name.parse().unwrap()),
                    player: player.map(|name| PlayerFilter::Name(name.to_owned())),
                    status,
                    ..ListQuery::all(4)
                };
                let wanted = all.iter().filter(|listed| query.matches(listed));
                let wanted: Vec<_> = wanted.cloned().collect();
                assert_eq!(all_pages(&*store, query).await, wanted);
            }
        }
    }
}

async fn all_pages(store: &dyn Store, mut query: ListQuery) -> Vec<noughts_server::ListedGame> {
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

pub(crate) async fn a_sweep_finds_overdue_games(store: Arc<dyn Store>) {
    let node = NodeId(1);
    // Some stores use their own clock, so the deadlines are far in the past or far in the future.
    let now_ms = 1_800_000_000_000;
    let far_ms = 9_000_000_000_000;
    let mut late = Vec::new();
    for number in 0..150 {
        let new = game(&["robot", "robot"]);
        let deadline_ms = [Some(1_000 + number), None, Some(far_ms)][number as usize % 3];
        let summary = Summary {
            deadline_ms,
            ..summary(&new.settings.holders)
        };
        let id = new.settings.id;
        store.create(new, summary).await.unwrap();
        if number % 3 == 0 {
            late.push(id);
        }
    }
    let overdue = async |grace_ms| store.sweep(node, now_ms, grace_ms).await.unwrap().overdue;
    assert_eq!(overdue(4_000).await, late, "oldest deadline first");
    assert_eq!(overdue(far_ms).await, []);
    // A turn moves the deadline, and an end removes it.
    let mut moved = append(late[0], 1, [play(0, 0)]);
    moved.summary = Some(Summary {
        deadline_ms: Some(far_ms),
        ..summary(&["robot", "robot"].map(holder))
    });
    let mut ended = append(late[1], 1, [turn(0, Action::Resign)]);
    ended.summary = Some(over(&["robot", "robot"].map(holder), TOO_LONG, 9));
    for append in [moved, ended] {
        assert_eq!(store.append(&append).await, Ok(Appended::Stored));
    }
    assert_eq!(overdue(4_000).await, late[2..]);
    // A sweep is bounded.
    for _ in 0..100 {
        let new = game(&["robot", "robot"]);
        let summary = Summary {
            deadline_ms: Some(7),
            ..summary(&new.settings.holders)
        };
        store.create(new, summary).await.unwrap();
    }
    assert_eq!(overdue(4_000).await.len(), 100);
}

pub(crate) async fn games_without_a_new_entry_are_forgotten(store: Arc<dyn Store>) {
    let at = |at_ms: u64, entry| LogEntry {
        at_ms,
        ..logged(entry)
    };
    let over_id = created(&*store, game_of("3x3k3", &["Ann", "lobby"], 10)).await;
    let mut ending = append(over_id, 1, []);
    ending.entries = vec![at(11, seated(1, "Bob")), at(20, play(0, 4))];
    ending.summary = Some(over(&["Ann", "Bob"].map(holder), TOO_LONG, 20));
    store.append(&ending).await.unwrap();
    let analyzed = store.store_analysis(over_id, "fine".to_owned()).await;
    assert_eq!(analyzed, Ok(()));
    let with_key = keyed(game_of("3x3k3", &["Ann", "link"], 10), "s", "a key");
    let unplayed = created(&*store, with_key.clone()).await;
    let played = created(&*store, game_of("3x3k3", &["Ann", "Bob"], 10)).await;
    let mut turn = append(played, 1, []);
    turn.entries = vec![at(30, play(0, 4))];
    store.append(&turn).await.unwrap();
    let young = created(&*store, game_of("3x3k3", &["Ann", "lobby"], 30)).await;
    let mut forgotten = Vec::new();
    loop {
        match store.forget(30).await.unwrap() {
            games if games.is_empty() => break,
            games => forgotten.extend(games),
        }
    }
    let mut old = [over_id, unplayed];
    forgotten.sort_unstable();
    old.sort_unstable();
    assert_eq!(forgotten, old);
    let key = creation_key("s", "a key");
    assert_eq!(store.created_with(key.clone(), 10).await, Ok(None));
    for id in old {
        assert_eq!(store.load(id).await, Ok(None));
        assert_eq!(
            appended(&*store, id, 2, play(0, 0)).await,
            Appended::NoSuchGame
        );
    }
    assert_eq!(store.analysis(over_id).await, Ok(None));
    let of_ann = ListQuery {
        player: Some(PlayerFilter::Name("Ann".to_owned())),
        ..every()
    };
    let mut listed = ids(&*store, of_ann).await;
    let mut left = vec![played, young];
    listed.sort_unstable();
    left.sort_unstable();
    assert_eq!(listed, left);
    // The key of a forgotten game is free again.
    let again = NewGame {
        key: Some(key),
        ..game_of("3x3k3", &["Ann", "link"], 40)
    };
    let holders = again.settings.holders.clone();
    assert_eq!(
        store.create(again, summary(&holders)).await,
        Ok(Created::Stored)
    );
}

pub(crate) async fn an_imported_game_is_like_a_played_one(store: Arc<dyn Store>) {
    let mut new = keyed(game_of("7x6k4+gravity", &["Ann", "Bob"], 7), "s", "import");
    new.settings.history = 3;
    let id = new.settings.id;
    let actions = [
        play(0, 38),
        play(1, 31),
        turn(0, Action::Rewind(1)),
        play(1, 39),
        turn(0, Action::Resign),
    ];
    let entries: Vec<LogEntry> = actions.into_iter().map(logged).collect();
    let table = Table::replay(new.settings.clone(), &entries).unwrap();
    assert!(table.is_over());
    let game = StoredGame {
        settings: new.settings,
        key: new.key.clone(),
        entries,
    };
    for expected in [Created::Stored, Created::Existing(id, new.key.unwrap())] {
        let created = store.import(game.clone(), table.summary()).await;
        assert_eq!(created, Ok(expected));
    }
    assert_eq!(loaded(&*store, id).await, game);
    let listed = store.list(every()).await.unwrap();
    assert_eq!(listed[0].summary, table.summary());
    // A long game.
    let mut long = game_of("255x255k5", &["Ann", "Bob"], 7);
    long.settings.history = 0;
    let entries = (0..5_000).map(|cell| logged(play((cell % 2) as u8, cell)));
    let long = StoredGame {
        settings: long.settings,
        key: None,
        entries: entries.collect(),
    };
    let summary = over(&long.settings.holders, TOO_LONG, 8);
    assert_eq!(
        store.import(long.clone(), summary).await,
        Ok(Created::Stored)
    );
    assert_eq!(loaded(&*store, long.settings.id).await, long);
}

pub(crate) async fn a_working_store_is_writable(store: Arc<dyn Store>) {
    for _ in 0..3 {
        assert_eq!(store.check_writable().await, Ok(()));
    }
}

/// Only for stores with group commit.
pub(crate) async fn writes_are_counted(store: Arc<dyn Store>) {
    let before = store.write_counts();
    let id = created(&*store, game(&["Ann", "lobby"])).await;
    assert_eq!(appended(&*store, id, 1, play(0, 0)).await, Appended::Stored);
    let alone = store.write_counts();
    let since = |now: WriteCounts, then: WriteCounts| {
        assert!(now.micros > then.micros);
        (now.batches - then.batches, now.writes - then.writes)
    };
    assert_eq!(since(alone, before), (2, 2));
    let mut all = JoinSet::new();
    for _ in 0..100 {
        let store = Arc::clone(&store);
        all.spawn(async move { created(&*store, game(&["Ann", "Bob"])).await });
    }
    all.join_all().await;
    let (batches, writes) = since(store.write_counts(), alone);
    assert_eq!(writes, 100);
    assert!(
        (1..100).contains(&batches),
        "{batches} commits for a hundred"
    );
}

/// Only for stores that store the counters of nodes: SQLite and PostgreSQL.
pub(crate) async fn nodes_see_each_other_count(store: Arc<dyn Store>) {
    let (here, there) = (NodeId(1), NodeId(u64::MAX));
    let others = async |node| store.sweep(node, 0, 0).await.unwrap().others;
    assert_eq!(others(here).await, []);
    assert_eq!(others(there).await, [(here, 1)]);
    assert_eq!(others(here).await, [(there, 1)]);
    assert_eq!(others(here).await, [(there, 1)]);
    assert_eq!(others(there).await, [(here, 3)]);
    let name = format!("Ann@{}", there.0);
    let tied = created(&*store, game(&[&name, "lobby", "Cyd@3"])).await;
    let late = created(&*store, game(&["Ann", "lobby"])).await;
    let take = async |id, now: &[&str]| {
        let mut append = append(id, 1, [seated(1, &format!("Bob@{}", there.0))]);
        let holders: Vec<Holder> = now.iter().map(|text| holder(text)).collect();
        append.summary = Some(summary(&holders));
        assert_eq!(store.append(&append).await, Ok(Appended::Stored));
    };
    let bob = format!("Bob@{}", there.0);
    take(tied, &[&name, &bob, "Cyd@3"]).await;
    take(late, &["Ann", &bob]).await;
    let over_game = game(&[&name, "Bob"]);
    let ended = over(&over_game.settings.holders, TOO_LONG, 1);
    store.create(over_game, ended).await.unwrap();
    let mut found = store.seats_of_node(there).await.unwrap();
    found.sort_by_key(|(id, _)| *id != tied);
    let both = SeatSet::only(Seat(0)).with(Seat(1));
    assert_eq!(found, [(tied, both), (late, SeatSet::only(Seat(1)))]);
    store.remove_node(there).await.unwrap();
    assert_eq!(others(here).await, []);
    // A node that was removed by mistake comes back.
    assert_eq!(others(there).await, [(here, 4)]);
}

/// A waiting table is listed while it is new or a player is connected, at any node.
pub(crate) async fn the_lobby_lists_attended_tables(store: Arc<dyn Store>) {
    let new = game_of("3x3k3", &["Ann", "lobby"], CREATED_MS);
    let id = created(&*store, new).await;
    let playing = created(&*store, game(&["Ann", "Bob"])).await;
    let lobby = async |at_ms| {
        let query = ListQuery {
            status: Some(Status::Waiting),
            attended_at_ms: Some(at_ms),
            ..every()
        };
        ids(&*store, query).await
    };
    let late_ms = CREATED_MS + ATTENDED_MS;
    assert_eq!(lobby(late_ms - 1).await, [id]);
    assert_eq!(lobby(late_ms).await, []);
    let (here, there) = (NodeId(1), NodeId(2));
    let present = SeatSet::only(Seat(0));
    let set = async |node, game, seats| {
        let set = store.set_presence(node, vec![(game, seats)]).await;
        set.expect("presence is stored");
    };
    set(here, playing, present).await;
    assert_eq!(lobby(late_ms).await, []);
    set(here, id, present).await;
    set(there, id, present).await;
    assert_eq!(lobby(late_ms).await, [id]);
    set(here, id, SeatSet::EMPTY).await;
    assert_eq!(lobby(late_ms).await, [id], "the other node");
    store.remove_node(there).await.unwrap();
    assert_eq!(lobby(late_ms).await, []);
    // Other lists have all of them.
    assert_eq!(ids(&*store, every()).await.len(), 2);
    // A page is filled although unattended tables are between the others.
    let mut attended = Vec::new();
    for number in 0..30 {
        let new = game_of("3x3k3", &["Ann", "lobby"], CREATED_MS - number);
        let id = created(&*store, new).await;
        if number % 10 == 0 {
            set(here, id, present).await;
            attended.push(id);
        }
    }
    let query = ListQuery {
        status: Some(Status::Waiting),
        attended_at_ms: Some(late_ms),
        limit: 2,
        ..every()
    };
    assert_eq!(ids(&*store, query).await, attended[..2]);
}
