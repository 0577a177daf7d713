//! Whole sessions as raw bytes, however they are cut.

use std::fs;
use std::path::Path;

use crate::script::{Cut, Script};

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
async fn conversations_go_as_written() {
    let scripts = scripts();
    assert!(scripts.len() >= 20, "only {} were found", scripts.len());
    for script in scripts {
        script.hold(Cut::Lines).await;
    }
}

#[tokio::test]
async fn a_byte_at_a_time_gives_the_same_answers() {
    for script in scripts() {
        script.hold(Cut::Bytes).await;
    }
}

#[tokio::test]
async fn everything_at_once_gives_the_same_answers() {
    let scripts: Vec<Script> = scripts().into_iter().filter(Script::can_be_glued).collect();
    assert!(scripts.len() >= 8, "only {} can be glued", scripts.len());
    for script in scripts {
        script.hold(Cut::Glued).await;
    }
}

/// Many at once: two workers, and every conversation in its own task.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_conversations_at_once_never_mix() {
    let talks: Vec<_> = scripts()
        .into_iter()
        .map(|script| tokio::spawn(async move { script.hold(Cut::Lines).await }))
        .collect();
    for talk in talks {
        talk.await.unwrap();
    }
}
