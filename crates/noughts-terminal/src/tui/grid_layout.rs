//! Computes where each cell of one board is on the screen, and which cells are visible.

use ratatui::layout::Rect;

use super::cell_grid::GridPoint;

/// Width and height in characters of cells with lines between them, largest first. A character is about twice
/// as high as wide.
const SIZES: [(u16, u16); 8] = [
    (27, 13),
    (23, 11),
    (19, 9),
    (15, 7),
    (11, 5),
    (7, 3),
    (5, 1),
    (3, 1),
];

/// Number of cells that stay visible on each side of the focus, if there is enough space.
const ROOM: usize = 3;

/// The layout of a board. Cells are as large as possible. If the board does not fit, only a part of it is visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GridLayout {
    /// The area of the cells, without the labels.
    pub(super) area: Rect,
    /// A cell's width and height.
    pub(super) cell: (u16, u16),
    /// Whether there are lines between cells. If not, neighbouring cells share a column.
    pub(super) is_ruled: bool,
    /// The first visible row and column.
    pub(super) first: GridPoint,
    /// The number of visible rows.
    pub(super) rows: usize,
    /// The number of visible columns.
    pub(super) columns: usize,
}

impl GridLayout {
    /// Fits a board into an area. The cell `focus` is always visible. The cell `origin` is in the upper left corner if
    /// possible.
    pub(super) fn fit(
        area: Rect,
        rows: usize,
        columns: usize,
        origin: GridPoint,
        focus: GridPoint,
    ) -> GridLayout {
        let labels = label_width(rows);
        let (width, height) = (
            area.width.saturating_sub(labels),
            area.height.saturating_sub(1),
        );
        let whole = |count: usize, size: u16| count * usize::from(size + 1) + 1;
        let fits = |&&(w, h): &&(u16, u16)| {
            whole(columns, w) <= width.into() && whole(rows, h) <= height.into()
        };
        let ruled = SIZES.iter().find(fits);
        let (cell, taken) = match ruled {
            Some(&(w, h)) => ((w, h), (whole(columns, w) as u16, whole(rows, h) as u16)),
            None => {
                // The width must be odd. The arrow below a cut-off board needs one line.
                let wide = (2 * columns + 1).min(usize::from(width.saturating_sub(1) | 1));
                let high = match rows <= height.into() {
                    true => rows as u16,
                    false => height.saturating_sub(1),
                };
                ((3, 1), (wide as u16, high))
            }
        };
        let (seen_rows, seen_columns) = match ruled {
            Some(_) => (rows, columns),
            None => (
                usize::from(taken.1).min(rows),
                usize::from(taken.0.saturating_sub(1) / 2).min(columns),
            ),
        };
        GridLayout {
            area: Rect {
                x: area.x + labels + width.saturating_sub(taken.0) / 2,
                y: area.y + 1 + height.saturating_sub(taken.1) / 2,
                width: taken.0,
                height: taken.1,
            },
            cell,
            is_ruled: ruled.is_some(),
            first: GridPoint {
                row: into_view(origin.row, focus.row, seen_rows, rows),
                column: into_view(origin.column, focus.column, seen_columns, columns),
            },
            rows: seen_rows,
            columns: seen_columns,
        }
    }

    /// The area of a cell on the screen. `None` if the cell is not visible. Without lines between the cells
    /// (`is_ruled` is false), a cell shares its first and last column with its neighbours.
    pub(super) fn place(&self, point: GridPoint) -> Option<Rect> {
        let row = point.row.checked_sub(self.first.row)?;
        let column = point.column.checked_sub(self.first.column)?;
        if row >= self.rows || column >= self.columns {
            return None;
        }
        let (width, height) = self.cell;
        let (across, down) = self.pitch();
        let inset = u16::from(self.is_ruled);
        Some(Rect {
            x: self.area.x + inset + column as u16 * across,
            y: self.area.y + inset + row as u16 * down,
            width,
            height,
        })
    }

