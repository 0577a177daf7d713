//! The rules within a game.

use noughts_wire::{Cell, Dialect, FromServer, GameResult, NO_CELL};

use super::connection::{Connection, Expected, Received};
use super::{Chance, Judge, TcpRule, admit};
use crate::board::{Aim, Board, Way};
use crate::frame::{hex, server_words};
use crate::verdict::{Judged, Stop};

pub(super) const RULES: [TcpRule; 16] = [
    TcpRule::demanded(
        "answer",
        "an ACTION on a free cell is answered with an ACTION of the server",
        "[2] Procés de joc: the server sends another ACTION or, at the end, RESULT; figure 5",
        action_is_answered,
    ),
    TcpRule::demanded(
        "answer-cell",
        "the server's ACTION names a cell: row, hyphen, column, as the three characters 0-0 to 2-2",
        "[2] Procés de joc: the position is the row, a hyphen and the column, each 0 to 2; figure 5",
        |judge| of_games(judge, Odd::NotACell),
    ),
    TcpRule::demanded(
        "answer-free",
        "the server marks only cells that are free",
        "[2] Procés de joc: a cell that is filled already is an invalid move",
        |judge| of_games(judge, Odd::Taken),
    ),
    TcpRule::demanded(
        "ids",
        "ADMIT, ACTION and RESULT carry the session's id",
        "[2] Procés de joc: ADMIT, ACTION and RESULT (idSessio, …); figures 4, 5 and 6",
        ids_are_the_sessions,
    ),
    TcpRule::demanded(
        "taken-own",
        "a cell that the client has marked gets error 1 and keeps the turn",
        "[2] Procés de joc: a cell that is filled already gets ERROR Moviment Invalid, code 1",
        own_cell,
    ),
    TcpRule::demanded(
        "taken-other",
        "a cell that the server has marked gets error 1 and keeps the turn",
        "[2] Procés de joc: a cell that is filled already gets ERROR Moviment Invalid, code 1",
        servers_cell,
    ),
    TcpRule::demanded(
        "off-board",
        "a cell off the board, such as 3-0 or 1-7, gets error 0 and keeps the turn",
        "[2] Procés de joc: a move that does not exist gets ERROR Moviment Desconegut, code 0",
        |judge| no_cells(judge, &[*b"3-0", *b"0-3", *b"1-7"]),
    ),
    TcpRule::demanded(
        "not-a-cell",
        "three characters that are no cell, such as a-0, 1x1 or zero bytes, get error 0 and keep the turn",
        "[2] Procés de joc: a move that does not exist gets ERROR Moviment Desconegut, code 0",
        |judge| no_cells(judge, &[*b"a-0", *b"1x1", [0; 3]]),
    ),
    TcpRule::demanded(
        "error-id",
        "ERROR carries the session's id",
        "[2] Procés de joc: ERROR (idSessio, errCodi, errMsg); figure 8",
        error_has_the_id,
    ),
    TcpRule::demanded(
        "result-won",
        "when the client completes a line it gets RESULT with flag 1",
        "[2] Procés de joc: RESULT at the end of the game, 1 means that the client wins; figure 6",
        |judge| end(judge, GameResult::Won, Odd::Won),
    ),
    TcpRule::demanded(
        "result-lost",
        "when the server completes a line the client gets RESULT with flag 0, and no ACTION before it",
        "[2] Procés de joc: the server sends ACTION or, at the end, RESULT; 0 means that the server wins",
        |judge| end(judge, GameResult::Lost, Odd::Lost),
    ),
    TcpRule::demanded(
        "result-draw",
        "when the board is full without a line the client gets RESULT with flag 2",
        "[2] Procés de joc: RESULT at the end of the game, 2 means a draw",
        |judge| end(judge, GameResult::Draw, Odd::Draw),
    ),
    TcpRule::demanded(
        "result-not-early",
        "RESULT comes only when there is a line or the board is full",
        "[2] Procés de joc: ACTION means that the game goes on, RESULT that its end is reached",
        |judge| of_games(judge, Odd::Early),
    ),
    TcpRule {
        only: Some(Dialect::Later),
        ..TcpRule::demanded(
            "result-cell",
            "RESULT names the server's last cell if that ended the game, and --- otherwise",
            "the later dialect (docs/protocol.md, Two dialects)",
            results_name_the_cell,
        )
    },
    TcpRule::demanded(
        "play-again",
        "after RESULT, PLAY in the same session begins a new game on an empty board",
        "[2] Procés de joc, at its end: a new game in the same session begins with PLAY",
        plays_again,
    ),
    TcpRule::demanded(
        "one-answer",
        "every frame gets one answer, and nothing comes unasked",
        "[1] and [2]: each of HELLO, PLAY and ACTION has one answer",
        one_answer_each,
    ),
];

