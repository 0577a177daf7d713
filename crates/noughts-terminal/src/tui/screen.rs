//! The layout and drawing of the whole screen.

use noughts_rules::Variant;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::app::App;
use super::board;
use super::canvas::{Canvas, LEAST, is_too_small, width};
use super::cell_grid::GridPoint;
use super::dialog;
use super::grid_layout::GridLayout;
use super::keys;
use super::local_game::LocalGame;
use super::nine_boards::{self, NineBoardsLayout};
use super::panel;
use super::start_screen;

/// The areas of the screen during a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Places {
    pub(super) title: Rect,
    pub(super) board: Rect,
    pub(super) panel: Rect,
    pub(super) message: u16,
    pub(super) footer: u16,
}

/// The areas for a screen of this size.
pub(super) fn places((width, height): (u16, u16)) -> Places {
    let panel = match width {
        // Nine boards need 33 columns.
        0..64 => 25,
        64..72 => 27,
        72..110 => 30,
        110.. => 38,
    };
    let body = height.saturating_sub(3);
    Places {
        title: Rect::new(1, 0, width.saturating_sub(2), 1),
        board: Rect::new(1, 1, width.saturating_sub(panel + 2), body),
        panel: Rect::new(
            width.saturating_sub(panel),
            2,
            panel.saturating_sub(1),
            body.saturating_sub(1),
        ),
        message: height.saturating_sub(2),
        footer: height.saturating_sub(1),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BoardLayout {
    Grid(GridLayout),
    Nine(NineBoardsLayout),
}

impl BoardLayout {
    pub(super) fn of(local: &LocalGame, area: Rect) -> BoardLayout {
        let grid = local.grid();
        match local.game().variant() {
            Variant::Nested(_) => BoardLayout::Nine(NineBoardsLayout::fit(area)),
            Variant::Grid(_) => {
                let (rows, columns) = (grid.rows, grid.columns);
                BoardLayout::Grid(GridLayout::fit(
                    area,
                    rows,
                    columns,
                    local.origin,
                    local.focus,
                ))
            }
        }
    }

    pub(super) fn point(&self, x: u16, y: u16) -> Option<GridPoint> {
        match self {
            BoardLayout::Grid(layout) => layout.point(x, y),
            BoardLayout::Nine(layout) => layout.point(x, y),
        }
    }
}

/// Draws the app.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let mut canvas = Canvas::new(frame.buffer_mut(), app.settings.theme);
    let area = canvas.area();
    if is_too_small((area.width, area.height)) {
        return too_small(&mut canvas);
    }
    match app.local() {
        Some(local) => draw_table(&mut canvas, app, local),
        None => start_screen::draw(&mut canvas, app),
    }
    if let Some(dialog) = &app.dialog {
        dialog::draw(&mut canvas, app, dialog);
    }
}

fn too_small(canvas: &mut Canvas<'_>) {
    let area = canvas.area();
    let text = format!(
        "This terminal is {} x {}. Noughts needs {} x {}: make it larger, or q to quit.",
        area.width, area.height, LEAST.0, LEAST.1
    );
    canvas.write_wrapped(area, &text, Style::new());
}

fn draw_table(canvas: &mut Canvas<'_>, app: &App, local: &LocalGame) {
    let area = canvas.area();
    let places = places((area.width, area.height));
    title(canvas, local, places.title);
    let overlay = app.overlay();
    match (BoardLayout::of(local, places.board), &local.view().nested) {
        (BoardLayout::Grid(layout), _) => board::draw(canvas, &layout, local, &overlay),
        (BoardLayout::Nine(layout), Some(nested)) => {
            nine_boards::draw(canvas, &layout, local, nested, &overlay);
        }
        (BoardLayout::Nine(_), None) => {}
    }
    panel::draw(canvas, app, local, places.panel);
    let footer = keys::footer(app, canvas.theme, area.width - 2);
    canvas.write(1, places.footer, &footer, canvas.theme.quiet());
    message(canvas, app, local, places.message);
}

fn title(canvas: &mut Canvas<'_>, local: &LocalGame, area: Rect) {
    let view = local.view();
    let history = match view.history {
        0 => String::new(),
        history => format!(", history {history}"),
    };
    let left = format!("Noughts  {}{history}", view.variant);
    canvas.write_within(area.x, area.y, area.right(), &left, canvas.theme.quiet());
    let turn = match view.to_move {
        Some(_) => format!("turn {}", view.turn),
        None => format!("over after {} turns", view.turn - 1),
    };
    canvas.write_right(area, area.y, &turn, canvas.theme.quiet());
}

fn message(canvas: &mut Canvas<'_>, app: &App, local: &LocalGame, y: u16) {
    if !local.typed.is_empty() {
        let text = format!("Play {}_", local.typed);
        return canvas.write(1, y, &text, canvas.theme.strong());
    }
    let Some(message) = &app.message else { return };
    let style = match message.is_bad {
        true => canvas.theme.bad(),
        false => canvas.theme.strong(),
    };
    // A message of two lines covers the footer until the user presses a key.
    let area = canvas.area();
    let place = Rect::new(1, y, area.width - 2, 2);
    if width(&message.text) > place.width {
        canvas.clear(place);
    }
    canvas.write_wrapped(place, &message.text, style);
}
