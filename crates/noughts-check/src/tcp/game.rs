//! The rules within a game.

use std::collections::BTreeMap;

use noughts_wire::{Cell, Dialect, FromServer, GameResult, NO_CELL};

use super::connection::{Connection, Expected, Received};
use super::{Chance, Checker, TcpRule, admit, document};
use crate::board::{Board, Tactic};
use crate::frame::{hex, server_words};
use crate::verdict::{Finding, RuleResult, Stop};

pub(super) const RULES: [TcpRule; 16] = [
    TcpRule::demanded(
        "answer",
        "an ACTION on a free cell is answered with ACTION or RESULT",
        document::ACTION_OR_RESULT,
        |checker| of_games(checker, Odd::NoAnswer),
    ),
    TcpRule::demanded(
        "answer-cell",
        "the server's ACTION names a cell: row, hyphen, column, as the three characters 0-0 to 2-2",
        document::POSITION,
        |checker| of_games(checker, Odd::NotACell),
    ),
    TcpRule::demanded(
        "answer-free",
        "the server marks only free cells",
        document::INVALID_MOVE,
        |checker| of_games(checker, Odd::Occupied),
    ),
    TcpRule::demanded(
        "ids",
        "ADMIT, ACTION and RESULT carry the session's id",
        document::IDS,
        ids_are_the_sessions,
    ),
    TcpRule::demanded(
        "taken-own",
        "a cell that the client has marked gets error 1, and it is still the client's turn",
        document::INVALID_MOVE,
        |checker| taken_cell(checker, true),
    ),
    TcpRule::demanded(
        "taken-other",
        "a cell that the server has marked gets error 1, and it is still the client's turn",
        document::INVALID_MOVE,
        |checker| taken_cell(checker, false),
    ),
    TcpRule::demanded(
        "off-board",
        "a cell off the board, such as 3-0 or 1-7, gets error 0, and it is still the client's turn",
        document::UNKNOWN_MOVE,
        |checker| no_cells(checker, &[*b"3-0", *b"0-3", *b"1-7"]),
    ),
    TcpRule::demanded(
        "not-a-cell",
        "three bytes that are not a cell, such as a-0, 1x1 or zero bytes, get error 0, and it is still the client's turn",
        document::UNKNOWN_MOVE,
        |checker| no_cells(checker, &[*b"a-0", *b"1x1", [0; 3]]),
    ),
    TcpRule::demanded(
        "error-id",
        "ERROR carries the session's id",
        document::ERROR,
        error_has_the_id,
    ),
    TcpRule::demanded(
        "result-won",
        "when the client completes a line it gets RESULT with flag 1",
        document::RESULT,
        |checker| end(checker, GameResult::Won, Odd::Won),
    ),
    TcpRule::demanded(
        "result-lost",
        "when the server completes a line the client gets RESULT with flag 0, and no ACTION before it",
        document::RESULT,
        |checker| end(checker, GameResult::Lost, Odd::Lost),
    ),
    TcpRule::demanded(
        "result-draw",
        "when the board is full without a line the client gets RESULT with flag 2",
        document::RESULT,
        |checker| end(checker, GameResult::Draw, Odd::Draw),
    ),
    TcpRule::demanded(
        "result-not-early",
        "RESULT comes only when there is a line or the board is full",
        document::ACTION_OR_RESULT,
        |checker| of_games(checker, Odd::Early),
    ),
    TcpRule {
        only: Some(Dialect::Later),
        ..TcpRule::demanded(
            "result-cell",
            "RESULT names the server's last cell if that completed a line, and otherwise --- or any cell",
            document::LATER,
            results_name_the_cell,
        )
    },
    TcpRule::demanded(
        "play-again",
        "after RESULT, PLAY in the same session starts a new game on an empty board",
        document::PLAY_AGAIN,
        plays_again,
    ),
    TcpRule::demanded(
        "one-answer",
        "every frame gets one answer, and nothing else comes",
        document::ACTION_OR_RESULT,
        one_answer_each,
    ),
];

/// Rules about every frame of all connections, so they come last.
pub(super) const OBSERVED: [TcpRule; 2] = [
    TcpRule::demanded(
        "frame-size",
        "every frame of the server has the size in its figure",
        document::FIGURES,
        |checker| observed(checker.observations.borrow().size.clone()),
    ),
    TcpRule::demanded(
        "flag-number",
        "the flags of ADMIT and RESULT are numbers, not characters",
        document::FLAG,
        |checker| observed(checker.observations.borrow().flag_character.clone()),
    ),
];

