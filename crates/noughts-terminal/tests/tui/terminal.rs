//! A real terminal, provided by `script`, is restored however the session ends.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use noughts_terminal::tui::{App, Screen, TuiOptions, TuiSettings, play};

use crate::test_app::FULL;

/// The environment variable that names the task of the session inside the terminal.
const TASK: &str = "NOUGHTS_TEST_SESSION";

const ENTER_SCREEN: &str = "\x1b[?1049h";
const LEAVE_SCREEN: &str = "\x1b[?1049l";

/// Not a test, but the program that the other tests run in a terminal.
#[test]
fn session() {
    let options = TuiOptions {
        variant: Some("3x3k3".to_owned()),
        seats: vec!["human".to_owned(), "first".to_owned()],
        ..TuiOptions::default()
    };
    match std::env::var(TASK).as_deref() {
        Ok("play") => {
            println!("pid {} ", std::process::id());
            play(App::new(&options, TuiSettings::new(FULL, 1)).unwrap()).unwrap();
        }
        Ok("panic") => {
            let _screen = Screen::open().unwrap();
            panic!("in the middle of a game");
        }
        Ok(_) | Err(_) => {}
    }
}

/// A session in a terminal, and its output so far.
struct TerminalSession {
    script: Child,
    output: String,
}

impl TerminalSession {
    /// A terminal that prints its settings before and after the session.
    fn new(task: &str) -> TerminalSession {
        let program = std::env::current_exe().unwrap();
        let inside = format!(
            "stty rows 24 cols 80; stty -g; {TASK}={task} '{}' --exact terminal::session --nocapture; \
             stty -g; echo done",
            program.display()
        );
        let script = Command::new("script")
            .args(["-qfc", &inside, "/dev/null"])
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script, of util-linux, provides a terminal");
        TerminalSession {
            script,
            output: String::new(),
        }
    }

    /// Reads until this text appears.
    fn wait_for(&mut self, text: &str) {
        let mut some = [0; 4096];
        while !self.output.contains(text) {
            let stdout = self.script.stdout.as_mut().unwrap();
            let count = stdout.read(&mut some).unwrap();
            assert!(count > 0, "no {text:?} in {}", self.output);
            self.output
                .push_str(&String::from_utf8_lossy(&some[..count]));
        }
    }

    fn press(&mut self, keys: &str) {
        let input = self.script.stdin.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Waits for the end and checks that the terminal is restored.
    fn check(mut self) -> String {
        self.wait_for("done");
        self.script.wait().unwrap();
        let (before, rest) = self
            .output
            .split_once(ENTER_SCREEN)
            .expect("the session took the screen");
        let (_, after) = rest
            .rsplit_once(LEAVE_SCREEN)
            .expect("the session gave the screen back");
        let is_settings = |line: &&str| {
            line.contains(':') && line.chars().all(|c| c == ':' || c.is_ascii_hexdigit())
        };
        let settings: Vec<&str> = [before, after]
            .iter()
            .flat_map(|text| text.lines().map(str::trim).filter(is_settings))
            .collect();
        assert_eq!(settings.len(), 2, "{:?}", self.output);
        assert_eq!(settings[0], settings[1]);
        // Mouse capture is off, and the cursor is visible.
        assert!(self.output.contains("\x1b[?1000l") && self.output.contains("\x1b[?25h"));
        after.to_owned()
    }
}

#[test]
fn q_restores_the_terminal() {
    let mut session = TerminalSession::new("play");
    session.wait_for("Your turn");
    session.press("q");
    session.check();
}

#[test]
fn a_robot_answers_and_a_question_is_asked_before_a_game_is_left() {
    let mut session = TerminalSession::new("play");
    session.wait_for("Your turn");
    session.press("1-1\r");
    // The robot's move.
    session.wait_for("0-0");
    session.press("q");
    session.wait_for("Leave this game?");
    session.press("y");
    session.check();
}

#[test]
fn ctrl_c_restores_the_terminal() {
    let mut session = TerminalSession::new("play");
    session.wait_for("Your turn");
    session.press("\x03");
    session.check();
}

#[test]
fn sigterm_restores_the_terminal() {
    let mut session = TerminalSession::new("play");
    session.wait_for("Your turn");
    let (_, rest) = session.output.split_once("pid ").unwrap();
    let process = rest.split_whitespace().next().unwrap().to_owned();
    let killed = Command::new("kill").args(["-TERM", &process]).status();
    assert!(killed.unwrap().success());
    session.check();
}

#[test]
fn panic_restores_the_terminal_and_is_reported() {
    let after = TerminalSession::new("panic").check();
    assert!(after.contains("in the middle of a game"), "{after}");
}

#[test]
fn a_terminal_that_goes_away_ends_the_session() {
    let mut session = TerminalSession::new("play");
    session.wait_for("Your turn");
    let (_, rest) = session.output.split_once("pid ").unwrap();
    let process = rest.split_whitespace().next().unwrap().to_owned();
    session.script.kill().unwrap();
    session.script.wait().unwrap();
    // `tail --pid` waits for the end of a process that is not a child of this process.
    let ended = Command::new("timeout")
        .args(["20", "tail", "--pid", &process, "-f", "/dev/null"])
        .status();
    assert!(
        ended.unwrap().success(),
        "{process} goes on without a terminal"
    );
}
