//! An accepted command takes effect exactly once; a refused command changes nothing.
//!
//! Input: three bytes for the game, its seats and a watcher; then six bytes per command.
#![no_main]

#[path = "../../crates/noughts-server/tests/table/random_commands.rs"]
mod random_commands;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    random_commands::check_random_commands(input);
});
