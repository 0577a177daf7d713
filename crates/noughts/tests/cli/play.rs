//! `noughts play`: tables of a server, with real processes at both ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::server_process::ServerProcess;
use crate::transcript::run;

/// One at a table, as a process.
struct Player {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Player {
    fn start(words: &[&str]) -> Player {
        let mut process = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .arg("play")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Player { process, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn types(&mut self, line: &str) {
        let input = self.process.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// Reads on until something is said.
    fn until(&mut self, part: &str) -> String {
        let mut said = String::new();
        loop {
            let mut byte = [0];
            let count = self.output.read(&mut byte).unwrap();
            assert!(count > 0, "the end instead of {part:?}: {said}");
            said.push(char::from(byte[0]));
            if said.ends_with(part) {
                return said;
            }
        }
    }

    /// What it says to its end, which must be a good one.
    fn end(mut self) -> String {
        drop(self.process.stdin.take());
        let mut said = String::new();
        self.output.read_to_string(&mut said).unwrap();
        assert!(self.process.wait().unwrap().success(), "{said}");
        said
    }
}

#[test]
fn two_bots_play_a_game() {
    let serving = ServerProcess::http("off");
    let wish = ["--against", "link", "--robot", "perfect", "--name", "Ann"];
    let mut first = Player::start(&[&[serving.url.as_str()], &wish[..]].concat());
    let game = first.line();
    assert!(
        game.starts_with(&format!("{}/api/games/", serving.url)),
        "{game}"
    );
    let second = Player::start(&[&game, "--robot", "perfect", "--name", "Bob"]);
    let (first, second) = (first.end(), second.end());
    for said in [&first, &second] {
        assert!(said.ends_with("A draw.\n"), "{said}");
    }
    assert!(first.contains("Bob (o) plays "), "{first}");
    assert!(second.contains("Ann (x) plays "), "{second}");
}

#[test]
fn a_person_plays_on_any_board_and_is_told_what_can_be_typed() {
    let serving = ServerProcess::http("off");
    let wish = [
        &serving.url,
        "--variant",
        "3x3k3+gravity",
        "--against",
        "first",
        "--name",
        "Ann",
    ];
    let mut ann = Player::start(&wish.map(|word: &str| word));
    ann.until("Your move (row-column): ");
    ann.types("0 0");
    let said = ann.until("Your move (row-column): ");
    assert!(said.contains("would fall from there"), "{said}");
    ann.types("9-9");
    ann.until("Your move (row-column): ");
    ann.types("what?");
    let said = ann.until("Your move (row-column): ");
    assert!(
        said.contains("is no move. Please type a move such as 1-0"),
        "{said}"
    );
    // The robot takes the first cell, row by row, that a mark would rest on: the one on top of hers.
    ann.types("2");
    let said = ann.until("Your move (row-column): ");
    assert!(
        said.contains("You play 2-2.") && said.contains("first (o) plays 1-2."),
        "{said}"
    );
    ann.types("resign");
    let said = ann.end();
    assert!(
        said.contains("You give up.") && said.ends_with("first (o) has won by resignation.\n"),
        "{said}"
    );
}

#[test]
fn who_leaves_may_come_back_with_the_token() {
    let serving = ServerProcess::http("off");
    let mut ann = Player::start(&[&serving.url, "--against", "first"]);
    ann.until("Your move (row-column): ");
    ann.types(":q");
    let said = ann.end();
    let back = said.lines().last().unwrap();
    let words = back.split_once("noughts play ").unwrap().1;
    let words: Vec<&str> = words.split(' ').collect();
    let mut again = Player::start(&words);
    again.until("Your move (row-column): ");
    again.types("1-1");
    again.until("You play 1-1.");
    // Somebody else finds no seat, and watches.
    let mut watcher = Player::start(&words[..1]);
    watcher.until("Watching a game of 3x3k3.");
    again.until("Your move (row-column): ");
    again.types("resign");
    assert!(again.end().ends_with("has won by resignation.\n"));
    assert!(watcher.end().ends_with("has won by resignation.\n"));
}

#[test]
fn what_can_t_be_played_is_said_in_a_sentence() {
    let serving = ServerProcess::http("off");
    let nowhere = format!("{}/api/games/00000000000000000000000000", serving.url);
    for (words, part) in [
        (
            vec!["play", "https://example.org"],
            "https:// is not spoken here",
        ),
        (vec!["play", "http://"], "http://HOST:PORT"),
        (vec!["play", "http://127.0.0.1:1"], "can't be reached"),
        (vec!["play", &nowhere], "no game has this id"),
        (vec!["play", &serving.url, "--robot", "nobody"], "nobody"),
        (vec!["play", &serving.url, "--variant", "3x3"], "3x3"),
        (
            vec!["play", &serving.url, "--against", "engine:sh"],
            "is not a strategy",
        ),
        (vec!["play", &serving.url, "--seat", "2"], "0 to 1"),
    ] {
        let run = run(&words, b"");
        assert_eq!(
            (run.exit, run.output.as_slice()),
            (1, &b""[..]),
            "{words:?}"
        );
        assert!(
            run.errors.starts_with("Error: "),
            "{words:?}: {}",
            run.errors
        );
        assert!(run.errors.contains(part), "{words:?}: {}", run.errors);
    }
}
