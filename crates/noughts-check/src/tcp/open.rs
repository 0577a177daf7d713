//! What the document leaves open. The claims say what is usual, in this project and where programs can be
//! seen; who does otherwise has done nothing wrong.

use noughts_wire::{
    Admission, Complaint, Dialect, FromClient, FromServer, MOST_ERRORS, Name, Text,
};

use super::game::first_moves;
use super::line::{Expected, Heard, Line, encoded};
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
fn expect_code(line: &mut Line, wanted: u8) -> Judged {
    let expected = Expected::error(line.id, wanted);
    line.expect(
        &expected,
        |frame| matches!(frame, FromServer::Error { code, .. } if *code == wanted),
    )?;
    Ok(())
}

fn bad_id(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut line = judge.call()?;
    line.id = 1234;
    let name = Name::new("Judge").expect("it is in Latin-1");
    line.say_bytes(&encoded(&FromClient::Hello { id: 1234, name }));
    expect_code(&mut line, 9)
}

fn hello_twice(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut line = judge.greeted()?;
    line.hello("Judge");
    expect_code(&mut line, 2)
}

fn play_first(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut line = judge.call()?;
    line.play();
    expect_code(&mut line, 2)
}

fn action_before_play(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut line = judge.greeted()?;
    line.act_with(line.id, *b"1-1");
    expect_code(&mut line, 2)
}

fn play_in_game(judge: &mut Judge) -> Judged {
    judge.complains()?;
    judge.plays()?;
    let mut line = judge.admitted()?;
    line.play();
    expect_code(&mut line, 2)?;
    first_moves(&mut line).map(drop)
}

fn play_after_refusal(judge: &mut Judge) -> Judged {
    judge.admitted()?.leave();
    let mut line = judge.greeted()?;
    line.say_bytes(&encoded(&FromClient::Play {
        id: another(line.id),
    }));
    let expected = admit(line.id, false);
    let is_refusal = |frame: &FromServer| {
        matches!(
            frame,
            FromServer::Admit {
                flag: Admission::Refused,
                ..
            }
        )
    };
    line.expect(&expected, is_refusal)
        .map_err(|stop| stop.on_the_way("PLAY with another id did not lead to ADMIT 0"))?;
    line.play();
    let expected = admit(line.id, true);
    line.expect(&expected, is_admission)?;
    Ok(())
}

fn action_with_another_id(judge: &mut Judge) -> Judged {
    judge.complains()?;
    judge.plays()?;
    let mut line = judge.admitted()?;
    line.act_with(another(line.id), *b"0-0");
    let code = match line.dialect {
        Dialect::Seed => Complaint::WrongSession,
        Dialect::Later => Complaint::WrongSessionLater,
    };
    expect_code(&mut line, code.code())?;
    first_moves(&mut line).map(drop)
}

fn client_complains(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut line = judge.admitted()?;
    let text = Text::new("Moviment Invalid").expect("it is in Latin-1");
    let id = line.id;
    line.say_bytes(&encoded(&FromClient::Error { id, code: 1, text }));
    line.expect_silence("the client's ERROR")?;
    first_moves(&mut line).map(drop)
}

fn error_texts(judge: &mut Judge) -> Judged {
    judge.complains()?;
    judge.plays()?;
    let mut line = judge.admitted()?;
    line.act_with(line.id, *b"9-9");
    expect_text(&mut line, Complaint::UnknownMove)?;
    let (own, _) = first_moves(&mut line)
        .map_err(|stop| stop.on_the_way("the first ACTION was not answered with an ACTION"))?;
    line.act(own);
    expect_text(&mut line, Complaint::InvalidMove)
}

/// The text of the code that came; whether it is the right code is another rule.
fn expect_text(line: &mut Line, complaint: Complaint) -> Judged {
    let mut bytes = Vec::new();
    complaint.encode(line.id, &mut bytes);
    let expected = Expected::new(hex(&bytes), server_words(&bytes, line.dialect));
    let heard = line.hear();
    let fits = |code: u8, text: &Text| {
        let complaint = Complaint::from_code(code);
        complaint.is_some_and(|complaint| text.bytes() == complaint.text().as_bytes())
    };
    match &heard {
        Heard::Frame(FromServer::Error { code, text, .. }, _) if fits(*code, text) => Ok(()),
        Heard::Frame(FromServer::Error { .. }, _) => Err(line.broken(&expected, &heard)),
        _ => Err(line
            .broken(&expected, &heard)
            .on_the_way("there was no ERROR")),
    }
}

fn named(judge: &mut Judge, name: &str) -> Judged {
    judge.admitted()?.leave();
    let mut line = judge.call()?;
    line.hello(name);
    taken(&mut line)
}

fn zero_in_name(judge: &mut Judge) -> Judged {
    judge.admitted()?.leave();
    let mut line = judge.call()?;
    let mut hello = hello_bytes(&line);
    hello.splice(7..7, [0]);
    line.say_bytes(&hello);
    taken(&mut line)
}

fn endless_name(judge: &mut Judge) -> Judged {
    judge.greeted()?.leave();
    let mut line = judge.call()?;
    let mut hello = hello_bytes(&line)[..5].to_vec();
    hello.extend([b'n'; 100_000]);
    line.say_bytes(&hello);
    let heard = line.hear();
    match heard {
        Heard::Nothing(_) | Heard::Frame(FromServer::Ready { .. }, _) => {
            let expected = Expected::new("08 … or a close", "ERROR, or the end of the connection");
            Err(line.broken(&expected, &heard))
        }
        Heard::Frame(..) | Heard::Garbled(..) | Heard::Ended(_) => Ok(()),
    }
}

fn unknown_opcode(judge: &mut Judge) -> Judged {
    judge.complains()?;
    let mut line = judge.greeted()?;
    line.say_bytes(&[7]);
    expect_code(&mut line, 2)?;
    closes(&mut line)
}

fn closes(line: &mut Line) -> Judged {
    if line.is_closed() {
        return Ok(());
    }
    let expected = Expected::new("", "the end of the connection");
    Err(line.found("the connection stays open", &expected, "", "nothing"))
}

fn error_storm(judge: &mut Judge) -> Judged {
    let mut line = judge.admitted()?;
    for _ in 0..MOST_ERRORS {
        line.act_with(line.id, *b"9-9");
        match line.hear() {
            Heard::Frame(FromServer::Error { .. }, _) => {}
            // Earlier is a bound too.
            Heard::Ended(_) => return Ok(()),
            heard => {
                return Err(line
                    .broken(&Expected::error(line.id, 0), &heard)
                    .on_the_way("the cell 9-9 did not lead to an ERROR"));
            }
        }
    }
    closes(&mut line).map_err(|stop| match stop {
        Stop::Broken(mut finding) => {
            finding.log.clear();
            Stop::Broken(finding)
        }
        stop => stop,
    })
}
