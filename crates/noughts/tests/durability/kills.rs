//! `kill -9` at any moment, and nothing that was acknowledged is lost.

use std::thread;

use noughts_server::{ListQuery, Status, SyncMode, Table, open_store};

use crate::load::{Draw, LoadState, Player};
use crate::postgres_server::Server;
use crate::server_process::ServerProcess;

const CLIENTS: u64 = 50;

/// Kills the server repeatedly, each time after a random number of turns, and checks that no acknowledged turn is lost.
fn kill_often(store: &str, kills: usize, seed: u64) {
    println!("seed {seed}");
    let (load, mut draw) = (LoadState::default(), Draw(seed));
    let mut serving = ServerProcess::start(store);
    load.set_ports(&[serving.http]);
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let load = &load;
            scope.spawn(move || Player::new(load, seed ^ number << 32).play());
        }
        for _ in 0..kills {
            load.wait_for_turns(1 + draw.below(120));
            serving.kill();
            no_game_is_over_and_listed_as_playing(store);
            serving = ServerProcess::start(store);
            load.check(serving.http);
            load.set_ports(&[serving.http]);
        }
        load.stop_clients();
    });
    load.check(serving.http);
    load.check_archive(serving.http);
}

/// Asserts that no game in the store is over and still listed as playing. Called after a kill, before another server
/// loads any game.
fn no_game_is_over_and_listed_as_playing(store: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = open_store(store, SyncMode::Full).await.unwrap();
        let playing = async || {
            let query = ListQuery {
                status: Some(Status::Playing),
                ..ListQuery::all(10 * CLIENTS as usize)
            };
            store.list(query).await.unwrap()
        };
        for listed in playing().await {
            let stored = store.load(listed.id).await.unwrap().unwrap();
            let table = Table::replay(stored.settings, &stored.entries).unwrap();
            // PostgreSQL may commit a statement of the killed process between the two reads. Then the list has changed
            // with the log.
            if let Some(conclusion) = table.game().conclusion() {
                let is_listed = playing().await.iter().any(|game| game.id == listed.id);
                assert!(!is_listed, "game {}: {conclusion:?}", listed.id);
            }
        }
    });
}

fn kill_with_sqlite(kills: usize) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("noughts.db");
    kill_often(&format!("sqlite:{}", path.display()), kills, 1);
}

fn kill_with_postgres(kills: usize) {
    let mut server = Server::start();
    kill_often(&server.database("kills"), kills, 2);
}

#[test]
fn a_killed_server_with_a_file_loses_nothing() {
    kill_with_sqlite(20);
}

#[test]
fn a_killed_server_with_postgres_loses_nothing() {
    kill_with_postgres(20);
}

#[test]
#[ignore = "long: two hundred kills"]
fn two_hundred_kills_with_a_file_lose_nothing() {
    kill_with_sqlite(200);
}

#[test]
#[ignore = "long: two hundred kills"]
fn two_hundred_kills_with_postgres_lose_nothing() {
    kill_with_postgres(200);
}
