//! Fifty errors in a row are enough.

use noughts_wire::{Ask, Cell, Door, MOST_ERRORS, News, Refused, Session, Why};

use crate::picture::bytes;

fn session(door: Door) -> Session {
    let mut session = Session::new(door, false);
    session.receive(&bytes("01 00003039 \"Ann\" 0000"));
    assert_eq!(session.next(&mut Vec::new(), || 0), None);
    session
}

/// In a game, the client to move.
fn playing(door: Door) -> Session {
    let mut session = session(door);
    session.receive(&bytes("03 00003039"));
    assert_eq!(session.next(&mut Vec::new(), || 0), Some(Ask::Seat));
    assert!(session.tell(News::Admitted { first: true }, &mut Vec::new()));
    session
}

/// How many times the frame is heard before the session closes; `answer` is told to each move.
fn endures(mut session: Session, frame: &str, answer: News) -> usize {
    for count in 1..200 {
        session.receive(&bytes(frame));
        let mut out = Vec::new();
        while let Some(ask) = session.next(&mut out, || 0) {
            match ask {
                Ask::Close(why) => {
                    assert_eq!(why, Why::TooManyErrors);
                    return count;
                }
                Ask::Move(_) | Ask::Seat => assert!(session.tell(answer, &mut out)),
                Ask::Heard(_) => {}
            }
        }
    }
    panic!("{frame} was answered two hundred times");
}

#[test]
fn after_fifty_errors_in_a_row_the_session_closes() {
    let limit = usize::from(MOST_ERRORS);
    assert_eq!(limit, 50);
    let occupied = News::Refused(Refused::Occupied);
    for door in [Door::Computer, Door::Pairs] {
        assert_eq!(
            endures(Session::new(door, false), "03 00003039", occupied),
            limit
        );
        assert_eq!(
            endures(Session::new(door, false), "01 00000007 0000", occupied),
            limit
        );
        assert_eq!(endures(session(door), "01 00003039 0000", occupied), limit);
        assert_eq!(
            endures(playing(door), "05 00003039 \"9-9\"", occupied),
            limit
        );
        assert_eq!(
            endures(playing(door), "05 00003039 \"1-1\"", occupied),
            limit
        );
        // PLAY refused and what the client complains of count too, or they could go on for ever.
        assert_eq!(endures(session(door), "03 00000007", occupied), limit);
        assert_eq!(
            endures(session(door), "03 00003039", News::NotSeated),
            limit
        );
        assert_eq!(
            endures(session(door), "08 00003039 01 0000", occupied),
            limit
        );
    }
}

#[test]
fn the_fiftieth_is_still_answered() {
    let mut session = session(Door::Computer);
    session.receive(&bytes("05 00003039 \"1-1\"").repeat(60));
    let mut out = Vec::new();
    assert_eq!(
        session.next(&mut out, || 0),
        Some(Ask::Close(Why::TooManyErrors))
    );
    assert_eq!(
        out,
        bytes("08 00003039 02 \"Comanda Inesperada\" 0000").repeat(50)
    );
}

#[test]
fn progress_forgives() {
    let cell = Cell::new(0, 0).expect("a cell");
    let wrong = bytes("05 00003039 \"9-9\"").repeat(49);
    let mut session = playing(Door::Computer);
    for _ in 0..3 {
        session.receive(&wrong);
        assert_eq!(session.next(&mut Vec::new(), || 0), None);
        session.receive(&bytes("05 00003039 \"1-1\""));
        assert!(matches!(
            session.next(&mut Vec::new(), || 0),
            Some(Ask::Move(_))
        ));
        assert!(session.tell(News::Played(cell), &mut Vec::new()));
    }
    session.receive(&wrong);
    session.receive(&bytes("05 00003039 \"9-9\""));
    assert_eq!(
        session.next(&mut Vec::new(), || 0),
        Some(Ask::Close(Why::TooManyErrors))
    );
}
