//! `engine:COMMAND`: external engines as robots.
//!
//! An engine may hang, send endless output, crash or play an illegal move. In each of these cases the result is a
//! [`RobotFault`] with the reason, and the engine's process is killed.

mod process;

use std::sync::Arc;
use std::time::{Duration, Instant};

use noughts_engine::{Decision, EngineHost, Engines, Robot, RobotFault, RobotFaultKind, Stop};
use noughts_process::Line;
use noughts_rules::{Action, Game, Play, PlayIn, Quoted, Side, Variant};

use self::process::{EngineProcess, Reply};
use crate::protocol;

/// Maximum number of lines that are read for one answer. Messages before the answer are skipped: empty lines, and lines
/// with `MESSAGE`, `DEBUG` or `SUGGEST`.
const MAX_LINES: usize = 100_000;

/// Runs external engines within limits.
#[derive(Clone, Copy, Debug)]
pub struct ExternalEngines {
    /// Time per move.
    pub move_time: Duration,
    /// Maximum number of search nodes per move, sent as `INFO max_node`. `None` sends no limit.
    pub nodes: Option<u64>,
    /// Additional time after `move_time` before an engine loses on time.
    pub tolerance: Duration,
    /// Maximum time for the answer to `START`.
    pub start_timeout: Duration,
    /// Maximum time to exit after `END`.
    pub exit_timeout: Duration,
}

impl Default for ExternalEngines {
    fn default() -> ExternalEngines {
        ExternalEngines {
            move_time: Duration::from_secs(1),
            nodes: None,
            tolerance: Duration::from_millis(500),
            start_timeout: Duration::from_secs(10),
            exit_timeout: Duration::from_secs(1),
        }
    }
}

impl ExternalEngines {
    /// Returns a parser of robot names that also accepts `engine:COMMAND`. The external engines run within
    /// these limits.
    pub fn engines(self) -> Engines {
        Engines::hosted_by(Arc::new(self))
    }
}

impl EngineHost for ExternalEngines {
    fn check(&self, command: &str, game: &Game) -> Result<(), String> {
        check(game)?;
        let mut engine = ExternalEngine::new(command, *self);
        let started = engine.start(game.variant(), &Stop::new());
        let started = started.map(drop).map_err(|fault| fault.to_string());
        engine.kill();
        started
    }

    fn create_robot(&self, command: &str) -> Box<dyn Robot> {
        Box::new(ExternalEngine::new(command, *self))
    }
}

/// Checks that each side has exactly one seat, in the order of the sides. The protocol identifies a side only
/// by its place in the order of turns.
fn check(game: &Game) -> Result<(), String> {
    let mut order = game.order().iter().enumerate();
    match order.all(|(seat, side)| side.index() == seat) {
        true => Ok(()),
        false => Err("programs play games in which every side has one seat".to_owned()),
    }
}

/// An engine in one game.
struct ExternalEngine {
    command: String,
    limits: ExternalEngines,
    process: Option<EngineProcess>,
    /// The moves that the engine knows: the moves sent to the engine, and the engine's replies. `None` before
    /// the first request.
    known_moves: Option<Vec<Play>>,
}

impl ExternalEngine {
    fn new(command: &str, limits: ExternalEngines) -> ExternalEngine {
        ExternalEngine {
            command: command.to_owned(),
            limits,
            process: None,
            known_moves: None,
        }
    }

    fn start(&mut self, variant: &Variant, stop: &Stop) -> Result<&mut EngineProcess, RobotFault> {
        if self.process.is_none() {
            let process = EngineProcess::start(&self.command)
                .map_err(|error| crash(format!("could not be started: {error}")))?;
            self.known_moves = None;
            let process = self.process.insert(process);
            process.send(&protocol::start_lines(variant));
            let deadline = Instant::now() + self.limits.start_timeout;
            let reply = answer(process, deadline, stop)?;
            let Some(reply) = reply else {
                return Err(RobotFault {
                    kind: RobotFaultKind::Time,
                    reason: format!(
                        "did not answer START in {} ms",
                        self.limits.start_timeout.as_millis()
                    ),
                });
            };
            if !reply.trim().eq_ignore_ascii_case("OK") {
                return Err(crash(format!(
                    "answered START with {} instead of OK",
                    Quoted::from(reply.trim())
                )));
            }
            let rule = protocol::rule_line(variant).into_iter();
            process.send(&rule.chain(self.limits.info_lines()).collect::<Vec<_>>());
        }
        self.process
            .as_mut()
            .ok_or_else(|| crash("was not started".to_owned()))
    }

