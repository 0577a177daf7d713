//! TCP clients that take seats while the store fails.

use std::time::Duration;

use noughts_rules::{Action, Move, Seat};
use noughts_server::{Holder, OpenTo, Table};
use tokio::time::{sleep, timeout};

use crate::cluster::{Database, Fault, Node, Operation, Treatment};
use crate::{TIMEOUT, create, human, robot, until};

fn lobby() -> Holder {
    Holder::Open(OpenTo::Lobby)
}

/// Each request takes some time, and the first one for this operation has this fault.
fn fail_first(database: &Database, operation: Operation, fault: Fault, after_ms: u64) {
    let mut count = 0;
    database.treat(move |request| {
        count += usize::from(request.operation == operation);
        Treatment {
            before: Duration::from_millis(100),
            after: Duration::from_millis(after_ms),
            fault: match request.operation == operation && count == 1 {
                true => fault,
                false => Fault::None,
            },
        }
    });
}

/// Asserts that every stored game is over.
async fn check_all_over(database: &Database, case: &str) {
    for id in database.ids() {
        if database.load(id).await.is_some() {
            assert!(database.table(id).await.is_over(), "{case}");
        }
    }
}

/// A lobby seat is not lost while nobody can be seated there.
#[tokio::test(start_paused = true)]
async fn waiting_client_is_seated_when_the_store_is_back() {
    let database = Database::new();
    let mut node = Node::start_alone(&database, 1);
    let game = create(&node, vec![robot("first"), lobby()]).await.id();
    sleep(Duration::from_secs(5)).await;
    database.treat_all(Fault::RequestLost);
    let mut client = node.matchmaking.join("Ann".to_owned());
    let seated = timeout(TIMEOUT, client.seat()).await;
    assert!(seated.is_err(), "{seated:?}");
    database.treat_all(Fault::None);
    let seated = timeout(TIMEOUT, client.seat()).await;
    let Ok(Some(seat)) = seated else {
        panic!("{seated:?}");
    };
    assert_eq!((seat.game(), seat.seat()), (game, Seat(1)));
    drop((client, seat));
    assert!(node.stop().await);
}

/// The client's seat is stored, but the replies of the store are lost.
#[tokio::test(start_paused = true)]
async fn lost_reply_seats_a_waiting_client_once() {
    let database = Database::new();
    let node = Node::start_alone(&database, 1);
    let game = create(&node, vec![human("Ann"), lobby()]).await.id();
    database.treat_each(Operation::Append, Fault::ReplyLost);
    let mut client = node.matchmaking.join("Bob".to_owned());
    let seat = timeout(TIMEOUT, client.seat()).await.unwrap().unwrap();
    assert_eq!((seat.game(), seat.seat()), (game, Seat(1)));
    assert_eq!(database.load(game).await.unwrap().entries.len(), 1);
}

/// The client has disconnected when the store's reply is lost. If the client got a seat, it must leave the game.
#[tokio::test(start_paused = true)]
async fn lost_reply_leaves_no_ghost_opponent() {
    for fault in [Fault::ReplyLost, Fault::RequestLost, Fault::CarriedOutLater] {
        for gone_after_ms in [50, 150, 400] {
            let database = Database::new();
            let node = Node::start_alone(&database, 1);
            let game = create(&node, vec![human("Ann"), lobby()]).await.id();
            fail_first(&database, Operation::Append, fault, 100);
            let client = node.matchmaking.join("Bob".to_owned());
            sleep(Duration::from_millis(gone_after_ms)).await;
            drop(client);
            sleep(Duration::from_secs(5)).await;
            let table = database.table(game).await;
            let is_open = table.holder(Seat(1)) == Some(&lobby());
            assert!(
                is_open || table.is_over(),
                "{fault:?}, gone after {gone_after_ms} ms: {:?}",
                table.holders()
            );
        }
    }
}

