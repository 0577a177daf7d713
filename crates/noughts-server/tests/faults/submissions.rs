//! Commands while the store has lost entries, panics, or is written to by another node.

use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Seat;
use noughts_server::{Change, Command, Entry, SubmitError, TableRefusal};
use tokio::time::{Instant, timeout};

use crate::cluster::{Database, Fault, Node, Operation, Treatment};
use crate::{TIMEOUT, create, human, play, submit};

/// As after an asynchronous failover: the database has fewer entries than the node.
#[tokio::test(start_paused = true)]
async fn node_takes_the_log_of_a_store_that_lost_entries() {
    for is_shared in [false, true] {
        let database = Database::new();
        let node = Node::start_as(&database, 1, is_shared);
        let live = create(&node, vec![human("Ann"), human("Bob")]).await;
        let mut watch = live.watch().unwrap();
        for (turn, cell) in [0, 3, 1, 4].into_iter().enumerate() {
            let command = play(turn as u8 % 2, cell, turn + 1);
            node.tables.submit(&live, &command).await.unwrap();
        }
        database.lose_latest(live.id(), 2).await;
        let begun = Instant::now();
        let answer = node.tables.submit(&live, &play(0, 2, 5)).await;
        let stale = TableRefusal::Stale { turn: 3 };
        assert_eq!(answer, Err(SubmitError::Refused(stale)));
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "{:?}",
            begun.elapsed()
        );
        let reads = database.counts();
        tokio::time::sleep(Duration::from_secs(30)).await;
        let after = database.counts();
        assert_eq!(
            reads.get("conflicts"),
            after.get("conflicts"),
            "it tries for ever"
        );
        // Watchers get a new view, and the game goes on from what the store has.
        let mut latest = None;
        while let Ok(update) = watch.updates.try_recv() {
            latest = Some(update);
        }
        let latest = latest.unwrap();
        assert!(
            matches!(&latest.change, Change::View(view) if view.entry == 2),
            "{latest:?}"
        );
        assert_eq!(node.tables.submit(&live, &play(0, 2, 3)).await, Ok(()));
        assert_eq!(database.table(live.id()).await.turn(), 4);
    }
}

/// A client that was served by another node may have seen turns that this node has not read yet.
#[tokio::test(start_paused = true)]
async fn client_ahead_of_its_node_is_not_stale() {
    let database = Database::new();
    database.delay_hints(|_| Vec::new());
    let (one, other) = (Node::start(&database, 1), Node::start(&database, 2));
    let game = create(&one, vec![human("Ann"), human("Bob")]).await.id();
    other.tables.get(game).await.unwrap().unwrap();
    // The other node catches up with the store, and then misses a turn once more.
    assert_eq!(submit(&one, game, &play(0, 0, 1)).await, Ok(()));
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(submit(&one, game, &play(1, 1, 2)).await, Ok(()));
    assert_eq!(submit(&other, game, &play(0, 2, 3)).await, Ok(()));
    // The same with a game that has ended elsewhere.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let resign = Command::Act {
        seat: Seat(1),
        action: noughts_rules::Action::Resign,
        turn: 4,
        key: None,
    };
    assert_eq!(submit(&other, game, &resign).await, Ok(()));
    let next = noughts_server::GameId::random();
    let seat = Seat(0);
    let offer = Command::OfferRematch { seat, next };
    assert_eq!(submit(&one, game, &offer).await, Ok(()));
}

/// Two players request a rematch at two nodes at the same time. Only one new game is created.
#[tokio::test(start_paused = true)]
async fn rematch_offers_at_two_nodes_create_one_game() {
    let database = Database::new();
    let (one, other) = (Node::start(&database, 1), Node::start(&database, 2));
    let game = create(&one, vec![human("Ann"), human("Bob")]).await.id();
    let resign = Command::Act {
        seat: Seat(0),
        action: noughts_rules::Action::Resign,
        turn: 1,
        key: None,
    };
    assert_eq!(submit(&one, game, &resign).await, Ok(()));
    other.tables.get(game).await.unwrap().unwrap();
    database.treat(|_| Treatment {
        before: Duration::from_millis(10),
        ..Treatment::default()
    });
    let offer = |seat| Command::OfferRematch {
        seat: Seat(seat),
        next: noughts_server::GameId::random(),
    };
    let (ann, bob) = (offer(0), offer(1));
    let (ann, bob) = tokio::join!(submit(&one, game, &ann), submit(&other, game, &bob));
    assert_eq!((ann, bob), (Ok(()), Ok(())));
    let stored = database.load(game).await.unwrap();
    let is_rematch = |entry: &Entry| matches!(entry, Entry::RematchCreated(_));
    let rematches = stored
        .entries
        .iter()
        .filter(|logged| is_rematch(&logged.entry));
    assert_eq!(rematches.count(), 1, "{stored:?}");
    let mut stored = 0;
    for id in database.ids() {
        stored += usize::from(database.load(id).await.is_some());
    }
    assert_eq!(stored, 2, "the game and its rematch");
}

