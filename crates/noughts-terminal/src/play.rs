//! A game on a server, of any variant, for a person or a robot.
//!
//! This module opens no sockets. Changes of the table, answers of the server and typed lines arrive in one
//! channel, and actions leave through another. So the keyboard works while the server does not answer.

mod menu;
mod messages;

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use noughts_engine::{EngineSetup, Stop, Strategy, StrategyName, Unfit};
use noughts_rules::{Action, Game, PlaceError, Record, Seat};

use crate::console::{read_line, sentence};

pub use menu::{Choice, Lobby, choose, choose_line};

/// A table as the server described it.
#[derive(Clone, Debug)]
pub struct TableState {
    /// The number of the latest log entry. States with a smaller number are stale.
    pub entry: u32,
    /// The game with its players.
    pub record: Record,
    /// Seats that nobody has taken.
    pub open_seats: Vec<Seat>,
}

/// An action of this client's seat. It is sent until the server answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayRequest {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// `1-0`, `<<2` or `resign`.
    pub action: String,
}

/// Why the server did not carry out a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// The server refused it and says why. Nothing has changed.
    Refused(String),
    /// A retry would fail too.
    Fatal(String),
}

/// What happened at the table or at the keyboard.
#[derive(Clone, Debug)]
pub enum PlayEvent {
    /// The table, at the beginning and after every change.
    State(Box<TableState>),
    /// The answer to the latest request.
    Answer(Result<(), RequestError>),
    /// The connection is lost; further attempts follow.
    Disconnected,
    /// The connection is back.
    Reconnected,
    /// The connection failed permanently.
    Failed(String),
    /// A line was typed; `None` at the end of input.
    Line(Option<String>),
}

/// The player and the seat.
#[derive(Clone, Debug)]
pub struct PlaySettings {
    /// The seat; `None` if the game is only watched.
    pub seat: Option<Seat>,
    /// The robot's strategy; `None` if a person plays.
    pub robot: Option<StrategyName>,
    /// Whether a person types the lines, and not a file or a pipe. Then `:q` takes effect before moves that
    /// were typed ahead.
    pub is_interactive: bool,
}

/// Why playing ended before the game did.
#[derive(Debug)]
pub enum PlayError {
    /// The robot does not play this game.
    Unfit(Unfit),
    /// The server failed permanently.
    Remote(String),
    /// Reading or writing failed.
    Terminal(io::Error),
}

/// How playing ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayEnd {
    /// The game is over.
    Over,
    /// The person left. The game continues.
    Left,
}

/// Maximum number of events that wait to be handled. Further senders block.
const MAX_QUEUED_EVENTS: usize = 16;

/// Maximum number of lines typed ahead. Further lines are dropped.
const MAX_TYPED_AHEAD: usize = 256;

/// How long leaving waits for the answer to a move that was typed before: for a person, and for a file.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);
const PIPE_LEAVE_TIMEOUT: Duration = Duration::from_secs(30);

/// A channel for events. A thread sends the lines of `input` into it. If that thread is waiting for a line
/// when the game ends, it keeps waiting.
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
///
/// At most one request is unanswered at any time; it must be repeated until the server answers.
pub fn play(
    settings: &PlaySettings,
    engine_setup: &EngineSetup,
    requests: Sender<PlayRequest>,
    events: Receiver<PlayEvent>,
    output: impl Write,
) -> Result<PlayEnd, PlayError> {
    let mut session = Session {
        settings,
        engine_setup,
        robot: None,
        requests,
        output,
        state: None,
        pending: None,
        is_connected: true,
        typed: VecDeque::new(),
        has_ended: false,
        turns_shown: None,
        waiting_for: None,
        has_prompt: false,
    };
    session.run(&events)
}

struct Session<'s, O> {
    settings: &'s PlaySettings,
    engine_setup: &'s EngineSetup,
    robot: Option<Box<dyn Strategy>>,
    requests: Sender<PlayRequest>,
    output: O,
    /// `None` until the server has described the table.
    state: Option<Box<TableState>>,
    /// The request without an answer.
    pending: Option<PlayRequest>,
    is_connected: bool,
    /// Lines typed ahead.
    typed: VecDeque<String>,
    /// The input has ended.
    has_ended: bool,
    turns_shown: Option<usize>,
    /// The turn and the seat of the latest "Waiting for" message.
    waiting_for: Option<(usize, Option<Seat>)>,
    /// Whether the cursor is after a prompt.
    has_prompt: bool,
}

