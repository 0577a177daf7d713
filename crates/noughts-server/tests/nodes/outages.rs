//! PostgreSQL is stopped or frozen while three nodes have running games.

use std::process::Command;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::client::{Frame, Game, Tcp, http};
use crate::node::{Node, three};
use crate::postgres_server::Server;

/// Number of games against the computer. Together with the pairs there are 45 TCP clients, about 15 at each node.
const ROBOT_GAMES: usize = 15;
const PAIRS: usize = 15;
const HTTP_GAMES: usize = 9;

/// Maximum time until a node stores again.
const RECOVERY: Duration = Duration::from_secs(2);

const LONG_TABLE: &str =
    r#"{"variant":"16x16k16","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

/// What happens to the database.
#[derive(Clone, Copy)]
enum Outage {
    Stopped,
    Frozen,
}

/// Checks an outage of this many seconds, under three nodes with 45 TCP clients and 9 games of the API.
async fn check_outage(outage: Outage, seconds: u64) {
    let mut server = Server::start();
    let store = server.database("outage");
    let nodes = three(&store).await;
    let (robot_games, pairs, mut games) = begin(&nodes).await;
    // Wait until the nodes know each other.
    sleep(Duration::from_secs(2)).await;
    match outage {
        Outage::Stopped => server.end(),
        Outage::Frozen => signal_all(&server, "STOP"),
    }
    let until = Instant::now() + Duration::from_secs(seconds);
    // All clients move while nothing can be stored.
    let clients = robot_games.into_iter().chain(pairs.into_iter().flatten());
    let clients: Vec<_> = clients
        .map(|(mut client, is_to_move)| {
            tokio::spawn(async move {
                if is_to_move {
                    client.play().await;
                }
                client.go_on().await
            })
        })
        .collect();
    let mut acting = Vec::new();
    for (number, mut game) in games.drain(..).enumerate() {
        let port = nodes[number % 3].http;
        acting.push(tokio::spawn(async move {
            while Instant::now() < until {
                let status = game.play(port).await;
                assert!([200, 503].contains(&status), "{status}");
                sleep(Duration::from_millis(200)).await;
            }
            game
        }));
    }
    sleep(until.saturating_duration_since(Instant::now())).await;
    match outage {
        Outage::Stopped => server.begin(),
        Outage::Frozen => signal_all(&server, "CONT"),
    }
    let back = Instant::now();
    for node in &nodes {
        while http(node.http, "GET", "/readyz", "", None).await.0 != 200 {
            sleep(Duration::from_millis(20)).await;
        }
        let mut game = Game::create(node.http, LONG_TABLE).await;
        assert_eq!(game.play(node.http).await, 200);
        let took = back.elapsed();
        assert!(took <= RECOVERY, "a node recovered after {took:?}");
    }
    let mut flags = [0; 3];
    for client in clients {
        // No error and no close: the game continues to its end.
        flags[usize::from(client.await.unwrap())] += 1;
    }
    assert_eq!(flags.iter().sum::<usize>(), ROBOT_GAMES + 2 * PAIRS);
    for (number, acting) in acting.into_iter().enumerate() {
        let mut game = acting.await.unwrap();
        assert!(game.turns() > 0);
        assert_eq!(game.play(nodes[number % 3].http).await, 200);
        let view = game.view(nodes[(number + 1) % 3].http).await;
        assert!(view["turn"].as_u64() >= Some(game.turns() as u64), "{view}");
    }
    no_game_was_left(&nodes[0]).await;
    // Long enough that a node would be declared dead.
    if seconds > 10 {
        sleep(Duration::from_secs(12)).await;
        no_game_was_left(&nodes[1]).await;
    }
}