fn observed(finding: Option<Finding>) -> RuleResult {
    finding.map_or(Ok(()), |finding| Err(Stop::broken(finding)))
}

/// How a game can go wrong; each has a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Odd {
    NoAnswer,
    NotACell,
    Occupied,
    Early,
    Won,
    Lost,
    Draw,
}

impl Odd {
    /// The rule that reports it.
    fn rule(self) -> &'static str {
        match self {
            Odd::NoAnswer => "answer",
            Odd::NotACell => "answer-cell",
            Odd::Occupied => "answer-free",
            Odd::Early => "result-not-early",
            Odd::Won => "result-won",
            Odd::Lost => "result-lost",
            Odd::Draw => "result-draw",
        }
    }
}

/// What was seen in a series of games.
#[derive(Default)]
pub(super) struct Games {
    odd: BTreeMap<Odd, Finding>,
    ends: Vec<GameResult>,
    played: usize,
    finished: usize,
    /// The first frame with another id.
    wrong_id: Option<Finding>,
    /// The first RESULT with a wrong cell.
    wrong_cell: Option<Finding>,
}

impl Games {
    /// Why something was not seen: the first problem that ended games.
    fn prevented(&self, otherwise: &str) -> Stop {
        match self.odd.iter().next() {
            Some((odd, finding)) => {
                Stop::NotTried(format!("prevented by {}: {}", odd.rule(), finding.problem))
            }
            None => Stop::NotTried(otherwise.to_owned()),
        }
    }
}

/// A game that came to its end.
struct Played {
    end: GameResult,
    wrong_id: Option<Stop>,
    wrong_cell: Option<Stop>,
    /// The client's first cell, and the server's.
    opening: Vec<Cell>,
}

/// Plays from the client's first move to RESULT.
fn play_out(
    connection: &mut Connection,
    wanted: GameResult,
    tactic: Tactic,
    chance: &mut Chance,
) -> Result<Played, (Odd, Stop)> {
    let mut board = Board::new();
    let mut game = Played {
        end: GameResult::Draw,
        wrong_id: None,
        wrong_cell: None,
        opening: Vec::new(),
    };
    loop {
        let cell = board.choose(wanted, tactic, &chance.replies, &mut chance.rng);
        connection.act(cell);
        board.play(cell);
        let received = connection.receive();
        if game.wrong_id.is_none() {
            game.wrong_id = wrong_id(connection, &received);
        }
        if game.opening.is_empty() {
            game.opening.push(cell);
        }
        if let Some(end) = board.end() {
            let expected = result(connection, end, None);
            let odd = match end {
                GameResult::Won => Odd::Won,
                GameResult::Lost | GameResult::Draw => Odd::Draw,
            };
            let Received::Frame(FromServer::Result { flag, cell, .. }, _) = &received else {
                let why = match end {
                    GameResult::Won => "the client has completed a line, but ",
                    GameResult::Lost | GameResult::Draw => "the board is full, but ",
                };
                return Err((odd, connection.broken(&expected, &received).prefixed(why)));
            };
            if *flag != end {
                return Err((odd, connection.broken(&expected, &received)));
            }
            let is_cell = |cell: [u8; 3]| cell == NO_CELL || Cell::try_from(cell).is_ok();
            if cell.is_some_and(|cell| !is_cell(cell)) {
                game.wrong_cell = Some(connection.broken(&expected, &received));
            }
            game.end = end;
            return Ok(game);
        }
        let before = board.clone();
        if let Some(end) = answer(connection, &mut board, &received, &mut game)? {
            game.end = end;
            return Ok(game);
        }
        if let Received::Frame(FromServer::Action { cell, .. }, _) = &received
            && let Ok(reply) = Cell::try_from(*cell)
        {
            chance.replies.note(&before, reply);
            if game.opening.len() == 1 {
                game.opening.push(reply);
            }
        }
    }
}

