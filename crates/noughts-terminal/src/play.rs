//! A game on a server, of any variant, for a person or a robot.
//!
//! This module opens no sockets. Changes of the table, answers of the server and typed lines arrive in one channel.
//! Requests to the server leave through another channel. So the keyboard works even while the server does not answer.

mod announcements;
mod clocks;
mod command;
mod keyboard;
mod menu;
mod messages;
mod presence;
mod robot;

use std::collections::VecDeque;
use std::fmt::{self, Display};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use noughts_engine::{EngineSetup, Strategy, StrategyName, UnsupportedGame};
use noughts_rules::{Action, OfferKind as RecordedOffer, OfferStep, Record, Seat, Turn};

use crate::console::sentence;
use command::Typed;
use presence::Presence;
use robot::choose_within;

pub use clocks::Clocks;
pub use keyboard::Keyboard;
pub use menu::{Choice, Lobby, choose, choose_line};

/// The state of a table, as the server sent it.
#[derive(Clone, Debug)]
pub struct TableState {
    /// The number of the latest log entry. A state with a smaller number is older.
    pub entry: u32,
    /// The game with its players.
    pub record: Record,
    /// Seats that nobody has taken.
    pub open_seats: Vec<Seat>,
    /// Seats of people who are not connected.
    pub absent: Vec<Seat>,
    /// Offers that wait for an answer.
    pub offers: Vec<Offer>,
    /// The clocks. `None` at a table without a clock.
    pub clocks: Option<Clocks>,
    /// Whether a rematch was created.
    pub has_rematch: bool,
}

/// An offer that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// What is offered.
    pub kind: OfferKind,
    /// The seat that made the offer.
    pub seat: Seat,
}

/// What a seat may offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OfferKind {
    /// An offer to end the game as a draw.
    Draw,
    /// An offer to take back the seat's latest move.
    Takeback,
    /// An offer to play again after the game.
    Rematch,
}

/// What a seat may claim when all other players are away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The side of the seat wins.
    Win,
    /// Nobody wins.
    Draw,
}

/// A request to the server for this player's seat. The receiver of the request repeats the request until the
/// server answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayRequest {
    /// An action of the game.
    Act {
        /// The number of the turn, from 1.
        turn: usize,
        /// The action as text, such as `1-0`, `<<2` or `resign`.
        action: String,
    },
    /// Make an offer to the other seats.
    Offer(OfferKind),
    /// Accept an offer of another seat.
    Accept(OfferKind),
    /// Decline an offer of another seat, or withdraw this seat's own offer.
    Decline(OfferKind),
    /// End the game without a result.
    Abort,
    /// Claim a win or a draw, because all other players are away. This ends the game.
    Claim(Claim),
}

/// Displays the command that a player types for the request.
impl Display for PlayRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayRequest::Act { action, .. } => f.write_str(action),
            PlayRequest::Offer(kind) => kind.fmt(f),
            PlayRequest::Accept(kind) => write!(f, "accept {kind}"),
            PlayRequest::Decline(kind) => write!(f, "decline {kind}"),
            PlayRequest::Abort => f.write_str("abort"),
            PlayRequest::Claim(Claim::Win) => f.write_str("claim"),
            PlayRequest::Claim(Claim::Draw) => f.write_str("claim draw"),
        }
    }
}

impl Display for OfferKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OfferKind::Draw => "draw",
            OfferKind::Takeback => "takeback",
            OfferKind::Rematch => "rematch",
        })
    }
}

/// Why the server did not execute a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// The server refused the request for this reason. Nothing has changed.
    Refused(String),
    /// The request failed for this reason, and a retry would fail too.
    Fatal(String),
}

/// What happened at the table or at the keyboard.
#[derive(Clone, Debug)]
pub enum PlayEvent {
    /// The state of the table, at the beginning and after every change.
    State(Box<TableState>),
    /// The answer to the oldest request that has no answer yet.
    Answer(Result<(), RequestError>),
    /// The connection is lost. The program tries to connect again.
    Disconnected,
    /// The connection is back.
    Reconnected,
    /// The connection failed permanently.
    Failed(String),
    /// A line was typed. `None` at the end of input.
    Line(Option<String>),
}

