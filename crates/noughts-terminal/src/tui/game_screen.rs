//! Handles keys and the mouse during a game.

use noughts_rules::{Action, Move};
use ratatui::crossterm::event::KeyCode;

use super::app::{App, Effect};
use super::board::{Overlay, last_play};
use super::canvas::is_too_small;
use super::cell_grid::GridPoint;
use super::dialog::Dialog;
use super::keys::{self, Command};
use super::local_game::LocalGame;
use super::screen::{BoardLayout, places};
use crate::multi::WHICH_BOARD;

/// Maximum length of a typed move in characters. The longest valid moves are as long as `254-254`.
const LONGEST: usize = 9;

impl App {
    pub(super) fn key_at_table(&mut self, code: KeyCode) -> Effect {
        let Some(local) = &mut self.local else {
            return Effect::None;
        };
        match code {
            KeyCode::Char(letter) if letter.is_ascii_digit() || letter == '-' => {
                if local.typed.len() < LONGEST {
                    local.typed.push(letter);
                }
                return Effect::None;
            }
            KeyCode::Backspace => {
                local.typed.pop();
                return Effect::None;
            }
            KeyCode::Esc => {
                local.typed.clear();
                let all = local.turns().len();
                local.look_at(all);
                return Effect::None;
            }
            _ => {}
        }
        let Some(command) = keys::command(self, code) else {
            return Effect::None;
        };
        let effect = self.execute(command);
        match command {
            Command::Move(..) | Command::Page(_) => self.keep_room_around_focus(),
            Command::Back | Command::Forward | Command::First | Command::Present => {
                self.bring_last_play_into_view();
            }
            _ => {}
        }
        effect
    }

    fn execute(&mut self, command: Command) -> Effect {
        let Some(local) = &mut self.local else {
            return Effect::None;
        };
        let (all, shown) = (local.turns().len(), local.turns_shown());
        match command {
            Command::Move(rows, columns) => local.move_focus(rows, columns),
            Command::Page(pages) => self.page(pages),
            Command::Play => self.play(),
            Command::Hint => self.hint(),
            Command::Rewind => self.rewind(),
            Command::Undo => self.undo(),
            Command::Review => self.toggle_review(),
            Command::Pause => self.is_paused = !self.is_paused,
            Command::Back => local.look_at(shown.saturating_sub(1)),
            Command::Forward => local.look_at(shown + 1),
            Command::First => local.look_at(0),
            Command::Present => local.look_at(all),
            Command::Again if may_leave(local) => {
                let local = local.again();
                self.sit_at(local);
            }
            Command::Again => self.dialog = Some(Dialog::Again),
            Command::Save => {
                let name = format!("noughts-{}.txt", local.game().variant());
                self.dialog = Some(Dialog::Save(name));
            }
            Command::Load => self.dialog = Some(Dialog::Load(String::new())),
            Command::New => self.is_choosing = true,
            Command::Resign => match local.person() {
                Some(_) => self.dialog = Some(Dialog::Resign),
                None => self.refuse("no person can resign now"),
            },
            Command::Help => self.dialog = Some(Dialog::Help(0)),
            Command::Quit if may_leave(local) => return Effect::Quit,
            Command::Quit => self.dialog = Some(Dialog::Quit),
        }
        Effect::None
    }