impl<O: Write> Session<'_, O> {
    fn run(&mut self, events: &Receiver<PlayEvent>) -> Result<PlayEnd, PlayError> {
        loop {
            if let Some(end) = self.advance()? {
                return Ok(end);
            }
            self.output.flush()?;
            let event = match self.is_leaving() {
                false => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                true if self.settings.is_interactive => events.recv_timeout(LEAVE_TIMEOUT),
                true => events.recv_timeout(PIPE_LEAVE_TIMEOUT),
            };
            match event {
                Ok(event) => {
                    if let Some(end) = self.handle(event)? {
                        return Ok(end);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return self.leave(),
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the connection to the table ended".to_owned();
                    return Err(PlayError::Remote(why));
                }
            }
        }
    }

    /// Whether the next step is to leave, after the server has answered.
    fn is_leaving(&self) -> bool {
        self.pending.is_some()
            && (self.typed.front().is_some_and(|line| line == ":q")
                || self.has_ended && self.typed.is_empty())
    }

    fn handle(&mut self, event: PlayEvent) -> Result<Option<PlayEnd>, PlayError> {
        match event {
            // The answer to a repeated request may arrive before the new event stream, which brings the same
            // state after `Reconnected`.
            PlayEvent::State(_) if !self.is_connected => {}
            PlayEvent::State(state) => self.update(state)?,
            PlayEvent::Answer(Ok(())) => {}
            // A robot would choose the same move again, so it waits for the next turn.
            PlayEvent::Answer(Err(RequestError::Refused(_))) if self.robot.is_some() => {}
            PlayEvent::Answer(Err(RequestError::Refused(why))) => {
                self.pending = None;
                self.print(sentence(why))?;
            }
            PlayEvent::Answer(Err(RequestError::Fatal(why))) | PlayEvent::Failed(why) => {
                return Err(PlayError::Remote(why));
            }
            PlayEvent::Disconnected => {
                self.is_connected = false;
                self.print(messages::DISCONNECTED)?;
                self.tell_about_pending()?;
            }
            PlayEvent::Reconnected => {
                self.is_connected = true;
                self.print(messages::RECONNECTED)?;
            }
            PlayEvent::Line(None) => self.has_ended = true,
            PlayEvent::Line(Some(line)) => {
                self.has_prompt = false;
                let can_leave = self.settings.is_interactive || self.typed.is_empty();
                let is_answered = self.pending.is_none() || !self.is_connected;
                if line == ":q" && is_answered && can_leave {
                    return self.leave().map(Some);
                }
                if self.typed.len() < MAX_TYPED_AHEAD {
                    self.typed.push_back(line);
                }
            }
        }
        Ok(None)
    }

    fn update(&mut self, state: Box<TableState>) -> Result<(), PlayError> {
        let age = |state: &TableState| (state.entry, state.record.game().turns().len());
        let known = self.state.as_deref();
        if known.is_some_and(|known| age(&state) < age(known)) {
            return Ok(());
        }
        let is_first = known.is_none();
        let were_open = known.map_or(Vec::new(), |known| known.open_seats.clone());
        let game = state.record.game();
        if self
            .pending
            .as_ref()
            .is_some_and(|sent| game.turns().len() >= sent.turn)
        {
            self.pending = None;
        }
        if is_first {
            if let Some(name) = &self.settings.robot {
                let robot = name.build(game, self.engine_setup);
                self.robot = Some(robot.map_err(PlayError::Unfit)?);
            }
            self.print(messages::welcome(&state.record, self.settings))?;
        }
        for seat in were_open {
            if !state.open_seats.contains(&seat) {
                self.print(messages::joined(&state.record, seat))?;
            }
        }
        self.state = Some(state);
        Ok(())
    }

    /// Shows new turns, and acts if it is this client's turn.
    fn advance(&mut self) -> Result<Option<PlayEnd>, PlayError> {
        // Taken out, so that its record can be read while printing.
        let Some(state) = self.state.take() else {
            return Ok(None);
        };
        let end = self.advance_in(&state);
        self.state = Some(state);
        end
    }

    fn advance_in(&mut self, state: &TableState) -> Result<Option<PlayEnd>, PlayError> {
        let (record, game) = (&state.record, state.record.game());
        self.show(record)?;
        if game.conclusion().is_some() {
            self.print(messages::end(record, self.settings))?;
            self.output.flush()?;
            return Ok(Some(PlayEnd::Over));
        }
        if self.pending.is_some() {
            return Ok(None);
        }
        let seat = self.settings.seat;
        let is_own_turn = seat.is_some() && game.to_move() == seat;
        if is_own_turn && let Some(robot) = &mut self.robot {
            let decision = robot.choose(game, &Stop::new());
            self.request(game, game.format_action(Action::Play(decision.at)))?;
            return Ok(None);
        }
        if !is_own_turn {
            self.tell_whose_turn(state)?;
        }
        while let Some(line) = self.typed.front() {
            let needs_turn = seat.is_some() && !is_any_time(line);
            if needs_turn && !is_own_turn {
                break;
            }
            let line = self.typed.pop_front().unwrap_or_default();
            match self.read(game, &line) {
                Typed::Leave => return self.leave().map(Some),
                Typed::Act(action) => {
                    self.request(game, action)?;
                    return Ok(None);
                }
                Typed::Explain(text) => self.print(text)?,
            }
        }
        // Watchers stay until the end of the game, also without input.
        if self.has_ended && self.typed.is_empty() && seat.is_some() && self.robot.is_none() {
            return self.leave().map(Some);
        }
        if is_own_turn && self.is_connected && !self.has_prompt {
            write!(self.output, "{} ", messages::prompt(game))?;
            self.has_prompt = true;
        }
        Ok(None)
    }

    /// The meaning of a typed line.
    fn read(&self, game: &Game, line: &str) -> Typed {
        let Some(seat) = self.settings.seat else {
            return match line {
                ":q" => Typed::Leave,
                _ => Typed::Explain(messages::WATCHING.to_owned()),
            };
        };
        Typed::Explain(match line {
            ":q" => return Typed::Leave,
            "?" | "help" | "" => messages::HELP.to_owned(),
            _ => match game.parse_action(&line.replace(' ', "-")) {
                Ok(action) => match game.check(seat, action) {
                    Ok(()) => return Typed::Act(game.format_action(action)),
                    Err(refusal) => sentence(refusal),
                },
                Err(error @ PlaceError::OffBoard { .. }) => sentence(error),
                Err(PlaceError::Unreadable { .. }) => messages::unreadable(line),
            },
        })
    }

    fn request(&mut self, game: &Game, action: String) -> Result<(), PlayError> {
        let request = PlayRequest {
            turn: game.turns().len() + 1,
            action,
        };
        let ended = |_| PlayError::Remote("the connection to the table ended".to_owned());
        self.requests.send(request.clone()).map_err(ended)?;
        self.pending = Some(request);
        match self.is_connected {
            true => Ok(()),
            false => self.tell_about_pending(),
        }
    }

    /// Tells that an action waits for the connection.
    fn tell_about_pending(&mut self) -> Result<(), PlayError> {
        match (&self.pending, &self.robot) {
            (Some(sent), None) => {
                let text = messages::sent_later(&sent.action);
                Ok(self.print(text)?)
            }
            (Some(_), Some(_)) | (None, _) => Ok(()),
        }
    }

    fn leave(&mut self) -> Result<PlayEnd, PlayError> {
        if let Some(sent) = self.pending.take() {
            self.print(messages::unanswered(&sent.action))?;
        }
        if std::mem::take(&mut self.has_prompt) {
            writeln!(self.output)?;
        }
        self.output.flush()?;
        Ok(PlayEnd::Left)
    }

    /// Tells once per turn for which seat the game waits.
    fn tell_whose_turn(&mut self, state: &TableState) -> Result<(), PlayError> {
        let game = state.record.game();
        let waiting_for = Some((game.turns().len(), game.to_move()));
        if self.waiting_for != waiting_for && self.settings.robot.is_none() {
            self.waiting_for = waiting_for;
            self.print(messages::waiting(state))?;
        }
        Ok(())
    }

    /// Prints the turns since the last call, and the board if there were any.
    fn show(&mut self, record: &Record) -> Result<(), PlayError> {
        let turns = record.game().turns().len();
        if self.turns_shown == Some(turns) {
            return Ok(());
        }
        let since = self.turns_shown.unwrap_or(turns);
        for turn in record.game().turns().get(since..).unwrap_or_default() {
            self.print(messages::turn(record, turn, self.settings))?;
        }
        self.turns_shown = Some(turns);
        self.print("")?;
        self.print(messages::board(record.game()))?;
        self.print("")?;
        Ok(self.output.flush()?)
    }

    fn print(&mut self, text: impl Display) -> io::Result<()> {
        if std::mem::take(&mut self.has_prompt) {
            writeln!(self.output)?;
        }
        writeln!(self.output, "{text}")
    }
}

/// Whether a line has the same meaning in every turn.
fn is_any_time(line: &str) -> bool {
    line.starts_with(':') || matches!(line, "" | "?" | "help" | "resign")
}

/// The meaning of a typed line.
enum Typed {
    Act(String),
    Leave,
    Explain(String),
}

impl From<io::Error> for PlayError {
    fn from(error: io::Error) -> PlayError {
        PlayError::Terminal(error)
    }
}
