//! Every `SessionEvent` in every state from READY on, except closed sessions. An event that the state does not allow
//! changes nothing.

use noughts_wire::{
    Cell, GameMode, GameResult, MoveRefusal, Session, SessionEvent, SessionRequest,
};

use crate::picture::bytes;

/// What the client receives for each event (row) in each state (column). `-` is nothing; `x` means that the event is
/// not allowed.
const HEARD: &str = "
event        ready  seating  turn  moving  opponent
first       x      admit1   x     x       x
second      x      admit2   x     x       x
not-seated  x      admit0   x     x       x
accepted    x      x        x     -       x
played      x      x        x     action  action
occupied    x      x        x     error1  x
no-cell     x      x        x     error0  x
not-now     x      x        x     error2  x
over        x      x        result result result
";

fn event(name: &str) -> SessionEvent {
    let cell = Cell::new(2, 0).expect("a cell");
    match name {
        "first" => SessionEvent::Admitted { first: true },
        "second" => SessionEvent::Admitted { first: false },
        "not-seated" => SessionEvent::NotSeated,
        "accepted" => SessionEvent::Accepted,
        "played" => SessionEvent::Played(cell),
        "occupied" => SessionEvent::Refused(MoveRefusal::Occupied),
        "no-cell" => SessionEvent::Refused(MoveRefusal::NoSuchCell),
        "not-now" => SessionEvent::Refused(MoveRefusal::NotNow),
        "over" => SessionEvent::Over {
            result: GameResult::Lost,
            opponent_cell: Some(cell),
        },
        other => panic!("no event {other}"),
    }
}

fn session(state: &str, mode: GameMode, later: bool) -> Session {
    let steps = ["ready", "seating", "turn", "moving", "opponent"];
    let until = steps
        .iter()
        .position(|&step| step == state)
        .expect("a state");
    let mut session = Session::new(mode, false);
    let hello = if later {
        "01 00000000 0000"
    } else {
        "01 00003039 0000"
    };
    let hear = |session: &mut Session, frame: &str| {
        session.receive(&bytes(frame));
        session.next_request(&mut Vec::new(), || 12345)
    };
    assert_eq!(hear(&mut session, hello), None);
    if until >= 1 {
        assert_eq!(
            hear(&mut session, "03 00003039"),
            Some(SessionRequest::Seat)
        );
    }
    if until >= 2 {
        assert!(session.handle(SessionEvent::Admitted { first: true }, &mut Vec::new()));
    }
    if until >= 3 {
        assert!(matches!(
            hear(&mut session, "05 00003039 \"1-1\""),
            Some(SessionRequest::Move(_))
        ));
    }
    if until >= 4 {
        assert!(session.handle(SessionEvent::Accepted, &mut Vec::new()));
    }
    session
}

fn frame(word: &str, later: bool) -> Vec<u8> {
    bytes(match word {
        "-" | "x" => "",
        "admit0" => "04 00003039 00",
        "admit1" => "04 00003039 01",
        "admit2" => "04 00003039 02",
        "action" => "05 00003039 \"2-0\"",
        "error0" => "08 00003039 00 \"Moviment Desconegut\" 0000",
        "error1" => "08 00003039 01 \"Moviment Invalid\" 0000",
        "error2" => "08 00003039 02 \"Comanda Inesperada\" 0000",
        "result" if later => "06 00003039 \"2-0\" 00",
        "result" => "06 00003039 00",
        other => panic!("no frame {other}"),
    })
}

#[test]
fn every_event_in_every_state_sends_the_listed_frame() {
    let mut rows = HEARD
        .trim()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let states = rows.next().expect("a heading");
    for row in rows {
        for (at, &word) in row.iter().enumerate().skip(1) {
            for (mode, later) in [
                (GameMode::Computer, false),
                (GameMode::Computer, true),
                (GameMode::Pairs, false),
                (GameMode::Pairs, true),
            ] {
                let mut session = session(states[at], mode, later);
                let (before, mut out) = (format!("{session:?}"), Vec::new());
                let fitted = session.handle(event(row[0]), &mut out);
                let claim = format!("{} in {} at {mode:?}", row[0], states[at]);
                assert_eq!(fitted, word != "x", "{claim}");
                assert_eq!(out, frame(word, later), "{claim}");
                if !fitted {
                    assert_eq!(format!("{session:?}"), before, "{claim}");
                }
            }
        }
    }
}

#[test]
fn waiting_frames_are_processed_after_the_event() {
    let mut session = session("moving", GameMode::Pairs, false);
    let mut out = Vec::new();
    session.receive(&bytes("05 00003039 \"1-1\" 03 00003039 03 00003039"));
    assert_eq!(session.next_request(&mut out, || 0), None);
    assert!(out.is_empty(), "frames wait while a move is decided");
    // The opponent leaves while the move is decided: the next frames find no game.
    let won = SessionEvent::Over {
        result: GameResult::Won,
        opponent_cell: None,
    };
    assert!(session.handle(won, &mut out));
    assert_eq!(
        session.next_request(&mut out, || 0),
        Some(SessionRequest::Seat)
    );
    assert!(
        !session.handle(SessionEvent::Refused(MoveRefusal::NotNow), &mut out),
        "too late"
    );
    assert_eq!(session.next_request(&mut out, || 0), None);
    let expected = "06 00003039 01 08 00003039 02 \"Comanda Inesperada\" 0000 08 00003039 02 \"Comanda Inesperada\" 0000";
    assert_eq!(out, bytes(expected));
}
