//! Several processes with one database: a client may talk to any of them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Answer, Client, Events};
use crate::load::{LoadState, Player};
use crate::postgres_server::Server;
use crate::proxy::proxy_without_listen;
use crate::server_process::ServerProcess;

const TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

struct CreatedTable {
    id: String,
    tokens: Value,
}

fn create_table(port: u16, table: &str) -> CreatedTable {
    let created = Client::new(port)
        .ask("POST", "/api/games", "", "", Some(table))
        .unwrap();
    assert_eq!(created.status, 201, "{}", created.text);
    CreatedTable {
        id: created.body["id"].as_str().unwrap().to_owned(),
        tokens: created.body["tokens"].clone(),
    }
}

impl CreatedTable {
    fn act(&self, port: u16, seat: usize, body: &str) -> Answer {
        let token = self.tokens[seat.to_string()].as_str().unwrap();
        let path = format!("/api/games/{}/actions", self.id);
        Client::new(port)
            .ask("POST", &path, token, "", Some(body))
            .unwrap()
    }

    fn play(&self, port: u16, turn: usize, cell: &str) -> Answer {
        let body = format!(r#"{{"turn":{turn},"play":"{cell}"}}"#);
        self.act(port, (turn + 1) % 2, &body)
    }

    fn view(&self, port: u16) -> Value {
        Client::new(port)
            .get(&format!("/api/games/{}", self.id))
            .unwrap()
            .body
    }
}

#[test]
fn clients_spread_over_three_nodes_go_on_when_one_is_killed() {
    let mut server = Server::start();
    let store = server.database("three");
    let mut nodes: Vec<ServerProcess> = (0..3).map(|_| ServerProcess::start(&store)).collect();
    let ports = |nodes: &[ServerProcess]| nodes.iter().map(|node| node.http).collect::<Vec<_>>();
    let load = LoadState::default();
    load.set_ports(&ports(&nodes));
    thread::scope(|scope| {
        for number in 0..12 {
            let load = &load;
            // Each request goes to a random node.
            scope.spawn(move || Player::new(load, 1 + (number << 32)).play());
        }
        load.wait_for_turns(100);
        nodes.remove(1).kill();
        load.set_ports(&ports(&nodes));
        load.wait_for_turns(100);
        load.stop_clients();
    });
    for node in &nodes {
        load.check_in_the_end(node.http);
    }
    load.check_archive(nodes[0].http);
}

#[test]
fn concurrent_turns_at_two_nodes_one_is_stale() {
    let mut server = Server::start();
    let store = server.database("race");
    let nodes = [ServerProcess::start(&store), ServerProcess::start(&store)];
    let wishes = [
        // First the same seat acts twice, then both seats act.
        [
            (0, r#"{"turn":1,"play":"0-0"}"#),
            (0, r#"{"turn":1,"play":"2-2"}"#),
        ],
        [
            (0, r#"{"turn":1,"play":"0-0"}"#),
            (1, r#"{"turn":1,"resign":true}"#),
        ],
    ];
    for round in 0..20 {
        let created = create_table(nodes[round % 2].http, TABLE);
        // Both nodes have the game in memory at turn 1.
        for node in &nodes {
            assert_eq!(created.view(node.http)["turn"], 1);
        }
        let answers: Vec<Answer> = thread::scope(|scope| {
            let asked = [0, 1].map(|who| {
                let (created, port) = (&created, nodes[who].http);
                let (seat, body) = wishes[round / 2 % 2][who];
                scope.spawn(move || created.act(port, seat, body))
            });
            asked
                .into_iter()
                .map(|asked| asked.join().unwrap())
                .collect()
        });
        let won = answers.iter().filter(|answer| answer.status == 200).count();
        // If the other turn ended the game, the answer is `over` instead of `stale`.
        let lost =
            |answer: &&Answer| answer.is_problem(409, "stale") || answer.is_problem(409, "over");
        let lost = answers.iter().filter(lost).count();
        assert_eq!((won, lost), (1, 1), "{answers:?}");
    }
}

#[test]
fn watcher_at_another_node_sees_turns_and_taken_seats() {
    let mut server = Server::start();
    let store = server.database("watch");
    let nodes = [ServerProcess::start(&store), ServerProcess::start(&store)];
    let mut times = Vec::new();
    for _ in 0..5 {
        let open = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"link"}],"take":[0]}"#;
        let mut created = create_table(nodes[0].http, open);
        let mut events = Events::of(nodes[1].http, &created.id);
        assert_eq!(events.next()["turn"], 1);
        let path = format!("/api/games/{}/seats/1", created.id);
        let sat = Client::new(nodes[0].http).ask("POST", &path, "", "", Some(r#"{"name":"Bob"}"#));
        created.tokens["1"] = sat.unwrap().body["token"].clone();
        events.wait_for(|event| event["seats"][1]["name"] == "Bob");
        let cells = ["0-0", "1-1", "0-1", "2-2", "0-2"];
        for (turn, cell) in (1..).zip(cells) {
            assert_eq!(created.play(nodes[0].http, turn, cell).status, 200);
            let answered = Instant::now();
            let event = events.wait_for(|event| event["turn"] == turn + 1);
            times.push(answered.elapsed());
            assert_eq!(event["last"]["move"], cell);
        }
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    println!("a turn reaches another node {median:?} after its answer, at the median");
    // This is fast because of hints. Without hints, nodes read the store only every two seconds.
    assert!(median < Duration::from_secs(1), "{times:?}");
}

#[test]
fn without_hints_play_goes_on_and_watchers_catch_up() {
    let mut server = Server::start();
    let store = server.database("no_listen");
    let proxy = proxy_without_listen(server.directory());
    let proxy = proxy.path().display().to_string();
    let through_proxy = store.replace(&server.directory().display().to_string(), &proxy);
    assert_ne!(through_proxy, store);
    let nodes = [
        ServerProcess::start(&store),
        ServerProcess::start(&through_proxy),
    ];
    let created = create_table(nodes[0].http, TABLE);
    let mut events = Events::of(nodes[1].http, &created.id);
    for (turn, cell) in (1..).zip(["0-0", "1-1", "0-1"]) {
        assert_eq!(created.play(nodes[0].http, turn, cell).status, 200);
        events.wait_for(|event| event["turn"] == turn + 1);
    }
    // A client of a node without hints can play: the node reads the missing turns first.
    assert_eq!(created.play(nodes[0].http, 4, "2-2").status, 200);
    let won = created.play(nodes[1].http, 5, "0-2");
    assert_eq!(
        (won.status, won.body["outcome"]["sides"].clone()),
        (200, vec![0].into()),
        "{won:?}"
    );
}

#[test]
fn robot_of_a_dead_node_continues_at_another() {
    let mut server = Server::start();
    let store = server.database("robots");
    let nodes = [ServerProcess::start(&store), ServerProcess::start(&store)];
    // The robot computes for longer than its node lives.
    let table =
        r#"{"variant":"15x15k5","seats":[{"human":"Ann"},{"robot":"search:5s"}],"take":[0]}"#;
    let created = create_table(nodes[0].http, table);
    let mut events = Events::of(nodes[1].http, &created.id);
    assert_eq!(created.play(nodes[0].http, 1, "7-7").status, 200);
    let [mut first, second] = nodes;
    first.kill();
    let event = events.wait_for(|event| event["turn"] == 3);
    assert_eq!(event["last"]["seat"], 1);
    assert_eq!(created.view(second.http)["to_move"], 0);
}

/// Connects a TCP client that asks for a game. Returns the connection, and the bytes of the answers READY and ADMIT.
fn join_pairs(port: u16) -> (TcpStream, [u8; 11]) {
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let timeout = Some(Duration::from_secs(60));
    client.set_read_timeout(timeout).unwrap();
    let requests = b"\x01\0\0\x30\x39Bob\0\0\x03\0\0\x30\x39";
    client.write_all(requests).unwrap();
    let mut heard = [0; 11];
    client.read_exact(&mut heard).unwrap();
    (client, heard)
}

#[test]
fn tcp_seats_leave_when_their_node_dies() {
    let mut server = Server::start();
    let store = server.database("seats");
    let [here, mut there] = [ServerProcess::start(&store), ServerProcess::start(&store)];
    let table = r#"{"variant":"3x3k3","seats":[{"open":"lobby"},{"human":"Ann"}],"take":[1]}"#;
    let created = create_table(here.http, table);
    let mut events = Events::of(here.http, &created.id);
    // An open seat of one node is available to TCP clients of every node.
    let (mut client, heard) = join_pairs(there.pairs);
    assert_eq!(heard, *b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x01");
    client.write_all(b"\x05\0\0\x30\x391-1").unwrap();
    events.wait_for(|event| event["turn"] == 2);
    assert_eq!(created.play(here.http, 2, "0-0").status, 200);
    let mut heard = [0; 8];
    client.read_exact(&mut heard).unwrap();
    assert_eq!(&heard[5..], b"0-0");
    there.kill();
    let event = events.wait_for(|event| !event["outcome"].is_null());
    assert_eq!(event["outcome"]["reason"], "leaving");
    assert_eq!(
        created.view(here.http)["outcome"]["sides"],
        Value::from(vec![1])
    );
}

#[test]
fn after_a_restart_open_seats_and_robots_continue() {
    let directory = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", directory.path().join("noughts.db").display());
    let mut serving = ServerProcess::start(&store);
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"lobby"}],"take":[0]}"#;
    let waiting = create_table(serving.http, table);
    let robots =
        r#"{"variant":"4x4k4","seats":[{"robot":"search:2s"},{"robot":"random"}],"take":[]}"#;
    let robots = create_table(serving.http, robots);
    serving.kill();
    let serving = ServerProcess::start(&store);
    let (_client, heard) = join_pairs(serving.pairs);
    // The client is admitted to the second seat, and the other player begins.
    assert_eq!(heard[10], 2);
    assert_eq!(waiting.view(serving.http)["seats"][1]["name"], "Bob");
    let mut events = Events::of(serving.http, &robots.id);
    events.wait_for(|event| event["turn"].as_u64() >= Some(3));
}
