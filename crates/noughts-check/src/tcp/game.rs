//! The rules within a game.

use std::collections::BTreeMap;

use noughts_wire::{Cell, Dialect, FromServer, GameResult, NO_CELL};

use super::connection::{Connection, Expected, Received};
use super::{Chance, Checker, TcpRule, document};
use crate::board::{Board, Tactic};
use crate::frame::{hex, server_words};
use crate::verdict::{Finding, RuleResult, Stop};

pub(super) const RULES: [TcpRule; 17] = [
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

/// The ways in which a game can go wrong. Each has a rule.
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
    /// The first frame with a wrong id.
    wrong_id: Option<WrongId>,
    /// The first RESULT with a wrong cell.
    wrong_cell: Option<Finding>,
    /// A RESULT had a cell.
    has_cell: bool,
    /// The wrong flag of the first RESULT with a wrong flag, by the right flag.
    wrong_flags: BTreeMap<u8, GameResult>,
}

/// A frame whose id is not the session's.
#[derive(Clone)]
struct WrongId {
    own: u32,
    id: u32,
    finding: Finding,
}

/// A game that went wrong.
struct Oddity {
    odd: Odd,
    stop: Stop,
    /// The right and the wrong flag of RESULT.
    flags: Option<(GameResult, GameResult)>,
}

impl From<(Odd, Stop)> for Oddity {
    fn from((odd, stop): (Odd, Stop)) -> Oddity {
        Oddity {
            odd,
            stop,
            flags: None,
        }
    }
}

impl Games {
    /// Whether the flags for won and lost are swapped, which is one fault.
    fn has_swapped_flags(&self) -> bool {
        let wrong = |flag: GameResult| self.wrong_flags.get(&(flag as u8)).copied();
        wrong(GameResult::Won) == Some(GameResult::Lost)
            && wrong(GameResult::Lost) == Some(GameResult::Won)
    }

    /// Why something was not observed: the first problem that ended games.
    fn prevented(&self, otherwise: &str) -> Stop {
        match self.odd.iter().next() {
            Some((odd, finding)) => {
                Stop::NotTried(format!("prevented by {}: {}", odd.rule(), finding.problem))
            }
            None => Stop::NotTried(otherwise.to_owned()),
        }
    }
}

/// A finished game.
struct Played {
    end: GameResult,
    wrong_id: Option<WrongId>,
    wrong_cell: Option<Stop>,
    has_cell: bool,
    /// The client's first cell, and the server's.
    opening: Vec<Cell>,
}

