//! The conversations in `testdata/wire`. Each file is a test case.
//!
//! ```text
//! mode computer                    computer or pairs; `full`: the server is above its limit
//! > 01 00003039 "Ann" 0000         the client's bytes
//! < 02 00003039                    the server's answer, one frame per line
//! ? seat                           what the session asks for
//! ! admitted first                 an event for the session
//! ```

use std::fs;
use std::path::Path;

use noughts_wire::{
    Dialect, FromServer, GameMode, GameResult, MoveRefusal, Session, SessionEvent, SessionRequest,
};

use crate::picture::bytes;

#[test]
fn sessions_behave_as_the_conversations_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/wire");
    let mut count = 0;
    for file in fs::read_dir(directory).expect("testdata/wire can be read") {
        let path = file.expect("a file").path();
        // The other files are for tests with a whole server.
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let script = fs::read_to_string(&path).expect("a text");
        let name = path.display().to_string();
        for piece in [usize::MAX, 1, 3] {
            replay(&script, piece, &name);
        }
        count += 1;
    }
    assert!(count >= 4, "only {count} conversations");
}

/// Runs the script, and compares what the session does with the following lines.
fn replay(script: &str, piece: usize, name: &str) {
    let mut session = Session::new(GameMode::Computer, false);
    let mut done: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(script.lines()) {
        let place = format!("{name}:{number}, {piece} bytes at once");
        let (sign, rest) = line.split_at(line.len().min(1));
        match sign {
            "" | "#" => continue,
            "<" | "?" => {
                let expected = if sign == "<" {
                    shown(&bytes(rest))
                } else {
                    uncommented(line)
                };
                assert!(!done.is_empty(), "{place}: the session did nothing");
                assert_eq!(done.remove(0), expected, "{place}");
                continue;
            }
            _ => assert!(done.is_empty(), "{place}: not expected: {done:?}"),
        }
        match sign {
            ">" => {
                for piece in bytes(rest).chunks(piece) {
                    assert_eq!(session.receive(piece), piece.len(), "{place}");
                    go_on(&mut session, Vec::new(), &mut done);
                }
            }
            "!" => {
                let mut out = Vec::new();
                assert!(
                    session.handle(event(&uncommented(rest)), &mut out),
                    "{place}: does not fit"
                );
                go_on(&mut session, out, &mut done);
            }
            _ => {
                let words = uncommented(line);
                let mode = if words.contains("pairs") {
                    GameMode::Pairs
                } else {
                    GameMode::Computer
                };
                assert!(words.starts_with("mode "), "{place}: not understood");
                session = Session::new(mode, words.contains("full"));
            }
        }
    }
    assert!(done.is_empty(), "{name}: not expected at the end: {done:?}");
}

fn go_on(session: &mut Session, mut out: Vec<u8>, done: &mut Vec<String>) {
    loop {
        let ask = session.next_request(&mut out, || 54_321);
        let dialect = session.dialect().unwrap_or(Dialect::Seed);
        let mut rest = &out[..];
        while let Some((_, length)) = FromServer::decode(rest, dialect).expect("a frame") {
            done.push(shown(&rest[..length]));
            rest = &rest[length..];
        }
        out.clear();
        match ask {
            None => return,
            Some(SessionRequest::Seat) => done.push("? seat".to_owned()),
            Some(SessionRequest::Move(cell)) => done.push(format!("? move {cell}")),
            Some(SessionRequest::ClientError(heard)) => {
                done.push(format!("? heard {} {}", heard.code, heard.text));
            }
            Some(SessionRequest::Close(why)) => done.push(format!("? close: {why}")),
        }
    }
}

fn event(text: &str) -> SessionEvent {
    let cell = |word: &str| word.parse().expect("a cell");
    let over = |result, word: Option<&&str>| SessionEvent::Over {
        result,
        opponent_cell: word.map(|word| cell(word)),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    match &words[..] {
        ["admitted", "first"] => SessionEvent::Admitted { first: true },
        ["admitted", "second"] => SessionEvent::Admitted { first: false },
        ["not", "seated"] => SessionEvent::NotSeated,
        ["accepted"] => SessionEvent::Accepted,
        ["occupied"] => SessionEvent::Refused(MoveRefusal::Occupied),
        ["played", word] => SessionEvent::Played(cell(word)),
        ["won", by @ ..] => over(GameResult::Won, by.first()),
        ["lost", by @ ..] => over(GameResult::Lost, by.first()),
        ["draw", by @ ..] => over(GameResult::Draw, by.first()),
        _ => panic!("no event: {text}"),
    }
}

fn shown(frame: &[u8]) -> String {
    format!("< {}", frame.escape_ascii())
}

fn uncommented(line: &str) -> String {
    line.split('#').next().unwrap_or("").trim().to_owned()
}
