//! Draws one board: grid lines, labels, marks and highlights.

use noughts_rules::{Action, Conclusion, Move, Side, View, WinReason};
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::canvas::{Canvas, width};
use super::cell_grid::GridPoint;
use super::grid_layout::GridLayout;
use super::local_game::LocalGame;
use super::marks::{self, Stroke};

/// What is drawn in addition to the view.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlay {
    /// The focused cell. `None` if no person can play now, or while a dialog is open.
    pub(super) focus: Option<GridPoint>,
    /// The cells of the marks that the rewind in the open dialog would take back, in ascending order.
    pub(super) leaving: Vec<Move>,
    pub(super) hint: Option<Move>,
}

/// How a cell is highlighted. If several highlights apply, the cell shows the first one of this list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CellHighlight {
    Focus,
    Leaving,
    Line,
    Last,
    Plain,
}

impl CellHighlight {
    /// The characters beside the mark in a small cell.
    fn brackets(self, canvas: &Canvas<'_>) -> Option<[&'static str; 2]> {
        Some(match self {
            CellHighlight::Focus => ["[", "]"],
            CellHighlight::Leaving => ["~", "~"],
            CellHighlight::Line => [canvas.theme.text("═", "="), canvas.theme.text("═", "=")],
            CellHighlight::Last => ["(", ")"],
            CellHighlight::Plain => return None,
        })
    }
}

/// A cell to draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) highlight: CellHighlight,
    /// The side and the character of the mark.
    pub(super) mark: Option<(Side, char)>,
    pub(super) is_leaving: bool,
    /// The character that an empty cell shows. `?` marks the cell of the hint. Other characters are drawn
    /// dim.
    pub(super) ground: char,
}

pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    layout: &GridLayout,
    local: &LocalGame,
    overlay: &Overlay,
) {
    let grid = local.grid();
    if layout.is_ruled {
        grid_lines(canvas, layout);
    }
    labels(canvas, layout, overlay.focus);
    arrows(canvas, layout, grid.rows, grid.columns);
    let ghost = overlay.focus.map(|point| local.landing(point));
    for row in layout.first.row..layout.first.row + layout.rows {
        for column in layout.first.column..layout.first.column + layout.columns {
            let point = GridPoint { row, column };
            let Some(place) = layout.place(point) else {
                continue;
            };
            let at = grid.cell(point);
            let ground = match (
                layout.is_ruled,
                ghost == Some(at) && is_legal(local.view(), at),
            ) {
                (_, true) => canvas.theme.text("·", ".").chars().next().unwrap_or(' '),
                (true, false) => ' ',
                (false, false) => canvas.theme.text("·", ".").chars().next().unwrap_or(' '),
            };
            let cell = cell(
                canvas,
                local,
                overlay,
                at,
                overlay.focus == Some(point),
                ground,
            );
            draw_cell(canvas, place, cell);
        }
    }
}

