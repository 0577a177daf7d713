//! The visits: each goes another way.

use noughts_wire::{
    Admission, Cell, Complaint, Dialect, FromClient, FromServer, IDS, Malformed, NO_CELL, Verdict,
};

use super::guest::{Guest, Heard};
use super::ledger::Ledger;
use crate::board::Board;

/// How a visit goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Visit {
    /// A game in which the judge plays badly.
    Game,
    /// A game in which the judge wins if it can, its frames in pieces.
    Pieces,
    /// HELLO is refused.
    RefuseHello,
    /// PLAY is refused.
    RefusePlay,
    /// The first move is refused.
    Complain,
    /// The judge marks a cell that is taken.
    TakenCell,
    /// The judge marks a cell that does not exist.
    NoCell,
    /// The judge goes in a game.
    LeaveInGame,
    /// The judge goes after HELLO.
    LeaveAtOnce,
}

pub(super) const VISITS: [Visit; 9] = [
    Visit::Game,
    Visit::Pieces,
    Visit::Complain,
    Visit::RefuseHello,
    Visit::RefusePlay,
    Visit::TakenCell,
    Visit::NoCell,
    Visit::LeaveInGame,
    Visit::LeaveAtOnce,
];

/// How many games a visit has at most.
const GAMES: usize = 2;

