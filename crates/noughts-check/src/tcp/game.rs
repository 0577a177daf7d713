//! The rules within a game.

mod ids;
mod series;

use noughts_wire::{Cell, Dialect, FromServer, GameResult};

use super::connection::{Connection, Expected, Received};
use super::{Checker, TcpRule, document};
use crate::board::Tactic;
use crate::frame::{hex, server_words};
use crate::verdict::{Finding, RuleResult, Stop};
use ids::{report_wrong_id, wrong_id};
use series::{GameProblem, games, play_out};

pub(super) use ids::reversed;
pub(super) use series::Games;

pub(super) const RULES: [TcpRule; 17] = [
    TcpRule::demanded(
        "answer",
        "an ACTION on a free cell is answered with ACTION or RESULT",
        document::ACTION_OR_RESULT,
        |checker| of_games(checker, GameProblem::NoAnswer),
    ),
    TcpRule::demanded(
        "answer-cell",
        "the server's ACTION names a cell: row, hyphen, column, as the three characters 0-0 to 2-2",
        document::POSITION,
        |checker| of_games(checker, GameProblem::NotACell),
    ),
    TcpRule::demanded(
        "answer-free",
        "the server marks only free cells",
        document::INVALID_MOVE,
        |checker| of_games(checker, GameProblem::Occupied),
    ),
    TcpRule::demanded(
        "ids",
        "ADMIT, ACTION and RESULT carry the session's id",
        document::IDS,
        ids_are_the_sessions,
    ),
    TcpRule::demanded(
        "taken-own",
        "a cell that the client has marked gets error 1",
        document::INVALID_MOVE,
        |checker| taken_cell(checker, true),
    )
    .with_illegal_frames(),
    TcpRule::demanded(
        "taken-other",
        "a cell that the server has marked gets error 1",
        document::INVALID_MOVE,
        |checker| taken_cell(checker, false),
    )
    .with_illegal_frames(),
    TcpRule::demanded(
        "off-board",
        "a cell off the board, such as 3-0 or 1-7, gets error 0",
        document::UNKNOWN_MOVE,
        |checker| no_cells(checker, "off-board", &[*b"3-0", *b"0-3", *b"1-7"]),
    )
    .with_illegal_frames(),
    TcpRule::demanded(
        "not-a-cell",
        "three bytes that are not a cell, such as a-0, 1x1 or zero bytes, get error 0",
        document::UNKNOWN_MOVE,
        |checker| no_cells(checker, "not-a-cell", &[*b"a-0", *b"1x1", [0; 3]]),
    )
    .with_illegal_frames(),
    TcpRule::demanded(
        "error-id",
        "ERROR carries the session's id",
        document::ERROR,
        error_has_the_id,
    )
    .with_illegal_frames(),
    TcpRule::demanded(
        "result-won",
        "when the client completes a line it gets RESULT with flag 1",
        document::RESULT,
        |checker| end(checker, GameResult::Won, GameProblem::Won),
    ),
    TcpRule::demanded(
        "result-lost",
        "when the server completes a line the client gets RESULT with flag 0, and no ACTION before it",
        document::RESULT,
        |checker| end(checker, GameResult::Lost, GameProblem::Lost),
    ),
    TcpRule::demanded(
        "result-draw",
        "when the board is full without a line the client gets RESULT with flag 2",
        document::RESULT,
        |checker| end(checker, GameResult::Draw, GameProblem::Draw),
    ),
    TcpRule::demanded(
        "result-not-early",
        "RESULT comes only when there is a line or the board is full",
        document::ACTION_OR_RESULT,
        |checker| of_games(checker, GameProblem::Early),
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
    )
    .with_illegal_frames(),
    TcpRule::demanded(
        "turn-kept",
        "after an ERROR it is still the client's turn, and its next move is answered",
        document::ACTION_OR_RESULT,
        errors_keep_the_turn,
    )
    .with_illegal_frames(),
];

/// Rules about all frames of all connections so far in this dialect. The kit checks them after the rules
/// about games.
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

fn centre() -> Cell {
    Cell::new(1, 1).expect("there is a centre")
}

/// Makes a first move. Returns its cell and the cell of the server's answer.
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

fn of_games(checker: &mut Checker, sought: GameProblem) -> RuleResult {
    let games = games(checker)?;
    match games.problems.get(&sought) {
        Some(finding) => Err(Stop::broken(finding.clone())),
        None if games.finished == 0 => Err(games.prevented("no game came to its end")),
        None => Ok(()),
    }
}

