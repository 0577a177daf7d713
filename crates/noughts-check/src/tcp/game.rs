//! The rules within a game.

use noughts_wire::{Cell, Dialect, FromServer, NO_CELL, Verdict};

use super::line::{Expected, Heard, Line};
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
        |judge| end(judge, Verdict::Won, Odd::Won),
    ),
    TcpRule::demanded(
        "result-lost",
        "when the server completes a line the client gets RESULT with flag 0, and no ACTION before it",
        "[2] Procés de joc: the server sends ACTION or, at the end, RESULT; 0 means that the server wins",
        |judge| end(judge, Verdict::Lost, Odd::Lost),
    ),
    TcpRule::demanded(
        "result-draw",
        "when the board is full without a line the client gets RESULT with flag 2",
        "[2] Procés de joc: RESULT at the end of the game, 2 means a draw",
        |judge| end(judge, Verdict::Draw, Odd::Draw),
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
    pub(super) end: Verdict,
    /// The first frame with another id, if there was one.
    wrong_id: Option<Stop>,
    wrong_cell: Option<Stop>,
    /// The client's first cell, and the server's.
    opening: Vec<Cell>,
}

/// Plays from the client's first move to RESULT.
pub(super) fn play_out(
    line: &mut Line,
    aim: Aim,
    way: Way,
    chance: &mut Chance,
) -> Result<Played, (Odd, Stop)> {
    let mut board = Board::new();
    let mut game = Played {
        end: Verdict::Draw,
        wrong_id: None,
        wrong_cell: None,
        opening: Vec::new(),
    };
    loop {
        let cell = board.choose(aim, way, &chance.replies, &mut chance.lot);
        line.act(cell);
        board.play(cell);
        let heard = line.hear();
        game.look_at_id(line, &heard);
        if game.opening.is_empty() {
            game.opening.push(cell);
        }
        if let Some(end) = board.end() {
            let expected = result(line, end, None);
            let odd = if end == Verdict::Won {
                Odd::Won
            } else {
                Odd::Draw
            };
            let Heard::Frame(FromServer::Result { flag, cell, .. }, _) = &heard else {
                return Err((odd, line.broken(&expected, &heard)));
            };
            if *flag != end {
                return Err((odd, line.broken(&expected, &heard)));
            }
            if cell.is_some_and(|cell| cell != NO_CELL) {
                game.wrong_cell = Some(line.broken(&expected, &heard));
            }
            game.end = end;
            return Ok(game);
        }
        let before = board.clone();
        match answer(line, &mut board, &heard, &mut game) {
            Ok(None) => {
                if let Heard::Frame(FromServer::Action { cell, .. }, _) = &heard
                    && let Some(reply) = Cell::read(*cell)
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
    line: &Line,
    board: &mut Board,
    heard: &Heard,
    game: &mut Played,
) -> Result<Option<Verdict>, (Odd, Stop)> {
    let expected = Expected::action(line.id);
    match heard {
        Heard::Frame(FromServer::Action { cell, .. }, bytes) => {
            let told = |wrong: &str, odd, expected: &Expected| {
                let words = server_words(bytes, line.dialect);
                (odd, line.found(wrong, expected, &hex(bytes), &words))
            };
            let Some(cell) = Cell::read(*cell) else {
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
                let expected = result(line, Verdict::Lost, Some(cell));
                let wrong =
                    "the server's ACTION completes a line, so RESULT alone should have come";
                return Err(told(wrong, Odd::Lost, &expected));
            }
            Ok(None)
        }
        Heard::Frame(FromServer::Result { flag, cell, .. }, _) => {
            let winning = board.winning();
            if winning.is_empty() || *flag == Verdict::Draw {
                let stop = match line.broken(&expected, heard) {
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
            if *flag != Verdict::Lost {
                let expected = result(line, Verdict::Lost, winning.first().copied());
                return Err((Odd::Lost, line.broken(&expected, heard)));
            }
            if let Some(cell) = cell
                && !Cell::read(*cell).is_some_and(|cell| winning.contains(&cell))
            {
                let expected = result(line, Verdict::Lost, winning.first().copied());
                game.wrong_cell = Some(line.broken(&expected, heard));
            }
            Ok(Some(Verdict::Lost))
        }
        heard => Err((Odd::NoAnswer, line.broken(&expected, heard))),
    }
}

impl Played {
    fn look_at_id(&mut self, line: &Line, heard: &Heard) {
        if self.wrong_id.is_none() {
            self.wrong_id = wrong_id(line, heard);
        }
    }
}

/// A frame with another id than the session's.
fn wrong_id(line: &Line, heard: &Heard) -> Option<Stop> {
    let Heard::Frame(frame, bytes) = heard else {
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
        format!("{:02x} {} …", bytes[0], hex(&line.id.to_be_bytes())),
        format!("the session's id, {}", line.id),
    );
    (id != line.id).then(|| {
        let words = server_words(bytes, line.dialect);
        line.found("the frame has another id", &expected, &hex(bytes), &words)
    })
}

fn result(line: &Line, flag: Verdict, cell: Option<Cell>) -> Expected {
    let cell = match line.dialect {
        Dialect::Seed => None,
        Dialect::Later => Some(cell.map_or(NO_CELL, Cell::bytes)),
    };
    Expected::frame(&FromServer::Result {
        id: line.id,
        cell,
        flag,
    })
}

/// A first move, and the cell that the server answers with.
pub(super) fn first_moves(line: &mut Line) -> Judged<(Cell, Cell)> {
    let own = Cell::new(1, 1).expect("there is a centre");
    line.act(own);
    let heard = line.hear();
    match &heard {
        Heard::Frame(FromServer::Action { cell, .. }, _) => match Cell::read(*cell) {
            Some(cell) if cell != own => Ok((own, cell)),
            _ => Err(line.broken(&Expected::action(line.id), &heard)),
        },
        _ => Err(line.broken(&Expected::action(line.id), &heard)),
    }
}

pub(super) fn on_the_way(stop: Stop) -> Stop {
    stop.on_the_way("the first ACTION was not answered with an ACTION")
}

fn action_is_answered(judge: &mut Judge) -> Judged {
    let mut line = judge.admitted()?;
    line.act(Cell::new(1, 1).expect("there is a centre"));
    let expected = Expected::action(line.id);
    line.expect(&expected, |frame| {
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
    Way::Lot,
    Way::Learn,
];

/// A few games, of which only one way to go wrong is looked for.
fn of_games(judge: &mut Judge, sought: Odd) -> Judged {
    let mut finished = 0;
    let mut trouble = None;
    for game in 0..6 {
        let mut line = judge.admitted()?;
        let aim = Aim([Verdict::Won, Verdict::Lost, Verdict::Draw][game % 3]);
        match play_out(&mut line, aim, WAYS[game % 6], &mut judge.chance) {
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
    let mut line = judge.greeted()?;
    line.play();
    let heard = line.hear();
    if !matches!(&heard, Heard::Frame(frame, _) if super::session::is_admission(frame)) {
        let expected = super::session::admit(line.id, true);
        return Err(line
            .broken(&expected, &heard)
            .on_the_way("PLAY did not lead to ADMIT 1"));
    }
    if let Some(stop) = wrong_id(&line, &heard) {
        return Err(stop);
    }
    let game = play_out(&mut line, Aim(Verdict::Draw), Way::Care, &mut judge.chance)
        .map_err(|(_, stop)| stop.on_the_way("the game was not played to its end"))?;
    game.wrong_id.map_or(Ok(()), Err)
}

fn own_cell(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut line = judge.admitted()?;
    let (own, answer) = first_moves(&mut line).map_err(on_the_way)?;
    line.act(own);
    expect_error(&mut line, 1)?;
    keeps_the_turn(&mut line, &[own, answer])
}

fn servers_cell(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut line = judge.admitted()?;
    let (own, answer) = first_moves(&mut line).map_err(on_the_way)?;
    line.act(answer);
    expect_error(&mut line, 1)?;
    keeps_the_turn(&mut line, &[own, answer])
}

fn no_cells(judge: &mut Judge, cells: &[[u8; 3]]) -> Judged {
    judge.plays()?;
    for cell in cells {
        let mut line = judge.admitted()?;
        line.act_with(line.id, *cell);
        expect_error(&mut line, 0)?;
        keeps_the_turn(&mut line, &[])?;
        line.leave();
    }
    Ok(())
}

pub(super) fn expect_error(line: &mut Line, wanted: u8) -> Judged {
    let expected = Expected::error(line.id, wanted);
    line.expect(
        &expected,
        |frame| matches!(frame, FromServer::Error { code, .. } if *code == wanted),
    )?;
    Ok(())
}

/// After an error it is still the client's turn, on the same board.
pub(super) fn keeps_the_turn(line: &mut Line, taken: &[Cell]) -> Judged {
    let free = Cell::all().find(|cell| !taken.contains(cell));
    line.act(free.expect("few cells are taken"));
    let expected = Expected::action(line.id);
    let answer = line.expect(&expected, |frame| {
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
    let mut line = judge.admitted()?;
    line.act_with(line.id, *b"9-9");
    let heard = line.hear();
    match &heard {
        Heard::Frame(FromServer::Error { .. }, _) => match wrong_id(&line, &heard) {
            Some(stop) => Err(stop),
            None => Ok(()),
        },
        _ => Err(line
            .broken(&Expected::error(line.id, 0), &heard)
            .on_the_way("the cell 9-9 did not lead to an ERROR")),
    }
}

/// Plays until a game ends so.
fn end(judge: &mut Judge, wanted: Verdict, sought: Odd) -> Judged {
    let mut trouble = None;
    for game in 0..GAMES {
        let mut line = judge.admitted()?;
        match play_out(&mut line, Aim(wanted), WAYS[game % 6], &mut judge.chance) {
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
        None => Err(Stop::NotReached(format!(
            "none of {GAMES} games came to that end: the server plays {}",
            match wanted {
                Verdict::Won => "too well",
                Verdict::Lost => "too badly",
                Verdict::Draw => "otherwise",
            }
        ))),
    }
}

fn results_name_the_cell(judge: &mut Judge) -> Judged {
    let mut seen = Vec::new();
    for game in 0..GAMES {
        let aim = [Verdict::Lost, Verdict::Draw][game % 2];
        if seen.contains(&aim) {
            continue;
        }
        let mut line = judge.admitted()?;
        let played = play_out(&mut line, Aim(aim), WAYS[game / 2 % 6], &mut judge.chance)
            .map_err(|(_, stop)| stop.on_the_way("a game was not played to its end"))?;
        if let Some(stop) = played.wrong_cell {
            return Err(stop);
        }
        seen.push(played.end);
    }
    match seen.contains(&Verdict::Lost) {
        true => Ok(()),
        false => Err(Stop::NotReached("the server never won a game".to_owned())),
    }
}

/// Twice: the cells with which the last game began must be free again.
fn plays_again(judge: &mut Judge) -> Judged {
    for _ in 0..2 {
        let mut line = judge.admitted()?;
        let last = play_out(&mut line, Aim(Verdict::Draw), Way::Care, &mut judge.chance)
            .map_err(|(_, stop)| stop.on_the_way("the game before was not played to its end"))?;
        line.play();
        let expected = super::session::admit(line.id, true);
        line.expect(&expected, super::session::is_admission)?;
        let mut taken: Vec<Cell> = Vec::new();
        for cell in last.opening {
            if taken.contains(&cell) {
                continue;
            }
            line.act(cell);
            let heard = line.hear();
            match &heard {
                Heard::Frame(FromServer::Action { cell: reply, .. }, _) => {
                    taken.push(cell);
                    taken.extend(Cell::read(*reply));
                }
                _ => {
                    let expected = Expected::action(line.id);
                    return Err(match line.broken(&expected, &heard) {
                        Stop::Broken(mut finding) => {
                            finding.wrong =
                                format!("in the second game of a session, {}", finding.wrong);
                            Stop::Broken(finding)
                        }
                        stop @ Stop::NotReached(_) => stop,
                    });
                }
            }
        }
        line.leave();
    }
    Ok(())
}

fn one_answer_each(judge: &mut Judge) -> Judged {
    judge.greeted()?.leave();
    let mut line = judge.greeted()?;
    line.expect_silence("READY")?;
    admit(&mut line)?;
    line.expect_silence("ADMIT, for the client begins")?;
    let (own, _) = first_moves(&mut line).map_err(on_the_way)?;
    line.expect_silence("its ACTION")?;
    line.act(own);
    let heard = line.hear();
    if !matches!(heard, Heard::Frame(FromServer::Error { .. }, _)) {
        return Err(line
            .broken(&Expected::error(line.id, 1), &heard)
            .on_the_way("a taken cell did not lead to an ERROR"));
    }
    line.expect_silence("ERROR")
}
