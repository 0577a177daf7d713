//! The sessions in docs/terminal.md are played here, in pseudo-terminals, and compared with the document.
//! `NOUGHTS_WRITE_SESSIONS=1` writes the sessions into the document.

use std::fs;
use std::path::Path;

use crate::pseudo_terminal::PseudoTerminal;
use crate::server_process::ServerProcess;

/// Compares what a terminal showed with the block of this name in the document.
#[track_caller]
fn check(name: &str, shown: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/terminal.md");
    let document = fs::read_to_string(&path).unwrap();
    let start = format!("<!-- session: {name} -->\n```text\n");
    let at = document.find(&start).expect("the document has the session") + start.len();
    let end = at + document[at..].find("```").unwrap();
    if std::env::var_os("NOUGHTS_WRITE_SESSIONS").is_some() {
        let written = format!("{}{shown}{}", &document[..at], &document[end..]);
        fs::write(path, written).unwrap();
        return;
    }
    let documented = &document[at..end];
    assert!(
        without_times(shown) == without_times(documented),
        "{name}: docs/terminal.md has\n{documented}\nbut it is\n{shown}"
    );
}

/// The text with zeros instead of the digits of clocks, which differ from run to run.
fn without_times(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for at in 1..bytes.len().saturating_sub(2) {
        let around = [at - 1, at + 1, at + 2];
        if bytes[at] == b':' && around.iter().all(|at| bytes[*at].is_ascii_digit()) {
            for at in around {
                bytes[at] = b'0';
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// A terminal that shows what is typed, as people see it.
struct Screen {
    terminal: PseudoTerminal,
    command: String,
}

impl Screen {
    fn new(command: &str, arguments: &str, state: &Path) -> Screen {
        Screen {
            terminal: PseudoTerminal::with_echo(arguments, state),
            command: command.to_owned(),
        }
    }

    /// Waits for this text, then types.
    fn after(&mut self, text: &str, typed: &str) {
        self.terminal.until(text);
        self.terminal.types(typed);
    }

    /// Waits for the end of the program. Returns the command and everything that the terminal showed. In each pair of
    /// `renamed`, the second text replaces the first.
    fn end(self, renamed: &[(&str, &str)]) -> String {
        let seen = self.terminal.shown.len();
        let (_, exit, shown) = self.terminal.end_with_everything();
        assert_eq!(exit, 0, "{}", &shown[seen.min(shown.len())..]);
        let mut text = format!("$ {}\n{}", self.command, shown.replace('\r', ""));
        for (from, to) in renamed {
            text = text.replace(from, to);
        }
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        lines.join("\n") + "\n"
    }
}

#[test]
fn first_minute() {
    let mut screen = Screen::new("noughts", "", Path::new("/dev/null/none"));
    screen.after("Enter your turn (x): ", "1 1");
    screen.after("Enter your turn (o): ", "?");
    screen.after("Enter your turn (o): ", ":q");
    check("first minute", &screen.end(&[]));
}

/// Ann creates a game with this command, and Bob opens its link. Returns their screens and the id of the game.
fn play_by_link(create: &str, url: &str, states: &Path) -> (Screen, Screen, String) {
    let words = create.strip_prefix("noughts ").unwrap();
    let mut ann = Screen::new(create, &format!("{words} {url}"), &states.join("ann"));
    let line = ann.terminal.until("It opens in a browser");
    let mut words = line.split_whitespace();
    let link = words.find(|word| word.starts_with("http")).unwrap();
    ann.terminal.until("Your move (row-column): ");
    let bob = Screen::new(
        "noughts play http://127.0.0.1:8080/game/ID --name Bob",
        &format!("play {link} --name Bob"),
        &states.join("bob"),
    );
    let id = link.rsplit('/').next().unwrap().to_owned();
    (ann, bob, id)
}

/// Compares what both terminals showed with the document.
fn check_both(name: &str, screens: [Screen; 2], url: &str, id: &str) {
    let renamed = [(url, "http://127.0.0.1:8080"), (id, "ID")];
    for (screen, player) in screens.into_iter().zip(["Ann", "Bob"]) {
        check(&format!("{name}, {player}"), &screen.end(&renamed));
    }
}

#[test]
fn game_by_link_with_a_killed_server() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("games.db").display());
    let mut server = ServerProcess::http_with_store("127.0.0.1:0", &store);
    let url = server.url.clone();
    let create = "noughts play --against link --name Ann";
    let (mut ann, mut bob, id) = play_by_link(create, &url, folder.path());
    bob.terminal.until("Waiting for Ann (x).");
    ann.after("Bob (o) has joined.", "1-1");
    ann.terminal.until("Waiting for Bob (o).");
    bob.after("Your move (row-column): ", "0-1");
    bob.terminal.until("Waiting for Ann (x).");
    ann.terminal.until("Bob (o) plays 0-1.");
    ann.terminal.until("Your move (row-column): ");
    server.kill();
    ann.after("Connection lost. Trying again…", "0-0");
    ann.terminal
        .until("0-0 will be sent when the connection is back.");
    bob.terminal.until("Connection lost. Trying again…");
    let address = url.strip_prefix("http://").unwrap();
    let _server = ServerProcess::http_with_store(address, &store);
    ann.terminal.until("You play 0-0.");
    ann.terminal.until("Waiting for Bob (o).");
    bob.terminal.until("You're back, nothing was missed.");
    bob.after("Your move (row-column): ", "2-2");
    bob.terminal.until("Waiting for Ann (x).");
    ann.terminal.until("Bob (o) plays 2-2.");
    ann.after("Your move (row-column): ", "1-0");
    ann.terminal.until("Waiting for Bob (o).");
    bob.terminal.until("Ann (x) plays 1-0.");
    bob.after("Your move (row-column): ", "1-2");
    bob.terminal.until("Waiting for Ann (x).");
    ann.terminal.until("Bob (o) plays 1-2.");
    ann.after("Your move (row-column): ", "2-0");
    ann.after(
        "You have won with a line.\r\nType rematch to play again, Enter to leave: ",
        "",
    );
    bob.after("Type rematch to play again, Enter to leave: ", "");
    check_both("a game by link", [ann, bob], &url, &id);
}

#[test]
fn game_with_a_clock_and_offers() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::http("off");
    let create = "noughts play --against link --clock 3+2 --name Ann";
    let (mut ann, mut bob, id) = play_by_link(create, &server.url, folder.path());
    bob.terminal.until("Waiting for Ann (x).");
    ann.terminal.until("Bob (o) has joined.");
    ann.after("Your move (row-column): ", "1-1");
    ann.terminal.until("Waiting for Bob (o).");
    bob.after("Your move (row-column): ", "0-1");
    bob.terminal.until("Waiting for Ann (x).");
    ann.terminal.until("Bob (o) plays 0-1.");
    ann.after("Your move (row-column): ", "0-0");
    ann.terminal.until("Waiting for Bob (o).");
    bob.terminal.until("Ann (x) plays 0-0.");
    bob.after("Your move (row-column): ", "takeback");
    bob.terminal.until("You ask to take back a move.");
    bob.terminal.until("Your move (row-column): ");
    ann.after(
        "Bob (o) asks to take back a move. Type accept or decline.",
        "accept",
    );
    ann.terminal.until("Waiting for Bob (o).");
    bob.terminal
        .until("You take back the last move, by agreement.");
    bob.after("Your move (row-column): ", "0-0");
    bob.terminal.until("Waiting for Ann (x).");
    ann.terminal.until("Bob (o) plays 0-0.");
    ann.after("Your move (row-column): ", "draw");
    ann.terminal.until("You offer a draw.");
    ann.terminal.until("Your move (row-column): ");
    bob.after("Ann (x) offers a draw. Type accept or decline.", "accept");
    for screen in [&mut ann, &mut bob] {
        screen.after("Type rematch to play again, Enter to leave: ", "");
    }
    check_both("clock and offers", [ann, bob], &server.url, &id);
}

#[test]
fn review_of_a_finished_game() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let record = "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o human Bob\n\
                  1 0 1-1\n2 1 0-1\n3 0 0-0\n4 1 2-2\n5 0 1-0\n6 1 1-2\n7 0 2-0\nresult won x by line\n";
    fs::write(&file, record).unwrap();
    let name = file.to_str().unwrap();
    let screen = Screen::new(
        "noughts analyze --record game.txt",
        &format!("analyze --record {name}"),
        Path::new("/dev/null/none"),
    );
    check("mistakes of a finished game", &screen.end(&[]));
}
