//! The nine cells, as three bytes.

use std::fmt;

/// A cell of the board of three by three.
///
/// ```text
/// 0-0 | 0-1 | 0-2
/// 1-0 | 1-1 | 1-2
/// 2-0 | 2-1 | 2-2
/// ```
///
/// Its text is the move's everywhere else in this workspace.
///
/// ```
/// use noughts_wire::Cell;
///
/// let cell = Cell::read(*b"1-0").expect("a cell");
/// assert_eq!((cell.row(), cell.column(), cell.index()), (1, 0, 3));
/// assert_eq!(cell.to_string(), "1-0");
/// assert_eq!(Cell::read(*b"1-7"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u8);

impl Cell {
    /// The cell in this row and column, each 0 to 2.
    pub fn new(row: u8, column: u8) -> Option<Cell> {
        (row < 3 && column < 3).then(|| Cell(3 * row + column))
    }

    /// The cell with this number, 0 to 8, counted row by row.
    pub fn from_index(index: u8) -> Option<Cell> {
        (index < 9).then_some(Cell(index))
    }

    /// All nine, row by row.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..9).map(Cell)
    }

    /// The cell that three bytes of a frame name: a digit, a hyphen, a digit, in ASCII.
    pub fn read(bytes: [u8; 3]) -> Option<Cell> {
        match bytes {
            [row @ b'0'..=b'2', b'-', column @ b'0'..=b'2'] => Cell::new(row - b'0', column - b'0'),
            _ => None,
        }
    }

    /// The three bytes that [`read`](Cell::read) reads.
    pub fn bytes(self) -> [u8; 3] {
        [b'0' + self.row(), b'-', b'0' + self.column()]
    }

    /// 0 at the top.
    pub fn row(self) -> u8 {
        self.0 / 3
    }

    /// 0 at the left.
    pub fn column(self) -> u8 {
        self.0 % 3
    }

    /// 0 to 8, row by row.
    pub fn index(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.row(), self.column())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_cells_and_nothing_else_can_be_read() {
        let mut found = 0;
        for (row, hyphen, column) in triples() {
            let bytes = [row, hyphen, column];
            if let Some(cell) = Cell::read(bytes) {
                assert_eq!(cell.bytes(), bytes);
                assert_eq!(cell.to_string().as_bytes(), bytes);
                assert_eq!(Cell::from_index(cell.index()), Some(cell));
                assert_eq!(Cell::new(cell.row(), cell.column()), Some(cell));
                found += 1;
            }
        }
        assert_eq!(found, 9);
        assert_eq!(Cell::all().count(), 9);
    }

    fn triples() -> impl Iterator<Item = (u8, u8, u8)> {
        (0u32..1 << 24).map(|all| {
            let [_, a, b, c] = all.to_be_bytes();
            (a, b, c)
        })
    }

    #[test]
    fn off_the_board_is_no_cell() {
        for (row, column) in [(3, 0), (0, 3), (255, 0), (0, 255)] {
            assert_eq!(Cell::new(row, column), None);
        }
        assert_eq!(Cell::from_index(9), None);
    }
}
