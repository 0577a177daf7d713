//! `noughts play` against a real server, over HTTP and HTTPS.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::server_process::ServerProcess;
use crate::tls_proxy::TlsProxy;
use crate::transcript::run;

/// A `noughts play` process.
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

    /// Reads until the output ends with this text, and returns it.
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

    /// The rest of the output of a process that ends successfully.
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
    let server = ServerProcess::http("off");
    let wish = ["--against", "link", "--robot", "perfect", "--name", "Ann"];
    let mut first = Player::start(&[&[server.url.as_str()], &wish[..]].concat());
    let game = first.line();
    assert!(
        game.starts_with(&format!("{}/api/games/", server.url)),
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
fn two_bots_play_over_https() {
    let server = ServerProcess::http("off");
    let proxy = TlsProxy::start(server.url.strip_prefix("http://").unwrap());
    let url = format!("https://localhost:{}", proxy.port);
    let ca = proxy.ca_file();
    let options = ["--cacert", ca.to_str().unwrap(), "--robot", "perfect"];
    let mut first = Player::start(&[&[url.as_str(), "--against", "link"], &options[..]].concat());
    let game = first.line();
    assert!(game.starts_with(&format!("{url}/api/games/")), "{game}");
    let second = Player::start(&[&[game.as_str()], &options[..]].concat());
    for output in [first.end(), second.end()] {
        assert!(output.ends_with("A draw.\n"), "{output}");
    }
}

#[test]
fn untrusted_certificates_are_refused() {
    let server = ServerProcess::http("off");
    let proxy = TlsProxy::start(server.url.strip_prefix("http://").unwrap());
    let ca = proxy.ca_file();
    let play = |host: &str, ca_variable: &str| {
        let url = format!("https://{host}:{}", proxy.port);
        let output = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .args(["play", &url, "--robot", "first", "--against", "first"])
            .env(ca_variable, &ca)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (exit, errors) = play("localhost", "NO_SUCH_VARIABLE");
    assert_eq!(exit, Some(1));
    assert!(
        errors.starts_with("Error: no secure connection to the server: "),
        "{errors}"
    );
    assert!(errors.contains("--cacert FILE"), "{errors}");
    // Trusted, but the certificate is for another name.
    let (exit, errors) = play("127.0.0.1", "SSL_CERT_FILE");
    assert_eq!(exit, Some(1));
    assert!(errors.contains("not valid for"), "{errors}");
    assert_eq!(play("localhost", "SSL_CERT_FILE"), (Some(0), String::new()));
}

#[test]
fn person_plays_and_gets_help() {
    let server = ServerProcess::http("off");
    let wish = [
        &server.url,
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
    // `first` plays the first legal cell, row by row: the one on top of hers.
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
fn player_comes_back_with_the_token() {
    let server = ServerProcess::http("off");
    let mut ann = Player::start(&[&server.url, "--against", "first"]);
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
    // Without an open seat the game is watched.
    let mut watcher = Player::start(&words[..1]);
    watcher.until("Watching a game of 3x3k3.");
    again.until("Your move (row-column): ");
    again.types("resign");
    assert!(again.end().ends_with("has won by resignation.\n"));
    assert!(watcher.end().ends_with("has won by resignation.\n"));
}

#[test]
fn failures_are_explained() {
    let server = ServerProcess::http("off");
    let nowhere = format!("{}/api/games/00000000000000000000000000", server.url);
    for (words, part) in [
        (vec!["play", "ftp://example.org"], "http:// or https://"),
        (
            vec!["play", &server.url, "--cacert", "no-such-file"],
            "cannot use \"no-such-file\" (--cacert)",
        ),
        (
            vec![
                "play",
                &server.url,
                "--cacert",
                concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            ],
            "no certificate in PEM format",
        ),
        (vec!["play", "http://"], "http://HOST:PORT"),
        (
            vec!["play", "http://127.0.0.1:1"],
            "cannot reach the server",
        ),
        (vec!["play", &nowhere], "no game has this id"),
        (vec!["play", &server.url, "--robot", "nobody"], "nobody"),
        (vec!["play", &server.url, "--variant", "3x3"], "3x3"),
        (
            vec!["play", &server.url, "--against", "engine:sh"],
            "is not a strategy",
        ),
        (vec!["play", &server.url, "--seat", "2"], "0 to 1"),
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
