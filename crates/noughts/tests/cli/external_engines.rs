//! External engines in the terminal games and the arena.

use std::io::Write;
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::arena::arena;
use crate::connect::{start, visit};
use crate::transcript::run;

fn python(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/engines");
    format!("engine:python3 {folder}/{file}")
}

fn ours() -> String {
    format!("engine:{} engine first", env!("CARGO_BIN_EXE_noughts"))
}

#[test]
fn the_arena_reports_each_program_as_what_it_is() {
    for (file, column, told) in [
        (
            "crashes.py",
            "crash",
            "crashes.py ended with exit code 1; last error line: SystemError: out of ideas (crash)",
        ),
        (
            "occupied.py",
            "illegal",
            "which is not legal: that cell is taken, choose an empty one (illegal)",
        ),
        (
            "floods.py",
            "crash",
            "floods.py sent a line that is too long (crash)",
        ),
        (
            "hangs.py",
            "time",
            "hangs.py sent no move within 40 ms and 60 ms of tolerance (time)",
        ),
    ] {
        let limits = match file {
            "hangs.py" => ["--time", "40ms", "--tolerance", "60ms"],
            // Long enough for a busy machine.
            _ => ["--time", "20s", "--tolerance", "20s"],
        };
        let options = [&["--variant", "15x15k5", "--games", "2"], &limits[..]].concat();
        let (table, errors, exit) = arena(&["first", &python(file)], &options);
        assert_eq!((errors.as_str(), exit), ("", 0), "{file}");
        assert!(table.contains(told), "{file}: {table}");
        assert!(
            table.lines().take(9).all(|line| line.chars().count() <= 80),
            "{table}"
        );
        let mut tables = table.split("\n\n").skip(1).map(|table| {
            let words = |line: &'_ str| line.split_whitespace().map(str::to_owned).collect();
            table.lines().map(words).collect::<Vec<Vec<String>>>()
        });
        let (rows, sides) = (tables.next().unwrap(), tables.next().unwrap());
        let of = |table: &[Vec<String>], who: &str| {
            let mut rows = table
                .iter()
                .filter(|row| row.iter().any(|word| word == who));
            rows.next().unwrap().clone()
        };
        // Columns are counted from the right, because the name contains spaces.
        let place = sides[0].iter().rev().position(|head| head == column);
        let external = of(&sides, file);
        assert_eq!(
            external[external.len() - 1 - place.unwrap()],
            "2",
            "{table}"
        );
        assert_eq!(of(&rows, "first")[2..6], ["2", "2", "0", "0"], "{table}");
    }
    // A program that does not end is reported.
    for (file, told) in [
        ("correct.py", None),
        (
            "stays.py",
            Some("stays.py did not exit after END and was killed"),
        ),
    ] {
        let options = [
            "--variant",
            "15x15k5",
            "--games",
            "2",
            "--time",
            "20s",
            "--tolerance",
            "20s",
        ];
        let (table, _, exit) = arena(&["first", &python(file)], &options);
        assert_eq!(
            (exit, told.is_some()),
            (0, table.contains("game 1:")),
            "{table}"
        );
        assert!(told.is_none_or(|told| table.contains(told)), "{table}");
    }
}

#[test]
fn a_program_plays_the_classic_game() {
    let words = ["--robot", &format!("o={}", ours()), "--robot", "x=first"];
    let run = run(&words, b"");
    let output = String::from_utf8(run.output).unwrap();
    assert!(
        output.contains("Enter your turn (o): 0 1\n===\n"),
        "{output}"
    );
    assert!(output.contains("Winner is 'x'\n"), "{output}");
    assert_eq!((run.exit, run.errors.as_str()), (0, ""));
}

#[test]
fn a_program_that_fails_has_lost_the_classic_game() {
    let words = [
        "--variant",
        "15x15k5",
        "--robot",
        &format!("o={}", python("occupied.py")),
    ];
    let run = run(&words, b"3 4\n");
    let output = String::from_utf8(run.output).unwrap();
    assert!(
        output.contains("Enter your turn (o): it played \"4,3\", which is not legal: that cell is taken, choose an empty one\n===\n\nGame over after 1 turns\n"),
        "{output}"
    );
    assert!(output.ends_with("Winner is 'x'\n"), "{output}");
    assert_eq!((run.exit, run.errors.as_str()), (0, ""));
}

