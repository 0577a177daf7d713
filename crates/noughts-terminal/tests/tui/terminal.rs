//! A real terminal, provided by `script`, is restored however the session ends.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use noughts_terminal::tui::{App, Screen, TuiOptions, TuiSettings, play};

use crate::test_app::FULL;

/// The task of the session inside the terminal.
const TASK: &str = "NOUGHTS_TEST_SESSION";

const TAKEN: &str = "\x1b[?1049h";
const GIVEN_BACK: &str = "\x1b[?1049l";

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

struct Lent {
    script: Child,
    heard: String,
}

impl Lent {
    /// A terminal that prints its settings before and after the session.
    fn new(task: &str) -> Lent {
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
            .expect("script, of util-linux, lends a terminal");
        Lent {
            script,
            heard: String::new(),
        }
    }

    /// Reads until this text appears.
    fn handle(&mut self, text: &str) {
        let mut some = [0; 4096];
        while !self.heard.contains(text) {
            let output = self.script.stdout.as_mut().unwrap();
            let count = output.read(&mut some).unwrap();
            assert!(count > 0, "no {text:?} in {}", self.heard);
            self.heard
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
        self.handle("done");
        self.script.wait().unwrap();
        let (before, rest) = self.heard.split_once(TAKEN).expect("it was taken");
        let (_, after) = rest.rsplit_once(GIVEN_BACK).expect("it was given back");
        let is_settings = |line: &&str| {
            line.contains(':') && line.chars().all(|c| c == ':' || c.is_ascii_hexdigit())
        };
        let settings: Vec<&str> = [before, after]
            .iter()
            .flat_map(|text| text.lines().map(str::trim).filter(is_settings))
            .collect();
        assert_eq!(settings.len(), 2, "{:?}", self.heard);
        assert_eq!(settings[0], settings[1]);
        // Mouse capture is off, and the cursor is visible.
        assert!(self.heard.contains("\x1b[?1000l") && self.heard.contains("\x1b[?25h"));
        after.to_owned()
    }
}

#[test]
fn q_restores_the_terminal() {
    let mut lent = Lent::new("play");
    lent.handle("Your turn");
    lent.press("q");
    lent.check();
}

#[test]
fn a_robot_answers_and_a_question_is_asked_before_a_game_is_left() {
    let mut lent = Lent::new("play");
    lent.handle("Your turn");
    lent.press("1-1\r");
    // The mark and move of turn 2.
    lent.handle("0-0");
    lent.press("q");
    lent.handle("Leave this game?");
    lent.press("y");
    lent.check();
}

#[test]
fn ctrl_c_restores_the_terminal() {
    let mut lent = Lent::new("play");
    lent.handle("Your turn");
    lent.press("\x03");
    lent.check();
}

#[test]
fn sigterm_restores_the_terminal() {
    let mut lent = Lent::new("play");
    lent.handle("Your turn");
    let (_, rest) = lent.heard.split_once("pid ").unwrap();
    let process = rest.split_whitespace().next().unwrap().to_owned();
    let told = Command::new("kill").args(["-TERM", &process]).status();
    assert!(told.unwrap().success());
    lent.check();
}

#[test]
fn panic_restores_the_terminal_and_is_reported() {
    let after = Lent::new("panic").check();
    assert!(after.contains("in the middle of a game"), "{after}");
}

#[test]
fn a_terminal_that_goes_away_ends_the_session() {
    let mut lent = Lent::new("play");
    lent.handle("Your turn");
    let (_, rest) = lent.heard.split_once("pid ").unwrap();
    let process = rest.split_whitespace().next().unwrap().to_owned();
    lent.script.kill().unwrap();
    lent.script.wait().unwrap();
    // `tail --pid` waits for the end of a process that is not a child of this process.
    let ended = Command::new("timeout")
        .args(["20", "tail", "--pid", &process, "-f", "/dev/null"])
        .status();
    assert!(
        ended.unwrap().success(),
        "{process} goes on without a terminal"
    );
}