    /// The cell at a position on the screen.
    pub(super) fn point(&self, x: u16, y: u16) -> Option<GridPoint> {
        if !self.area.contains((x, y).into()) {
            return None;
        }
        let (across, down) = self.pitch();
        let point = GridPoint {
            row: self.first.row + usize::from((y - self.area.y) / down).min(self.rows - 1),
            column: self.first.column
                + usize::from((x - self.area.x) / across).min(self.columns - 1),
        };
        Some(point)
    }

    /// Returns the cell to show in the upper left corner so that `point` and some cells around it are
    /// visible. This function is only for key presses. Moving the mouse does not scroll.
    pub(super) fn with_room_around(&self, point: GridPoint) -> GridPoint {
        let near = |first: usize, at: usize, seen: usize| {
            let room = ROOM.min(seen.saturating_sub(1) / 2);
            let least = (at + 1 + room).saturating_sub(seen);
            first.clamp(least, at.saturating_sub(room).max(least))
        };
        GridPoint {
            row: near(self.first.row, point.row, self.rows),
            column: near(self.first.column, point.column, self.columns),
        }
    }

    /// Returns the cell to show in the upper left corner so that `point` is in the middle.
    pub(super) fn around(&self, point: GridPoint) -> GridPoint {
        GridPoint {
            row: point.row.saturating_sub(self.rows / 2),
            column: point.column.saturating_sub(self.columns / 2),
        }
    }

    /// The distance between neighbouring cells, horizontally and vertically.
    pub(super) fn pitch(&self) -> (u16, u16) {
        match self.is_ruled {
            true => (self.cell.0 + 1, self.cell.1 + 1),
            false => (2, 1),
        }
    }
}

/// The width of the row labels, including the space between a label and the cells.
pub(super) fn label_width(rows: usize) -> u16 {
    (rows - 1).to_string().len() as u16 + 1
}

/// Returns the first visible row or column. The result is as near to `origin` as possible. `focus` is
/// visible, and the visible part does not extend beyond the board.
fn into_view(origin: usize, focus: usize, seen: usize, all: usize) -> usize {
    let least = (focus + 1).saturating_sub(seen);
    origin.clamp(least, focus.max(least)).min(all - seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(width: u16, height: u16, size: usize) -> GridLayout {
        let focus = GridPoint {
            row: size - 1,
            column: size - 1,
        };
        let area = Rect::new(0, 0, width, height);
        GridLayout::fit(area, size, size, GridPoint::default(), focus)
    }

    #[test]
    fn a_board_is_as_large_as_fits() {
        assert_eq!(fit(51, 21, 3).cell, (11, 5));
        assert_eq!(fit(150, 60, 3).cell, (27, 13));
        assert_eq!(fit(51, 21, 9).cell, (3, 1));
        assert!(!fit(51, 21, 15).is_ruled);
    }

    #[test]
    fn large_boards_scroll_to_the_focus() {
        let layout = fit(51, 21, 255);
        assert_eq!((layout.rows, layout.columns), (19, 23));
        assert_eq!(
            layout.first,
            GridPoint {
                row: 236,
                column: 232
            }
        );
    }

    #[test]
    fn every_cell_that_is_seen_is_found_under_its_place() {
        for size in [3, 5, 9, 19, 40, 255] {
            for (width, height) in [(35, 17), (51, 21), (120, 50)] {
                let layout = fit(width, height, size);
                for row in layout.first.row..layout.first.row + layout.rows {
                    for column in layout.first.column..layout.first.column + layout.columns {
                        let point = GridPoint { row, column };
                        let place = layout.place(point).unwrap();
                        let (x, y) = (place.x + place.width / 2, place.y + place.height / 2);
                        assert_eq!(layout.point(x, y), Some(point), "{size} {width}x{height}");
                        assert!(place.right() <= width && place.bottom() <= height);
                    }
                }
            }
        }
    }
}
