//! Rules for questions that the course document leaves open. The claims describe the usual behaviour of Noughts and of
//! public programs. Another behaviour is not a fault.

use std::collections::BTreeMap;

use noughts_wire::{Admission, Dialect, ErrorCode, FromClient, FromServer, MAX_ERRORS, Name, Text};

use super::connection::{Connection, Expected, Received, encoded};
use super::game::{expect_error, first_moves};
use super::session::{admit, another, hello_bytes, is_accepted, is_admission};
use super::{Checker, TcpRule};
use crate::frame::{hex, server_words};
use crate::verdict::{RuleResult, Stop, Weight};

pub(super) const RULES: [TcpRule; 15] = [
    open(
        "hello-bad-id",
        "HELLO with an id of four digits gets error 9",
        "[1] says that the id has five digits and that ERROR answers a session that cannot begin, but not that a wrong id is such a case",
        |checker| ask(checker, "hello-bad-id"),
    ),
    open(
        "hello-twice",
        "HELLO in a session that has begun gets error 2",
        "the document has no code for a frame at the wrong time",
        |checker| ask(checker, "hello-twice"),
    ),
    open(
        "play-before-hello",
        "PLAY before HELLO gets error 2",
        "the document has no code for a frame at the wrong time",
        |checker| ask(checker, "play-before-hello"),
    ),
    open(
        "action-before-play",
        "ACTION before PLAY gets error 2",
        "the document has no code for a frame at the wrong time",
        |checker| ask(checker, "action-before-play"),
    ),
    open(
        "play-in-game",
        "PLAY in a game gets error 2, and the game goes on",
        "the document has no code for a frame at the wrong time",
        |checker| ask(checker, "play-in-game"),
    ),
    open(
        "admit-wrong-id-again",
        "after ADMIT 0, PLAY with the right id is admitted",
        "the document does not say what follows ADMIT 0",
        |checker| ask(checker, "admit-wrong-id-again"),
    ),
    open(
        "action-wrong-id",
        "ACTION with another id gets error 9 (in the later dialect 3), and the game goes on",
        "the document has code 9, Sessio Incorrecte, but does not say for which frames",
        |checker| ask(checker, "action-wrong-id"),
    ),
    open(
        "client-error",
        "an ERROR from the client is not answered, and the game goes on",
        "the table of frames lets clients send ERROR, but does not say what follows",
        |checker| ask(checker, "client-error"),
    ),
    open(
        "error-text",
        "errors 0 and 1 have the texts of the document's table",
        "the table of errors has texts, but the document does not say whether they must be sent exactly",
        error_texts,
    ),
    open(
        "name-empty",
        "an empty name is accepted",
        "figure 1 says n bytes, without a minimum",
        |checker| ask(checker, "name-empty"),
    ),
    open(
        "name-long",
        "a name of 255 characters is accepted",
        "figure 1 says n bytes, without a maximum",
        |checker| ask(checker, "name-long"),
    ),
    open(
        "name-zero",
        "a single zero byte within a name does not end it",
        "two zero bytes end a string; the document does not say whether one zero byte may be part of it",
        |checker| ask(checker, "name-zero"),
    ),
    open(
        "name-endless",
        "a name without an end is refused after a few hundred bytes",
        "figure 1 says n bytes, without a maximum",
        |checker| ask(checker, "name-endless"),
    ),
    open(
        "unknown-opcode",
        "an unknown opcode gets error 2, and the connection is closed",
        "the document does not say what follows an unknown opcode",
        |checker| ask(checker, "unknown-opcode"),
    ),
    open(
        "error-storm",
        "after 50 errors in a row the connection is closed",
        "the document has no limit for errors",
        error_storm,
    ),
];

/// The check of an open question, in two steps: send, then read the answer. Many correct servers do not answer frames
/// that the course document does not mention, so the kit waits for the answers to all probes at the same time.
struct Probe {
    rule: &'static str,
    send: fn(&mut Checker) -> RuleResult<Connection>,
    judge: fn(&mut Connection) -> RuleResult,
}

/// For each rule, the connection on which its probe was sent.
pub(super) type Probes = BTreeMap<&'static str, RuleResult<Connection>>;

