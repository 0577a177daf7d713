//! What keys and mouse do at a table.

use noughts_rules::{Action, Move};
use ratatui::crossterm::event::KeyCode;

use super::app::{App, Effect};
use super::board::{Overlay, last_play};
use super::dialog::Dialog;
use super::field::Spot;
use super::keys::{self, Command};
use super::page::is_too_small;
use super::screen::{Picture, places};
use super::table::Table;
use crate::multi::WHICH_BOARD;

/// The longest move that can be typed: `254-254`, and room for mistakes.
const LONGEST: usize = 9;

impl App {
    pub(super) fn key_at_table(&mut self, code: KeyCode) -> Effect {
        let Some(table) = &mut self.table else {
            return Effect::None;
        };
        match code {
            KeyCode::Char(letter) if letter.is_ascii_digit() || letter == '-' => {
                if table.typed.len() < LONGEST {
                    table.typed.push(letter);
                }
                return Effect::None;
            }
            KeyCode::Backspace => {
                table.typed.pop();
                return Effect::None;
            }
            KeyCode::Esc => {
                table.typed.clear();
                let all = table.turns().len();
                table.look_at(all);
                return Effect::None;
            }
            _ => {}
        }
        let Some(command) = keys::command(self, code) else {
            return Effect::None;
        };
        let effect = self.obey(command);
        match command {
            Command::Move(..) | Command::Page(_) => self.keep_room_around_focus(),
            Command::Back | Command::Forward | Command::First | Command::Present => {
                self.bring_last_play_into_view();
            }
            _ => {}
        }
        effect
    }

    fn obey(&mut self, command: Command) -> Effect {
        let Some(table) = &mut self.table else {
            return Effect::None;
        };
        let (all, shown) = (table.turns().len(), table.turns_shown());
        match command {
            Command::Move(rows, columns) => table.move_focus(rows, columns),
            Command::Page(pages) => self.page(pages),
            Command::Play => self.play(),
            Command::Hint => self.hint(),
            Command::Rewind => self.rewind(),
            Command::Pause => self.is_paused = !self.is_paused,
            Command::Back => table.look_at(shown.saturating_sub(1)),
            Command::Forward => table.look_at(shown + 1),
            Command::First => table.look_at(0),
            Command::Present => table.look_at(all),
            Command::Again if is_kept(table) => {
                let table = table.again();
                self.sit_at(table);
            }
            Command::Again => self.dialog = Some(Dialog::Again),
            Command::Save => {
                let name = format!("noughts-{}.txt", table.game().variant());
                self.dialog = Some(Dialog::Save(name));
            }
            Command::Load => self.dialog = Some(Dialog::Load(String::new())),
            Command::New => self.is_choosing = true,
            Command::GiveUp => match table.person() {
                Some(_) => self.dialog = Some(Dialog::GiveUp),
                None => self.refuse("nobody here can give up now"),
            },
            Command::Help => self.dialog = Some(Dialog::Help(0)),
            Command::Quit if is_kept(table) => return Effect::Quit,
            Command::Quit => self.dialog = Some(Dialog::Quit),
        }
        Effect::None
    }

