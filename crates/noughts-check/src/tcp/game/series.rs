//! Plays games against the server until the kit has won, lost and drawn a game, or has reached a limit.

use std::collections::BTreeMap;

use noughts_wire::{Cell, Dialect, FromServer, GameResult, NO_CELL};

use super::ids::{WrongId, wrong_id};
use crate::board::{Board, Tactic};
use crate::frame::{hex, server_words};
use crate::tcp::connection::{Connection, Expected, Received};
use crate::tcp::{Checker, MoveSource};
use crate::verdict::{Finding, RuleResult, Stop};

/// The kinds of problems in a game. Each kind has a rule that reports it. `Won`, `Lost` and `Draw` name the
/// end of the game that the server did not report correctly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum GameProblem {
    NoAnswer,
    NotACell,
    Occupied,
    Early,
    Won,
    Lost,
    Draw,
}

impl GameProblem {
    /// The rule that reports this problem.
    pub(super) fn rule(self) -> &'static str {
        match self {
            GameProblem::NoAnswer => "answer",
            GameProblem::NotACell => "answer-cell",
            GameProblem::Occupied => "answer-free",
            GameProblem::Early => "result-not-early",
            GameProblem::Won => "result-won",
            GameProblem::Lost => "result-lost",
            GameProblem::Draw => "result-draw",
        }
    }
}

/// What the kit has observed in a series of games.
#[derive(Default)]
pub(in crate::tcp) struct Games {
    pub(super) problems: BTreeMap<GameProblem, Finding>,
    pub(super) ends: Vec<GameResult>,
    pub(super) played: usize,
    pub(super) finished: usize,
    /// The first frame with a wrong id.
    pub(super) wrong_id: Option<WrongId>,
    /// The first RESULT with a wrong cell.
    pub(super) wrong_cell: Option<Finding>,
    /// Whether a RESULT had a cell.
    pub(super) has_cell: bool,
    /// For each correct flag: the first wrong flag that the server sent instead.
    pub(super) wrong_flags: BTreeMap<u8, GameResult>,
}

/// A game that went wrong.
pub(super) struct Deviation {
    pub(super) kind: GameProblem,
    pub(super) stop: Stop,
    /// The correct flag of RESULT and the wrong flag that the server sent. `None` for other problems.
    pub(super) flags: Option<(GameResult, GameResult)>,
}

impl From<(GameProblem, Stop)> for Deviation {
    fn from((kind, stop): (GameProblem, Stop)) -> Deviation {
        Deviation {
            kind,
            stop,
            flags: None,
        }
    }
}

impl Games {
    /// Whether the flags for won and lost are swapped. A swap counts as one fault.
    pub(super) fn has_swapped_flags(&self) -> bool {
        let wrong = |flag: GameResult| self.wrong_flags.get(&(flag as u8)).copied();
        wrong(GameResult::Won) == Some(GameResult::Lost)
            && wrong(GameResult::Lost) == Some(GameResult::Won)
    }

    /// Explains why a rule about games was not tried. The reason is a problem in the games or, if no game had
    /// a problem, `otherwise`.
    pub(super) fn prevented(&self, otherwise: &str) -> Stop {
        match self.problems.iter().next() {
            Some((kind, finding)) => {
                Stop::NotTried(format!("prevented by {}: {}", kind.rule(), finding.problem))
            }
            None => Stop::NotTried(otherwise.to_owned()),
        }
    }
}

/// A finished game.
pub(super) struct Played {
    pub(super) end: GameResult,
    pub(super) wrong_id: Option<WrongId>,
    pub(super) wrong_cell: Option<Stop>,
    pub(super) has_cell: bool,
    /// The first cell of the client and the first cell of the server.
    pub(super) opening: Vec<Cell>,
}

/// Plays from the client's first move to RESULT.
pub(super) fn play_out(
    connection: &mut Connection,
    wanted: GameResult,
    tactic: Tactic,
    move_source: &mut MoveSource,
) -> Result<Played, Deviation> {
    let mut board = Board::new();
    let mut game = Played {
        end: GameResult::Draw,
        wrong_id: None,
        wrong_cell: None,
        has_cell: false,
        opening: Vec::new(),
    };
    loop {
        let cell = board.choose(wanted, tactic, &move_source.replies, &mut move_source.rng);
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
            let kind = match end {
                GameResult::Won => GameProblem::Won,
                GameResult::Lost | GameResult::Draw => GameProblem::Draw,
            };
            let Received::Frame(FromServer::Result { flag, cell, .. }, _) = &received else {
                let why = match end {
                    GameResult::Won => "the client has completed a line, but ",
                    GameResult::Lost | GameResult::Draw => "the board is full, but ",
                };
                return Err((kind, connection.broken(&expected, &received).prefixed(why)).into());
            };
            if *flag != end {
                let why = match end {
                    GameResult::Won => "the client has completed a line, but ",
                    GameResult::Lost | GameResult::Draw => "the board is full without a line, but ",
                };
                return Err(Deviation {
                    kind,
                    stop: connection.broken(&expected, &received).prefixed(why),
                    flags: Some((end, *flag)),
                });
            }
            game.has_cell = cell.is_some();
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
            move_source.replies.note(&before, reply);
            if game.opening.len() == 1 {
                game.opening.push(reply);
            }
        }
    }
}

