//! What transcripts cannot show: long lines, large boards, closed and full outputs.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::transcript::run;

fn noughts() -> Command {
    Command::new(env!("CARGO_BIN_EXE_noughts"))
}

/// The peak memory of a process in kilobytes, without the pages of the program file.
fn peak_memory(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let figure = |name: &str| -> usize {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    figure("VmHWM:").saturating_sub(figure("RssFile:"))
}

#[test]
fn a_line_of_ten_megabytes_is_read_in_bounded_memory() {
    use std::io::Write;
    let mut child = noughts()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&vec![b'x'; 10_000_000]).unwrap();
    stdin.write_all(b"\n").unwrap();
    // Leading zeros are allowed, even ten million of them.
    stdin.write_all(&vec![b'0'; 10_000_000]).unwrap();
    stdin.write_all(b"1 1\n").unwrap();
    stdin.write_all(&vec![b'9'; 10_000_000]).unwrap();
    stdin.write_all(b" 1\n").unwrap();
    // A pipe holds 64 KiB, so by now the program has read nearly all of the input.
    let peak = peak_memory(child.id());
    drop(stdin);
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(output.matches("Invalid command").count(), 1);
    assert_eq!(output.matches("Illegal play").count(), 1);
    assert!(
        output.contains("Turn: 2\n-------\n| | | |\n-------\n| |x| |\n"),
        "{output}"
    );
    assert!(peak < 8_000, "{peak} KB");
}

#[test]
fn a_board_of_255_is_drawn_whole() {
    let run = run(&["-s", "255", "-w", "255"], b"254 254\n255 0\n");
    let output = String::from_utf8(run.output).unwrap();
    let rule = "-".repeat(511);
    let empty = "| ".repeat(255) + "|";
    let corner = "| ".repeat(254) + "|x|";
    let before = format!("{rule}\n{}", format!("{empty}\n{rule}\n").repeat(255));
    let after = format!(
        "{rule}\n{}{corner}\n{rule}\n",
        format!("{empty}\n{rule}\n").repeat(254)
    );
    let expected = format!(
        "Turn: 1\n{before}Enter your turn (x): ===\n\n\
         Turn: 2\n{after}Enter your turn (o): Illegal play\n===\n\n\
         Turn: 2\n{after}Enter your turn (o): ===\n\n\
         Game over after 1 turns\n{after}"
    );
    assert!(output == expected, "a large board is drawn wrongly");
    assert_eq!(run.exit, 0);
}

#[test]
fn sixty_four_players_take_their_turns() {
    let input: String = (0..64).map(|n| format!("{} {}\n", n / 8, n % 8)).collect();
    let symbols = "xoabcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#";
    let run = run(&["-s", "8", "-p", symbols], input.as_bytes());
    let output = String::from_utf8(run.output).unwrap();
    assert!(
        output.contains("Enter your turn (#): ===\n\nGame over after 64 turns\n"),
        "{output}"
    );
    assert!(!output.contains("Winner"));
}

#[test]
fn a_closed_output_ends_the_game_quietly() {
    let mut child = noughts()
        .args(["-s", "255"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 8];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"Turn: 1\n");
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}

#[test]
fn full_disk_is_reported() {
    for words in [
        &["-s", "3"][..],
        &["menu"],
        &["multi", "--o", "first"],
        &["variants"],
        &["perft", "3x3k3", "2"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let done = noughts()
            .args(words)
            .stdin(Stdio::null())
            .stdout(full)
            .output()
            .unwrap();
        let errors = String::from_utf8(done.stderr).unwrap();
        assert!(
            errors.starts_with("Error: reading or writing failed: "),
            "{words:?}: {errors}"
        );
        assert_eq!(done.status.code(), Some(1), "{words:?}");
    }
}

#[test]
fn unreadable_input_is_reported() {
    let folder = File::open("/").unwrap();
    let done = noughts().stdin(folder).output().unwrap();
    let errors = String::from_utf8(done.stderr).unwrap();
    assert!(
        errors.starts_with("Error: reading or writing failed: "),
        "{errors}"
    );
    assert_eq!(done.status.code(), Some(1));
}

#[test]
fn options_that_are_not_utf8_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let word = std::ffi::OsStr::from_bytes(b"\xff");
    for words in [vec![word], vec![std::ffi::OsStr::new("-p"), word]] {
        let done = noughts()
            .args(&words)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8(done.stderr).unwrap();
        assert!(errors.starts_with("Error: "), "{errors}");
        assert_eq!(
            (done.status.code(), done.stdout.len()),
            (Some(1), 0),
            "{words:?}"
        );
    }
}

pub(crate) const COMMANDS: &str = "menu multi tui serve connect play player games backup restore \
    migrate admin check analyze solve verify perft arena engine variants completions man";

#[test]
fn help_and_version_work_everywhere() {
    let commands: Vec<&str> = COMMANDS.split(' ').collect();
    // In `connect`, `-h` is the host.
    let short = commands.iter().filter(|c| **c != "connect");
    let each = commands
        .iter()
        .flat_map(|c| [vec![*c, "--help"], vec!["help", *c]])
        .chain(short.map(|c| vec![*c, "-h"]));
    for words in each.chain([vec!["--help"], vec!["help"]]) {
        let run = run(&words, b"");
        let output = String::from_utf8(run.output).unwrap();
        assert!(output.contains("Usage: noughts"), "{words:?}: {output}");
        assert_eq!((run.exit, run.errors.as_str()), (0, ""), "{words:?}");
    }
    for words in commands
        .iter()
        .map(|c| vec![*c, "--version"])
        .chain([vec!["--version"]])
    {
        let run = run(&words, b"");
        assert!(
            run.output
                .ends_with(concat!(env!("CARGO_PKG_VERSION"), "\n").as_bytes())
        );
        assert_eq!(run.exit, 0, "{words:?}");
    }
}

