//! A game on a server, with events in any order that a network may produce.

use std::sync::mpsc::channel;

use noughts_engine::EngineSetup;
use noughts_rules::{Record, Seat};
use noughts_terminal::play::{PlayEnd, PlayEvent, PlaySettings, TableState, event_channel, play};

/// The table after these turns, written as in a record.
fn state(turns: &str) -> PlayEvent {
    let text = format!(
        "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o robot first\n{turns}result unfinished\n"
    );
    let record: Record = text.parse().unwrap();
    PlayEvent::State(Box::new(TableState {
        entry: u32::try_from(turns.lines().count()).unwrap(),
        record,
        open_seats: Vec::new(),
    }))
}

#[test]
fn answer_that_overtakes_the_new_stream_waits_for_it() {
    let (sender, events) = event_channel(None::<&[u8]>);
    let (requests, _sent) = channel();
    let played = "1 0 1-1\n2 1 0-0\n";
    for event in [
        state(""),
        PlayEvent::Disconnected,
        PlayEvent::Line(Some("1-1".to_owned())),
        state(played),
        PlayEvent::Answer(Ok(())),
        PlayEvent::Reconnected,
        state(played),
        PlayEvent::Line(Some(":q".to_owned())),
    ] {
        sender.send(event).unwrap();
    }
    let settings = PlaySettings {
        seat: Some(Seat(0)),
        robot: None,
        is_interactive: true,
    };
    let mut output = Vec::new();
    let end = play(
        &settings,
        &EngineSetup::with_seed(1),
        requests,
        events,
        &mut output,
    );
    assert_eq!(end.unwrap(), PlayEnd::Left);
    let output = String::from_utf8(output).unwrap();
    let at = |text: &str| {
        output
            .find(text)
            .unwrap_or_else(|| panic!("no {text:?} in {output}"))
    };
    assert!(
        at("1-1 will be sent when the connection is back.")
            < at("You're back, nothing was missed.")
    );
    assert!(at("You're back, nothing was missed.") < at("You play 1-1."));
    assert!(at("You play 1-1.") < at("first (o) plays 0-0."));
}