/// How a game can go wrong; each is the matter of one rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Odd {
    NoAnswer,
    NotACell,
    Taken,
    Early,
    Won,
    Lost,
    Draw,
}

/// A game that came to its end.
pub(super) struct Played {
    pub(super) end: GameResult,
    /// The first frame with another id, if there was one.
    wrong_id: Option<Stop>,
    wrong_cell: Option<Stop>,
    /// The client's first cell, and the server's.
    opening: Vec<Cell>,
}

/// Plays from the client's first move to RESULT.
pub(super) fn play_out(
    connection: &mut Connection,
    aim: Aim,
    way: Way,
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
        let cell = board.choose(aim, way, &chance.replies, &mut chance.rng);
        connection.act(cell);
        board.play(cell);
        let heard = connection.hear();
        game.look_at_id(connection, &heard);
        if game.opening.is_empty() {
            game.opening.push(cell);
        }
        if let Some(end) = board.end() {
            let expected = result(connection, end, None);
            let odd = if end == GameResult::Won {
                Odd::Won
            } else {
                Odd::Draw
            };
            let Received::Frame(FromServer::Result { flag, cell, .. }, _) = &heard else {
                return Err((odd, connection.broken(&expected, &heard)));
            };
            if *flag != end {
                return Err((odd, connection.broken(&expected, &heard)));
            }
            if cell.is_some_and(|cell| cell != NO_CELL) {
                game.wrong_cell = Some(connection.broken(&expected, &heard));
            }
            game.end = end;
            return Ok(game);
        }
        let before = board.clone();
        match answer(connection, &mut board, &heard, &mut game) {
            Ok(None) => {
                if let Received::Frame(FromServer::Action { cell, .. }, _) = &heard
                    && let Some(reply) = Cell::try_from(*cell).ok()
                {
                    chance.replies.note(&before, reply);
                    if game.opening.len() == 1 {
                        game.opening.push(reply);
                    }
                }
            }
            Ok(Some(end)) => {
                game.end = end;
                return Ok(game);
            }
            Err(odd) => return Err(odd),
        }
    }
}