    /// Plays what was typed, or where the focus is.
    fn play(&mut self) {
        let Some(table) = &mut self.table else { return };
        let typed = std::mem::take(&mut table.typed);
        if let Some(reason) = self.why_not_now() {
            return self.refuse(&reason);
        }
        let Some(table) = &self.table else { return };
        if table.lacks_board(&typed) {
            return self.refuse(WHICH_BOARD);
        }
        let action = match typed.is_empty() {
            true => Ok(Action::Play(table.landing(table.focus))),
            false => table.read(&typed),
        };
        match action {
            Ok(action) => self.act(None, action),
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    /// Why a person can't act now, though the rules might let them.
    fn why_not_now(&self) -> Option<String> {
        let table = self.table.as_ref()?;
        if !table.shows_present() {
            return Some("this is an earlier turn; > goes back to the present".to_owned());
        }
        let seat = table.game().to_move()?;
        match table.holder(seat).is_human() {
            true => None,
            false => Some(format!(
                "it is the turn of {}",
                table.name(seat, self.setup.look)
            )),
        }
    }

    fn hint(&mut self) {
        let over = "the game is over".to_owned();
        let is_over = self
            .table()
            .is_none_or(|table| table.game().to_move().is_none());
        match self.why_not_now().or(is_over.then_some(over)) {
            Some(reason) => self.refuse(&reason),
            None => self.ask_for_hint(),
        }
    }

    fn rewind(&mut self) {
        if let Some(reason) = self.why_not_now() {
            return self.refuse(&reason);
        }
        let Some(game) = self.table().map(super::table::Table::game) else {
            return;
        };
        let Some(seat) = game.to_move() else {
            return self.refuse("the game is over");
        };
        match game.longest_rewind() {
            Some(most) => self.dialog = Some(Dialog::Rewind(most.min(1))),
            None => match game.check(seat, Action::Rewind(1)) {
                Ok(()) => {}
                Err(refusal) => self.refuse(&refusal.to_string()),
            },
        }
    }

    /// Moves the focus by as many rows as can be seen.
    fn page(&mut self, pages: isize) {
        let rows = match self.picture() {
            Some(Picture::Sheet(sheet)) => sheet.rows,
            Some(Picture::Spread(_)) | None => 3,
        };
        if let Some(table) = &mut self.table {
            let rows = pages * rows.max(2).saturating_sub(1) as isize;
            table.focus = table.field().moved(table.focus, rows, 0);
        }
    }

    /// Plays where the mouse points.
    pub(super) fn play_at(&mut self, spot: Spot) {
        if let Some(table) = &mut self.table {
            table.focus = spot;
            table.typed.clear();
        }
        self.play();
    }

    /// Moves what can be seen of a large board, and the focus with it.
    pub(super) fn scroll(&mut self, rows: isize, columns: isize) {
        let Some(Picture::Sheet(sheet)) = self.picture() else {
            return;
        };
        let Some(table) = &mut self.table else { return };
        let field = table.field();
        let slide = |first: usize, by: isize, seen: usize, all: usize| {
            first.saturating_add_signed(by).min(all - seen)
        };
        let first = Spot {
            row: slide(sheet.first.row, rows, sheet.rows, field.rows),
            column: slide(sheet.first.column, columns, sheet.columns, field.columns),
        };
        table.origin = first;
        table.focus = Spot {
            row: table.focus.row.clamp(first.row, first.row + sheet.rows - 1),
            column: (table.focus.column).clamp(first.column, first.column + sheet.columns - 1),
        };
    }

    /// Scrolls so that the focus can be seen.
    pub(super) fn keep_focus_in_view(&mut self) {
        if let Some(Picture::Sheet(sheet)) = self.picture()
            && let Some(table) = &mut self.table
        {
            table.origin = sheet.first;
        }
    }

    fn keep_room_around_focus(&mut self) {
        if let Some(Picture::Sheet(sheet)) = self.picture()
            && let Some(table) = &mut self.table
        {
            table.origin = sheet.with_room_around(table.focus);
        }
    }

    /// Scrolls so that the focus is in the middle.
    pub(super) fn centre_focus(&mut self) {
        if let Some(Picture::Sheet(sheet)) = self.picture()
            && let Some(table) = &mut self.table
        {
            table.origin = sheet.around(table.focus);
        }
    }

    /// On a board of which only a part is seen, moves the focus to the latest play if that is
    /// somewhere else.
    pub(super) fn bring_last_play_into_view(&mut self) {
        if let Some(Picture::Sheet(sheet)) = self.picture()
            && let Some(table) = &mut self.table
            && let Some(at) = last_play(table.view())
        {
            let spot = table.field().spot(at);
            if sheet.place(spot).is_none() {
                table.focus = spot;
                table.origin = sheet.around(spot);
            }
        }
    }

    /// Where the board of this table lies on a screen of this size, if it can be seen there.
    pub(super) fn picture(&self) -> Option<Picture> {
        let table = self.table().filter(|_| !is_too_small(self.size))?;
        Some(Picture::of(table, places(self.size).board))
    }

    /// Whether only a part of the board can be seen.
    pub(super) fn is_cut_off(&self) -> bool {
        match (self.picture(), self.table()) {
            (Some(Picture::Sheet(sheet)), Some(table)) => {
                let field = table.field();
                sheet.rows < field.rows || sheet.columns < field.columns
            }
            (Some(Picture::Spread(_)) | None, _) | (_, None) => false,
        }
    }

    /// What is drawn on the board beside the view.
    pub(super) fn overlay(&self) -> Overlay {
        let Some(table) = self.table() else {
            return Overlay::default();
        };
        let is_asked = self.dialog.is_some();
        let can_play = table.person_to_move().is_some() && table.shows_present();
        let mut leaving: Vec<Move> = match self.dialog {
            Some(Dialog::Rewind(count)) => {
                let plays = table.game().plays();
                let kept = plays.len().saturating_sub(count.into());
                plays[kept..].iter().map(|play| play.at).collect()
            }
            _ => Vec::new(),
        };
        leaving.sort_unstable();
        Overlay {
            focus: (can_play && !is_asked).then_some(table.focus),
            leaving,
            hint: match &self.hint {
                super::app::Hint::Given(at, _) if table.shows_present() => Some(*at),
                _ => None,
            },
        }
    }
}

/// Whether nothing is lost when the table is left: no person is in the middle of a game there.
fn is_kept(table: &Table) -> bool {
    table.is_saved || table.game().to_move().is_none() || !table.has_people()
}
