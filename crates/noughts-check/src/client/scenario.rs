//! The scenarios: what the kit does in each connection of a client.

use noughts_wire::{
    Admission, Cell, Dialect, ErrorCode, FrameError, FromClient, FromServer, GameResult, NO_CELL,
    SESSION_IDS,
};

use super::connection::{ClientConnection, Received};
use super::results::RuleResults;
use crate::board::Board;

/// What the kit does in one connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scenario {
    /// Plays a game and avoids winning.
    Game,
    /// Plays to win, and sends its frames byte by byte.
    Pieces,
    /// Refuses HELLO.
    RefuseHello,
    /// Refuses PLAY.
    RefusePlay,
    /// Refuses the first move.
    RefuseMove,
    /// Marks an occupied cell.
    OccupiedCell,
    /// Marks a cell that does not exist.
    NoSuchCell,
    /// Disconnects during a game.
    LeaveInGame,
    /// Disconnects after HELLO.
    LeaveAtOnce,
}

pub(super) const SCENARIOS: [Scenario; 9] = [
    Scenario::Game,
    Scenario::Pieces,
    Scenario::RefuseMove,
    Scenario::RefuseHello,
    Scenario::RefusePlay,
    Scenario::OccupiedCell,
    Scenario::NoSuchCell,
    Scenario::LeaveInGame,
    Scenario::LeaveAtOnce,
];

/// Maximum number of games in one connection.
const MAX_GAMES: usize = 2;

/// Maximum number of occupied cells that the kit refuses in one game.
const MAX_REFUSALS: usize = 3;

