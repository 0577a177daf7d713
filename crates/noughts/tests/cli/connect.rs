//! `noughts connect` against a real `noughts serve`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::server_process::ServerProcess;
use crate::transcript::run;

/// A server whose robot plays this strategy.
pub(crate) fn start(strategy: &str) -> ServerProcess {
    ServerProcess::tcp(&["--tcp-strategy", strategy])
}

/// Plays with this input; returns the output and the exit code.
pub(crate) fn visit(server: &ServerProcess, words: &[&str], typed: &str) -> (String, i32) {
    let port = server.port("tcp");
    let all = [&["connect", "-p", port, "--name", "Ann"], words].concat();
    let run = run(&all, typed.as_bytes());
    assert_eq!(run.errors, "", "{words:?}");
    (String::from_utf8(run.output).unwrap(), run.exit)
}

/// A `noughts connect` process with a keyboard.
struct Person {
    process: Child,
    keyboard: ChildStdin,
    screen: ChildStdout,
    seen: String,
}

impl Person {
    fn visit(words: &[&str]) -> Person {
        let mut process = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .arg("connect")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Person {
            keyboard: process.stdin.take().unwrap(),
            screen: process.stdout.take().unwrap(),
            process,
            seen: String::new(),
        }
    }

    /// Reads until one of these texts appears, and returns the index of this text.
    fn reads_any(&mut self, words: &[&str]) -> usize {
        let mut byte = [0];
        loop {
            if let Some(found) = words.iter().position(|word| self.seen.ends_with(word)) {
                return found;
            }
            let count = self.screen.read(&mut byte).unwrap();
            assert_eq!(count, 1, "{words:?} was not seen in\n{}", self.seen);
            self.seen.push(char::from(byte[0]));
        }
    }

    fn reads(&mut self, words: &str) -> &mut Person {
        self.reads_any(&[words]);
        self
    }

    fn types(&mut self, line: &str) -> &mut Person {
        writeln!(self.keyboard, "{line}").unwrap();
        self.seen.clear();
        self
    }

    /// Waits for the end of the program. Returns the output since the last typed line, standard error, and the exit
    /// code. The input stays open, so the program does not end because its input ends.
    fn sees_the_end(mut self) -> (String, String, i32) {
        let mut errors = String::new();
        self.screen.read_to_string(&mut self.seen).unwrap();
        let mut said = self.process.stderr.take().unwrap();
        said.read_to_string(&mut errors).unwrap();
        let exit = self.process.wait().unwrap().code().unwrap_or(-1);
        (self.seen, errors, exit)
    }
}

#[test]
fn a_person_plays_whole_games_in_both_dialects() {
    let perfect = start("perfect");
    for dialect in ["seed", "later"] {
        // Types every cell in turn, until the board is full or the game is lost.
        let everywhere: String = [
            "1 1", "0 1", "1 0", "2 0", "0 2", "2 1", "1 2", "0 0", "2 2",
        ]
        .map(|cell| format!("{cell}\n"))
        .concat();
        let typed = everywhere.repeat(2) + "n\n";
        let (output, exit) = visit(&perfect, &["--dialect", dialect], &typed);
        assert!(output.contains(" as Ann. :q leaves at any time.\n\nYou are X and begin.\n"));
        assert!(!output.contains("You won."), "{output}");
        assert!(output.ends_with("Goodbye.\n"), "{output}");
        assert_eq!(exit, 0);

        // A person who plays only in the first row and the first column loses.
        let (output, exit) = visit(&perfect, &["--dialect", dialect], "0 0\n0 1\n1 0\nn\n");
        assert!(
            output.contains(
                "\nThe server plays row 2, column 0.\n    0   1   2\n  -------------\n\
                 0 | X | X | O |\n  -------------\n1 | X | O |   |\n  -------------\n\
                 2 |[O]|   |   |\n  -------------\n\
                 The server completed a line on the diagonal from 0-2 to 2-0.\nYou lost.\n"
            ),
            "{output}"
        );
        assert_eq!(exit, 0);
    }
    let first = start("first");
    for dialect in ["seed", "later"] {
        let (output, exit) = visit(&first, &["--dialect", dialect], "1 0\n1 1\n1 2\ny\n:q\n");
        let won =
            "You completed a line in row 1.\nYou won.\nPlay again? (y/n): \nYou are X and begin.";
        assert!(output.contains(won), "{output}");
        assert!(output.ends_with("The game stays unfinished after 0 plays.\nGoodbye.\n"));
        assert_eq!(exit, 0);
    }
}

