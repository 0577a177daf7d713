//! Backups of a server under load, restored and moved to the other kind of store.

use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use serde_json::Value;

use crate::client::{Answer, Client};
use crate::load::{LoadState, Player};
use crate::postgres_server::Server;
use crate::server_process::ServerProcess;

fn noughts(words: &[&str]) -> Output {
    let run = Command::new(env!("CARGO_BIN_EXE_noughts"))
        .args(words)
        .output();
    run.expect("the program starts")
}

#[track_caller]
fn succeeds(words: &[&str]) -> String {
    let run = noughts(words);
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{words:?}: {errors}");
    String::from_utf8(run.stdout).unwrap()
}

/// A player with a running game, in which the seats take turns.
struct Registered {
    token: String,
    id: String,
    tokens: Value,
    turn: u64,
}

fn ask(port: u16, method: &str, path: &str, token: &str, body: Option<&str>) -> Answer {
    Client::new(port)
        .ask(method, path, token, "", body)
        .expect("the server answers")
}

impl Registered {
    fn new(port: u16) -> Registered {
        let ann = ask(port, "POST", "/api/players", "", Some(r#"{"name":"Ann"}"#));
        let token = ann.body["token"].as_str().unwrap().to_owned();
        let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1],"clock":{"base":60,"increment":1}}"#;
        let created = ask(port, "POST", "/api/games", &token, Some(table));
        assert_eq!(created.status, 201, "{}", created.text);
        Registered {
            token,
            id: created.body["id"].as_str().unwrap().to_owned(),
            tokens: created.body["tokens"].clone(),
            turn: 0,
        }
    }

    /// Plays for the seat to move, with its token.
    #[track_caller]
    fn play(&mut self, port: u16, cell: &str) {
        let seat = (self.turn % 2).to_string();
        self.turn += 1;
        let body = format!(r#"{{"turn":{},"play":"{cell}"}}"#, self.turn);
        let path = format!("/api/games/{}/actions", self.id);
        let token = self.tokens[seat].as_str().unwrap();
        let played = ask(port, "POST", &path, token, Some(&body));
        assert_eq!(played.status, 200, "{}", played.text);
    }

    /// Asserts that the player's token is valid and that its game is running.
    #[track_caller]
    fn check(&self, port: u16) {
        let me = ask(port, "GET", "/api/me", &self.token, None);
        assert_eq!(me.status, 200, "{}", me.text);
        assert_eq!(me.body["name"], "Ann", "{}", me.text);
        assert!(me.text.contains(&self.id), "{}", me.text);
        let view = ask(port, "GET", &format!("/api/games/{}", self.id), "", None);
        assert_eq!(view.body["turn"], self.turn + 1, "{}", view.text);
        assert_eq!(view.body["outcome"], Value::Null, "{}", view.text);
    }
}

#[test]
fn a_backup_under_load_is_restored_in_the_other_kind_of_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
    let sqlite = |name: &str| format!("sqlite:{}", path(name));
    let mut postgres = Server::start();
    let database = postgres.database("live");
    // Each kind of store is the source once.
    for (number, (source, target, moved)) in [
        (
            sqlite("a.db"),
            postgres.database("restored"),
            sqlite("b.db"),
        ),
        (database, sqlite("c.db"), postgres.database("moved")),
    ]
    .into_iter()
    .enumerate()
    {
        let file = path(&format!("{number}.backup"));
        let mut server = ServerProcess::start(&source);
        let mut ann = Registered::new(server.http);
        ann.play(server.http, "1-1");
        let load = LoadState::default();
        load.set_ports(&[server.http]);
        let so_far = thread::scope(|scope| {
            for number in 0..6 {
                let load = &load;
                scope.spawn(move || Player::new(load, 1 + (number << 32)).play());
            }
            load.wait_for_turns(100);
            let so_far = load.acknowledged_so_far();
            let told = succeeds(&["backup", &file, "--store", &source]);
            assert!(told.contains("is complete: "), "{told}");
            load.wait_for_turns(20);
            load.stop_clients();
            so_far
        });
        // Nothing is lost by the backup.
        load.check(server.http);
        let used = noughts(&["migrate", "--from", &source, "--to", &moved]);
        let errors = String::from_utf8_lossy(&used.stderr);
        assert!(errors.contains("a server uses the store"), "{errors}");
        server.kill();

        succeeds(&["restore", &file, "--store", &target]);
        let again = noughts(&["restore", &file, "--store", &target]);
        let errors = String::from_utf8_lossy(&again.stderr);
        assert!(errors.contains("is not empty: it has games"), "{errors}");
        let server = ServerProcess::start(&target);
        so_far.acknowledged_so_far().check(server.http);
        ann.check(server.http);
        ann.play(server.http, "0-0");
        ann.check(server.http);
        server.signal("TERM");
        server.wait();

        succeeds(&["migrate", "--from", &target, "--to", &moved]);
        let server = ServerProcess::start(&moved);
        so_far.check(server.http);
        ann.check(server.http);
        ann.play(server.http, "2-2");
        assert!(Path::new(&file).exists());
    }
}
