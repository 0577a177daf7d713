//! Everything that is on the screen, and what events make of it. There is no terminal in here.

use std::time::Duration;

use noughts_engine::{Analysis, Random, RobotName, StrategyName};
use noughts_rules::{Action, Move, Record, Seat};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};

use super::dialog::Dialog;
use super::holder::Holder;
use super::look::Look;
use super::names::sentence;
use super::page::is_too_small;
use super::records::SaveError;
use super::robots::{Answer, Purpose, Question, Ticket};
use super::start::{Asked, Start, StartError, seed_of};
use super::table::Table;

/// Robots that play one another are slowed down to what can be followed.
const WATCHED: Duration = Duration::from_millis(400);

/// What comes in.
#[derive(Clone, Debug)]
pub enum Event {
    /// A key.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// The terminal has this size now.
    Resize(u16, u16),
    /// So long the present question has been thought about.
    Tick(Duration),
    /// A robot's answer.
    Answer(Answer),
    /// What came of [`Effect::Save`].
    Saved {
        /// Where.
        path: String,
        /// Whether it was.
        result: Result<(), SaveError>,
    },
    /// What came of [`Effect::Load`].
    Loaded {
        /// From where.
        path: String,
        /// The text, or why there is none.
        result: Result<String, String>,
    },
}

/// What is to be done outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// Leave.
    Quit,
    /// Give the terminal back for a while.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Write a record.
    Save {
        /// Where.
        path: String,
        /// The record.
        text: String,
        /// Whether a file that is there is replaced.
        replaces: bool,
    },
    /// Read a record.
    Load {
        /// From where.
        path: String,
    },
}

/// What the app is given from outside.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What the terminal can show.
    pub look: Look,
    /// The same seed, the same robots' games, but where a clock decides.
    pub seed: u64,
    /// The strategy that hints come from.
    pub hint: String,
}

impl Setup {
    /// With hints from a second of search.
    pub fn new(look: Look, seed: u64) -> Setup {
        Setup {
            look,
            seed,
            hint: "search:1s".to_owned(),
        }
    }
}

/// A sentence under the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) is_bad: bool,
}

/// Help with a move.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Hint {
    None,
    Asked,
    Given(Move, Option<Analysis>),
}

/// The state of the full screen.
pub struct App {
    pub(super) size: (u16, u16),
    pub(super) setup: Setup,
    random: Random,
    pub(super) start: Start,
    pub(super) table: Option<Table>,
    /// Counts the tables up.
    number: u64,
    /// Whether the first screen is shown.
    pub(super) is_choosing: bool,
    pub(super) dialog: Option<Dialog>,
    pub(super) message: Option<Message>,
    pub(super) hint: Hint,
    pub(super) is_paused: bool,
    /// A robot gave no move in this turn, and is not asked again.
    pub(super) has_failed: bool,
    pub(super) thinking: Duration,
}

impl App {
    /// The first screen, or the game that was asked for.
    pub fn new(asked: &Asked, setup: Setup) -> Result<App, StartError> {
        asked.check()?;
        let start = Start::new(asked);
        let mut app = App {
            size: (80, 24),
            random: Random::new(setup.seed),
            setup,
            start,
            table: None,
            number: 0,
            is_choosing: true,
            dialog: None,
            message: None,
            hint: Hint::None,
            is_paused: false,
            has_failed: false,
            thinking: Duration::ZERO,
        };
        if asked.variant.is_some() {
            let table = app.start.open(&mut app.random)?;
            app.sit_at(table);
        }
        Ok(app)
    }

    /// Takes a record's game, or says in a sentence why it is none.
    pub fn open_record(&mut self, text: &str) -> Result<(), String> {
        let record = Record::read(text).map_err(|error| error.to_string())?;
        let (mut table, strangers) = Table::of_record(&record);
        // A game that is over is there to be stepped through.
        table.look_at(table.turns().len());
        self.sit_at(table);
        if let Some(stranger) = strangers.first() {
            self.say(&format!("that seat is yours: {stranger}"));
        }
        Ok(())
    }

