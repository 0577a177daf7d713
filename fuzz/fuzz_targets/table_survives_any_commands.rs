//! A table survives any commands: what it promises happens, once, and what it refuses changes nothing.
//!
//! Three bytes are the game, its seats and a watcher; then each six bytes are a command.
#![no_main]

#[path = "../../crates/noughts-server/tests/table/random_commands.rs"]
mod random_commands;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    random_commands::survive(input);
});
