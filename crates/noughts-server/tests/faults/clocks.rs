//! Clocks: games end in time, and faults cost no player time.

use std::time::Duration;

use noughts_rules::{Conclusion, DrawReason, Seat, Side, Sides, WinReason};
use noughts_server::{Answer, Command, Entry, GameId, Offer, SubmitError, Table, TableRefusal};
use tokio::time::sleep;

use crate::cluster::{Database, Fault, Node, Operation, Treatment};
use crate::{create_with_clock, human, play, robot, submit, until};

const SECOND: Duration = Duration::from_secs(1);

/// A game with ten seconds for each player, after their first turns: Ann is to move.
async fn begun(node: &Node) -> GameId {
    begun_with_clock(node, "10+0").await
}

async fn begun_with_clock(node: &Node, clock: &str) -> GameId {
    let people = vec![human("Ann"), human("Bob")];
    // After this time, a sweep has told the node the store's time.
    sleep(2 * SECOND).await;
    let live = create_with_clock(node, people, Some(clock)).await;
    let game = live.id();
    submit(node, game, &play(0, 0, 1)).await.unwrap();
    submit(node, game, &play(1, 4, 2)).await.unwrap();
    game
}

fn won_on_time(side: Side) -> Conclusion {
    Conclusion::Won {
        sides: Sides::only(side),
        by: WinReason::Time,
    }
}

/// The time from the deadline of the seat to move to the end of the game.
async fn end_after_deadline(database: &Database, game: GameId) -> Duration {
    let deadline_ms = database.table(game).await.clock_deadline_ms().unwrap();
    let ended = until(database, game, Table::is_over).await;
    assert!(ended.is_some(), "the game does not end");
    let late_ms = database.now_ms().checked_sub(deadline_ms);
    Duration::from_millis(late_ms.expect("it ended before its deadline"))
}

#[tokio::test(start_paused = true)]
async fn game_ends_within_two_seconds_of_its_deadline_though_nobody_is_connected() {
    for is_shared in [true, false] {
        let database = Database::new();
        let node = Node::start_as(&database, 1, is_shared);
        let game = begun(&node).await;
        let late = end_after_deadline(&database, game).await;
        assert!(late <= 2 * SECOND, "{late:?}, shared: {is_shared}");
        let table = database.table(game).await;
        assert_eq!(table.game().conclusion(), Some(&won_on_time(Side::SECOND)));
        assert_eq!(table.clock(database.now_ms()).unwrap().left_ms[0], 0);
    }
}

#[tokio::test(start_paused = true)]
async fn missing_first_turn_aborts_the_game() {
    let database = Database::new();
    let node = Node::start(&database, 1);
    sleep(2 * SECOND).await;
    let people = vec![human("Ann"), human("Bob")];
    let live = create_with_clock(&node, people, Some("180+2")).await;
    let game = live.id();
    submit(&node, game, &play(0, 0, 1)).await.unwrap();
    let late = end_after_deadline(&database, game).await;
    assert!(late <= 2 * SECOND, "{late:?}");
    let table = database.table(game).await;
    assert_eq!(table.game().conclusion(), Some(&Conclusion::Aborted));
}

