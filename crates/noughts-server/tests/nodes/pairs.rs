//! Opponents at different nodes.

use std::collections::HashSet;

use crate::client::{Game, Tcp, http};
use crate::node::{Node, three};
use crate::postgres_server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn tcp_clients_of_two_nodes_play_to_the_end() {
    let mut server = Server::start();
    let store = server.database("pair");
    let nodes = [Node::start(&store).await, Node::start(&store).await];
    let mut ann = Tcp::join(nodes[0].pairs, "Ann").await;
    let mut bob = Tcp::join(nodes[1].pairs, "Bob").await;
    for _ in 0..3 {
        let results = tokio::join!(ann.play_to_end(), bob.play_to_end());
        // Both play the first free cell, so the first to move wins.
        assert!([(1, 0), (0, 1)].contains(&results), "{results:?}");
        ann.ask_for_game().await;
        bob.ask_for_game().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tcp_client_takes_a_lobby_seat_of_another_node() {
    let mut server = Server::start();
    let store = server.database("lobby");
    let nodes = [Node::start(&store).await, Node::start(&store).await];
    let lobby = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"lobby"}],"take":[0]}"#;
    for browser_first in [true, false] {
        let (mut game, mut bob) = match browser_first {
            true => {
                let game = Game::create(nodes[0].http, lobby).await;
                (game, Tcp::join(nodes[1].pairs, "Bob").await)
            }
            false => {
                let bob = Tcp::join(nodes[1].pairs, "Bob").await;
                // Bob is in the store's list before the seat opens.
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                (Game::create(nodes[0].http, lobby).await, bob)
            }
        };
        assert!(!bob.admitted().await, "the browser moves first");
        let view = game.view(nodes[1].http).await;
        assert_eq!(view["seats"][1]["name"], "Bob");
        assert_eq!(game.play(nodes[0].http).await, 200);
        assert!(matches!(bob.next().await, crate::client::Frame::Action(_)));
    }
}

/// Forty clients at three nodes at once: each gets an opponent and a result, twice.
#[tokio::test(flavor = "multi_thread")]
async fn forty_clients_of_three_nodes_are_paired_once_each() {
    let mut server = Server::start();
    let store = server.database("forty");
    let nodes = three(&store).await;
    let mut clients = Vec::new();
    for number in 0..40 {
        let port = nodes[number % 3].pairs;
        clients.push(tokio::spawn(async move {
            let mut client = Tcp::join(port, &format!("c{number}")).await;
            let first = client.play_to_end().await;
            client.ask_for_game().await;
            (client.play_to_end().await, first)
        }));
    }
    let mut results = [0; 3];
    for client in clients {
        let (second, first) = client.await.unwrap();
        results[usize::from(first)] += 1;
        results[usize::from(second)] += 1;
    }
    // A client in its second game may meet one in its first.
    assert_eq!(results, [40, 40, 0]);
    let path = "/api/games?limit=100";
    let (_, list) = crate::client::http(nodes[0].http, "GET", path, "", None).await;
    let games = list["games"].as_array().unwrap();
    let ids: HashSet<&str> = games
        .iter()
        .map(|game| game["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 40);
    assert!(games.iter().all(|game| game["status"] == "over"), "{list}");
}

/// 1 000 players at three nodes request a quick match. Each gets one game against another player.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_quick_matches_of_three_nodes_are_paired_once_each() {
    const PLAYERS: usize = 1_000;
    /// Number of simultaneous requests. Each uses its own connection.
    const AT_ONCE: usize = 100;
    let mut server = Server::start();
    let store = server.database("quick");
    let nodes = three(&store).await;
    let ports: Vec<u16> = nodes.iter().map(|node| node.http).collect();
    let gate = std::sync::Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
    let mut tokens = Vec::new();
    let mut all = tokio::task::JoinSet::new();
    for number in 0..PLAYERS {
        let (port, gate) = (ports[number % 3], std::sync::Arc::clone(&gate));
        all.spawn(async move {
            let _permit = gate.acquire_owned().await.unwrap();
            let body = format!(r#"{{"name":"p{number}"}}"#);
            let (status, player) = http(port, "POST", "/api/players", "", Some(&body)).await;
            assert_eq!(status, 201, "{player}");
            player["token"].as_str().unwrap().to_owned()
        });
    }
    while let Some(token) = all.join_next().await {
        tokens.push(token.unwrap());
    }
    let begun = std::time::Instant::now();
    let mut all = tokio::task::JoinSet::new();
    for (number, token) in tokens.into_iter().enumerate() {
        let (port, gate) = (ports[number % 3], std::sync::Arc::clone(&gate));
        // The result is read at another node than the one that got the request.
        let other = ports[(number + 1) % 3];
        all.spawn(async move {
            let id = {
                let _permit = gate.acquire_owned().await.unwrap();
                let body = r#"{"variant":"3x3k3"}"#;
                let (status, asked) = http(port, "POST", "/api/matches", &token, Some(body)).await;
                assert_eq!(status, 202, "{asked}");
                asked["id"].as_str().unwrap().to_owned()
            };
            let path = format!("/api/matches/{id}");
            loop {
                let (status, found) = http(other, "GET", &path, &token, None).await;
                assert_eq!(status, 200, "{found}");
                if found["status"] == "matched" {
                    let game = found["game"].as_str().unwrap().to_owned();
                    return (game, found["seat"].as_u64().unwrap());
                }
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        });
    }
    let mut seats: HashSet<(String, u64)> = HashSet::new();
    while let Some(seat) = all.join_next().await {
        let (game, seat) = seat.unwrap();
        assert!(
            seats.insert((game.clone(), seat)),
            "seat {seat} of {game} twice"
        );
    }
    println!("{PLAYERS} players were paired in {:?}", begun.elapsed());
    let games: HashSet<&String> = seats.iter().map(|(game, _)| game).collect();
    assert_eq!((seats.len(), games.len()), (PLAYERS, PLAYERS / 2));
    // Nobody plays against themselves.
    for game in games.into_iter().take(20) {
        let path = format!("/api/games/{game}");
        let (_, view) = http(ports[0], "GET", &path, "", None).await;
        assert_ne!(view["seats"][0]["player"], view["seats"][1]["player"]);
        assert!(view["seats"][0]["name"].as_str().unwrap().starts_with('p'));
    }
}
