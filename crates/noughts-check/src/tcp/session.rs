//! The rules before a game: HELLO and PLAY.

use std::time::Duration;

use noughts_wire::{Admission, Dialect, FromClient, FromServer, Name, SESSION_IDS};

use super::connection::{Connection, Expected, Received, encoded};
use super::{Checker, PLAYER, TcpRule, document, read_ready};
use crate::frame::hex;
use crate::verdict::{Fact, Finding, RuleResult, Stop, Weight};

/// The first of all.
pub(super) const GREETING: [TcpRule; 2] = [
    TcpRule {
        name: "ready",
        claim: "HELLO with an id of five digits gets READY with the same id",
        source: document::READY,
        weight: Weight::Demanded,
        only: Some(Dialect::Seed),
        needs_program: false,
        check: ready_comes,
    },
    TcpRule {
        name: "ready-makes-id",
        claim: "HELLO with id 0 gets READY with an id of five digits, chosen by the server",
        source: document::LATER,
        weight: Weight::Demanded,
        only: Some(Dialect::Later),
        needs_program: false,
        check: ready_comes,
    },
];

pub(super) const RULES: [TcpRule; 4] = [
    TcpRule {
        name: "prompt",
        claim: "every answer comes within half a second",
        source: "a person waits for it",
        weight: Weight::Advice,
        only: None,
        needs_program: false,
        check: promptly,
    },
    TcpRule {
        name: "name-latin",
        claim: "a name with letters such as ú, one byte each, is accepted like any other",
        source: document::STRINGS,
        weight: Weight::Demanded,
        only: None,
        needs_program: false,
        check: names_are_bytes,
    },
    TcpRule {
        name: "admit",
        claim: "PLAY with the session's id gets ADMIT with flag 1",
        source: document::ADMIT,
        weight: Weight::Demanded,
        only: None,
        needs_program: false,
        check: play_is_admitted,
    },
    TcpRule {
        name: "admit-wrong-id",
        claim: "PLAY with another id than the session's gets ADMIT with flag 0",
        source: document::ADMIT,
        weight: Weight::Demanded,
        only: None,
        needs_program: false,
        check: play_with_another_id,
    },
];

pub(super) fn ready(connection: &Connection) -> Expected {
    match connection.dialect {
        Dialect::Seed => Expected::frame(&FromServer::Ready { id: connection.id }),
        Dialect::Later => Expected::new(
            "02 .. .. .. ..",
            "READY with an id from 10000 to 99999, chosen by the server",
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

/// READY and ADMIT 1: a server that has misread the name does not get this far.
pub(super) fn is_accepted(connection: &mut Connection) -> RuleResult {
    read_ready(connection)?;
    super::admit(connection)
}

fn ready_comes(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.connect()?;
    connection.hello(PLAYER);
    let (expected, dialect, own) = (ready(&connection), connection.dialect, connection.id);
    let received = connection.receive();
    match &received {
        Received::Frame(FromServer::Ready { id }, _) => {
            checker.has_greeted = true;
            let is_right = match dialect {
                Dialect::Seed => *id == own,
                Dialect::Later => SESSION_IDS.contains(id),
            };
            match is_right {
                true => Ok(()),
                false => Err(connection.broken(&expected, &received)),
            }
        }
        _ => Err(connection.broken(&expected, &received)),
    }
}

const PROMPT: Duration = Duration::from_millis(500);

fn promptly(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.admitted()?;
    super::game::first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
    if connection.slowest <= PROMPT {
        return Ok(());
    }
    let expected = Expected::new("", "an answer within 0.5 s");
    let took = format!("an answer after {:.1} s", connection.slowest.as_secs_f64());
    Err(connection.found(
        format!(
            "the server took {:.1} s for an answer",
            connection.slowest.as_secs_f64()
        ),
        &expected,
        "",
        &took,
    ))
}

fn names_are_bytes(checker: &mut Checker) -> RuleResult {
    checker.admitted()?.leave();
    let mut connection = checker.connect()?;
    connection.hello("Núria");
    is_accepted(&mut connection)
}

fn play_is_admitted(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.greeted()?;
    connection.play();
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    Ok(())
}

fn play_with_another_id(checker: &mut Checker) -> RuleResult {
    checker.admitted()?.leave();
    let mut connection = checker.greeted()?;
    let other = another(connection.id);
    connection.send_bytes(&encoded(&FromClient::Play { id: other }));
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

/// Another id of five digits, so that only a comparison finds the difference.
pub(super) fn another(id: u32) -> u32 {
    if SESSION_IDS.contains(&(id + 1)) {
        id + 1
    } else {
        id - 1
    }
}

/// The bytes of HELLO.
pub(super) fn hello_bytes(connection: &Connection) -> Vec<u8> {
    let id = match connection.dialect {
        Dialect::Seed => connection.id,
        Dialect::Later => 0,
    };
    let name = Name::new(PLAYER).expect("it is in Latin-1");
    encoded(&FromClient::Hello { id, name })
}

/// Starts a session on a new connection, to see whether the server still serves.
pub(super) fn still_serves(checker: &mut Checker, after: &str) -> RuleResult {
    let mut connection = checker.connect().map_err(|stop| match stop {
        Stop::NotTried(why) => Stop::broken(Finding {
            problem: format!("{after}, {why}"),
            facts: vec![
                Fact::new("received", "no connection"),
                Fact::new("expected", "the server accepts the next client"),
            ],
            ..Finding::default()
        }),
        stop @ Stop::Broken(_) => stop,
    })?;
    connection.hello(PLAYER);
    let prefix = format!("{after}, the next client is not served: ");
    read_ready(&mut connection).map_err(|stop| stop.prefixed(&prefix))?;
    connection.leave();
    Ok(())
}