    /// Takes what happened, and says what is to be done outside.
    pub fn handle(&mut self, event: Event) -> Effect {
        let effect = match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => Effect::None,
            Event::Key(key) => self.key(key),
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Resize(width, height) => {
                self.size = (width, height);
                self.centre_focus();
                Effect::None
            }
            Event::Tick(time) => {
                self.thinking = time;
                Effect::None
            }
            Event::Answer(answer) => self.answer(answer),
            Event::Saved { path, result } => self.saved(path, result),
            Event::Loaded { path, result } => self.loaded(&path, result),
        };
        self.keep_focus_in_view();
        effect
    }

    /// What is to be thought about now, if anything: it changes with every turn and table.
    pub fn ticket(&self) -> Option<Ticket> {
        let table = self.table()?;
        let seat = table.game().to_move()?;
        let is_asked = match table.holder(seat) {
            Holder::Human(_) => self.hint == Hint::Asked,
            Holder::Robot(_) => !self.is_paused && !self.has_failed,
        };
        let purpose = match table.holder(seat) {
            Holder::Human(_) => Purpose::Hint,
            Holder::Robot(_) => Purpose::Play,
        };
        is_asked.then_some(Ticket {
            table: self.number,
            turn: table.turns().len(),
            purpose,
        })
    }

    /// The question that the ticket is for.
    pub fn question(&self) -> Option<Question> {
        let ticket = self.ticket()?;
        let table = self.table()?;
        let seat = table.game().to_move()?;
        let strategy = match table.holder(seat) {
            Holder::Robot(strategy) => strategy.clone(),
            Holder::Human(_) => RobotName::Strategy(self.setup.hint.parse().ok()?),
        };
        Some(Question {
            ticket,
            seat,
            strategy,
            game: table.game().clone(),
            seed: seed_of(self.setup.seed, self.number, seat),
            pace: match table.has_people() {
                true => Duration::ZERO,
                false => WATCHED,
            },
        })
    }

    /// The table that is played at, unless the first screen hides it.
    pub(super) fn table(&self) -> Option<&Table> {
        self.table.as_ref().filter(|_| !self.is_choosing)
    }

    pub(super) fn hint_strategy(&self) -> &str {
        &self.setup.hint
    }

    fn key(&mut self, key: KeyEvent) -> Effect {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Effect::Quit,
                KeyCode::Char('z') => Effect::Suspend,
                KeyCode::Char('l') => Effect::Redraw,
                _ => Effect::None,
            };
        }
        if is_too_small(self.size) {
            // Nothing can be seen that a key could be meant for.
            return match key.code {
                KeyCode::Char('q') => Effect::Quit,
                _ => Effect::None,
            };
        }
        self.message = None;
        match (self.dialog.take(), self.is_choosing) {
            (Some(dialog), _) => self.key_in_dialog(dialog, key.code),
            (None, true) => self.key_at_start(key.code),
            (None, false) => self.key_at_table(key.code),
        }
    }

    /// Opens the table that was chosen.
    pub(super) fn begin(&mut self) -> Effect {
        match self.start.open(&mut self.random) {
            Ok(table) => self.sit_at(table),
            Err(error) => self.start.problem = Some(sentence(&error.to_string())),
        }
        Effect::None
    }

    pub(super) fn sit_at(&mut self, table: Table) {
        self.table = Some(table);
        self.number += 1;
        self.is_choosing = false;
        self.is_paused = false;
        self.message = None;
        self.turn_over();
        self.centre_focus();
    }

    /// Acts for the seat to move, or for another, and says what was refused.
    pub(super) fn act(&mut self, by: Option<Seat>, action: Action) {
        let Some(table) = &mut self.table else { return };
        let acted = match by {
            Some(by) => table.act_for(by, action),
            None => table.act(action),
        };
        match acted {
            Ok(()) => {
                self.turn_over();
                self.bring_last_play_into_view();
            }
            Err(refusal) => self.refuse(&refusal.to_string()),
        }
    }

    /// What was true of the turn before is forgotten.
    fn turn_over(&mut self) {
        self.hint = Hint::None;
        self.has_failed = false;
        self.thinking = Duration::ZERO;
    }

    fn answer(&mut self, answer: Answer) -> Effect {
        if Some(answer.ticket) != self.ticket() {
            return Effect::None;
        }
        match (answer.decision, answer.ticket.purpose) {
            (Ok(decision), Purpose::Hint) => self.show_hint(decision.at, decision.analysis),
            (Ok(decision), Purpose::Play) => {
                self.act(None, Action::Play(decision.at));
                // Refused: asking again would bring the same answer.
                self.has_failed = Some(answer.ticket) == self.ticket();
            }
            (Err(reason), Purpose::Play) if self.is_engines_turn() => {
                // A program that does not play has lost.
                let seat = self.table().and_then(|table| table.game().to_move());
                self.act(seat, Action::Resign);
                self.refuse(&reason);
            }
            (Err(reason), purpose) => {
                self.has_failed = purpose == Purpose::Play;
                self.hint = Hint::None;
                self.refuse(&reason);
            }
        }
        Effect::None
    }

    fn is_engines_turn(&self) -> bool {
        let holder = self.table().and_then(|table| {
            let seat = table.game().to_move()?;
            Some(table.holder(seat))
        });
        matches!(holder, Some(Holder::Robot(RobotName::Engine(_))))
    }

    fn show_hint(&mut self, at: Move, analysis: Option<Analysis>) {
        if let Some(table) = &mut self.table {
            table.focus = table.field().spot(at);
        }
        self.hint = Hint::Given(at, analysis);
    }

    fn saved(&mut self, path: String, result: Result<(), SaveError>) -> Effect {
        match result {
            Ok(()) => {
                if let Some(table) = &mut self.table {
                    table.is_saved = true;
                }
                self.say(&format!("saved as {path}"));
            }
            Err(SaveError::Exists) => self.dialog = Some(Dialog::Replace(path)),
            Err(SaveError::Failed(reason)) => self.refuse(&reason),
        }
        Effect::None
    }

    fn loaded(&mut self, path: &str, result: Result<String, String>) -> Effect {
        let opened = result.and_then(|text| {
            let opened = self.open_record(&text);
            opened.map_err(|reason| format!("'{path}' is no record: {reason}"))
        });
        match opened {
            Ok(()) if self.message.is_none() => self.say(&format!("loaded {path}")),
            Ok(()) => {}
            Err(reason) if self.is_choosing => self.start.problem = Some(sentence(&reason)),
            Err(reason) => self.refuse(&reason),
        }
        Effect::None
    }

    pub(super) fn say(&mut self, text: &str) {
        self.message = Some(Message {
            text: sentence(text),
            is_bad: false,
        });
    }

    pub(super) fn refuse(&mut self, text: &str) {
        self.message = Some(Message {
            text: sentence(text),
            is_bad: true,
        });
    }

    /// Whether hints can be had here.
    pub(super) fn ask_for_hint(&mut self) {
        match self.setup.hint.parse::<StrategyName>() {
            Ok(_) => self.hint = Hint::Asked,
            Err(error) => self.refuse(&format!("hints need a strategy that is missing: {error}")),
        }
    }
}