fn end(checker: &mut Checker, wanted: GameResult, sought: GameProblem) -> RuleResult {
    let is_slow = checker.broken.contains(&"prompt");
    let games = games(checker)?;
    if let Some(finding) = games.problems.get(&sought) {
        let stop = Stop::broken(finding.clone());
        return Err(match (games.has_swapped_flags(), wanted) {
            (true, GameResult::Won) => stop
                .suffixed("; when the server wins it sends flag 1: the flags 0 and 1 are swapped"),
            (true, GameResult::Lost) => stop.same_as("result-won"),
            (_, _) => stop,
        });
    }
    if games.ends.contains(&wanted) {
        return Ok(());
    }
    if is_slow {
        return Err(games.prevented(&format!(
            "prevented by prompt: only {} games were played, and none ended so",
            games.played
        )));
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
    let mut connection = checker.start_session()?;
    connection.play();
    let received = connection.receive();
    if !matches!(&received, Received::Frame(frame, _) if super::session::is_admission(frame)) {
        let expected = super::session::admit(connection.id, true);
        return Err(connection
            .broken(&expected, &received)
            .prevented_by("admit"));
    }
    if let Some(wrong) = wrong_id(&connection, &received) {
        return report_wrong_id(checker, "ids", &wrong);
    }
    drop(connection);
    let games = games(checker)?;
    match games.wrong_id.clone() {
        Some(wrong) => report_wrong_id(checker, "ids", &wrong),
        None if games.finished == 0 => Err(games.prevented("no game came to its end")),
        None => Ok(()),
    }
}

fn taken_cell(checker: &mut Checker, own_cell: bool) -> RuleResult {
    checker.plays()?;
    answers_mistakes(checker, "taken-own")?;
    let mut connection = checker.admitted()?;
    let (own, answer) = first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
    connection.act(if own_cell { own } else { answer });
    let rules = ["taken-own", "taken-other"];
    expect_mistake(checker, &mut connection, rules[usize::from(!own_cell)], 1)
}

fn no_cells(checker: &mut Checker, rule: &'static str, cells: &[[u8; 3]]) -> RuleResult {
    checker.plays()?;
    answers_mistakes(checker, "off-board")?;
    for cell in cells {
        let mut connection = checker.admitted()?;
        connection.act_with(connection.id, *cell);
        expect_mistake(checker, &mut connection, rule, 0)?;
    }
    Ok(())
}

/// Returns an error if the server did not answer the mistake that `rule` tries. Without this check, the kit
/// would wait in vain for an answer to another mistake.
pub(super) fn answers_mistakes(checker: &Checker, rule: &str) -> RuleResult {
    match checker.mistakes.get(rule).map(String::as_str) {
        Some(NOTHING) => Err(Stop::NotTried(format!(
            "prevented by {rule}: the server does not answer a mistake"
        ))),
        Some(_) | None => Ok(()),
    }
}

const NOTHING: &str = "nothing";

/// Expects the ERROR for a mistake. If two rules expect the same ERROR and get the same wrong answer, they count as
/// one fault.
fn expect_mistake(
    checker: &mut Checker,
    connection: &mut Connection,
    rule: &'static str,
    wanted: u8,
) -> RuleResult {
    let received = connection.receive();
    let kind = match &received {
        Received::Frame(FromServer::Error { code, .. }, _) if *code == wanted => return Ok(()),
        Received::Frame(FromServer::Error { code, .. }, _) => format!("ERROR {code}"),
        Received::Frame(frame, _) => match frame {
            FromServer::Action { .. } | FromServer::Result { .. } => "a move".to_owned(),
            FromServer::Ready { .. } | FromServer::Admit { .. } | FromServer::Error { .. } => {
                "another frame".to_owned()
            }
        },
        Received::Invalid(..) => "no frame".to_owned(),
        Received::Nothing(_) => NOTHING.to_owned(),
        Received::Closed(_) => "the end".to_owned(),
    };
    let stop = connection.broken(&Expected::error(connection.id, wanted), &received);
    let stop = stop.prefixed(match rule {
        "taken-own" => "the client has already marked this cell, but ",
        "taken-other" => "the server has already marked this cell, but ",
        _ => "there is no such cell, but ",
    });
    let other = match rule {
        "taken-other" => "taken-own",
        "not-a-cell" => "off-board",
        _ => "",
    };
    let is_same = checker.mistakes.get(other) == Some(&kind);
    checker.mistakes.insert(rule, kind);
    Err(match is_same {
        true => stop.same_as(other),
        false => stop,
    })
}

pub(super) fn expect_error(connection: &mut Connection, wanted: u8) -> RuleResult {
    let expected = Expected::error(connection.id, wanted);
    connection.expect(
        &expected,
        |frame| matches!(frame, FromServer::Error { code, .. } if *code == wanted),
    )?;
    Ok(())
}

/// Checks that the client can still move after it has sent a cell off the board or a taken cell.
fn errors_keep_the_turn(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    checker.plays()?;
    if checker.broken.contains(&"one-answer") {
        // A move of the server that answers no request may have taken the cell.
        let why = "prevented by one-answer: the server sends frames that answer no request";
        return Err(Stop::NotTried(why.to_owned()));
    }
    for is_taken in [false, true] {
        let mut connection = checker.admitted()?;
        let mut taken = Vec::new();
        if is_taken {
            let (own, answer) =
                first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
            taken = vec![own, answer];
            connection.act(own);
        } else {
            connection.act_with(connection.id, *b"9-9");
        }
        let expected = Expected::error(connection.id, is_taken.into());
        let rule = if is_taken { "taken-own" } else { "off-board" };
        connection
            .expect(&expected, |frame| matches!(frame, FromServer::Error { .. }))
            .map_err(|stop| stop.prevented_by(rule))?;
        plays_on(&mut connection, &taken)
            .map_err(|stop| stop.prefixed("after the ERROR a valid move is not played: "))?;
    }
    Ok(())
}

/// Plays one more move and checks the server's answer.
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
    checker.sends_errors()?;
    let mut connection = checker.admitted()?;
    connection.act_with(connection.id, *b"9-9");
    let received = connection.receive();
    match &received {
        Received::Frame(FromServer::Error { .. }, _) => match wrong_id(&connection, &received) {
            Some(wrong) => report_wrong_id(checker, "error-id", &wrong),
            None => Ok(()),
        },
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
        true if games.has_cell => Ok(()),
        true => Err(Stop::NotTried(
            "prevented by frame-size: RESULT has no room for a cell".to_owned(),
        )),
        false => Err(games.prevented("the server never won a game")),
    }
}