#[test]
fn robot_plays_for_the_user() {
    let first = start("first");
    let (output, exit) = visit(&first, &["--robot", "perfect", "--games", "3"], "");
    assert!(
        output.ends_with("In 3 games the robot won 3, lost 0 and drew 0.\nGoodbye.\n"),
        "{output}"
    );
    assert_eq!(exit, 0);

    let perfect = start("perfect");
    let (output, _) = visit(&perfect, &["--robot", "perfect", "--dialect", "later"], "");
    assert!(
        output.ends_with("The board is full. Nobody won.\nGoodbye.\n"),
        "{output}"
    );
    // The same seed gives the same game.
    let game = || visit(&perfect, &["--robot", "random", "--seed", "7"], "").0;
    assert_eq!(game(), game());
}

#[test]
fn two_robots_meet_in_pairs() {
    let server = start("perfect");
    let robot = |strategy| {
        Person::visit(&[
            "--pairs",
            "-p",
            server.port("tcp-pairs"),
            "--robot",
            strategy,
            "--games",
            "4",
        ])
    };
    let (perfect, first) = (robot("perfect"), robot("first"));
    let (perfect, errors, exit) = perfect.sees_the_end();
    assert_eq!((errors.as_str(), exit), ("", 0), "{perfect}");
    assert!(perfect.contains("lost 0 and drew"), "{perfect}");
    let (first, errors, exit) = first.sees_the_end();
    assert_eq!((errors.as_str(), exit), ("", 0), "{first}");
    assert!(
        first.contains("In 4 games the robot won 0, lost"),
        "{first}"
    );
    assert_eq!(
        first
            .matches("Waiting for somebody to play with.\n")
            .count(),
        4
    );
}

#[test]
fn two_people_meet_and_one_leaves() {
    let server = start("perfect");
    let join = || {
        let mut person = Person::visit(&["-p", server.port("tcp-pairs"), "--pairs"]);
        person.reads("Waiting for somebody to play with.\n");
        person
    };
    let mut people = [join(), join()];
    let ends = ["You are X and begin.\n", "Your opponent is X and begins.\n"];
    let is_second = people[0].reads_any(&ends);
    let [x, o] = match is_second {
        0 => &mut people,
        _ => {
            people.reverse();
            &mut people
        }
    };
    x.reads("(0 to 2): ")
        .types("1 1")
        .reads("Waiting for your opponent.\n");
    o.reads("Your opponent plays row 1, column 1.\n")
        .reads("(0 to 2): ")
        .types("0 0");
    x.reads("Your opponent plays row 0, column 0.\n")
        .reads("(0 to 2): ")
        .types("2 2");
    o.reads("Your opponent plays row 2, column 2.\n");
    // x leaves while waiting for the opponent, not at a question.
    x.reads("Waiting for your opponent.\n").types(":q");
    o.reads("Your opponent left. You won.\nPlay again? (y/n): ")
        .types("n");
    for (person, last) in people.into_iter().zip([
        "You leave after 3 plays, so your opponent wins.\nGoodbye.\n",
        "Goodbye.\n",
    ]) {
        assert_eq!(person.sees_the_end(), (last.to_owned(), String::new(), 0));
    }
}

#[test]
fn killed_server_is_reported_while_thinking() {
    let mut server = start("first");
    let mut person = Person::visit(&["-p", server.port("tcp")]);
    person.reads("(0 to 2): ").types("1 1").reads("(0 to 2): ");
    server.kill();
    let (screen, errors, exit) = person.sees_the_end();
    assert!(
        screen.ends_with("(0 to 2): \nThe game stays unfinished after 2 plays.\n"),
        "{screen}"
    );
    assert_eq!(
        errors,
        "Error: the server left while it waited for a move\n"
    );
    assert_eq!(exit, 1);

    // Between two games a disconnection is not an error.
    let mut server = start("first");
    let mut person = Person::visit(&["-p", server.port("tcp")]);
    for cell in ["1 0", "1 1", "1 2"] {
        person.reads("(0 to 2): ").types(cell);
    }
    person.reads("Play again? (y/n): ");
    server.kill();
    let (screen, errors, exit) = person.sees_the_end();
    assert!(
        screen.ends_with("\nThe server has left, so there is no other game.\nGoodbye.\n"),
        "{screen}"
    );
    assert_eq!((errors.as_str(), exit), ("", 0));
}

