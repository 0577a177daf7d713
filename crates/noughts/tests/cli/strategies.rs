//! Strategies in the terminal games.

use crate::transcript::run;

#[test]
fn robots_repeat_themselves_under_the_same_seed() {
    for (words, input) in [
        (&["--robot", "x=random", "--robot", "o=random"][..], ""),
        (&["menu"], "3\ny\n3\n"),
        (&["multi", "--o", "human"], "0\n"),
    ] {
        let play = |seed: Option<&str>| {
            let seed = seed.into_iter().flat_map(|seed| ["--seed", seed]);
            let words: Vec<&str> = words.iter().copied().chain(seed).collect();
            run(&words, input.as_bytes()).output
        };
        assert_eq!(play(Some("7")), play(Some("7")), "{words:?}");
        assert_ne!(play(Some("7")), play(Some("8")), "{words:?}");
        // Without a seed, nine games are not all equal.
        let first = play(None);
        assert!((0..8).any(|_| play(None) != first), "{words:?}");
    }
}

#[test]
fn unknown_strategy_error_lists_strategies() {
    for words in [
        &["--robot", "o=nobody"][..],
        &["menu", "--strategy", "nobody"],
        &["multi", "--o", "nobody"],
        &["multi", "--x", "nobody", "--o", "first"],
    ] {
        let run = run(words, b"");
        let said = "Error: \"nobody\" is not a strategy: there are ";
        assert!(run.errors.starts_with(said), "{words:?}: {}", run.errors);
        assert!(run.errors.contains("random"), "{words:?}: {}", run.errors);
        assert_eq!(run.errors.lines().count(), 1, "{words:?}");
        assert_eq!((run.exit, run.output.len()), (1, 0), "{words:?}");
    }
}

#[test]
fn a_strategy_that_does_not_play_the_game_says_why_before_it_starts() {
    for words in [
        &["-s", "9", "--robot", "o=perfect"][..],
        &["-p", "xoa", "--robot", "o=perfect"],
        &["menu", "--size", "9", "--strategy", "perfect"],
        &["multi", "--o", "perfect"],
    ] {
        let run = run(words, b"");
        let said = "Error: perfect does not play this game: ";
        assert!(run.errors.starts_with(said), "{words:?}: {}", run.errors);
        assert_eq!((run.exit, run.output.len()), (1, 0), "{words:?}");
    }
}

#[test]
fn default_robot_is_level_8() {
    let classic = run(&["--robot", "o", "--seed", "1"], b"0 0\n");
    let output = String::from_utf8(classic.output).unwrap();
    // The only answer to the corner that does not lose.
    assert!(
        output.contains("Enter your turn (o): 1 1\n===\n\nTurn: 3\n"),
        "{output}"
    );
    let nine = run(&["multi", "--start", "4"], b"4\n");
    let output = String::from_utf8(nine.output).unwrap();
    assert!(output.contains("X is human, O is minimax:7."), "{output}");
    assert!(output.contains("X begins on board 4."), "{output}");
    assert!(output.contains("\nMove 3: X to play on board "), "{output}");
}

#[test]
fn a_wrong_use_of_a_command_exits_with_2() {
    for words in [
        &["menu", "3x3k3", "4x4k4"][..],
        &["menu", "3x3k3", "--size", "4"],
        &["menu", "--size"],
        &["multi", "--rules", "both"],
        &["multi", "--history"],
        &["multi", "--wide"],
    ] {
        let run = run(words, b"");
        assert_eq!((run.exit, run.output.len()), (2, 0), "{words:?}");
        assert!(
            run.errors.contains("noughts") || run.errors.contains("--help"),
            "{words:?}"
        );
    }
}

