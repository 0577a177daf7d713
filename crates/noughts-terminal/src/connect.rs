//! A client of the TCP protocol, for a person or a robot.
//!
//! `server_game` is a copy of the server's game. `session_io` reads from the server and the keyboard at the
//! same time. `screen` and `messages` make the output. This file contains the game loop.

mod command;
mod disconnect;
mod messages;
mod options;
mod score;
mod screen;
mod server_game;
mod session_io;

pub use disconnect::{ConnectError, Disconnect};
pub use options::{ConnectOptions, ConnectSettings, OptionError};

use std::fmt::Display;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{EngineSetup, Random, Robot, Stop};
use noughts_rules::{Action, Move};
use noughts_wire::{ClientSession, Dialect, Event, GameResult, Greeting, SESSION_IDS, Stage, Text};

use self::command::Typed;
use self::disconnect::Exit;
use self::messages::PlayerNames;
use self::score::Score;
use self::server_game::ServerGame;
use self::session_io::{Next, SessionIo, Wants};
use crate::console::sentence;

/// If a person plays, the client leaves after this number of consecutive errors from the server. A robot leaves after
/// the first error.
const MAX_COMPLAINTS: u8 = 5;

const NO_LIMIT: Duration = Duration::MAX;

const QUIT: &str = ":q";

/// A new connection to a server. Nothing has been sent on it yet.
pub struct Connection<R, W> {
    /// The server's address, for messages.
    pub peer: String,
    /// Data from the server. A separate thread reads it.
    pub reader: R,
    /// Data to the server.
    pub writer: W,
}

/// Plays games until the client or the server leaves. Returns `Ok` if
/// - the user quit or wanted no further game,
/// - the input ended,
/// - the robot has played its games, or
/// - the server left while the client asked the user about another game.
///
/// A separate thread reads the input, one line per question. That thread may still be waiting for a line when this
/// function returns.
pub fn play(
    settings: &ConnectSettings,
    engine_setup: &EngineSetup,
    connection: Connection<impl Read + Send + 'static, impl Write>,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<(), ConnectError> {
    let mut conversation = Conversation {
        settings,
        names: PlayerNames::new(settings),
        seeds: Random::new(engine_setup.seed),
        engine_setup,
        io: SessionIo::new(connection.reader, connection.writer, input),
        output,
        score: Score::default(),
        shown: None,
        complaints: 0,
    };
    let disconnect = match conversation.make(&connection.peer) {
        Ok(()) | Err(Exit::Quit) => None,
        Err(Exit::Disconnected(disconnect)) => Some(disconnect),
        Err(Exit::Failed(error)) => return Err(ConnectError::Terminal(error)),
    };
    let is_good = disconnect.is_none();
    conversation.end(is_good).map_err(ConnectError::Terminal)?;
    disconnect.map_or(Ok(()), |disconnect| Err(ConnectError::Server(disconnect)))
}

struct Conversation<'a, W, O> {
    settings: &'a ConnectSettings,
    names: PlayerNames,
    engine_setup: &'a EngineSetup,
    seeds: Random,
    io: SessionIo<W>,
    output: O,
    score: Score,
    /// The number of plays on the board that was shown last.
    shown: Option<usize>,
    /// The number of consecutive errors from the server.
    complaints: u8,
}

/// The player's move, or a server event that came before the move.
enum Choice {
    Play(Move),
    Event(Event),
}

/// A typed line, or a server event that came before the line.
enum Answer {
    Line(String),
    Event(Event),
}

