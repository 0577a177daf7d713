//! A visit to a server of the TCP protocol: a person or a robot plays there, and hears in words what
//! happens.
//!
//! The model is the mirror of the server's game; `link` listens to the server and to the person at
//! once, `screen` and `words` are what is shown. Here is what happens when.

mod command;
mod link;
mod mirror;
mod options;
mod parting;
mod screen;
mod tally;
mod words;

pub use options::{Asked, OptionError, Setup};
pub use parting::{Parting, VisitError};

use std::fmt::Display;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Random, Robot, Setup as Outside, Stop};
use noughts_rules::{Action, Move};
use noughts_wire::{ClientSession, Dialect, Event, Greeting, IDS, Stage, Text, Verdict};

use self::command::Typed;
use self::link::{Link, Next, Wants};
use self::mirror::Mirror;
use self::parting::Leave;
use self::tally::Tally;
use self::words::Cast;
use crate::console::sentence;

/// How often in a row a server may complain.
const MOST_COMPLAINTS: u8 = 5;

const FOR_EVER: Duration = Duration::MAX;

const QUIT: &str = ":q";

/// A connection that has said nothing yet.
pub struct Connection<R, W> {
    /// Who is at its other end, for the screen.
    pub peer: String,
    /// What the server says. Read by a thread of its own.
    pub hears: R,
    /// What the server is told.
    pub says: W,
}

/// Plays over this connection until somebody leaves, and says what happened. Ends as it should when
/// the person asked to go, or the input ended, or the robot has played its games.
///
/// The input is read by a thread of its own, a line whenever one is asked for; that thread outlives
/// the visit if it waits for a line then.
pub fn play(
    setup: &Setup,
    outside: &Outside,
    connection: Connection<impl Read + Send + 'static, impl Write>,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<(), VisitError> {
    let mut visit = Visit {
        setup,
        cast: Cast::new(setup),
        seeds: Random::new(outside.seed),
        outside,
        link: Link::new(connection.hears, connection.says, input),
        output,
        tally: Tally::default(),
        shown: None,
        complaints: 0,
    };
    let parting = match visit.make(&connection.peer) {
        Ok(()) | Err(Leave::Quit) => None,
        Err(Leave::Parted(parting)) => Some(parting),
        Err(Leave::Failed(error)) => return Err(VisitError::Terminal(error)),
    };
    let is_good = parting.is_none();
    visit.end(is_good).map_err(VisitError::Terminal)?;
    parting.map_or(Ok(()), |parting| Err(VisitError::Server(parting)))
}

struct Visit<'a, W, O> {
    setup: &'a Setup,
    cast: Cast,
    outside: &'a Outside,
    seeds: Random,
    link: Link<W>,
    output: O,
    tally: Tally,
    /// So many plays were on the board that was shown last.
    shown: Option<usize>,
    /// From the server, in a row.
    complaints: u8,
}

/// What a player did, or what the server did meanwhile.
enum Choice {
    Play(Move),
    Event(Event),
}

/// What a person answered, or what the server did meanwhile.
enum Answer {
    Line(String),
    Event(Event),
}

