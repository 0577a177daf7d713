//! `noughts arena`, and `noughts engine` in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::transcript::run;

/// The path of a temporary directory. Dropping this value removes the directory.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let name = format!("noughts-arena-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// The turns of each record, in the order of the file names.
    fn turns(&self) -> Vec<String> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.0.join("records"))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        let is_turn = |line: &&str| line.starts_with(|sign: char| sign.is_ascii_digit());
        let turns = |file: &PathBuf| {
            let text = fs::read_to_string(file).unwrap();
            text.lines().filter(is_turn).collect::<Vec<_>>().join("\n")
        };
        files.iter().map(turns).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn arena(players: &[&str], options: &[&str]) -> (String, String, i32) {
    let words = [&["arena"], players, options].concat();
    let run = run(&words, b"");
    (String::from_utf8(run.output).unwrap(), run.errors, run.exit)
}

#[test]
fn engine_process_plays_the_same_moves_as_the_strategy() {
    let outside = format!("engine:{} engine", env!("CARGO_BIN_EXE_noughts"));
    // Only the turns are compared, because the reports name the players.
    for variant in ["15x15k5", "15x15k5+exact", "ultimate", "7x6k4+gravity"] {
        let (inside, through) = (Folder::new("inside"), Folder::new("through"));
        let options = |folder| {
            [
                "--variant",
                variant,
                "--games",
                "4",
                "--nodes",
                "400",
                "--out",
                folder,
            ]
        };
        let (_, errors, exit) = arena(&["search", "search"], &options(inside.text()));
        assert_eq!((errors.as_str(), exit), ("", 0), "{variant}");
        let (_, errors, exit) = arena(&[&outside, &outside], &options(through.text()));
        assert_eq!((errors.as_str(), exit), ("", 0), "{variant}");
        let turns = inside.turns();
        assert_eq!(turns.len(), 4);
        assert!(
            turns.iter().all(|turns| turns.lines().count() > 8),
            "{variant}"
        );
        assert_eq!(turns, through.turns(), "{variant}");
    }
}

/// The number of complete lines; 0 if there is no such file.
fn lines(file: &Path) -> usize {
    fs::read(file).map_or(0, |bytes| {
        bytes.iter().filter(|byte| **byte == b'\n').count()
    })
}

