//! `engine:COMMAND`: programs that speak the Gomocup protocol, at a seat like everybody else.
//!
//! A program may hang, flood, crash or play what can't be played. Each is a [`Fault`] that says what
//! it was, and in any case the program is ended.

mod process;

use std::sync::Arc;
use std::time::{Duration, Instant};

use noughts_engine::{Decision, Engines, Fault, FaultKind, Host, Robot, Stop};
use noughts_process::Line;
use noughts_rules::{Action, Game, Play, PlayIn, Quoted, Side, Variant};

use self::process::{EngineProcess, Reply};
use crate::protocol;

/// What a program may say beside its answer to one question: lines of `MESSAGE` and `DEBUG`.
const MOST_LINES: usize = 100_000;

/// How programs are treated.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How long a move may take.
    pub time: Duration,
    /// How many positions a program may look at; told where it is some.
    pub nodes: Option<u64>,
    /// How much longer than its time a program is waited for.
    pub tolerance: Duration,
    /// How long a program may take to start.
    pub start: Duration,
    /// How long a program may take to end when it is told to.
    pub grace: Duration,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            time: Duration::from_secs(1),
            nodes: None,
            tolerance: Duration::from_millis(500),
            start: Duration::from_secs(10),
            grace: Duration::from_secs(1),
        }
    }
}

impl Terms {
    /// The right to name programs, which are treated so.
    pub fn engines(self) -> Engines {
        Engines::hosted_by(Arc::new(Terms { ..self }))
    }
}

impl Host for Terms {
    fn try_out(&self, command: &str, game: &Game) -> Result<(), String> {
        check(game)?;
        let mut guest = Guest::new(command, *self);
        let started = guest.start(game.variant(), &Stop::new());
        let started = started.map(drop).map_err(|fault| fault.to_string());
        guest.kill();
        started
    }

    fn seat(&self, command: &str) -> Box<dyn Robot> {
        Box::new(Guest::new(command, *self))
    }
}

/// The protocol knows a side by when it moves, so each has one seat.
fn check(game: &Game) -> Result<(), String> {
    let mut order = game.order().iter().enumerate();
    match order.all(|(seat, side)| side.index() == seat) {
        true => Ok(()),
        false => Err("programs play games in which every side has one seat".to_owned()),
    }
}

/// One program in one game.
struct Guest {
    command: String,
    terms: Terms,
    process: Option<EngineProcess>,
    /// What it has on its board, its own last move included.
    told: Option<Vec<Play>>,
}

impl Guest {
    fn new(command: &str, terms: Terms) -> Guest {
        Guest {
            command: command.to_owned(),
            terms,
            process: None,
            told: None,
        }
    }

    fn start(&mut self, variant: &Variant, stop: &Stop) -> Result<&mut EngineProcess, Fault> {
        if self.process.is_none() {
            let process = EngineProcess::start(&self.command)
                .map_err(|error| crash(format!("could not be started: {error}")))?;
            self.told = None;
            let process = self.process.insert(process);
            process.send(&protocol::introduction(variant));
            let until = Instant::now() + self.terms.start;
            let said = answer(process, until, stop)?;
            let Some(said) = said else {
                return Err(Fault {
                    kind: FaultKind::Time,
                    reason: format!(
                        "did not answer START in {} ms",
                        self.terms.start.as_millis()
                    ),
                });
            };
            if !said.trim().eq_ignore_ascii_case("OK") {
                return Err(crash(format!(
                    "answered START with {} instead of OK",
                    Quoted::from(said.trim())
                )));
            }
            let rule = protocol::rule(variant).into_iter();
            process.send(&rule.chain(self.terms.limits()).collect::<Vec<_>>());
        }
        self.process
            .as_mut()
            .ok_or_else(|| crash("was not started".to_owned()))
    }

