//! The visits: each goes another way.

use noughts_wire::{
    Admission, Cell, Dialect, ErrorCode, FrameError, FromClient, FromServer, GameResult, NO_CELL,
    SESSION_IDS,
};

use super::connection::{ClientConnection, Received};
use super::results::RuleResults;
use crate::board::Board;

/// How a scenario goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scenario {
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

pub(super) const SCENARIOS: [Scenario; 9] = [
    Scenario::Game,
    Scenario::Pieces,
    Scenario::Complain,
    Scenario::RefuseHello,
    Scenario::RefusePlay,
    Scenario::TakenCell,
    Scenario::NoCell,
    Scenario::LeaveInGame,
    Scenario::LeaveAtOnce,
];

/// How many games a scenario has at most.
const GAMES: usize = 2;

impl Scenario {
    /// In words, for the one who starts the client.
    pub(super) fn about(self) -> &'static str {
        match self {
            Scenario::Game => "a whole game",
            Scenario::Pieces => "a game in small pieces",
            Scenario::RefuseHello => "HELLO is refused",
            Scenario::RefusePlay => "PLAY is refused",
            Scenario::Complain => "the first move is refused",
            Scenario::TakenCell => "the server marks a cell that is taken",
            Scenario::NoCell => "the server names a cell that does not exist",
            Scenario::LeaveInGame => "the server goes in the middle of a game",
            Scenario::LeaveAtOnce => "the server goes after HELLO",
        }
    }

    pub(super) fn is_leaving(self) -> bool {
        matches!(self, Scenario::LeaveInGame | Scenario::LeaveAtOnce)
    }

    /// Receives the client, and writes down what it does.
    pub(super) fn receive(self, connection: &mut ClientConnection, results: &mut RuleResults) {
        if !greet(connection, results) || self == Scenario::LeaveAtOnce {
            return;
        }
        if self == Scenario::RefuseHello {
            say_error(connection, ErrorCode::WrongSession);
            return self.after_refusal(connection, results);
        }
        connection.in_pieces = self == Scenario::Pieces;
        connection.say(&FromServer::Ready { id: connection.id });
        for game in 0..GAMES {
            if !self.is_asked_to_play(connection, results, game) {
                return;
            }
            if self == Scenario::RefusePlay {
                connection.say(&FromServer::Admit {
                    id: connection.id,
                    flag: Admission::Refused,
                });
                return self.after_refusal(connection, results);
            }
            connection.say(&FromServer::Admit {
                id: connection.id,
                flag: Admission::First,
            });
            if !self.play(connection, results) {
                return;
            }
        }
    }

    /// One game; whether it came to its end.
    fn play(self, connection: &mut ClientConnection, results: &mut RuleResults) -> bool {
        let mut board = Board::new();
        let mut moves = 0;
        loop {
            let heard = connection.hear();
            let Some(cell) = self.judge_move(connection, results, &board, &heard, moves) else {
                return false;
            };
            moves += 1;
            if connection.speaks_unasked() {
                let heard = connection.hear();
                let wrong = "the client says more before its move is answered";
                results.fail("action-once", connection.finding(wrong, "nothing", &heard));
                return false;
            }
            results.hold("action-once");
            if moves == 1 && self == Scenario::Complain {
                say_error(connection, ErrorCode::InvalidMove);
                if !self.moves_again(connection, results, &mut board, cell) {
                    return false;
                }
            } else {
                board.play(cell);
            }
            if self == Scenario::Pieces && moves == 2 {
                results.hold("split");
            }
            if let Some(end) = board.end() {
                self.end_game(connection, end, None);
                return self.is_over(connection, results);
            }
            match self {
                Scenario::LeaveInGame => return false,
                Scenario::TakenCell => {
                    return complains(connection, results, cell.to_bytes(), ErrorCode::InvalidMove);
                }
                Scenario::NoCell => {
                    return complains(connection, results, *b"9-9", ErrorCode::UnknownMove);
                }
                _ => {}
            }
            let answer = self.choose(&board);
            board.play(answer);
            if board.end().is_some() {
                self.end_game(connection, GameResult::Lost, Some(answer));
                return self.is_over(connection, results);
            }
            connection.say(&FromServer::Action {
                id: connection.id,
                cell: answer.to_bytes(),
            });
        }
    }

    /// The client's next try after a refusal of its first move.
    fn moves_again(
        self,
        connection: &mut ClientConnection,
        results: &mut RuleResults,
        board: &mut Board,
        refused: Cell,
    ) -> bool {
        let heard = connection.hear();
        if matches!(&heard, Received::Ended(bytes) if bytes.is_empty()) {
            results.hold("error-retry");
            return false;
        }
        match self.judge_move(connection, results, board, &heard, 1) {
            Some(cell) if cell != refused => {
                results.hold("error-retry");
                board.play(cell);
                true
            }
            _ => {
                let wrong = "after error 1 the client neither makes another move nor goes";
                results.fail(
                    "error-retry",
                    connection.finding(wrong, "ACTION with another cell, or the end", &heard),
                );
                false
            }
        }
    }

    /// Wins in `Pieces`, so that both ends of a game are seen; else avoids it.
    fn choose(self, board: &Board) -> Cell {
        let (free, winning) = (board.free(), board.winning());
        let wanted = |cell: &&Cell| winning.contains(cell) == (self == Scenario::Pieces);
        *free.iter().find(wanted).unwrap_or(&free[0])
    }

    fn end_game(self, connection: &mut ClientConnection, flag: GameResult, last: Option<Cell>) {
        let cell = match connection.dialect {
            Dialect::Seed => None,
            Dialect::Later => Some(last.map_or(NO_CELL, Cell::to_bytes)),
        };
        connection.say(&FromServer::Result {
            id: connection.id,
            cell,
            flag,
        });
    }

    /// What follows RESULT is looked at with the next PLAY; here only what must not come.
    fn is_over(self, connection: &mut ClientConnection, results: &mut RuleResults) -> bool {
        if !connection.speaks_unasked() {
            results.hold("over");
        }
        true
    }

    fn after_refusal(self, connection: &mut ClientConnection, results: &mut RuleResults) {
        let heard = connection.hear();
        let (rule, wrong) = match self {
            Scenario::RefusePlay => (
                "refused-play",
                "the client moves though it was not admitted",
            ),
            _ => (
                "refused-hello",
                "the client says PLAY though there is no session",
            ),
        };
        let goes_on = match (&heard, self) {
            (Received::Frame(FromClient::Action { .. }, _), _) => true,
            (Received::Frame(FromClient::Play { .. }, _), scenario) => {
                scenario == Scenario::RefuseHello
            }
            _ => false,
        };
        match goes_on {
            true => results.fail(
                rule,
                connection.finding(wrong, "another try, or the end", &heard),
            ),
            false => results.hold(rule),
        }
    }

    /// PLAY, for the first or another game; whether it came.
    fn is_asked_to_play(
        self,
        connection: &mut ClientConnection,
        results: &mut RuleResults,
        game: usize,
    ) -> bool {
        let heard = connection.hear();
        let expected = format!("PLAY, id {}", connection.id);
        match &heard {
            Received::Frame(FromClient::Play { id }, _) => match *id == connection.id {
                true => results.hold("play"),
                false => {
                    let wrong = "PLAY has another id than READY";
                    results.fail("play", connection.finding(wrong, &expected, &heard));
                }
            },
            Received::Frame(FromClient::Action { .. }, _) if game > 0 => {
                let wrong = "the client moves though the game is over";
                results.fail(
                    "over",
                    connection.finding(wrong, "PLAY, or the end", &heard),
                );
                return false;
            }
            // Who has had enough goes.
            Received::Ended(_) | Received::Nothing(_) if game > 0 => {
                results.hold("over");
                return false;
            }
            _ => {
                let wrong = "after READY the client does not say PLAY";
                if game == 0 {
                    results.note_silence(&heard);
                    let rule = if self == Scenario::Pieces {
                        "split"
                    } else {
                        "play"
                    };
                    results.fail(rule, connection.finding(wrong, &expected, &heard));
                }
                return false;
            }
        }
        if connection.speaks_unasked() {
            let heard = connection.hear();
            let wrong = "the client says more before ADMIT";
            results.fail("waits-admit", connection.finding(wrong, "nothing", &heard));
            return false;
        }
        results.hold("waits-admit");
        true
    }

    /// A move of the client's that can be played on with.
    fn judge_move(
        self,
        connection: &ClientConnection,
        results: &mut RuleResults,
        board: &Board,
        heard: &Received,
        moves: usize,
    ) -> Option<Cell> {
        let expected = format!("ACTION, id {}, with a free cell", connection.id);
        let Received::Frame(FromClient::Action { id, cell }, _) = heard else {
            // Who goes later may.
            if moves == 0 {
                results.note_silence(heard);
                let wrong = "the client is to move, and does not";
                let rule = if self == Scenario::Pieces {
                    "split"
                } else {
                    "action"
                };
                results.fail(rule, connection.finding(wrong, &expected, heard));
            }
            return None;
        };
        results.hold("action");
        match *id == connection.id {
            true => results.hold("action-id"),
            false => results.fail(
                "action-id",
                connection.finding("ACTION has another id", &expected, heard),
            ),
        }
        let Some(cell) = Cell::try_from(*cell).ok() else {
            results.fail(
                "action-cell",
                connection.finding("ACTION names no cell", &expected, heard),
            );
            return None;
        };
        results.hold("action-cell");
        if !board.is_free(cell) {
            let wrong = format!("{cell} is taken already");
            results.fail("action-free", connection.finding(wrong, &expected, heard));
            return None;
        }
        results.hold("action-free");
        Some(cell)
    }
}