const PROBES: [Probe; 13] = [
    Probe {
        rule: "hello-bad-id",
        send: |checker| {
            checker.sends_errors()?;
            let mut connection = checker.connect()?;
            connection.id = 1234;
            let name = Name::new("Judge").expect("it is in Latin-1");
            connection.send_bytes(&encoded(&FromClient::Hello { id: 1234, name }));
            Ok(connection)
        },
        judge: |connection| expect_error(connection, 9),
    },
    Probe {
        rule: "hello-twice",
        send: |checker| {
            checker.sends_errors()?;
            // The kit would mistake a second READY, which answers no request, for the answer.
            if checker.broken.contains(&"one-answer") {
                let why = "prevented by one-answer: the server sends frames that answer no request";
                return Err(Stop::NotTried(why.to_owned()));
            }
            let mut connection = checker.start_session()?;
            connection.hello("Judge");
            Ok(connection)
        },
        judge: |connection| expect_error(connection, 2),
    },
    Probe {
        rule: "play-before-hello",
        send: |checker| {
            checker.sends_errors()?;
            let mut connection = checker.connect()?;
            connection.play();
            Ok(connection)
        },
        judge: |connection| expect_error(connection, 2),
    },
    Probe {
        rule: "action-before-play",
        send: |checker| {
            checker.sends_errors()?;
            let mut connection = checker.start_session()?;
            connection.act_with(connection.id, *b"1-1");
            Ok(connection)
        },
        judge: |connection| expect_error(connection, 2),
    },
    Probe {
        rule: "play-in-game",
        send: |checker| {
            goes_on_after_errors(checker)?;
            let mut connection = checker.admitted()?;
            connection.play();
            Ok(connection)
        },
        judge: |connection| {
            expect_error(connection, 2)?;
            first_moves(connection).map(drop)
        },
    },
    Probe {
        rule: "admit-wrong-id-again",
        send: |checker| {
            checker.admitted()?;
            let mut connection = checker.start_session()?;
            connection.send_bytes(&encoded(&FromClient::Play {
                id: another(connection.id),
            }));
            Ok(connection)
        },
        judge: play_after_refusal,
    },
    Probe {
        rule: "action-wrong-id",
        send: |checker| {
            goes_on_after_errors(checker)?;
            let mut connection = checker.admitted()?;
            connection.act_with(another(connection.id), *b"0-0");
            Ok(connection)
        },
        judge: |connection| {
            let code = match connection.dialect {
                Dialect::Seed => ErrorCode::WrongSession,
                Dialect::Later => ErrorCode::WrongSessionLater,
            };
            expect_error(connection, code.code())?;
            first_moves(connection).map(drop)
        },
    },
    Probe {
        rule: "client-error",
        send: |checker| {
            checker.plays()?;
            let mut connection = checker.admitted()?;
            let text = Text::new("Moviment Invalid").expect("it is in Latin-1");
            let id = connection.id;
            let mut error = encoded(&FromClient::Error { id, code: 1, text });
            if checker.name_end.is_some() {
                error.pop();
            }
            connection.send_bytes(&error);
            connection.has_unasked = false;
            Ok(connection)
        },
        judge: client_error_is_not_answered,
    },
    Probe {
        rule: "name-empty",
        send: |checker| named(checker, ""),
        judge: is_accepted,
    },
    Probe {
        rule: "name-long",
        send: |checker| named(checker, &"n".repeat(255)),
        judge: is_accepted,
    },
    Probe {
        rule: "name-zero",
        send: |checker| {
            checker.admitted()?;
            if checker.name_end.is_some() {
                let why = "prevented by name-end: the first zero byte ends a name";
                return Err(Stop::NotTried(why.to_owned()));
            }
            let mut connection = checker.connect()?;
            let mut hello = hello_bytes(&connection);
            hello.splice(7..7, [0]);
            connection.send_bytes(&hello);
            Ok(connection)
        },
        judge: is_accepted,
    },
    Probe {
        rule: "name-endless",
        send: |checker| {
            checker.start_session()?;
            let mut connection = checker.connect()?;
            let mut hello = hello_bytes(&connection)[..5].to_vec();
            hello.extend([b'n'; 100_000]);
            connection.send_bytes(&hello);
            Ok(connection)
        },
        judge: endless_name,
    },
    Probe {
        rule: "unknown-opcode",
        send: |checker| {
            checker.sends_errors()?;
            let mut connection = checker.start_session()?;
            connection.send_bytes(&[7]);
            Ok(connection)
        },
        judge: |connection| {
            expect_error(connection, 2)?;
            closes(connection)
        },
    },
];

/// Sends a probe and checks the answer. If the server serves several clients and does not end when a client
/// leaves, the first call sends all probes.
fn ask(checker: &mut Checker, rule: &'static str) -> RuleResult {
    let probe = PROBES.iter().find(|probe| probe.rule == rule);
    let probe = probe.expect("every question has a probe");
    if checker.probes.is_none() && checker.serves_many && !checker.ends_when_left() {
        let send = |probe: &Probe| (probe.rule, (probe.send)(checker));
        let sent = PROBES.iter().map(send).collect();
        checker.probes = Some(sent);
    }
    let sent = checker.probes.as_mut().and_then(|sent| sent.remove(rule));
    if let Some(sent) = sent {
        let mut connection = sent?;
        connection.is_timed_from_sending = true;
        let judged = (probe.judge)(&mut connection);
        // Another probe may have ended the server, so the kit sends this probe again, alone.
        if judged.is_ok() || !connection.has_ended() {
            return judged;
        }
    }
    let mut connection = (probe.send)(checker)?;
    (probe.judge)(&mut connection)
}

