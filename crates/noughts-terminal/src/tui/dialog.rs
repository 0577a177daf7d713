//! Dialogs and the help screen.

use noughts_rules::Action;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;

use super::app::{App, Effect};
use super::canvas::{Border, Canvas};
use super::keys::BINDINGS;
use super::local_game::LocalGame;

/// An open dialog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dialog {
    /// The help, scrolled to this line.
    Help(usize),
    /// Asks for the path to save to. Contains the text typed so far.
    Save(String),
    /// Asks whether to replace the file at this path.
    Replace(String),
    /// Asks for the path to load from. Contains the text typed so far.
    Load(String),
    /// Asks for the number of marks to take back. Contains the selected number.
    Rewind(u16),
    /// Asks whether to resign.
    Resign,
    /// Asks whether to abandon the current game and start again.
    Again,
    /// Asks whether to leave an unsaved game.
    Quit,
}

/// Maximum length of a path in characters.
const LONGEST: usize = 255;

impl App {
    /// Handles a key in a dialog. The dialog closes unless this function stores it again.
    pub(super) fn key_in_dialog(&mut self, dialog: Dialog, code: KeyCode) -> Effect {
        let agrees = matches!(code, KeyCode::Enter | KeyCode::Char('y' | 'Y'));
        match dialog {
            Dialog::Help(first) => self.key_in_help(first, code),
            Dialog::Rewind(count) => self.key_in_rewind(count, code),
            Dialog::Save(path) if code == KeyCode::Enter => self.save(path, false),
            Dialog::Load(path) if code == KeyCode::Enter => {
                let path = path.trim().to_owned();
                match path.is_empty() {
                    true => Effect::None,
                    false => Effect::Load { path },
                }
            }
            Dialog::Save(path) => {
                self.dialog = typed(path, code).map(Dialog::Save);
                Effect::None
            }
            Dialog::Load(path) => {
                self.dialog = typed(path, code).map(Dialog::Load);
                Effect::None
            }
            Dialog::Replace(path) if agrees => self.save(path, true),
            Dialog::Resign if agrees => {
                let person = self.local().and_then(super::local_game::LocalGame::person);
                if person.is_some() {
                    self.act(person, Action::Resign);
                }
                Effect::None
            }
            Dialog::Again if agrees || code == KeyCode::Char('a') => {
                if let Some(local) = self.local().map(LocalGame::again) {
                    self.sit_at(local);
                }
                Effect::None
            }
            Dialog::Quit if agrees || code == KeyCode::Char('q') => Effect::Quit,
            Dialog::Replace(_) => {
                self.say("nothing was saved");
                Effect::None
            }
            Dialog::Resign | Dialog::Again | Dialog::Quit => Effect::None,
        }
    }

    fn key_in_help(&mut self, first: usize, code: KeyCode) -> Effect {
        let max = help(self).len().saturating_sub(1);
        self.dialog = match code {
            KeyCode::Up => Some(Dialog::Help(first.saturating_sub(1))),
            KeyCode::Down => Some(Dialog::Help((first + 1).min(max))),
            KeyCode::PageUp => Some(Dialog::Help(first.saturating_sub(10))),
            KeyCode::PageDown => Some(Dialog::Help((first + 10).min(max))),
            _ => None,
        };
        Effect::None
    }

    fn key_in_rewind(&mut self, count: u16, code: KeyCode) -> Effect {
        let max = self
            .local()
            .and_then(|local| local.game().longest_rewind())
            .unwrap_or(0);
        let count = match code {
            KeyCode::Enter | KeyCode::Char('r') => {
                self.act(None, Action::Rewind(count));
                return Effect::None;
            }
            KeyCode::Left | KeyCode::Down | KeyCode::Char('-') => count.saturating_sub(1),
            KeyCode::Right | KeyCode::Up | KeyCode::Char('+') => (count + 1).min(max),
            KeyCode::Char(digit) if digit.is_ascii_digit() => {
                let digit = digit as u16 - '0' as u16;
                let longer = count.saturating_mul(10).saturating_add(digit);
                // Append the digit if the number stays in range, otherwise start a new number.
                if longer <= max {
                    longer
                } else {
                    digit.min(max)
                }
            }
            KeyCode::Esc | KeyCode::Char('q') => return Effect::None,
            _ => count,
        };
        self.dialog = Some(Dialog::Rewind(count));
        Effect::None
    }

    fn save(&mut self, path: String, replaces: bool) -> Effect {
        let path = path.trim().to_owned();
        let Some(local) = self.local.as_ref().filter(|_| !path.is_empty()) else {
            return Effect::None;
        };
        match local.record() {
            Ok(record) => Effect::Save {
                path,
                text: record.to_string(),
                replaces,
            },
            Err(error) => {
                self.refuse(&error.to_string());
                Effect::None
            }
        }
    }
}