#[test]
fn interrupted_tournament_ends_with_the_same_table() {
    let options = |folder, threads| {
        let games = [
            "--variant",
            "7x7k4",
            "--games",
            "200",
            "--nodes",
            "1000",
            "--seed",
            "5",
        ];
        [
            &["arena", "search", "level:6"],
            &games[..],
            &["--threads", threads, "--out", folder],
        ]
        .concat()
    };
    let (whole, broken) = (Folder::new("whole"), Folder::new("broken"));
    let uninterrupted = run(&options(whole.text(), "2"), b"");
    assert_eq!((uninterrupted.errors.as_str(), uninterrupted.exit), ("", 0));
    let mut interrupted = 0;
    for time in 1..=10 {
        let mut process = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .args(options(broken.text(), "1"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The first line is the header.
        while lines(&broken.0.join("games.csv")) <= 16 * time
            && process.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        // Like after Ctrl-C or a crash.
        let signal = if time % 2 == 0 {
            Signal::INT
        } else {
            Signal::KILL
        };
        let pid = Pid::from_raw(process.id() as i32).unwrap();
        let _ = kill_process(pid, signal);
        let status = process.wait().unwrap();
        let by_crash = status.code().is_none();
        interrupted += u32::from(by_crash || status.code() == Some(130));
    }
    assert_eq!(interrupted, 10);
    let last = run(&options(broken.text(), "2"), b"");
    assert_eq!(last.exit, 0);
    let table = String::from_utf8(last.output).unwrap();
    assert!(table.starts_with("7x7k4, 200 of 200 games"), "{table}");
    assert_eq!(table, String::from_utf8(uninterrupted.output).unwrap());
    for file in ["report.txt", "standings.csv", "plot.svg"] {
        assert_eq!(whole.read(file), broken.read(file), "{file}");
    }
    assert_eq!(whole.turns(), broken.turns());
    // All games were played already, so the command only prints the same report.
    assert_eq!(
        run(&options(broken.text(), "1"), b"").output,
        table.as_bytes()
    );
}

#[test]
fn signal_after_the_last_game_stops_nothing() {
    let folder = Folder::new("signal");
    // The arena starts the engine for a check and for each game. At the end of the second game, the engine sends a
    // signal to the arena, which waits for the exit of the engine.
    let engine = format!(
        "engine:{} engine; mkdir {folder} || mkdir {folder}/2 || kill -INT $PPID",
        env!("CARGO_BIN_EXE_noughts"),
        folder = folder.text()
    );
    let options = ["--variant", "3x3k3", "--games", "2", "--nodes", "100"];
    let options = [&options[..], &["--threads", "1"]].concat();
    let (table, errors, exit) = arena(&[&engine, "first"], &options);
    assert_eq!((errors.as_str(), exit), ("", 0));
    assert!(table.starts_with("3x3k3, 2 of 2 games"), "{table}");
}

#[test]
fn truncated_record_line_is_replayed_and_a_foreign_one_refused() {
    let folder = Folder::new("cut");
    let options = ["--variant", "3x3k3", "--games", "6", "--out", folder.text()];
    let (table, ..) = arena(&["random", "first"], &options);
    let file = folder.0.join("games.csv");
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    let (again, _, exit) = arena(&["random", "first"], &options);
    assert_eq!((again.as_str(), exit), (table.as_str(), 0));
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    fs::write(&file, whole.replacen("1,1,0 1", "1,1,1 0", 1)).unwrap();
    let (_, errors, exit) = arena(&["random", "first"], &options);
    assert!(
        errors.contains("line 2 of games.csv does not belong to this tournament"),
        "{errors}"
    );
    assert_eq!(exit, 1);
    // A larger number of games continues the tournament.
    fs::write(&file, &whole).unwrap();
    let more = [
        "--variant",
        "3x3k3",
        "--games",
        "10",
        "--out",
        folder.text(),
    ];
    let (table, ..) = arena(&["random", "first"], &more);
    assert!(table.starts_with("3x3k3, 10 of 10 games"), "{table}");
    assert!(fs::read_to_string(&file).unwrap().starts_with(&whole));
}

#[test]
fn invalid_match_is_refused_before_it_starts() {
    let folder = Folder::new("other");
    let out = ["--variant", "3x3k3", "--games", "2", "--out", folder.text()];
    arena(&["random", "first"], &out);
    for (players, options, told) in [
        (
            &["random", "first"][..],
            &["--variant", "3x3"][..],
            "\"3x3\"",
        ),
        (
            &["random"],
            &["--variant", "3x3k3"],
            "needs 2 players or more, not 1",
        ),
        (
            &["random", "first"],
            &["--variant", "4x4k3p3"],
            "needs 3 players or more, not 2",
        ),
        (
            &["random", "nobody"],
            &["--variant", "3x3k3"],
            "\"nobody\" is not a strategy",
        ),
        (
            &["random", "perfect"],
            &["--variant", "9x9k5"],
            "perfect does not play this game",
        ),
        (
            &["random", "engine:/no/such"],
            &["--variant", "15x15k5"],
            "exit code 127",
        ),
        (
            &["random", "engine:"],
            &["--variant", "15x15k5"],
            "engine:COMMAND",
        ),
        (
            &["random", "first"],
            &["--variant", "3x3k3", "--time", "x"],
            "(--time)",
        ),
        (
            &["random", "frist"],
            &["--variant", "3x3k3"],
            "; and here search, within --time or --nodes, and engine:COMMAND",
        ),
        (
            &["random", "first"],
            &["--variant", "3x3k3", "--nodes", "x"],
            "(--nodes)",
        ),
        (
            &["random", "first"],
            &["--variant", "3x3k3", "--tolerance", "9n"],
            "(--tolerance)",
        ),
        (
            &["random", "first"],
            &["--variant", "3x3k3", "--sprt", "10,0"],
            "ELO0,ELO1",
        ),
        (
            &["random", "first", "greedy"],
            &["--variant", "3x3k3", "--sprt", "0,10"],
            "for two players",
        ),
        (
            &["random", "first"],
            &["--variant", "3x3k3", "--openings", "/no/such"],
            "no such file",
        ),
        (
            &["random", "greedy"],
            &out,
            "contains another tournament with 'player 1 first'",
        ),
        (
            &["random", "first", "greedy"],
            &out,
            "with 'no player 2' instead of 'player 2 greedy'",
        ),
    ] {
        let (output, errors, exit) = arena(players, options);
        assert!(
            errors.starts_with("Error: ") && errors.contains(told),
            "{players:?}: {errors}"
        );
        assert_eq!((output.as_str(), exit), ("", 1), "{players:?}");
    }
}

#[test]
fn sprt_stops_the_tournament_at_the_same_game_on_any_number_of_threads() {
    let options = |threads| {
        [
            "--variant",
            "5x5k4",
            "--games",
            "2000",
            "--nodes",
            "100",
            "--sprt",
            "0,100",
            "--threads",
            threads,
        ]
    };
    let (table, errors, exit) = arena(&["search", "random"], &options("1"));
    assert_eq!((errors.as_str(), exit), ("", 0));
    assert!(table.contains("decided: 100 Elo rather than 0"), "{table}");
    assert!(!table.contains("2000 of 2000"), "{table}");
    // Games after the decision, which two threads may play, do not count.
    let (twice, ..) = arena(&["search", "random"], &options("2"));
    let rows = |table: &str| table.lines().take(5).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&table), rows(&twice));
}

#[test]
fn openings_are_taken_from_a_file() {
    let folder = Folder::new("openings");
    fs::create_dir_all(&folder.0).unwrap();
    let file = folder.0.join("openings.txt");
    fs::write(&file, "# one\n1-1 0-0\n2-2\n").unwrap();
    let out = folder.0.join("out");
    let options = [
        "--variant",
        "3x3k3",
        "--games",
        "4",
        "--openings",
        file.to_str().unwrap(),
    ];
    let options = [&options[..], &["--out", out.to_str().unwrap()]].concat();
    let (table, ..) = arena(&["first", "first"], &options);
    assert!(table.contains("2 given openings"), "{table}");
    let first =
        |number: u32| fs::read_to_string(out.join(format!("records/{number:06}.txt"))).unwrap();
    assert!(
        first(1).contains("1 0 1-1\n2 1 0-0\n3 0 0-1\n"),
        "{}",
        first(1)
    );
    assert!(
        first(2).contains("1 0 1-1\n2 1 0-0\n3 0 0-1\n"),
        "{}",
        first(2)
    );
    assert!(first(3).contains("1 0 2-2\n2 1 0-0\n"), "{}", first(3));
}