impl Scenario {
    /// The scenario in words, for the person who starts the client and for reports.
    pub(super) fn about(self) -> &'static str {
        match self {
            Scenario::Game => "a whole game",
            Scenario::Pieces => "a game, byte by byte",
            Scenario::RefuseHello => "the server refuses HELLO",
            Scenario::RefusePlay => "the server refuses PLAY",
            Scenario::RefuseMove => "the server refuses the first move",
            Scenario::OccupiedCell => "the server marks an occupied cell",
            Scenario::NoSuchCell => "the server names a cell that does not exist",
            Scenario::LeaveInGame => "the server disconnects in the middle of a game",
            Scenario::LeaveAtOnce => "the server disconnects after HELLO",
        }
    }

    pub(super) fn is_leaving(self) -> bool {
        matches!(self, Scenario::LeaveInGame | Scenario::LeaveAtOnce)
    }

    /// Whether the kit itself breaks the rules of the game in this scenario.
    pub(super) fn sends_illegal_move(self) -> bool {
        matches!(self, Scenario::OccupiedCell | Scenario::NoSuchCell)
    }

    /// Runs the scenario and records what the client does.
    pub(super) fn run(self, connection: &mut ClientConnection, results: &mut RuleResults) {
        let Some(frame_id) = self.read_hello(connection, results) else {
            return;
        };
        // If the client sends frames too early, the kit would mistake one of them for an answer.
        if self == Scenario::LeaveAtOnce || results.is_broken("waits-ready") {
            return;
        }
        if self == Scenario::RefuseHello {
            send_error(connection, ErrorCode::WrongSession, frame_id);
            return self.after_refusal(connection, results);
        }
        connection.in_pieces = self == Scenario::Pieces;
        connection.send(&FromServer::Ready { id: connection.id });
        for game in 0..MAX_GAMES {
            if !self.is_asked_to_play(connection, results, game) {
                return;
            }
            if results.is_broken("waits-admit") && self != Scenario::LeaveInGame {
                return;
            }
            let flag = match self {
                Scenario::RefusePlay => Admission::Refused,
                _ => Admission::First,
            };
            connection.offer_cell(Cell::all().next());
            connection.send(&FromServer::Admit {
                id: connection.id,
                flag,
            });
            if self == Scenario::RefusePlay {
                return self.after_refusal(connection, results);
            }
            if !self.play(connection, results) {
                return;
            }
        }
    }

    /// Reads HELLO. Returns the id in HELLO, or `None` if the conversation cannot continue.
    fn read_hello(
        self,
        connection: &mut ClientConnection,
        results: &mut RuleResults,
    ) -> Option<u32> {
        let received = connection.receive();
        let frame_id = match &received {
            Received::Frame(FromClient::Hello { id, .. }, _) => {
                results.hold("hello");
                match connection.name_fault.take() {
                    Some(finding) => results.fail("name-end", finding),
                    None => results.hold("name-end"),
                }
                connection.id = *id;
                if *id == 0 {
                    results.lets_server_choose_id = true;
                    connection.dialect = Dialect::Later;
                    connection.id = 54_321;
                    results.hold("id");
                } else {
                    results.note_id(*id);
                    match SESSION_IDS.contains(id) {
                        true => results.hold("id"),
                        false => {
                            let problem = format!("the id in HELLO is {id}");
                            let expected = "an id from 10000 to 99999";
                            results.fail("id", connection.finding(problem, expected, &received));
                        }
                    }
                }
                *id
            }
            Received::Invalid(FrameError::NameTooLong { .. }, _) => {
                let problem = "the name in HELLO does not end";
                let expected = "two zero bytes after the name";
                results.fail("name-end", connection.finding(problem, expected, &received));
                return None;
            }
            _ => {
                let problem = "the client does not start with HELLO";
                let expected = "HELLO with id and name";
                results.fail_unless_waiting("hello", connection, problem, expected, &received);
                return None;
            }
        };
        if sends_early(connection, results, "waits-ready") {
            let received = connection.receive();
            let problem = "the client sends more before READY";
            results.fail(
                "waits-ready",
                connection.finding(problem, "nothing until the server answers", &received),
            );
            return None;
        }
        results.hold("waits-ready");
        Some(frame_id)
    }

    /// Plays one game. Returns whether the game was finished. The caller then checks the client's next frame, except
    /// after the last game.
    fn play(self, connection: &mut ClientConnection, results: &mut RuleResults) -> bool {
        let mut board = Board::new();
        let (mut moves, mut refusals) = (0, 0);
        let mut refused = None;
        loop {
            let received = connection.receive();
            let Some(cell) = self.check_move(connection, results, &received, moves) else {
                return false;
            };
            if self == Scenario::LeaveInGame {
                return false;
            }
            if sends_early(connection, results, "action-once") {
                let received = connection.receive();
                let problem = "the client sends more before its move is answered";
                results.fail(
                    "action-once",
                    connection.finding(problem, "nothing until the server answers", &received),
                );
                return false;
            }
            results.hold("action-once");
            // If the client sends frames too early, the kit would mistake such a frame for the next move.
            if results.is_broken("action-once") {
                return false;
            }
            if !board.is_free(cell) {
                let problem = format!("the client marks {cell}, which is already taken");
                results.fail(
                    "action-free",
                    connection.finding(problem, "ACTION with a free cell", &received),
                );
                refusals += 1;
                if refusals > MAX_REFUSALS {
                    return false;
                }
                connection.offer_cell(board.free().first().copied());
                send_error(connection, ErrorCode::InvalidMove, connection.id);
                continue;
            }
            results.hold("action-free");
            moves += 1;
            if moves == 1 && self == Scenario::RefuseMove {
                refused = Some(cell);
                connection.offer_cell(board.free().into_iter().find(|free| *free != cell));
                send_error(connection, ErrorCode::InvalidMove, connection.id);
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
                end_game(connection, end, None);
                return true;
            }
            match self {
                Scenario::OccupiedCell => {
                    return complains(connection, results, cell.to_bytes(), ErrorCode::InvalidMove);
                }
                Scenario::NoSuchCell => {
                    return complains(connection, results, *b"9-9", ErrorCode::UnknownMove);
                }
                _ => {}
            }
            let answer = self.choose(&board, refused);
            board.play(answer);
            if board.end().is_some() {
                end_game(connection, GameResult::Lost, Some(answer));
                return true;
            }
            connection.offer_cell(board.free().first().copied());
            connection.send(&FromServer::Action {
                id: connection.id,
                cell: answer.to_bytes(),
            });
        }
    }

    /// Checks the client's next move after its first move was refused. Returns whether the game goes on.
    fn moves_again(
        self,
        connection: &mut ClientConnection,
        results: &mut RuleResults,
        board: &mut Board,
        refused: Cell,
    ) -> bool {
        let received = connection.receive();
        if matches!(&received, Received::Closed(bytes) if bytes.is_empty()) {
            results.hold("error-retry");
            return false;
        }
        match self.check_move(connection, results, &received, 1) {
            Some(cell) if cell != refused => {
                results.hold("error-retry");
                board.play(cell);
                true
            }
            // The client marks occupied cells in other games too. The rule `action-free` reports this.
            Some(_) if results.is_broken("action-free") => false,
            _ => {
                let problem = "after error 1 the client neither makes another move nor disconnects";
                let expected = "ACTION with another cell, or a disconnection";
                results.fail_unless_waiting(
                    "error-retry",
                    connection,
                    problem,
                    expected,
                    &received,
                );
                false
            }
        }
    }

    /// Chooses the kit's cell. In `Pieces` the kit completes a line if it can. In the other scenarios the kit
    /// avoids completing a line, so that the client can win. The kit also avoids the cell of the move that it
    /// has refused. If no free cell fits, the kit takes the first free cell.
    fn choose(self, board: &Board, refused: Option<Cell>) -> Cell {
        let (free, winning) = (board.free(), board.winning());
        let wanted = |cell: &&Cell| {
            winning.contains(cell) == (self == Scenario::Pieces) && refused != Some(**cell)
        };
        *free.iter().find(wanted).unwrap_or(&free[0])
    }

    fn after_refusal(self, connection: &mut ClientConnection, results: &mut RuleResults) {
        let received = connection.receive_within(connection.patience());
        let (rule, problem) = match self {
            Scenario::RefusePlay => ("refused-play", "the client moves although it got ADMIT 0"),
            _ => (
                "refused-hello",
                "the client goes on although its HELLO got an ERROR",
            ),
        };
        let goes_on = match (&received, self) {
            (Received::Frame(FromClient::Action { .. }, _), _) => true,
            (Received::Frame(FromClient::Play { .. }, _), scenario) => {
                scenario == Scenario::RefuseHello
            }
            _ => false,
        };
        match goes_on {
            true => results.fail(
                rule,
                connection.finding(problem, "another try, or a disconnection", &received),
            ),
            false => results.hold(rule),
        }
    }

    /// Expects PLAY, for the first or a later game. Returns whether PLAY arrived. Also returns false if the client
    /// sends another frame before ADMIT.
    fn is_asked_to_play(
        self,
        connection: &mut ClientConnection,
        results: &mut RuleResults,
        game: usize,
    ) -> bool {
        let received = match game {
            0 => connection.receive(),
            _ => connection.receive_within(connection.patience()),
        };
        let expected = format!("PLAY, id {}", connection.id);
        match &received {
            Received::Frame(FromClient::Play { id }, _) => {
                if game > 0 {
                    results.hold("over");
                }
                if *id == connection.id {
                    results.hold("play");
                } else {
                    let problem = format!("PLAY has the id {id}, and READY had {}", connection.id);
                    results.fail("play", connection.finding(problem, &expected, &received));
                }
            }
            Received::Frame(FromClient::Action { .. }, _) if game > 0 => {
                let problem = "the client moves although the game is over";
                let expected = "PLAY, or a disconnection";
                results.fail("over", connection.finding(problem, expected, &received));
                return false;
            }
            Received::Closed(_) | Received::Nothing(_) if game > 0 => {
                results.hold("over");
                return false;
            }
            _ => {
                if game == 0 {
                    let rule = if self == Scenario::Pieces {
                        "split"
                    } else {
                        "play"
                    };
                    let problem = "after READY the client does not send PLAY";
                    results.fail_unless_waiting(rule, connection, problem, &expected, &received);
                }
                return false;
            }
        }
        if sends_early(connection, results, "waits-admit") {
            let received = connection.receive();
            let problem = "the client sends more before ADMIT";
            results.fail(
                "waits-admit",
                connection.finding(problem, "nothing until the server answers", &received),
            );
            return false;
        }
        results.hold("waits-admit");
        true
    }

    /// Checks that the client sends a move with a cell of the board. The cell may be occupied. Returns the cell.
    fn check_move(
        self,
        connection: &mut ClientConnection,
        results: &mut RuleResults,
        received: &Received,
        moves: usize,
    ) -> Option<Cell> {
        let expected = format!("ACTION, id {}, with a cell", connection.id);
        let Received::Frame(FromClient::Action { id, cell }, _) = received else {
            // After the first move the client may disconnect.
            if moves == 0 {
                let rule = if self == Scenario::Pieces {
                    "split"
                } else {
                    "action"
                };
                let problem = "it is the client's turn, and it does not move";
                results.fail_unless_waiting(rule, connection, problem, &expected, received);
            }
            return None;
        };
        results.hold("action");
        match *id == connection.id {
            true => results.hold("action-id"),
            false => {
                let problem = format!(
                    "ACTION has the id {id}, and the session's is {}",
                    connection.id
                );
                results.fail(
                    "action-id",
                    connection.finding(problem, &expected, received),
                );
            }
        }
        let Ok(cell) = Cell::try_from(*cell) else {
            let numbers = match cell {
                [0..=2, b'-', 0..=2] => {
                    ": row and column are the numbers 0 to 2 instead of the characters '0' to '2'"
                }
                _ => "",
            };
            let problem = format!("ACTION does not name a cell{numbers}");
            results.fail(
                "action-cell",
                connection.finding(problem, &expected, received),
            );
            return None;
        };
        results.hold("action-cell");
        Some(cell)
    }
}

