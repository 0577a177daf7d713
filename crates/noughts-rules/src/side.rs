//! Who owns marks.

use std::fmt;
use std::num::NonZeroU8;

/// The most sides a game can have.
pub const MAX_SIDES: u8 = 64;

/// The letters of the sides, in turn order. Symbols are for people; the rules only know numbers.
const SYMBOLS: &[u8; MAX_SIDES as usize] =
    b"xoabcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#";

/// One owner of marks, `0..64`. Side 0 begins.
///
/// Kept as its number plus one, so that a cell, `Option<Side>`, is one byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side(NonZeroU8);

impl Side {
    /// The side that begins.
    pub const FIRST: Side = Side(NonZeroU8::MIN);
    /// The side that comes second.
    pub const SECOND: Side = Side(NonZeroU8::MIN.saturating_add(1));

    /// The side with this number, if there can be one: `0..64`.
    pub const fn new(number: u8) -> Option<Side> {
        if number < MAX_SIDES {
            Some(Side(NonZeroU8::MIN.saturating_add(number)))
        } else {
            None
        }
    }

    /// Its number, to index by.
    pub const fn index(self) -> usize {
        (self.0.get() - 1) as usize
    }

    /// The side whose turn comes after this one's, of `sides` in a circle.
    #[inline]
    pub const fn next(self, sides: u8) -> Side {
        if self.0.get() >= sides {
            Side::FIRST
        } else {
            Side(self.0.saturating_add(1))
        }
    }

    /// The letter that stands for it where nobody chose another: x, o, a, b …
    pub const fn symbol(self) -> char {
        SYMBOLS[self.index()] as char
    }

    /// The side that a letter stands for.
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sides(u64);

impl Sides {
    /// Nobody.
    pub const NONE: Sides = Sides(0);

    /// The sides `0..count`.
    pub const fn first(count: u8) -> Sides {
        if count >= MAX_SIDES {
            Sides(u64::MAX)
        } else {
            Sides((1 << count) - 1)
        }
    }

    /// This side alone.
    pub const fn only(side: Side) -> Sides {
        Sides(1 << side.index())
    }

    /// These and `side`.
    #[must_use]
    pub const fn with(self, side: Side) -> Sides {
        Sides(self.0 | 1 << side.index())
    }

    /// These but not `side`.
    #[must_use]
    pub const fn without(self, side: Side) -> Sides {
        Sides(self.0 & !(1 << side.index()))
    }

    /// Those that are in both sets.
    #[must_use]
    pub const fn and(self, other: Sides) -> Sides {
        Sides(self.0 & other.0)
    }

    /// Whether `side` is one of them.
    pub const fn contains(self, side: Side) -> bool {
        self.0 >> side.index() & 1 == 1
    }

    /// Whether there is nobody in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many they are.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Each of them, lowest first.
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
