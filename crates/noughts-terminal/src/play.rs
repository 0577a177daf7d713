//! A game on a server, of any variant, for a person or a robot.
//!
//! The server is reached through a [`RemoteGame`], which is a parameter: no socket is opened here. News from the server
//! and lines from the person arrive in one channel.

mod messages;

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use noughts_engine::{EngineSetup, Stop, StrategyName, Unfit};
use noughts_rules::{Action, Game, PlaceError, Record, Seat};

use crate::console::{read_line, sentence};

/// A game on a server.
pub trait RemoteGame {
    /// The current game, with its players.
    fn record(&self) -> Result<Record, RemoteError>;

    /// Acts for the own seat, in the turn with this number.
    fn act(&self, turn: usize, action: &str) -> Result<(), RemoteError>;
}

/// Why a request to the server failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RemoteError {
    /// The server refused it and says why. Nothing has changed.
    Refused(String),
    /// The server cannot be reached now.
    Unreachable(String),
    /// A later attempt would fail too.
    Fatal(String),
}

/// What happened at the table or at the keyboard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayEvent {
    /// The table changed: ask for its record.
    Changed,
    /// The connection is lost; a new attempt follows.
    Disconnected,
    /// The connection is back.
    Reconnected,
    /// There will be no further attempt.
    Failed(String),
    /// A line was typed; `None` at the end of input.
    Line(Option<String>),
}

/// The player and the seat.
#[derive(Clone, Debug)]
pub struct PlaySettings {
    /// `None`: the game is only watched.
    pub seat: Option<Seat>,
    /// The robot's strategy; `None`: a person plays.
    pub robot: Option<StrategyName>,
}

/// Why playing ended before the game did.
#[derive(Debug)]
pub enum PlayError {
    /// The robot does not play this game.
    Unfit(Unfit),
    /// The server failed for good.
    Remote(String),
    /// Reading or writing failed.
    Terminal(io::Error),
}

/// How playing ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayEnd {
    /// The game is over.
    Over,
    /// The person left; the game goes on.
    Left,
}

/// Events that wait to be handled; further senders block.
const MAX_QUEUED_EVENTS: usize = 16;

/// Lines typed ahead; further ones are dropped.
const MAX_TYPED_AHEAD: usize = 256;

/// A channel for events. A thread sends the lines of `input` into it. That thread may outlive the game if it waits for a
/// line.
pub fn event_channel(
    input: Option<impl BufRead + Send + 'static>,
) -> (SyncSender<PlayEvent>, Receiver<PlayEvent>) {
    let (sender, events) = sync_channel(MAX_QUEUED_EVENTS);
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

/// Plays or watches until the game is over or the person leaves.
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
        turns_shown: None,
        waiting_for: None,
        open_prompt: None,
    };
    session.run(engine_setup)
}

struct Session<'s, R, O> {
    settings: &'s PlaySettings,
    remote: &'s R,
    events: Receiver<PlayEvent>,
    output: O,
    /// Lines typed ahead.
    typed: VecDeque<String>,
    /// The input has ended.
    has_ended: bool,
    turns_shown: Option<usize>,
    /// The turn and the seat of the latest "Waiting for" message.
    waiting_for: Option<(usize, Option<Seat>)>,
    /// The number of turns when the prompt was printed, while the cursor is still behind it.
    open_prompt: Option<usize>,
}

