//! Nodes that die, and nodes that run but cannot reach the store.

use std::time::Duration;

use noughts_rules::{Action, Move};
use noughts_server::{ConnectedSeat, Table};
use tokio::time::{sleep, timeout};

use crate::cluster::{Database, Fault, Node, Treatment};
use crate::{TIMEOUT, create, human, until};

/// Two TCP clients of one node, paired, in the order of their seats.
async fn pair(node: &Node) -> [ConnectedSeat; 2] {
    let mut clients = ["Ann", "Bob"].map(|name| node.matchmaking.join(name.to_owned()));
    let mut seats = Vec::new();
    for client in &mut clients {
        seats.push(timeout(TIMEOUT, client.seat()).await.unwrap().unwrap());
    }
    seats.sort_by_key(|seat| seat.seat().0);
    seats.try_into().unwrap()
}

#[tokio::test(start_paused = true)]
async fn store_outage_ends_no_game_of_connected_clients() {
    for outage_s in 8..=25 {
        for is_slow in [false, true] {
            let database = Database::new();
            let nodes = [1, 2, 3].map(|seed| Node::start(&database, seed));
            let mut seats = Vec::new();
            for node in &nodes {
                seats.push(pair(node).await);
            }
            sleep(Duration::from_secs(15)).await;
            match is_slow {
                true => database.treat(move |_| Treatment {
                    before: Duration::from_secs(outage_s),
                    ..Treatment::default()
                }),
                false => database.treat_all(Fault::RequestLost),
            }
            sleep(Duration::from_secs(outage_s)).await;
            database.treat_all(Fault::None);
            sleep(Duration::from_secs(40)).await;
            for [first, _] in &mut seats {
                let game = first.game();
                let table = database.table(game).await;
                assert!(
                    !table.is_over(),
                    "{outage_s} s: {}",
                    table.outcome_in_words()
                );
                assert_eq!(first.act(Action::Play(Move::at(0)), 1).await, Ok(()));
                assert_eq!(first.progress().end, None);
            }
            assert_eq!(database.nodes().len(), 3);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn tcp_games_of_a_dead_node_end_and_http_games_go_on() {
    let database = Database::new();
    let mut nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let seats = pair(&nodes[0]).await;
    let (tcp, dead) = (seats[0].game(), nodes[0].id());
    let http = create(&nodes[0], vec![human("Ann"), human("Bob")])
        .await
        .id();
    sleep(Duration::from_secs(20)).await;
    nodes[0].kill();
    drop(seats);
    let took = until(&database, tcp, Table::is_over).await.unwrap();
    let is_in_time = took > Duration::from_secs(8) && took < Duration::from_secs(13);
    assert!(is_in_time, "{took:?}");
    assert_eq!(database.table(tcp).await.outcome_in_words(), "abandoned");
    sleep(Duration::from_secs(60)).await;
    assert!(!database.table(http).await.is_over());
    assert!(!database.nodes().contains(&dead), "it is forgotten");
    assert!(database.nodes().contains(&nodes[1].id()));
}

/// In a lobby game, the player in the browser continues and wins when the TCP client's node dies.
#[tokio::test(start_paused = true)]
async fn opponent_of_a_dead_nodes_client_wins() {
    let database = Database::new();
    let mut nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let lobby = noughts_server::Holder::Open(noughts_server::OpenTo::Lobby);
    let game = create(&nodes[1], vec![human("Ann"), lobby]).await.id();
    let mut client = nodes[0].matchmaking.join("Bob".to_owned());
    let seat = timeout(TIMEOUT, client.seat()).await.unwrap().unwrap();
    assert_eq!(seat.game(), game);
    nodes[0].kill();
    drop((client, seat));
    let live = nodes[1].tables.get(game).await.unwrap().unwrap();
    let mut watch = live.watch().unwrap();
    let ended = async {
        loop {
            let update = watch.updates.recv().await.unwrap();
            if let noughts_server::Change::View(view) = &update.change {
                return view.game.outcome.clone();
            }
        }
    };
    let outcome = timeout(Duration::from_secs(15), ended).await.unwrap();
    assert!(outcome.is_some());
    assert_eq!(
        database.table(game).await.outcome_in_words(),
        "x won by leaving"
    );
}

#[tokio::test(start_paused = true)]
async fn stopping_node_ends_its_tcp_games_at_once() {
    let database = Database::new();
    let mut nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let seats = pair(&nodes[0]).await;
    let game = seats[0].game();
    assert!(nodes[0].stop().await);
    assert_eq!(database.table(game).await.outcome_in_words(), "abandoned");
    assert_eq!(database.nodes(), [nodes[1].id()]);
}