    fn ask(&mut self, game: &Game, stop: &Stop) -> Result<Decision, Fault> {
        let terms = self.terms;
        let told = self.told.take();
        let process = self.start(game.variant(), stop)?;
        let lines = question(game, told.as_deref());
        if lines.first().is_some_and(|line| line == "RESTART") {
            process.send(&lines[..1]);
            let until = Instant::now() + terms.start;
            match answer(process, until, stop)? {
                Some(said) if said.trim().eq_ignore_ascii_case("OK") => {}
                _ => return Err(crash("did not answer RESTART with OK".to_owned())),
            }
            process.send(&lines[1..]);
        } else {
            process.send(&lines);
        }
        let asked = Instant::now();
        let said = answer(process, asked + terms.time + terms.tolerance, stop)?;
        let Some(said) = said else {
            return Err(Fault {
                kind: FaultKind::Time,
                reason: format!(
                    "gave no move in {} ms and {} ms more",
                    terms.time.as_millis(),
                    terms.tolerance.as_millis()
                ),
            });
        };
        let illegal = |why: String| Fault {
            kind: FaultKind::Illegal,
            reason: format!("played {}, {why}", Quoted::from(said.trim())),
        };
        let at = protocol::read_move(game.variant(), said.trim())
            .ok_or_else(|| illegal("which is no move on this board".to_owned()))?;
        let seat = game
            .to_move()
            .ok_or_else(|| crash("was asked for a move in a game that is over".to_owned()))?;
        game.check(seat, Action::Play(at))
            .map_err(|refusal| illegal(format!("which is not legal: {refusal}")))?;
        let mut told = game.plays().to_vec();
        told.push(Play {
            by: game.order()[usize::from(seat.0)],
            at,
        });
        self.told = Some(told);
        Ok(at.into())
    }

    fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.end(Duration::from_millis(100).min(self.terms.grace));
        }
        self.told = None;
    }
}

impl Robot for Guest {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Result<Decision, Fault> {
        check(game).map_err(|reason| crash(format!("can't play: {reason}")))?;
        let asked = self.ask(game, stop);
        if asked.is_err() {
            // Whatever it says from now on is no answer to the next question.
            self.process = None;
            self.told = None;
        }
        asked
    }

    fn part(&mut self) -> Result<(), Fault> {
        let Some(process) = self.process.take() else {
            return Ok(());
        };
        match process.end(self.terms.grace) {
            true => Ok(()),
            false => Err(Fault {
                kind: FaultKind::Stubborn,
                reason: format!(
                    "did not end {} ms after END, and was ended",
                    self.terms.grace.as_millis()
                ),
            }),
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.end(self.terms.grace);
        }
    }
}

impl Terms {
    /// The limits in the words of the protocol.
    fn limits(&self) -> Vec<String> {
        let mut lines = vec![
            format!("INFO timeout_turn {}", self.time.as_millis()),
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

/// What to say for the next move: the other's move where that is all that is new, else the whole
/// board.
fn question(game: &Game, told: Option<&[Play]>) -> Vec<String> {
    let variant = game.variant();
    let plays = game.plays();
    let is_new = told.is_none();
    if let (Some(told), [before @ .., last]) = (told, plays)
        && variant.sides() == 2
        && before == told
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

/// Whether sides took turns from the first on, so that the order of marks says everything.
fn is_in_turn(game: &Game) -> bool {
    let sides = game.order().len();
    let mut plays = game.plays().iter().enumerate();
    let next = game.to_move().map_or(0, |seat| usize::from(seat.0));
    game.start().is_none()
        && plays.all(|(turn, play)| play.by.index() == turn % sides)
        && next == game.plays().len() % sides
}

/// Every mark with its owner, counted from the side to move.
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

/// The line that answers, past everything that is only said; `None` where none came in time.
fn answer(
    process: &mut EngineProcess,
    until: Instant,
    stop: &Stop,
) -> Result<Option<String>, Fault> {
    for _ in 0..MOST_LINES {
        let line = match process.receive(until, stop) {
            Reply::Line(Line::Text(line)) => line,
            Reply::Line(Line::TooLong) => {
                return Err(crash("wrote a line without end".to_owned()));
            }
            Reply::Timeout => return Ok(None),
            Reply::Closed => return Err(crash(process.describe_exit())),
            Reply::Stopped => {
                return Err(Fault {
                    kind: FaultKind::Stopped,
                    reason: "was told to stop".to_owned(),
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
    Err(crash("talked without end and gave no move".to_owned()))
}

fn crash(reason: String) -> Fault {
    Fault {
        kind: FaultKind::Crash,
        reason,
    }
}