impl<W: Write, O: Write> Visit<'_, W, O> {
    fn make(&mut self, peer: &str) -> Result<(), Leave> {
        self.greet()?;
        self.tell(words::welcome(self.setup, peer))?;
        let mut is_first = self.join()?;
        loop {
            let verdict = self.play_game(is_first)?;
            self.tally.add(verdict);
            if !self.wants_another()? {
                return Ok(());
            }
            is_first = match self.join() {
                Err(Leave::Parted(parting)) => {
                    // On a pipe the question's line still stands open.
                    self.tell("")?;
                    return Err(parting.into());
                }
                joined => joined?,
            };
        }
    }

    /// Last words.
    fn end(&mut self, is_good: bool) -> io::Result<()> {
        if let Some(tally) = self.cast.tally(&self.tally) {
            self.tell(tally)?;
        }
        if is_good {
            self.tell(words::GOODBYE)?;
        }
        self.output.flush()
    }

    fn greet(&mut self) -> Result<(), Leave> {
        let id = IDS.start() + self.seeds.below(IDS.count()) as u32;
        let greeting = match self.setup.dialect {
            Dialect::Seed => Greeting::Seed(id),
            Dialect::Later => Greeting::Later,
        };
        let name = &self.setup.name;
        self.link
            .say(|session, out| session.hello(name, greeting, out))?;
        match self.next(Wants::Nothing, self.setup.patience)? {
            Next::Event(Event::Refused { code, text }) => Err(self.refused(code, text)),
            Next::Event(_) | Next::Line(_) => Ok(()),
            Next::Nothing => Err(Parting::Silent(Stage::Greeting).into()),
        }
    }

    /// Asks for a game, and waits until it begins; whether this client moves first.
    fn join(&mut self) -> Result<bool, Leave> {
        // A server that does not admit names the right id, so the second time must do.
        for _ in 0..2 {
            self.link.say(ClientSession::play)?;
            match self.wait_for_game()? {
                Event::Admitted { first } => {
                    self.cast.is_pair |= !first;
                    return Ok(first);
                }
                Event::Refused { code, text } => return Err(self.refused(code, text)),
                _ => {}
            }
        }
        Err(Parting::NotAdmitted.into())
    }

    fn wait_for_game(&mut self) -> Result<Event, Leave> {
        let (mut wants, mut limit) = (Wants::Nothing, self.setup.pause);
        if self.cast.is_pair {
            self.tell(words::WAITING)?;
            (wants, limit) = (self.wants_while_waiting(), FOR_EVER);
        }
        loop {
            match self.next(wants, limit)? {
                Next::Event(event) => return Ok(event),
                Next::Line(Some(line)) if line == QUIT => return Err(self.quit_alone()),
                Next::Line(Some(line)) => wants = self.link.keep(line),
                Next::Line(None) if self.link.is_alone() => return Err(self.quit_alone()),
                Next::Line(None) => wants = Wants::Nothing,
                Next::Nothing => {
                    // Who waits so long is at a door for two, whatever it was taken for.
                    self.cast.is_pair = true;
                    self.tell(words::NO_GAME_YET)?;
                    (wants, limit) = (self.wants_while_waiting(), FOR_EVER);
                }
            }
        }
    }

    /// A person may leave at any time; a robot has no keyboard.
    fn wants_while_waiting(&self) -> Wants {
        match self.setup.robot {
            None => Wants::NewLine,
            Some(_) => Wants::Nothing,
        }
    }

    fn quit_alone(&mut self) -> Leave {
        match self.tell(words::NOBODY_CAME) {
            Ok(()) => Leave::Quit,
            Err(error) => error.into(),
        }
    }

    fn play_game(&mut self, is_first: bool) -> Result<Verdict, Leave> {
        let mut mirror = Mirror::new(is_first);
        let mut robot = self.sit_down(&mirror);
        self.shown = None;
        self.tell(self.cast.opening(mirror.own()))?;
        self.show(&mirror)?;
        let played = self.take_turns(&mut mirror, &mut robot);
        let plays = mirror.game().plays().len();
        match &played {
            Ok(_) | Err(Leave::Failed(_)) => {}
            Err(Leave::Quit) => self.tell(self.cast.left(plays))?,
            Err(Leave::Parted(_)) => self.tell(words::unfinished(plays))?,
        }
        played
    }

    /// The robot for this game, if one plays.
    fn sit_down(&mut self, mirror: &Mirror) -> Option<Box<dyn Robot>> {
        // Each game differs from the one before, and all are the same under the same seed.
        let outside = Outside {
            seed: self.seeds.draw(),
            clock: Arc::clone(&self.outside.clock),
        };
        let name = self.setup.robot.as_ref()?;
        let robot = name.build(mirror.game(), &outside);
        Some(robot.expect("a robot that was tried sits down again"))
    }

    fn take_turns(
        &mut self,
        mirror: &mut Mirror,
        robot: &mut Option<Box<dyn Robot>>,
    ) -> Result<Verdict, Leave> {
        loop {
            let is_own = self.link.session().stage() == Stage::ItsTurn && !mirror.is_over();
            let choice = match robot {
                _ if !is_own => Choice::Event(self.wait_for_opponent(mirror)?),
                Some(robot) => self.let_think(mirror, robot.as_mut())?,
                None => self.ask_for_play(mirror)?,
            };
            match choice {
                Choice::Play(at) => self.act(mirror, at)?,
                Choice::Event(event) => {
                    if let Some(verdict) = self.follow(mirror, event)? {
                        return Ok(verdict);
                    }
                }
            }
        }
    }

    fn act(&mut self, mirror: &mut Mirror, at: Move) -> Result<(), Leave> {
        mirror.play_own(at);
        self.link
            .say(|session, out| session.act(mirror::cell(at), out))?;
        if self.setup.robot.is_some() {
            return Ok(self.tell(self.cast.own_plays(at))?);
        }
        // The computer answers at once, and then one board is enough; people take their time.
        if self.cast.is_pair {
            self.tell("")?;
            self.show(mirror)?;
        }
        Ok(())
    }

    /// Does on the own board what happened at the server's; how the game ended, if it did.
    fn follow(&mut self, mirror: &mut Mirror, event: Event) -> Result<Option<Verdict>, Leave> {
        match event {
            Event::Played(cell) => {
                let at = mirror.play_other(cell).ok_or(Parting::PlayedOn(cell))?;
                self.complaints = 0;
                self.tell(self.cast.other_plays(at))?;
                self.show(mirror)?;
            }
            Event::Over {
                verdict,
                opponent_cell,
            } => {
                self.complaints = 0;
                if let Some(at) = mirror.settle(verdict, opponent_cell) {
                    self.tell(self.cast.other_plays(at))?;
                } else if self.setup.robot.is_none() && !self.is_shown(mirror) {
                    self.tell("")?;
                }
                self.show(mirror)?;
                self.tell(self.cast.end(mirror, verdict))?;
                return Ok(Some(verdict));
            }
            Event::Refused { code, text } => {
                let at = mirror.take_back();
                self.tell(words::complaint(at, code, &text))?;
                self.complaints += 1;
                if self.setup.robot.is_some() || self.complaints >= MOST_COMPLAINTS {
                    return Err(self.refused(code, text));
                }
                self.show(mirror)?;
            }
            // The session makes none of these of a game that goes on.
            Event::Ready { .. }
            | Event::Admitted { .. }
            | Event::NotAdmitted
            | Event::Broken(_)
            | Event::Left => {}
        }
        Ok(None)
    }

    fn wait_for_opponent(&mut self, mirror: &Mirror) -> Result<Event, Leave> {
        let (mut wants, mut limit) = (Wants::Nothing, self.setup.pause);
        if mirror.is_over() {
            limit = self.setup.patience;
        } else if self.cast.is_pair {
            if self.setup.robot.is_none() {
                self.tell(words::OPPONENTS_TURN)?;
            }
            (wants, limit) = (self.wants_while_waiting(), FOR_EVER);
        }
        let mut is_last = false;
        loop {
            // What a script typed last still has its answer, but nobody waits for ever.
            if wants == Wants::NewLine && self.link.is_alone() {
                self.tell(words::INPUT_ENDED)?;
                (wants, limit, is_last) = (Wants::Nothing, self.setup.patience, true);
            }
            match self.next(wants, limit)? {
                Next::Event(event) => return Ok(event),
                Next::Line(Some(line)) if line == QUIT => return Err(Leave::Quit),
                Next::Line(Some(line)) => wants = self.link.keep(line),
                Next::Line(None) => {}
                Next::Nothing if mirror.is_over() => {
                    return Err(Parting::Silent(Stage::Moving).into());
                }
                Next::Nothing if is_last => return Err(Leave::Quit),
                Next::Nothing => {
                    self.tell(words::THINKING)?;
                    (wants, limit) = (self.wants_while_waiting(), FOR_EVER);
                }
            }
        }
    }

    /// Lets the robot choose, and looks up then.
    fn let_think(&mut self, mirror: &Mirror, robot: &mut dyn Robot) -> Result<Choice, Leave> {
        self.output.flush()?;
        let decision = robot
            .choose(mirror.game(), &Stop::new())
            .map_err(Parting::Robot)?;
        match self.next(Wants::Nothing, Duration::ZERO)? {
            Next::Event(event) => Ok(Choice::Event(event)),
            Next::Line(_) | Next::Nothing => Ok(Choice::Play(decision.at)),
        }
    }

    /// Asks until a free cell was named. The server is not bothered with others.
    fn ask_for_play(&mut self, mirror: &Mirror) -> Result<Choice, Leave> {
        loop {
            let line = match self.ask(words::PROMPT)? {
                Answer::Line(line) => line,
                Answer::Event(event) => return Ok(Choice::Event(event)),
            };
            let explained = match command::read(mirror.game(), &line) {
                Typed::Cell(at) => match mirror.game().check(mirror.own(), Action::Play(at)) {
                    Ok(()) => return Ok(Choice::Play(at)),
                    Err(refusal) => sentence(refusal),
                },
                Typed::OffBoard(cell) => words::off_board(&cell),
                Typed::Resign => words::RESIGN.to_owned(),
                Typed::Rewind => words::REWIND.to_owned(),
                Typed::Help => words::HELP.to_owned(),
                Typed::Unreadable(typed) => words::unreadable(&typed),
            };
            self.tell(explained)?;
        }
    }

    fn wants_another(&mut self) -> Result<bool, Leave> {
        if self.setup.robot.is_some() {
            return Ok(self.tally.games() < self.setup.games);
        }
        loop {
            match self.ask(words::PLAY_AGAIN) {
                Ok(Answer::Line(line)) => match line.to_lowercase().as_str() {
                    "y" | "yes" => return Ok(true),
                    "n" | "no" => return Ok(false),
                    _ => self.tell(words::NO_ANSWER)?,
                },
                Ok(Answer::Event(Event::Refused { code, text })) => {
                    self.tell(words::complaint(None, code, &text))?;
                    self.complaints += 1;
                    if self.complaints >= MOST_COMPLAINTS {
                        return Err(self.refused(code, text));
                    }
                }
                Ok(Answer::Event(_)) => {}
                // Nobody's game was broken off.
                Err(Leave::Parted(Parting::Left(_))) => {
                    self.tell(words::SERVER_LEFT)?;
                    return Ok(false);
                }
                Err(leave) => return Err(leave),
            }
        }
    }

    /// Asks a person, who is told at once when the server has something to say meanwhile.
    fn ask(&mut self, prompt: &str) -> Result<Answer, Leave> {
        write!(self.output, "{prompt} ")?;
        let answer = match self.next(Wants::Line, FOR_EVER) {
            Ok(Next::Line(Some(line))) if line == QUIT => return Err(Leave::Quit),
            Ok(Next::Line(Some(line))) => return Ok(Answer::Line(line)),
            Ok(Next::Event(event)) => Ok(Answer::Event(event)),
            Ok(Next::Line(None) | Next::Nothing) => Err(Leave::Quit),
            Err(leave) => Err(leave),
        };
        // No newline was typed, so the prompt's line still stands open.
        self.tell("")?;
        answer
    }

    /// What happens next, of which the end of the session is a reason to leave.
    fn next(&mut self, wants: Wants, limit: Duration) -> Result<Next, Leave> {
        self.output.flush()?;
        let stage = self.link.session().stage();
        match self.link.next(wants, limit)? {
            Next::Event(Event::Left) => Err(Parting::Left(stage).into()),
            Next::Event(Event::Broken(fault)) => Err(Parting::Broken(fault).into()),
            next => Ok(next),
        }
    }

    fn refused(&self, code: u8, text: Text) -> Leave {
        let stage = self.link.session().stage();
        Parting::Refused { stage, code, text }.into()
    }

    fn is_shown(&self, mirror: &Mirror) -> bool {
        self.shown == Some(mirror.game().plays().len())
    }

    /// Draws the board, if it is not the one that was drawn last.
    fn show(&mut self, mirror: &Mirror) -> io::Result<()> {
        if self.is_shown(mirror) {
            return Ok(());
        }
        self.shown = Some(mirror.game().plays().len());
        self.tell(screen::board(&mirror.view()))
    }

    fn tell(&mut self, words: impl Display) -> io::Result<()> {
        writeln!(self.output, "{words}")
    }
}