    /// Plays the typed move or, if nothing was typed, the focused cell.
    fn play(&mut self) {
        let Some(local) = &mut self.local else { return };
        let typed = std::mem::take(&mut local.typed);
        if let Some(reason) = self.why_not_now() {
            return self.refuse(&reason);
        }
        let Some(local) = &self.local else { return };
        if local.lacks_board(&typed) {
            return self.refuse(WHICH_BOARD);
        }
        let action = match typed.is_empty() {
            true => Ok(Action::Play(local.landing(local.focus))),
            false => local.read(&typed),
        };
        match action {
            Ok(action) => self.act(None, action),
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    /// Returns the reason why a person cannot act now. Does not check the rules of the game. Returns `None` if a person
    /// can act or the game is over.
    fn why_not_now(&self) -> Option<String> {
        let local = self.local.as_ref()?;
        if !local.shows_present() {
            return Some("this is an earlier turn; > goes back to the present".to_owned());
        }
        let seat = local.game().to_move()?;
        match local.holder(seat).is_human() {
            true => None,
            false => Some(format!(
                "it is the turn of {}",
                local.name(seat, self.settings.theme)
            )),
        }
    }

    fn hint(&mut self) {
        let over = "the game is over".to_owned();
        let is_over = self
            .local()
            .is_none_or(|local| local.game().to_move().is_none());
        match self.why_not_now().or(is_over.then_some(over)) {
            Some(reason) => self.refuse(&reason),
            None => self.ask_for_hint(),
        }
    }

    fn rewind(&mut self) {
        if let Some(reason) = self.why_not_now() {
            return self.refuse(&reason);
        }
        let Some(game) = self.local().map(super::local_game::LocalGame::game) else {
            return;
        };
        let Some(seat) = game.to_move() else {
            return self.refuse("the game is over");
        };
        match game.longest_rewind() {
            Some(max) => self.dialog = Some(Dialog::Rewind(max.min(1))),
            None => match game.check(seat, Action::Rewind(1)) {
                Ok(()) => {}
                Err(refusal) => self.refuse(&refusal.to_string()),
            },
        }
    }

    /// Moves the focus by `pages`. A page is one row less than the visible rows, but at least one row.
    fn page(&mut self, pages: isize) {
        let rows = match self.layout() {
            Some(BoardLayout::Grid(layout)) => layout.rows,
            Some(BoardLayout::Nine(_)) | None => 3,
        };
        if let Some(local) = &mut self.local {
            let rows = pages * rows.max(2).saturating_sub(1) as isize;
            local.focus = local.grid().moved(local.focus, rows, 0);
        }
    }

    /// Moves the focus to `point`, and plays there.
    pub(super) fn play_at(&mut self, point: GridPoint) {
        if let Some(local) = &mut self.local {
            local.focus = point;
            local.typed.clear();
        }
        self.play();
    }

    /// Scrolls a large board. The focus moves only as far as necessary to stay visible.
    pub(super) fn scroll(&mut self, rows: isize, columns: isize) {
        let Some(BoardLayout::Grid(layout)) = self.layout() else {
            return;
        };
        let Some(local) = &mut self.local else { return };
        let grid = local.grid();
        let slide = |first: usize, by: isize, seen: usize, all: usize| {
            first.saturating_add_signed(by).min(all - seen)
        };
        let first = GridPoint {
            row: slide(layout.first.row, rows, layout.rows, grid.rows),
            column: slide(layout.first.column, columns, layout.columns, grid.columns),
        };
        local.origin = first;
        local.focus = GridPoint {
            row: local
                .focus
                .row
                .clamp(first.row, first.row + layout.rows - 1),
            column: (local.focus.column).clamp(first.column, first.column + layout.columns - 1),
        };
    }

    /// Scrolls so that the focus is visible.
    pub(super) fn keep_focus_in_view(&mut self) {
        if let Some(BoardLayout::Grid(layout)) = self.layout()
            && let Some(local) = &mut self.local
        {
            local.origin = layout.first;
        }
    }

    fn keep_room_around_focus(&mut self) {
        if let Some(BoardLayout::Grid(layout)) = self.layout()
            && let Some(local) = &mut self.local
        {
            local.origin = layout.with_room_around(local.focus);
        }
    }

    /// Scrolls so that the focus is in the middle.
    pub(super) fn centre_focus(&mut self) {
        if let Some(BoardLayout::Grid(layout)) = self.layout()
            && let Some(local) = &mut self.local
        {
            local.origin = layout.around(local.focus);
        }
    }

    /// Moves the focus to the latest play if that play is not visible.
    pub(super) fn bring_last_play_into_view(&mut self) {
        if let Some(BoardLayout::Grid(layout)) = self.layout()
            && let Some(local) = &mut self.local
            && let Some(at) = last_play(local.view())
        {
            let point = local.grid().point(at);
            if layout.place(point).is_none() {
                local.focus = point;
                local.origin = layout.around(point);
            }
        }
    }

    /// The layout of the board. `None` if no game is shown or the screen is too small.
    pub(super) fn layout(&self) -> Option<BoardLayout> {
        let local = self.local().filter(|_| !is_too_small(self.size))?;
        Some(BoardLayout::of(local, places(self.size).board))
    }

    /// Whether only a part of the board is visible.
    pub(super) fn is_cut_off(&self) -> bool {
        match (self.layout(), self.local()) {
            (Some(BoardLayout::Grid(layout)), Some(local)) => {
                let grid = local.grid();
                layout.rows < grid.rows || layout.columns < grid.columns
            }
            (Some(BoardLayout::Nine(_)) | None, _) | (_, None) => false,
        }
    }

    /// What is drawn on the board in addition to the view.
    pub(super) fn overlay(&self) -> Overlay {
        let Some(local) = self.local() else {
            return Overlay::default();
        };
        let is_asked = self.dialog.is_some();
        let can_play = local.person_to_move().is_some() && local.shows_present();
        let mut leaving: Vec<Move> = match self.dialog {
            Some(Dialog::Rewind(count)) => {
                let plays = local.game().plays();
                let kept = plays.len().saturating_sub(count.into());
                plays[kept..].iter().map(|play| play.at).collect()
            }
            _ => Vec::new(),
        };
        leaving.sort_unstable();
        Overlay {
            focus: (can_play && !is_asked).then_some(local.focus),
            leaving,
            hint: match &self.hint {
                super::app::Hint::Given(at, _) if local.shows_present() => Some(*at),
                _ => None,
            },
        }
    }
}

/// Whether the user can leave without a question: the game is over, only robots play, or nothing has changed
/// since the game was started, loaded or saved.
fn may_leave(local: &LocalGame) -> bool {
    local.is_saved || local.game().to_move().is_none() || !local.has_people()
}
