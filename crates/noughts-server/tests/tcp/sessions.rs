//! Whole sessions as raw bytes, split in different ways.

use std::fs;
use std::path::Path;

use crate::script::{Script, Split};
use crate::test_server::Client;

fn scripts() -> Vec<Script> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/wire");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "hex"))
        .collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        Script::read(&name, &fs::read_to_string(path).unwrap())
    };
    files.iter().map(read).collect()
}

#[tokio::test]
async fn sessions_match_their_scripts() {
    let scripts = scripts();
    assert!(scripts.len() >= 20, "only {} were found", scripts.len());
    for script in scripts {
        script.run(Split::Lines).await;
    }
}

#[tokio::test]
async fn bytes_sent_one_by_one_get_the_same_answers() {
    for script in scripts() {
        script.run(Split::Bytes).await;
    }
}

#[tokio::test]
async fn bytes_sent_at_once_get_the_same_answers() {
    let scripts: Vec<Script> = scripts()
        .into_iter()
        .filter(Script::can_be_sent_at_once)
        .collect();
    assert!(
        scripts.len() >= 8,
        "only {} can be sent at once",
        scripts.len()
    );
    for script in scripts {
        script.run(Split::AllAtOnce).await;
    }
}

/// Many sessions at once: two worker threads, and a task per session.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_sessions_do_not_mix() {
    let sessions: Vec<_> = scripts()
        .into_iter()
        .map(|script| tokio::spawn(async move { script.run(Split::Lines).await }))
        .collect();
    for session in sessions {
        session.await.unwrap();
    }
}

/// The clients of every session disconnect after each of its steps, also within a frame. The server keeps
/// running, and no table or seat stays taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disconnecting_at_any_step_leaves_no_table_open() {
    for script in scripts() {
        for count in 1..script.len() {
            let server = script.server();
            script.run_then_disconnect(count, &server).await;
            let mut cut_short = Client::connect(server.tcp).await;
            cut_short.send(b"\x01\0\0").await;
            drop(cut_short);
            server.until_waiting(0).await;
            let mut next = Client::connect(server.tcp).await;
            next.send(b"\x01\0\0\x30\x39Ann\0\0\x03\0\0\x30\x39").await;
            next.expect(b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x01").await;
            drop(next);
            assert!(server.inner.stop().await, "a table stays open");
        }
    }
}