#[test]
fn a_program_plays_on_nine_boards() {
    let words = ["multi", "--x", "first", "--o", &ours(), "--start", "4"];
    let run = run(&words, b"");
    let output = String::from_utf8(run.output).unwrap();
    // The instructions beside the boards are wrapped.
    assert!(output.contains("engine:"), "{output}");
    assert!(output.contains("Game over after "), "{output}");
    assert_eq!((run.exit, run.errors.as_str()), (0, ""));
}

#[test]
fn external_engine_plays_over_tcp_and_its_failure_is_reported() {
    let server = start("first");
    let (output, exit) = visit(&server, &["--robot", &ours()], "");
    assert_eq!(exit, 0, "{output}");
    assert!(output.contains("won"), "{output}");
    let words = ["connect", "--robot", "engine:echo OK; read line; exit 3"];
    let run = run(&words, b"");
    // The engine is checked before connecting, and passes; but there is no server.
    assert_eq!(run.exit, 1);
    assert!(run.errors.starts_with("Error: "), "{}", run.errors);
}

#[test]
fn programs_cannot_be_named_over_the_network() {
    for words in [
        &["serve", "--tcp-strategy", "engine:true"][..],
        &["engine", "engine:true"],
        &["menu", "--strategy", "engine:true"],
    ] {
        let run = run(words, b"");
        assert!(
            run.errors.contains("\"engine:true\" is not a strategy"),
            "{words:?}: {}",
            run.errors
        );
        assert_eq!(run.exit, 1, "{words:?}");
    }
}

#[test]
fn search_alone_thinks_as_long_as_the_manager_allows() {
    // Four in a line, one end closed. `search` needs no limit here, because the manager sends the limits.
    let four =
        b"START 15\nINFO max_node 2000\nBOARD\n3,7,1\n4,7,1\n5,7,1\n6,7,1\n2,7,2\nDONE\nEND\n";
    for words in [&["engine"][..], &["engine", "search"]] {
        let run = run(words, four);
        let output = String::from_utf8(run.output).unwrap();
        let answers = output.lines().filter(|line| !line.starts_with("MESSAGE"));
        assert_eq!(answers.collect::<Vec<_>>(), ["OK", "7,7"], "{words:?}");
        assert_eq!((run.exit, run.errors.as_str()), (0, ""));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_engine_takes_no_more_memory_than_its_manager_allows() {
    /// The engine's private memory after the answer, in kB.
    fn taken(said: &str) -> u64 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .arg("engine")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let question = format!("START 15\nINFO timeout_turn 100\n{said}\nTURN 7,7\n");
        stdin.write_all(question.as_bytes()).unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines = lines.map(Result::unwrap);
        assert!(lines.any(|line| line.contains(',')));
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let own = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        stdin.write_all(b"END\n").unwrap();
        assert!(child.wait().unwrap().success());
        let number = own.unwrap().trim().trim_end_matches(" kB");
        number.parse().unwrap()
    }
    let free = taken("INFO max_memory 0");
    assert!(
        free > 16 << 10,
        "{free}: a table of 16 MB is all written to"
    );
    // Of 25 MB, 20 MB are for everything else. Half of the rest, rounded down to a power of two, is for the table:
    // 2 MB.
    let bounded = taken("INFO max_memory 25000000");
    assert!(bounded + (13 << 10) < free, "{bounded} of {free}");
    assert!(bounded < 25_000_000 / 1024, "{bounded}");
}

#[test]
fn the_engine_speaks_on_a_pipe() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_noughts"))
        .args(["engine", "first"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(b"START 15\r\nBEGIN\r\nTURN 1,0\r\nEND\r\n")
        .unwrap();
    // The engine ends at END, although the pipe stays open.
    let done = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "OK\n0,0\n2,0\n");
    assert_eq!(done.status.code(), Some(0));
}
