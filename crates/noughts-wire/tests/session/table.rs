//! The answer to every frame in every state.

use noughts_wire::{Cell, CloseReason, GameMode, Session, SessionEvent, SessionRequest};

use crate::picture::bytes;

/// The answer to each frame (row) in each state (column). A number is an ERROR with that code. `!` means that the
/// session then closes. `held` means that the frame waits. `9/3` is 9 in the dialect `seed` and 3 in the dialect
/// `later`.
/// The columns `waiting` and `opponent` are for pairs mode. In computer mode the same states have the columns `seating`
/// and `thinking`.
const ANSWERS: &str = "
frame           new    full  ready   waiting  seating  turn   moving  opponent  thinking
hello           ready  9!    2       2        held     2      held    2         held
hello-later     ready  9!    2       2        held     2      held    2         held
hello-odd-id    9      9!    2       2        held     2      held    2         held
hello-too-long  9!     9!    2!      2!       held     2!     held    2!        held
play            2      2     seat    2        held     2      held    2         held
play-odd-id     2      2     admit0  2        held     2      held    2         held
action          2      2     2       2        held     move   held    2         held
action-odd-id   2      2     2       2        held     9/3    held    2         held
action-no-cell  2      2     2       2        held     0      held    2         held
action-both     2      2     2       2        held     9/3    held    2         held
error           heard  heard heard   heard    held     heard  held    heard     held
error-too-long  2!     2!    2!      2!       held     2!     held    2!        held
ready           2      2     2       2        held     2      held    2         held
admit           2      2     2       2        held     2      held    2         held
result          2      2     2       2        held     2      held    2         held
opcode-0        2!     2!    2!      2!       held     2!     held    2!        held
opcode-7        2!     2!    2!      2!       held     2!     held    2!        held
opcode-9        2!     2!    2!      2!       held     2!     held    2!        held
";

/// The id of the session, in both dialects.
const ID: u32 = 12345;
/// The id of another session.
const ODD: u32 = 77;

/// The bytes of a frame. A RESULT is longer after the session has started in the dialect `later`.
fn frame(name: &str, state: &str, later: bool) -> Vec<u8> {
    let long = "x".repeat(256);
    bytes(&match name {
        "hello" => "01 00003039 \"Ann\" 0000".to_owned(),
        "hello-later" => "01 00000000 \"Ann\" 0000".to_owned(),
        "hello-odd-id" => "01 0000004d \"Ann\" 0000".to_owned(),
        "hello-too-long" => format!("01 0000004d \"{long}\" 0000"),
        "play" => "03 00003039".to_owned(),
        "play-odd-id" => "03 0000004d".to_owned(),
        "action" => "05 00003039 \"1-1\"".to_owned(),
        "action-odd-id" => "05 0000004d \"1-1\"".to_owned(),
        "action-no-cell" => "05 00003039 \"1-7\"".to_owned(),
        "action-both" => "05 0000004d \"1-7\"".to_owned(),
        "error" => "08 00003039 05 \"oh\" 0000".to_owned(),
        "error-too-long" => format!("08 0000004d 05 \"{long}\" 0000"),
        "ready" => "02 00003039".to_owned(),
        "admit" => "04 00003039 09".to_owned(),
        "result" if later && state != "new" && state != "full" => {
            "06 00003039 \"---\" 09".to_owned()
        }
        "result" => "06 00003039 09".to_owned(),
        opcode => format!(
            "0{} 0000004d",
            opcode.strip_prefix("opcode-").expect("a frame's name")
        ),
    })
}

fn session(state: &str, later: bool) -> Session {
    let mode = match state {
        "waiting" | "opponent" => GameMode::Pairs,
        _ => GameMode::Computer,
    };
    let mut session = Session::new(mode, state == "full");
    if matches!(state, "new" | "full") {
        return session;
    }
    assert_eq!(
        reply_to(
            &mut session,
            &frame(if later { "hello-later" } else { "hello" }, state, later)
        ),
        "ready"
    );
    if state == "ready" {
        return session;
    }
    assert_eq!(reply_to(&mut session, &frame("play", state, later)), "seat");
    if matches!(state, "waiting" | "seating") {
        return session;
    }
    handle(&mut session, SessionEvent::Admitted { first: true });
    if state == "turn" {
        return session;
    }
    assert_eq!(
        reply_to(&mut session, &frame("action", state, later)),
        "move"
    );
    if state != "moving" {
        handle(&mut session, SessionEvent::Accepted);
    }
    session
}

fn handle(session: &mut Session, event: SessionEvent) {
    assert!(session.handle(event, &mut Vec::new()), "{event:?} fits");
}

