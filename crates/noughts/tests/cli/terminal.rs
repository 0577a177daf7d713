//! What only a terminal shows: hints, widths, colours, Ctrl-C.

use std::path::Path;

use crate::program::COMMANDS;
use crate::pseudo_terminal::PseudoTerminal;
use crate::server_process::ServerProcess;

/// The text without colour codes.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.split_once('m').map_or(part, |(_, rest)| rest);
    }
    plain
}

#[test]
fn classic_game_greets_people_on_standard_error() {
    let mut terminal = PseudoTerminal::new("");
    let shown = terminal.until("Enter your turn (x): ");
    assert!(
        shown.starts_with("Type row and column") && shown.contains("`noughts tui`"),
        "{shown}"
    );
    assert_eq!(shown.matches("Turn: 1").count(), 1);
    terminal.types("?");
    let shown = terminal.until("Enter your turn (x): ");
    // The answer that the document demands, then the hint.
    let answer = shown.find("Invalid command\r\n===\r\n\r\n").unwrap();
    assert!(answer < shown.find("Type row").unwrap(), "{shown}");
    terminal.types(":q");
    assert_eq!(terminal.end().1, 0);
    // Without a terminal on standard error, no hint is shown.
    let mut terminal = PseudoTerminal::new("2>/dev/null");
    let shown = terminal.until("Enter your turn (x): ");
    assert!(shown.starts_with("Turn: 1\r\n"), "{shown}");
}

#[test]
fn help_fits_into_the_terminal() {
    let commands = COMMANDS
        .split(' ')
        .map(|name| (format!("{name} --help"), 60));
    let mut cases: Vec<(String, u16)> = commands.collect();
    cases.extend(
        [("--help", 60), ("--help", 120), ("serve -h", 50)]
            .map(|(words, columns)| (words.to_owned(), columns)),
    );
    for (words, columns) in &cases {
        let (words, columns) = (words.as_str(), *columns);
        let size = (columns, 24);
        let mut terminal = PseudoTerminal::with_size(words, size, Path::new("/dev/null/none"));
        terminal.until("Usage:");
        let (_, exit) = {
            terminal.until("--version");
            let shown = plain(&terminal.shown);
            for line in shown.lines() {
                let width = line.trim_end().chars().count();
                assert!(width <= columns.into(), "{words}, {columns}: {line:?}");
            }
            terminal.end()
        };
        assert_eq!(exit, 0);
    }
}

/// The line interfaces show the whole first screen, with the prompt, and no line is cut.
#[test]
fn first_screens_fit_into_small_terminals() {
    for (words, prompt) in [
        ("", "Enter your turn (x): "),
        ("menu", "Your choice (1 to 4): "),
        ("multi --start 4", "cell on board 4 (0 to 8): "),
        (
            "multi ultimate --start any --robot o=level:3",
            "(board-cell): ",
        ),
    ] {
        for (columns, lines) in [(60, 18), (80, 24), (120, 40)] {
            let size = (columns, lines);
            let mut terminal = PseudoTerminal::with_size(words, size, Path::new("/dev/null/none"));
            let shown = terminal.until(prompt);
            let shown: Vec<&str> = shown.lines().collect();
            let case = format!("{words}, {columns} x {lines}: {shown:#?}");
            assert!(shown.len() <= lines.into(), "{case}");
            let widest = shown.iter().map(|line| line.chars().count()).max();
            assert!(widest <= Some(columns.into()), "{case}");
        }
    }
}

#[test]
fn help_is_coloured_unless_no_color_is_set() {
    let mut terminal = PseudoTerminal::new("play --help");
    terminal.until("--resume");
    assert!(terminal.shown.contains("\x1b[1m"), "{}", terminal.shown);
    let mut terminal = PseudoTerminal::new("play --help | cat");
    terminal.until("--resume");
    assert!(!terminal.shown.contains('\x1b'), "{}", terminal.shown);
}

#[test]
fn ctrl_c_exits_with_130() {
    for (words, ready) in [
        ("", "Enter your turn (x): "),
        ("menu", "Your choice"),
        ("multi --o first", "cell on board"),
        ("tui 3x3k3", "Your turn"),
        (
            "arena random random --variant 9x9k5 --games 1000000",
            "of 1000000",
        ),
    ] {
        let mut terminal = PseudoTerminal::new(words);
        terminal.until(ready);
        terminal.press("\x03");
        assert_eq!(terminal.end().1, 130, "{words}");
    }
}

#[test]
fn ctrl_c_in_an_online_game_keeps_the_seat() {
    let server = ServerProcess::http("off");
    let state = tempfile::tempdir().unwrap();
    let terminal = |words: &str| {
        let words = format!("play {words}");
        PseudoTerminal::with_size(&words, (80, 24), state.path())
    };
    let mut ann = terminal(&format!("{} --against first", server.url));
    ann.until("Your move (row-column): ");
    ann.press("\x03");
    let (shown, exit) = ann.end();
    assert!(
        shown.contains("The seat stays yours: noughts play --resume"),
        "{shown}"
    );
    assert_eq!(exit, 130);
    let mut again = terminal("--resume");
    again.until("Your move (row-column): ");
    again.types("resign");
    again.until("Type rematch to play again, Enter to leave: ");
    again.types("");
    assert_eq!(again.end().1, 0);
}

#[test]
fn menu_of_play_reaches_a_game() {
    let server = ServerProcess::http("off");
    let mut ann = PseudoTerminal::new(&format!("play {}", server.url));
    ann.until("1  play the computer");
    ann.until("Your choice (1 to 4): ");
    ann.types("1");
    ann.until("Connect Four");
    ann.until("(Enter: 1): ");
    ann.types("4");
    ann.until("Enter: 4): ");
    ann.types("3");
    ann.until("A game of 7x6k4+gravity. You are x.");
    ann.until("Your move (column): ");
    ann.types("3");
    ann.until("You play 5-3.");
    ann.until("level:3 (o) plays ");
    ann.until("Your move (column): ");
    ann.types(":q");
    let (_, exit) = ann.end();
    assert_eq!(exit, 0);
}
