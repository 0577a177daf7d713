//! The rules about the frames before a game: HELLO and PLAY.

use noughts_wire::{Admission, Dialect, FromClient, FromServer, Opcode, SESSION_IDS};

use super::connection::{Connection, Expected, Received, encoded};
use super::session_start::{self, read_ready};
use super::{Checker, PLAYER, TcpRule, document};
use crate::frame::hex;
use crate::verdict::{Fact, Finding, RuleResult, Stop, Weight};

/// The rules that are tried first.
pub(super) const GREETING: [TcpRule; 2] = [
    TcpRule {
        only: Some(Dialect::Seed),
        ..TcpRule::demanded(
            "ready",
            "HELLO with an id of five digits gets READY with the same id",
            document::READY,
            ready_comes,
        )
    },
    TcpRule {
        only: Some(Dialect::Later),
        ..TcpRule::demanded(
            "ready-makes-id",
            "HELLO with id 0 gets READY with an id of five digits, chosen by the server",
            document::LATER,
            ready_comes,
        )
    },
];

pub(super) const RULES: [TcpRule; 5] = [
    TcpRule::new(
        "prompt",
        "answers come within half a second",
        "a person waits for them",
        Weight::Advice,
        answers_promptly,
    ),
    TcpRule::demanded(
        "name-end",
        "the name in HELLO ends with two zero bytes, and the server reads both",
        document::STRINGS,
        names_end_with_two_zeros,
    ),
    TcpRule::demanded(
        "name-latin",
        "a name with letters such as ú, one byte each, is accepted like any other",
        document::STRINGS,
        names_are_bytes,
    ),
    TcpRule::demanded(
        "admit",
        "PLAY with the session's id gets ADMIT with flag 1",
        document::ADMIT,
        play_is_admitted,
    ),
    TcpRule::demanded(
        "admit-wrong-id",
        "PLAY with another id than the session's gets ADMIT with flag 0",
        document::ADMIT,
        play_with_another_id,
    )
    .with_illegal_frames(),
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

/// Expects READY, sends PLAY and expects ADMIT 1. A server that has misread the client's name fails to send
/// at least one of the two frames.
pub(super) fn is_accepted(connection: &mut Connection) -> RuleResult {
    read_ready(connection)?;
    session_start::admit(connection)
}

fn ready_comes(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.connect()?;
    connection.hello(PLAYER);
    let (expected, dialect, own) = (ready(&connection), connection.dialect, connection.id);
    let received = connection.receive();
    match &received {
        Received::Frame(FromServer::Ready { id }, _) => {
            checker.has_started_session = true;
            let is_right = match dialect {
                Dialect::Seed => *id == own,
                Dialect::Later => SESSION_IDS.contains(id),
            };
            match is_right {
                true => Ok(()),
                false => {
                    checker.wrong_ids.push(("ready", own, *id));
                    Err(connection
                        .broken(&expected, &received)
                        .suffixed(super::game::reversed(own, *id)))
                }
            }
        }
        _ => {
            let stop = connection.broken(&expected, &received);
            if checker.ignores_hello {
                let prevented = stop.clone().prevented_by(checker.ready_rule());
                checker.no_session.give_up(prevented);
            }
            Err(stop)
        }
    }
}

const PROMPT_SECONDS: f64 = 0.5;

/// Checks that the fastest answer to each kind of request takes at most [`PROMPT_SECONDS`]. Other answers may be late
/// because the machine is busy.
fn answers_promptly(checker: &mut Checker) -> RuleResult {
    checker.plays()?;
    super::game::first_moves(&mut checker.admitted()?)
        .map_err(|stop| stop.prevented_by("answer"))?;
    let observations = checker.observations.borrow();
    for opcode in [Opcode::Hello, Opcode::Play, Opcode::Action] {
        let times = observations.answer_times.iter();
        let times = times.filter(|(asked, _)| *asked == opcode.to_byte());
        let times: Vec<f64> = times.map(|(_, time)| time.as_secs_f64()).collect();
        let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
        if times.is_empty() || fastest <= PROMPT_SECONDS {
            continue;
        }
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let count = times.len();
        return Err(Stop::broken(Finding {
            problem: format!("every answer to {opcode} took {fastest:.1} s or longer"),
            facts: vec![
                Fact::new("sent", format!("{opcode}, {count} times")),
                Fact::new(
                    "received",
                    format!("the answers after {fastest:.1} s to {slowest:.1} s"),
                ),
                Fact::new("expected", format!("an answer within {PROMPT_SECONDS} s")),
            ],
            conversation: Vec::new(),
        }));
    }
    Ok(())
}

/// Creates the finding that the server reads the second zero byte of a name as an opcode.
pub(super) fn stops_at_first_zero(after_play: &Finding) -> Finding {
    let mut finding = after_play.clone();
    finding.problem = "the server reads the name in HELLO only up to its first zero byte, and takes the second one for \
         the opcode of the next frame; the other rules are tried with names that end with one zero byte"
        .to_owned();
    if let Some(sent) = finding.facts.first_mut() {
        sent.words = format!(
            "HELLO with two zero bytes after the name, then {}",
            sent.words
        );
    }
    finding
}

fn names_end_with_two_zeros(checker: &mut Checker) -> RuleResult {
    let admitted = checker.admitted();
    match checker.name_end.clone() {
        Some(finding) => Err(Stop::broken(finding)),
        None => admitted.map(drop),
    }
}

fn names_are_bytes(checker: &mut Checker) -> RuleResult {
    checker.admitted()?;
    let mut connection = checker.connect()?;
    connection.hello("Núria");
    is_accepted(&mut connection)
        .map_err(|stop| stop.prefixed("after a name with the letter ú (one byte, fa) "))
}

fn play_is_admitted(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.start_session()?;
    connection.play();
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    Ok(())
}

fn play_with_another_id(checker: &mut Checker) -> RuleResult {
    checker.admitted()?;
    let mut connection = checker.start_session()?;
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

/// Returns a valid id of five digits that differs from `id`. A server can refuse this id only if it compares
/// ids.
pub(super) fn another(id: u32) -> u32 {
    if SESSION_IDS.contains(&(id + 1)) {
        id + 1
    } else {
        id - 1
    }
}

/// Encodes HELLO with the kit's default name.
pub(super) fn hello_bytes(connection: &Connection) -> Vec<u8> {
    connection.hello_bytes(PLAYER)
}

/// Starts a session on a new connection, to check that the server still serves clients.
pub(super) fn still_serves(checker: &mut Checker, after: &str) -> RuleResult {
    let mut connection = checker.connect().map_err(|stop| match stop {
        Stop::NotTried(why) if !why.starts_with("prevented by") => {
            Stop::broken(not_served(after, &why))
        }
        stop => stop,
    })?;
    connection.hello(PLAYER);
    let prefix = format!("{after}, the next client is not served: ");
    read_ready(&mut connection).map_err(|stop| stop.prefixed(&prefix))?;
    connection.leave();
    Ok(())
}

/// Creates the finding that the server accepts no more connections.
pub(super) fn not_served(after: &str, why: &str) -> Finding {
    Finding {
        problem: format!("{after}, {why}"),
        facts: vec![
            Fact::new("sent", "a request for a new connection"),
            Fact::new("received", "no connection"),
            Fact::new("expected", "the server accepts the next client"),
        ],
        ..Finding::default()
    }
}