/// Checks the server's answer to a move that did not end the game. Returns the result if the answer ended the game.
fn answer(
    connection: &Connection,
    board: &mut Board,
    received: &Received,
    game: &mut Played,
) -> Result<Option<GameResult>, Deviation> {
    let expected = Expected::action(connection.id);
    match received {
        Received::Frame(FromServer::Action { cell, .. }, bytes) => {
            let deviation = |problem: &str, kind, expected: &Expected| {
                let words = server_words(bytes, connection.dialect);
                let stop = connection.found(problem, expected, &hex(bytes), &words);
                Deviation::from((kind, stop))
            };
            let Ok(cell) = Cell::try_from(*cell) else {
                let numbers = match cell {
                    [0..=2, b'-', 0..=2] => {
                        ": row and column are the numbers 0 to 2 instead of the characters '0' to '2'"
                    }
                    _ => "",
                };
                let problem = format!("the server's ACTION does not name a cell{numbers}");
                return Err(deviation(&problem, GameProblem::NotACell, &expected));
            };
            if !board.is_free(cell) {
                let problem = format!("the server marks {cell}, which is already taken");
                return Err(deviation(&problem, GameProblem::Occupied, &expected));
            }
            board.play(cell);
            if board.end().is_some() {
                let expected = result(connection, GameResult::Lost, Some(cell));
                let problem =
                    "the server completes a line with this ACTION; RESULT alone should come";
                return Err(deviation(problem, GameProblem::Lost, &expected));
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
                return Err((GameProblem::Early, stop).into());
            }
            let expected = result(connection, GameResult::Lost, winning.first().copied());
            if *flag != GameResult::Lost {
                return Err(Deviation {
                    kind: GameProblem::Lost,
                    stop: connection.broken(&expected, received),
                    flags: Some((GameResult::Lost, *flag)),
                });
            }
            game.has_cell = cell.is_some();
            if let Some(cell) = cell
                && !Cell::try_from(*cell).is_ok_and(|cell| winning.contains(&cell))
            {
                game.wrong_cell = Some(connection.broken(&expected, received));
            }
            Ok(Some(GameResult::Lost))
        }
        received => Err((
            GameProblem::NoAnswer,
            connection.broken(&expected, received),
        )
            .into()),
    }
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

/// Maximum number of games that the kit plays to reach one result: won, lost or drawn. Each game has its own
/// session.
const MAX_GAMES: usize = 24;

/// Like `MAX_GAMES`, but for a slow server: one that breaks the rule `prompt`.
const MAX_SLOW_GAMES: usize = 4;

const TACTICS: [Tactic; 6] = [
    Tactic::Expectimax,
    Tactic::Learned,
    Tactic::Minimax,
    Tactic::Learned,
    Tactic::Random,
    Tactic::Learned,
];

/// The kit plays no more games if this number of games went wrong and no game was finished.
const MAX_ODD_GAMES: usize = 6;

/// Plays until the kit has won, lost and drawn a game, has reached the maximum number of games, or cannot learn
/// anything new from more games.
fn play_series(checker: &mut Checker) -> RuleResult<Games> {
    let mut games = Games::default();
    let mut odd_games = 0;
    let max_games = match checker.broken.contains(&"prompt") {
        true => MAX_SLOW_GAMES,
        false => MAX_GAMES,
    };
    for (wanted, sought) in [
        (GameResult::Won, GameProblem::Won),
        (GameResult::Lost, GameProblem::Lost),
        (GameResult::Draw, GameProblem::Draw),
    ] {
        for game in 0..max_games {
            if games.ends.contains(&wanted) || games.problems.contains_key(&sought) {
                break;
            }
            let never_finishes = games.finished == 0 && odd_games >= MAX_ODD_GAMES;
            if never_finishes || games.problems.contains_key(&GameProblem::NoAnswer) {
                return Ok(games);
            }
            let mut connection = checker.admitted()?;
            games.played += 1;
            let played = play_out(
                &mut connection,
                wanted,
                TACTICS[game % 6],
                &mut checker.move_source,
            );
            match played {
                Ok(played) => {
                    connection.remove_unasked();
                    games.finished += 1;
                    games.ends.push(played.end);
                    games.has_cell |= played.has_cell;
                    games.wrong_id = games.wrong_id.take().or(played.wrong_id);
                    if let (None, Some(Stop::Broken(finding))) =
                        (&games.wrong_cell, played.wrong_cell)
                    {
                        games.wrong_cell = Some(*finding);
                    }
                }
                Err(Deviation {
                    kind,
                    stop: Stop::Broken(finding),
                    flags,
                }) => {
                    odd_games += 1;
                    games.problems.entry(kind).or_insert(*finding);
                    if let Some((right, wrong)) = flags {
                        games.wrong_flags.entry(right as u8).or_insert(wrong);
                    }
                }
                Err(Deviation {
                    stop: stop @ Stop::NotTried(_),
                    ..
                }) => return Err(stop),
            }
        }
    }
    Ok(games)
}

/// Returns the results of the series of games. The first call in each dialect plays the games.
pub(super) fn games(checker: &mut Checker) -> RuleResult<&Games> {
    if checker.games.is_none() {
        let games = play_series(checker)?;
        checker.games = Some(games);
    }
    checker
        .games
        .as_ref()
        .ok_or_else(|| Stop::NotTried("no game was played".to_owned()))
}