#[tokio::test(start_paused = true)]
async fn game_of_a_dead_node_ends_within_six_seconds_of_its_deadline() {
    let database = Database::new();
    let mut nodes: Vec<Node> = (0..3).map(|seed| Node::start(&database, seed)).collect();
    let game = begun(&nodes[0]).await;
    sleep(8 * SECOND).await;
    nodes[0].kill();
    let late = end_after_deadline(&database, game).await;
    assert!(late <= 6 * SECOND, "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn time_of_the_store_decides_when_the_clock_of_a_node_jumps() {
    let database = Database::new();
    let nodes: Vec<Node> = (0..2).map(|seed| Node::start(&database, seed)).collect();
    let game = begun(&nodes[0]).await;
    // A turn right after the jump, before any sweep.
    nodes[0].jump_clock(3_600 * SECOND);
    submit(&nodes[0], game, &play(0, 1, 3)).await.unwrap();
    let table = database.table(game).await;
    let used_ms = table.used_ms()[2];
    assert!(used_ms <= 3_100, "{used_ms}");
    // A game must also not end too early or too late.
    sleep(5 * SECOND).await;
    nodes[0].jump_clock(3_600 * SECOND);
    let late = end_after_deadline(&database, game).await;
    assert!(late <= 2 * SECOND, "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn slow_commit_does_not_cost_the_game() {
    let database = Database::new();
    let nodes: Vec<Node> = (0..2).map(|seed| Node::start(&database, seed)).collect();
    let game = begun(&nodes[0]).await;
    // The other node has the table in memory, too.
    assert!(nodes[1].tables.get(game).await.unwrap().is_some());
    let deadline_ms = database.table(game).await.clock_deadline_ms().unwrap();
    sleep_until_ms(&database, deadline_ms - 500).await;
    database.treat(|request| Treatment {
        before: match request.operation {
            Operation::Append => 3 * SECOND,
            _ => Duration::ZERO,
        },
        ..Treatment::default()
    });
    submit(&nodes[0], game, &play(0, 1, 3)).await.unwrap();
    assert!(database.now_ms() > deadline_ms + 2_000);
    let table = database.table(game).await;
    assert!(!table.is_over());
    assert_eq!(table.game().turns().len(), 3);
    let left_ms = table.clock(table.last_ms()).unwrap().left_ms[0];
    assert!((400..=600).contains(&left_ms), "{left_ms}");
}

async fn sleep_until_ms(database: &Database, ms: u64) {
    sleep(Duration::from_millis(ms - database.now_ms())).await;
}

/// The node that stored the latest turn ends the game, also if the table left memory and the first attempt to store
/// the end fails. Other nodes wait for four seconds.
#[tokio::test(start_paused = true)]
async fn failed_end_is_stored_soon_by_the_node_that_stored_the_latest_turn() {
    let database = Database::new();
    let node = Node::start(&database, 1);
    let game = begun_with_clock(&node, "180+0").await;
    let deadline_ms = database.table(game).await.clock_deadline_ms().unwrap();
    sleep_until_ms(&database, deadline_ms - 1_000).await;
    assert!(node.tables.is_empty(), "the table is still in memory");
    database.treat_each(Operation::Append, Fault::RequestLost);
    sleep_until_ms(&database, deadline_ms + 1_100).await;
    assert!(!node.tables.is_empty(), "nothing was checked");
    database.treat_all(Fault::None);
    let late = end_after_deadline(&database, game).await;
    assert!(late <= Duration::from_millis(3_200), "{late:?}");
}

/// A deadline passes while the check of the clock waits for another submission.
#[tokio::test(start_paused = true)]
async fn deadline_that_passes_during_a_check_is_checked_again() {
    let database = Database::new();
    let node = Node::start(&database, 1);
    let game = begun_with_clock(&node, "180+0").await;
    // The check stays planned for this time, although the turns of both players move the deadline.
    let planned_ms = database.table(game).await.clock_deadline_ms().unwrap();
    sleep(60 * SECOND).await;
    submit(&node, game, &play(0, 1, 3)).await.unwrap();
    sleep(Duration::from_millis(2_500)).await;
    submit(&node, game, &play(1, 8, 4)).await.unwrap();
    let deadline_ms = database.table(game).await.clock_deadline_ms().unwrap();
    assert_eq!(deadline_ms - planned_ms, 2_500);
    // A draw offer holds the lock of the table from before the check until after the deadline. It is not stored, so
    // it plans no check.
    sleep_until_ms(&database, planned_ms - 500).await;
    database.treat(|request| match request.operation {
        Operation::Append => Treatment {
            before: Duration::from_millis(3_800),
            ..Treatment::only(Fault::RequestLost)
        },
        _ => Treatment::default(),
    });
    let (seat, offer, key) = (Seat(1), Offer::Draw, None);
    let offered = submit(&node, game, &Command::Offer { seat, offer, key }).await;
    assert!(
        matches!(offered, Err(SubmitError::Unavailable(_))),
        "{offered:?}"
    );
    assert_eq!(database.now_ms(), deadline_ms + 800);
    database.treat_all(Fault::None);
    let late = end_after_deadline(&database, game).await;
    assert!(late <= 3 * SECOND, "{late:?}");
}

/// For ten seconds nothing can be stored, because the store is unavailable or no node runs.
#[tokio::test(start_paused = true)]
async fn outages_cost_no_time() {
    for (is_shared, is_restart) in [(true, false), (false, false), (true, true), (false, true)] {
        let database = Database::new();
        let start = |seed| Node::start_as(&database, seed, is_shared);
        let mut node = start(1);
        let game = begun(&node).await;
        sleep(6 * SECOND).await;
        match is_restart {
            true => node.kill(),
            false => database.treat_all(Fault::RequestLost),
        }
        sleep(10 * SECOND).await;
        match is_restart {
            true => node = start(2),
            false => database.treat_all(Fault::None),
        }
        let case = format!("shared: {is_shared}, restart: {is_restart}");
        // Ann has four seconds left.
        sleep(2 * SECOND).await;
        let table = database.table(game).await;
        assert!(!table.is_over(), "{case}: {:?}", table.outcome_in_words());
        submit(&node, game, &play(0, 1, 3)).await.unwrap();
        let table = database.table(game).await;
        let left_ms = table.clock(table.last_ms()).unwrap().left_ms[0];
        assert!((1_900..=4_100).contains(&left_ms), "{case}: {left_ms}");
        let stored = database.load(game).await.unwrap();
        let is_added = |entry: &Entry| matches!(entry, Entry::TimeAdded { .. });
        let added = stored
            .entries
            .iter()
            .filter(|logged| is_added(&logged.entry));
        assert_eq!(added.count(), 1, "{case}");
    }
}

/// A late turn is refused, even before the game is ended.
#[tokio::test(start_paused = true)]
async fn late_turn_is_refused() {
    let database = Database::new();
    let node = Node::start(&database, 1);
    let game = begun(&node).await;
    let deadline_ms = database.table(game).await.clock_deadline_ms().unwrap();
    sleep_until_ms(&database, deadline_ms + 100).await;
    let refused = loop {
        match submit(&node, game, &play(0, 1, 3)).await {
            // It is not certain yet that the time has run out.
            Err(SubmitError::Unavailable(_)) => sleep(SECOND / 10).await,
            other => break other,
        }
    };
    let over = TableRefusal::Rules(noughts_rules::Refusal::Over);
    let expected =
        [TableRefusal::TimeIsOver, over].map(|refusal| Err(SubmitError::Refused(refusal)));
    assert!(expected.contains(&refused), "{refused:?}");
    assert_eq!(database.table(game).await.game().turns().len(), 2);
}

/// An answer and a turn race at two nodes. The log decides, and both nodes agree.
#[tokio::test(start_paused = true)]
async fn racing_answers_and_turns_agree() {
    for delay_ms in 0..8 {
        let database = Database::new();
        let nodes: Vec<Node> = (0..2).map(|seed| Node::start(&database, seed)).collect();
        let game = begun(&nodes[0]).await;
        let (seat, key) = (Seat(0), None);
        let offer = Offer::Draw;
        let offered = Command::Offer { seat, offer, key };
        submit(&nodes[0], game, &offered).await.unwrap();
        submit(&nodes[0], game, &play(0, 1, 3)).await.unwrap();
        sleep(SECOND).await;
        let (seat, key) = (Seat(1), None);
        let answer = Answer::Accept(Offer::Draw);
        let accepted = Command::Answer { seat, answer, key };
        database.treat(move |request| Treatment {
            before: Duration::from_millis(match request.node {
                0 => 5,
                _ => 1 + delay_ms,
            }),
            ..Treatment::default()
        });
        let turn = play(1, 8, 4);
        let (accepted, played) = tokio::join!(
            submit(&nodes[0], game, &accepted),
            submit(&nodes[1], game, &turn)
        );
        assert!(
            accepted.is_ok() != played.is_ok(),
            "{accepted:?} {played:?}"
        );
        sleep(3 * SECOND).await;
        let stored = database.table(game).await;
        assert_eq!(stored.is_over(), accepted.is_ok());
        if accepted.is_ok() {
            let reason = DrawReason::Agreement;
            assert_eq!(
                stored.game().conclusion(),
                Some(&Conclusion::Draw { reason })
            );
        }
        for node in &nodes {
            let live = node.tables.get(game).await.unwrap().unwrap();
            let seen = live.read(|table| (table.entry(), table.offers().to_vec(), table.is_over()));
            let expected = (stored.entry(), stored.offers().to_vec(), stored.is_over());
            assert_eq!(seen, expected);
        }
    }
}

/// A takeback against a robot is granted at once, whether the robot has replied or is still computing.
#[tokio::test(start_paused = true)]
async fn takeback_against_a_robot_is_granted_at_once() {
    let database = Database::new();
    let node = Node::start(&database, 1);
    sleep(2 * SECOND).await;
    for strategy in ["first", "minimax:2"] {
        let players = vec![human("Ann"), robot(strategy)];
        let live = create_with_clock(&node, players, Some("180+2")).await;
        let game = live.id();
        submit(&node, game, &play(0, 4, 1)).await.unwrap();
        let (seat, key) = (Seat(0), None);
        let offer = Offer::Takeback;
        let command = Command::Offer { seat, offer, key };
        submit(&node, game, &command).await.unwrap();
        let table = database.table(game).await;
        assert_eq!(table.game().to_move(), Some(Seat(0)), "{strategy}");
        assert_eq!(table.game().plays().len(), 0);
        let turn = table.turn();
        submit(&node, game, &play(0, 0, turn)).await.unwrap();
        let has_replied = until(&database, game, |table| table.game().plays().len() == 2).await;
        assert!(has_replied.is_some(), "{strategy}");
    }
}
