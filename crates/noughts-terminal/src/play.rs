//! At somebody else's table: a person or a robot plays a game that a server keeps, of any variant.
//!
//! The table is reached through a [`Table`], which is given: no socket is opened here. What happens
//! there is heard through a channel, into which the lines of a person come too.

mod words;

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use noughts_engine::{Setup as Outside, Stop, Strategy, StrategyName, Unfit};
use noughts_rules::{Action, Game, PlaceError, Record, Seat};

use crate::console::{read_line, sentence};

/// A table that is kept somewhere else.
pub trait Table {
    /// The game as it stands, with who sits where.
    fn look(&self) -> Result<Record, Trouble>;

    /// Does something at the own seat, in answer to the game as it was in this turn.
    fn act(&self, turn: usize, action: &str) -> Result<(), Trouble>;
}

/// Why something was not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The table says no, and why. Nothing has changed.
    Refused(String),
    /// The table can't be reached now.
    Lost(String),
    /// There will be no answer.
    Gone(String),
}

/// What is heard of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
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
pub struct Setup {
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
pub enum Parting {
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
pub fn hear(input: Option<impl BufRead + Send + 'static>) -> (SyncSender<Heard>, Receiver<Heard>) {
    let (sender, heard) = sync_channel(MOST_WAITING);
    if let Some(mut input) = input {
        let lines = sender.clone();
        thread::spawn(move || {
            loop {
                let line = read_line(&mut input).ok().flatten();
                let has_ended = line.is_none();
                if lines.send(Heard::Line(line)).is_err() || has_ended {
                    return;
                }
            }
        });
    }
    (sender, heard)
}

/// Plays at a table, or watches there, until the game is over or the person leaves.
pub fn play(
    setup: &Setup,
    outside: &Outside,
    table: &impl Table,
    heard: Receiver<Heard>,
    output: impl Write,
) -> Result<Parting, PlayError> {
    let mut visit = Visit {
        setup,
        table,
        heard,
        output,
        typed: VecDeque::new(),
        has_ended: false,
        shown: None,
        waits: None,
        open: None,
    };
    visit.make(outside)
}

struct Visit<'v, T, O> {
    setup: &'v Setup,
    table: &'v T,
    heard: Receiver<Heard>,
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

impl<T: Table, O: Write> Visit<'_, T, O> {
    fn make(&mut self, outside: &Outside) -> Result<Parting, PlayError> {
        let mut record = self.look()?;
        let mut robot = match &self.setup.robot {
            Some(name) => {
                let robot = name.build(record.game(), outside);
                Some(robot.map_err(PlayError::Unfit)?)
            }
            None => None,
        };
        self.tell(words::welcome(&record, self.setup))?;
        loop {
            self.show(&record)?;
            if record.game().conclusion().is_some() {
                self.tell(words::end(&record, self.setup.seat))?;
                self.output.flush()?;
                return Ok(Parting::Over);
            }
            let is_own = self.setup.seat.is_some() && record.game().to_move() == self.setup.seat;
            let action = match &mut robot {
                Some(robot) if is_own => {
                    let chosen = choose(robot.as_mut(), record.game());
                    Some(record.game().write(chosen))
                }
                None if is_own => match self.ask(&record)? {
                    Step::Act(action) => Some(action),
                    Step::Look => None,
                    Step::Leave => return Ok(Parting::Left),
                },
                Some(_) | None => match self.wait(&record)? {
                    Step::Act(action) => Some(action),
                    Step::Look => None,
                    Step::Leave => return Ok(Parting::Left),
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
                    return Ok(Step::Leave);
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
        if self.waits != waits && self.setup.robot.is_none() {
            self.waits = waits;
            self.tell(words::waiting(record))?;
        }
        if self.has_ended && self.setup.seat.is_some() && self.typed.is_empty() {
            return Ok(Step::Leave);
        }
        self.output.flush()?;
        match self.next()? {
            Heard::Line(Some(line)) => match line.trim() {
                ":q" => Ok(Step::Leave),
                "resign" if self.setup.seat.is_some() => Ok(Step::Act("resign".to_owned())),
                _ => {
                    if self.typed.len() < MOST_TYPED {
                        self.typed.push_back(line);
                    }
                    Ok(Step::Look)
                }
            },
            Heard::Line(None) | Heard::News | Heard::Lost | Heard::Back | Heard::Gone(_) => {
                Ok(Step::Look)
            }
        }
    }

    /// What a line means; `None` where it was explained what would mean something.
    fn command(&mut self, game: &Game, line: &str) -> Result<Option<Step>, PlayError> {
        let line = line.trim();
        let seat = self.setup.seat.unwrap_or(Seat(0));
        let explained = match line {
            ":q" => return Ok(Some(Step::Leave)),
            "?" | "help" | "" => words::HELP.to_owned(),
            _ => match game.read(&line.replace(' ', "-")) {
                Ok(action) => match game.check(seat, action) {
                    Ok(()) => return Ok(Some(Step::Act(game.write(action)))),
                    Err(refusal) => sentence(refusal),
                },
                Err(error @ PlaceError::OffBoard { .. }) => sentence(error),
                Err(PlaceError::Unreadable { .. }) => words::unreadable(line),
            },
        };
        self.tell(explained)?;
        Ok(None)
    }

    fn act(&mut self, game: &Game, action: &str) -> Result<(), PlayError> {
        let turn = game.turns().len() + 1;
        match self.table.act(turn, action) {
            Ok(()) => Ok(()),
            // The game has gone on, or the table knows better; what it says is what counts.
            Err(Trouble::Refused(why)) => match self.setup.robot {
                Some(_) => self.until_news(),
                None => Ok(self.tell(sentence(why))?),
            },
            // It may be stored or not: a look tells.
            Err(Trouble::Lost(_)) => self.until_news(),
            Err(Trouble::Gone(why)) => Err(PlayError::Table(why)),
        }
    }

    fn until_news(&mut self) -> Result<(), PlayError> {
        self.next().map(|_| ())
    }

    /// The table as it stands, asked for until it answers.
    fn look(&mut self) -> Result<Record, PlayError> {
        loop {
            match self.table.look() {
                Ok(record) => return Ok(record),
                Err(Trouble::Lost(_)) => self.until_news()?,
                Err(Trouble::Refused(why) | Trouble::Gone(why)) => {
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
            Heard::Line(line) => {
                self.open = None;
                Ok(line)
            }
            Heard::News | Heard::Lost | Heard::Back | Heard::Gone(_) => Ok(None),
        }
    }

    fn next(&mut self) -> Result<Heard, PlayError> {
        let gone = || Heard::Gone("the table is not heard any more".to_owned());
        let heard = self.heard.recv().unwrap_or_else(|_| gone());
        match &heard {
            Heard::Gone(why) => return Err(PlayError::Table(why.clone())),
            Heard::Lost => self.tell(words::LOST)?,
            Heard::Back => self.tell(words::BACK)?,
            Heard::Line(None) => self.has_ended = true,
            Heard::Line(Some(_)) | Heard::News => {}
        }
        Ok(heard)
    }

    /// Tells the turns since the last look, and draws the board where there were any.
    fn show(&mut self, record: &Record) -> Result<(), PlayError> {
        let turns = record.game().turns().len();
        if self.shown == Some(turns) {
            return Ok(());
        }
        let since = self.shown.unwrap_or(turns);
        for turn in record.game().turns().get(since..).unwrap_or_default() {
            self.tell(words::turn(record, turn, self.setup.seat))?;
        }
        self.shown = Some(turns);
        self.tell("")?;
        self.tell(words::board(record.game()))?;
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
            write!(self.output, "{} ", words::prompt(game))?;
            self.open = turns;
        }
        self.output.flush()
    }
}

/// What a person decided, or that something happened meanwhile.
enum Step {
    Act(String),
    Look,
    Leave,
}

fn choose(robot: &mut dyn Strategy, game: &Game) -> Action {
    Action::Play(robot.choose(game, &Stop::new()).at)
}

impl From<io::Error> for PlayError {
    fn from(error: io::Error) -> PlayError {
        PlayError::Terminal(error)
    }
}