    fn ask(&mut self, game: &Game, stop: &Stop) -> Result<Decision, RobotFault> {
        let limits = self.limits;
        let known = self.known_moves.take();
        let process = self.start(game.variant(), stop)?;
        let lines = position_lines(game, known.as_deref());
        if lines.first().is_some_and(|line| line == "RESTART") {
            process.send(&lines[..1]);
            let deadline = Instant::now() + limits.start_timeout;
            match answer(process, deadline, stop)? {
                Some(reply) if reply.trim().eq_ignore_ascii_case("OK") => {}
                _ => return Err(crash("did not answer RESTART with OK".to_owned())),
            }
            process.send(&lines[1..]);
        } else {
            process.send(&lines);
        }
        let asked = Instant::now();
        let reply = answer(process, asked + limits.move_time + limits.tolerance, stop)?;
        let Some(reply) = reply else {
            return Err(RobotFault {
                kind: RobotFaultKind::Time,
                reason: format!(
                    "sent no move within {} ms and {} ms of tolerance",
                    limits.move_time.as_millis(),
                    limits.tolerance.as_millis()
                ),
            });
        };
        let illegal = |why: String| RobotFault {
            kind: RobotFaultKind::Illegal,
            reason: format!("played {}, {why}", Quoted::from(reply.trim())),
        };
        let at = protocol::read_move(game.variant(), reply.trim())
            .ok_or_else(|| illegal("which is not a move on this board".to_owned()))?;
        let seat = game
            .to_move()
            .ok_or_else(|| crash("was asked for a move in a game that is over".to_owned()))?;
        game.check(seat, Action::Play(at))
            .map_err(|refusal| illegal(format!("which is not legal: {refusal}")))?;
        let mut known = game.plays().to_vec();
        known.push(Play {
            by: game.order()[usize::from(seat.0)],
            at,
        });
        self.known_moves = Some(known);
        Ok(at.into())
    }

    fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.end(Duration::from_millis(100).min(self.limits.exit_timeout));
        }
        self.known_moves = None;
    }
}

impl Robot for ExternalEngine {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Result<Decision, RobotFault> {
        check(game).map_err(|reason| crash(format!("can't play: {reason}")))?;
        let asked = self.ask(game, stop);
        if asked.is_err() {
            // Dropping the process kills it. Otherwise a late answer could be mistaken for the answer to the
            // next request.
            self.process = None;
            self.known_moves = None;
        }
        asked
    }

    fn finish(&mut self) -> Result<(), RobotFault> {
        let Some(process) = self.process.take() else {
            return Ok(());
        };
        match process.end(self.limits.exit_timeout) {
            true => Ok(()),
            false => Err(RobotFault {
                kind: RobotFaultKind::DidNotExit,
                reason: format!(
                    "did not exit within {} ms after END and was killed",
                    self.limits.exit_timeout.as_millis()
                ),
            }),
        }
    }
}

impl Drop for ExternalEngine {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.end(self.limits.exit_timeout);
        }
    }
}

impl ExternalEngines {
    /// The limits as `INFO` lines.
    fn info_lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("INFO timeout_turn {}", self.move_time.as_millis()),
            "INFO timeout_match 0".to_owned(),
            "INFO time_left 2147483647".to_owned(),
            "INFO max_memory 0".to_owned(),
            "INFO game_type 1".to_owned(),
            "INFO thread_num 1".to_owned(),
        ];
        lines.extend(self.nodes.map(|nodes| format!("INFO max_node {nodes}")));
        lines
    }
}

