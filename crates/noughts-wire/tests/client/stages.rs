//! Every server frame in every stage of a client.

use noughts_wire::{
    Cell, ClientSession, Dialect, Event, FrameError, GameResult, Greeting, Name, Opcode,
    ProtocolError, Stage, Text, WrongStage,
};
use proptest::prelude::*;

use crate::picture::bytes;

/// The event for each frame (row) in each stage (column). `broken` ends the session; `!0` and `!1` also end it and send
/// the ERROR with this code. In the stage `moving`, the client has sent a move in the cell that the frame `taken`
/// plays. In the stage `opponent` the board is empty.
const EVENTS: &str = "
frame      new      greeting  ready    joining       turn     moving   opponent
ready      broken   ready     broken   broken        broken   broken   broken
ready-odd  broken   broken    broken   broken        broken   broken   broken
admit0     broken   broken    broken   not-admitted  broken   broken   broken
admit1     broken   broken    broken   first         broken   broken   broken
admit2     broken   broken    broken   second        broken   broken   broken
admit3     broken   broken    broken   broken        broken   broken   broken
action     broken   broken    broken   broken        broken   played   played
no-cell    broken   broken    broken   broken        broken   !0       !0
taken      broken   broken    broken   broken        broken   !1       played
lost       broken   broken    broken   broken        lost     lost     lost
won        broken   broken    broken   broken        won      won      won
draw       broken   broken    broken   broken        draw     draw     draw
error      refused  refused   refused  refused       refused  refused  refused
hello      broken   broken    broken   broken        broken   broken   broken
play       broken   broken    broken   broken        broken   broken   broken
opcode-7   broken   broken    broken   broken        broken   broken   broken
";

fn frame(name: &str, later: bool) -> Vec<u8> {
    let cell = if later { "\"---\"" } else { "" };
    bytes(&match name {
        "ready" => "02 00003039".to_owned(),
        "ready-odd" => "02 00000007".to_owned(),
        "action" => "05 00003039 \"2-2\"".to_owned(),
        "no-cell" => "05 00003039 \"2-3\"".to_owned(),
        "taken" => "05 00003039 \"1-1\"".to_owned(),
        "lost" => format!("06 00003039 {cell} 00"),
        "won" => format!("06 00003039 {cell} 01"),
        "draw" => format!("06 00003039 {cell} 02"),
        "error" => "08 00003039 2a \"no\" 0000".to_owned(),
        "hello" => "01 00003039 0000".to_owned(),
        "play" => "03 00003039".to_owned(),
        "opcode-7" => "07".to_owned(),
        admit => format!(
            "04 00003039 0{}",
            admit.strip_prefix("admit").expect("a frame's name")
        ),
    })
}

fn client(stage: &str, later: bool) -> ClientSession {
    let (mut client, mut out) = (ClientSession::new(), Vec::new());
    let greeting = if later {
        Greeting::Later
    } else {
        Greeting::Seed(12345)
    };
    let stages = ["new", "greeting", "ready", "joining", "turn", "moving"];
    let until = stages.iter().position(|&one| one == stage).unwrap_or(3);
    let name = Name::new("Ann").expect("a name");
    let reply_to = |client: &mut ClientSession, name: &str| {
        client.receive(&frame(name, later));
        assert!(client.next_event(&mut Vec::new()).is_some());
    };
    for &step in &stages[1..=until] {
        match step {
            "greeting" => client
                .hello(&name, greeting, &mut out)
                .expect("the right stage"),
            "ready" => reply_to(&mut client, "ready"),
            "joining" => client.play(&mut out).expect("the right stage"),
            "turn" => reply_to(&mut client, "admit1"),
            _ => client
                .act(Cell::new(1, 1).expect("a cell"), &mut out)
                .expect("the right stage"),
        }
    }
    if stage == "opponent" {
        reply_to(&mut client, "admit2");
    }
    client
}