/// What the session does with a frame, in the words of the table.
fn reply_to(session: &mut Session, frame: &[u8]) -> String {
    assert_eq!(session.receive(frame), frame.len());
    let mut out = Vec::new();
    let asks: Vec<SessionRequest> =
        std::iter::from_fn(|| session.next_request(&mut out, || ID)).collect();
    let answer = match &out[..] {
        [] => String::new(),
        [8, _, _, _, _, code, ..] => code.to_string(),
        [2, ..] => "ready".to_owned(),
        [4, .., 0] => "admit0".to_owned(),
        other => panic!("{other:?}"),
    };
    let asked = match &asks[..] {
        [] if answer.is_empty() => "held",
        [] => "",
        [SessionRequest::Seat] => "seat",
        [SessionRequest::Move(cell)] if Cell::new(1, 1) == Some(*cell) => "move",
        [SessionRequest::ClientError(heard)]
            if heard.code == 5 && heard.text.as_bytes() == b"oh" =>
        {
            "heard"
        }
        [SessionRequest::Close(_)] => "!",
        other => panic!("{other:?}"),
    };
    answer + asked
}

/// All cells of the table: frame, state, answer.
fn answers() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut rows = ANSWERS
        .trim()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let states = rows.next().expect("a heading");
    let cells = rows.flat_map(|row| {
        assert_eq!(row.len(), states.len(), "{row:?}");
        (1..row.len())
            .map(|at| (row[0], states[at], row[at]))
            .collect::<Vec<_>>()
    });
    cells.collect()
}

fn in_dialect(answer: &'static str, later: bool) -> &'static str {
    match answer.split_once('/') {
        None => answer,
        Some((seed, in_later)) => {
            if later {
                in_later
            } else {
                seed
            }
        }
    }
}

#[test]
fn every_frame_in_every_state_is_answered_as_listed() {
    for later in [false, true] {
        for (name, state, answer) in answers() {
            let mut session = session(state, later);
            let found = reply_to(&mut session, &frame(name, state, later));
            assert_eq!(
                found,
                in_dialect(answer, later),
                "{name} in {state}, later: {later}"
            );
        }
    }
}

#[test]
fn errors_have_the_sessions_id_and_before_ready_the_frames() {
    for later in [false, true] {
        for (name, state, answer) in answers() {
            if !answer.starts_with(|sign: char| sign.is_ascii_digit()) {
                continue;
            }
            let mut session = session(state, later);
            let frame = frame(name, state, later);
            session.receive(&frame);
            let mut out = Vec::new();
            while session.next_request(&mut out, || ID).is_some() {}
            let own = if name.starts_with("opcode") {
                [0; 4]
            } else {
                [frame[1], frame[2], frame[3], frame[4]]
            };
            let expected = if matches!(state, "new" | "full") {
                own
            } else {
                ID.to_be_bytes()
            };
            assert_eq!(out[1..5], expected, "{name} in {state}");
            assert!(own == [0; 4] || own == ID.to_be_bytes() || own == ODD.to_be_bytes());
        }
    }
}

#[test]
fn error_changes_nothing() {
    let right = |state| match state {
        "new" => Some(("hello", "ready")),
        "ready" => Some(("play", "seat")),
        "turn" => Some(("action", "move")),
        _ => None,
    };
    for later in [false, true] {
        for (name, state, answer) in answers() {
            let mut session = session(state, later);
            let waited = session.waits_for_client();
            reply_to(&mut session, &frame(name, state, later));
            if !matches!(answer, "0" | "2" | "9" | "9/3" | "heard" | "admit0") {
                continue;
            }
            assert_eq!(session.waits_for_client(), waited, "{name} in {state}");
            if let Some((fitting, answer)) = right(state) {
                assert_eq!(
                    reply_to(&mut session, &frame(fitting, state, later)),
                    answer,
                    "after {name} in {state}"
                );
            }
        }
    }
}

#[test]
fn idle_timeout_runs_only_while_the_server_waits_for_the_client() {
    for (state, waits) in [
        ("new", true),
        ("full", true),
        ("ready", true),
        ("waiting", false),
        ("seating", false),
        ("turn", true),
        ("moving", false),
        ("opponent", false),
        ("thinking", false),
    ] {
        assert_eq!(session(state, false).waits_for_client(), waits, "{state}");
    }
}

#[test]
fn close_request_has_the_reason() {
    for (name, state, why) in [
        ("hello", "full", CloseReason::Full),
        ("hello-too-long", "new", CloseReason::NameTooLong),
        ("hello-too-long", "turn", CloseReason::NameTooLong),
        ("error-too-long", "turn", CloseReason::TextTooLong),
        ("opcode-7", "ready", CloseReason::UnknownOpcode(7)),
    ] {
        let mut session = session(state, false);
        session.receive(&frame(name, state, false));
        assert_eq!(
            session.next_request(&mut Vec::new(), || ID),
            Some(SessionRequest::Close(why))
        );
        assert_eq!(session.next_request(&mut Vec::new(), || ID), None);
        assert!(session.is_closed() && !why.to_string().is_empty());
    }
}