#[test]
fn default_name_is_sent_to_the_server() {
    let server = start("first");
    for (user, name) in [
        (Some("núria"), "núria"),
        (Some("Łucja"), "player"),
        (None, "player"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noughts"));
        command
            .args(["connect", "-p", server.port("tcp")])
            .env_remove("USER");
        if let Some(user) = user {
            command.env("USER", user);
        }
        let done = command.stdin(Stdio::null()).output().unwrap();
        let output = String::from_utf8(done.stdout).unwrap();
        assert!(
            output.contains(&format!(" as {name}. ")),
            "{user:?}: {output}"
        );
    }
}

#[test]
fn invalid_options_are_refused_before_connecting() {
    let long = "é".repeat(256);
    for (words, told) in [
        (
            &["-p", "0"][..],
            "the port (-p) must be a number from 1 to 65535, not \"0\"",
        ),
        (&["-p", "65536"], "from 1 to 65535, not \"65536\""),
        (&["-p", "-1"], "from 1 to 65535, not \"-1\""),
        (&["-p", "http"], "from 1 to 65535, not \"http\""),
        (&["-h", ""], "unknown host (-h) \"\""),
        (
            &["-h", "no such host"],
            "unknown host (-h) \"no such host\"",
        ),
        (&["-h", "127.0.0.1:80"], "without a port, such as 127.0.0.1"),
        (&["--name", "Łucja"], "and 'Ł' is none of them"),
        (&["--name", ""], "must be 1 to 255 characters, not 0"),
        (&["--name", &long], "must be 1 to 255 characters, not 256"),
        (
            &["--robot", "nobody"],
            "\"nobody\" is not a strategy: there are ",
        ),
        (
            &["--robot", "first", "--games", "0"],
            "(--games) must be from 1 to 1000000, not \"0\"",
        ),
        (&["--robot", "first", "--games", "-1"], "not \"-1\""),
        (&["--seed", "x"], "the seed (--seed) must be a number"),
    ] {
        let run = run(&[&["connect"], words].concat(), b"");
        assert!(
            run.errors.starts_with("Error: ") && run.errors.contains(told),
            "{words:?}: {}",
            run.errors
        );
        assert_eq!((run.exit, run.output.len()), (1, 0), "{words:?}");
    }
    for words in [
        &["connect", "--dialect", "klingon"][..],
        &["connect", "--games", "2"],
        &["connect", "-h"],
        &["connect", "8081"],
    ] {
        assert_eq!(run(words, b"").exit, 2, "{words:?}");
    }
}

#[test]
fn refused_connection_is_explained() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let run = run(
        &[
            "connect",
            "-h",
            "127.0.0.1",
            "-p",
            &address.port().to_string(),
        ],
        b"",
    );
    assert_eq!(
        run.errors,
        format!(
            "Error: cannot connect to {address}: connection refused; `noughts serve` starts a server\n"
        )
    );
    assert_eq!((run.exit, run.output.len()), (1, 0));
}

/// Some servers write each field of a frame separately. This server writes each byte separately.
#[test]
fn a_server_that_writes_byte_by_byte_and_leaves_is_understood() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let mut hello = [0; 10];
        stream.read_exact(&mut hello).unwrap();
        let id = &hello[1..5];
        for bytes in [&[2], id, &[4], id, &[2, 5], id, b"9-9"].concat() {
            stream.write_all(&[bytes]).unwrap();
        }
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        rest
    });
    let run = run(&["connect", "-p", &port, "--name", "Ann"], b"");
    assert_eq!(
        run.errors,
        "Error: the server played \"9-9\", which is not a cell; the client sent error 0 and ended the game\n"
    );
    assert_eq!(run.exit, 1);
    let rest = server.join().unwrap();
    assert_eq!((rest[0], rest[5], rest[10]), (3, 8, 0));
    assert!(rest.ends_with(b"Moviment Desconegut\0\0"));
}
