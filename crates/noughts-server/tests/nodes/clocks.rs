//! Clocks with a real PostgreSQL: games end in time, also if their node dies, and an outage costs no player
//! time.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::TIMEOUT;
use crate::client::Game;
use crate::node::three;
use crate::postgres_server::Server;

const TABLE: &str = r#"{"variant":"16x16k16","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1],"clock":{"base":10}}"#;

/// Additional time for a busy machine.
const SLACK: Duration = Duration::from_secs(1);

/// A game after the first turn of each player, and the time at which the clock of the first runs out.
async fn begun(port: u16) -> (Game, Instant) {
    let mut game = Game::create(port, TABLE).await;
    for _ in 0..2 {
        assert_eq!(game.play(port).await, 200);
    }
    let deadline = Instant::now() + left(&game, port).await;
    (game, deadline)
}

/// The time that the first player has left.
async fn left(game: &Game, port: u16) -> Duration {
    let view = game.view(port).await;
    Duration::from_millis(view["clock"]["left_ms"][0].as_u64().expect("a clock"))
}

/// How long after the deadline a node shows that the game ended by time.
async fn ended_after(game: &Game, port: u16, deadline: Instant) -> Duration {
    let begun = Instant::now();
    loop {
        let view = game.view(port).await;
        if view["outcome"]["reason"] == "time" {
            assert_eq!(view["outcome"]["sides"], serde_json::json!([1]));
            let late = Instant::now().checked_duration_since(deadline);
            return late.expect("the game ended before its deadline");
        }
        assert!(view["outcome"].is_null(), "{view}");
        assert!(begun.elapsed() < TIMEOUT, "the game does not end");
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn games_end_in_time_also_when_their_node_dies() {
    let mut server = Server::start();
    let [first, second, third] = three(&server.database("clocks")).await;
    let (alive, alive_deadline) = begun(second.http).await;
    let (orphan, orphan_deadline) = begun(first.http).await;
    sleep(orphan_deadline - Instant::now() - Duration::from_secs(2)).await;
    drop(first);
    let late = ended_after(&alive, third.http, alive_deadline).await;
    assert!(late <= Duration::from_secs(2) + SLACK, "{late:?}");
    let late = ended_after(&orphan, third.http, orphan_deadline).await;
    assert!(late <= Duration::from_secs(6) + SLACK, "{late:?}");
}

#[tokio::test]
async fn outage_of_the_database_costs_no_time() {
    let mut server = Server::start();
    let nodes = three(&server.database("clocks")).await;
    let (mut game, _) = begun(nodes[0].http).await;
    sleep(Duration::from_secs(3)).await;
    let before = left(&game, nodes[0].http).await;
    server.end();
    sleep(Duration::from_secs(10)).await;
    server.begin();
    let back = Instant::now();
    // A sweep of any node notes the outage.
    while game.play(nodes[1].http).await != 200 {
        assert!(back.elapsed() < TIMEOUT, "the game cannot go on");
        sleep(Duration::from_millis(100)).await;
    }
    let passed = back.elapsed() + SLACK;
    let after = left(&game, nodes[1].http).await;
    assert!(
        after + passed >= before,
        "{before:?} became {after:?} in {passed:?}"
    );
}