fn reply_to(client: &mut ClientSession, frame: &[u8]) -> String {
    let mut out = Vec::new();
    assert_eq!(client.receive(frame), frame.len());
    let event = client.next_event(&mut out).expect("an event");
    let word = match &event {
        Event::Ready { id: 12345 } => "ready",
        Event::Admitted { first: true } => "first",
        Event::Admitted { first: false } => "second",
        Event::NotAdmitted => "not-admitted",
        Event::Played(_) => "played",
        Event::Over {
            result: GameResult::Lost,
            opponent_cell: None,
        } => "lost",
        Event::Over {
            result: GameResult::Won,
            opponent_cell: None,
        } => "won",
        Event::Over {
            result: GameResult::Draw,
            opponent_cell: None,
        } => "draw",
        Event::Refused { code: 42, text } if text.as_bytes() == b"no" => "refused",
        Event::Broken(error) => {
            assert!(error.to_string().starts_with("the server "), "{error}");
            assert_eq!(client.stage(), Stage::Ended);
            assert_eq!(client.next_event(&mut Vec::new()), None);
            match error {
                ProtocolError::NotACell(_) => "!0",
                ProtocolError::Occupied(_) => "!1",
                _ => "broken",
            }
        }
        other => panic!("{other:?}"),
    };
    let error_frame = match word {
        "!0" => "08 00003039 00 \"Moviment Desconegut\" 0000",
        "!1" => "08 00003039 01 \"Moviment Invalid\" 0000",
        _ => "",
    };
    assert_eq!(out, bytes(error_frame), "{event:?}");
    word.to_owned()
}

#[test]
fn every_frame_in_every_stage_gives_the_listed_event() {
    let mut rows = EVENTS
        .trim()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let stages = rows.next().expect("a heading");
    for row in rows {
        for (at, &expected) in row.iter().enumerate().skip(1) {
            for later in [false, true] {
                let mut client = client(stages[at], later);
                if row[0] == "ready-odd" && later && stages[at] == "greeting" {
                    continue;
                }
                let found = reply_to(&mut client, &frame(row[0], later));
                assert_eq!(
                    found, expected,
                    "{} at {}, later: {later}",
                    row[0], stages[at]
                );
            }
        }
    }
}

#[test]
fn refused_frame_may_be_repeated() {
    for (stage, before) in [
        ("greeting", Stage::New),
        ("joining", Stage::Ready),
        ("moving", Stage::ItsTurn),
        ("turn", Stage::ItsTurn),
    ] {
        let mut client = client(stage, false);
        reply_to(&mut client, &frame("error", false));
        assert_eq!(client.stage(), before, "{stage}");
    }
    // A refused move leaves the cell empty: the opponent may play there.
    let mut client = client("moving", false);
    reply_to(&mut client, &frame("error", false));
    client
        .act(Cell::new(0, 0).expect("a cell"), &mut Vec::new())
        .expect("its turn");
    assert_eq!(reply_to(&mut client, &frame("taken", false)), "played");
}

#[test]
fn cells_of_the_opponent_are_taken() {
    let mut client = client("opponent", false);
    assert_eq!(reply_to(&mut client, &frame("action", false)), "played");
    client
        .act(Cell::new(0, 0).expect("a cell"), &mut Vec::new())
        .expect("its turn");
    assert_eq!(reply_to(&mut client, &frame("action", false)), "!1");
}

#[test]
fn client_uses_the_servers_id_in_the_later_dialect_and_after_admit_0() {
    let mut later = client("greeting", true);
    later.receive(&bytes("02 00000007"));
    assert_eq!(
        later.next_event(&mut Vec::new()),
        Some(Event::Ready { id: 7 })
    );
    let mut client = client("joining", false);
    client.receive(&bytes("04 0000d431 00"));
    assert_eq!(client.next_event(&mut Vec::new()), Some(Event::NotAdmitted));
    let mut out = Vec::new();
    client.play(&mut out).expect("no game is on");
    assert_eq!(out, bytes("03 0000d431"));
    assert_eq!((client.id(), client.dialect()), (54_321, Dialect::Seed));
}

#[test]
fn frames_at_the_wrong_stage_are_not_sent() {
    let cell = Cell::new(0, 0).expect("a cell");
    for (stage, fitting) in [
        ("new", Some(Opcode::Hello)),
        ("greeting", None),
        ("ready", Some(Opcode::Play)),
        ("joining", None),
        ("turn", Some(Opcode::Action)),
        ("moving", None),
        ("opponent", None),
    ] {
        for opcode in [Opcode::Hello, Opcode::Play, Opcode::Action] {
            let (mut client, mut out) = (client(stage, false), Vec::new());
            let before = client.stage();
            let result = match opcode {
                Opcode::Hello => client.hello(&Text::default(), Greeting::Later, &mut out),
                Opcode::Play => client.play(&mut out),
                _ => client.act(cell, &mut out),
            };
            if fitting == Some(opcode) {
                assert!(result.is_ok() && out[0] == opcode.to_byte());
            } else {
                assert_eq!(
                    result,
                    Err(WrongStage {
                        opcode,
                        stage: before
                    })
                );
                assert!(out.is_empty() && client.stage() == before);
            }
        }
    }
    let refusal = client("ready", false)
        .act(cell, &mut Vec::new())
        .expect_err("no game is on");
    assert_eq!(
        refusal.to_string(),
        "ACTION cannot be sent while no game was running"
    );
}

