//! The system calls of a turn. `kill -9` cannot show whether a turn is durable, because the operating system
//! keeps written data. So the test checks that the flush comes before the answer.

use crate::client::Client;
use crate::server_process::ServerProcess;

/// The system calls between a request and its answer.
fn calls_of_a_turn(sync: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("trace");
    let store = format!("sqlite:{}", directory.path().join("noughts.db").display());
    // strace runs beside the program (`-D`), so that the process id is the program's.
    let calls = "trace=fdatasync,fsync,read,recvfrom,write,writev,sendto,sendmsg";
    let before = ["strace", "-D", "-f", "-qq", "-s", "80", "-e", calls, "-o"];
    let before = [&before[..], &[trace.to_str().unwrap()]].concat();
    let mut serving = ServerProcess::start_by(&before, &["--store", &store, "--sync", sync]);
    let mut client = Client::new(serving.http);
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let created = client
        .ask("POST", "/api/games", "", "", Some(table))
        .unwrap();
    let (id, token) = (
        created.body["id"].as_str().unwrap(),
        created.body["tokens"]["0"].as_str().unwrap(),
    );
    let path = format!("/api/games/{id}/actions");
    let done = client.ask("POST", &path, token, "", Some(r#"{"turn":1,"play":"1-1"}"#));
    assert_eq!(done.unwrap().status, 200);
    // Another request, so that the trace of the first is written.
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
    // Completed, not only begun.
    let done = |call: &String| call.contains("sync") && call.ends_with("= 0");
    calls.iter().any(done)
}

#[test]
fn sync_full_flushes_a_turn_before_it_is_acknowledged() {
    let calls = calls_of_a_turn("full");
    assert!(is_synced(&calls), "{calls:#?}");
}

#[test]
fn sync_normal_writes_a_turn_before_it_is_acknowledged() {
    let calls = calls_of_a_turn("normal");
    assert!(!is_synced(&calls), "{calls:#?}");
}
