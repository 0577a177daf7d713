//! However the bytes are split and however late the answers come, a session does what its reference does.
//!
//! Input: one byte for the game mode, whether the server is full and the delay of answers, one byte for the number
//! of cuts, the cuts, and the client's bytes.
#![no_main]

#[path = "../../crates/noughts-wire/tests/session/driver.rs"]
mod driver;
#[path = "../../crates/noughts-wire/tests/session/reference.rs"]
mod reference;

use libfuzzer_sys::fuzz_target;
use noughts_wire::GameMode;

fuzz_target!(|input: &[u8]| {
    let [first, count, rest @ ..] = input else {
        return;
    };
    let mode = if first & 1 == 0 {
        GameMode::Computer
    } else {
        GameMode::Pairs
    };
    let is_full = first & 0b1110 == 0b1110;
    let delay = usize::from(first >> 4);
    let (cuts, bytes) = rest.split_at(usize::from(count % 16).min(rest.len()));
    let cuts: Vec<usize> = cuts.iter().map(|&cut| usize::from(cut)).collect();
    let expected = reference::reference(mode, is_full, bytes);
    for (cuts, delay) in [(&[usize::MAX][..], 0), (&[1], 0), (&cuts, delay)] {
        assert_eq!(driver::drive(mode, is_full, bytes, cuts, delay), expected);
    }
});
