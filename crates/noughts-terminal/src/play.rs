//! At somebody else's table: a person or a robot plays a game that a server keeps, of any variant.
//!
//! The table is reached through a [`RemoteGame`], which is given: no socket is opened here. What happens
//! there is heard through a channel, into which the lines of a person come too.

mod messages;

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use noughts_engine::{EngineSetup, Stop, Strategy, StrategyName, Unfit};
use noughts_rules::{Action, Game, PlaceError, Record, Seat};

use crate::console::{read_line, sentence};

/// A table that is kept somewhere else.
pub trait RemoteGame {
    /// The game as it stands, with who sits where.
    fn look(&self) -> Result<Record, RemoteError>;

    /// Does something at the own seat, in answer to the game as it was in this turn.
    fn act(&self, turn: usize, action: &str) -> Result<(), RemoteError>;
}

/// Why something was not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RemoteError {
    /// The table says no, and why. Nothing has changed.
    Refused(String),
    /// The table can't be reached now.
    Lost(String),
    /// There will be no answer.
    Gone(String),
}

/// What is heard of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayEvent {
    /// Something happened: it is worth a look.
    News,
    /// The connection is lost, and is being made again.
    Lost,
    /// It is there again.
    Back,
    /// It is given up.
    Gone(String),
    /// A person typed something; `None`: there will be no more.
    Line(Option<String>),
}

/// Who plays, and where they sit.
#[derive(Clone, Debug)]
pub struct PlaySettings {
    /// The seat; `None` only watches.
    pub seat: Option<Seat>,
    /// How the robot plays, where one does.
    pub robot: Option<StrategyName>,
}

/// Why a visit ended before its game did.
#[derive(Debug)]
pub enum PlayError {
    /// The robot does not play this game.
    Unfit(Unfit),
    /// The table is not there any more.
    Table(String),
    /// Reading or writing failed.
    Terminal(io::Error),
}

/// How a visit ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayEnd {
    /// The game is over.
    Over,
    /// The person left, and the game goes on.
    Left,
}

/// So much may wait to be looked at; then who brings more must wait.
const MOST_WAITING: usize = 16;

/// So much may be typed ahead.
const MOST_TYPED: usize = 256;

/// A channel for what is heard. A person's lines come into it from a thread of its own, which outlives
/// the visit if it waits for a line then.
pub fn hear(
    input: Option<impl BufRead + Send + 'static>,
) -> (SyncSender<PlayEvent>, Receiver<PlayEvent>) {
    let (sender, events) = sync_channel(MOST_WAITING);
    if let Some(mut input) = input {
        let lines = sender.clone();
        thread::spawn(move || {
            loop {
                let line = read_line(&mut input).ok().flatten();
                let has_ended = line.is_none();
                if lines.send(PlayEvent::Line(line)).is_err() || has_ended {
                    return;
                }
            }
        });
    }
    (sender, events)
}

/// Plays at a table, or watches there, until the game is over or the person leaves.
pub fn play(
    settings: &PlaySettings,
    engine_setup: &EngineSetup,
    remote: &impl RemoteGame,
    events: Receiver<PlayEvent>,
    output: impl Write,
) -> Result<PlayEnd, PlayError> {
    let mut session = Session {
        settings,
        remote,
        events,
        output,
        typed: VecDeque::new(),
        has_ended: false,
        shown: None,
        waits: None,
        open: None,
    };
    session.make(engine_setup)
}

struct Session<'v, T, O> {
    settings: &'v PlaySettings,
    remote: &'v T,
    events: Receiver<PlayEvent>,
    output: O,
    /// Lines for the next questions.
    typed: VecDeque<String>,
    /// No more will be typed.
    has_ended: bool,
    /// So many turns were told.
    shown: Option<usize>,
    /// For whom it was said that they are waited for, and in which turn.
    waits: Option<(usize, Option<Seat>)>,
    /// The prompt's line stands open since so many turns.
    open: Option<usize>,
}