/// Whether the client sends another frame before it has received the answer to its last frame. Only the first
/// call for each `rule` waits for such a frame. Later calls immediately return false.
fn sends_early(connection: &mut ClientConnection, results: &RuleResults, rule: &str) -> bool {
    !results.is_tried(rule) && connection.sends_unasked()
}

fn end_game(connection: &mut ClientConnection, flag: GameResult, last: Option<Cell>) {
    let cell = match connection.dialect {
        Dialect::Seed => None,
        Dialect::Later => Some(last.map_or(NO_CELL, Cell::to_bytes)),
    };
    connection.send(&FromServer::Result {
        id: connection.id,
        cell,
        flag,
    });
}

fn send_error(connection: &mut ClientConnection, code: ErrorCode, id: u32) {
    let mut bytes = Vec::new();
    code.encode(id, &mut bytes);
    connection.send_bytes(&bytes);
}

/// Makes an illegal move, and checks that the client reports it with ERROR. Always returns false: the game does not go
/// on.
fn complains(
    connection: &mut ClientConnection,
    results: &mut RuleResults,
    cell: [u8; 3],
    wanted: ErrorCode,
) -> bool {
    connection.send(&FromServer::Action {
        id: connection.id,
        cell,
    });
    let received = connection.receive_within(connection.patience());
    match &received {
        Received::Frame(FromClient::Error { code, .. }, _) if *code == wanted.code() => {
            results.hold("complains");
        }
        _ => {
            let problem = "the client does not report the illegal move";
            let expected = format!("ERROR, code {} ({wanted})", wanted.code());
            results.fail(
                "complains",
                connection.finding(problem, &expected, &received),
            );
        }
    }
    false
}
