//! Positions of Connect Four as bits, and functions that find lines.
//!
//! A column takes `rows + 1` bits, lowest cell first. The extra bit separates the columns. Let `mask` be the set of all
//! marks, and `bottom` the set of the lowest cells of the columns. Then `mask + bottom` has the cells on which the next
//! marks land. The bits of a 7x6 board:
//!
//! ```text
//!  6 13 20 27 34 41 48    extra bits
//!  5 12 19 26 33 40 47    top row
//!  .  .  .  .  .  .  .
//!  0  7 14 21 28 35 42    bottom row
//! ```

use noughts_rules::Move;

/// The size of a board, and its cells as bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// The lowest cell of every column.
    pub(super) bottom: u64,
    pub(super) cells: u64,
    /// The cells of every second row: the cells with an odd number of cells above them.
    pub(super) lower: u64,
}

impl Geometry {
    pub(super) fn new(columns: u32, rows: u32) -> Geometry {
        let bottom = (0..columns).fold(0, |bits, column| bits | 1 << (column * (rows + 1)));
        let lower = (0..rows).filter(|row| (rows - row).is_multiple_of(2));
        Geometry {
            columns,
            rows,
            bottom,
            cells: (0..rows).fold(0, |bits, row| bits | bottom << row),
            lower: lower.fold(0, |bits, row| bits | bottom << row),
        }
    }

    pub(super) fn column(&self, column: u32) -> u64 {
        ((1 << self.rows) - 1) << (column * (self.rows + 1))
    }

    /// The cells on which the next mark of each column lands.
    pub(super) fn playable(&self, mask: u64) -> u64 {
        // On a board of 64 bits the sum may overflow. The lost bit is not a cell.
        mask.wrapping_add(self.bottom) & self.cells
    }

    pub(super) fn mirrored(&self, bits: u64) -> u64 {
        let stride = self.rows + 1;
        let column = |column| bits >> (column * stride) & ((1 << stride) - 1);
        (0..self.columns).fold(0, |mirror, at| mirror << stride | column(at))
    }

    /// A number that identifies the position. In each column, the number has a 1 above the highest mark. The
    /// bits below this 1 are the marks of the side to move.
    pub(super) fn key(&self, marks: Marks) -> u64 {
        marks
            .mine
            .wrapping_add(marks.mask)
            .wrapping_add(self.bottom)
    }

    pub(super) fn mirror(&self, marks: Marks) -> Marks {
        Marks {
            mine: self.mirrored(marks.mine),
            mask: self.mirrored(marks.mask),
        }
    }

    /// A key that a position shares with its mirror image.
    pub(super) fn canonical_key(&self, marks: Marks) -> u64 {
        self.key(marks).min(self.key(self.mirror(marks)))
    }

    /// The position or its mirror image: the one with the smaller key.
    pub(super) fn canonical(&self, marks: Marks) -> Marks {
        let mirror = self.mirror(marks);
        match self.key(mirror) < self.key(marks) {
            true => mirror,
            false => marks,
        }
    }

    /// The position with this key.
    #[cfg(any(test, feature = "book"))]
    pub(super) fn position(&self, key: u64) -> Marks {
        let stride = self.rows + 1;
        let mut marks = Marks { mine: 0, mask: 0 };
        for column in 0..self.columns {
            let bits = key >> (column * stride) & ((1 << stride) - 1);
            let height = bits.ilog2();
            marks.mine |= (bits ^ 1 << height) << (column * stride);
            marks.mask |= ((1 << height) - 1) << (column * stride);
        }
        marks
    }

    /// The cells of the column that contains this cell.
    pub(super) fn column_of(&self, cell: u64) -> u64 {
        self.column(cell.trailing_zeros() / (self.rows + 1))
    }

    /// All cells above `cells`.
    pub(super) fn above(&self, cells: u64) -> u64 {
        let mut above = cells << 1;
        for _ in 2..self.rows {
            above |= (above & self.cells) << 1;
        }
        above & self.cells
    }

    pub(super) fn bit(&self, at: Move) -> u64 {
        let (row, column) = (
            at.index() as u32 / self.columns,
            at.index() as u32 % self.columns,
        );
        1 << (column * (self.rows + 1) + self.rows - 1 - row)
    }

    pub(super) fn at(&self, bit: u64) -> Move {
        let (column, height) = (
            bit.trailing_zeros() / (self.rows + 1),
            bit.trailing_zeros() % (self.rows + 1),
        );
        Move::at(((self.rows - 1 - height) * self.columns + column) as usize)
    }

    pub(super) fn shifts<const STRIDE: u32>(&self) -> [u32; 3] {
        let stride = if STRIDE == 0 { self.rows + 1 } else { STRIDE };
        [stride - 1, stride, stride + 1]
    }

    pub(super) fn has_line<const STRIDE: u32>(&self, marks: u64) -> bool {
        let has_line = |shift: u32| {
            let pairs = marks & marks >> shift;
            pairs & pairs >> (2 * shift) != 0
        };
        has_line(1) || self.shifts::<STRIDE>().into_iter().any(has_line)
    }

    /// The empty cells in which one more mark completes a line of `marks`.
    pub(super) fn completing<const STRIDE: u32>(&self, marks: u64, mask: u64) -> u64 {
        let mut cells = marks << 1 & marks << 2 & marks << 3;
        for shift in self.shifts::<STRIDE>() {
            let above = marks << shift & marks << (2 * shift);
            let below = marks >> shift & marks >> (2 * shift);
            // On a tall board, three times the stride is more than the 64 bits of a word.
            cells |= above & (marks.unbounded_shl(3 * shift) | marks >> shift);
            cells |= below & (marks.unbounded_shr(3 * shift) | marks << shift);
        }
        cells & (self.cells ^ mask)
    }
}

/// The marks on the board, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Marks {
    /// The marks of the side to move.
    pub(super) mine: u64,
    /// The marks of both sides.
    pub(super) mask: u64,
}

impl Marks {
    pub(super) fn after(self, cell: u64) -> Marks {
        Marks {
            mine: self.mine ^ self.mask,
            mask: self.mask | cell,
        }
    }
}