impl<W: Write, O: Write> Conversation<'_, W, O> {
    fn make(&mut self, peer: &str) -> Result<(), Exit> {
        self.start_session()?;
        self.tell(messages::welcome(self.settings, peer))?;
        let mut is_first = self.join()?;
        loop {
            let verdict = self.play_game(is_first)?;
            self.score.add(verdict);
            if !self.wants_another()? {
                return Ok(());
            }
            is_first = match self.join() {
                Err(Exit::Disconnected(disconnect)) => {
                    // Piped input is not echoed, so the cursor is still on the line of the question.
                    self.tell("")?;
                    return Err(disconnect.into());
                }
                joined => joined?,
            };
        }
    }

    /// Prints the score and, if `is_good`, a goodbye.
    fn end(&mut self, is_good: bool) -> io::Result<()> {
        if let Some(score) = self.names.score(&self.score) {
            self.tell(score)?;
        }
        if is_good {
            self.tell(messages::GOODBYE)?;
        }
        self.output.flush()
    }

    fn start_session(&mut self) -> Result<(), Exit> {
        let id = SESSION_IDS.start() + self.seeds.below(SESSION_IDS.count()) as u32;
        let greeting = match self.settings.dialect {
            Dialect::Seed => Greeting::Seed(id),
            Dialect::Later => Greeting::Later,
        };
        let name = &self.settings.name;
        self.io
            .say(|session, out| session.hello(name, greeting, out))?;
        match self.next(Wants::Nothing, self.settings.patience)? {
            Next::Event(Event::Refused { code, text }) => Err(self.refused(code, text)),
            Next::Event(_) | Next::Line(_) => Ok(()),
            Next::Nothing => Err(Disconnect::Silent(Stage::Greeting).into()),
        }
    }

    /// Requests a game and waits until it begins. Returns whether this client moves first.
    fn join(&mut self) -> Result<bool, Exit> {
        // With `NotAdmitted` the server sends the correct id. The second attempt uses this id. If the second attempt
        // fails too, the client gives up.
        for _ in 0..2 {
            self.io.say(ClientSession::play)?;
            match self.wait_for_game()? {
                Event::Admitted { first } => {
                    self.names.is_pair |= !first;
                    return Ok(first);
                }
                Event::Refused { code, text } => return Err(self.refused(code, text)),
                _ => {}
            }
        }
        Err(Disconnect::NotAdmitted.into())
    }

    fn wait_for_game(&mut self) -> Result<Event, Exit> {
        let (mut wants, mut limit) = (Wants::Nothing, self.settings.pause);
        if self.names.is_pair {
            self.tell(messages::WAITING)?;
            (wants, limit) = (self.wants_while_waiting(), NO_LIMIT);
        }
        loop {
            match self.next(wants, limit)? {
                Next::Event(event) => return Ok(event),
                Next::Line(Some(line)) if line == QUIT => return Err(self.quit_without_game()),
                Next::Line(Some(line)) => wants = self.io.keep(line),
                Next::Line(None) if self.io.is_input_exhausted() => {
                    return Err(self.quit_without_game());
                }
                Next::Line(None) => wants = Wants::Nothing,
                Next::Nothing => {
                    // A server that is itself the opponent answers faster, so this server must pair clients.
                    self.names.is_pair = true;
                    self.tell(messages::NO_GAME_YET)?;
                    (wants, limit) = (self.wants_while_waiting(), NO_LIMIT);
                }
            }
        }
    }

    /// Returns which typed input the client waits for while it waits for the server. A person may type `:q`.
    /// A robot types nothing.
    fn wants_while_waiting(&self) -> Wants {
        match self.settings.robot {
            None => Wants::NewLine,
            Some(_) => Wants::Nothing,
        }
    }

    fn quit_without_game(&mut self) -> Exit {
        match self.tell(messages::NOBODY_CAME) {
            Ok(()) => Exit::Quit,
            Err(error) => error.into(),
        }
    }

    fn play_game(&mut self, is_first: bool) -> Result<GameResult, Exit> {
        let mut server_game = ServerGame::new(is_first);
        let mut robot = self.build_robot(&server_game);
        self.shown = None;
        self.tell(self.names.opening(server_game.own()))?;
        self.show(&server_game)?;
        let played = self.take_turns(&mut server_game, &mut robot);
        let plays = server_game.game().plays().len();
        match &played {
            Ok(_) | Err(Exit::Failed(_)) => {}
            Err(Exit::Quit) => self.tell(self.names.left(plays))?,
            Err(Exit::Disconnected(_)) => self.tell(messages::unfinished(plays))?,
        }
        played
    }

    /// Creates the robot for this game. Returns `None` if a person plays.
    fn build_robot(&mut self, server_game: &ServerGame) -> Option<Box<dyn Robot>> {
        // Each game gets its own seed, so that games differ. The same session seed gives the same games.
        let engine_setup = EngineSetup {
            seed: self.seeds.draw(),
            clock: Arc::clone(&self.engine_setup.clock),
        };
        let name = self.settings.robot.as_ref()?;
        let robot = name.build(server_game.game(), &engine_setup);
        Some(robot.expect("the robot was checked"))
    }

    fn take_turns(
        &mut self,
        server_game: &mut ServerGame,
        robot: &mut Option<Box<dyn Robot>>,
    ) -> Result<GameResult, Exit> {
        loop {
            let is_own = self.io.session().stage() == Stage::ItsTurn && !server_game.is_over();
            let choice = match robot {
                _ if !is_own => Choice::Event(self.wait_for_opponent(server_game)?),
                Some(robot) => self.let_think(server_game, robot.as_mut())?,
                None => self.ask_for_play(server_game)?,
            };
            match choice {
                Choice::Play(at) => self.act(server_game, at)?,
                Choice::Event(event) => {
                    if let Some(verdict) = self.follow(server_game, event)? {
                        return Ok(verdict);
                    }
                }
            }
        }
    }

    fn act(&mut self, server_game: &mut ServerGame, at: Move) -> Result<(), Exit> {
        server_game.play_own(at);
        self.io
            .say(|session, out| session.act(server_game::cell(at), out))?;
        if self.settings.robot.is_some() {
            return Ok(self.tell(self.names.own_plays(at))?);
        }
        // The computer answers at once, so the board is drawn only after its answer. A human opponent takes longer,
        // so the board is also drawn now.
        if self.names.is_pair {
            self.tell("")?;
            self.show(server_game)?;
        }
        Ok(())
    }

    /// Applies an event to the copy of the game. Returns the result if the game ended.
    fn follow(
        &mut self,
        server_game: &mut ServerGame,
        event: Event,
    ) -> Result<Option<GameResult>, Exit> {
        match event {
            Event::Played(cell) => {
                let at = server_game
                    .play_other(cell)
                    .ok_or(Disconnect::IllegalCell(cell))?;
                self.complaints = 0;
                self.tell(self.names.other_plays(at))?;
                self.show(server_game)?;
            }
            Event::Over {
                result: verdict,
                opponent_cell,
            } => {
                self.complaints = 0;
                if let Some(at) = server_game.settle(verdict, opponent_cell) {
                    self.tell(self.names.other_plays(at))?;
                } else if self.settings.robot.is_none() && !self.is_shown(server_game) {
                    self.tell("")?;
                }
                self.show(server_game)?;
                self.tell(self.names.end(server_game, verdict))?;
                return Ok(Some(verdict));
            }
            Event::Refused { code, text } => {
                let at = server_game.take_back();
                self.tell(messages::complaint(at, code, &text))?;
                self.complaints += 1;
                if self.settings.robot.is_some() || self.complaints >= MAX_COMPLAINTS {
                    return Err(self.refused(code, text));
                }
                self.show(server_game)?;
            }
            // `next` returns `Broken` and `Left` as errors. The other events do not occur during a game.
            Event::Ready { .. }
            | Event::Admitted { .. }
            | Event::NotAdmitted
            | Event::Broken(_)
            | Event::Left => {}
        }
        Ok(None)
    }

    fn wait_for_opponent(&mut self, server_game: &ServerGame) -> Result<Event, Exit> {
        let (mut wants, mut limit) = (Wants::Nothing, self.settings.pause);
        if server_game.is_over() {
            limit = self.settings.patience;
        } else if self.names.is_pair {
            if self.settings.robot.is_none() {
                self.tell(messages::OPPONENTS_TURN)?;
            }
            (wants, limit) = (self.wants_while_waiting(), NO_LIMIT);
        }
        let mut is_last = false;
        loop {
            // After the last line of a script, the client waits for the server's answer for a limited time.
            if wants == Wants::NewLine && self.io.is_input_exhausted() {
                self.tell(messages::INPUT_ENDED)?;
                (wants, limit, is_last) = (Wants::Nothing, self.settings.patience, true);
            }
            match self.next(wants, limit)? {
                Next::Event(event) => return Ok(event),
                Next::Line(Some(line)) if line == QUIT => return Err(Exit::Quit),
                Next::Line(Some(line)) => wants = self.io.keep(line),
                Next::Line(None) => {}
                Next::Nothing if server_game.is_over() => {
                    return Err(Disconnect::Silent(Stage::Moving).into());
                }
                Next::Nothing if is_last => return Err(Exit::Quit),
                Next::Nothing => {
                    self.tell(messages::THINKING)?;
                    (wants, limit) = (self.wants_while_waiting(), NO_LIMIT);
                }
            }
        }
    }

    /// Lets the robot choose a move, then checks for events from the server.
    fn let_think(
        &mut self,
        server_game: &ServerGame,
        robot: &mut dyn Robot,
    ) -> Result<Choice, Exit> {
        self.output.flush()?;
        let decision = robot
            .choose(server_game.game(), &Stop::new())
            .map_err(Disconnect::Robot)?;
        match self.next(Wants::Nothing, Duration::ZERO)? {
            Next::Event(event) => Ok(Choice::Event(event)),
            Next::Line(_) | Next::Nothing => Ok(Choice::Play(decision.at)),
        }
    }

    /// Asks until the player types the coordinates of an empty cell or the server sends an event. Other input
    /// is not sent to the server.
    fn ask_for_play(&mut self, server_game: &ServerGame) -> Result<Choice, Exit> {
        loop {
            let line = match self.ask(messages::PROMPT)? {
                Answer::Line(line) => line,
                Answer::Event(event) => return Ok(Choice::Event(event)),
            };
            let explained = match command::read(server_game.game(), &line) {
                Typed::Cell(at) => match server_game
                    .game()
                    .check(server_game.own(), Action::Play(at))
                {
                    Ok(()) => return Ok(Choice::Play(at)),
                    Err(refusal) => sentence(refusal),
                },
                Typed::OffBoard(cell) => messages::off_board(&cell),
                Typed::Resign => messages::RESIGN.to_owned(),
                Typed::Rewind => messages::REWIND.to_owned(),
                Typed::Help => messages::HELP.to_owned(),
                Typed::Unreadable(typed) => messages::unreadable(&typed),
            };
            self.tell(explained)?;
        }
    }

    fn wants_another(&mut self) -> Result<bool, Exit> {
        if self.settings.robot.is_some() {
            return Ok(self.score.games() < self.settings.games);
        }
        loop {
            match self.ask(messages::PLAY_AGAIN) {
                Ok(Answer::Line(line)) => match line.to_lowercase().as_str() {
                    "y" | "yes" => return Ok(true),
                    "n" | "no" => return Ok(false),
                    _ => self.tell(messages::NO_ANSWER)?,
                },
                Ok(Answer::Event(Event::Refused { code, text })) => {
                    self.tell(messages::complaint(None, code, &text))?;
                    self.complaints += 1;
                    if self.complaints >= MAX_COMPLAINTS {
                        return Err(self.refused(code, text));
                    }
                }
                Ok(Answer::Event(_)) => {}
                // The server left between two games, so this is not an error.
                Err(Exit::Disconnected(Disconnect::Left(_))) => {
                    self.tell(messages::SERVER_LEFT)?;
                    return Ok(false);
                }
                Err(leave) => return Err(leave),
            }
        }
    }

    /// Asks for a line. Returns early if the server sends an event.
    fn ask(&mut self, prompt: &str) -> Result<Answer, Exit> {
        write!(self.output, "{prompt} ")?;
        let answer = match self.next(Wants::Line, NO_LIMIT) {
            Ok(Next::Line(Some(line))) if line == QUIT => return Err(Exit::Quit),
            Ok(Next::Line(Some(line))) => return Ok(Answer::Line(line)),
            Ok(Next::Event(event)) => Ok(Answer::Event(event)),
            Ok(Next::Line(None) | Next::Nothing) => Err(Exit::Quit),
            Err(leave) => Err(leave),
        };
        // No newline was typed, so the cursor is still after the prompt.
        self.tell("")?;
        answer
    }

    /// Waits at most `limit` for an event from the server or for the input that `wants` names. If the server
    /// left or broke the protocol, returns an error.
    fn next(&mut self, wants: Wants, limit: Duration) -> Result<Next, Exit> {
        self.output.flush()?;
        let stage = self.io.session().stage();
        match self.io.next(wants, limit)? {
            Next::Event(Event::Left) => Err(Disconnect::Left(stage).into()),
            Next::Event(Event::Broken(fault)) => Err(Disconnect::Broken(fault).into()),
            next => Ok(next),
        }
    }

    fn refused(&self, code: u8, text: Text) -> Exit {
        let stage = self.io.session().stage();
        Disconnect::Refused { stage, code, text }.into()
    }

    fn is_shown(&self, server_game: &ServerGame) -> bool {
        self.shown == Some(server_game.game().plays().len())
    }

    /// Draws the board if it changed.
    fn show(&mut self, server_game: &ServerGame) -> io::Result<()> {
        if self.is_shown(server_game) {
            return Ok(());
        }
        self.shown = Some(server_game.game().plays().len());
        self.tell(screen::board(&server_game.view()))
    }

    fn tell(&mut self, words: impl Display) -> io::Result<()> {
        writeln!(self.output, "{words}")
    }
}
