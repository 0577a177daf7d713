//! With any input, the menu game and the game on nine boards end normally.

use noughts_engine::EngineSetup;
use noughts_rules::{GridSpec, NestedSpec};
use noughts_terminal::{menu, multi};
use proptest::prelude::*;

/// Mostly valid input.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        12 => (0..10u8).prop_map(|number| format!("{number}\n").into_bytes()),
        6 => (0..10u8, 0..10u8).prop_map(|(board, cell)| format!("{board}-{cell}\n").into_bytes()),
        2 => (0..5u8).prop_map(|count| format!("<<{count}\n").into_bytes()),
        2 => prop::sample::select(vec!["y\n", "n\n", "\n", "resign\n", " :q\n", "x\n", "-1\n", "\r\n"])
            .prop_map(|line| line.as_bytes().to_vec()),
        1 => any::<Vec<u8>>(),
    ]
}

fn any_input() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any_line(), 0..120).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn menu_always_says_goodbye(input in any_input(), seed: u64, strategy in prop::sample::select(vec!["first", "random"])) {
        let setup = menu::MenuSettings::new(GridSpec::TIC_TAC_TOE, strategy.parse().unwrap()).unwrap();
        let mut output = Vec::new();
        menu::play(&setup, &EngineSetup::with_seed(seed), &*input, &mut output).unwrap();
        let shown = String::from_utf8(output).unwrap();
        prop_assert!(shown.ends_with("Goodbye.\n"), "{shown}");
    }

    #[test]
    fn nine_boards_always_end_with_the_score(
        input in any_input(),
        seed: u64,
        o in prop::sample::select(vec!["human", "first", "random"]),
        start in prop::sample::select(vec!["any", "random", "4"]),
        rules in prop::sample::select(vec![NestedSpec::MULTI, NestedSpec::ULTIMATE]),
        history in 0..=80u16,
    ) {
        let asked = multi::MultiOptions {
            x: None,
            o: Some(o.to_owned()),
            start: Some(start.to_owned()),
            rules,
            history: Some(history.to_string()),
            ..multi::MultiOptions::default()
        };
        let setup = multi::MultiSettings::new(&asked, seed).unwrap();
        let mut output = Vec::new();
        multi::play(&setup, &EngineSetup::with_seed(seed), multi::BoardSize::Small, &*input, &mut output).unwrap();
        let shown = String::from_utf8(output).unwrap();
        let ends = ["The game stays unfinished after ", "Game over after "];
        prop_assert!(ends.iter().any(|end| shown.contains(end)), "{shown}");
    }
}