/// Returns an error if the server sends no ERROR, plays no game, or does not continue a game after an ERROR.
fn goes_on_after_errors(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    checker.plays()?;
    match ["one-answer", "turn-kept"]
        .into_iter()
        .find(|rule| checker.broken.contains(rule))
    {
        Some(rule) => Err(Stop::NotTried(format!(
            "prevented by {rule}: no game goes on as it should after an ERROR"
        ))),
        None => Ok(()),
    }
}

const fn open(
    name: &'static str,
    claim: &'static str,
    source: &'static str,
    checker: fn(&mut Checker) -> RuleResult,
) -> TcpRule {
    TcpRule::new(name, claim, source, Weight::Open, checker)
}

fn play_after_refusal(connection: &mut Connection) -> RuleResult {
    let expected = admit(connection.id, false);
    let is_refusal = |frame: &FromServer| {
        matches!(
            frame,
            FromServer::Admit {
                flag: Admission::Refused,
                ..
            }
        )
    };
    connection
        .expect(&expected, is_refusal)
        .map_err(|stop| stop.prevented_by("admit-wrong-id"))?;
    connection.play();
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    Ok(())
}

fn error_texts(checker: &mut Checker) -> RuleResult {
    goes_on_after_errors(checker)?;
    let mut connection = checker.admitted()?;
    connection.act_with(connection.id, *b"9-9");
    expect_text(&mut connection, ErrorCode::UnknownMove, "off-board")?;
    let (own, _) = first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
    connection.act(own);
    expect_text(&mut connection, ErrorCode::InvalidMove, "taken-own")
}

/// Checks that the text of an ERROR matches its code. Another rule checks the code.
fn expect_text(connection: &mut Connection, code: ErrorCode, rule: &str) -> RuleResult {
    let mut bytes = Vec::new();
    code.encode(connection.id, &mut bytes);
    let expected = Expected::new(hex(&bytes), server_words(&bytes, connection.dialect));
    let received = connection.receive();
    let fits = |code: u8, text: &Text| {
        ErrorCode::try_from(code).is_ok_and(|known| text.as_bytes() == known.text().as_bytes())
    };
    match &received {
        Received::Frame(FromServer::Error { code, text, .. }, _) if fits(*code, text) => Ok(()),
        Received::Frame(FromServer::Error { .. }, _) => {
            Err(connection.broken(&expected, &received))
        }
        _ => Err(connection.broken(&expected, &received).prevented_by(rule)),
    }
}

/// Checks that the server did not answer an ERROR that the client has sent. For this, the client makes a move. An
/// answer to the ERROR would come before the answer to the move.
fn client_error_is_not_answered(connection: &mut Connection) -> RuleResult {
    first_moves(connection)?;
    match connection.has_unasked {
        false => Ok(()),
        true => {
            let expected = Expected::action(connection.id);
            let problem = "the server answers the client's ERROR";
            Err(connection.found(
                problem,
                &expected,
                "",
                "a frame before the answer to ACTION",
            ))
        }
    }
}

fn named(checker: &mut Checker, name: &str) -> RuleResult<Connection> {
    checker.admitted()?;
    let mut connection = checker.connect()?;
    connection.hello(name);
    Ok(connection)
}

fn endless_name(connection: &mut Connection) -> RuleResult {
    let received = connection.receive();
    match received {
        Received::Nothing(_) | Received::Frame(FromServer::Ready { .. }, _) => {
            let expected = Expected::new("08 … or a close", "ERROR, or the end of the connection");
            Err(connection.broken(&expected, &received))
        }
        Received::Frame(..) | Received::Invalid(..) | Received::Closed(_) => Ok(()),
    }
}

fn closes(connection: &mut Connection) -> RuleResult {
    if connection.is_closed() {
        return Ok(());
    }
    let expected = Expected::new("", "the end of the connection");
    Err(connection.found("the connection stays open", &expected, "", "nothing"))
}

fn error_storm(checker: &mut Checker) -> RuleResult {
    goes_on_after_errors(checker)?;
    if checker.broken.contains(&"prompt") {
        let why = "prevented by prompt: 50 answers would take too long";
        return Err(Stop::NotTried(why.to_owned()));
    }
    let mut connection = checker.admitted()?;
    for _ in 0..MAX_ERRORS {
        connection.act_with(connection.id, *b"9-9");
        match connection.receive() {
            Received::Frame(FromServer::Error { .. }, _) => {}
            // A server that closes the connection after fewer errors also has a limit.
            Received::Closed(_) => return Ok(()),
            received => {
                return Err(connection
                    .broken(&Expected::error(connection.id, 0), &received)
                    .prevented_by("off-board"));
            }
        }
    }
    closes(&mut connection).map_err(|stop| match stop {
        Stop::Broken(mut finding) => {
            finding.conversation.clear();
            Stop::Broken(finding)
        }
        stop => stop,
    })
}
