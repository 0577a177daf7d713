//! A disk that is really full, and one that really becomes read-only.

use std::fs::{self, File};
use std::time::{Duration, Instant};

use crate::client::{Answer, Client};
use crate::disk::Disk;
use crate::server_process::ServerProcess;

const TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

fn create(client: &mut Client) -> Answer {
    client
        .ask("POST", "/api/games", "", "", Some(TABLE))
        .unwrap()
}

fn id(created: &Answer) -> String {
    assert_eq!(created.status, 201, "{created:?}");
    created.body["id"].as_str().unwrap().to_owned()
}

fn view(client: &mut Client, game: &str) -> u16 {
    client.get(&format!("/api/games/{game}")).unwrap().status
}

fn until_ready(client: &mut Client) {
    let begun = Instant::now();
    while client.get("/readyz").unwrap().status != 200 {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "it stays unready"
        );
    }
}

/// The small write of a readiness check may still fit on the disk when a game does not. Repeats the check until it
/// fails too.
fn until_unready(client: &mut Client) -> Answer {
    let begun = Instant::now();
    loop {
        let ready = client.get("/readyz").unwrap();
        if ready.status == 503 {
            return ready;
        }
        create(client);
        assert!(begun.elapsed() < Duration::from_secs(10), "{ready:?}");
    }
}

/// Waits until `tells` accepts the log. The server writes the expected message in its next sweep at the latest.
fn until_logged(disk: &Disk, tells: impl Fn(&str) -> bool) {
    let begun = Instant::now();
    loop {
        let log = fs::read_to_string(disk.log()).unwrap();
        if tells(&log) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{log}");
    }
}

#[test]
fn a_full_disk_is_reported_and_the_server_recovers_when_there_is_room() {
    let Some(disk) = Disk::new() else { return };
    let log = File::create(disk.log()).unwrap();
    let server = ServerProcess::start_with_log(&disk.store(), log);
    let mut client = Client::new(server.http);
    let mut games = vec![id(&create(&mut client))];
    until_ready(&mut client);
    // Another program fills the disk.
    let ballast = disk.path().join("ballast");
    let written = fs::write(&ballast, vec![7; 9_000_000]);
    assert!(written.is_err(), "the disk has room");
    // A little may still fit into blocks that the files have already.
    let refused = loop {
        let created = create(&mut client);
        if created.status != 201 {
            break created;
        }
        games.push(id(&created));
    };
    assert!(refused.is_problem(503, "store-not-writable"), "{refused:?}");
    let ready = until_unready(&mut client);
    assert!(ready.text.contains("full"), "{ready:?}");
    assert_eq!(client.get("/healthz").unwrap().status, 200);
    for game in &games {
        assert_eq!(view(&mut client, game), 200, "games can be read");
    }
    until_logged(&disk, |log| log.contains("full"));
    fs::remove_file(ballast).unwrap();
    until_ready(&mut client);
    games.push(id(&create(&mut client)));
    drop(server);
    let server = ServerProcess::start(&disk.store());
    let mut client = Client::new(server.http);
    for game in &games {
        assert_eq!(view(&mut client, game), 200, "{game} is lost");
    }
}

#[test]
fn a_disk_that_becomes_read_only_is_reported() {
    let Some(disk) = Disk::new() else { return };
    let log = File::create(disk.log()).unwrap();
    let server = ServerProcess::start_with_log(&disk.store(), log);
    let mut client = Client::new(server.http);
    let game = id(&create(&mut client));
    until_ready(&mut client);
    disk.fail();
    // Writes that the kernel accepted earlier may still succeed.
    let refused = loop {
        let created = create(&mut client);
        if created.status != 201 {
            break created;
        }
    };
    assert!(refused.is_problem(503, "store-not-writable"), "{refused:?}");
    let ready = until_unready(&mut client);
    let tells = |text: &str| text.contains("the store cannot write");
    assert!(tells(&ready.text), "{ready:?}");
    assert_eq!(client.get("/healthz").unwrap().status, 200);
    assert_eq!(view(&mut client, &game), 200, "games can be read");
    until_logged(&disk, tells);
    drop(server);
    disk.repair();
    let server = ServerProcess::start(&disk.store());
    let mut client = Client::new(server.http);
    until_ready(&mut client);
    assert_eq!(view(&mut client, &game), 200, "it is lost");
    id(&create(&mut client));
}
