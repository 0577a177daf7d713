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
        &["menu", "3"][..],
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
