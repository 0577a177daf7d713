//! A second, slow and obvious implementation of the session. It gets all bytes at once, and every request is answered
//! at once.

use noughts_wire::{
    Cell, CloseReason, FromClient, GameMode, GameResult, MoveRefusal, ReceivedError, SessionEvent,
    SessionRequest,
};

use crate::driver::{Entry, Outside};

/// What the session should do with these bytes.
pub(crate) fn reference(mode: GameMode, is_full: bool, bytes: &[u8]) -> Vec<Entry> {
    let mut reference = Reference {
        outside: Outside::new(mode),
        is_full,
        id: None,
        later: false,
        at: At::Start,
        errors: 0,
        log: Vec::new(),
    };
    let mut rest = bytes;
    while !rest.is_empty() && reference.errors < 50 {
        match cut(rest, reference.later) {
            Cut::Frame(length) => {
                reference.receive(&rest[..length]);
                rest = &rest[length..];
            }
            Cut::More => break,
            Cut::Never(why) => {
                let code = if why == CloseReason::NameTooLong && reference.id.is_none() {
                    9
                } else {
                    2
                };
                let id = if matches!(why, CloseReason::UnknownOpcode(_)) {
                    0
                } else {
                    number(&rest[1..5])
                };
                reference.error(code, id);
                reference.log.push(Entry::Asked(SessionRequest::Close(why)));
                return reference.log;
            }
        }
        if reference.at == At::End {
            return reference.log;
        }
    }
    if reference.errors >= 50 {
        reference.log.push(Entry::Asked(SessionRequest::Close(
            CloseReason::TooManyErrors,
        )));
    }
    reference.log
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum At {
    Start,
    NoGame,
    WaitsForPair,
    ToMove,
    NotToMove,
    End,
}

struct Reference {
    outside: Outside,
    is_full: bool,
    id: Option<u32>,
    later: bool,
    at: At,
    errors: u32,
    log: Vec<Entry>,
}

enum Cut {
    Frame(usize),
    More,
    Never(CloseReason),
}

/// Where the first frame ends.
fn cut(bytes: &[u8], later: bool) -> Cut {
    let (start, too_long) = match bytes[0] {
        1 => (5, CloseReason::NameTooLong),
        8 => (6, CloseReason::TextTooLong),
        opcode => {
            let length = match opcode {
                2 | 3 => 5,
                4 => 6,
                5 => 8,
                6 => {
                    if later {
                        9
                    } else {
                        6
                    }
                }
                unknown => return Cut::Never(CloseReason::UnknownOpcode(unknown)),
            };
            return if bytes.len() < length {
                Cut::More
            } else {
                Cut::Frame(length)
            };
        }
    };
    for length in 0..=255 {
        match (bytes.get(start + length), bytes.get(start + length + 1)) {
            (Some(0), Some(0)) => return Cut::Frame(start + length + 2),
            (_, None) => return Cut::More,
            _ => {}
        }
    }
    Cut::Never(too_long)
}

fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, &byte| number * 256 + u32::from(byte))
}

impl Reference {
    fn receive(&mut self, frame: &[u8]) {
        let id = number(&frame[1..5]);
        let is_ours = self.id == Some(id);
        match (frame[0], self.at) {
            (8, _) => {
                self.errors += 1;
                // Only the decoder can make a text with zeros in it.
                let Ok(Some((FromClient::Error { code, text, .. }, _))) = FromClient::decode(frame)
                else {
                    panic!("{frame:?} is a whole ERROR");
                };
                assert_eq!(text.as_bytes(), &frame[6..frame.len() - 2]);
                self.ask(SessionRequest::ClientError(ReceivedError { code, text }));
            }
            (1, At::Start) if self.is_full => {
                self.error(9, id);
                self.log
                    .push(Entry::Asked(SessionRequest::Close(CloseReason::Full)));
                self.at = At::End;
            }
            (1, At::Start) if id == 0 || (10_000..=99_999).contains(&id) => {
                self.later = id == 0;
                self.id = Some(if self.later { 54_321 } else { id });
                self.go(At::NoGame);
                self.send(2, &[]);
            }
            (1, At::Start) => self.error(9, id),
            (3, At::NoGame) if is_ours => {
                self.at = At::WaitsForPair;
                self.ask(SessionRequest::Seat);
            }
            (3, At::NoGame) => {
                self.errors += 1;
                self.send(4, &[0]);
            }
            (5, At::ToMove) if !is_ours => self.error(if self.later { 3 } else { 9 }, id),
            (5, At::ToMove) => {
                let name = String::from_utf8_lossy(&frame[5..]).into_owned();
                match Cell::all().find(|cell| cell.to_string() == name) {
                    Some(cell) => self.ask(SessionRequest::Move(cell)),
                    None => self.error(0, id),
                }
            }
            _ => self.error(2, id),
        }
    }

    fn ask(&mut self, ask: SessionRequest) {
        self.log.push(Entry::Asked(ask.clone()));
        if self.errors >= 50 {
            return;
        }
        for event in self.outside.answer(&ask) {
            match event {
                SessionEvent::Admitted { first } => {
                    self.go(if first { At::ToMove } else { At::NotToMove });
                    self.send(4, &[if first { 1 } else { 2 }]);
                }
                SessionEvent::NotSeated => {
                    self.at = At::NoGame;
                    self.errors += 1;
                    self.send(4, &[0]);
                }
                SessionEvent::Accepted => self.go(At::NotToMove),
                SessionEvent::Played(cell) => {
                    self.go(At::ToMove);
                    self.send(5, cell.to_string().as_bytes());
                }
                SessionEvent::Refused(MoveRefusal::Occupied) => self.error(1, 0),
                SessionEvent::Refused(_) => unreachable!("not in this outside"),
                SessionEvent::Over {
                    result,
                    opponent_cell,
                } => {
                    self.go(At::NoGame);
                    let cell = opponent_cell.map_or("---".to_owned(), |cell| cell.to_string());
                    let flag = match result {
                        GameResult::Lost => 0,
                        GameResult::Won => 1,
                        GameResult::Draw => 2,
                    };
                    let cell = if self.later { cell.as_bytes() } else { &[] };
                    self.send(6, &[cell, &[flag]].concat());
                }
            }
        }
    }

    fn go(&mut self, at: At) {
        (self.at, self.errors) = (at, 0);
    }

    fn error(&mut self, code: u8, frame_id: u32) {
        let text = match code {
            0 => "Moviment Desconegut",
            1 => "Moviment Invalid",
            2 => "Comanda Inesperada",
            3 => "ID Sessio Incorrecte",
            _ => "Sessio Incorrecte",
        };
        let id = self.id.unwrap_or(frame_id);
        let frame = [
            &[8],
            &id.to_be_bytes()[..],
            &[code],
            text.as_bytes(),
            &[0, 0],
        ]
        .concat();
        self.log.push(Entry::Sent(frame));
        self.errors += 1;
    }

    fn send(&mut self, opcode: u8, body: &[u8]) {
        let id = self.id.expect("only errors are sent before READY");
        self.log.push(Entry::Sent(
            [&[opcode], &id.to_be_bytes()[..], body].concat(),
        ));
    }
}
