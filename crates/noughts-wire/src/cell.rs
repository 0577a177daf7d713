//! A cell of the board and its three bytes in a frame.

use std::fmt;
use std::str::FromStr;

/// A cell of the 3x3 board.
///
/// ```text
/// 0-0 | 0-1 | 0-2
/// 1-0 | 1-1 | 1-2
/// 2-0 | 2-1 | 2-2
/// ```
///
/// The text form of a cell, such as `1-0`, is the usual notation of a move.
///
/// ```
/// use noughts_wire::Cell;
///
/// let cell: Cell = "1-0".parse()?;
/// assert_eq!((cell.row(), cell.column(), cell.index()), (1, 0, 3));
/// assert_eq!(cell.to_string(), "1-0");
/// assert_eq!(Cell::try_from(*b"1-0"), Ok(cell));
/// assert!(Cell::try_from(*b"1-7").is_err());
/// # Ok::<(), noughts_wire::NotACell>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u8);

/// The text or the bytes are not the name of one of the nine cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NotACell;

impl Cell {
    /// The cell in a row and a column, both from 0 to 2; `None` for other numbers.
    pub fn new(row: u8, column: u8) -> Option<Cell> {
        (row < 3 && column < 3).then(|| Cell(3 * row + column))
    }

    /// The cell with this number, 0 to 8, counted row by row; `None` for other numbers.
    pub fn from_index(index: u8) -> Option<Cell> {
        (index < 9).then_some(Cell(index))
    }

    /// All nine cells, row by row.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..9).map(Cell)
    }

    /// The three bytes of the cell in an ACTION frame: row digit, hyphen, column digit.
    pub fn to_bytes(self) -> [u8; 3] {
        [b'0' + self.row(), b'-', b'0' + self.column()]
    }

    /// The row, 0 at the top.
    pub fn row(self) -> u8 {
        self.0 / 3
    }

    /// The column, 0 at the left.
    pub fn column(self) -> u8 {
        self.0 % 3
    }

    /// The number of the cell, 0 to 8, row by row.
    pub fn index(self) -> u8 {
        self.0
    }
}

/// Reads the three bytes of an ACTION: an ASCII digit, a hyphen, an ASCII digit.
impl TryFrom<[u8; 3]> for Cell {
    type Error = NotACell;

    fn try_from(bytes: [u8; 3]) -> Result<Cell, NotACell> {
        match bytes {
            [row @ b'0'..=b'2', b'-', column @ b'0'..=b'2'] => {
                Cell::new(row - b'0', column - b'0').ok_or(NotACell)
            }
            _ => Err(NotACell),
        }
    }
}

impl FromStr for Cell {
    type Err = NotACell;

    fn from_str(text: &str) -> Result<Cell, NotACell> {
        let bytes: [u8; 3] = text.as_bytes().try_into().map_err(|_| NotACell)?;
        Cell::try_from(bytes)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.row(), self.column())
    }
}

impl fmt::Display for NotACell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell is written row-column, 0-0 to 2-2")
    }
}

impl std::error::Error for NotACell {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_nine_of_all_three_byte_values_are_cells() {
        let mut found = 0;
        for number in 0u32..1 << 24 {
            let [_, row, hyphen, column] = number.to_be_bytes();
            let bytes = [row, hyphen, column];
            if let Ok(cell) = Cell::try_from(bytes) {
                assert_eq!(cell.to_bytes(), bytes);
                assert_eq!(cell.to_string().as_bytes(), bytes);
                assert_eq!(cell.to_string().parse(), Ok(cell));
                assert_eq!(Cell::from_index(cell.index()), Some(cell));
                assert_eq!(Cell::new(cell.row(), cell.column()), Some(cell));
                found += 1;
            }
        }
        assert_eq!(found, 9);
        assert_eq!(Cell::all().count(), 9);
    }

    #[test]
    fn numbers_off_the_board_are_not_cells() {
        for (row, column) in [(3, 0), (0, 3), (255, 0), (0, 255)] {
            assert_eq!(Cell::new(row, column), None);
        }
        assert_eq!(Cell::from_index(9), None);
        for text in ["", "1", "1-0 ", "１-0"] {
            assert_eq!(text.parse::<Cell>(), Err(NotACell));
        }
    }
}
