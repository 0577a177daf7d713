//! What the document does not decide. The claims say what is usual, in Noughts and in public programs.
//! Another way is not a fault.

use noughts_wire::{Admission, Dialect, ErrorCode, FromClient, FromServer, MAX_ERRORS, Name, Text};

use super::connection::{Connection, Expected, Received, encoded};
use super::game::first_moves;
use super::session::{admit, another, hello_bytes, is_accepted, is_admission};
use super::{Checker, TcpRule};
use crate::frame::{hex, server_words};
use crate::verdict::{RuleResult, Stop, Weight};

pub(super) const RULES: [TcpRule; 15] = [
    open(
        "hello-bad-id",
        "HELLO with an id of four digits gets error 9",
        "[1] says that the id has five digits, and that ERROR answers a session that can't begin; not that they belong together",
        bad_id,
    ),
    open(
        "hello-twice",
        "HELLO in a session that has begun gets error 2",
        "the document has no code for a frame at the wrong time",
        hello_twice,
    ),
    open(
        "play-before-hello",
        "PLAY before HELLO gets error 2",
        "the document has no code for a frame at the wrong time",
        play_first,
    ),
    open(
        "action-before-play",
        "ACTION before PLAY gets error 2",
        "the document has no code for a frame at the wrong time",
        action_before_play,
    ),
    open(
        "play-in-game",
        "PLAY in a game gets error 2, and the game goes on",
        "the document has no code for a frame at the wrong time",
        play_in_game,
    ),
    open(
        "admit-wrong-id-again",
        "after ADMIT 0, PLAY with the right id is admitted",
        "the document does not say what follows ADMIT 0",
        play_after_refusal,
    ),
    open(
        "action-wrong-id",
        "ACTION with another id gets error 9 (in the later dialect 3), and the game goes on",
        "the document has code 9, Sessio Incorrecte, and does not say for which frames",
        action_with_another_id,
    ),
    open(
        "client-error",
        "an ERROR from the client is not answered, and the game goes on",
        "the table of frames lets clients send ERROR, and does not say what follows",
        client_sends_error,
    ),
    open(
        "error-text",
        "errors 0 and 1 have the texts of the document's table",
        "the table of errors has texts; whether they are meant to the letter is not said",
        error_texts,
    ),
    open(
        "name-empty",
        "a name without characters is taken",
        "figure 1 says n bytes, and no least number",
        |checker| named(checker, ""),
    ),
    open(
        "name-long",
        "a name of 255 characters is taken",
        "figure 1 says n bytes, and no bound",
        |checker| named(checker, &"n".repeat(255)),
    ),
    open(
        "name-zero",
        "a single zero byte within a name does not end it",
        "two zero bytes end a string; that one may stand within is not said",
        zero_in_name,
    ),
    open(
        "name-endless",
        "a name that does not end is refused after a few hundred bytes, and not collected for ever",
        "figure 1 says n bytes, and no bound",
        endless_name,
    ),
    open(
        "unknown-opcode",
        "an opcode that nobody knows gets error 2, and the connection is closed",
        "the document does not say what follows an unknown opcode",
        unknown_opcode,
    ),
    open(
        "error-storm",
        "after 50 errors in a row the connection is closed",
        "the document has no bound",
        error_storm,
    ),
];

const fn open(
    name: &'static str,
    claim: &'static str,
    source: &'static str,
    checker: fn(&mut Checker) -> RuleResult,
) -> TcpRule {
    TcpRule::new(name, claim, source, Weight::Open, checker)
}

/// An ERROR with this code, whatever its id: before a session there is none.
fn expect_code(connection: &mut Connection, wanted: u8) -> RuleResult {
    let expected = Expected::error(connection.id, wanted);
    connection.expect(
        &expected,
        |frame| matches!(frame, FromServer::Error { code, .. } if *code == wanted),
    )?;
    Ok(())
}

fn bad_id(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    let mut connection = checker.connect()?;
    connection.id = 1234;
    let name = Name::new("Judge").expect("it is in Latin-1");
    connection.send_bytes(&encoded(&FromClient::Hello { id: 1234, name }));
    expect_code(&mut connection, 9)
}

