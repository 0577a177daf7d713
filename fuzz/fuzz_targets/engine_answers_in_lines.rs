//! For any input, the Gomocup engine ends at the end of the input and writes whole lines.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use noughts_engine::{EngineSetup, StrategyName};

fuzz_target!(|input: &[u8]| {
    let strategy: StrategyName = "first".parse().expect("a strategy");
    let mut output = Vec::new();
    let said = Cursor::new(input.to_vec());
    noughts_gomocup::serve(
        Some(&strategy),
        &EngineSetup::with_seed(1),
        said,
        &mut output,
    )
    .expect("memory can be written to");
    let output = String::from_utf8(output).expect("text");
    assert!(output.is_empty() || output.ends_with('\n'));
});
