//! What can be seen only from inside: what a session keeps.

use super::*;
use crate::held::MOST_HELD;

fn drained(session: &mut Session) -> Vec<Ask> {
    let mut out = Vec::new();
    std::iter::from_fn(|| session.next(&mut out, || 54_321)).collect()
}

/// A session in which the client is to move.
fn playing(door: Door) -> Session {
    let mut session = Session::new(door, false);
    session.receive(b"\x01\0\0\x30\x39Ann\0\0\x03\0\0\x30\x39");
    assert_eq!(drained(&mut session), [Ask::Seat]);
    assert!(session.tell(News::Admitted { first: true }, &mut Vec::new()));
    session
}

#[test]
fn an_idle_session_is_small_and_keeps_no_buffer() {
    assert_eq!(size_of::<Session>(), 64);
    let session = playing(Door::Computer);
    assert_eq!(session.held.capacity(), 0);
}

#[test]
fn half_a_frame_keeps_little() {
    let mut session = playing(Door::Computer);
    session.receive(b"\x05\0\0\x30\x391-1");
    assert_eq!(drained(&mut session).len(), 1);
    // A kilobyte of errors waits for the answer, and half a frame stays behind.
    let error = [&b"\x08\0\0\x30\x39\x00"[..], &[b'e'; 200], &[0, 0]].concat();
    assert_eq!(session.receive(&error.repeat(5)), 5 * error.len());
    session.receive(&error[..100]);
    assert!(session.held.capacity() >= 1_000);
    session.tell(News::Refused(Refused::Occupied), &mut Vec::new());
    assert_eq!(drained(&mut session).len(), 5);
    assert_eq!(session.held.capacity(), 100);
}

#[test]
fn floods_are_held_up_to_the_bound() {
    for door in [Door::Computer, Door::Pairs] {
        let mut session = playing(door);
        session.receive(b"\x05\0\0\x30\x391-1");
        assert_eq!(drained(&mut session).len(), 1);
        let flood = [3; 10_000];
        let mut taken = 0;
        for piece in flood.chunks(7) {
            taken += session.receive(piece);
            assert_eq!(drained(&mut session), []);
        }
        assert_eq!((taken, session.room()), (MOST_HELD, 0));
        assert!(session.held.capacity() <= 2 * MOST_HELD);
    }
}

#[test]
fn a_closed_session_keeps_nothing_and_takes_nothing() {
    let mut session = playing(Door::Computer);
    session.receive(&[99; 500]);
    assert_eq!(drained(&mut session), [Ask::Close(Why::UnknownOpcode(99))]);
    assert_eq!(
        (
            session.held.capacity(),
            session.room(),
            session.receive(b"x")
        ),
        (0, 0, 0)
    );
    assert!(session.is_closed() && drained(&mut session).is_empty());
    assert!(!session.tell(News::Accepted, &mut Vec::new()));
}

#[test]
fn ids_made_by_the_server_have_five_digits() {
    for given in [0, 1, 9_999, 10_000, 99_999, 100_000, u32::MAX] {
        let mut session = Session::new(Door::Computer, false);
        session.receive(b"\x01\0\0\0\0\0\0");
        assert_eq!(session.next(&mut Vec::new(), || given), None);
        assert!(session.id().is_some_and(|id| IDS.contains(&id)), "{given}");
        if IDS.contains(&given) {
            assert_eq!(session.id(), Some(given));
        }
    }
}
