//! For any input, the classic game and its reference implementation print the same.
#![no_main]

#[path = "../../crates/noughts-terminal/tests/reference/mod.rs"]
mod reference;

use libfuzzer_sys::fuzz_target;
use noughts_engine::EngineSetup;
use noughts_terminal::classic::{ClassicOptions, ClassicSettings, play};
use reference::Classic;

fuzz_target!(|bytes: &[u8]| {
    let [shape, history, players, input @ ..] = bytes else {
        return;
    };
    let size = 3 + usize::from(shape % 4);
    let game = Classic {
        size,
        win: 3 + usize::from(shape / 4) % (size - 2),
        history: 1 + usize::from(*history) % (size * size - 1),
        players: ["xo", "xxo", "xx", "abc", "ż🦀"][usize::from(players % 5)]
            .chars()
            .collect(),
    };
    let options = ClassicOptions {
        size: Some(game.size.to_string()),
        win: Some(game.win.to_string()),
        history: Some(game.history.to_string()),
        players: Some(game.players.iter().collect()),
        ..ClassicOptions::default()
    };
    let mut output = Vec::new();
    let settings = ClassicSettings::new(&options).expect("numbers in range");
    play(&settings, &EngineSetup::with_seed(0), input, &mut output)
        .expect("memory can be written to");
    assert_eq!(String::from_utf8(output).expect("text"), game.play(input));
});