/// The server's answer to a move that did not end the game; how the answer ended it, if it did.
fn answer(
    connection: &Connection,
    board: &mut Board,
    received: &Received,
    game: &mut Played,
) -> Result<Option<GameResult>, (Odd, Stop)> {
    let expected = Expected::action(connection.id);
    match received {
        Received::Frame(FromServer::Action { cell, .. }, bytes) => {
            let told = |problem: &str, odd, expected: &Expected| {
                let words = server_words(bytes, connection.dialect);
                (
                    odd,
                    connection.found(problem, expected, &hex(bytes), &words),
                )
            };
            let Ok(cell) = Cell::try_from(*cell) else {
                let numbers = match cell {
                    [0..=2, b'-', 0..=2] => {
                        ": row and column are the numbers 0 to 2 instead of the characters '0' to '2'"
                    }
                    _ => "",
                };
                let problem = format!("the server's ACTION does not name a cell{numbers}");
                return Err(told(&problem, Odd::NotACell, &expected));
            };
            if !board.is_free(cell) {
                let problem = format!("the server marks {cell}, which is already taken");
                return Err(told(&problem, Odd::Occupied, &expected));
            }
            board.play(cell);
            if board.end().is_some() {
                let expected = result(connection, GameResult::Lost, Some(cell));
                let problem =
                    "the server completes a line with this ACTION; RESULT alone should come";
                return Err(told(problem, Odd::Lost, &expected));
            }
            Ok(None)
        }
        Received::Frame(FromServer::Result { flag, cell, .. }, _) => {
            let winning = board.winning();
            if winning.is_empty() || *flag == GameResult::Draw {
                let mut stop = connection.broken(&expected, received);
                if let Stop::Broken(finding) = &mut stop {
                    finding.problem =
                        "the server ends the game, but cells are free and nobody has a line".into();
                }
                return Err((Odd::Early, stop));
            }
            let expected = result(connection, GameResult::Lost, winning.first().copied());
            if *flag != GameResult::Lost {
                return Err((Odd::Lost, connection.broken(&expected, received)));
            }
            if let Some(cell) = cell
                && !Cell::try_from(*cell).is_ok_and(|cell| winning.contains(&cell))
            {
                game.wrong_cell = Some(connection.broken(&expected, received));
            }
            Ok(Some(GameResult::Lost))
        }
        received => Err((Odd::NoAnswer, connection.broken(&expected, received))),
    }
}

/// A frame with another id than the session's.
fn wrong_id(connection: &Connection, received: &Received) -> Option<Stop> {
    let Received::Frame(frame, bytes) = received else {
        return None;
    };
    let id = match frame {
        FromServer::Ready { id }
        | FromServer::Admit { id, .. }
        | FromServer::Action { id, .. }
        | FromServer::Result { id, .. }
        | FromServer::Error { id, .. } => *id,
    };
    let own = connection.id;
    let expected = Expected::new(
        format!("{:02x} {} …", bytes[0], hex(&own.to_be_bytes())),
        format!("the session's id, {own}"),
    );
    (id != own).then(|| {
        let words = server_words(bytes, connection.dialect);
        let reversed = match id == own.swap_bytes() {
            true => ": its bytes are in the wrong order, little endian instead of big endian",
            false => "",
        };
        let problem = format!("the frame has the id {id}, and the session's is {own}{reversed}");
        connection.found(problem, &expected, &hex(bytes), &words)
    })
}

fn result(connection: &Connection, flag: GameResult, cell: Option<Cell>) -> Expected {
    let cell = match connection.dialect {
        Dialect::Seed => None,
        Dialect::Later => Some(cell.map_or(NO_CELL, Cell::to_bytes)),
    };
    Expected::frame(&FromServer::Result {
        id: connection.id,
        cell,
        flag,
    })
}

fn centre() -> Cell {
    Cell::new(1, 1).expect("there is a centre")
}

/// A first move, and the cell that the server answers with.
pub(super) fn first_moves(connection: &mut Connection) -> RuleResult<(Cell, Cell)> {
    let own = centre();
    connection.act(own);
    let received = connection.receive();
    let expected = Expected::action(connection.id);
    match &received {
        Received::Frame(FromServer::Action { cell, .. }, _) => match Cell::try_from(*cell) {
            Ok(cell) if cell != own => Ok((own, cell)),
            Ok(_) => Err(connection
                .broken(&expected, &received)
                .prevented_by("answer-free")),
            Err(_) => Err(connection
                .broken(&expected, &received)
                .prevented_by("answer-cell")),
        },
        _ => Err(connection.broken(&expected, &received)),
    }
}

/// At most this many games are played to reach one kind of end, each in its own session.
const MAX_GAMES: usize = 24;

const TACTICS: [Tactic; 6] = [
    Tactic::Expectimax,
    Tactic::Learned,
    Tactic::Minimax,
    Tactic::Learned,
    Tactic::Random,
    Tactic::Learned,
];

