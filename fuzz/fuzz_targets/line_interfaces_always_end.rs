//! For any input, the menu game ends with `Goodbye.`, and the game on nine boards prints whether it is over or
//! unfinished.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_engine::EngineSetup;
use noughts_rules::{GridSpec, NestedSpec};
use noughts_terminal::{menu, multi};

fuzz_target!(|bytes: &[u8]| {
    let [shape, history, input @ ..] = bytes else {
        return;
    };
    let engine_setup = EngineSetup::with_seed(u64::from(*shape));
    let mut output = Vec::new();
    if shape % 2 == 0 {
        let strategy = ["first", "random"][usize::from(shape / 2 % 2)];
        let strategy = strategy.parse().expect("a strategy");
        let setup =
            menu::MenuSettings::new(GridSpec::TIC_TAC_TOE, strategy).expect("it plays everything");
        menu::play(&setup, &engine_setup, input, &mut output).expect("memory can be written to");
        assert!(output.ends_with(b"Goodbye.\n"));
        return;
    }
    let asked = multi::MultiOptions {
        x: None,
        o: Some(["human", "first", "random"][usize::from(shape / 2 % 3)].to_owned()),
        start: Some(["any", "random", "8"][usize::from(shape / 6 % 3)].to_owned()),
        rules: [NestedSpec::MULTI, NestedSpec::ULTIMATE][usize::from(shape / 18 % 2)],
        history: Some((history % 81).to_string()),
        ..multi::MultiOptions::default()
    };
    let setup = multi::MultiSettings::new(&asked, engine_setup.seed).expect("options in range");
    multi::play(
        &setup,
        &engine_setup,
        multi::BoardSize::Large,
        input,
        &mut output,
    )
    .expect("memory can be written to");
    let output = String::from_utf8(output).expect("text");
    assert!(output.contains("unfinished after ") || output.contains("Game over after "));
});
