//! A session closes after fifty errors in a row.

use noughts_wire::{
    Cell, CloseReason, GameMode, MAX_ERRORS, MoveRefusal, Session, SessionEvent, SessionRequest,
};

use crate::picture::bytes;

fn session(mode: GameMode) -> Session {
    let mut session = Session::new(mode, false);
    session.receive(&bytes("01 00003039 \"Ann\" 0000"));
    assert_eq!(session.next_request(&mut Vec::new(), || 0), None);
    session
}

/// A session in a game, with the client to move.
fn playing(mode: GameMode) -> Session {
    let mut session = session(mode);
    session.receive(&bytes("03 00003039"));
    assert_eq!(
        session.next_request(&mut Vec::new(), || 0),
        Some(SessionRequest::Seat)
    );
    assert!(session.handle(SessionEvent::Admitted { first: true }, &mut Vec::new()));
    session
}

/// Sends `frame` until the session closes, and returns the number of frames. Every request for a move or a seat gets
/// this `answer`.
fn frames_until_close(mut session: Session, frame: &str, answer: SessionEvent) -> usize {
    for count in 1..200 {
        session.receive(&bytes(frame));
        let mut out = Vec::new();
        while let Some(ask) = session.next_request(&mut out, || 0) {
            match ask {
                SessionRequest::Close(why) => {
                    assert_eq!(why, CloseReason::TooManyErrors);
                    return count;
                }
                SessionRequest::Move(_) | SessionRequest::Seat => {
                    assert!(session.handle(answer, &mut out));
                }
                SessionRequest::ClientError(_) => {}
            }
        }
    }
    panic!("{frame} was answered two hundred times");
}

#[test]
fn after_fifty_errors_in_a_row_the_session_closes() {
    let limit = usize::from(MAX_ERRORS);
    assert_eq!(limit, 50);
    let occupied = SessionEvent::Refused(MoveRefusal::Occupied);
    for mode in [GameMode::Computer, GameMode::Pairs] {
        assert_eq!(
            frames_until_close(Session::new(mode, false), "03 00003039", occupied),
            limit
        );
        assert_eq!(
            frames_until_close(Session::new(mode, false), "01 00000007 0000", occupied),
            limit
        );
        assert_eq!(
            frames_until_close(session(mode), "01 00003039 0000", occupied),
            limit
        );
        assert_eq!(
            frames_until_close(playing(mode), "05 00003039 \"9-9\"", occupied),
            limit
        );
        assert_eq!(
            frames_until_close(playing(mode), "05 00003039 \"1-1\"", occupied),
            limit
        );
        // An ADMIT 0 to the client and an ERROR from the client count too. Otherwise a client could send PLAY or ERROR
        // for ever.
        assert_eq!(
            frames_until_close(session(mode), "03 00000007", occupied),
            limit
        );
        assert_eq!(
            frames_until_close(session(mode), "03 00003039", SessionEvent::NotSeated),
            limit
        );
        assert_eq!(
            frames_until_close(session(mode), "08 00003039 01 0000", occupied),
            limit
        );
    }
}

#[test]
fn fiftieth_error_is_still_answered() {
    let mut session = session(GameMode::Computer);
    session.receive(&bytes("05 00003039 \"1-1\"").repeat(60));
    let mut out = Vec::new();
    assert_eq!(
        session.next_request(&mut out, || 0),
        Some(SessionRequest::Close(CloseReason::TooManyErrors))
    );
    assert_eq!(
        out,
        bytes("08 00003039 02 \"Comanda Inesperada\" 0000").repeat(50)
    );
}

#[test]
fn progress_resets_the_count() {
    let cell = Cell::new(0, 0).expect("a cell");
    let wrong = bytes("05 00003039 \"9-9\"").repeat(49);
    let mut session = playing(GameMode::Computer);
    for _ in 0..3 {
        session.receive(&wrong);
        assert_eq!(session.next_request(&mut Vec::new(), || 0), None);
        session.receive(&bytes("05 00003039 \"1-1\""));
        assert!(matches!(
            session.next_request(&mut Vec::new(), || 0),
            Some(SessionRequest::Move(_))
        ));
        assert!(session.handle(SessionEvent::Played(cell), &mut Vec::new()));
    }
    session.receive(&wrong);
    session.receive(&bytes("05 00003039 \"9-9\""));
    assert_eq!(
        session.next_request(&mut Vec::new(), || 0),
        Some(SessionRequest::Close(CloseReason::TooManyErrors))
    );
}