impl<R: RemoteGame, O: Write> Session<'_, R, O> {
    fn run(&mut self, engine_setup: &EngineSetup) -> Result<PlayEnd, PlayError> {
        let mut record = self.fetch()?;
        let mut robot = match &self.settings.robot {
            Some(name) => {
                let robot = name.build(record.game(), engine_setup);
                Some(robot.map_err(PlayError::Unfit)?)
            }
            None => None,
        };
        self.print(messages::welcome(&record, self.settings))?;
        loop {
            self.show(&record)?;
            if record.game().conclusion().is_some() {
                self.print(messages::end(&record, self.settings.seat))?;
                self.output.flush()?;
                return Ok(PlayEnd::Over);
            }
            let seat = self.settings.seat;
            let is_own_turn = seat.is_some() && record.game().to_move() == seat;
            let step = match &mut robot {
                Some(robot) if is_own_turn => {
                    let decision = robot.choose(record.game(), &Stop::new());
                    Step::Act(record.game().format_action(Action::Play(decision.at)))
                }
                None if is_own_turn => self.ask(&record)?,
                Some(_) | None => self.wait(&record)?,
            };
            match step {
                Step::Act(action) => self.act(record.game(), &action)?,
                Step::Refresh => {}
                Step::Leave => return Ok(PlayEnd::Left),
            }
            record = self.fetch()?;
        }
    }

    /// Asks for a move until a legal one is typed or something else happens.
    fn ask(&mut self, record: &Record) -> Result<Step, PlayError> {
        let game = record.game();
        loop {
            if self.typed.is_empty() {
                if self.has_ended {
                    return Ok(Step::Leave);
                }
                self.prompt(game)?;
            }
            let Some(line) = self.next_line()? else {
                return Ok(Step::Refresh);
            };
            if let Some(step) = self.command(game, &line)? {
                return Ok(step);
            }
        }
    }

    /// Waits for an event. A person may leave or resign meanwhile.
    fn wait(&mut self, record: &Record) -> Result<Step, PlayError> {
        let game = record.game();
        let waiting_for = Some((game.turns().len(), game.to_move()));
        if self.waiting_for != waiting_for && self.settings.robot.is_none() {
            self.waiting_for = waiting_for;
            self.print(messages::waiting(record))?;
        }
        if self.has_ended && self.settings.seat.is_some() && self.typed.is_empty() {
            return Ok(Step::Leave);
        }
        self.output.flush()?;
        let PlayEvent::Line(Some(line)) = self.next_event()? else {
            return Ok(Step::Refresh);
        };
        match line.trim() {
            ":q" => return Ok(Step::Leave),
            "resign" if self.settings.seat.is_some() => return Ok(Step::Act("resign".to_owned())),
            _ if self.typed.len() < MAX_TYPED_AHEAD => self.typed.push_back(line),
            _ => {}
        }
        Ok(Step::Refresh)
    }

    /// What a line means; `None` after an explanation was printed.
    fn command(&mut self, game: &Game, line: &str) -> Result<Option<Step>, PlayError> {
        let line = line.trim();
        let seat = self.settings.seat.unwrap_or(Seat(0));
        let explanation = match line {
            ":q" => return Ok(Some(Step::Leave)),
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
        self.print(explanation)?;
        Ok(None)
    }

    fn act(&mut self, game: &Game, action: &str) -> Result<(), PlayError> {
        let turn = game.turns().len() + 1;
        match self.remote.act(turn, action) {
            Ok(()) => Ok(()),
            Err(RemoteError::Refused(why)) if self.settings.robot.is_none() => {
                Ok(self.print(sentence(why))?)
            }
            // The action may have been stored; the next record shows it.
            Err(RemoteError::Refused(_) | RemoteError::Unreachable(_)) => {
                self.next_event().map(drop)
            }
            Err(RemoteError::Fatal(why)) => Err(PlayError::Remote(why)),
        }
    }

    /// The current record, requested again after every event until the server answers.
    fn fetch(&mut self) -> Result<Record, PlayError> {
        loop {
            match self.remote.record() {
                Ok(record) => return Ok(record),
                Err(RemoteError::Unreachable(_)) => drop(self.next_event()?),
                Err(RemoteError::Refused(why) | RemoteError::Fatal(why)) => {
                    return Err(PlayError::Remote(why));
                }
            }
        }
    }

    /// The next line; `None` if something else happens first.
    fn next_line(&mut self) -> Result<Option<String>, PlayError> {
        if let Some(line) = self.typed.pop_front() {
            return Ok(Some(line));
        }
        self.output.flush()?;
        let PlayEvent::Line(line) = self.next_event()? else {
            return Ok(None);
        };
        self.open_prompt = None;
        Ok(line)
    }

    fn next_event(&mut self) -> Result<PlayEvent, PlayError> {
        let ended = || PlayEvent::Failed("the connection to the table ended".to_owned());
        let event = self.events.recv().unwrap_or_else(|_| ended());
        match &event {
            PlayEvent::Failed(why) => return Err(PlayError::Remote(why.clone())),
            PlayEvent::Disconnected => self.print(messages::DISCONNECTED)?,
            PlayEvent::Reconnected => self.print(messages::RECONNECTED)?,
            PlayEvent::Line(None) => self.has_ended = true,
            PlayEvent::Line(Some(_)) | PlayEvent::Changed => {}
        }
        Ok(event)
    }

    /// Prints the turns since the last call, and the board if there were any.
    fn show(&mut self, record: &Record) -> Result<(), PlayError> {
        let turns = record.game().turns().len();
        if self.turns_shown == Some(turns) {
            return Ok(());
        }
        let since = self.turns_shown.unwrap_or(turns);
        for turn in record.game().turns().get(since..).unwrap_or_default() {
            self.print(messages::turn(record, turn, self.settings.seat))?;
        }
        self.turns_shown = Some(turns);
        self.print("")?;
        self.print(messages::board(record.game()))?;
        self.print("")?;
        Ok(self.output.flush()?)
    }

    fn print(&mut self, text: impl Display) -> io::Result<()> {
        if self.open_prompt.take().is_some() {
            writeln!(self.output)?;
        }
        writeln!(self.output, "{text}")
    }

    /// Asks for a move, once per turn and not again after events in between.
    fn prompt(&mut self, game: &Game) -> io::Result<()> {
        let turns = Some(game.turns().len());
        if self.open_prompt != turns {
            write!(self.output, "{} ", messages::prompt(game))?;
            self.open_prompt = turns;
        }
        self.output.flush()
    }
}

/// What the player decided, or that something else happened first.
enum Step {
    Act(String),
    Refresh,
    Leave,
}

impl From<io::Error> for PlayError {
    fn from(error: io::Error) -> PlayError {
        PlayError::Terminal(error)
    }
}
