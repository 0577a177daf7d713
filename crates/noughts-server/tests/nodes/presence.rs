//! Players at two nodes see each other.

use crate::client::{Events, Game};
use crate::node::Node;
use crate::postgres_server::Server;

const TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn players_of_two_nodes_see_each_other_come_and_go() {
    let mut server = Server::start();
    let store = server.database("presence");
    let nodes = [Node::start(&store).await, Node::start(&store).await];
    let game = Game::create(nodes[0].http, TABLE).await;
    let mut ann = Events::open(nodes[0].http, &game.id, &game.tokens[0]).await;
    ann.until_present([true, false]).await;
    let mut bob = Events::open(nodes[1].http, &game.id, &game.tokens[1]).await;
    bob.until_present([true, true]).await;
    ann.until_present([true, true]).await;
    drop(bob);
    ann.until_present([true, false]).await;
    // A connection ends while the database is unavailable. When the database is back, the player is shown as away.
    let mut bob = Events::open(nodes[1].http, &game.id, &game.tokens[1]).await;
    bob.until_present([true, true]).await;
    ann.until_present([true, true]).await;
    server.end();
    drop(bob);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    server.begin();
    ann.until_present([true, false]).await;
    let view = game.view(nodes[1].http).await;
    assert_eq!(view["seats"][1]["present"], false);
}