#[test]
fn variants_and_robots_are_named_in_the_same_way_everywhere() {
    let output = |words: &[&str], input: &str| {
        let run = run(words, input.as_bytes());
        assert_eq!((run.exit, run.errors.as_str()), (0, ""), "{words:?}");
        String::from_utf8(run.output).unwrap()
    };
    for (one, other) in [
        (
            &["perft", "3x3k3", "4"][..],
            &["perft", "--variant", "3x3k3", "4"][..],
        ),
        (
            &["multi", "ultimate@4", "--o", "human"],
            &[
                "multi", "--rules", "ultimate", "--start", "4", "--o", "human",
            ],
        ),
        (
            &[
                "multi",
                "--variant",
                "multi",
                "--start",
                "4",
                "--robot",
                "x=first",
                "--robot",
                "o=first",
            ],
            &["multi", "--start", "4", "--x", "first", "--o", "first"],
        ),
        (
            &["menu", "--variant", "4x4k3", "--strategy", "first"],
            &["menu", "--size", "4", "--win", "3", "--strategy", "first"],
        ),
        (
            &["menu", "4x4k3", "--robot", "x=first", "--robot", "o=first"],
            &["menu", "--variant", "4x4k3", "--strategy", "first"],
        ),
        (
            &["menu", "4x4k3", "--robot", "o=first", "--seed", "1"],
            &["menu", "4x4k3", "--robot", "1=first", "--seed", "1"],
        ),
    ] {
        let input = "3\nn\n";
        let digits = |text: String| text.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(
            digits(output(one, input)),
            digits(output(other, input)),
            "{one:?}"
        );
    }
    for (words, part) in [
        (
            &["multi", "3x3k3"][..],
            "noughts multi plays multi and ultimate",
        ),
        (&["multi", "multi@4", "--start", "5"], "leave one out"),
        (&["multi", "--robot", "a"], "no player (--robot) is \"a\""),
        (
            &["menu", "--variant", "multi"],
            "noughts tui multi plays it",
        ),
        (&["menu", "--robot", "a"], "no player (--robot) is \"a\""),
        (&["perft", "3"], "name a variant, such as 3x3k3"),
        (
            &["tui", "3x3k3", "--robot", "a"],
            "no player (--robot) is \"a\"",
        ),
    ] {
        let run = run(words, b"");
        assert_eq!((run.exit, run.output.len()), (1, 0), "{words:?}");
        assert!(run.errors.contains(part), "{words:?}: {}", run.errors);
    }
}

#[test]
fn positions_are_named_in_the_same_way_by_analyze_and_solve() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let record = "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o human Bob\n\
                  1 0 1-1\n2 1 0-1\nresult unfinished\n";
    std::fs::write(&file, record).unwrap();
    let file = file.to_str().unwrap();
    for command in ["analyze", "solve"] {
        let value = |words: &[&str]| {
            let run = run(&[&[command], words, &["--json"]].concat(), b"");
            assert_eq!((run.exit, run.errors.as_str()), (0, ""), "{words:?}");
            let output = String::from_utf8(run.output).unwrap();
            let value = output.split_once("\"value\":\"").unwrap().1;
            value.split('"').next().unwrap().to_owned()
        };
        assert_eq!(value(&["3x3k3"]), "draw");
        assert_eq!(value(&["--variant", "3x3k3"]), "draw");
        assert_eq!(value(&["3x3k3", "--moves", "1-1 0-1"]), "win");
        assert_eq!(value(&["3x3k3", "--position", ".o./.x./... x"]), "win");
        assert_eq!(value(&["--record", file]), "win");
        for (words, exit, part) in [
            (vec![command], 1, "name a variant"),
            (vec![command, "3x3k3", "--moves", "9-9"], 1, "turn 1: "),
            (vec![command, "3x3k3", "--position", "what"], 1, ""),
            (vec![command, "--record", "no-such-file"], 1, "no-such-file"),
            (
                vec![command, "3x3k3", "--record", file],
                2,
                "cannot be used with",
            ),
            (
                vec![command, "3x3k3", "--moves", "1-1", "--position", "x"],
                2,
                "cannot be used with",
            ),
        ] {
            let run = run(&words, b"");
            assert_eq!((run.exit, run.output.len()), (exit, 0), "{words:?}");
            assert!(
                run.errors.starts_with("Error: "),
                "{words:?}: {}",
                run.errors
            );
            assert!(run.errors.contains(part), "{words:?}: {}", run.errors);
        }
    }
}
