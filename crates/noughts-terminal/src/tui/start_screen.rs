//! The start screen: drawing and keys.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::app::{App, Effect};
use super::canvas::{Canvas, width};
use super::dialog::Dialog;
use super::start_form::{Item, StartForm};
use super::theme::Theme;

/// The width of a line in columns.
const WIDTH: u16 = 64;
/// The column in which the value of a line starts.
const TEXT: u16 = 15;
/// The column in which the description of the value starts.
const ABOUT: u16 = 36;

impl App {
    pub(super) fn key_at_start(&mut self, code: KeyCode) -> Effect {
        match code {
            KeyCode::Up | KeyCode::BackTab => self.start.go(-1),
            KeyCode::Down | KeyCode::Tab => self.start.go(1),
            KeyCode::Left => self.start.change(-1),
            KeyCode::Right => self.start.change(1),
            KeyCode::Enter => return self.choose(self.start.at),
            KeyCode::Backspace => self.start.erase(),
            KeyCode::Esc if self.local.is_some() => self.is_choosing = false,
            KeyCode::Esc => self.start.go_to(Item::Quit),
            KeyCode::F(1) | KeyCode::Char('?') => self.dialog = Some(Dialog::Help(0)),
            KeyCode::Char('q') if self.start.text(self.start.at).is_none() => return Effect::Quit,
            KeyCode::Char(letter) if !letter.is_control() => self.start.enter(letter),
            _ => {}
        }
        Effect::None
    }

    /// Does what the line `item` stands for. On a line that shows a setting, starts the game.
    pub(super) fn choose(&mut self, item: Item) -> Effect {
        match item {
            Item::Game | Item::FirstBoard | Item::Seat(_) | Item::History | Item::Begin => {
                self.begin()
            }
            Item::Load => {
                self.dialog = Some(Dialog::Load(String::new()));
                Effect::None
            }
            Item::Help => {
                self.dialog = Some(Dialog::Help(0));
                Effect::None
            }
            Item::Quit => Effect::Quit,
        }
    }

    /// Handles a click on the start screen.
    pub(super) fn click_at_start(&mut self, x: u16, y: u16) -> Effect {
        let lines = lines(&self.start, self.size);
        let Some((item, place)) = lines
            .into_iter()
            .find(|(_, place)| place.contains((x, y).into()))
        else {
            return Effect::None;
        };
        self.start.go_to(item);
        if self.start.text(item).is_none() {
            return self.choose(item);
        }
        // A click on the label or the left arrow selects the previous value. A click farther right selects the next
        // value.
        self.start
            .change(if x < place.x + TEXT + 2 { -1 } else { 1 });
        Effect::None
    }
}

/// The visible lines and their areas on the screen. The selected line is always visible.
fn lines(start: &StartForm, size: (u16, u16)) -> Vec<(Item, Rect)> {
    const TOP: u16 = 5;
    let (width, height) = size;
    let x = width.saturating_sub(WIDTH) / 2;
    let items = start.items();
    let room = usize::from(height.saturating_sub(TOP + 7));
    let at = items.iter().position(|item| *item == start.at).unwrap_or(0);
    let first = (at + 1).saturating_sub(room);
    let seen = items.into_iter().skip(first).take(room);
    let gap = |item| u16::from(start.text(item).is_none());
    seen.zip(TOP..)
        .map(|(item, y)| (item, Rect::new(x, y + gap(item), WIDTH, 1)))
        .collect()
}

pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App) {
    let area = canvas.area();
    let start = &app.start;
    let theme = canvas.theme;
    let (strong, quiet) = (theme.strong(), theme.quiet());
    let below = Rect::new(2, area.bottom() - 6, area.width - 4, 5);
    canvas.write_centred(area, 1, theme.text("× ○  Noughts", "x o  Noughts"), strong);
    canvas.write_centred(area, 2, "every game of the tic-tac-toe family", quiet);
    for (item, place) in lines(start, (area.width, area.height)) {
        let is_here = item == start.at;
        let marker = if is_here { theme.text("▸", ">") } else { " " };
        canvas.write(place.x, place.y, marker, strong);
        let style = if is_here { strong } else { Style::new() };
        canvas.write(place.x + 2, place.y, &label(canvas, item), style);
        let Some(text) = start.text(item) else {
            continue;
        };
        let (left, right) = (theme.text("‹", "<"), theme.text("›", ">"));
        let room = usize::from(ABOUT - TEXT - 5);
        let text: String = match text.chars().count() > room {
            true => text.chars().skip(text.chars().count() - room).collect(),
            false => text,
        };
        let style = if is_here { theme.focus() } else { Style::new() };
        let text = format!("{left} {text} {right}");
        canvas.write(place.x + TEXT, place.y, &text, style);
        let (about, x) = (start.about(item), place.x + ABOUT);
        if width(&about) <= area.right() - x {
            canvas.write(x, place.y, &about, quiet);
        } else if is_here && start.problem.is_none() {
            canvas.write_wrapped(below, &about, quiet);
        }
    }
    if let Some(problem) = &start.problem {
        canvas.write_wrapped(below, problem, theme.bad());
    }
    let footer = footer(theme, app.local.is_some(), area.width - 2);
    canvas.write(1, area.bottom() - 1, &footer, quiet);
}

/// Describes the keys in one line that fits into `room` columns.
fn footer(theme: Theme, has_game: bool, room: u16) -> String {
    let end = match has_game {
        true => "Enter start  Esc back  ? help",
        false => "Enter start  ? help  Ctrl-C quit",
    };
    let (choose, change) = match theme.unicode {
        true => ("↑↓ choose", "←→ change"),
        false => ("up down choose", "left right change"),
    };
    let long = format!("{choose}  {change}  or type  {end}");
    match width(&long) <= room {
        true => long,
        false => format!("arrows choose and change  {end}"),
    }
}

fn label(canvas: &Canvas<'_>, item: Item) -> String {
    match item {
        Item::Game => "Game".to_owned(),
        Item::FirstBoard => "First board".to_owned(),
        Item::Seat(seat) => match StartForm::side(seat) {
            Some(side) => format!("Seat {}", canvas.theme.glyph(side.symbol(), side)),
            None => format!("Seat {seat}"),
        },
        Item::History => "History".to_owned(),
        Item::Begin => "Start".to_owned(),
        Item::Load => "Load a game".to_owned(),
        Item::Help => "Help".to_owned(),
        Item::Quit => "Quit".to_owned(),
    }
}