fn say_error(connection: &mut ClientConnection, complaint: ErrorCode) {
    let mut bytes = Vec::new();
    complaint.encode(connection.id, &mut bytes);
    connection.say_bytes(&bytes);
}

/// HELLO; whether there is anybody to go on with.
fn greet(connection: &mut ClientConnection, results: &mut RuleResults) -> bool {
    let heard = connection.hear();
    results.note_silence(&heard);
    match &heard {
        Received::Frame(FromClient::Hello { id, .. }, _) => {
            results.hold("hello");
            results.hold("name-end");
            connection.id = *id;
            match *id {
                0 => {
                    connection.dialect = Dialect::Later;
                    connection.id = 54_321;
                    results.hold("id");
                }
                id => {
                    results.note_id(id);
                    match SESSION_IDS.contains(&id) {
                        true => results.hold("id"),
                        false => {
                            let wrong = format!("the id is {id}");
                            let expected = "an id from 10000 to 99999";
                            results.fail("id", connection.finding(wrong, expected, &heard));
                        }
                    }
                }
            }
        }
        Received::Garbled(FrameError::NameTooLong { .. }, _) => {
            let wrong = "the name does not end";
            results.fail(
                "name-end",
                connection.finding(wrong, "two zero bytes behind the name", &heard),
            );
            return false;
        }
        Received::Nothing(bytes) | Received::Ended(bytes) if bytes.first() == Some(&1) => {
            results.hold("hello");
            let wrong = "HELLO is not complete";
            results.fail(
                "name-end",
                connection.finding(wrong, "two zero bytes behind the name", &heard),
            );
            return false;
        }
        _ => {
            let wrong = "the client does not begin with HELLO";
            results.fail(
                "hello",
                connection.finding(wrong, "HELLO, id, name", &heard),
            );
            return false;
        }
    }
    if connection.speaks_unasked() {
        let heard = connection.hear();
        let wrong = "the client says more before READY";
        results.fail("waits-ready", connection.finding(wrong, "nothing", &heard));
        return false;
    }
    results.hold("waits-ready");
    true
}

/// An answer of the judge's that can't be, and what the client says to it.
fn complains(
    connection: &mut ClientConnection,
    results: &mut RuleResults,
    cell: [u8; 3],
    wanted: ErrorCode,
) -> bool {
    connection.say(&FromServer::Action {
        id: connection.id,
        cell,
    });
    let heard = connection.hear();
    match &heard {
        Received::Frame(FromClient::Error { code, .. }, _) if *code == wanted.code() => {
            results.hold("complains");
        }
        _ => {
            let wrong = "the client does not complain";
            let expected = format!("ERROR, code {} ({wanted})", wanted.code());
            results.fail("complains", connection.finding(wrong, &expected, &heard));
        }
    }
    false
}