/// The content of a cell.
pub(super) fn cell(
    canvas: &Canvas<'_>,
    local: &LocalGame,
    overlay: &Overlay,
    at: Move,
    is_focus: bool,
    ground: char,
) -> Cell {
    let view = local.view();
    let is_leaving = overlay.leaving.binary_search(&at).is_ok();
    let highlight = if is_focus {
        CellHighlight::Focus
    } else if is_leaving {
        CellHighlight::Leaving
    } else if is_in_line(view, at) {
        CellHighlight::Line
    } else if last_play(view) == Some(at) {
        CellHighlight::Last
    } else {
        CellHighlight::Plain
    };
    let mark = view.marks[at.index()].map(|side| {
        let glyph = canvas.theme.glyph(local.symbol(side), side);
        (side, glyph)
    });
    Cell {
        highlight,
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
pub(super) fn draw_cell(canvas: &mut Canvas<'_>, place: Rect, cell: Cell) {
    let stroke = match cell.is_leaving {
        true => Stroke::Dashed,
        false => Stroke::Full,
    };
    let middle = place.y + place.height / 2;
    match cell.mark {
        Some((side, glyph)) if place.height > 1 => {
            marks::draw(canvas, place, glyph, stroke, canvas.theme.side(side));
        }
        Some((side, glyph)) => {
            // Only the middle column of the cell is free. Highlights or neighbouring cells use the other columns.
            let text = match width(&glyph.to_string()) {
                0 | 1 => glyph.to_string(),
                2.. => side.symbol().to_string(),
            };
            canvas.write_centred(place, middle, &text, canvas.theme.side(side));
        }
        None => {
            let style = match cell.ground {
                '?' => canvas.theme.strong(),
                _ => canvas.theme.quiet(),
            };
            let text = cell.ground.to_string();
            canvas.write_centred(place, middle, &text, style);
        }
    }
    if place.height > 1 {
        corners(canvas, place, cell.highlight);
    } else if let Some([left, right]) = cell.highlight.brackets(canvas) {
        let style = highlight_style(canvas, cell.highlight);
        let x = place.x + place.width / 2;
        canvas.write(x - 1, middle, left, style);
        canvas.write(x + 1, middle, right, style);
    }
}

/// Draws the highlight of a large cell in its corners. The last play has a dot in one corner. Other highlights use all
/// four corners.
fn corners(canvas: &mut Canvas<'_>, place: Rect, highlight: CellHighlight) {
    let (right, bottom) = (place.right() - 1, place.bottom() - 1);
    let signs = match highlight {
        CellHighlight::Focus if canvas.theme.unicode => ["┏", "┓", "┗", "┛"],
        CellHighlight::Focus => ["[", "]", "[", "]"],
        CellHighlight::Leaving => ["~", "~", "~", "~"],
        CellHighlight::Line if canvas.theme.unicode => ["◆", "◆", "◆", "◆"],
        CellHighlight::Line => ["*", "*", "*", "*"],
        CellHighlight::Last if canvas.theme.unicode => ["", "●", "", ""],
        CellHighlight::Last => ["", "@", "", ""],
        CellHighlight::Plain => return,
    };
    let spots = [
        (place.x, place.y),
        (right, place.y),
        (place.x, bottom),
        (right, bottom),
    ];
    let style = highlight_style(canvas, highlight);
    for ((x, y), sign) in spots.into_iter().zip(signs) {
        canvas.write(x, y, sign, style);
    }
}

fn highlight_style(canvas: &Canvas<'_>, highlight: CellHighlight) -> Style {
    match highlight {
        CellHighlight::Focus | CellHighlight::Line => canvas.theme.strong(),
        CellHighlight::Leaving | CellHighlight::Last | CellHighlight::Plain => Style::new(),
    }
}

fn grid_lines(canvas: &mut Canvas<'_>, layout: &GridLayout) {
    let style = canvas.theme.quiet();
    let theme = canvas.theme;
    let width = usize::from(layout.cell.0);
    let line = |left, across: &str, cross: &str, right| {
        let cells = vec![across.repeat(width); layout.columns];
        format!("{left}{}{right}", cells.join(cross))
    };
    let (dash, bar) = (theme.text("─", "-"), theme.text("│", "|"));
    let top = line(
        theme.text("┌", "+"),
        dash,
        theme.text("┬", "+"),
        theme.text("┐", "+"),
    );
    let between = line(
        theme.text("├", "+"),
        dash,
        theme.text("┼", "+"),
        theme.text("┤", "+"),
    );
    let bottom = line(
        theme.text("└", "+"),
        dash,
        theme.text("┴", "+"),
        theme.text("┘", "+"),
    );
    let cells = line(bar, " ", bar, bar);
    let Rect { x, y, .. } = layout.area;
    let (_, down) = layout.pitch();
    for offset in 0..layout.area.height {
        let text = match offset {
            0 => &top,
            offset if offset == layout.area.height - 1 => &bottom,
            offset if offset % down == 0 => &between,
            _ => &cells,
        };
        canvas.write(x, y + offset, text, style);
    }
}

/// Draws row labels to the left and column labels above. The labels of the focused row and column are bold. If there
/// are no lines between the cells, draws only every fifth column label. Leaves out column labels that would overlap.
fn labels(canvas: &mut Canvas<'_>, layout: &GridLayout, focus: Option<GridPoint>) {
    let (quiet, strong) = (canvas.theme.quiet(), canvas.theme.strong());
    let (mut free, top) = (0, layout.area.y - 1);
    for column in layout.first.column..layout.first.column + layout.columns {
        let point = GridPoint {
            column,
            ..layout.first
        };
        let Some(place) = layout.place(point) else {
            continue;
        };
        let is_focus = focus.is_some_and(|point| point.column == column);
        let number = column.to_string();
        let x = place.x + place.width / 2 - (number.len() as u16 - 1) / 2;
        if (layout.is_ruled || column % 5 == 0) && x >= free {
            canvas.write(x, top, &number, if is_focus { strong } else { quiet });
            free = x + number.len() as u16 + 1;
        }
    }
    for row in layout.first.row..layout.first.row + layout.rows {
        let point = GridPoint {
            row,
            ..layout.first
        };
        let Some(place) = layout.place(point) else {
            continue;
        };
        let is_focus = focus.is_some_and(|point| point.row == row);
        let number = row.to_string();
        let x = layout.area.x.saturating_sub(number.len() as u16 + 1);
        let style = if is_focus { strong } else { quiet };
        canvas.write(x, place.y + place.height / 2, &number, style);
    }
}

/// Draws an arrow at each edge beyond which the board continues.
fn arrows(canvas: &mut Canvas<'_>, layout: &GridLayout, rows: usize, columns: usize) {
    let theme = canvas.theme;
    let area = layout.area;
    let more_right = layout.first.column + layout.columns < columns;
    let more_below = layout.first.row + layout.rows < rows;
    let strong = theme.strong();
    // Vertical arrows are above and below the row labels.
    let (across, down) = (area.x.saturating_sub(2), area.y + area.height / 2);
    if more_right {
        canvas.write(area.right(), down, theme.text("→", ">"), strong);
    }
    if layout.first.column > 0 {
        canvas.write(area.x, down, theme.text("←", "<"), strong);
    }
    if more_below {
        canvas.write(across, area.bottom(), theme.text("↓", "v"), strong);
    }
    if layout.first.row > 0 {
        canvas.write(across, area.y - 1, theme.text("↑", "^"), strong);
    }
}

pub(super) fn is_legal(view: &View, at: Move) -> bool {
    view.legal.binary_search(&at).is_ok()
}

/// The cell of the latest turn, if that turn was a play.
pub(super) fn last_play(view: &View) -> Option<Move> {
    match view.last?.action {
        Action::Play(at) => Some(at),
        Action::Rewind(_) | Action::Takeback(_) | Action::Resign => None,
    }
}

/// Whether a cell is part of a completed line.
fn is_in_line(view: &View, at: Move) -> bool {
    match &view.outcome {
        Some(Conclusion::Won {
            by: WinReason::Line(line),
            ..
        }) => line.contains(&at),
        Some(
            Conclusion::Won { .. }
            | Conclusion::Draw { .. }
            | Conclusion::Abandoned
            | Conclusion::Aborted,
        )
        | None => false,
    }
}