/// Returns the text after one more key. Returns `None` if the key cancels the dialog.
fn typed(mut text: String, code: KeyCode) -> Option<String> {
    match code {
        KeyCode::Esc => return None,
        KeyCode::Backspace => {
            text.pop();
        }
        KeyCode::Delete => text.clear(),
        KeyCode::Char(letter) if !letter.is_control() && text.chars().count() < LONGEST => {
            text.push(letter);
        }
        _ => {}
    }
    Some(text)
}

/// Returns the question of a dialog, and a line that lists the keys of the dialog.
fn words(app: &App, dialog: &Dialog) -> (String, &'static str) {
    match dialog {
        Dialog::Help(_) => ("Help".to_owned(), ""),
        Dialog::Save(path) => (
            format!("Save as: {path}_"),
            "Enter save  Del clear  Esc cancel",
        ),
        Dialog::Replace(path) => (
            format!("There is a file {path}. Replace it?"),
            "y replace  n keep it",
        ),
        Dialog::Load(path) => (
            format!("Load: {path}_"),
            "Enter load  Del clear  Esc cancel",
        ),
        Dialog::Rewind(count) => {
            let local = app.local();
            let max = local.and_then(|local| local.game().longest_rewind());
            let marks = if *count == 1 { "mark" } else { "marks" };
            (
                format!(
                    "Take back {count} {marks} (0 to {}), and pass the turn?",
                    max.unwrap_or(0)
                ),
                "left right change  Enter take back  Esc cancel",
            )
        }
        Dialog::Resign => (
            "Give up? All others win.".to_owned(),
            "y give up  n play on",
        ),
        Dialog::Again => (
            "Start a new game? This one is not over.".to_owned(),
            "y new game  n play on",
        ),
        Dialog::Quit => (
            "Leave this game? It was not saved.".to_owned(),
            "y leave  n play on",
        ),
    }
}

/// The lines of the help: keys and descriptions.
fn help(app: &App) -> Vec<(String, String)> {
    let theme = app.settings.theme;
    let mut lines: Vec<(String, String)> = BINDINGS
        .iter()
        .filter(|binding| !binding.label(theme).is_empty())
        .map(|binding| (binding.label(theme).to_owned(), binding.about.to_owned()))
        .collect();
    let mouse = "click a cell or a turn; the wheel scrolls";
    lines.push(("Mouse".to_owned(), mouse.to_owned()));
    let signs = format!("[ ] ( ) {}", theme.text("═ ═", "= ="));
    let about = "focus, last play, winning line";
    lines.push((signs, about.to_owned()));
    lines
}

/// Draws the help in a frame in the middle of the screen. Draws every other dialog as a question in the last two lines,
/// so that the board stays visible.
pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App, dialog: &Dialog) {
    if let Dialog::Help(first) = dialog {
        return draw_help(canvas, app, *first);
    }
    let (request, keys) = words(app, dialog);
    let area = canvas.area();
    let room = usize::from(area.width.saturating_sub(2));
    // Show the end of a long path, where the cursor is.
    let surplus = request.chars().count().saturating_sub(room);
    let request: String = request.chars().skip(surplus).collect();
    let lines = Rect::new(0, area.bottom() - 2, area.width, 2);
    canvas.clear(lines);
    canvas.write(1, lines.y, &request, canvas.theme.focus());
    canvas.write(1, lines.y + 1, keys, canvas.theme.quiet());
}

fn draw_help(canvas: &mut Canvas<'_>, app: &App, first: usize) {
    let lines = help(app);
    let height = (lines.len() as u16 + 4).min(canvas.area().height.saturating_sub(2));
    let inner = open(canvas, 62, height);
    let room = usize::from(inner.height - 2);
    let first = first.min(lines.len().saturating_sub(room));
    let strong = canvas.theme.strong();
    for (y, (key, about)) in (inner.y..).zip(lines.iter().skip(first).take(room)) {
        canvas.write_within(inner.x, y, inner.right(), key, strong);
        let plain = ratatui::style::Style::new();
        canvas.write_within(inner.x + 13, y, inner.right(), about, plain);
    }
    let keys = match lines.len() > room {
        true => "up down more  any other key closes",
        false => "any key closes",
    };
    let quiet = canvas.theme.quiet();
    canvas.write_within(inner.x, inner.bottom() - 1, inner.right(), keys, quiet);
}

/// Draws an empty frame in the middle of the screen and returns its inner area.
fn open(canvas: &mut Canvas<'_>, width: u16, height: u16) -> Rect {
    let area = canvas.area();
    let (width, height) = (width.min(area.width), height.min(area.height));
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    canvas.clear(place);
    canvas.frame(place, Border::Thin, canvas.theme.strong());
    Rect {
        x: place.x + 2,
        y: place.y + 1,
        width: place.width - 4,
        height: place.height - 2,
    }
}
