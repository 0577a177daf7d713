//! One board: rules, labels, marks, and what is special about some of them.

use noughts_rules::{Action, By, Conclusion, Move, Side, View};
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::field::Spot;
use super::marks::{self, Stroke};
use super::page::{Page, width};
use super::sheet::Sheet;
use super::table::Table;

/// What is drawn beside the view itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlay {
    /// Where the keys are; nowhere while something else is asked.
    pub(super) focus: Option<Spot>,
    /// The marks that a rewind would take back, ascending.
    pub(super) leaving: Vec<Move>,
    /// The best move, where it was asked for.
    pub(super) hint: Option<Move>,
}

/// What is special about one cell. The first that applies is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cue {
    Focus,
    Leaving,
    Line,
    Last,
    Plain,
}

impl Cue {
    /// What stands at the left and right of a mark in a small cell.
    fn brackets(self, page: &Page<'_>) -> Option<[&'static str; 2]> {
        Some(match self {
            Cue::Focus => ["[", "]"],
            Cue::Leaving => ["~", "~"],
            Cue::Line => [page.look.text("═", "="), page.look.text("═", "=")],
            Cue::Last => ["(", ")"],
            Cue::Plain => return None,
        })
    }
}

/// One cell as it is to be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) cue: Cue,
    /// Whose mark, and its symbol as it is shown.
    pub(super) mark: Option<(Side, char)>,
    pub(super) is_leaving: bool,
    /// What an empty cell shows, quietly.
    pub(super) ground: char,
}

/// Draws a board in one piece.
pub(super) fn draw(page: &mut Page<'_>, sheet: &Sheet, table: &Table, overlay: &Overlay) {
    let field = table.field();
    if sheet.is_ruled {
        rules(page, sheet);
    }
    labels(page, sheet, overlay.focus);
    arrows(page, sheet, field.rows, field.columns);
    let ghost = overlay.focus.map(|spot| table.landing(spot));
    for row in sheet.first.row..sheet.first.row + sheet.rows {
        for column in sheet.first.column..sheet.first.column + sheet.columns {
            let spot = Spot { row, column };
            let Some(place) = sheet.place(spot) else {
                continue;
            };
            let at = field.cell(spot);
            let ground = match (
                sheet.is_ruled,
                ghost == Some(at) && is_legal(table.view(), at),
            ) {
                (_, true) => page.look.text("·", ".").chars().next().unwrap_or(' '),
                (true, false) => ' ',
                (false, false) => page.look.text("·", ".").chars().next().unwrap_or(' '),
            };
            let cell = cell(
                page,
                table,
                overlay,
                at,
                overlay.focus == Some(spot),
                ground,
            );
            draw_cell(page, place, cell);
        }
    }
}

/// What a cell shows.
pub(super) fn cell(
    page: &Page<'_>,
    table: &Table,
    overlay: &Overlay,
    at: Move,
    is_focus: bool,
    ground: char,
) -> Cell {
    let view = table.view();
    let is_leaving = overlay.leaving.binary_search(&at).is_ok();
    let cue = if is_focus {
        Cue::Focus
    } else if is_leaving {
        Cue::Leaving
    } else if is_in_line(view, at) {
        Cue::Line
    } else if last_play(view) == Some(at) {
        Cue::Last
    } else {
        Cue::Plain
    };
    let mark = view.marks[at.index()].map(|side| {
        let glyph = page.look.glyph(table.symbol(side), side);
        (side, glyph)
    });
    Cell {
        cue,
        mark,
        is_leaving,
        ground: if overlay.hint == Some(at) {
            '?'
        } else {
            ground
        },
    }
}

/// Draws one cell, small or large.
pub(super) fn draw_cell(page: &mut Page<'_>, place: Rect, cell: Cell) {
    let stroke = match cell.is_leaving {
        true => Stroke::Dashed,
        false => Stroke::Full,
    };
    let middle = place.y + place.height / 2;
    match cell.mark {
        Some((side, glyph)) if place.height > 1 => {
            marks::draw(page, place, glyph, stroke, page.look.side(side));
        }
        Some((side, glyph)) => {
            // Only the column in the middle is free: neighbours or cues have those beside it.
            let text = match width(&glyph.to_string()) {
                0 | 1 => glyph.to_string(),
                2.. => side.symbol().to_string(),
            };
            page.write_centred(place, middle, &text, page.look.side(side));
        }
        None => {
            let style = match cell.ground {
                '?' => page.look.strong(),
                _ => page.look.quiet(),
            };
            let text = cell.ground.to_string();
            page.write_centred(place, middle, &text, style);
        }
    }
    if place.height > 1 {
        corners(page, place, cell.cue);
    } else if let Some([left, right]) = cell.cue.brackets(page) {
        let style = cue_style(page, cell.cue);
        let x = place.x + place.width / 2;
        page.write(x - 1, middle, left, style);
        page.write(x + 1, middle, right, style);
    }
}