/// Who plays, and for which seat.
#[derive(Clone, Debug)]
pub struct PlaySettings {
    /// The seat. `None` if the user only watches the game.
    pub seat: Option<Seat>,
    /// The robot's strategy. `None` if a person plays.
    pub robot: Option<StrategyName>,
    /// Whether the lines come from a person's keyboard, not from a file or a pipe. For a person, `:q` takes effect
    /// before moves that were typed ahead, and the program offers a rematch when the game is over.
    pub is_interactive: bool,
}

/// Why playing ended before the end of the game.
#[derive(Debug)]
pub enum PlayError {
    /// The robot does not play this game.
    UnsupportedGame(UnsupportedGame),
    /// A request or the connection failed permanently, for this reason.
    Remote(String),
    /// Reading or writing failed.
    Terminal(io::Error),
}

/// How playing ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayEnd {
    /// The game is over.
    Over,
    /// The game is over, and everybody asked for a rematch.
    Rematch,
    /// The person left. The game goes on.
    Left,
}

/// Maximum number of lines typed ahead. More lines are dropped.
const MAX_TYPED_AHEAD: usize = 256;

/// How long to wait for the server's answer to the last request when a person at a keyboard leaves.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long to wait for the server's answer to the last request if the input comes from a file or a pipe.
const PIPE_LEAVE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a request may stay unanswered before the player sees a message.
const SILENCE_DELAY: Duration = Duration::from_secs(3);

/// Plays or watches until the game is over or the person leaves.
///
/// The receiver of `requests` must repeat a request until the server answers. It must send exactly one
/// [`Answer`](PlayEvent::Answer) for each request, in the order of the requests. While a request has no
/// answer, this function usually sends no further request. There are two exceptions: the state of the table
/// shows the result of the earlier request, or the game is over.
pub fn play(
    settings: &PlaySettings,
    engine_setup: &EngineSetup,
    requests: Sender<PlayRequest>,
    events: &Receiver<PlayEvent>,
    output: impl Write,
) -> Result<PlayEnd, PlayError> {
    let mut session = Session {
        settings,
        engine_setup,
        robot: None,
        requests,
        output,
        state: None,
        state_at: Duration::ZERO,
        pending: None,
        unanswered: 0,
        is_connected: true,
        typed: VecDeque::new(),
        has_ended: false,
        turns_shown: None,
        offers_shown: 0,
        waiting_for: None,
        presence: Presence::default(),
        next_time_warning: None,
        has_told_end: false,
        has_prompt: false,
    };
    session.run(events)
}

struct Session<'s, O> {
    settings: &'s PlaySettings,
    engine_setup: &'s EngineSetup,
    robot: Option<Box<dyn Strategy>>,
    requests: Sender<PlayRequest>,
    output: O,
    /// `None` until the server has sent the state of the table.
    state: Option<Box<TableState>>,
    /// The reading of the clock when `state` arrived.
    state_at: Duration,
    /// The request whose result is not known yet.
    pending: Option<Pending>,
    /// The number of requests without an answer. When the state of the table shows the result of a request, the request
    /// is no longer pending, but its answer may still arrive.
    unanswered: usize,
    is_connected: bool,
    /// Lines typed ahead.
    typed: VecDeque<String>,
    /// Whether the input has ended.
    has_ended: bool,
    turns_shown: Option<usize>,
    /// How many of the record's offers and answers were shown.
    offers_shown: usize,
    /// For the latest message about the seat to move: the number of completed turns, and this seat.
    waiting_for: Option<(usize, Option<Seat>)>,
    presence: Presence,
    /// The number of completed turns at the latest warning about the time, and the remaining time at which
    /// the next warning is due. The inner `None` means that no further warning follows in this turn.
    next_time_warning: Option<(usize, Option<Duration>)>,
    has_told_end: bool,
    /// Whether the cursor is after a prompt.
    has_prompt: bool,
}

/// A request whose result is not known yet.
struct Pending {
    request: PlayRequest,
    since: Duration,
    /// Whether a message has said that the server does not answer.
    has_told: bool,
}

