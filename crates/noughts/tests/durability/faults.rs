//! A full disk and an unavailable database: 503, and nothing is half written.

use std::collections::HashSet;

use crate::client::{Answer, Client};
use crate::postgres_server::Server;
use crate::server_process::ServerProcess;

const TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

fn create_table(client: &mut Client) -> Answer {
    client
        .ask("POST", "/api/games", "", "", Some(TABLE))
        .unwrap()
}

fn play(client: &mut Client, created: &Answer, turn: usize, cell: &str) -> Answer {
    let id = created.body["id"].as_str().unwrap();
    let seat = (turn + 1) % 2;
    let token = created.body["tokens"][seat.to_string()].as_str().unwrap();
    let (path, key) = (format!("/api/games/{id}/actions"), format!("turn {turn}"));
    let body = format!(r#"{{"turn":{turn},"play":"{cell}"}}"#);
    let key = key.replace(' ', "-");
    client.ask("POST", &path, token, &key, Some(&body)).unwrap()
}

fn listed(client: &mut Client) -> HashSet<String> {
    let games = client.list().into_iter();
    games
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_full_disk_answers_503_and_nothing_is_half_written() {
    let directory = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", directory.path().join("noughts.db").display());
    // Limits files to one megabyte, in blocks of 512 bytes. Writing beyond this limit fails.
    let limit = [
        "sh",
        "-c",
        "trap '' XFSZ; ulimit -f 2048; exec \"$@\"",
        "sh",
    ];
    let mut serving = ServerProcess::start_by(&limit, &["--store", &store]);
    let mut client = Client::new(serving.http);
    let first = create_table(&mut client);
    assert_eq!(first.status, 201);
    let mut known = HashSet::from([first.body["id"].as_str().unwrap().to_owned()]);
    loop {
        let created = create_table(&mut client);
        if created.status == 201 {
            known.insert(created.body["id"].as_str().unwrap().to_owned());
            continue;
        }
        assert!(created.is_problem(503, "store-not-writable"), "{created:?}");
        break;
    }
    // Some small turns may still fit.
    let mut turns = 0;
    for cell in ["0-0", "0-1", "1-0", "1-1", "2-2"] {
        match play(&mut client, &first, turns + 1, cell) {
            played if played.status == 200 => turns += 1,
            full => {
                assert!(full.is_problem(503, "store-not-writable"), "{full:?}");
                break;
            }
        }
    }
    assert_eq!(client.get("/healthz").unwrap().status, 200);
    serving.kill();
    let serving = ServerProcess::start(&store);
    let mut client = Client::new(serving.http);
    assert_eq!(listed(&mut client), known);
    let id = first.body["id"].as_str().unwrap();
    let view = client.get(&format!("/api/games/{id}")).unwrap().body;
    assert_eq!(view["turn"], turns + 1);
    assert_eq!(create_table(&mut client).status, 201, "there is room again");
}

#[test]
fn a_lost_database_answers_503_and_play_goes_on_when_it_is_back() {
    let mut server = Server::start();
    let serving = ServerProcess::start(&server.database("lost"));
    let mut client = Client::new(serving.http);
    let created = create_table(&mut client);
    assert_eq!(play(&mut client, &created, 1, "1-1").status, 200);
    assert_eq!(client.get("/readyz").unwrap().status, 200);
    server.end();
    let lost = play(&mut client, &created, 2, "0-0");
    assert!(lost.is_problem(503, "store-unavailable"), "{lost:?}");
    let lost = create_table(&mut client);
    assert!(lost.is_problem(503, "store-unavailable"), "{lost:?}");
    assert_eq!(client.get("/readyz").unwrap().status, 503);
    server.begin();
    // The same request with the same key is stored once, whatever happened to the first attempt.
    let mut played = play(&mut client, &created, 2, "0-0");
    while played.status == 503 {
        played = play(&mut client, &created, 2, "0-0");
    }
    assert_eq!((played.status, &played.body["turn"]), (200, &3.into()));
    assert_eq!(listed(&mut client).len(), 1);
    let stale = play(&mut client, &created, 1, "2-2");
    assert_eq!(stale.status, 422, "the key was used: {stale:?}");
}