impl Visit {
    /// In words, for the one who starts the client.
    pub(super) fn about(self) -> &'static str {
        match self {
            Visit::Game => "a whole game",
            Visit::Pieces => "a game in small pieces",
            Visit::RefuseHello => "HELLO is refused",
            Visit::RefusePlay => "PLAY is refused",
            Visit::Complain => "the first move is refused",
            Visit::TakenCell => "the server marks a cell that is taken",
            Visit::NoCell => "the server names a cell that does not exist",
            Visit::LeaveInGame => "the server goes in the middle of a game",
            Visit::LeaveAtOnce => "the server goes after HELLO",
        }
    }

    pub(super) fn is_leaving(self) -> bool {
        matches!(self, Visit::LeaveInGame | Visit::LeaveAtOnce)
    }

    /// Receives the client, and writes down what it does.
    pub(super) fn receive(self, guest: &mut Guest, ledger: &mut Ledger) {
        if !greet(guest, ledger) || self == Visit::LeaveAtOnce {
            return;
        }
        if self == Visit::RefuseHello {
            say_error(guest, Complaint::WrongSession);
            return self.after_refusal(guest, ledger);
        }
        guest.in_pieces = self == Visit::Pieces;
        guest.say(&FromServer::Ready { id: guest.id });
        for game in 0..GAMES {
            if !self.is_asked_to_play(guest, ledger, game) {
                return;
            }
            if self == Visit::RefusePlay {
                guest.say(&FromServer::Admit {
                    id: guest.id,
                    flag: Admission::Refused,
                });
                return self.after_refusal(guest, ledger);
            }
            guest.say(&FromServer::Admit {
                id: guest.id,
                flag: Admission::First,
            });
            if !self.play(guest, ledger) {
                return;
            }
        }
    }

    /// One game; whether it came to its end.
    fn play(self, guest: &mut Guest, ledger: &mut Ledger) -> bool {
        let mut board = Board::new();
        let mut moves = 0;
        loop {
            let heard = guest.hear();
            let Some(cell) = self.judge_move(guest, ledger, &board, &heard, moves) else {
                return false;
            };
            moves += 1;
            if guest.speaks_unasked() {
                let heard = guest.hear();
                let wrong = "the client says more before its move is answered";
                ledger.fail("action-once", guest.finding(wrong, "nothing", &heard));
                return false;
            }
            ledger.hold("action-once");
            if moves == 1 && self == Visit::Complain {
                say_error(guest, Complaint::InvalidMove);
                if !self.moves_again(guest, ledger, &mut board, cell) {
                    return false;
                }
            } else {
                board.play(cell);
            }
            if self == Visit::Pieces && moves == 2 {
                ledger.hold("split");
            }
            if let Some(end) = board.end() {
                self.end_game(guest, end, None);
                return self.is_over(guest, ledger);
            }
            match self {
                Visit::LeaveInGame => return false,
                Visit::TakenCell => {
                    return complains(guest, ledger, cell.bytes(), Complaint::InvalidMove);
                }
                Visit::NoCell => return complains(guest, ledger, *b"9-9", Complaint::UnknownMove),
                _ => {}
            }
            let answer = self.choose(&board);
            board.play(answer);
            if board.end().is_some() {
                self.end_game(guest, Verdict::Lost, Some(answer));
                return self.is_over(guest, ledger);
            }
            guest.say(&FromServer::Action {
                id: guest.id,
                cell: answer.bytes(),
            });
        }
    }

    /// The client's next try after a refusal of its first move.
    fn moves_again(
        self,
        guest: &mut Guest,
        ledger: &mut Ledger,
        board: &mut Board,
        refused: Cell,
    ) -> bool {
        let heard = guest.hear();
        if matches!(&heard, Heard::Ended(bytes) if bytes.is_empty()) {
            ledger.hold("error-retry");
            return false;
        }
        match self.judge_move(guest, ledger, board, &heard, 1) {
            Some(cell) if cell != refused => {
                ledger.hold("error-retry");
                board.play(cell);
                true
            }
            _ => {
                let wrong = "after error 1 the client neither makes another move nor goes";
                ledger.fail(
                    "error-retry",
                    guest.finding(wrong, "ACTION with another cell, or the end", &heard),
                );
                false
            }
        }
    }

    /// Wins in `Pieces`, so that both ends of a game are seen; else avoids it.
    fn choose(self, board: &Board) -> Cell {
        let (free, winning) = (board.free(), board.winning());
        let wanted = |cell: &&Cell| winning.contains(cell) == (self == Visit::Pieces);
        *free.iter().find(wanted).unwrap_or(&free[0])
    }

    fn end_game(self, guest: &mut Guest, flag: Verdict, last: Option<Cell>) {
        let cell = match guest.dialect {
            Dialect::Seed => None,
            Dialect::Later => Some(last.map_or(NO_CELL, Cell::bytes)),
        };
        guest.say(&FromServer::Result {
            id: guest.id,
            cell,
            flag,
        });
    }

    /// What follows RESULT is looked at with the next PLAY; here only what must not come.
    fn is_over(self, guest: &mut Guest, ledger: &mut Ledger) -> bool {
        if !guest.speaks_unasked() {
            ledger.hold("over");
        }
        true
    }

    fn after_refusal(self, guest: &mut Guest, ledger: &mut Ledger) {
        let heard = guest.hear();
        let (rule, wrong) = match self {
            Visit::RefusePlay => (
                "refused-play",
                "the client moves though it was not admitted",
            ),
            _ => (
                "refused-hello",
                "the client says PLAY though there is no session",
            ),
        };
        let goes_on = match (&heard, self) {
            (Heard::Frame(FromClient::Action { .. }, _), _) => true,
            (Heard::Frame(FromClient::Play { .. }, _), visit) => visit == Visit::RefuseHello,
            _ => false,
        };
        match goes_on {
            true => ledger.fail(
                rule,
                guest.finding(wrong, "another try, or the end", &heard),
            ),
            false => ledger.hold(rule),
        }
    }

    /// PLAY, for the first or another game; whether it came.
    fn is_asked_to_play(self, guest: &mut Guest, ledger: &mut Ledger, game: usize) -> bool {
        let heard = guest.hear();
        let expected = format!("PLAY, id {}", guest.id);
        match &heard {
            Heard::Frame(FromClient::Play { id }, _) => match *id == guest.id {
                true => ledger.hold("play"),
                false => {
                    let wrong = "PLAY has another id than READY";
                    ledger.fail("play", guest.finding(wrong, &expected, &heard));
                }
            },
            Heard::Frame(FromClient::Action { .. }, _) if game > 0 => {
                let wrong = "the client moves though the game is over";
                ledger.fail("over", guest.finding(wrong, "PLAY, or the end", &heard));
                return false;
            }
            // Who has had enough goes.
            Heard::Ended(_) | Heard::Nothing(_) if game > 0 => {
                ledger.hold("over");
                return false;
            }
            _ => {
                let wrong = "after READY the client does not say PLAY";
                if game == 0 {
                    ledger.note_silence(&heard);
                    let rule = if self == Visit::Pieces {
                        "split"
                    } else {
                        "play"
                    };
                    ledger.fail(rule, guest.finding(wrong, &expected, &heard));
                }
                return false;
            }
        }
        if guest.speaks_unasked() {
            let heard = guest.hear();
            let wrong = "the client says more before ADMIT";
            ledger.fail("waits-admit", guest.finding(wrong, "nothing", &heard));
            return false;
        }
        ledger.hold("waits-admit");
        true
    }

    /// A move of the client's that can be played on with.
    fn judge_move(
        self,
        guest: &Guest,
        ledger: &mut Ledger,
        board: &Board,
        heard: &Heard,
        moves: usize,
    ) -> Option<Cell> {
        let expected = format!("ACTION, id {}, with a free cell", guest.id);
        let Heard::Frame(FromClient::Action { id, cell }, _) = heard else {
            // Who goes later may.
            if moves == 0 {
                ledger.note_silence(heard);
                let wrong = "the client is to move, and does not";
                let rule = if self == Visit::Pieces {
                    "split"
                } else {
                    "action"
                };
                ledger.fail(rule, guest.finding(wrong, &expected, heard));
            }
            return None;
        };
        ledger.hold("action");
        match *id == guest.id {
            true => ledger.hold("action-id"),
            false => ledger.fail(
                "action-id",
                guest.finding("ACTION has another id", &expected, heard),
            ),
        }
        let Some(cell) = Cell::read(*cell) else {
            ledger.fail(
                "action-cell",
                guest.finding("ACTION names no cell", &expected, heard),
            );
            return None;
        };
        ledger.hold("action-cell");
        if !board.is_free(cell) {
            let wrong = format!("{cell} is taken already");
            ledger.fail("action-free", guest.finding(wrong, &expected, heard));
            return None;
        }
        ledger.hold("action-free");
        Some(cell)
    }
}

