//! Tests of the memory that a session uses, and of the ids that a server chooses. The tests of memory need access to
//! private fields.

use super::*;
use crate::receive_buffer::MAX_BUFFERED_BYTES;

fn requests(session: &mut Session) -> Vec<SessionRequest> {
    let mut out = Vec::new();
    std::iter::from_fn(|| session.next_request(&mut out, || 54_321)).collect()
}

/// A session in which the client is to move.
fn playing(mode: GameMode) -> Session {
    let mut session = Session::new(mode, false);
    session.receive(b"\x01\0\0\x30\x39Ann\0\0\x03\0\0\x30\x39");
    assert_eq!(requests(&mut session), [SessionRequest::Seat]);
    assert!(session.handle(SessionEvent::Admitted { first: true }, &mut Vec::new()));
    session
}

#[test]
fn idle_session_is_small() {
    assert_eq!(size_of::<Session>(), 64);
    let session = playing(GameMode::Computer);
    // A small buffer stays allocated, so that most frames need no allocation.
    assert!((1..=64).contains(&session.buffer.capacity()));
}

#[test]
fn incomplete_frame_uses_little_memory() {
    let mut session = playing(GameMode::Computer);
    session.receive(b"\x05\0\0\x30\x391-1");
    assert_eq!(requests(&mut session).len(), 1);
    // A kilobyte of ERROR frames waits until the move is answered. Afterwards only half a frame remains in the
    // buffer.
    let error = [&b"\x08\0\0\x30\x39\x00"[..], &[b'e'; 200], &[0, 0]].concat();
    assert_eq!(session.receive(&error.repeat(5)), 5 * error.len());
    session.receive(&error[..100]);
    assert!(session.buffer.capacity() >= 1_000);
    session.handle(
        SessionEvent::Refused(MoveRefusal::Occupied),
        &mut Vec::new(),
    );
    assert_eq!(requests(&mut session).len(), 5);
    assert_eq!(session.buffer.capacity(), 100);
}

#[test]
fn buffer_stays_within_its_bound() {
    for mode in [GameMode::Computer, GameMode::Pairs] {
        let mut session = playing(mode);
        session.receive(b"\x05\0\0\x30\x391-1");
        assert_eq!(requests(&mut session).len(), 1);
        let flood = [3; 10_000];
        let mut taken = 0;
        for piece in flood.chunks(7) {
            taken += session.receive(piece);
            assert_eq!(requests(&mut session), []);
        }
        assert_eq!((taken, session.room()), (MAX_BUFFERED_BYTES, 0));
        assert!(session.buffer.capacity() <= 2 * MAX_BUFFERED_BYTES);
    }
}

#[test]
fn closed_session_accepts_nothing() {
    let mut session = playing(GameMode::Computer);
    session.receive(&[99; 500]);
    assert_eq!(
        requests(&mut session),
        [SessionRequest::Close(CloseReason::UnknownOpcode(99))]
    );
    assert_eq!(
        (
            session.buffer.capacity(),
            session.room(),
            session.receive(b"x")
        ),
        (0, 0, 0)
    );
    assert!(session.is_closed() && requests(&mut session).is_empty());
    assert!(!session.handle(SessionEvent::Accepted, &mut Vec::new()));
}

#[test]
fn server_chosen_ids_have_five_digits() {
    for given in [0, 1, 9_999, 10_000, 99_999, 100_000, u32::MAX] {
        let mut session = Session::new(GameMode::Computer, false);
        session.receive(b"\x01\0\0\0\0\0\0");
        assert_eq!(session.next_request(&mut Vec::new(), || given), None);
        assert!(
            session.id().is_some_and(|id| SESSION_IDS.contains(&id)),
            "{given}"
        );
        if SESSION_IDS.contains(&given) {
            assert_eq!(session.id(), Some(given));
        }
    }
}