/// In a large cell the cue is in its corners: all four for the focus and for a line, a dot in one
/// for the last play.
fn corners(page: &mut Page<'_>, place: Rect, cue: Cue) {
    let (right, bottom) = (place.right() - 1, place.bottom() - 1);
    let signs = match cue {
        Cue::Focus if page.look.unicode => ["┏", "┓", "┗", "┛"],
        Cue::Focus => ["[", "]", "[", "]"],
        Cue::Leaving => ["~", "~", "~", "~"],
        Cue::Line if page.look.unicode => ["◆", "◆", "◆", "◆"],
        Cue::Line => ["*", "*", "*", "*"],
        Cue::Last if page.look.unicode => ["", "●", "", ""],
        Cue::Last => ["", "@", "", ""],
        Cue::Plain => return,
    };
    let spots = [
        (place.x, place.y),
        (right, place.y),
        (place.x, bottom),
        (right, bottom),
    ];
    let style = cue_style(page, cue);
    for ((x, y), sign) in spots.into_iter().zip(signs) {
        page.write(x, y, sign, style);
    }
}

fn cue_style(page: &Page<'_>, cue: Cue) -> Style {
    match cue {
        Cue::Focus | Cue::Line => page.look.strong(),
        Cue::Leaving | Cue::Last | Cue::Plain => Style::new(),
    }
}

fn rules(page: &mut Page<'_>, sheet: &Sheet) {
    let style = page.look.quiet();
    let look = page.look;
    let width = usize::from(sheet.cell.0);
    let line = |left, across: &str, cross: &str, right| {
        let cells = vec![across.repeat(width); sheet.columns];
        format!("{left}{}{right}", cells.join(cross))
    };
    let (dash, bar) = (look.text("─", "-"), look.text("│", "|"));
    let top = line(
        look.text("┌", "+"),
        dash,
        look.text("┬", "+"),
        look.text("┐", "+"),
    );
    let between = line(
        look.text("├", "+"),
        dash,
        look.text("┼", "+"),
        look.text("┤", "+"),
    );
    let bottom = line(
        look.text("└", "+"),
        dash,
        look.text("┴", "+"),
        look.text("┘", "+"),
    );
    let cells = line(bar, " ", bar, bar);
    let Rect { x, y, .. } = sheet.area;
    let (_, down) = sheet.pitch();
    for offset in 0..sheet.area.height {
        let text = match offset {
            0 => &top,
            offset if offset == sheet.area.height - 1 => &bottom,
            offset if offset % down == 0 => &between,
            _ => &cells,
        };
        page.write(x, y + offset, text, style);
    }
}

/// Rows at the left, columns above. Where they are too near to one another, every fifth; always
/// those of the focus.
fn labels(page: &mut Page<'_>, sheet: &Sheet, focus: Option<Spot>) {
    let (quiet, strong) = (page.look.quiet(), page.look.strong());
    let (mut free, top) = (0, sheet.area.y - 1);
    for column in sheet.first.column..sheet.first.column + sheet.columns {
        let spot = Spot {
            column,
            ..sheet.first
        };
        let Some(place) = sheet.place(spot) else {
            continue;
        };
        let is_focus = focus.is_some_and(|spot| spot.column == column);
        let number = column.to_string();
        let x = place.x + place.width / 2 - (number.len() as u16 - 1) / 2;
        if (sheet.is_ruled || column % 5 == 0) && x >= free {
            page.write(x, top, &number, if is_focus { strong } else { quiet });
            free = x + number.len() as u16 + 1;
        }
    }
    for row in sheet.first.row..sheet.first.row + sheet.rows {
        let spot = Spot { row, ..sheet.first };
        let Some(place) = sheet.place(spot) else {
            continue;
        };
        let is_focus = focus.is_some_and(|spot| spot.row == row);
        let number = row.to_string();
        let x = sheet.area.x.saturating_sub(number.len() as u16 + 1);
        let style = if is_focus { strong } else { quiet };
        page.write(x, place.y + place.height / 2, &number, style);
    }
}

/// On the edges, that there is more in that direction.
fn arrows(page: &mut Page<'_>, sheet: &Sheet, rows: usize, columns: usize) {
    let look = page.look;
    let area = sheet.area;
    let more_right = sheet.first.column + sheet.columns < columns;
    let more_below = sheet.first.row + sheet.rows < rows;
    let strong = look.strong();
    // Those up and down stand above and below the numbers of the rows.
    let (across, down) = (area.x.saturating_sub(2), area.y + area.height / 2);
    if more_right {
        page.write(area.right(), down, look.text("→", ">"), strong);
    }
    if sheet.first.column > 0 {
        page.write(area.x, down, look.text("←", "<"), strong);
    }
    if more_below {
        page.write(across, area.bottom(), look.text("↓", "v"), strong);
    }
    if sheet.first.row > 0 {
        page.write(across, area.y - 1, look.text("↑", "^"), strong);
    }
}

pub(super) fn is_legal(view: &View, at: Move) -> bool {
    view.legal.binary_search(&at).is_ok()
}

/// The cell of the latest turn, where that was a play.
pub(super) fn last_play(view: &View) -> Option<Move> {
    match view.last?.action {
        Action::Play(at) => Some(at),
        Action::Rewind(_) | Action::Resign => None,
    }
}

/// Whether a cell is part of what won, or lost.
fn is_in_line(view: &View, at: Move) -> bool {
    match &view.outcome {
        Some(Conclusion::Won {
            by: By::Line(line), ..
        }) => line.contains(&at),
        Some(Conclusion::Won { .. } | Conclusion::Draw | Conclusion::Abandoned) | None => false,
    }
}