fn say_error(guest: &mut Guest, complaint: Complaint) {
    let mut bytes = Vec::new();
    complaint.encode(guest.id, &mut bytes);
    guest.say_bytes(&bytes);
}

/// HELLO; whether there is anybody to go on with.
fn greet(guest: &mut Guest, ledger: &mut Ledger) -> bool {
    let heard = guest.hear();
    ledger.note_silence(&heard);
    match &heard {
        Heard::Frame(FromClient::Hello { id, .. }, _) => {
            ledger.hold("hello");
            ledger.hold("name-end");
            guest.id = *id;
            match *id {
                0 => {
                    guest.dialect = Dialect::Later;
                    guest.id = 54_321;
                    ledger.hold("id");
                }
                id => {
                    ledger.note_id(id);
                    match IDS.contains(&id) {
                        true => ledger.hold("id"),
                        false => {
                            let wrong = format!("the id is {id}");
                            let expected = "an id from 10000 to 99999";
                            ledger.fail("id", guest.finding(wrong, expected, &heard));
                        }
                    }
                }
            }
        }
        Heard::Garbled(Malformed::NameTooLong { .. }, _) => {
            let wrong = "the name does not end";
            ledger.fail(
                "name-end",
                guest.finding(wrong, "two zero bytes behind the name", &heard),
            );
            return false;
        }
        Heard::Nothing(bytes) | Heard::Ended(bytes) if bytes.first() == Some(&1) => {
            ledger.hold("hello");
            let wrong = "HELLO is not complete";
            ledger.fail(
                "name-end",
                guest.finding(wrong, "two zero bytes behind the name", &heard),
            );
            return false;
        }
        _ => {
            let wrong = "the client does not begin with HELLO";
            ledger.fail("hello", guest.finding(wrong, "HELLO, id, name", &heard));
            return false;
        }
    }
    if guest.speaks_unasked() {
        let heard = guest.hear();
        let wrong = "the client says more before READY";
        ledger.fail("waits-ready", guest.finding(wrong, "nothing", &heard));
        return false;
    }
    ledger.hold("waits-ready");
    true
}

/// An answer of the judge's that can't be, and what the client says to it.
fn complains(guest: &mut Guest, ledger: &mut Ledger, cell: [u8; 3], wanted: Complaint) -> bool {
    guest.say(&FromServer::Action { id: guest.id, cell });
    let heard = guest.hear();
    match &heard {
        Heard::Frame(FromClient::Error { code, .. }, _) if *code == wanted.code() => {
            ledger.hold("complains");
        }
        _ => {
            let wrong = "the client does not complain";
            let expected = format!("ERROR, code {} ({wanted})", wanted.code());
            ledger.fail("complains", guest.finding(wrong, &expected, &heard));
        }
    }
    false
}