impl<O: Write> Session<'_, O> {
    fn run(&mut self, events: &Receiver<PlayEvent>) -> Result<PlayEnd, PlayError> {
        loop {
            self.tell_what_is_due()?;
            if let Some(end) = self.advance()? {
                return Ok(end);
            }
            self.output.flush()?;
            let timeout = match self.is_leaving() {
                false => self.next_notice(),
                true if self.settings.is_interactive => Some(LEAVE_TIMEOUT),
                true => Some(PIPE_LEAVE_TIMEOUT),
            };
            let event = match timeout {
                Some(timeout) => events.recv_timeout(timeout),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(event) => {
                    if let Some(end) = self.handle(event)? {
                        return Ok(end);
                    }
                }
                Err(RecvTimeoutError::Timeout) if self.is_leaving() => return self.leave(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the connection to the table ended".to_owned();
                    return Err(PlayError::Remote(why));
                }
            }
        }
    }

    fn now(&self) -> Duration {
        self.engine_setup.clock.now()
    }

    /// Whether the player leaves as soon as the server answers the pending request.
    fn is_leaving(&self) -> bool {
        self.pending.is_some()
            && (self.typed.front().is_some_and(|line| is_quit(line))
                || self.has_ended && self.typed.is_empty())
    }

    fn handle(&mut self, event: PlayEvent) -> Result<Option<PlayEnd>, PlayError> {
        match event {
            // While the program is disconnected, states are ignored. The answer to a repeated request may bring a state
            // before the event `Reconnected`. After `Reconnected`, the new event stream brings the same state.
            PlayEvent::State(_) if !self.is_connected => {}
            PlayEvent::State(state) => self.update(state)?,
            PlayEvent::Answer(answer) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.handle_answer(answer)?;
            }
            PlayEvent::Failed(why) => return Err(PlayError::Remote(why)),
            PlayEvent::Disconnected => {
                self.is_connected = false;
                self.presence.forget_unreported();
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
                let waits_for_answer =
                    self.is_connected && self.pending.as_ref().is_some_and(|sent| !sent.has_told);
                if is_quit(&line) && !waits_for_answer && can_leave && !self.has_told_end {
                    return self.leave().map(Some);
                }
                if self.typed.len() < MAX_TYPED_AHEAD {
                    self.typed.push_back(line);
                }
            }
        }
        Ok(None)
    }

    fn handle_answer(&mut self, answer: Result<(), RequestError>) -> Result<(), PlayError> {
        // If other requests are still unanswered, this answer belongs to an earlier request, which is no longer
        // pending.
        let is_late = self.unanswered > 0;
        match answer {
            Err(RequestError::Fatal(why)) => return Err(PlayError::Remote(why)),
            Ok(()) | Err(RequestError::Refused(_)) if is_late => {}
            Ok(()) => {
                // An action stays pending until the state of the table contains it.
                let is_turn = |sent: &Pending| matches!(sent.request, PlayRequest::Act { .. });
                self.pending = self.pending.take().filter(is_turn);
            }
            // A robot would choose the same move again, so it waits for the next turn.
            Err(RequestError::Refused(_)) if self.robot.is_some() => {}
            Err(RequestError::Refused(why)) => {
                self.pending = None;
                self.print(sentence(why))?;
            }
        }
        Ok(())
    }

    fn update(&mut self, state: Box<TableState>) -> Result<(), PlayError> {
        let age = |state: &TableState| {
            let record = &state.record;
            (
                state.entry,
                record.game().turns().len(),
                record.offers().len(),
            )
        };
        let known = self.state.as_deref();
        if known.is_some_and(|known| age(&state) < age(known)) {
            return Ok(());
        }
        let game = state.record.game();
        let is_done = |sent: &Pending| match sent.request {
            PlayRequest::Act { turn, .. } => game.turns().len() >= turn,
            _ => false,
        };
        if self.pending.as_ref().is_some_and(is_done) {
            self.pending = None;
        }
        self.state_at = self.now();
        let before = self.state.take();
        if before.is_none() {
            if let Some(name) = &self.settings.robot {
                let robot = name.build(game, self.engine_setup);
                self.robot = Some(robot.map_err(PlayError::UnsupportedGame)?);
            }
            self.print(messages::welcome(&state, self.settings))?;
            self.offers_shown = state.record.offers().len();
        }
        if let Some(before) = &before {
            for seat in &before.open_seats {
                if !state.open_seats.contains(seat) && is_taken(&state, *seat) {
                    self.print(messages::joined(&state.record, *seat))?;
                }
            }
        }
        self.show(&state)?;
        self.tell_about_offers(before.as_deref(), &state)?;
        self.presence.update(&state.absent, self.state_at);
        self.state = Some(state);
        Ok(())
    }

    /// Takes the next step: asks for input, handles typed lines, or lets the robot move. Returns how playing
    /// ended, or `None` if it continues.
    fn advance(&mut self) -> Result<Option<PlayEnd>, PlayError> {
        // The state is moved out of `self`, so that `self` can print while the record is borrowed.
        let Some(state) = self.state.take() else {
            return Ok(None);
        };
        let end = match state.record.game().conclusion() {
            None => self.advance_in(&state),
            Some(_) => self.advance_after(&state),
        };
        self.state = Some(state);
        end
    }

    fn advance_in(&mut self, state: &TableState) -> Result<Option<PlayEnd>, PlayError> {
        let game = state.record.game();
        if self.pending.is_some() {
            return Ok(None);
        }
        let seat = self.settings.seat;
        let is_own_turn = seat.is_some() && game.to_move() == seat;
        let since = self.now().saturating_sub(self.state_at);
        if let Some(seat) = seat.filter(|_| is_own_turn)
            && let Some(robot) = &mut self.robot
        {
            let clocks = state.clocks.as_ref();
            let time = clocks.and_then(|clocks| clocks.time_for_robot(since, seat));
            let at = choose_within(robot.as_mut(), game, time);
            let action = game.format_action(Action::Play(at));
            self.request(command::act(game, action))?;
            return Ok(None);
        }
        if !is_own_turn {
            self.tell_whose_turn(state)?;
        }
        while let Some(line) = self.typed.front() {
            let needs_turn = seat.is_some() && !command::is_any_time(line);
            if needs_turn && !is_own_turn {
                break;
            }
            let line = self.typed.pop_front().unwrap_or_default();
            match command::read(state, seat, &line) {
                Typed::Leave => return self.leave().map(Some),
                Typed::Request(request) => {
                    self.request(request)?;
                    return Ok(None);
                }
                Typed::Explain(text) => self.print(text)?,
                Typed::Clocks => {
                    let text = self.clock_text(state);
                    self.print(text.unwrap_or_else(|| messages::NO_CLOCK.to_owned()))?;
                }
            }
        }
        // Spectators and robots stay until the end of the game, even after the input has ended.
        if self.has_ended && self.typed.is_empty() && seat.is_some() && self.robot.is_none() {
            return self.leave().map(Some);
        }
        if is_own_turn && self.is_connected && !self.has_prompt {
            self.tell_first_turn(state)?;
            let prompt = messages::prompt(game);
            let prompt = messages::with_clocks(self.clock_text(state), prompt);
            write!(self.output, "{prompt} ")?;
            self.has_prompt = true;
        }
        Ok(None)
    }

    /// Takes the next step after the end of the game: prints the result once, and offers a rematch to a
    /// person at a keyboard. Returns `None` if the session continues.
    fn advance_after(&mut self, state: &TableState) -> Result<Option<PlayEnd>, PlayError> {
        if !std::mem::replace(&mut self.has_told_end, true) {
            self.pending = None;
            self.print(messages::end(&state.record, self.settings))?;
        }
        self.output.flush()?;
        let can_ask =
            self.settings.is_interactive && self.settings.seat.is_some() && self.robot.is_none();
        if !can_ask || self.has_ended {
            return Ok(Some(PlayEnd::Over));
        }
        let has_asked = |offer: &Offer| {
            offer.kind == OfferKind::Rematch && Some(offer.seat) == self.settings.seat
        };
        if state.has_rematch {
            return Ok(Some(PlayEnd::Rematch));
        }
        let waits = self.pending.is_some() || state.offers.iter().any(has_asked);
        while let Some(line) = self.typed.pop_front() {
            match command::read_after(state, self.settings.seat, &line) {
                Typed::Leave => return Ok(Some(PlayEnd::Over)),
                Typed::Request(_) if self.pending.is_some() => {}
                Typed::Request(request) => {
                    self.request(request)?;
                    return Ok(None);
                }
                Typed::Explain(text) => self.print(text)?,
                Typed::Clocks => self.print(messages::NO_CLOCK)?,
            }
        }
        if !waits && self.is_connected && !self.has_prompt {
            write!(self.output, "{} ", messages::AFTER_PROMPT)?;
            self.has_prompt = true;
        }
        Ok(None)
    }

    fn request(&mut self, request: PlayRequest) -> Result<(), PlayError> {
        let ended = |_| PlayError::Remote("the connection to the table ended".to_owned());
        self.pending = Some(Pending {
            request: request.clone(),
            since: self.now(),
            has_told: false,
        });
        self.unanswered += 1;
        self.requests.send(request).map_err(ended)?;
        match self.is_connected {
            true => Ok(()),
            false => self.tell_about_pending(),
        }
    }

    /// Says that a request waits for the connection.
    fn tell_about_pending(&mut self) -> Result<(), PlayError> {
        match (&mut self.pending, &self.robot) {
            (Some(sent), None) => {
                sent.has_told = true;
                let text = messages::sent_later(&sent.request);
                Ok(self.print(text)?)
            }
            (Some(_), Some(_)) | (None, _) => Ok(()),
        }
    }

    fn leave(&mut self) -> Result<PlayEnd, PlayError> {
        if let Some(sent) = self.pending.take() {
            self.print(messages::unanswered(&sent.request))?;
        }
        if std::mem::take(&mut self.has_prompt) {
            writeln!(self.output)?;
        }
        self.output.flush()?;
        Ok(PlayEnd::Left)
    }

    fn print(&mut self, text: impl Display) -> io::Result<()> {
        if std::mem::take(&mut self.has_prompt) {
            writeln!(self.output)?;
        }
        writeln!(self.output, "{text}")
    }
}

