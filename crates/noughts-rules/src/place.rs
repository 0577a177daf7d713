//! Moves, and the boards of a game on nine boards.

use std::fmt;
use std::num::NonZeroU16;

/// A cell to play in. Cells are counted from 0, row by row; on nine boards the number is `9 * board + cell`.
///
/// `Move` and `Option<Move>` take two bytes. The text of a move depends on the variant: see
/// [`Variant::format_move`](crate::Variant::format_move).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(NonZeroU16);

impl Move {
    /// The move to the cell with this index. The largest board has 65 025 cells, so every cell of
    /// every variant has a `Move`. Panics in debug builds if the index is 65 535 or more.
    #[inline]
    pub const fn at(index: usize) -> Move {
        debug_assert!(index < u16::MAX as usize);
        Move(NonZeroU16::MIN.saturating_add(index as u16))
    }

    /// The index of the cell.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0.get() - 1) as usize
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({})", self.index())
    }
}

/// One of the nine boards of a game on nine boards, numbered `0..9` row by row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board(u8);

impl Board {
    /// The board with this number; `None` if the number is 9 or more.
    pub const fn new(number: u8) -> Option<Board> {
        if number < 9 {
            Some(Board(number))
        } else {
            None
        }
    }

    /// All nine boards, in order.
    pub fn all() -> impl Iterator<Item = Board> {
        (0..9).map(Board)
    }

    /// The number of the board.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.0)
    }
}
