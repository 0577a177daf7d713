//! What the document leaves open. The claims say what is usual, in this project and where programs can be
//! seen; who does otherwise has done nothing wrong.

use noughts_wire::{Admission, Dialect, ErrorCode, FromClient, FromServer, MAX_ERRORS, Name, Text};

use super::connection::{Connection, Expected, Received, encoded};
use super::game::first_moves;
use super::session::{admit, another, hello_bytes, is_admission, taken};
use super::{Judge, TcpRule};
use crate::frame::{hex, server_words};
use crate::verdict::{Judged, Stop, Weight};

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
        client_complains,
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
        |judge| named(judge, ""),
    ),
    open(
        "name-long",
        "a name of 255 characters is taken",
        "figure 1 says n bytes, and no bound",
        |judge| named(judge, &"n".repeat(255)),
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
    judge: fn(&mut Judge) -> Judged,
) -> TcpRule {
    TcpRule::new(name, claim, source, Weight::Open, judge)
}

/// An ERROR with this code, whatever its id: before a session there is none.
fn expect_code(connection: &mut Connection, wanted: u8) -> Judged {
    let expected = Expected::error(connection.id, wanted);
    connection.expect(
        &expected,
        |frame| matches!(frame, FromServer::Error { code, .. } if *code == wanted),
    )?;
    Ok(())
}

fn bad_id(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut connection = judge.call()?;
    connection.id = 1234;
    let name = Name::new("Judge").expect("it is in Latin-1");
    connection.say_bytes(&encoded(&FromClient::Hello { id: 1234, name }));
    expect_code(&mut connection, 9)
}

fn hello_twice(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut connection = judge.greeted()?;
    connection.hello("Judge");
    expect_code(&mut connection, 2)
}

fn play_first(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut connection = judge.call()?;
    connection.play();
    expect_code(&mut connection, 2)
}

fn action_before_play(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut connection = judge.greeted()?;
    connection.act_with(connection.id, *b"1-1");
    expect_code(&mut connection, 2)
}

fn play_in_game(judge: &mut Judge) -> Judged {
    judge.complains()?;
    judge.plays()?;
    let mut connection = judge.admitted()?;
    connection.play();
    expect_code(&mut connection, 2)?;
    first_moves(&mut connection).map(drop)
}

fn play_after_refusal(judge: &mut Judge) -> Judged {
    judge.admitted()?.leave();
    let mut connection = judge.greeted()?;
    connection.say_bytes(&encoded(&FromClient::Play {
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
        .map_err(|stop| stop.on_the_way("PLAY with another id did not lead to ADMIT 0"))?;
    connection.play();
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    Ok(())
}

fn action_with_another_id(judge: &mut Judge) -> Judged {
    judge.complains()?;
    judge.plays()?;
    let mut connection = judge.admitted()?;
    connection.act_with(another(connection.id), *b"0-0");
    let code = match connection.dialect {
        Dialect::Seed => ErrorCode::WrongSession,
        Dialect::Later => ErrorCode::WrongSessionLater,
    };
    expect_code(&mut connection, code.code())?;
    first_moves(&mut connection).map(drop)
}

fn client_complains(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut connection = judge.admitted()?;
    let text = Text::new("Moviment Invalid").expect("it is in Latin-1");
    let id = connection.id;
    connection.say_bytes(&encoded(&FromClient::Error { id, code: 1, text }));
    connection.expect_silence("the client's ERROR")?;
    first_moves(&mut connection).map(drop)
}

fn error_texts(judge: &mut Judge) -> Judged {
    judge.complains()?;
    judge.plays()?;
    let mut connection = judge.admitted()?;
    connection.act_with(connection.id, *b"9-9");
    expect_text(&mut connection, ErrorCode::UnknownMove)?;
    let (own, _) = first_moves(&mut connection)
        .map_err(|stop| stop.on_the_way("the first ACTION was not answered with an ACTION"))?;
    connection.act(own);
    expect_text(&mut connection, ErrorCode::InvalidMove)
}

/// The text of the code that came; whether it is the right code is another rule.
fn expect_text(connection: &mut Connection, complaint: ErrorCode) -> Judged {
    let mut bytes = Vec::new();
    complaint.encode(connection.id, &mut bytes);
    let expected = Expected::new(hex(&bytes), server_words(&bytes, connection.dialect));
    let heard = connection.hear();
    let fits = |code: u8, text: &Text| {
        let complaint = ErrorCode::try_from(code).ok();
        complaint.is_some_and(|complaint| text.as_bytes() == complaint.text().as_bytes())
    };
    match &heard {
        Received::Frame(FromServer::Error { code, text, .. }, _) if fits(*code, text) => Ok(()),
        Received::Frame(FromServer::Error { .. }, _) => Err(connection.broken(&expected, &heard)),
        _ => Err(connection
            .broken(&expected, &heard)
            .on_the_way("there was no ERROR")),
    }
}

fn named(judge: &mut Judge, name: &str) -> Judged {
    judge.admitted()?.leave();
    let mut connection = judge.call()?;
    connection.hello(name);
    taken(&mut connection)
}

fn zero_in_name(judge: &mut Judge) -> Judged {
    judge.admitted()?.leave();
    let mut connection = judge.call()?;
    let mut hello = hello_bytes(&connection);
    hello.splice(7..7, [0]);
    connection.say_bytes(&hello);
    taken(&mut connection)
}

fn endless_name(judge: &mut Judge) -> Judged {
    judge.greeted()?.leave();
    let mut connection = judge.call()?;
    let mut hello = hello_bytes(&connection)[..5].to_vec();
    hello.extend([b'n'; 100_000]);
    connection.say_bytes(&hello);
    let heard = connection.hear();
    match heard {
        Received::Nothing(_) | Received::Frame(FromServer::Ready { .. }, _) => {
            let expected = Expected::new("08 … or a close", "ERROR, or the end of the connection");
            Err(connection.broken(&expected, &heard))
        }
        Received::Frame(..) | Received::Garbled(..) | Received::Ended(_) => Ok(()),
    }
}

fn unknown_opcode(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut connection = judge.greeted()?;
    connection.say_bytes(&[7]);
    expect_code(&mut connection, 2)?;
    closes(&mut connection)
}

fn closes(connection: &mut Connection) -> Judged {
    if connection.is_closed() {
        return Ok(());
    }
    let expected = Expected::new("", "the end of the connection");
    Err(connection.found("the connection stays open", &expected, "", "nothing"))
}

fn error_storm(judge: &mut Judge) -> Judged {
    let mut connection = judge.admitted()?;
    for _ in 0..MAX_ERRORS {
        connection.act_with(connection.id, *b"9-9");
        match connection.hear() {
            Received::Frame(FromServer::Error { .. }, _) => {}
            // Earlier is a bound too.
            Received::Ended(_) => return Ok(()),
            heard => {
                return Err(connection
                    .broken(&Expected::error(connection.id, 0), &heard)
                    .on_the_way("the cell 9-9 did not lead to an ERROR"));
            }
        }
    }
    closes(&mut connection).map_err(|stop| match stop {
        Stop::Broken(mut finding) => {
            finding.log.clear();
            Stop::Broken(finding)
        }
        stop => stop,
    })
}
