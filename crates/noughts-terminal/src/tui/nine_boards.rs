//! Draws nine boards. Two kinds of boards are highlighted: the boards on which the player to move may play, and the
//! boards of the winning line. The other boards have dim borders.

use noughts_rules::{BoardState, Conclusion, Move, NestedView, WinReason};
use ratatui::layout::Rect;

use super::board::{self, Overlay, cell, draw_cell, is_legal};
use super::canvas::{Border, Canvas};
use super::cell_grid::GridPoint;
use super::local_game::{LocalGame, NextBoard};
use super::marks::{self, Stroke};

/// Cell sizes, largest first, and whether separator lines are drawn between cells.
const SIZES: [((u16, u16), bool); 4] = [
    ((11, 5), true),
    ((7, 3), true),
    ((3, 1), true),
    ((3, 1), false),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NineBoardsLayout {
    area: Rect,
    cell: (u16, u16),
    is_ruled: bool,
}

impl NineBoardsLayout {
    /// The largest layout that fits, or the smallest layout if none fits.
    pub(super) fn fit(area: Rect) -> NineBoardsLayout {
        let layout = |(cell, is_ruled)| {
            let mut layout = NineBoardsLayout {
                area,
                cell,
                is_ruled,
            };
            let (width, height) = layout.board();
            layout.area = Rect {
                x: area.x + area.width.saturating_sub(3 * width) / 2,
                y: area.y + area.height.saturating_sub(3 * height) / 2,
                width: 3 * width,
                height: 3 * height,
            };
            layout
        };
        let fits =
            |one: &NineBoardsLayout| one.area.width <= area.width && one.area.height <= area.height;
        let smallest = layout(SIZES[SIZES.len() - 1]);
        SIZES.into_iter().map(layout).find(fits).unwrap_or(smallest)
    }

    /// The cell at a position on the screen.
    pub(super) fn point(&self, x: u16, y: u16) -> Option<GridPoint> {
        if !self.area.contains((x, y).into()) {
            return None;
        }
        let (width, height) = self.board();
        let (across, down) = self.pitch();
        let along = |at: u16, board: u16, pitch: u16| {
            let within = (at % board).saturating_sub(1) / pitch;
            usize::from(3 * (at / board) + within.min(2))
        };
        Some(GridPoint {
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

pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    layout: &NineBoardsLayout,
    local: &LocalGame,
    nested: &NestedView,
    overlay: &Overlay,
) {
    let view = local.view();
    let sent = match (overlay.focus, local.next_board()) {
        (Some(_), Some(NextBoard::Board(board))) => Some(board.index()),
        (None, _) | (Some(_), Some(NextBoard::Any | NextBoard::GameOver) | None) => None,
    };
    for (board, state) in nested.boards.iter().enumerate() {
        let is_active = (0..9).any(|cell| is_legal(view, Move::at(9 * board + cell)));
        let place = layout.board_place(board);
        let is_winning = is_in_line(local, board);
        let border = match state {
            _ if is_active || is_winning => Border::Double,
            BoardState::Open => Border::Thin,
            BoardState::Won(_) | BoardState::Drawn => Border::Dotted,
        };
        let style = match border {
            Border::Double => canvas.theme.strong(),
            Border::Thin | Border::Dotted => canvas.theme.quiet(),
        };
        canvas.frame(place, border, style);
        let is_last = board::last_play(view).is_some_and(|at| at.index() / 9 == board);
        let title = match (state, sent == Some(board)) {
            (_, true) => format!(" {board} next "),
            (BoardState::Drawn, false) => format!(" {board} drawn "),
            // The large mark hides the last play, so the title says "last".
            (BoardState::Won(_), false) if is_last => format!(" {board} last "),
            (BoardState::Open | BoardState::Won(_), false) => format!(" {board} "),
        };
        canvas.write(place.x + 1, place.y, &title, style);
        match state {
            BoardState::Won(side) => {
                let glyph = canvas.theme.glyph(local.symbol(*side), *side);
                let inner = Rect::new(place.x + 1, place.y + 1, place.width - 2, place.height - 2);
                let style = canvas.theme.side(*side);
                marks::draw(canvas, inner, glyph, Stroke::Full, style);
                focused_in_closed(canvas, layout, local, overlay, board);
            }
            BoardState::Open | BoardState::Drawn => cells(canvas, layout, local, overlay, board),
        }
    }
}

fn cells(
    canvas: &mut Canvas<'_>,
    layout: &NineBoardsLayout,
    local: &LocalGame,
    overlay: &Overlay,
    board: usize,
) {
    if layout.is_ruled {
        rules(canvas, layout, layout.board_place(board));
    }
    for number in 0..9 {
        let at = Move::at(9 * board + number);
        let ground = match is_legal(local.view(), at) {
            true => char::from(b'0' + number as u8),
            false => canvas.theme.text("·", ".").chars().next().unwrap_or(' '),
        };
        let is_focus = overlay.focus == Some(local.grid().point(at));
        let cell = cell(canvas, local, overlay, at, is_focus, ground);
        draw_cell(canvas, layout.cell_place(board, number), cell);
    }
}

/// Draws the focused cell, and cells that a rewind would clear, over the large mark of a won board.
fn focused_in_closed(
    canvas: &mut Canvas<'_>,
    layout: &NineBoardsLayout,
    local: &LocalGame,
    overlay: &Overlay,
    board: usize,
) {
    for number in 0..9 {
        let at = Move::at(9 * board + number);
        let is_focus = overlay.focus == Some(local.grid().point(at));
        let cell = cell(canvas, local, overlay, at, is_focus, ' ');
        match cell.highlight {
            board::CellHighlight::Focus | board::CellHighlight::Leaving => {
                let place = layout.cell_place(board, number);
                canvas.clear(place);
                draw_cell(canvas, place, cell);
            }
            board::CellHighlight::Line
            | board::CellHighlight::Last
            | board::CellHighlight::Plain => {}
        }
    }
}

fn rules(canvas: &mut Canvas<'_>, layout: &NineBoardsLayout, place: Rect) {
    let style = canvas.theme.quiet();
    let (across, down) = layout.pitch();
    let dash = canvas
        .theme
        .text("─", "-")
        .repeat(usize::from(layout.cell.0));
    let line = [dash.as_str(); 3].join(canvas.theme.text("┼", "+"));
    let bar = canvas.theme.text("│", "|");
    for y in 0..place.height - 2 {
        if y % down == down - 1 {
            canvas.write(place.x + 1, place.y + 1 + y, &line, style);
        } else {
            canvas.write(place.x + across, place.y + 1 + y, bar, style);
            canvas.write(place.x + 2 * across, place.y + 1 + y, bar, style);
        }
    }
}

fn is_in_line(local: &LocalGame, board: usize) -> bool {
    match &local.view().outcome {
        Some(Conclusion::Won {
            by: WinReason::Boards(boards),
            ..
        }) => boards.iter().any(|one| one.index() == board),
        Some(
            Conclusion::Won { .. }
            | Conclusion::Draw { .. }
            | Conclusion::Abandoned
            | Conclusion::Aborted,
        )
        | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_boards_fit_at_every_size_and_each_cell_is_found() {
        for (width, height) in [(35, 17), (51, 21), (90, 50), (150, 60)] {
            let layout = NineBoardsLayout::fit(Rect::new(0, 0, width, height));
            assert!(layout.area.right() <= width && layout.area.bottom() <= height);
            for (board, number) in (0..9).flat_map(|board| (0..9).map(move |cell| (board, cell))) {
                let place = layout.cell_place(board, number);
                let point = layout.point(place.x + place.width / 2, place.y + place.height / 2);
                let expected = GridPoint {
                    row: board / 3 * 3 + number / 3,
                    column: board % 3 * 3 + number % 3,
                };
                assert_eq!(point, Some(expected));
            }
        }
    }
}
