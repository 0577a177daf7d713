//! The state of the full screen, and how events change it. This module does not use a terminal.

use std::time::Duration;

use noughts_engine::{Analysis, Random, RobotName, StrategyName};
use noughts_rules::{Action, Move, Record, Seat};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};

use super::canvas::is_too_small;
use super::dialog::Dialog;
use super::labels::sentence;
use super::local_game::LocalGame;
use super::record_files::SaveError;
use super::robot_thread::{Purpose, RequestId, RobotReply, RobotRequest};
use super::start_form::{StartError, StartForm, TuiOptions, seed_of};
use super::theme::Theme;
use crate::holder::Holder;

/// Minimum time per move in a game between robots, so that people can follow the game.
const WATCHED_MOVE_PAUSE: Duration = Duration::from_millis(400);

/// An input of the app.
#[derive(Clone, Debug)]
pub enum Event {
    /// The user pressed or released a key.
    Key(KeyEvent),
    /// The user moved the mouse or used a button or the wheel.
    Mouse(MouseEvent),
    /// The new size of the terminal.
    Resize(u16, u16),
    /// How long the robot has been thinking.
    Tick(Duration),
    /// The move of a robot.
    RobotReply(RobotReply),
    /// The result of [`Effect::Save`].
    Saved {
        /// The path.
        path: String,
        /// The result.
        result: Result<(), SaveError>,
    },
    /// The result of [`Effect::Load`].
    Loaded {
        /// The path.
        path: String,
        /// The text, or the error.
        result: Result<String, String>,
    },
}

/// What the caller must do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Do nothing.
    None,
    /// Quit.
    Quit,
    /// Quit immediately, because the user pressed Ctrl-C.
    Interrupt,
    /// Suspend the program.
    Suspend,
    /// Redraw the whole screen.
    Redraw,
    /// Write a record.
    Save {
        /// The path.
        path: String,
        /// The record.
        text: String,
        /// Whether to replace an existing file.
        replaces: bool,
    },
    /// Read a record.
    Load {
        /// The path.
        path: String,
    },
}

/// Settings of the app.
#[derive(Clone, Debug)]
pub struct TuiSettings {
    /// Characters and colours.
    pub theme: Theme,
    /// The seed from which the seeds of all robots are derived.
    pub seed: u64,
    /// The strategy that gives hints.
    pub hint: String,
}

impl TuiSettings {
    /// Creates settings in which a hint is the result of a search of one second.
    pub fn new(theme: Theme, seed: u64) -> TuiSettings {
        TuiSettings {
            theme,
            seed,
            hint: "search:1s".to_owned(),
        }
    }
}

/// A message below the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) is_bad: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Hint {
    None,
    Requested,
    Given(Move, Option<Analysis>),
}

/// The state of the full screen.
pub struct App {
    pub(super) size: (u16, u16),
    pub(super) settings: TuiSettings,
    random: Random,
    pub(super) start: StartForm,
    pub(super) local: Option<LocalGame>,
    /// A number that grows when a game starts and when a turn is undone. When the number changes, the game gets new
    /// robots.
    number: u64,
    /// Whether the start screen is shown.
    pub(super) is_choosing: bool,
    pub(super) dialog: Option<Dialog>,
    pub(super) message: Option<Message>,
    pub(super) hint: Hint,
    /// The analysis of the position before each turn, if a review was requested. The list grows turn by turn.
    pub(super) review: Option<Vec<Option<Analysis>>>,
    pub(super) is_paused: bool,
    /// Whether the robot to move has failed in this turn. Then the app requests no further move from the robot.
    pub(super) has_failed: bool,
    pub(super) thinking: Duration,
}

impl App {
    /// Opens the start screen, or a game if the options name a variant.
    pub fn new(options: &TuiOptions, settings: TuiSettings) -> Result<App, StartError> {
        options.check()?;
        let start = StartForm::new(options);
        let mut app = App {
            size: (80, 24),
            random: Random::new(settings.seed),
            settings,
            start,
            local: None,
            number: 0,
            is_choosing: true,
            dialog: None,
            message: None,
            hint: Hint::None,
            review: None,
            is_paused: false,
            has_failed: false,
            thinking: Duration::ZERO,
        };
        if options.variant.is_some() {
            let local = app.start.open(&mut app.random)?;
            app.sit_at(local);
        }
        Ok(app)
    }

    /// Opens the game of a record. An error says why the text is not a record.
    pub fn open_record(&mut self, text: &str) -> Result<(), String> {
        let record = text.parse::<Record>().map_err(|error| error.to_string())?;
        let (mut local, errors) = LocalGame::of_record(&record);
        // Show the last turn.
        local.look_at(local.turns().len());
        self.sit_at(local);
        if let Some(error) = errors.first() {
            self.say(&format!("that seat is yours: {error}"));
        }
        Ok(())
    }

