//! Nine boards: the active one lifted, the closed ones stepped back.

use noughts_rules::{BoardState, By, Conclusion, Move, NestedView};
use ratatui::layout::Rect;

use super::board::{self, Overlay, cell, draw_cell, is_legal};
use super::field::Spot;
use super::marks::{self, Stroke};
use super::page::{Border, Page};
use super::table::{Sent, Table};

/// The sizes of cells, and whether there are rules between them; largest first.
const SIZES: [((u16, u16), bool); 4] = [
    ((11, 5), true),
    ((7, 3), true),
    ((3, 1), true),
    ((3, 1), false),
];

/// Nine boards on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spread {
    area: Rect,
    cell: (u16, u16),
    is_ruled: bool,
}

impl Spread {
    /// As large as fits.
    pub(super) fn fit(area: Rect) -> Spread {
        let spread = |(cell, is_ruled)| {
            let mut spread = Spread {
                area,
                cell,
                is_ruled,
            };
            let (width, height) = spread.board();
            spread.area = Rect {
                x: area.x + area.width.saturating_sub(3 * width) / 2,
                y: area.y + area.height.saturating_sub(3 * height) / 2,
                width: 3 * width,
                height: 3 * height,
            };
            spread
        };
        let fits = |one: &Spread| one.area.width <= area.width && one.area.height <= area.height;
        let smallest = spread(SIZES[SIZES.len() - 1]);
        SIZES.into_iter().map(spread).find(fits).unwrap_or(smallest)
    }

    /// Which cell is there.
    pub(super) fn spot(&self, x: u16, y: u16) -> Option<Spot> {
        if !self.area.contains((x, y).into()) {
            return None;
        }
        let (width, height) = self.board();
        let (across, down) = self.pitch();
        let along = |at: u16, board: u16, pitch: u16| {
            let within = (at % board).saturating_sub(1) / pitch;
            usize::from(3 * (at / board) + within.min(2))
        };
        Some(Spot {
            row: along(y - self.area.y, height, down),
            column: along(x - self.area.x, width, across),
        })
    }

    /// A board's width and height, with its border.
    fn board(&self) -> (u16, u16) {
        let (across, down) = self.pitch();
        let rule = u16::from(self.is_ruled);
        (3 * across - rule + 2, 3 * down - rule + 2)
    }

    fn pitch(&self) -> (u16, u16) {
        let rule = u16::from(self.is_ruled);
        (self.cell.0 + rule, self.cell.1 + rule)
    }

    fn board_place(&self, board: usize) -> Rect {
        let (width, height) = self.board();
        Rect {
            x: self.area.x + board as u16 % 3 * width,
            y: self.area.y + board as u16 / 3 * height,
            width,
            height,
        }
    }

    fn cell_place(&self, board: usize, cell: usize) -> Rect {
        let place = self.board_place(board);
        let (across, down) = self.pitch();
        Rect {
            x: place.x + 1 + cell as u16 % 3 * across,
            y: place.y + 1 + cell as u16 / 3 * down,
            width: self.cell.0,
            height: self.cell.1,
        }
    }
}

/// Draws the nine boards.
pub(super) fn draw(
    page: &mut Page<'_>,
    spread: &Spread,
    table: &Table,
    nested: &NestedView,
    overlay: &Overlay,
) {
    let view = table.view();
    let sent = match (overlay.focus, table.sends_to()) {
        (Some(_), Some(Sent::To(board))) => Some(board.index()),
        (None, _) | (Some(_), Some(Sent::Anywhere | Sent::ToTheEnd) | None) => None,
    };
    for (board, state) in nested.boards.iter().enumerate() {
        let is_active = (0..9).any(|cell| is_legal(view, Move::at(9 * board + cell)));
        let place = spread.board_place(board);
        let is_winning = is_in_line(table, board);
        let border = match state {
            _ if is_active || is_winning => Border::Double,
            BoardState::Open => Border::Thin,
            BoardState::Won(_) | BoardState::Drawn => Border::Dotted,
        };
        let style = match border {
            Border::Double => page.look.strong(),
            Border::Thin | Border::Dotted => page.look.quiet(),
        };
        page.frame(place, border, style);
        let is_last = board::last_play(view).is_some_and(|at| at.index() / 9 == board);
        let title = match (state, sent == Some(board)) {
            (_, true) => format!(" {board} next "),
            (BoardState::Drawn, false) => format!(" {board} drawn "),
            // The large mark hides it.
            (BoardState::Won(_), false) if is_last => format!(" {board} last "),
            (BoardState::Open | BoardState::Won(_), false) => format!(" {board} "),
        };
        page.write(place.x + 1, place.y, &title, style);
        match state {
            BoardState::Won(side) => {
                let glyph = page.look.glyph(table.symbol(*side), *side);
                let inner = Rect::new(place.x + 1, place.y + 1, place.width - 2, place.height - 2);
                let style = page.look.side(*side);
                marks::draw(page, inner, glyph, Stroke::Full, style);
                focused_in_closed(page, spread, table, overlay, board);
            }
            BoardState::Open | BoardState::Drawn => cells(page, spread, table, overlay, board),
        }
    }
}

