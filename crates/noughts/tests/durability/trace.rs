//! What the system is asked for: `kill -9` can't tell a careful program from a careless one, since the
//! system keeps what was written. So the wish that it be on the disk must be seen, before the answer.

use crate::client::Client;
use crate::server_process::ServerProcess;

/// The calls between a turn's arrival and its answer.
fn calls_of_a_turn(sync: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("trace");
    let store = format!("sqlite:{}", directory.path().join("noughts.db").display());
    // Traced from beside it, so that the process is the program itself.
    let calls = "trace=fdatasync,fsync,read,recvfrom,write,writev,sendto,sendmsg";
    let before = ["strace", "-D", "-f", "-qq", "-s", "80", "-e", calls, "-o"];
    let before = [&before[..], &[trace.to_str().unwrap()]].concat();
    let mut serving = ServerProcess::start_by(&before, &["--store", &store, "--sync", sync]);
    let mut client = Client::new(serving.http);
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let laid = client
        .ask("POST", "/api/games", "", "", Some(table))
        .unwrap();
    let (id, token) = (
        laid.body["id"].as_str().unwrap(),
        laid.body["tokens"]["0"].as_str().unwrap(),
    );
    let path = format!("/api/games/{id}/actions");
    let done = client.ask("POST", &path, token, "", Some(r#"{"turn":1,"play":"1-1"}"#));
    assert_eq!(done.unwrap().status, 200);
    // Something after it, so that what was traced before is in the file.
    assert_eq!(client.get("/healthz").unwrap().status, 200);
    let text = std::fs::read_to_string(&trace).unwrap();
    let has_come = |line: &&str| !line.contains(&path);
    let lines: Vec<&str> = text.lines().skip_while(has_come).collect();
    assert!(!lines.is_empty(), "{text}");
    let is_answer = |line: &&str| line.contains("HTTP/1.1 200");
    assert!(lines.iter().any(is_answer), "{text}");
    let until_answer = lines.iter().take_while(|line| !is_answer(line));
    let calls = until_answer.map(|line| (*line).to_owned()).collect();
    serving.kill();
    calls
}

fn is_synced(calls: &[String]) -> bool {
    // Done, and not only begun.
    let done = |call: &String| call.contains("sync") && call.ends_with("= 0");
    calls.iter().any(done)
}

#[test]
fn a_turn_is_on_the_disk_before_it_is_answered() {
    let calls = calls_of_a_turn("full");
    assert!(is_synced(&calls), "{calls:#?}");
}

#[test]
fn a_turn_is_with_the_system_before_it_is_answered_if_that_is_enough() {
    let calls = calls_of_a_turn("normal");
    assert!(!is_synced(&calls), "{calls:#?}");
}