/// Begins all games. Returns the TCP clients of both listeners, each with whether it is to move, and the games of the
/// API.
async fn begin(nodes: &[Node; 3]) -> (Vec<(Tcp, bool)>, Vec<[(Tcp, bool); 2]>, Vec<Game>) {
    let mut robot_games = Vec::new();
    for number in 0..ROBOT_GAMES {
        let mut client = Tcp::join(nodes[number % 3].tcp, "Ann").await;
        assert!(client.admitted().await);
        client.play().await;
        assert!(matches!(client.next().await, Frame::Action(_)));
        robot_games.push((client, true));
    }
    let mut pairs = Vec::new();
    for number in 0..PAIRS {
        // In about half of the pairs, the two clients are at different nodes.
        let mut ann = Tcp::join(nodes[number % 3].pairs, "Ann").await;
        let mut bob = Tcp::join(nodes[(number + number % 2) % 3].pairs, "Bob").await;
        let (ann_first, bob_first) = tokio::join!(ann.admitted(), bob.admitted());
        assert_ne!(ann_first, bob_first);
        let (mover, other) = match ann_first {
            true => (&mut ann, &mut bob),
            false => (&mut bob, &mut ann),
        };
        mover.play().await;
        assert!(matches!(other.next().await, Frame::Action(_)));
        pairs.push([(ann, bob_first), (bob, ann_first)]);
    }
    let mut games = Vec::new();
    for number in 0..HTTP_GAMES {
        let mut game = Game::create(nodes[number % 3].http, LONG_TABLE).await;
        assert_eq!(game.play(nodes[(number + 1) % 3].http).await, 200);
        games.push(game);
    }
    (robot_games, pairs, games)
}

async fn no_game_was_left(node: &Node) {
    let path = "/api/games?limit=100";
    let (status, list) = http(node.http, "GET", path, "", None).await;
    assert_eq!(status, 200);
    let games = list["games"].as_array().unwrap();
    assert!(games.len() >= ROBOT_GAMES + PAIRS + HTTP_GAMES);
    for game in games {
        let text = game.to_string();
        assert!(!text.contains("leaving"), "{text}");
        assert!(!text.contains("abandoned"), "{text}");
    }
}

/// Sends a signal to every process of the database.
fn signal_all(server: &Server, signal: &str) {
    let file = server.directory().join("data/postmaster.pid");
    let text = std::fs::read_to_string(file).unwrap();
    let postmaster = text.lines().next().unwrap().to_owned();
    let children = std::fs::read_dir("/proc").unwrap().filter_map(|process| {
        let pid = process.ok()?.file_name().into_string().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // After the name, which may have spaces: the state and the parent.
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.to_owned();
        (parent == postmaster).then_some(pid)
    });
    let mut pids: Vec<String> = vec![postmaster.clone()];
    pids.extend(children);
    assert!(pids.len() > 1, "a database has several processes");
    let status = Command::new("kill")
        .arg(format!("-{signal}"))
        .args(&pids)
        .status();
    assert!(status.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn games_survive_a_database_that_is_stopped_for_5_seconds() {
    check_outage(Outage::Stopped, 5).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that is stopped for 12 seconds"]
async fn games_survive_a_database_that_is_stopped_for_12_seconds() {
    check_outage(Outage::Stopped, 12).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that is stopped for 25 seconds"]
async fn games_survive_a_database_that_is_stopped_for_25_seconds() {
    check_outage(Outage::Stopped, 25).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that is frozen for 12 seconds"]
async fn games_survive_a_database_that_is_frozen_for_12_seconds() {
    check_outage(Outage::Frozen, 12).await;
}

/// A client moves while the database is unavailable: within the idle limit there is no error and no close;
/// after it the connection is closed.
#[tokio::test(flavor = "multi_thread")]
async fn a_tcp_client_is_not_blamed_for_a_database_that_is_away() {
    let mut server = Server::start();
    let store = server.database("away");
    let idle = Duration::from_secs(4);
    let node = Node::with_idle(&store, idle).await;
    let mut kept = Tcp::join(node.tcp, "Ann").await;
    assert!(kept.admitted().await);
    server.end();
    kept.play().await;
    let quiet = tokio::time::timeout(Duration::from_millis(1_500), kept.read()).await;
    assert!(quiet.is_err(), "{quiet:?} while the database is away");
    server.begin();
    assert!(matches!(kept.next().await, Frame::Action(_)));
    let mut closed = Tcp::join(node.tcp, "Bob").await;
    assert!(closed.admitted().await);
    server.end();
    let begun = Instant::now();
    closed.play().await;
    // The robot's answer to this client never comes.
    assert_eq!(closed.next().await, Frame::Closed);
    assert!(begun.elapsed() + Duration::from_millis(100) >= idle);
}
