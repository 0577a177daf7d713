//! The classic game and its reference implementation print the same, whatever is typed.

mod reference;

use noughts_engine::EngineSetup;
use noughts_terminal::classic::{ClassicOptions, ClassicSettings, play};
use proptest::prelude::*;
use reference::Classic;

fn check(game: &Classic, input: &[u8]) {
    let asked = ClassicOptions {
        size: Some(game.size.to_string()),
        win: Some(game.win.to_string()),
        history: Some(game.history.to_string()),
        players: Some(game.players.iter().collect()),
        ..ClassicOptions::default()
    };
    let mut output = Vec::new();
    let setup = ClassicSettings::new(&asked).unwrap();
    play(&setup, &EngineSetup::with_seed(0), input, &mut output).unwrap();
    let (found, expected) = (String::from_utf8(output).unwrap(), game.play(input));
    assert!(found == expected, "expected:\n{expected}\nfound:\n{found}");
}

fn any_game() -> impl Strategy<Value = Classic> {
    let players = prop::sample::select(vec!["xo", "xxo", "xx", "abc", "ż🦀", "-+", "xoxa"]);
    (3usize..=6, any::<usize>(), any::<usize>(), players).prop_map(
        |(size, win, history, players)| Classic {
            size,
            win: 3 + win % (size - 2),
            history: 1 + history % (size * size - 1),
            players: players.chars().collect(),
        },
    )
}

/// Mostly valid plays, because a game of refusals shows little.
fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => (0..6u8, 0..6u8).prop_map(|(row, column)| format!("{row} {column}\n")),
        3 => (0..8u8).prop_map(|count| format!("<<{count}\n")),
        1 => "-?[0-9]{0,2} -?[0-9]{0,2}[\r ]?\n",
        1 => "<{0,3}-?[0-9]{0,3}\n",
        1 => prop::sample::select(vec!["\n", "\r\n", ":q \n", "1 1 1\n", "+1 1\n", "x\n", "1\t1\n"])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn games_match_the_reference(
        game in any_game(),
        lines in prop::collection::vec(any_line(), 0..60),
        ending in prop::sample::select(vec!["", ":q\n", ":q", "1 1", "1"]),
    ) {
        check(&game, (lines.concat() + ending).as_bytes());
    }

    #[test]
    fn any_bytes_match_the_reference(game in any_game(), input: Vec<u8>) {
        check(&game, &input);
    }
}
