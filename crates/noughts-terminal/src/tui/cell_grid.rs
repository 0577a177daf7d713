//! Converts between the cells of a game and rows and columns on the screen.

use noughts_rules::{Move, Variant};

/// The row and column of a cell. Nine boards form one grid of nine by nine cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct GridPoint {
    pub(super) row: usize,
    pub(super) column: usize,
}

/// The grid of a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellGrid {
    variant: Variant,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl CellGrid {
    pub(super) fn new(variant: &Variant) -> CellGrid {
        let (rows, columns) = match variant {
            Variant::Grid(spec) => (spec.rows(), spec.columns()),
            Variant::Nested(_) => (9, 9),
        };
        CellGrid {
            variant: *variant,
            rows,
            columns,
        }
    }

    /// The cell at a point of this grid.
    pub(super) fn cell(&self, point: GridPoint) -> Move {
        let GridPoint { row, column } = point;
        Move::at(match self.variant {
            Variant::Grid(_) => row * self.columns + column,
            Variant::Nested(_) => 9 * (row / 3 * 3 + column / 3) + row % 3 * 3 + column % 3,
        })
    }

    /// The point of a cell.
    pub(super) fn point(&self, cell: Move) -> GridPoint {
        let (first, second) = self.variant.coordinates(cell);
        match self.variant {
            Variant::Grid(_) => GridPoint {
                row: first,
                column: second,
            },
            Variant::Nested(_) => GridPoint {
                row: first / 3 * 3 + second / 3,
                column: first % 3 * 3 + second % 3,
            },
        }
    }

    /// Returns the point that is `rows` below and `columns` to the right of `from`, limited to the grid.
    pub(super) fn moved(&self, from: GridPoint, rows: isize, columns: isize) -> GridPoint {
        let go = |at: usize, by, count: usize| at.saturating_add_signed(by).min(count - 1);
        GridPoint {
            row: go(from.row, rows, self.rows),
            column: go(from.column, columns, self.columns),
        }
    }

    pub(super) fn middle(&self) -> GridPoint {
        GridPoint {
            row: (self.rows - 1) / 2,
            column: (self.columns - 1) / 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_its_spot() {
        for name in ["3x3k3", "7x6k4+gravity", "multi", "ultimate@3"] {
            let variant: Variant = name.parse().unwrap();
            let grid = CellGrid::new(&variant);
            for index in 0..variant.cells() {
                assert_eq!(grid.cell(grid.point(Move::at(index))).index(), index);
            }
        }
    }

    #[test]
    fn nine_boards_lie_in_three_rows_of_three() {
        let variant: Variant = "multi".parse().unwrap();
        let point = CellGrid::new(&variant).point(variant.move_at(5, 6).unwrap());
        assert_eq!(point, GridPoint { row: 5, column: 6 });
    }
}