/// After this many games that went wrong in the same way, the way to other ends is closed.
const MAX_ODD_GAMES: usize = 6;

/// Plays until games were won, lost and drawn, or nothing more can be learned.
fn play_series(checker: &mut Checker) -> RuleResult<Games> {
    let mut games = Games::default();
    let mut odd_games = 0;
    for (wanted, sought) in [
        (GameResult::Won, Odd::Won),
        (GameResult::Lost, Odd::Lost),
        (GameResult::Draw, Odd::Draw),
    ] {
        for game in 0..MAX_GAMES {
            if games.ends.contains(&wanted) || games.odd.contains_key(&sought) {
                break;
            }
            let is_hopeless = games.finished == 0 && odd_games >= MAX_ODD_GAMES;
            if is_hopeless || games.odd.contains_key(&Odd::NoAnswer) {
                return Ok(games);
            }
            let mut connection = checker.admitted()?;
            games.played += 1;
            let played = play_out(
                &mut connection,
                wanted,
                TACTICS[game % 6],
                &mut checker.chance,
            );
            match played {
                Ok(played) => {
                    connection.look_for_excess();
                    games.finished += 1;
                    games.ends.push(played.end);
                    keep(&mut games.wrong_id, played.wrong_id);
                    keep(&mut games.wrong_cell, played.wrong_cell);
                }
                Err((odd, Stop::Broken(finding))) => {
                    odd_games += 1;
                    games.odd.entry(odd).or_insert(*finding);
                }
                Err((_, stop @ Stop::NotTried(_))) => return Err(stop),
            }
        }
    }
    Ok(games)
}

fn keep(place: &mut Option<Finding>, stop: Option<Stop>) {
    if let (None, Some(Stop::Broken(finding))) = (&place, stop) {
        *place = Some(*finding);
    }
}

/// The series of games, played once per dialect.
fn games(checker: &mut Checker) -> RuleResult<&Games> {
    if checker.games.is_none() {
        let games = play_series(checker)?;
        checker.games = Some(games);
    }
    checker
        .games
        .as_ref()
        .ok_or_else(|| Stop::NotTried("no game was played".to_owned()))
}

fn of_games(checker: &mut Checker, sought: Odd) -> RuleResult {
    let games = games(checker)?;
    match games.odd.get(&sought) {
        Some(finding) => Err(Stop::broken(finding.clone())),
        None if games.finished == 0 => Err(games.prevented("no game came to its end")),
        None => Ok(()),
    }
}

fn end(checker: &mut Checker, wanted: GameResult, sought: Odd) -> RuleResult {
    let games = games(checker)?;
    if let Some(finding) = games.odd.get(&sought) {
        return Err(Stop::broken(finding.clone()));
    }
    if games.ends.contains(&wanted) {
        return Ok(());
    }
    let otherwise = format!(
        "none of {} games ended so: {}",
        games.played,
        match wanted {
            GameResult::Won => "the server plays too well",
            GameResult::Lost => "the server never completes a line",
            GameResult::Draw => "the server never fills the board",
        }
    );
    Err(games.prevented(&otherwise))
}

fn ids_are_the_sessions(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.greeted()?;
    connection.play();
    let received = connection.receive();
    if !matches!(&received, Received::Frame(frame, _) if super::session::is_admission(frame)) {
        let expected = super::session::admit(connection.id, true);
        return Err(connection
            .broken(&expected, &received)
            .prevented_by("admit"));
    }
    if let Some(stop) = wrong_id(&connection, &received) {
        return Err(stop);
    }
    drop(connection);
    let games = games(checker)?;
    match &games.wrong_id {
        Some(finding) => Err(Stop::broken(finding.clone())),
        None if games.finished == 0 => Err(games.prevented("no game came to its end")),
        None => Ok(()),
    }
}

fn taken_cell(checker: &mut Checker, own_cell: bool) -> RuleResult {
    checker.plays()?;
    let mut connection = checker.admitted()?;
    let (own, answer) = first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
    connection.act(if own_cell { own } else { answer });
    expect_error(&mut connection, 1)?;
    keeps_the_turn(checker, &mut connection, &[own, answer])
}

fn no_cells(checker: &mut Checker, cells: &[[u8; 3]]) -> RuleResult {
    checker.plays()?;
    for cell in cells {
        let mut connection = checker.admitted()?;
        connection.act_with(connection.id, *cell);
        expect_error(&mut connection, 0)?;
        keeps_the_turn(checker, &mut connection, &[])?;
    }
    Ok(())
}