/// Whether a line asks to leave. A player can leave at any time, also in another player's turn.
fn is_quit(line: &str) -> bool {
    matches!(line.trim(), ":q" | "leave")
}

/// Whether a player has taken `seat`, which was in `open_seats` before and is not in it now. After an aborted
/// game, `open_seats` may lack a seat that nobody took. Then the record names no player for this seat.
fn is_taken(state: &TableState, seat: Seat) -> bool {
    state.record.game().conclusion().is_none() || !messages::is_unnamed(&state.record, seat)
}

/// Whether the record has this offer and no later answer to it.
fn is_unanswered(state: &TableState, offer: &Offer) -> bool {
    let mut steps = state.record.offers().iter().rev();
    let last = steps.find(|event| offer_kind(event.kind) == offer.kind);
    last.is_some_and(|event| event.step == OfferStep::Offer && event.seat == offer.seat)
}

fn offer_kind(kind: RecordedOffer) -> OfferKind {
    match kind {
        RecordedOffer::Draw => OfferKind::Draw,
        RecordedOffer::Takeback => OfferKind::Takeback,
    }
}

/// The offers that wait for an answer. The record may be newer than `state.offers`, so unanswered offers of the
/// record are included.
fn open_offers(state: &TableState) -> Vec<Offer> {
    let mut open = state.offers.clone();
    for event in state.record.offers() {
        let (kind, seat) = (offer_kind(event.kind), event.seat);
        let offer = Offer { kind, seat };
        let turns = state.record.game().turns().get(event.after_turns..);
        let mut since = turns.unwrap_or_default().iter();
        let ends = |turn: &Turn| turn.by != seat || matches!(turn.action, Action::Takeback(_));
        if is_unanswered(state, &offer) && !since.any(ends) && !open.contains(&offer) {
            open.push(offer);
        }
    }
    open
}

impl From<io::Error> for PlayError {
    fn from(error: io::Error) -> PlayError {
        PlayError::Terminal(error)
    }
}