    /// Handles an event and returns what the caller must do.
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
            Event::RobotReply(answer) => self.answer(answer),
            Event::Saved { path, result } => self.saved(path, result),
            Event::Loaded { path, result } => self.loaded(&path, result),
        };
        self.keep_focus_in_view();
        effect
    }

    /// The id of the request that the robot thread should work on now, if any. The id changes with every turn and
    /// game.
    pub fn request_id(&self) -> Option<RequestId> {
        let local = self.local()?;
        let holder = local.game().to_move().map(|seat| local.holder(seat));
        let purpose = match holder {
            Some(Holder::Human(_)) if self.hint == Hint::Requested => Purpose::Hint,
            Some(Holder::Robot(_)) if !self.is_paused && !self.has_failed => Purpose::Play,
            Some(_) | None => Purpose::Review,
        };
        let turns = local.turns().len();
        let turn = match purpose {
            Purpose::Play | Purpose::Hint => turns,
            Purpose::Review => {
                let reviewed = self.review.as_ref()?.len();
                Some(reviewed).filter(|reviewed| *reviewed < turns)?
            }
        };
        Some(RequestId {
            local: self.number,
            turn,
            purpose,
        })
    }

    /// The request with the id that `request_id` returns.
    pub fn robot_request(&self) -> Option<RobotRequest> {
        let request_id = self.request_id()?;
        let local = self.local()?;
        let game = local.game().after(request_id.turn);
        let seat = game.to_move()?;
        let strategy = match local.holder(seat) {
            Holder::Robot(strategy) => strategy.clone(),
            Holder::Human(_) => RobotName::Strategy(self.settings.hint.parse().ok()?),
        };
        Some(RobotRequest {
            request_id,
            seat,
            strategy,
            game,
            seed: seed_of(self.settings.seed, self.number, seat),
            pace: match local.has_people() {
                true => Duration::ZERO,
                false => WATCHED_MOVE_PAUSE,
            },
        })
    }

    /// The game. `None` if there is no game, or while the start screen hides the game.
    pub(super) fn local(&self) -> Option<&LocalGame> {
        self.local.as_ref().filter(|_| !self.is_choosing)
    }

    pub(super) fn hint_strategy(&self) -> &str {
        &self.settings.hint
    }

    fn key(&mut self, key: KeyEvent) -> Effect {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Effect::Interrupt,
                KeyCode::Char('z') => Effect::Suspend,
                KeyCode::Char('l') => Effect::Redraw,
                _ => Effect::None,
            };
        }
        if is_too_small(self.size) {
            // The screen is too small for a game. Of the keys without Ctrl, only `q` works.
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

    /// Starts the chosen game.
    pub(super) fn begin(&mut self) -> Effect {
        match self.start.open(&mut self.random) {
            Ok(local) => self.sit_at(local),
            Err(error) => self.start.problem = Some(sentence(&error.to_string())),
        }
        Effect::None
    }

    pub(super) fn sit_at(&mut self, local: LocalGame) {
        self.local = Some(local);
        self.number += 1;
        self.is_choosing = false;
        self.is_paused = false;
        self.review = None;
        self.message = None;
        self.turn_over();
        self.centre_focus();
    }

    /// Performs an action for a seat (by default the seat to move). Shows the reason if the action is illegal.
    pub(super) fn act(&mut self, by: Option<Seat>, action: Action) {
        let Some(local) = &mut self.local else { return };
        let acted = match by {
            Some(by) => local.act_for(by, action),
            None => local.act(action),
        };
        match acted {
            Ok(()) => {
                self.turn_over();
                self.bring_last_play_into_view();
            }
            Err(refusal) => self.refuse(&refusal.to_string()),
        }
    }

    /// Takes back the person's last turn and the robots' turns after it. Works only if exactly one person plays.
    pub(super) fn undo(&mut self) {
        let Some(local) = &mut self.local else { return };
        let Some(turns) = local.undo_to() else {
            return self.refuse("undo works only if you are the only person and have made a move");
        };
        local.undo(turns);
        if let Some(review) = &mut self.review {
            review.truncate(turns);
        }
        // Robots keep state about the game. A new game number replaces them by new robots.
        self.number += 1;
        self.turn_over();
    }

    /// Shows or hides which moves were good or bad.
    pub(super) fn toggle_review(&mut self) {
        self.review = match self.review {
            Some(_) => None,
            None => Some(Vec::new()),
        };
    }

    /// Resets the state that belongs to a single turn: the hint, the robot's failure and the thinking time.
    fn turn_over(&mut self) {
        self.hint = Hint::None;
        self.has_failed = false;
        self.thinking = Duration::ZERO;
    }

    fn answer(&mut self, answer: RobotReply) -> Effect {
        if Some(answer.request_id) != self.request_id() {
            return Effect::None;
        }
        match (answer.decision, answer.request_id.purpose) {
            (Ok(decision), Purpose::Hint) => self.show_hint(decision.at, decision.analysis),
            (decision, Purpose::Review) => {
                let analysis = decision.ok().and_then(|decision| decision.analysis);
                self.review.get_or_insert_default().push(analysis);
            }
            (Ok(decision), Purpose::Play) => {
                self.act(None, Action::Play(decision.at));
                // After an illegal move the robot would choose the same move again, so the app sends it no further
                // request.
                self.has_failed = Some(answer.request_id) == self.request_id();
            }
            (Err(reason), Purpose::Play) if self.is_engines_turn() => {
                // An engine that fails loses.
                let seat = self.local().and_then(|local| local.game().to_move());
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
        let holder = self.local().and_then(|local| {
            let seat = local.game().to_move()?;
            Some(local.holder(seat))
        });
        matches!(holder, Some(Holder::Robot(RobotName::Engine(_))))
    }

    fn show_hint(&mut self, at: Move, analysis: Option<Analysis>) {
        if let Some(local) = &mut self.local {
            local.focus = local.grid().point(at);
        }
        self.hint = Hint::Given(at, analysis);
    }

    fn saved(&mut self, path: String, result: Result<(), SaveError>) -> Effect {
        match result {
            Ok(()) => {
                if let Some(local) = &mut self.local {
                    local.is_saved = true;
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

    /// Requests a hint, if the hint strategy exists.
    pub(super) fn ask_for_hint(&mut self) {
        match self.settings.hint.parse::<StrategyName>() {
            Ok(_) => self.hint = Hint::Requested,
            Err(error) => self.refuse(&format!("hints are not available: {error}")),
        }
    }
}
