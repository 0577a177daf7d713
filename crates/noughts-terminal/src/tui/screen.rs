//! The whole screen: what lies where, and how it is drawn.

use noughts_rules::Variant;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::app::App;
use super::board;
use super::dialog;
use super::field::Spot;
use super::keys;
use super::nine::{self, Spread};
use super::page::{LEAST, Page, is_too_small, width};
use super::panel;
use super::sheet::Sheet;
use super::start_page;
use super::table::Table;

/// What lies where at a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Places {
    pub(super) title: Rect,
    pub(super) board: Rect,
    pub(super) panel: Rect,
    pub(super) message: u16,
    pub(super) footer: u16,
}

/// The places of a screen of this size.
pub(super) fn places((width, height): (u16, u16)) -> Places {
    let panel = match width {
        0..72 => 27,
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

/// The board as it lies on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Picture {
    /// One board.
    Sheet(Sheet),
    /// Nine.
    Spread(Spread),
}

impl Picture {
    pub(super) fn of(table: &Table, area: Rect) -> Picture {
        let field = table.field();
        match table.game().variant() {
            Variant::Nested(_) => Picture::Spread(Spread::fit(area)),
            Variant::Grid(_) => {
                let (rows, columns) = (field.rows, field.columns);
                Picture::Sheet(Sheet::fit(area, rows, columns, table.origin, table.focus))
            }
        }
    }

    pub(super) fn spot(&self, x: u16, y: u16) -> Option<Spot> {
        match self {
            Picture::Sheet(sheet) => sheet.spot(x, y),
            Picture::Spread(spread) => spread.spot(x, y),
        }
    }
}

/// Draws the app.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let mut page = Page::new(frame.buffer_mut(), app.setup.look);
    let area = page.area();
    if is_too_small((area.width, area.height)) {
        return too_small(&mut page);
    }
    match app.table() {
        Some(table) => draw_table(&mut page, app, table),
        None => start_page::draw(&mut page, app),
    }
    if let Some(dialog) = &app.dialog {
        dialog::draw(&mut page, app, dialog);
    }
}

fn too_small(page: &mut Page<'_>) {
    let area = page.area();
    let text = format!(
        "This terminal is {} x {}. Noughts needs {} x {}: make it larger, or q to quit.",
        area.width, area.height, LEAST.0, LEAST.1
    );
    page.write_wrapped(area, &text, Style::new());
}

fn draw_table(page: &mut Page<'_>, app: &App, table: &Table) {
    let area = page.area();
    let places = places((area.width, area.height));
    title(page, table, places.title);
    let overlay = app.overlay();
    match (Picture::of(table, places.board), &table.view().nested) {
        (Picture::Sheet(sheet), _) => board::draw(page, &sheet, table, &overlay),
        (Picture::Spread(spread), Some(nested)) => {
            nine::draw(page, &spread, table, nested, &overlay);
        }
        (Picture::Spread(_), None) => {}
    }
    panel::draw(page, app, table, places.panel);
    let footer = keys::footer(app, page.look, area.width - 2);
    page.write(1, places.footer, &footer, page.look.quiet());
    message(page, app, table, places.message);
}

fn title(page: &mut Page<'_>, table: &Table, area: Rect) {
    let view = table.view();
    let history = match view.history {
        0 => String::new(),
        history => format!(", history {history}"),
    };
    let left = format!("Noughts  {}{history}", view.variant);
    page.write_within(area.x, area.y, area.right(), &left, page.look.quiet());
    let turn = match view.to_move {
        Some(_) => format!("turn {}", view.turn),
        None => format!("over after {} turns", view.turn - 1),
    };
    page.write_right(area, area.y, &turn, page.look.quiet());
}

fn message(page: &mut Page<'_>, app: &App, table: &Table, y: u16) {
    if !table.typed.is_empty() {
        let text = format!("Play {}_", table.typed);
        return page.write(1, y, &text, page.look.strong());
    }
    let Some(message) = &app.message else { return };
    let style = match message.is_bad {
        true => page.look.bad(),
        false => page.look.strong(),
    };
    // What takes two lines takes the footer's too, until the next key.
    let area = page.area();
    let place = Rect::new(1, y, area.width - 2, 2);
    if width(&message.text) > place.width {
        page.clear(place);
    }
    page.write_wrapped(place, &message.text, style);
}
