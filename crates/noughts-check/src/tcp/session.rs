//! The rules before a game: HELLO and PLAY.

use std::time::Duration;

use noughts_wire::{Admission, Dialect, FromClient, FromServer, Name, SESSION_IDS};

use super::connection::{Connection, Expected, Received, encoded};
use super::{Judge, TcpRule};
use crate::frame::hex;
use crate::verdict::{Finding, Judged, Stop, Weight};

/// The first of all.
pub(super) const GREETING: [TcpRule; 2] = [
    TcpRule {
        name: "ready",
        claim: "HELLO with an id of five digits gets READY with the same id",
        source: "[1] Inici de sessió: the server answers READY with the same idSessio; figure 2",
        weight: Weight::Demanded,
        only: Some(Dialect::Seed),
        judge: ready_comes,
    },
    TcpRule {
        name: "ready-makes-id",
        claim: "HELLO with id 0 gets READY with an id of five digits, made by the server",
        source: "the later dialect (docs/protocol.md, Two dialects)",
        weight: Weight::Demanded,
        only: Some(Dialect::Later),
        judge: ready_comes,
    },
];

pub(super) const RULES: [TcpRule; 4] = [
    TcpRule {
        name: "prompt",
        claim: "every answer comes within half a second",
        source: "people wait for it",
        weight: Weight::Advice,
        only: None,
        judge: promptly,
    },
    TcpRule {
        name: "name-latin",
        claim: "a name with letters such as ú, one byte each, is taken like any other",
        source: "Detalls dels missatges: a string variable has one byte a character and ends with two zero bytes; \
                 figure 1",
        weight: Weight::Demanded,
        only: None,
        judge: names_are_bytes,
    },
    TcpRule {
        name: "admit",
        claim: "PLAY with the session's id gets ADMIT with flag 1",
        source: "[2] Procés de joc: ADMIT with flag 1 if the idSessio is the one sent before; figure 4",
        weight: Weight::Demanded,
        only: None,
        judge: play_is_admitted,
    },
    TcpRule {
        name: "admit-wrong-id",
        claim: "PLAY with another id than the session's gets ADMIT with flag 0",
        source: "[2] Procés de joc: ADMIT with flag 0 if the idSessio is not the one sent before; figure 4",
        weight: Weight::Demanded,
        only: None,
        judge: play_with_another_id,
    },
];

pub(super) fn ready(connection: &Connection) -> Expected {
    match connection.dialect {
        Dialect::Seed => Expected::frame(&FromServer::Ready { id: connection.id }),
        Dialect::Later => Expected::new(
            "02 .. .. .. ..",
            "READY with an id from 10000 to 99999, made by the server",
        ),
    }
}

pub(super) fn admit(id: u32, is_admitted: bool) -> Expected {
    let flag = match is_admitted {
        true => Admission::First,
        false => Admission::Refused,
    };
    Expected::frame(&FromServer::Admit { id, flag })
}

pub(super) fn is_admission(frame: &FromServer) -> bool {
    matches!(
        frame,
        FromServer::Admit {
            flag: Admission::First,
            ..
        }
    )
}

/// READY, and still in step: a server that has counted a name otherwise is not.
pub(super) fn taken(connection: &mut Connection) -> Judged {
    let expected = ready(connection);
    let frame = connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
    if let (FromServer::Ready { id }, Dialect::Later) = (frame, connection.dialect) {
        connection.id = id;
    }
    connection.play();
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    Ok(())
}

fn ready_comes(judge: &mut Judge) -> Judged {
    let mut connection = judge.call()?;
    connection.hello("Judge");
    let (expected, dialect, own) = (ready(&connection), connection.dialect, connection.id);
    let heard = connection.hear();
    match &heard {
        Received::Frame(FromServer::Ready { id }, _) => {
            judge.has_greeted = true;
            let is_right = match dialect {
                Dialect::Seed => *id == own,
                Dialect::Later => SESSION_IDS.contains(id),
            };
            match is_right {
                true => Ok(()),
                false => Err(connection.broken(&expected, &heard)),
            }
        }
        _ => Err(connection.broken(&expected, &heard)),
    }
}

const PROMPT: Duration = Duration::from_millis(500);

fn promptly(judge: &mut Judge) -> Judged {
    let mut connection = judge.admitted()?;
    super::game::first_moves(&mut connection).map_err(super::game::on_the_way)?;
    if connection.slowest <= PROMPT {
        return Ok(());
    }
    let expected = Expected::new("", "an answer within 0.5 s");
    let took = format!("an answer after {:.1} s", connection.slowest.as_secs_f64());
    Err(connection.found("the server takes its time", &expected, "", &took))
}

fn names_are_bytes(judge: &mut Judge) -> Judged {
    judge.admitted()?.leave();
    let mut connection = judge.call()?;
    connection.hello("Núria");
    taken(&mut connection)
}

fn play_is_admitted(judge: &mut Judge) -> Judged {
    let mut connection = judge.greeted()?;
    connection.play();
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    Ok(())
}

fn play_with_another_id(judge: &mut Judge) -> Judged {
    judge.admitted()?.leave();
    let mut connection = judge.greeted()?;
    let other = another(connection.id);
    connection.say_bytes(&encoded(&FromClient::Play { id: other }));
    let id_bytes = hex(&connection.id.to_be_bytes());
    let expected = Expected::new(
        format!("04 {id_bytes} 00"),
        format!(
            "ADMIT with flag 0, since the session's id is {}",
            connection.id
        ),
    );
    connection.expect(&expected, |frame| {
        matches!(
            frame,
            FromServer::Admit {
                flag: Admission::Refused,
                ..
            }
        )
    })?;
    Ok(())
}

/// Five digits too, so that only the comparison tells.
pub(super) fn another(id: u32) -> u32 {
    if SESSION_IDS.contains(&(id + 1)) {
        id + 1
    } else {
        id - 1
    }
}

/// HELLO and PLAY as bytes, for those who send them in pieces or at once.
pub(super) fn hello_bytes(connection: &Connection) -> Vec<u8> {
    let id = match connection.dialect {
        Dialect::Seed => connection.id,
        Dialect::Later => 0,
    };
    let name = Name::new("Judge").expect("it is in Latin-1");
    encoded(&FromClient::Hello { id, name })
}

/// A whole session up to READY on a line of its own, to see whether the server still serves.
pub(super) fn still_serves(judge: &mut Judge, after: &str) -> Judged {
    let mut connection = judge.call().map_err(|stop| match stop {
        Stop::NotTried(why) => Stop::broken(Finding {
            wrong: format!("{after}, {why}"),
            ..Finding::default()
        }),
        stop @ Stop::Broken(_) => stop,
    })?;
    connection.hello("Judge");
    let expected = ready(&connection);
    let served = connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }));
    match served {
        Ok(_) => {
            connection.leave();
            Ok(())
        }
        Err(Stop::Broken(mut finding)) => {
            finding.wrong = format!("{after}, the next client is not served: {}", finding.wrong);
            Err(Stop::Broken(finding))
        }
        Err(stop) => Err(stop),
    }
}
