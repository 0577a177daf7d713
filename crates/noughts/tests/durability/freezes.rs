//! A process that is frozen and continues later, as when a virtual machine is moved.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Client;
use crate::postgres_server::Server;
use crate::server_process::ServerProcess;

const TABLE: &str =
    r#"{"variant":"16x16k16","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

/// Long enough that the other processes declare the frozen process dead.
const FROZEN: Duration = Duration::from_secs(15);

fn play(port: u16, game: &Value, turn: usize) -> u16 {
    let id = game["id"].as_str().unwrap();
    let token = game["tokens"][((turn + 1) % 2).to_string()]
        .as_str()
        .unwrap();
    let body = format!(r#"{{"turn":{turn},"play":"0-{turn}"}}"#);
    let path = format!("/api/games/{id}/actions");
    let answer = Client::new(port).ask("POST", &path, token, "", Some(&body));
    answer.unwrap().status
}

#[test]
#[ignore = "long: a node that is frozen for 15 seconds"]
fn a_node_that_is_frozen_for_15_seconds_loses_no_http_game() {
    let mut database = Server::start();
    let store = database.database("frozen");
    let nodes = [0; 3].map(|_| ServerProcess::start(&store));
    let mut games = Vec::new();
    for number in 0..9 {
        let port = nodes[number % 3].http;
        let created = Client::new(port).ask("POST", "/api/games", "", "", Some(TABLE));
        let game = created.unwrap().body;
        assert_eq!(play(port, &game, 1), 200);
        games.push(game);
    }
    // Wait until the nodes know each other.
    sleep(Duration::from_secs(2));
    nodes[0].signal("STOP");
    let thawed = Instant::now() + FROZEN;
    // The games of the frozen node go on at the other nodes.
    for game in &games {
        assert_eq!(play(nodes[1].http, game, 2), 200);
    }
    sleep(thawed.saturating_duration_since(Instant::now()));
    nodes[0].signal("CONT");
    for game in &games {
        assert_eq!(play(nodes[0].http, game, 3), 200);
    }
    // If a node still believed that another node is dead, it would have ended the games by now.
    sleep(Duration::from_secs(12));
    for (number, game) in games.iter().enumerate() {
        let path = format!("/api/games/{}", game["id"].as_str().unwrap());
        let view = Client::new(nodes[number % 3].http).get(&path).unwrap().body;
        assert_eq!((&view["turn"], &view["outcome"]), (&4.into(), &Value::Null));
    }
}