/// The lines that ask for the next move:
/// - `TURN` with the opponent's move, if the game has two sides that moved in turn, and the engine knows all earlier
///   moves (`known`),
/// - `BEGIN`, if no move was made and the game starts from the empty board,
/// - `BOARD` with all marks in all other cases.
///
/// If the engine already knows some moves, `RESTART` comes before `BEGIN` or `BOARD`.
fn position_lines(game: &Game, known: Option<&[Play]>) -> Vec<String> {
    let variant = game.variant();
    let plays = game.plays();
    let is_new = known.is_none();
    if let (Some(known), [before @ .., last]) = (known, plays)
        && variant.sides() == 2
        && before == known
        && is_in_turn(game)
    {
        return vec![format!("TURN {}", protocol::format_move(variant, last.at))];
    }
    let mut lines = Vec::new();
    if !is_new {
        lines.push("RESTART".to_owned());
    }
    if plays.is_empty() && game.start().is_none() && game.to_move().is_some_and(|seat| seat.0 == 0)
    {
        lines.push("BEGIN".to_owned());
        return lines;
    }
    lines.push("BOARD".to_owned());
    lines.extend(marks(game));
    if !is_in_turn(game)
        && let Some(play_in) = game.diagram().play_in
    {
        lines.push(match play_in {
            PlayIn::AnyOpen => "in any".to_owned(),
            PlayIn::Board(board) => format!("in {board}"),
        });
    }
    lines.push("DONE".to_owned());
    lines
}

/// Whether the sides moved in turn from the start, so that the order of the marks describes the game.
fn is_in_turn(game: &Game) -> bool {
    let sides = game.order().len();
    let mut plays = game.plays().iter().enumerate();
    let next = game.to_move().map_or(0, |seat| usize::from(seat.0));
    game.start().is_none()
        && plays.all(|(turn, play)| play.by.index() == turn % sides)
        && next == game.plays().len() % sides
}

/// All marks as lines of a `BOARD` command. Owner 1 is the side to move, 2 is the next side, and so on.
fn marks(game: &Game) -> Vec<String> {
    let variant = game.variant();
    let sides = usize::from(variant.sides());
    let own = game
        .to_move()
        .map_or(0, |seat| game.order()[usize::from(seat.0)].index());
    let line = |at, side: Side| {
        let owner = (side.index() + sides - own) % sides + 1;
        format!("{},{owner}", protocol::format_move(variant, at))
    };
    if game.start().is_none() {
        return game
            .plays()
            .iter()
            .map(|play| line(play.at, play.by))
            .collect();
    }
    let diagram = game.diagram();
    let cells = diagram.marks.iter().enumerate();
    cells
        .filter_map(|(cell, mark)| Some(line(noughts_rules::Move::at(cell), (*mark)?)))
        .collect()
}

/// Waits for an answer and skips messages. Returns `None` if no answer comes before the deadline.
fn answer(
    process: &mut EngineProcess,
    deadline: Instant,
    stop: &Stop,
) -> Result<Option<String>, RobotFault> {
    for _ in 0..MAX_LINES {
        let line = match process.receive(deadline, stop) {
            Reply::Line(Line::Text(line)) => line,
            Reply::Line(Line::TooLong) => {
                return Err(crash("sent a line that is too long".to_owned()));
            }
            Reply::Timeout => return Ok(None),
            Reply::Closed => return Err(crash(process.describe_exit())),
            Reply::Stopped => {
                return Err(RobotFault {
                    kind: RobotFaultKind::Stopped,
                    reason: "was stopped".to_owned(),
                });
            }
        };
        let word = line.split_whitespace().next().unwrap_or_default();
        match word.to_ascii_uppercase().as_str() {
            "" | "MESSAGE" | "DEBUG" | "SUGGEST" => {}
            "ERROR" | "UNKNOWN" => {
                return Err(crash(format!("answered {}", Quoted::from(line.trim()))));
            }
            _ => return Ok(Some(line)),
        }
    }
    Err(crash("sent too many messages and no move".to_owned()))
}

fn crash(reason: String) -> RobotFault {
    RobotFault {
        kind: RobotFaultKind::Crash,
        reason,
    }
}
