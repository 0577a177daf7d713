//! Sides, and sets of sides.

use std::fmt;
use std::num::NonZeroU8;

/// Maximum number of sides of a game.
pub const MAX_SIDES: u8 = 64;

/// The default symbols of the sides, in turn order.
const SYMBOLS: &[u8; MAX_SIDES as usize] =
    b"xoabcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#";

/// An owner of marks, numbered `0..64`. Side 0 begins.
///
/// The stored value is the number plus one, so that `Option<Side>` takes only one byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side(NonZeroU8);

impl Side {
    /// The side that begins.
    pub const FIRST: Side = Side(NonZeroU8::MIN);
    /// Side 1: the second side in turn order.
    pub const SECOND: Side = Side(NonZeroU8::MIN.saturating_add(1));

    /// The side with this number; `None` if the number is 64 or more.
    pub const fn new(number: u8) -> Option<Side> {
        if number < MAX_SIDES {
            Some(Side(NonZeroU8::MIN.saturating_add(number)))
        } else {
            None
        }
    }

    /// The number of the side.
    pub const fn index(self) -> usize {
        (self.0.get() - 1) as usize
    }

    /// The next side in turn order, in a game of `sides` sides.
    #[inline]
    pub const fn next(self, sides: u8) -> Side {
        if self.0.get() >= sides {
            Side::FIRST
        } else {
            Side(self.0.saturating_add(1))
        }
    }

    /// The default symbol: x, o, a, b …
    pub const fn symbol(self) -> char {
        SYMBOLS[self.index()] as char
    }

    /// The side with this default symbol; `None` if no side has this symbol.
    pub fn from_symbol(symbol: char) -> Option<Side> {
        let at = SYMBOLS.iter().position(|&s| char::from(s) == symbol)?;
        Side::new(at as u8)
    }
}

impl fmt::Debug for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.symbol())
    }
}

/// A set of sides.
///
/// ```
/// use noughts_rules::{Side, Sides};
///
/// let both = Sides::first(2);
/// assert_eq!(both.without(Side::FIRST), Sides::only(Side::SECOND));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sides(u64);

impl Sides {
    /// The empty set.
    pub const NONE: Sides = Sides(0);

    /// The sides `0..count`.
    pub const fn first(count: u8) -> Sides {
        if count >= MAX_SIDES {
            Sides(u64::MAX)
        } else {
            Sides((1 << count) - 1)
        }
    }

    /// The set that contains only `side`.
    pub const fn only(side: Side) -> Sides {
        Sides(1 << side.index())
    }

    /// The set with `side` added.
    #[must_use]
    pub const fn with(self, side: Side) -> Sides {
        Sides(self.0 | 1 << side.index())
    }

    /// The set without `side`.
    #[must_use]
    pub const fn without(self, side: Side) -> Sides {
        Sides(self.0 & !(1 << side.index()))
    }

    /// The intersection.
    #[must_use]
    pub const fn and(self, other: Sides) -> Sides {
        Sides(self.0 & other.0)
    }

    /// Whether `side` is in the set.
    pub const fn contains(self, side: Side) -> bool {
        self.0 >> side.index() & 1 == 1
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of sides in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The sides in the set, lowest first.
    pub fn iter(self) -> impl Iterator<Item = Side> {
        (0..MAX_SIDES)
            .filter_map(Side::new)
            .filter(move |&s| self.contains(s))
    }
}

impl FromIterator<Side> for Sides {
    fn from_iter<I: IntoIterator<Item = Side>>(sides: I) -> Sides {
        sides.into_iter().fold(Sides::NONE, Sides::with)
    }
}

impl fmt::Debug for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_has_its_own_symbol() {
        for number in 0..MAX_SIDES {
            let side = Side::new(number).unwrap();
            assert_eq!(Side::from_symbol(side.symbol()), Some(side));
        }
        assert_eq!(Side::new(MAX_SIDES), None);
        assert_eq!(Side::from_symbol('.'), None);
        assert_eq!(Side::new(2).unwrap().symbol(), 'a');
        assert_eq!(Side::new(25).unwrap().symbol(), 'z');
        assert_eq!(Side::new(63).unwrap().symbol(), '#');
    }

    #[test]
    fn sixty_four_sides_fit_into_the_set() {
        let all = Sides::first(64);
        let last = Side::new(63).unwrap();
        assert_eq!(all.len(), 64);
        assert!(all.contains(last) && !all.without(last).contains(last));
        assert_eq!(all.without(last), Sides::first(63));
        assert_eq!(all.iter().collect::<Sides>(), all);
    }
}
