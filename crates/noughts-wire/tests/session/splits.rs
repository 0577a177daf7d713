//! However the bytes are split, the session does what the reference does.

use noughts_wire::{GameMode, SessionRequest};
use proptest::prelude::*;

use crate::driver::{Entry, drive};
use crate::picture::bytes;
use crate::reference::reference;
use crate::survival::survive;

/// A frame that is often valid, for a session with the id 12345 or 54321.
fn frame() -> impl Strategy<Value = Vec<u8>> {
    let id = || {
        prop_oneof![
            9 => Just(12_345u32), 9 => Just(54_321), 2 => Just(0), 1 => Just(7), 1 => any::<u32>()
        ]
    };
    let head = |opcode: u8, id: u32| [&[opcode], &id.to_be_bytes()[..]].concat();
    let text = || {
        prop_oneof![
            9 => prop::collection::vec(1..=255u8, 0..9), 1 => prop::collection::vec(1..=255u8, 250..260)
        ]
    };
    let cell = prop_oneof![
        9 => (0..3u8, 0..3u8).prop_map(|(row, column)| [b'0' + row, b'-', b'0' + column]),
        1 => Just(*b"1-7"), 1 => Just(*b"a-0"), 1 => any::<[u8; 3]>()
    ];
    prop_oneof![
        3 => (id(), text()).prop_map(move |(id, text)| [head(1, id), text, vec![0, 0]].concat()),
        5 => id().prop_map(move |id| head(3, id)),
        9 => (id(), cell).prop_map(move |(id, cell)| [head(5, id), cell.to_vec()].concat()),
        4 => (id(), prop_oneof![Just(1u8), Just(77)], text())
            .prop_map(move |(id, code, text)| [head(8, id), vec![code], text, vec![0, 0]].concat()),
        1 => (id(), prop_oneof![Just(2u8), Just(4), Just(6)], any::<[u8; 4]>())
            .prop_map(move |(id, opcode, body)| {
                let length = match opcode { 2 => 0, 4 => 1, _ => 4 };
                [head(opcode, id), body[..length].to_vec()].concat()
            }),
    ]
}

/// A start that is usually valid, then frames, then sometimes random bytes.
fn conversation() -> impl Strategy<Value = Vec<u8>> {
    let hello = prop_oneof![
        4 => Just(bytes("01 00003039 \"Ann\" 0000 03 00003039")),
        4 => Just(bytes("01 00000000 \"Ann\" 0000 03 0000d431")),
        1 => Just(Vec::new()),
    ];
    let rubbish =
        prop_oneof![4 => Just(Vec::new()), 1 => prop::collection::vec(any::<u8>(), 0..40)];
    (hello, prop::collection::vec(frame(), 0..90), rubbish)
        .prop_map(|(hello, frames, rubbish)| [hello, frames.concat(), rubbish].concat())
}

fn mode() -> impl Strategy<Value = GameMode> {
    prop_oneof![Just(GameMode::Computer), Just(GameMode::Pairs)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn split_bytes_give_the_same_log(
        mode in mode(),
        is_full in prop::bool::weighted(0.1),
        bytes in conversation(),
        cuts in prop::collection::vec(1usize..40, 1..20),
        delay in 0usize..9,
    ) {
        let expected = reference(mode, is_full, &bytes);
        for (cuts, delay) in [(&[usize::MAX][..], 0), (&[1], 0), (&cuts, 0), (&cuts, delay), (&[1], 99)] {
            let found = drive(mode, is_full, &bytes, cuts, delay);
            prop_assert_eq!(&found, &expected, "pieces of {:?}, answers {} late", cuts, delay);
        }
    }

    #[test]
    fn session_keeps_its_bounds_for_any_bytes(
        mode in mode(),
        is_full in prop::bool::weighted(0.1),
        plan in prop::collection::vec(any::<u8>(), 0..200),
        bytes in prop_oneof![conversation(), prop::collection::vec(any::<u8>(), 0..2_000)],
    ) {
        survive(mode, is_full, &plan, &bytes);
    }
}

/// The generated conversations must contain moves and ends, or the properties would test nothing.
#[test]
fn random_conversations_contain_moves_and_ends() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let (mut moves, mut results, mut closes) = (0, 0, 0);
    for _ in 0..300 {
        let bytes = conversation()
            .new_tree(&mut runner)
            .expect("a conversation")
            .current();
        for mode in [GameMode::Computer, GameMode::Pairs] {
            for entry in reference(mode, false, &bytes) {
                match entry {
                    Entry::Asked(SessionRequest::Move(_)) => moves += 1,
                    Entry::Asked(SessionRequest::Close(_)) => closes += 1,
                    Entry::Sent(frame) if frame[0] == 6 => results += 1,
                    _ => {}
                }
            }
        }
    }
    assert!(
        moves > 500 && results > 100 && closes > 100,
        "{moves} {results} {closes}"
    );
}