impl<T: RemoteGame, O: Write> Session<'_, T, O> {
    fn make(&mut self, engine_setup: &EngineSetup) -> Result<PlayEnd, PlayError> {
        let mut record = self.look()?;
        let mut robot = match &self.settings.robot {
            Some(name) => {
                let robot = name.build(record.game(), engine_setup);
                Some(robot.map_err(PlayError::Unfit)?)
            }
            None => None,
        };
        self.tell(messages::welcome(&record, self.settings))?;
        loop {
            self.show(&record)?;
            if record.game().conclusion().is_some() {
                self.tell(messages::end(&record, self.settings.seat))?;
                self.output.flush()?;
                return Ok(PlayEnd::Over);
            }
            let is_own =
                self.settings.seat.is_some() && record.game().to_move() == self.settings.seat;
            let action = match &mut robot {
                Some(robot) if is_own => {
                    let chosen = choose(robot.as_mut(), record.game());
                    Some(record.game().format_action(chosen))
                }
                None if is_own => match self.ask(&record)? {
                    Step::Act(action) => Some(action),
                    Step::Look => None,
                    Step::Exit => return Ok(PlayEnd::Left),
                },
                Some(_) | None => match self.wait(&record)? {
                    Step::Act(action) => Some(action),
                    Step::Look => None,
                    Step::Exit => return Ok(PlayEnd::Left),
                },
            };
            if let Some(action) = action {
                self.act(record.game(), &action)?;
            }
            record = self.look()?;
        }
    }

    /// Asks for a move until there is one that the rules allow, or something else happens.
    fn ask(&mut self, record: &Record) -> Result<Step, PlayError> {
        let game = record.game();
        loop {
            if self.typed.is_empty() {
                if self.has_ended {
                    return Ok(Step::Exit);
                }
                self.prompt(game)?;
            }
            let Some(line) = self.line()? else {
                return Ok(Step::Look);
            };
            if let Some(step) = self.command(game, &line)? {
                return Ok(step);
            }
        }
    }

    /// Waits until something happens; a person may leave or give up meanwhile.
    fn wait(&mut self, record: &Record) -> Result<Step, PlayError> {
        let game = record.game();
        let waits = Some((game.turns().len(), game.to_move()));
        if self.waits != waits && self.settings.robot.is_none() {
            self.waits = waits;
            self.tell(messages::waiting(record))?;
        }
        if self.has_ended && self.settings.seat.is_some() && self.typed.is_empty() {
            return Ok(Step::Exit);
        }
        self.output.flush()?;
        match self.next()? {
            PlayEvent::Line(Some(line)) => match line.trim() {
                ":q" => Ok(Step::Exit),
                "resign" if self.settings.seat.is_some() => Ok(Step::Act("resign".to_owned())),
                _ => {
                    if self.typed.len() < MOST_TYPED {
                        self.typed.push_back(line);
                    }
                    Ok(Step::Look)
                }
            },
            PlayEvent::Line(None)
            | PlayEvent::News
            | PlayEvent::Lost
            | PlayEvent::Back
            | PlayEvent::Gone(_) => Ok(Step::Look),
        }
    }

    /// What a line means; `None` where it was explained what would mean something.
    fn command(&mut self, game: &Game, line: &str) -> Result<Option<Step>, PlayError> {
        let line = line.trim();
        let seat = self.settings.seat.unwrap_or(Seat(0));
        let explained = match line {
            ":q" => return Ok(Some(Step::Exit)),
            "?" | "help" | "" => messages::HELP.to_owned(),
            _ => match game.parse_action(&line.replace(' ', "-")) {
                Ok(action) => match game.check(seat, action) {
                    Ok(()) => return Ok(Some(Step::Act(game.format_action(action)))),
                    Err(refusal) => sentence(refusal),
                },
                Err(error @ PlaceError::OffBoard { .. }) => sentence(error),
                Err(PlaceError::Unreadable { .. }) => messages::unreadable(line),
            },
        };
        self.tell(explained)?;
        Ok(None)
    }

    fn act(&mut self, game: &Game, action: &str) -> Result<(), PlayError> {
        let turn = game.turns().len() + 1;
        match self.remote.act(turn, action) {
            Ok(()) => Ok(()),
            // The game has gone on, or the table knows better; what it says is what counts.
            Err(RemoteError::Refused(why)) => match self.settings.robot {
                Some(_) => self.until_news(),
                None => Ok(self.tell(sentence(why))?),
            },
            // It may be stored or not: a look tells.
            Err(RemoteError::Lost(_)) => self.until_news(),
            Err(RemoteError::Gone(why)) => Err(PlayError::Table(why)),
        }
    }

    fn until_news(&mut self) -> Result<(), PlayError> {
        self.next().map(|_| ())
    }

    /// The table as it stands, asked for until it answers.
    fn look(&mut self) -> Result<Record, PlayError> {
        loop {
            match self.remote.look() {
                Ok(record) => return Ok(record),
                Err(RemoteError::Lost(_)) => self.until_news()?,
                Err(RemoteError::Refused(why) | RemoteError::Gone(why)) => {
                    return Err(PlayError::Table(why));
                }
            }
        }
    }

    /// The next line, unless something happens first.
    fn line(&mut self) -> Result<Option<String>, PlayError> {
        if let Some(line) = self.typed.pop_front() {
            return Ok(Some(line));
        }
        self.output.flush()?;
        match self.next()? {
            PlayEvent::Line(line) => {
                self.open = None;
                Ok(line)
            }
            PlayEvent::News | PlayEvent::Lost | PlayEvent::Back | PlayEvent::Gone(_) => Ok(None),
        }
    }

    fn next(&mut self) -> Result<PlayEvent, PlayError> {
        let gone = || PlayEvent::Gone("the remote is not events any more".to_owned());
        let events = self.events.recv().unwrap_or_else(|_| gone());
        match &events {
            PlayEvent::Gone(why) => return Err(PlayError::Table(why.clone())),
            PlayEvent::Lost => self.tell(messages::LOST)?,
            PlayEvent::Back => self.tell(messages::BACK)?,
            PlayEvent::Line(None) => self.has_ended = true,
            PlayEvent::Line(Some(_)) | PlayEvent::News => {}
        }
        Ok(events)
    }

    /// Tells the turns since the last look, and draws the board where there were any.
    fn show(&mut self, record: &Record) -> Result<(), PlayError> {
        let turns = record.game().turns().len();
        if self.shown == Some(turns) {
            return Ok(());
        }
        let since = self.shown.unwrap_or(turns);
        for turn in record.game().turns().get(since..).unwrap_or_default() {
            self.tell(messages::turn(record, turn, self.settings.seat))?;
        }
        self.shown = Some(turns);
        self.tell("")?;
        self.tell(messages::board(record.game()))?;
        self.tell("")?;
        Ok(self.output.flush()?)
    }

    fn tell(&mut self, words: impl Display) -> io::Result<()> {
        if self.open.take().is_some() {
            writeln!(self.output)?;
        }
        writeln!(self.output, "{words}")
    }

    /// Asks for a move, once however much else happens meanwhile.
    fn prompt(&mut self, game: &Game) -> io::Result<()> {
        let turns = Some(game.turns().len());
        if self.open != turns {
            write!(self.output, "{} ", messages::prompt(game))?;
            self.open = turns;
        }
        self.output.flush()
    }
}

/// What a person decided, or that something happened meanwhile.
enum Step {
    Act(String),
    Look,
    Exit,
}

fn choose(robot: &mut dyn Strategy, game: &Game) -> Action {
    Action::Play(robot.choose(game, &Stop::new()).at)
}

impl From<io::Error> for PlayError {
    fn from(error: io::Error) -> PlayError {
        PlayError::Terminal(error)
    }
}