#[test]
fn error_for_a_late_move_after_a_win_is_ignored() {
    let unexpected = bytes("08 00003039 02 \"Comanda Inesperada\" 0000");
    // The opponent left while our move was in transit: RESULT 1, and then ERROR 2 for the move.
    let mut late = client("moving", false);
    assert_eq!(reply_to(&mut late, &frame("won", false)), "won");
    late.play(&mut Vec::new()).expect("no game is on");
    late.receive(&unexpected);
    assert_eq!(late.next_event(&mut Vec::new()), None);
    assert_eq!(reply_to(&mut late, &frame("admit1", false)), "first");
    // Only one ERROR is ignored, and only before the next ADMIT.
    let mut refused = client("moving", false);
    reply_to(&mut refused, &frame("won", false));
    refused.play(&mut Vec::new()).expect("no game is on");
    reply_to(&mut refused, &frame("admit0", false));
    refused.receive(&unexpected);
    assert!(matches!(
        refused.next_event(&mut Vec::new()),
        Some(Event::Refused { code: 2, .. })
    ));
    for (stage, result) in [("turn", "won"), ("moving", "lost"), ("opponent", "won")] {
        let mut client = client(stage, false);
        reply_to(&mut client, &frame(result, false));
        client.receive(&unexpected);
        assert!(
            matches!(
                client.next_event(&mut Vec::new()),
                Some(Event::Refused { code: 2, .. })
            ),
            "{stage}"
        );
    }
}

#[test]
fn result_of_the_later_dialect_has_the_opponents_last_cell() {
    for (picture, cell) in [
        ("06 00003039 \"0-2\" 00", Cell::new(0, 2)),
        ("06 00003039 \"???\" 00", None),
    ] {
        let mut client = client("moving", true);
        client.receive(&bytes(picture));
        let over = Event::Over {
            result: GameResult::Lost,
            opponent_cell: cell,
        };
        assert_eq!(client.next_event(&mut Vec::new()), Some(over));
    }
}

#[test]
fn protocol_errors_are_explained() {
    for (error, words) in [
        (
            ProtocolError::NotACell(*b"a\n\xff"),
            "the server played \"a\\n\\xff\", which is not a cell",
        ),
        (
            ProtocolError::OtherId(7),
            "the server confirmed the id 7, which is not ours",
        ),
        (
            ProtocolError::Unexpected(Opcode::Result, Stage::Ready),
            "the server sent RESULT while no game was running",
        ),
        (
            ProtocolError::Frame(FrameError::UnknownOpcode(7)),
            "the server sent bytes that are not a frame: no frame has the opcode 7",
        ),
    ] {
        assert_eq!(error.to_string(), words);
    }
}

proptest! {
    #[test]
    fn split_bytes_give_the_same_events(
        stage in prop::sample::select(vec!["new", "greeting", "ready", "joining", "turn", "moving", "opponent"]),
        later: bool,
        frames in prop::collection::vec(
            prop::sample::select(vec!["ready", "admit1", "admit2", "action", "taken", "won", "lost", "error", "opcode-7"]),
            0..9,
        ),
        rubbish in prop::collection::vec(any::<u8>(), 0..20),
        piece in 1usize..30,
    ) {
        let mut bytes: Vec<u8> = frames.iter().flat_map(|name| frame(name, later)).collect();
        bytes.extend(rubbish);
        let events = |piece: usize| {
            let (mut client, mut out, mut events) = (client(stage, later), Vec::new(), Vec::new());
            for piece in bytes.chunks(piece) {
                client.receive(piece);
                while let Some(event) = client.next_event(&mut out) {
                    events.push(event);
                }
            }
            (events, out)
        };
        prop_assert_eq!(events(piece), events(usize::MAX));
        prop_assert_eq!(events(1), events(usize::MAX));
    }
}