/// In each of two sessions, plays a game to its end and starts another game. Checks that the first cells of
/// the first game are free in the second game.
fn plays_again(checker: &mut Checker) -> RuleResult {
    let games = games(checker)?;
    if games.finished == 0 {
        return Err(games.prevented("no game came to its end"));
    }
    let lost_rule = match games.has_swapped_flags() {
        true => GameProblem::Won.rule(),
        false => GameProblem::Lost.rule(),
    };
    for _ in 0..2 {
        let mut connection = checker.admitted()?;
        let last = play_out(
            &mut connection,
            GameResult::Draw,
            Tactic::Minimax,
            &mut checker.move_source,
        )
        .map_err(|deviation| {
            let rule = match deviation.kind {
                GameProblem::Lost => lost_rule,
                kind => kind.rule(),
            };
            deviation.stop.prevented_by(rule)
        })?;
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
    }
    Ok(())
}

/// Makes two mistakes in a game: one after the server's first ACTION, and one after the ERROR for the first mistake.
/// After each mistake, the next frame must be the ERROR for this mistake. A frame before this ERROR answers no request.
fn one_answer_each(checker: &mut Checker) -> RuleResult {
    let mut connection = checker.admitted()?;
    observed(checker.observations.borrow().unasked.clone())?;
    checker.plays()?;
    checker.sends_errors()?;
    first_moves(&mut connection).map_err(|stop| stop.prevented_by("answer"))?;
    for after in ["ACTION", "ERROR"] {
        connection.act_with(connection.id, *b"9-9");
        let received = connection.receive();
        match &received {
            Received::Frame(FromServer::Error { .. }, _) => {}
            Received::Frame(_, bytes) => {
                let expected = Expected::error(connection.id, 0);
                let problem = format!("after {after} the server sent one more frame");
                let words = server_words(bytes, connection.dialect);
                return Err(connection.found(problem, &expected, &hex(bytes), &words));
            }
            _ => {
                let expected = Expected::error(connection.id, 0);
                return Err(connection
                    .broken(&expected, &received)
                    .prevented_by("off-board"));
            }
        }
    }
    observed(checker.observations.borrow().unasked.clone())
}