#[test]
fn completions_and_the_manual_are_made() {
    for (words, has) in [
        (&["completions", "bash"][..], "--divide"),
        (&["completions", "zsh"], "--history"),
        (&["completions", "fish"], "perft"),
        (&["completions", "bash"], "7x6k4+gravity"),
        (&["completions", "zsh"], "level\\:8"),
        (&["man"], "\\-\\-players"),
        (&["man"], "\n.SH \"NOUGHTS TUI\"\n"),
        // The options of subcommands.
        (&["man"], "\\-\\-divide"),
        (&["man"], "\\-\\-rules"),
    ] {
        let run = run(words, b"");
        assert!(
            String::from_utf8(run.output).unwrap().contains(has),
            "{words:?}"
        );
        assert_eq!(run.exit, 0);
    }
    // There is only one manual page, so it must not refer to other pages.
    let page = String::from_utf8(run(&["man"], b"").output).unwrap();
    assert!(!page.contains("(1)"), "{page}");
}

#[test]
fn analysis_finds_wins_draws_and_losses() {
    for (moves, value) in [
        ("", "\"value\":\"draw\",\"plies\":null"),
        ("1-1 0-1", "\"value\":\"win\",\"plies\":5"),
        // o takes an edge, x a corner beside it: o is lost in four.
        ("1-1 0-1 0-0", "\"value\":\"loss\",\"plies\":4"),
        ("1-1 0-0 <<2 <<0", "\"value\":\"draw\""),
    ] {
        let run = run(&["analyze", "3x3k3", "--moves", moves, "--json"], b"");
        let output = String::from_utf8(run.output).unwrap();
        assert!(output.contains(value), "{moves}: {output}");
        assert_eq!((run.exit, run.errors.as_str()), (0, ""));
    }
    for (moves, told) in [
        ("1-1 0-1", "x to move wins in 5 plays\n"),
        ("1-1 0-1 0-0", "o to move loses in 4 plays\n"),
    ] {
        let run = run(&["analyze", "3x3k3", "--moves", moves], b"");
        let output = String::from_utf8(run.output).unwrap();
        assert!(output.contains(told), "{moves}: {output}");
    }
    let record = b"noughts 1\nvariant 4x4k4\nhistory 0\nseat 0 x human\nseat 1 o human\n\
                   1 0 0-0\n2 1 3-3\n3 0 0-1\n4 1 3-2\n5 0 0-2\n6 1 1-1\nresult unfinished\n";
    let run = run(&["analyze", "--record", "-"], record);
    let output = String::from_utf8(run.output).unwrap();
    assert!(
        output.contains("x to move wins in 1 play\nbest      0-3\n"),
        "{output}"
    );
}

#[test]
fn a_record_larger_than_any_game_is_refused_and_not_cut() {
    let record = b"noughts 1\n".repeat((1 << 24) / 10 + 1);
    let run = run(&["analyze", "--record", "-"], &record);
    assert_eq!(
        run.errors,
        "Error: '-' can't be read: it is larger than any game\n"
    );
    assert_eq!((run.exit, run.output.len()), (1, 0));
}

#[test]
fn the_full_screen_needs_a_terminal_and_options_that_fit() {
    for (options, told) in [
        (&["tui"][..], "the full screen needs a terminal"),
        (&["tui", "3x3"], "\"3x3\""),
        (
            &["tui", "3x3k3", "--x", "nobody"],
            "\"nobody\" is not a strategy",
        ),
        (
            &[
                "tui", "3x3k3", "--seat", "human", "--seat", "human", "--seat", "human",
            ],
            "2 seats",
        ),
        (&["tui", "3x3k3", "--history", "9"], "0 to 8"),
        (
            &["tui", "multi", "--start", "9"],
            "the first board is random, any, or 0 to 8",
        ),
        (
            &["tui", "3x3k3", "--start", "banana"],
            "the first board is random, any, or 0 to 8, not \"banana\"",
        ),
        (&["tui", "3x3k3", "--start", "4"], "this game has one board"),
        (&["tui", "multi@4", "--start", "3"], "says the first board"),
        (&["tui", "--seat", "foo"], "\"foo\" is not a strategy"),
        (&["tui", "--history", "99999"], "0 to 65024"),
        (&["tui", "--history", "-1"], "0 to 65024"),
        (
            &["tui", "--seed", "abc"],
            "the seed (--seed) must be a number from 0 to 18446744073709551615, not \"abc\"",
        ),
        (
            &["tui", "--seed", "-1"],
            "the seed (--seed) must be a number from 0 to 18446744073709551615, not \"-1\"",
        ),
        (&["tui", "--load", "/no/such/file"], "there is no such file"),
        (&["tui", "--load", "/dev/null"], "it is not a file"),
    ] {
        let output = noughts()
            .args(options)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.starts_with("Error: ") && error.contains(told),
            "{options:?}: {error}"
        );
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert!(output.stdout.is_empty(), "{options:?}");
    }
}
