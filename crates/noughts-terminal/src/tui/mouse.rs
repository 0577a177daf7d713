//! The mouse: a click plays, the wheel scrolls, and the focus follows the pointer.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::app::{App, Effect};
use super::canvas::is_too_small;
use super::dialog::Dialog;
use super::panel;
use super::screen::places;

/// Rows or columns of the board per step of the wheel.
const WHEEL: isize = 3;

impl App {
    pub(super) fn mouse(&mut self, mouse: MouseEvent) -> Effect {
        let (x, y) = (mouse.column, mouse.row);
        match (&self.dialog, mouse.kind) {
            _ if is_too_small(self.size) => Effect::None,
            (None, kind) => self.mouse_at_screen(kind, x, y),
            (Some(Dialog::Help(_)), MouseEventKind::Down(_)) => {
                self.dialog = None;
                Effect::None
            }
            (Some(_), _) => Effect::None,
        }
    }

    fn mouse_at_screen(&mut self, kind: MouseEventKind, x: u16, y: u16) -> Effect {
        match kind {
            MouseEventKind::Down(MouseButton::Left) if self.is_choosing => {
                return self.click_at_start(x, y);
            }
            MouseEventKind::Down(MouseButton::Left) => self.click(x, y),
            MouseEventKind::Moved => self.point(x, y),
            MouseEventKind::ScrollUp => self.wheel(x, y, -1, 0),
            MouseEventKind::ScrollDown => self.wheel(x, y, 1, 0),
            MouseEventKind::ScrollLeft => self.wheel(x, y, 0, -1),
            MouseEventKind::ScrollRight => self.wheel(x, y, 0, 1),
            MouseEventKind::Down(_) | MouseEventKind::Up(_) | MouseEventKind::Drag(_) => {}
        }
        Effect::None
    }

    fn click(&mut self, x: u16, y: u16) {
        self.message = None;
        if let Some(point) = self.layout().and_then(|layout| layout.point(x, y)) {
            return self.play_at(point);
        }
        let area = places(self.size).panel;
        let turn = self
            .local()
            .and_then(|local| panel::turn_at(self, local, area, x, y));
        if let (Some(turn), Some(local)) = (turn, &mut self.local) {
            local.look_at(turn);
        }
    }

    fn point(&mut self, x: u16, y: u16) {
        let point = self.layout().and_then(|layout| layout.point(x, y));
        if let (Some(point), Some(local)) = (point, &mut self.local) {
            local.focus = point;
        }
    }

    fn wheel(&mut self, x: u16, y: u16, down: isize, right: isize) {
        if self.is_choosing {
            return self.start.go(down);
        }
        if !places(self.size).panel.contains((x, y).into()) {
            return self.scroll(WHEEL * down, WHEEL * right);
        }
        if let Some(local) = &mut self.local {
            let turns = local.turns_shown().saturating_add_signed(down);
            local.look_at(turns);
        }
    }
}
