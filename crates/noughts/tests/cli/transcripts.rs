//! Replays every file in `testdata/transcripts`, and the examples in the README and in some documents.

use std::fs;
use std::path::{Path, PathBuf};

use crate::transcript;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_transcript_comes_out_byte_for_byte() {
    let folder = root().join("testdata/transcripts");
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            cases += transcript::check(&name, &fs::read_to_string(path).unwrap());
        }
    }
    assert!(
        cases >= 100,
        "testdata/transcripts has lost its files: {cases} cases"
    );
}

#[test]
fn the_examples_of_the_readme_and_the_docs_are_true() {
    for (name, least) in [
        ("README.md", 2),
        ("docs/arena.md", 1),
        ("docs/notation.md", 1),
        ("docs/strategies.md", 3),
        ("docs/terminal.md", 5),
    ] {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let blocks = text.split("```console\n").skip(1);
        let examples = blocks.map(|block| typed(block.split("```").next().unwrap()));
        let cases: usize = examples
            .map(|example| transcript::check(name, &example))
            .sum();
        assert!(cases >= least, "{name} has lost its examples");
    }
}

/// Converts an example of a document into a transcript. Documents show input and errors as on a terminal, without
/// marks. Every prompt ends with `): `. In examples of the classic game, robots play `o`.
fn typed(example: &str) -> String {
    let has_robot = example.contains("--robot o");
    let mark = |line: &str| match line.split_once("): ") {
        _ if line.starts_with("Error: ") => format!("! {line}\n? 1\n"),
        Some(("Enter your turn (o", _)) if has_robot => format!("{line}\n"),
        Some((prompt, typed)) => format!("{prompt}): «{typed}»\n"),
        None => format!("{line}\n"),
    };
    example.lines().map(mark).collect()
}
