//! Server and client sessions do not panic on any bytes and events, and never queue more output than allowed.
//!
//! Input: one byte for the game mode, the client's dialect and whether the server is full, one byte for the length of
//! the plan, the plan (each byte an event or the length of a piece), and the bytes of the peer.
#![no_main]

#[path = "../../crates/noughts-wire/tests/session/survival.rs"]
mod survival;

use libfuzzer_sys::fuzz_target;
use noughts_wire::{Cell, ClientSession, GameMode, Greeting, Name, Stage};

fuzz_target!(|input: &[u8]| {
    let [first, length, rest @ ..] = input else {
        return;
    };
    let mode = if first & 1 == 0 {
        GameMode::Computer
    } else {
        GameMode::Pairs
    };
    let (plan, bytes) = rest.split_at(usize::from(*length).min(rest.len()));
    survival::survive(mode, first & 0b1110 == 0b1110, plan, bytes);
    client_survives(first & 1 == 0, plan, bytes);
});

/// Runs a client that sends what its stage allows before each piece.
fn client_survives(is_later: bool, plan: &[u8], bytes: &[u8]) {
    let (mut client, mut out, mut rest) = (ClientSession::new(), Vec::new(), bytes);
    for &step in plan {
        let said = match client.stage() {
            Stage::New if is_later => client.hello(&Name::default(), Greeting::Later, &mut out),
            Stage::New => client.hello(&Name::default(), Greeting::Seed(12_345), &mut out),
            Stage::Ready => client.play(&mut out),
            Stage::ItsTurn => client.act(Cell::from_index(step % 9).expect("a cell"), &mut out),
            Stage::Greeting
            | Stage::Joining
            | Stage::Moving
            | Stage::OpponentsTurn
            | Stage::Ended => Ok(()),
        };
        said.expect("the stage allows it");
        let length = rest.len().min(usize::from(step));
        assert_eq!(client.receive(&rest[..length]), length);
        rest = &rest[length..];
        while let Some(event) = client.next_event(&mut out) {
            assert!(format!("{event:?}").len() < 2_000);
        }
        assert!(out.len() <= 28 + 8, "at most one request and one error");
        out.clear();
        if client.stage() == Stage::Ended {
            return;
        }
    }
}
