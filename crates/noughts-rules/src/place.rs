//! Places to play: cells, and on nine boards the boards.

use std::fmt;
use std::num::NonZeroU16;

/// A place to play: a cell, counted from 0 row by row, on nine boards `9 * board + cell`.
///
/// It takes two bytes, and so does `Option<Move>`. How it is written depends on the variant:
/// see [`Variant::format_move`](crate::Variant::format_move).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(NonZeroU16);

impl Move {
    /// The cell with this index. The largest board has 65 025 cells, so every cell of every
    /// variant has a `Move`; an index past `u16::MAX - 1` is a broken invariant.
    #[inline]
    pub const fn at(index: usize) -> Move {
        debug_assert!(index < u16::MAX as usize);
        Move(NonZeroU16::MIN.saturating_add(index as u16))
    }

    /// Which cell, to index by.
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

/// One of the nine boards of a nested game, `0..9` row by row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board(u8);

impl Board {
    /// The board with this number, if there is one.
    pub const fn new(number: u8) -> Option<Board> {
        if number < 9 {
            Some(Board(number))
        } else {
            None
        }
    }

    /// All nine, in order.
    pub fn all() -> impl Iterator<Item = Board> {
        (0..9).map(Board)
    }

    /// Its number, to index by.
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