/// The server's answer while the game goes on after the client's move; how the game ended, if it did.
fn answer(
    connection: &Connection,
    board: &mut Board,
    heard: &Received,
    game: &mut Played,
) -> Result<Option<GameResult>, (Odd, Stop)> {
    let expected = Expected::action(connection.id);
    match heard {
        Received::Frame(FromServer::Action { cell, .. }, bytes) => {
            let told = |wrong: &str, odd, expected: &Expected| {
                let words = server_words(bytes, connection.dialect);
                (odd, connection.found(wrong, expected, &hex(bytes), &words))
            };
            let Some(cell) = Cell::try_from(*cell).ok() else {
                return Err(told(
                    "the server's ACTION names no cell",
                    Odd::NotACell,
                    &expected,
                ));
            };
            if !board.is_free(cell) {
                let wrong = format!("the server marks {cell}, which is taken already");
                return Err(told(&wrong, Odd::Taken, &expected));
            }
            board.play(cell);
            if board.end().is_some() {
                let expected = result(connection, GameResult::Lost, Some(cell));
                let wrong =
                    "the server's ACTION completes a connection, so RESULT alone should have come";
                return Err(told(wrong, Odd::Lost, &expected));
            }
            Ok(None)
        }
        Received::Frame(FromServer::Result { flag, cell, .. }, _) => {
            let winning = board.winning();
            if winning.is_empty() || *flag == GameResult::Draw {
                let stop = match connection.broken(&expected, heard) {
                    Stop::Broken(mut finding) => {
                        finding.wrong =
                            "the server ends the game, but cells are free, and nobody has a line"
                                .into();
                        Stop::Broken(finding)
                    }
                    stop => stop,
                };
                return Err((Odd::Early, stop));
            }
            if *flag != GameResult::Lost {
                let expected = result(connection, GameResult::Lost, winning.first().copied());
                return Err((Odd::Lost, connection.broken(&expected, heard)));
            }
            if let Some(cell) = cell
                && !Cell::try_from(*cell)
                    .ok()
                    .is_some_and(|cell| winning.contains(&cell))
            {
                let expected = result(connection, GameResult::Lost, winning.first().copied());
                game.wrong_cell = Some(connection.broken(&expected, heard));
            }
            Ok(Some(GameResult::Lost))
        }
        heard => Err((Odd::NoAnswer, connection.broken(&expected, heard))),
    }
}

impl Played {
    fn look_at_id(&mut self, connection: &Connection, heard: &Received) {
        if self.wrong_id.is_none() {
            self.wrong_id = wrong_id(connection, heard);
        }
    }
}