/// After a panic in a submission, waiting requests are answered, and the next request loads the table again.
#[tokio::test(start_paused = true)]
async fn table_is_loaded_again_after_a_panic() {
    let database = Database::new();
    let node = Arc::new(Node::start_alone(&database, 1));
    let game = create(&node, vec![human("Ann"), human("Bob")]).await.id();
    // A watcher keeps the closed table in memory.
    let watched = node.tables.get(game).await.unwrap().unwrap();
    let mut watch = watched.watch().unwrap();
    let mut is_first = true;
    database.treat(move |request| match request.operation {
        Operation::Append if std::mem::take(&mut is_first) => Treatment {
            before: Duration::from_millis(10),
            fault: Fault::Panic,
            ..Treatment::default()
        },
        _ => Treatment::default(),
    });
    let first = {
        let node = Arc::clone(&node);
        tokio::spawn(async move { submit(&node, game, &play(0, 0, 1)).await })
    };
    tokio::time::sleep(Duration::from_millis(5)).await;
    let waiting = {
        let node = Arc::clone(&node);
        tokio::spawn(async move { submit(&node, game, &play(0, 4, 1)).await })
    };
    assert!(first.await.is_err(), "it panicked");
    let waiting = timeout(TIMEOUT, waiting).await.expect("it is answered");
    assert_eq!(waiting.unwrap(), Err(SubmitError::Closed));
    let ended = timeout(TIMEOUT, watch.updates.recv()).await;
    ended
        .expect("streams end, so that their clients come back")
        .unwrap_err();
    assert_eq!(submit(&node, game, &play(0, 4, 1)).await, Ok(()));
    assert_eq!(database.table(game).await.turn(), 2);
}

/// A resumed stream delivers what a watcher would have received live: turns, taken seats, rematch offers and the
/// rematch.
#[tokio::test(start_paused = true)]
async fn resumption_delivers_every_kind_of_entry() {
    let database = Database::new();
    let node = Node::start_alone(&database, 1);
    let open = noughts_server::Holder::Open(noughts_server::OpenTo::Link);
    let live = create(&node, vec![human("Ann"), open]).await;
    let act = |seat, action, turn| Command::Act {
        seat: Seat(seat),
        action,
        turn,
        key: None,
    };
    let offer = |seat| Command::OfferRematch {
        seat: Seat(seat),
        next: noughts_server::GameId::random(),
    };
    let commands = [
        play(0, 0, 1),
        Command::TakeSeat {
            seat: Seat(1),
            holder: human("Bob"),
            key: None,
        },
        play(1, 1, 2),
        act(0, noughts_rules::Action::Resign, 3),
        offer(0),
        offer(1),
    ];
    for command in &commands {
        node.tables.submit(&live, command).await.unwrap();
    }
    assert_eq!(live.read(noughts_server::Table::entry), 7);
    for after in 0..=7 {
        let changes = live.changes_after(after).unwrap();
        let mut known = after;
        for update in &changes {
            let number = update.entry.unwrap();
            match &update.change {
                Change::Turn(_) | Change::Offers { .. } => assert_eq!(number, known + 1),
                Change::Seats { holders, .. } => {
                    assert_eq!((number, &holders[1]), (2, &human("Bob")));
                    assert_eq!(number, known + 1);
                }
                Change::View(view) => {
                    assert_eq!(number, view.entry);
                    assert_eq!(view.rematch, live.read(noughts_server::Table::rematch));
                    assert!(view.rematch.is_some());
                }
            }
            known = number;
        }
        assert_eq!(known, 7, "after {after}");
    }
    assert!(live.changes_after(8).is_none(), "there was never so much");
}
