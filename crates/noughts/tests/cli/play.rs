//! `noughts play` against a real server, over HTTP and HTTPS.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::pseudo_terminal::PseudoTerminal;
use crate::scripted_server::{self, Answer};
use crate::server_process::ServerProcess;
use crate::tls_proxy::TlsProxy;
use crate::transcript::run;

/// A `noughts play` process.
struct Player {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Player {
    /// A player whose seats are not kept.
    fn start(words: &[&str]) -> Player {
        Player::start_with_state(words, Path::new("/dev/null/none"))
    }

    /// A player whose seats are kept in this directory.
    fn start_with_state(words: &[&str], state: &Path) -> Player {
        let mut process = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .arg("play")
            .args(words)
            .env("XDG_STATE_HOME", state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Player { process, output }
    }

    /// Reads a line, and returns the link at the end of the line.
    fn link(&mut self) -> String {
        let line = self.line();
        line.split_whitespace().last().unwrap().to_owned()
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

    /// Reads until the output ends with this text. Returns everything that was read, including the text.
    fn until(&mut self, part: &str) -> String {
        let mut said = Vec::new();
        while !said.ends_with(part.as_bytes()) {
            let mut byte = [0];
            let count = self.output.read(&mut byte).unwrap();
            said.extend(&byte[..count]);
            let text = String::from_utf8_lossy(&said);
            assert!(count > 0, "the end instead of {part:?}: {text}");
        }
        String::from_utf8(said).unwrap()
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
    let arguments = ["--against", "link", "--robot", "perfect", "--name", "Ann"];
    let mut first = Player::start(&[&[server.url.as_str()], &arguments[..]].concat());
    let game = first.link();
    assert!(game.starts_with(&format!("{}/game/", server.url)), "{game}");
    let second = Player::start(&[&game, "--robot", "perfect", "--name", "Bob"]);
    let (first, second) = (first.end(), second.end());
    for said in [&first, &second] {
        assert!(said.ends_with("A draw.\n"), "{said}");
    }
    for said in [&first, &second] {
        assert!(said.contains("Ann (x) plays "), "{said}");
        assert!(said.contains("Bob (o) plays "), "{said}");
        // A robot plays, so no message addresses a person.
        assert!(!said.contains("You"), "{said}");
    }
}

#[test]
fn two_bots_play_over_https() {
    let server = ServerProcess::http("off");
    let proxy = TlsProxy::start(server.url.strip_prefix("http://").unwrap());
    let url = format!("https://localhost:{}", proxy.port);
    let ca = proxy.ca_file();
    let options = ["--cacert", ca.to_str().unwrap(), "--robot", "perfect"];
    let mut first = Player::start(&[&[url.as_str(), "--against", "link"], &options[..]].concat());
    let game = first.link();
    assert!(game.starts_with(&format!("{url}/game/")), "{game}");
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
    let state = tempfile::tempdir().unwrap();
    let play = |host: &str, ca_variable: &str| {
        let url = format!("https://{host}:{}", proxy.port);
        let output = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .args(["play", &url, "--robot", "first", "--against", "first"])
            .env(ca_variable, &ca)
            .env("XDG_STATE_HOME", state.path())
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
    let arguments = [
        &server.url,
        "3x3k3+gravity",
        "--against",
        "first",
        "--name",
        "Ann",
    ];
    let mut ann = Player::start(&arguments.map(|word: &str| word));
    ann.until("Your move (column): ");
    ann.types("0 0");
    let said = ann.until("Your move (column): ");
    assert!(said.contains("would fall from there"), "{said}");
    ann.types("9-9");
    ann.until("Your move (column): ");
    ann.types("what?");
    let said = ann.until("Your move (column): ");
    assert!(
        said.contains("is not a move. Please type a move such as 1-0"),
        "{said}"
    );
    // `first` plays the first legal cell, row by row: the cell on top of Ann's mark.
    ann.types("2");
    let said = ann.until("Your move (column): ");
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
fn player_resumes_with_the_saved_seat() {
    let server = ServerProcess::http("off");
    let state = tempfile::tempdir().unwrap();
    let resume = ["--resume"];
    let mut ann = Player::start_with_state(&[&server.url, "--against", "first"], state.path());
    let link = ann.link();
    ann.until("Your move (row-column): ");
    ann.types(":q");
    assert!(
        ann.end()
            .ends_with("The seat stays yours: noughts play --resume\n")
    );
    let mut again = Player::start_with_state(&resume, state.path());
    again.until("Your move (row-column): ");
    again.types("1-1");
    again.until("You play 1-1.");
    // The link alone returns to the seat too, but not while another terminal plays there.
    let mut watcher = Player::start_with_state(&[&link], state.path());
    watcher.until("Watching a game of 3x3k3.");
    again.until("Your move (row-column): ");
    // The process ends without any cleanup, as in a crash.
    again.process.kill().unwrap();
    again.process.wait().unwrap();
    let mut back = Player::start_with_state(&resume, state.path());
    back.until("Your move (row-column): ");
    back.types("resign");
    assert!(back.end().ends_with("has won by resignation.\n"));
    assert!(watcher.end().ends_with("has won by resignation.\n"));
    let kept = std::fs::read_to_string(state.path().join("noughts/seats")).unwrap();
    assert_eq!(kept, "");
}

#[test]
fn token_is_printed_where_no_seat_can_be_kept() {
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
    again.types("resign");
    assert!(again.end().ends_with("has won by resignation.\n"));
}

#[test]
fn killed_server_is_noticed_and_nothing_typed_is_lost() {
    let store = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", store.path().join("games.db").display());
    let mut server = ServerProcess::http_with_store("127.0.0.1:0", &store);
    let address = server.url.strip_prefix("http://").unwrap().to_owned();
    let state = tempfile::tempdir().unwrap();
    let arguments = [server.url.as_str(), "--against", "first"];
    let mut ann = Player::start_with_state(&arguments, state.path());
    ann.until("Your move (row-column): ");
    let killed = Instant::now();
    server.kill();
    ann.until("Connection lost. Trying again…");
    // The program reports the loss at once. The limit is for a slow machine.
    assert!(killed.elapsed() < Duration::from_secs(10));
    ann.types("1-1");
    ann.until("1-1 will be sent when the connection is back.");
    server = ServerProcess::http_with_store(&address, &store);
    ann.until("You're back, nothing was missed.");
    ann.until("You play 1-1.");
    ann.until("first (o) plays 0-0.");
    ann.until("Your move (row-column): ");
    server.kill();
    ann.until("Connection lost. Trying again…");
    let asked = Instant::now();
    ann.types(":q");
    assert!(
        ann.end()
            .ends_with("The seat stays yours: noughts play --resume\n")
    );
    assert!(asked.elapsed() < Duration::from_secs(10));
}

/// A server that SIGSTOP froze accepts connections and closes none, but does not answer.
#[test]
fn frozen_server_is_noticed_and_nothing_typed_is_lost() {
    let server = ServerProcess::http("off");
    let state = tempfile::tempdir().unwrap();
    let arguments = format!("play {} --against first", server.url);
    let mut ann = PseudoTerminal::with_size(&arguments, (60, 18), state.path());
    ann.until("Your move (row-column): ");
    // The server freezes while Ann is at the prompt.
    server.signal("-STOP");
    let frozen = Instant::now();
    ann.until("Connection lost. Trying again…");
    assert!(
        frozen.elapsed() < BUSY_FROZEN_LIMIT,
        "{:?}",
        frozen.elapsed()
    );
    ann.types("1-1");
    ann.until("1-1 will be sent when the connection is back. :q leaves.");
    server.signal("-CONT");
    ann.until("You're back, nothing was missed.");
    ann.until("You play 1-1.");
    ann.until("first (o) plays 0-0.");
    ann.until("Your move (row-column): ");
    // The server freezes before Ann's next move.
    server.signal("-STOP");
    let frozen = Instant::now();
    ann.types("2-2");
    ann.until("The server has not answered 2-2 yet. Still trying… :q leaves.");
    assert!(
        frozen.elapsed() < BUSY_FROZEN_LIMIT,
        "{:?}",
        frozen.elapsed()
    );
    let asked = Instant::now();
    ann.types(":q");
    let (shown, code) = ann.end();
    assert!(asked.elapsed() < BUSY_FROZEN_LIMIT, "{:?}", asked.elapsed());
    assert_eq!(code, 0, "{shown}");
    assert!(
        shown.contains("The server has not confirmed 2-2."),
        "{shown}"
    );
    server.signal("-CONT");
    // If the server is frozen at the start, the program ends with a message.
    server.signal("-STOP");
    let mut late = PseudoTerminal::with_size(&arguments, (60, 18), state.path());
    late.until("cannot reach the server");
    assert_eq!(late.end().1, 1);
}

/// Maximum time until a client notices a frozen server. The documentation promises five seconds. The limit is longer
/// for a busy machine.
const BUSY_FROZEN_LIMIT: Duration = Duration::from_secs(12);

/// Runs `noughts player` with this state directory. Returns the exit code, the output, and the errors.
fn player(state: &Path, words: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_noughts"))
        .arg("player")
        .args(words)
        .env("XDG_STATE_HOME", state)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn games_belong_to_the_player_on_every_device() {
    let server = ServerProcess::http("off");
    let [here, there] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let at = ["--server", server.url.as_str()];
    let (exit, _, errors) = player(here.path(), &at);
    assert_eq!(exit, 1);
    assert!(
        errors.starts_with("Error: you have no player at "),
        "{errors}"
    );
    let wish = [&server.url, "--against", "first", "--name", "Ann"];
    let mut ann = Player::start_with_state(&wish.map(|word: &str| word), here.path());
    ann.until("Your move (row-column): ");
    ann.types("1-1");
    ann.until("first (o) plays 0-0.");
    ann.until("Your move (row-column): ");
    ann.types(":q");
    ann.end();
    let (exit, shown, _) = player(here.path(), &at);
    assert_eq!(exit, 0);
    assert!(
        shown.starts_with(&format!("Ann at {}\n", server.url)),
        "{shown}"
    );
    assert!(shown.contains("1 running, your turn in 1\n"), "{shown}");
    let file = here.path().join("noughts/players");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // Another device gets the player by a code, which works once.
    let (_, shown, _) = player(here.path(), &[&["link"], &at[..]].concat());
    let code = shown.split_once("noughts player accept ").unwrap().1;
    let code = code.split_whitespace().next().unwrap();
    let accept = [&["accept", code], &at[..]].concat();
    let (exit, shown, errors) = player(there.path(), &accept);
    assert_eq!((exit, errors.as_str()), (0, ""));
    assert!(shown.starts_with("You are Ann at "), "{shown}");
    let (exit, _, errors) = player(there.path(), &[&accept[..], &["--replace"]].concat());
    assert_eq!(exit, 1, "{errors}");
    let (exit, _, errors) = player(there.path(), &accept);
    assert_eq!(exit, 1);
    assert!(errors.contains("--replace forgets that player"), "{errors}");
    let mut again = Player::start_with_state(&["--resume"], there.path());
    again.until("Your move (row-column): ");
    again.types("2-2");
    again.until("You play 2-2.");
    drop(again);
    // A copy of the file is a backup of the player.
    let restored = tempfile::tempdir().unwrap();
    std::fs::create_dir(restored.path().join("noughts")).unwrap();
    std::fs::copy(&file, restored.path().join("noughts/players")).unwrap();
    let (exit, shown, _) = player(restored.path(), &[&["rename", "Anna"], &at[..]].concat());
    assert_eq!((exit, shown.as_str()), (0, "You are Anna now.\n"));
    let (_, shown, _) = player(here.path(), &at);
    assert!(shown.starts_with("Anna at "), "{shown}");
    let delete = [&["delete"], &at[..]].concat();
    let (exit, _, errors) = player(here.path(), &delete);
    assert_eq!(exit, 1);
    assert!(errors.contains("repeat it with --yes"), "{errors}");
    let (exit, _, errors) = player(here.path(), &[&delete[..], &["--yes"]].concat());
    assert_eq!((exit, errors.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "");
    let (exit, _, errors) = player(restored.path(), &at);
    assert_eq!(exit, 1);
    assert!(
        errors.contains("does not know the player of this device"),
        "{errors}"
    );
}

#[test]
fn quick_match_pairs_two_terminals() {
    let server = ServerProcess::http("off");
    let states = [0, 1, 2].map(|_| tempfile::tempdir().unwrap());
    let start = |name, state: usize, more: &[&str]| {
        let wish = [server.url.as_str(), "--against", "anyone", "--name", name];
        Player::start_with_state(&[&wish[..], more].concat(), states[state].path())
    };
    let mut cid = start("Cid", 2, &["multi"]);
    cid.until("Looking for an opponent at multi. :q leaves.\n");
    let clock = ["--clock", "10+5"];
    let mut ann = start("Ann", 0, &clock);
    ann.until("Looking for an opponent at 3x3k3. :q leaves.\n");
    let mut bob = start("Bob", 1, &clock);
    for player in [&mut ann, &mut bob] {
        player.until("The clock: 10:00 per player, and 5 s more after each move.\n");
    }
    ann.types("resign");
    let said = ann.end();
    assert!(said.contains("Bob ("), "{said}");
    bob.until("You have won by resignation.\n");
    // Cid still waits, because nobody else wants to play multi.
    cid.types("hello");
    cid.until("Still looking for an opponent. :q leaves.\n");
    cid.types(":q");
    cid.end();
    let without_player = run(&["play", &server.url, "--against", "anyone"], b"");
    assert_eq!(without_player.exit, 1);
    assert!(
        without_player.errors.contains("--against lobby"),
        "{}",
        without_player.errors
    );
}

/// The event stream has one event and stays open. The server is too busy each time the program asks for the match, so
/// the program must not wait for a second event before it asks again.
#[test]
fn quick_match_is_asked_for_again_after_a_busy_answer() {
    let (asked, is_asked) = channel();
    let url = scripted_server::start(move |method, path| match (method, path) {
        ("POST", "/api/players") => Answer::Json(201, r#"{"id":"1","token":"t"}"#.to_owned()),
        ("POST", "/api/matches") => {
            Answer::Json(202, r#"{"id":"m","status":"waiting"}"#.to_owned())
        }
        ("GET", "/api/me/events") => Answer::Event(r#"{"games":[]}"#.to_owned()),
        ("GET", "/api/matches/m") => {
            let _ = asked.send(());
            let busy = r#"{"type":"about:blank","title":"busy","status":503,"detail":"too busy"}"#;
            Answer::Json(503, busy.to_owned())
        }
        _ => Answer::Json(404, "{}".to_owned()),
    });
    let state = tempfile::tempdir().unwrap();
    let mut ann = Player::start_with_state(&[&url, "--against", "anyone"], state.path());
    ann.until("Looking for an opponent at 3x3k3. :q leaves.\n");
    for _ in 0..2 {
        let asked = is_asked.recv_timeout(Duration::from_secs(20));
        asked.expect("the match is asked for");
    }
    ann.types(":q");
    ann.end();
}

#[test]
fn rematch_after_a_robot_game_on_a_terminal() {
    let server = ServerProcess::http("off");
    let state = tempfile::tempdir().unwrap();
    let words = format!("play {} --against first", server.url);
    let mut ann = PseudoTerminal::with_size(&words, (80, 24), state.path());
    ann.until("You are x.");
    ann.until("Your move (row-column): ");
    ann.types("resign");
    ann.until("Type rematch to play again, Enter to leave: ");
    ann.types("rematch");
    ann.until("The rematch: ");
    ann.until("You are o.");
    ann.until("Your move (row-column): ");
    ann.press("\x03");
    assert_eq!(ann.end().1, 130);
    // The seat of the rematch was kept.
    let mut again = PseudoTerminal::with_size("play --resume", (80, 24), state.path());
    again.until("You are o.");
    again.until("Your move (row-column): ");
    again.types(":q");
    assert_eq!(again.end().1, 0);
}

#[test]
fn lobby_players_meet_and_are_listed() {
    let server = ServerProcess::http("off");
    let list = || {
        let run = run(&["play", &server.url, "--list"], b"");
        assert_eq!(run.exit, 0, "{}", run.errors);
        String::from_utf8(run.output).unwrap()
    };
    assert_eq!(list(), "Waiting for an opponent: 0\nPlaying: 0\n");
    let lobby = |name| [server.url.as_str(), "--against", "lobby", "--name", name];
    let mut ann = Player::start(&lobby("Ann"));
    let table = ann.link();
    let listed = list();
    assert!(
        listed.contains(&format!("  3x3k3  x Ann, o open\n    {table}\n")),
        "{listed}"
    );
    let mut bob = Player::start(&lobby("Bob"));
    bob.until("You are o.");
    ann.until("Bob (o) has joined.");
    assert!(list().contains("Playing: 1\n"));
    // Nobody waits for this variant, so a table is created.
    let other = [&lobby("Cid")[..], &["--variant", "multi"]].concat();
    let mut cid = Player::start(&other);
    cid.until("You wait in the lobby.");
    ann.types("resign");
    assert!(ann.end().ends_with("Bob (o) has won by resignation.\n"));
    bob.until("You have won by resignation.\n");
    cid.types(":q");
    cid.end();
}

#[test]
fn finished_game_is_reviewed_by_its_link() {
    let server = ServerProcess::http("off");
    let mut robot = Player::start(&[&server.url, "--against", "first", "--robot", "perfect"]);
    let link = robot.link();
    robot.end();
    let review = run(&["analyze", "--record", &link], b"");
    let shown = String::from_utf8(review.output).unwrap();
    assert_eq!(review.exit, 0, "{}", review.errors);
    assert!(shown.starts_with("3x3k3, "), "{shown}");
    assert!(shown.contains("mistake"), "{shown}");
    for (link, part) in [
        (server.url.clone(), "no game"),
        (format!("{}/game/1", server.url), "26 letters and digits"),
        (
            "http://127.0.0.1:1/game/00000000000000000000000000".to_owned(),
            "cannot reach the server",
        ),
    ] {
        let refused = run(&["analyze", "--record", &link], b"");
        assert_eq!(refused.exit, 1, "{link}");
        assert!(refused.errors.contains(part), "{link}: {}", refused.errors);
    }
}

#[test]
fn failures_are_explained() {
    let server = ServerProcess::http("off");
    let nowhere = format!("{}/game/00000000000000000000000000", server.url);
    let foo = format!("{}/foo", server.url);
    let mut ann = Player::start(&[&server.url, "--against", "first"]);
    let created = ann.link();
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
        (vec!["play", &foo], "this address contains no game"),
        (
            vec!["play", &nowhere[..nowhere.len() - 1]],
            "26 letters and digits",
        ),
        (
            vec!["play", &server.url, "--watch"],
            "--watch needs the link of a game",
        ),
        (vec!["play", &server.url, "--resume"], "no game to continue"),
        (
            vec!["play", &created, "--seat", "0", "--token", "wrong"],
            "(--token)",
        ),
        (vec!["play", &server.url, "--robot", "nobody"], "nobody"),
        (vec!["play", &server.url, "--variant", "3x3"], "3x3"),
        (
            vec!["play", &server.url, "--against", "engine:sh"],
            "is not a strategy",
        ),
        (vec!["play", &server.url, "--seat", "2"], "0 to 1"),
        (
            vec!["play", &server.url, "--clock", "soon"],
            "30s+5 (30 seconds, and 5 seconds per move)",
        ),
        (
            vec!["play", &server.url, "--clock", "500+0"],
            "10 to 10800 seconds (--clock)",
        ),
        (vec!["play", &server.url, "3x3"], "3x3"),
        (
            vec!["play", "3x3k3", "--resume"],
            "leave it out with --resume",
        ),
        (
            vec!["play", &server.url, "3x3k3", "--list"],
            "leave it out with --list",
        ),
        (
            vec!["play", &created, "3x3k3", "--watch"],
            "leave it out with --watch",
        ),
        (vec!["play", "3x3k3", "multi"], "is a second variant"),
        (vec!["play", &server.url, &foo], "is a second address"),
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