pub(super) fn expect_error(connection: &mut Connection, wanted: u8) -> RuleResult {
    let expected = Expected::error(connection.id, wanted);
    connection.expect(
        &expected,
        |frame| matches!(frame, FromServer::Error { code, .. } if *code == wanted),
    )?;
    Ok(())
}

/// After an error it is still the client's turn, on the same board.
fn keeps_the_turn(checker: &Checker, connection: &mut Connection, taken: &[Cell]) -> RuleResult {
    plays_on(connection, taken).map_err(|stop| {
        let stop = stop.prefixed("after the error a valid move is not played: ");
        // A move of the server that nobody asked for may have taken the cell.
        match checker.observations.borrow().unasked.is_some() {
            true => stop.prevented_by("one-answer"),
            false => stop,
        }
    })
}

/// One more move, and its answer.
pub(super) fn plays_on(connection: &mut Connection, taken: &[Cell]) -> RuleResult {
    let free = Cell::all().find(|cell| !taken.contains(cell));
    connection.act(free.expect("few cells are taken"));
    let expected = Expected::action(connection.id);
    let answer = connection.expect(&expected, |frame| {
        matches!(frame, FromServer::Action { .. } | FromServer::Result { .. })
    });
    answer.map(drop)
}

fn error_has_the_id(checker: &mut Checker) -> RuleResult {
    checker.plays()?;
    let mut connection = checker.admitted()?;
    connection.act_with(connection.id, *b"9-9");
    let received = connection.receive();
    match &received {
        Received::Frame(FromServer::Error { .. }, _) => {
            wrong_id(&connection, &received).map_or(Ok(()), Err)
        }
        _ => Err(connection
            .broken(&Expected::error(connection.id, 0), &received)
            .prevented_by("off-board")),
    }
}

fn results_name_the_cell(checker: &mut Checker) -> RuleResult {
    let games = games(checker)?;
    if let Some(finding) = &games.wrong_cell {
        return Err(Stop::broken(finding.clone()));
    }
    match games.ends.contains(&GameResult::Lost) {
        true => Ok(()),
        false => Err(games.prevented("the server never won a game")),
    }
}

/// Twice: the cells with which the last game began must be free again.
fn plays_again(checker: &mut Checker) -> RuleResult {
    let games = games(checker)?;
    if games.finished == 0 {
        return Err(games.prevented("no game came to its end"));
    }
    for _ in 0..2 {
        let mut connection = checker.admitted()?;
        let last = play_out(
            &mut connection,
            GameResult::Draw,
            Tactic::Minimax,
            &mut checker.chance,
        )
        .map_err(|(odd, stop)| stop.prevented_by(odd.rule()))?;
        connection.play();
        let expected = super::session::admit(connection.id, true);
        connection.expect(&expected, super::session::is_admission)?;
        let mut taken: Vec<Cell> = Vec::new();
        for cell in last.opening {
            if taken.contains(&cell) {
                continue;
            }
            connection.act(cell);
            let expected = Expected::action(connection.id);
            let is_answer = |frame: &FromServer| matches!(frame, FromServer::Action { .. });
            let answer = connection
                .expect(&expected, is_answer)
                .map_err(|stop| stop.prefixed("in the second game of a session, "))?;
            taken.push(cell);
            if let FromServer::Action { cell: reply, .. } = answer {
                taken.extend(Cell::try_from(reply));
            }
        }
        connection.leave();
    }
    Ok(())
}

fn one_answer_each(checker: &mut Checker) -> RuleResult {
    checker.greeted()?.leave();
    let mut connection = checker.greeted()?;
    connection.expect_silence("READY")?;
    observed(checker.observations.borrow().unasked.clone())?;
    admit(&mut connection).map_err(|stop| stop.prevented_by("admit"))?;
    connection.expect_silence("ADMIT: the client moves first")?;
    let (own, _) = first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
    connection.expect_silence("its ACTION")?;
    connection.act(own);
    let received = connection.receive();
    if !matches!(received, Received::Frame(FromServer::Error { .. }, _)) {
        return Err(connection
            .broken(&Expected::error(connection.id, 1), &received)
            .prevented_by("taken-own"));
    }
    connection.expect_silence("ERROR")?;
    observed(checker.observations.borrow().unasked.clone())
}
