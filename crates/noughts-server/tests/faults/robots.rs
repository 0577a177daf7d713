//! Robots whose node dies, or whose turn begins with a fault.

use std::time::Duration;

use noughts_rules::{Action, Seat};
use noughts_server::{Command, GameId, ROBOT_DEADLINE_MS, Table};

use crate::cluster::{Database, Fault, Node, Operation, Treatment};
use crate::{create, human, play, robot, submit, until};

/// `greedy` counts as a robot that takes long, although it is quick.
const THINKER: &str = "greedy";

#[tokio::test(start_paused = true)]
async fn another_node_moves_for_a_robot_whose_node_died() {
    let database = Database::new();
    let mut nodes = [Node::start(&database, 1), Node::start(&database, 2)];
    let game = create(&nodes[0], vec![human("Ann"), robot(THINKER)])
        .await
        .id();
    // The turn is stored but not the robot's reply, because its node dies first.
    database.treat(|_| Treatment {
        before: Duration::from_millis(100),
        ..Treatment::default()
    });
    let first = play(0, 0, 1);
    assert_eq!(submit(&nodes[0], game, &first).await, Ok(()));
    nodes[0].kill();
    let took = until(&database, game, |table| table.turn() == 3)
        .await
        .unwrap();
    let deadline = Duration::from_millis(ROBOT_DEADLINE_MS);
    let is_in_time = took >= deadline && took < deadline + Duration::from_secs(8);
    assert!(is_in_time, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn game_of_robots_goes_on_after_its_node_died() {
    let database = Database::new();
    let mut nodes = [Node::start(&database, 1), Node::start(&database, 2)];
    database.treat(|_| Treatment {
        before: Duration::from_millis(100),
        ..Treatment::default()
    });
    let game = create(&nodes[0], vec![robot("random"), robot(THINKER)])
        .await
        .id();
    until(&database, game, |table| table.turn() >= 3)
        .await
        .unwrap();
    nodes[0].kill();
    let took = until(&database, game, Table::is_over).await.unwrap();
    assert!(took < Duration::from_secs(30), "{took:?}");
}

/// The turn is stored although the store's reply is lost, so the robot is to move. It must move when the client repeats
/// its request, without waiting for a deadline.
#[tokio::test(start_paused = true)]
async fn robot_answers_a_turn_whose_reply_was_lost() {
    for is_shared in [false, true] {
        let database = Database::new();
        let node = Node::start_as(&database, 1, is_shared);
        let game = create(&node, vec![human("Ann"), robot(THINKER)]).await.id();
        database.treat_each(Operation::Append, Fault::ReplyLost);
        assert!(submit(&node, game, &play(0, 0, 1)).await.is_err());
        database.treat_all(Fault::None);
        assert_eq!(submit(&node, game, &play(0, 0, 1)).await, Ok(()));
        let took = until(&database, game, |table| table.turn() == 3)
            .await
            .unwrap();
        assert!(
            took < Duration::from_secs(1),
            "{took:?}, shared: {is_shared}"
        );
    }
}

/// In a rematch the robot moves first, without waiting for a deadline.
#[tokio::test(start_paused = true)]
async fn robot_moves_first_in_a_rematch() {
    for is_shared in [false, true] {
        let database = Database::new();
        let node = Node::start_as(&database, 1, is_shared);
        let game = create(&node, vec![human("Ann"), robot(THINKER)]).await.id();
        let resign = Command::Act {
            seat: Seat(0),
            action: Action::Resign,
            turn: 1,
            key: None,
        };
        submit(&node, game, &resign).await.unwrap();
        let (seat, next) = (Seat(0), GameId::random());
        let offer = Command::OfferRematch { seat, next };
        submit(&node, game, &offer).await.unwrap();
        node.tables.get(next).await.unwrap().unwrap();
        let took = until(&database, next, |table| table.turn() == 2)
            .await
            .unwrap();
        assert!(
            took < Duration::from_secs(1),
            "{took:?}, shared: {is_shared}"
        );
    }
}