/// A frame with another id than the session's.
fn wrong_id(connection: &Connection, heard: &Received) -> Option<Stop> {
    let Received::Frame(frame, bytes) = heard else {
        return None;
    };
    let id = match frame {
        FromServer::Ready { id }
        | FromServer::Admit { id, .. }
        | FromServer::Action { id, .. }
        | FromServer::Result { id, .. }
        | FromServer::Error { id, .. } => *id,
    };
    let expected = Expected::new(
        format!("{:02x} {} …", bytes[0], hex(&connection.id.to_be_bytes())),
        format!("the session's id, {}", connection.id),
    );
    (id != connection.id).then(|| {
        let words = server_words(bytes, connection.dialect);
        connection.found("the frame has another id", &expected, &hex(bytes), &words)
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

/// A first move, and the cell that the server answers with.
pub(super) fn first_moves(connection: &mut Connection) -> Judged<(Cell, Cell)> {
    let own = Cell::new(1, 1).expect("there is a centre");
    connection.act(own);
    let heard = connection.hear();
    match &heard {
        Received::Frame(FromServer::Action { cell, .. }, _) => match Cell::try_from(*cell).ok() {
            Some(cell) if cell != own => Ok((own, cell)),
            _ => Err(connection.broken(&Expected::action(connection.id), &heard)),
        },
        _ => Err(connection.broken(&Expected::action(connection.id), &heard)),
    }
}

pub(super) fn on_the_way(stop: Stop) -> Stop {
    stop.on_the_way("the first ACTION was not answered with an ACTION")
}

fn action_is_answered(judge: &mut Judge) -> Judged {
    let mut connection = judge.admitted()?;
    connection.act(Cell::new(1, 1).expect("there is a centre"));
    let expected = Expected::action(connection.id);
    connection.expect(&expected, |frame| {
        matches!(frame, FromServer::Action { .. })
    })?;
    Ok(())
}

/// How many games are played to reach something, each in a session of its own.
const GAMES: usize = 24;

const WAYS: [Way; 6] = [
    Way::Hope,
    Way::Learn,
    Way::Care,
    Way::Learn,
    Way::Random,
    Way::Learn,
];

/// A few games, of which only one way to go wrong is looked for.
fn of_games(judge: &mut Judge, sought: Odd) -> Judged {
    let mut finished = 0;
    let mut trouble = None;
    for game in 0..6 {
        let mut connection = judge.admitted()?;
        let aim = Aim([GameResult::Won, GameResult::Lost, GameResult::Draw][game % 3]);
        match play_out(&mut connection, aim, WAYS[game % 6], &mut judge.chance) {
            Ok(_) => finished += 1,
            Err((odd, stop)) if odd == sought => return Err(stop),
            // What comes without an end would come again.
            Err((Odd::NoAnswer, stop)) => {
                return Err(stop.on_the_way("a game was not played to its end"));
            }
            Err((_, stop)) => trouble = Some(stop),
        }
    }
    match trouble {
        Some(stop) if finished == 0 => Err(stop.on_the_way("no game was played to its end")),
        _ => Ok(()),
    }
}

fn ids_are_the_sessions(judge: &mut Judge) -> Judged {
    let mut connection = judge.greeted()?;
    connection.play();
    let heard = connection.hear();
    if !matches!(&heard, Received::Frame(frame, _) if super::session::is_admission(frame)) {
        let expected = super::session::admit(connection.id, true);
        return Err(connection
            .broken(&expected, &heard)
            .on_the_way("PLAY did not lead to ADMIT 1"));
    }
    if let Some(stop) = wrong_id(&connection, &heard) {
        return Err(stop);
    }
    let game = play_out(
        &mut connection,
        Aim(GameResult::Draw),
        Way::Care,
        &mut judge.chance,
    )
    .map_err(|(_, stop)| stop.on_the_way("the game was not played to its end"))?;
    game.wrong_id.map_or(Ok(()), Err)
}

fn own_cell(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut connection = judge.admitted()?;
    let (own, answer) = first_moves(&mut connection).map_err(on_the_way)?;
    connection.act(own);
    expect_error(&mut connection, 1)?;
    keeps_the_turn(&mut connection, &[own, answer])
}

fn servers_cell(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut connection = judge.admitted()?;
    let (own, answer) = first_moves(&mut connection).map_err(on_the_way)?;
    connection.act(answer);
    expect_error(&mut connection, 1)?;
    keeps_the_turn(&mut connection, &[own, answer])
}

fn no_cells(judge: &mut Judge, cells: &[[u8; 3]]) -> Judged {
    judge.plays()?;
    for cell in cells {
        let mut connection = judge.admitted()?;
        connection.act_with(connection.id, *cell);
        expect_error(&mut connection, 0)?;
        keeps_the_turn(&mut connection, &[])?;
        connection.leave();
    }
    Ok(())
}

pub(super) fn expect_error(connection: &mut Connection, wanted: u8) -> Judged {
    let expected = Expected::error(connection.id, wanted);
    connection.expect(
        &expected,
        |frame| matches!(frame, FromServer::Error { code, .. } if *code == wanted),
    )?;
    Ok(())
}

/// After an error it is still the client's turn, on the same board.
pub(super) fn keeps_the_turn(connection: &mut Connection, taken: &[Cell]) -> Judged {
    let free = Cell::all().find(|cell| !taken.contains(cell));
    connection.act(free.expect("few cells are taken"));
    let expected = Expected::action(connection.id);
    let answer = connection.expect(&expected, |frame| {
        matches!(frame, FromServer::Action { .. } | FromServer::Result { .. })
    });
    match answer {
        Ok(_) => Ok(()),
        Err(Stop::Broken(mut finding)) => {
            finding.wrong = format!("a good move after that is not played: {}", finding.wrong);
            Err(Stop::Broken(finding))
        }
        Err(stop) => Err(stop),
    }
}

fn error_has_the_id(judge: &mut Judge) -> Judged {
    let mut connection = judge.admitted()?;
    connection.act_with(connection.id, *b"9-9");
    let heard = connection.hear();
    match &heard {
        Received::Frame(FromServer::Error { .. }, _) => match wrong_id(&connection, &heard) {
            Some(stop) => Err(stop),
            None => Ok(()),
        },
        _ => Err(connection
            .broken(&Expected::error(connection.id, 0), &heard)
            .on_the_way("the cell 9-9 did not lead to an ERROR")),
    }
}

/// Plays until a game ends so.
fn end(judge: &mut Judge, wanted: GameResult, sought: Odd) -> Judged {
    let mut trouble = None;
    for game in 0..GAMES {
        let mut connection = judge.admitted()?;
        match play_out(
            &mut connection,
            Aim(wanted),
            WAYS[game % 6],
            &mut judge.chance,
        ) {
            Ok(played) if played.end == wanted => return Ok(()),
            Ok(_) => {}
            Err((odd, stop)) if odd == sought => return Err(stop),
            Err((Odd::NoAnswer, stop)) => {
                return Err(stop.on_the_way("a game was not played to its end"));
            }
            Err((_, stop)) => trouble = Some(stop),
        }
    }
    match trouble {
        Some(stop) => Err(stop.on_the_way("no game came to that end")),
        None => Err(Stop::NotTried(format!(
            "none of {GAMES} games came to that end: the server plays {}",
            match wanted {
                GameResult::Won => "too well",
                GameResult::Lost => "too badly",
                GameResult::Draw => "otherwise",
            }
        ))),
    }
}

fn results_name_the_cell(judge: &mut Judge) -> Judged {
    let mut seen = Vec::new();
    for game in 0..GAMES {
        let aim = [GameResult::Lost, GameResult::Draw][game % 2];
        if seen.contains(&aim) {
            continue;
        }
        let mut connection = judge.admitted()?;
        let played = play_out(
            &mut connection,
            Aim(aim),
            WAYS[game / 2 % 6],
            &mut judge.chance,
        )
        .map_err(|(_, stop)| stop.on_the_way("a game was not played to its end"))?;
        if let Some(stop) = played.wrong_cell {
            return Err(stop);
        }
        seen.push(played.end);
    }
    match seen.contains(&GameResult::Lost) {
        true => Ok(()),
        false => Err(Stop::NotTried("the server never won a game".to_owned())),
    }
}

/// Twice: the cells with which the last game began must be free again.
fn plays_again(judge: &mut Judge) -> Judged {
    for _ in 0..2 {
        let mut connection = judge.admitted()?;
        let last = play_out(
            &mut connection,
            Aim(GameResult::Draw),
            Way::Care,
            &mut judge.chance,
        )
        .map_err(|(_, stop)| stop.on_the_way("the game before was not played to its end"))?;
        connection.play();
        let expected = super::session::admit(connection.id, true);
        connection.expect(&expected, super::session::is_admission)?;
        let mut taken: Vec<Cell> = Vec::new();
        for cell in last.opening {
            if taken.contains(&cell) {
                continue;
            }
            connection.act(cell);
            let heard = connection.hear();
            match &heard {
                Received::Frame(FromServer::Action { cell: reply, .. }, _) => {
                    taken.push(cell);
                    taken.extend(Cell::try_from(*reply).ok());
                }
                _ => {
                    let expected = Expected::action(connection.id);
                    return Err(match connection.broken(&expected, &heard) {
                        Stop::Broken(mut finding) => {
                            finding.wrong =
                                format!("in the second game of a session, {}", finding.wrong);
                            Stop::Broken(finding)
                        }
                        stop @ Stop::NotTried(_) => stop,
                    });
                }
            }
        }
        connection.leave();
    }
    Ok(())
}

fn one_answer_each(judge: &mut Judge) -> Judged {
    judge.greeted()?.leave();
    let mut connection = judge.greeted()?;
    connection.expect_silence("READY")?;
    admit(&mut connection)?;
    connection.expect_silence("ADMIT, for the client begins")?;
    let (own, _) = first_moves(&mut connection).map_err(on_the_way)?;
    connection.expect_silence("its ACTION")?;
    connection.act(own);
    let heard = connection.hear();
    if !matches!(heard, Received::Frame(FromServer::Error { .. }, _)) {
        return Err(connection
            .broken(&Expected::error(connection.id, 1), &heard)
            .on_the_way("a taken cell did not lead to an ERROR"));
    }
    connection.expect_silence("ERROR")
}