fn cells(page: &mut Page<'_>, spread: &Spread, table: &Table, overlay: &Overlay, board: usize) {
    if spread.is_ruled {
        rules(page, spread, spread.board_place(board));
    }
    for number in 0..9 {
        let at = Move::at(9 * board + number);
        let ground = match is_legal(table.view(), at) {
            true => char::from(b'0' + number as u8),
            false => page.look.text("·", ".").chars().next().unwrap_or(' '),
        };
        let is_focus = overlay.focus == Some(table.field().spot(at));
        let cell = cell(page, table, overlay, at, is_focus, ground);
        draw_cell(page, spread.cell_place(board, number), cell);
    }
}

/// The large mark hides the cells, but not where the keys are, what was just played, or what a
/// rewind would take.
fn focused_in_closed(
    page: &mut Page<'_>,
    spread: &Spread,
    table: &Table,
    overlay: &Overlay,
    board: usize,
) {
    for number in 0..9 {
        let at = Move::at(9 * board + number);
        let is_focus = overlay.focus == Some(table.field().spot(at));
        let cell = cell(page, table, overlay, at, is_focus, ' ');
        match cell.cue {
            board::Cue::Focus | board::Cue::Leaving => {
                let place = spread.cell_place(board, number);
                page.clear(place);
                draw_cell(page, place, cell);
            }
            board::Cue::Line | board::Cue::Last | board::Cue::Plain => {}
        }
    }
}

fn rules(page: &mut Page<'_>, spread: &Spread, place: Rect) {
    let style = page.look.quiet();
    let (across, down) = spread.pitch();
    let dash = page.look.text("─", "-").repeat(usize::from(spread.cell.0));
    let line = [dash.as_str(); 3].join(page.look.text("┼", "+"));
    let bar = page.look.text("│", "|");
    for y in 0..place.height - 2 {
        if y % down == down - 1 {
            page.write(place.x + 1, place.y + 1 + y, &line, style);
        } else {
            page.write(place.x + across, place.y + 1 + y, bar, style);
            page.write(place.x + 2 * across, place.y + 1 + y, bar, style);
        }
    }
}

fn is_in_line(table: &Table, board: usize) -> bool {
    match &table.view().outcome {
        Some(Conclusion::Won {
            by: By::Boards(boards),
            ..
        }) => boards.iter().any(|one| one.index() == board),
        Some(Conclusion::Won { .. } | Conclusion::Draw | Conclusion::Abandoned) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_boards_fit_at_every_size_and_each_cell_is_found() {
        for (width, height) in [(35, 17), (51, 21), (90, 50), (150, 60)] {
            let spread = Spread::fit(Rect::new(0, 0, width, height));
            assert!(spread.area.right() <= width && spread.area.bottom() <= height);
            for (board, number) in (0..9).flat_map(|board| (0..9).map(move |cell| (board, cell))) {
                let place = spread.cell_place(board, number);
                let spot = spread.spot(place.x + place.width / 2, place.y + place.height / 2);
                let expected = Spot {
                    row: board / 3 * 3 + number / 3,
                    column: board % 3 * 3 + number % 3,
                };
                assert_eq!(spot, Some(expected));
            }
        }
    }
}