fn hello_twice(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    let mut connection = checker.greeted()?;
    // A second READY that nobody asked for is the matter of another rule.
    connection.pause();
    connection.hello("Judge");
    expect_code(&mut connection, 2)
}

fn play_first(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    let mut connection = checker.connect()?;
    connection.play();
    expect_code(&mut connection, 2)
}

fn action_before_play(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    let mut connection = checker.greeted()?;
    connection.act_with(connection.id, *b"1-1");
    expect_code(&mut connection, 2)
}

fn play_in_game(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    checker.plays()?;
    let mut connection = checker.admitted()?;
    connection.play();
    expect_code(&mut connection, 2)?;
    first_moves(&mut connection).map(drop)
}

fn play_after_refusal(checker: &mut Checker) -> RuleResult {
    checker.admitted()?.leave();
    let mut connection = checker.greeted()?;
    connection.send_bytes(&encoded(&FromClient::Play {
        id: another(connection.id),
    }));
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

fn action_with_another_id(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    checker.plays()?;
    let mut connection = checker.admitted()?;
    connection.act_with(another(connection.id), *b"0-0");
    let code = match connection.dialect {
        Dialect::Seed => ErrorCode::WrongSession,
        Dialect::Later => ErrorCode::WrongSessionLater,
    };
    expect_code(&mut connection, code.code())?;
    first_moves(&mut connection).map(drop)
}

fn client_sends_error(checker: &mut Checker) -> RuleResult {
    checker.plays()?;
    let mut connection = checker.admitted()?;
    let text = Text::new("Moviment Invalid").expect("it is in Latin-1");
    let id = connection.id;
    connection.send_bytes(&encoded(&FromClient::Error { id, code: 1, text }));
    connection.expect_silence("the client's ERROR")?;
    first_moves(&mut connection).map(drop)
}

fn error_texts(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    checker.plays()?;
    let mut connection = checker.admitted()?;
    connection.act_with(connection.id, *b"9-9");
    expect_text(&mut connection, ErrorCode::UnknownMove)?;
    let (own, _) = first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
    connection.act(own);
    expect_text(&mut connection, ErrorCode::InvalidMove)
}

/// The text of the code that came; whether it is the right code is another rule.
fn expect_text(connection: &mut Connection, code: ErrorCode) -> RuleResult {
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
        _ => Err(connection
            .broken(&expected, &received)
            .prevented_by("off-board")),
    }
}

fn named(checker: &mut Checker, name: &str) -> RuleResult {
    checker.admitted()?.leave();
    let mut connection = checker.connect()?;
    connection.hello(name);
    is_accepted(&mut connection)
}

fn zero_in_name(checker: &mut Checker) -> RuleResult {
    checker.admitted()?.leave();
    let mut connection = checker.connect()?;
    let mut hello = hello_bytes(&connection);
    hello.splice(7..7, [0]);
    connection.send_bytes(&hello);
    is_accepted(&mut connection)
}

fn endless_name(checker: &mut Checker) -> RuleResult {
    checker.greeted()?.leave();
    let mut connection = checker.connect()?;
    let mut hello = hello_bytes(&connection)[..5].to_vec();
    hello.extend([b'n'; 100_000]);
    connection.send_bytes(&hello);
    let received = connection.receive();
    match received {
        Received::Nothing(_) | Received::Frame(FromServer::Ready { .. }, _) => {
            let expected = Expected::new("08 … or a close", "ERROR, or the end of the connection");
            Err(connection.broken(&expected, &received))
        }
        Received::Frame(..) | Received::Invalid(..) | Received::Closed(_) => Ok(()),
    }
}

fn unknown_opcode(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    let mut connection = checker.greeted()?;
    connection.send_bytes(&[7]);
    expect_code(&mut connection, 2)?;
    closes(&mut connection)
}

fn closes(connection: &mut Connection) -> RuleResult {
    if connection.is_closed() {
        return Ok(());
    }
    let expected = Expected::new("", "the end of the connection");
    Err(connection.found("the connection stays open", &expected, "", "nothing"))
}

fn error_storm(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.admitted()?;
    for _ in 0..MAX_ERRORS {
        connection.act_with(connection.id, *b"9-9");
        match connection.receive() {
            Received::Frame(FromServer::Error { .. }, _) => {}
            // Earlier is a bound too.
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