/// Plays from the client's first move to RESULT.
fn play_out(
    connection: &mut Connection,
    wanted: GameResult,
    tactic: Tactic,
    chance: &mut Chance,
) -> Result<Played, Oddity> {
    let mut board = Board::new();
    let mut game = Played {
        end: GameResult::Draw,
        wrong_id: None,
        wrong_cell: None,
        has_cell: false,
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
                return Err((odd, connection.broken(&expected, &received).prefixed(why)).into());
            };
            if *flag != end {
                let why = match end {
                    GameResult::Won => "the client has completed a line, but ",
                    GameResult::Lost | GameResult::Draw => "the board is full without a line, but ",
                };
                return Err(Oddity {
                    odd,
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
            chance.replies.note(&before, reply);
            if game.opening.len() == 1 {
                game.opening.push(reply);
            }
        }
    }
}

/// The server's answer to a move that did not end the game. Returns how the answer ended the game, if it did.
fn answer(
    connection: &Connection,
    board: &mut Board,
    received: &Received,
    game: &mut Played,
) -> Result<Option<GameResult>, Oddity> {
    let expected = Expected::action(connection.id);
    match received {
        Received::Frame(FromServer::Action { cell, .. }, bytes) => {
            let told = |problem: &str, odd, expected: &Expected| {
                let words = server_words(bytes, connection.dialect);
                let stop = connection.found(problem, expected, &hex(bytes), &words);
                Oddity::from((odd, stop))
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
                return Err((Odd::Early, stop).into());
            }
            let expected = result(connection, GameResult::Lost, winning.first().copied());
            if *flag != GameResult::Lost {
                return Err(Oddity {
                    odd: Odd::Lost,
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
        received => Err((Odd::NoAnswer, connection.broken(&expected, received)).into()),
    }
}

/// Checks whether a frame has an id other than the session's.
fn wrong_id(connection: &Connection, received: &Received) -> Option<WrongId> {
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
    if id == own {
        return None;
    }
    let expected = Expected::new(
        format!("{:02x} {} …", bytes[0], hex(&own.to_be_bytes())),
        format!("the session's id, {own}"),
    );
    let words = server_words(bytes, connection.dialect);
    let problem = format!(
        "the frame has the id {id}, and the session's is {own}{}",
        reversed(own, id)
    );
    match connection.found(problem, &expected, &hex(bytes), &words) {
        Stop::Broken(finding) => Some(WrongId {
            own,
            id,
            finding: *finding,
        }),
        Stop::NotTried(_) => None,
    }
}

/// The words for an id with bytes in the wrong order.
pub(super) fn reversed(own: u32, id: u32) -> &'static str {
    match id == own.swap_bytes() && id != own {
        true => ": the bytes of the id are in the wrong order, little endian instead of big endian",
        false => "",
    }
}

/// Reports a wrong id, unless an earlier rule has reported an id that is wrong in the same way.
fn report_wrong_id(checker: &mut Checker, rule: &'static str, wrong: &WrongId) -> RuleResult {
    let WrongId { own, id, finding } = wrong;
    let is_same = |(_, other_own, other_id): &&(&str, u32, u32)| {
        id == other_id
            || id.wrapping_sub(*own) == other_id.wrapping_sub(*other_own)
            || id ^ own == other_id ^ other_own
            || *id == own.swap_bytes() && *other_id == other_own.swap_bytes()
    };
    let reported_by = checker.wrong_ids.iter().find(is_same).map(|one| one.0);
    let stop = Stop::broken(finding.clone());
    checker.wrong_ids.push((rule, *own, *id));
    Err(match reported_by {
        Some(other) => stop.same_as(other),
        None => stop,
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

/// Maximum number of games that are played to reach one kind of end, each in its own session.
const MAX_GAMES: usize = 24;

/// The same for a slow server.
const MAX_SLOW_GAMES: usize = 4;

const TACTICS: [Tactic; 6] = [
    Tactic::Expectimax,
    Tactic::Learned,
    Tactic::Minimax,
    Tactic::Learned,
    Tactic::Random,
    Tactic::Learned,
];

/// After this many games that went wrong in the same way, the kit gives up.
const MAX_ODD_GAMES: usize = 6;

/// Plays until games were won, lost and drawn, or until nothing more can be learned.
fn play_series(checker: &mut Checker) -> RuleResult<Games> {
    let mut games = Games::default();
    let mut odd_games = 0;
    let max_games = match checker.broken.contains(&"prompt") {
        true => MAX_SLOW_GAMES,
        false => MAX_GAMES,
    };
    for (wanted, sought) in [
        (GameResult::Won, Odd::Won),
        (GameResult::Lost, Odd::Lost),
        (GameResult::Draw, Odd::Draw),
    ] {
        for game in 0..max_games {
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
                Err(Oddity {
                    odd,
                    stop: Stop::Broken(finding),
                    flags,
                }) => {
                    odd_games += 1;
                    games.odd.entry(odd).or_insert(*finding);
                    if let Some((right, wrong)) = flags {
                        games.wrong_flags.entry(right as u8).or_insert(wrong);
                    }
                }
                Err(Oddity {
                    stop: stop @ Stop::NotTried(_),
                    ..
                }) => return Err(stop),
            }
        }
    }
    Ok(games)
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
    let is_slow = checker.broken.contains(&"prompt");
    let games = games(checker)?;
    if let Some(finding) = games.odd.get(&sought) {
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
    let mut connection = checker.greeted()?;
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

/// If a server did not answer one mistake, the kit does not wait for it again.
pub(super) fn answers_mistakes(checker: &Checker, rule: &str) -> RuleResult {
    match checker.mistakes.get(rule).map(String::as_str) {
        Some(NOTHING) => Err(Stop::NotTried(format!(
            "prevented by {rule}: the server does not answer a mistake"
        ))),
        Some(_) | None => Ok(()),
    }
}

const NOTHING: &str = "nothing";

/// Expects the ERROR for a mistake. If two rules with the same ERROR get the same wrong answer, it is one
/// fault.
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

/// Checks the turn after a cell off the board, and after a taken cell.
fn errors_keep_the_turn(checker: &mut Checker) -> RuleResult {
    checker.sends_errors()?;
    checker.plays()?;
    if checker.broken.contains(&"one-answer") {
        // A move of the server that answers no request may have taken the cell.
        let why = "prevented by one-answer: frames come that answer nothing";
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

/// Plays one more move and checks its answer.
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

/// Plays twice: the first cells of the last game must be free again.
fn plays_again(checker: &mut Checker) -> RuleResult {
    let games = games(checker)?;
    if games.finished == 0 {
        return Err(games.prevented("no game came to its end"));
    }
    let lost_rule = match games.has_swapped_flags() {
        true => Odd::Won.rule(),
        false => Odd::Lost.rule(),
    };
    for _ in 0..2 {
        let mut connection = checker.admitted()?;
        let last = play_out(
            &mut connection,
            GameResult::Draw,
            Tactic::Minimax,
            &mut checker.chance,
        )
        .map_err(|oddity| {
            let rule = match oddity.odd {
                Odd::Lost => lost_rule,
                odd => odd.rule(),
            };
            oddity.stop.prevented_by(rule)
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

/// Makes a mistake after each step: its ERROR must be the next frame, so any earlier frame was not requested.
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