/// A pair's table may be stored although neither client got an answer.
#[tokio::test(start_paused = true)]
async fn disconnected_pair_leaves_no_open_game() {
    for fault in [Fault::ReplyLost, Fault::RequestLost, Fault::CarriedOutLater] {
        for gone_after_ms in [50, 150, 400] {
            let database = Database::new();
            let node = Node::start_alone(&database, 1);
            fail_first(&database, Operation::Create, fault, 300);
            let ann = node.matchmaking.join("Ann".to_owned());
            let bob = node.matchmaking.join("Bob".to_owned());
            sleep(Duration::from_millis(gone_after_ms)).await;
            drop((ann, bob));
            sleep(Duration::from_secs(5)).await;
            let case = format!("{fault:?}, gone after {gone_after_ms} ms");
            check_all_over(&database, &case).await;
        }
    }
}

/// A table against a robot may be stored although the client got no answer.
#[tokio::test(start_paused = true)]
async fn disconnected_client_leaves_no_open_robot_game() {
    let faults = [
        Fault::None,
        Fault::ReplyLost,
        Fault::RequestLost,
        Fault::CarriedOutLater,
    ];
    for fault in faults {
        for gone_after_ms in [50, 150, 400] {
            let database = Database::new();
            let node = Node::start_alone(&database, 1);
            fail_first(&database, Operation::Create, fault, 300);
            let strategy = "first".parse().unwrap();
            let seat = node
                .matchmaking
                .play_robot("Ann".to_owned(), strategy, None);
            let gone_after = Duration::from_millis(gone_after_ms);
            // The client has disconnected, or leaves at once.
            drop(timeout(gone_after, seat).await);
            sleep(Duration::from_secs(5)).await;
            let case = format!("{fault:?}, gone after {gone_after_ms} ms");
            check_all_over(&database, &case).await;
        }
    }
}

/// The request to create the game arrives long after the client has disconnected and the store was searched
/// for the game.
#[tokio::test(start_paused = true)]
async fn game_created_after_its_client_left_is_ended() {
    let database = Database::new();
    let node = Node::start_alone(&database, 1);
    let mut creations = 0;
    database.treat(move |request| {
        creations += usize::from(request.operation == Operation::Create);
        match request.operation == Operation::Create && creations == 1 {
            true => Treatment {
                before: Duration::from_millis(100),
                fault: Fault::CarriedOutLater,
                after: Duration::from_secs(3),
            },
            false => Treatment::default(),
        }
    });
    let strategy = "first".parse().unwrap();
    let seat = node
        .matchmaking
        .play_robot("Ann".to_owned(), strategy, None);
    assert!(timeout(Duration::from_millis(50), seat).await.is_err());
    sleep(Duration::from_secs(10)).await;
    let games = database.ids();
    assert_eq!(games.len(), 1);
    assert!(database.table(games[0]).await.is_over());
}

/// If the store does not reply, a move is not refused. It is stored when the store is back.
#[tokio::test(start_paused = true)]
async fn move_waits_for_the_store() {
    for fault in [Fault::RequestLost, Fault::ReplyLost, Fault::CarriedOutLater] {
        let database = Database::new();
        let node = Node::start_alone(&database, 1);
        let strategy = "first".parse().unwrap();
        let seat = node
            .matchmaking
            .play_robot("Ann".to_owned(), strategy, None);
        let mut seat = seat.await;
        database.treat_each(Operation::Append, fault);
        let act = tokio::spawn(seat.act(Action::Play(Move::at(8)), 1));
        sleep(Duration::from_secs(20)).await;
        assert_eq!(act.is_finished(), fault != Fault::RequestLost, "{fault:?}");
        database.treat_all(Fault::None);
        assert_eq!(timeout(TIMEOUT, act).await.unwrap().unwrap(), Ok(()));
        assert_eq!(
            seat.progress().turns.len(),
            2,
            "the move and the robot's reply"
        );
        assert!(
            until(&database, seat.game(), |table: &Table| table.turn() == 3)
                .await
                .is_some()
        );
    }
}
