//! Sets of cells as bits of machine words.

use std::fmt::Debug;
use std::hash::Hash;

/// A set of bits with the numbers `0..WIDTH`. A shift drops the bits that leave the set. The distance of a
/// shift must be less than [`WIDTH`](Bits::WIDTH).
pub trait Bits: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The number of bits.
    const WIDTH: usize;
    /// Whether the set is a single integer, so that a shift is cheap. For a set of several integers,
    /// [`Grid`](crate::Grid) checks only the lines through the latest mark.
    const IS_WORD: bool;
    /// The empty set.
    const NONE: Self;

    /// The set that contains only this bit.
    fn one(bit: usize) -> Self;
    /// Whether this bit is set.
    fn has(self, bit: usize) -> bool;
    /// Whether no bit is set.
    fn is_none(self) -> bool;
    /// The intersection.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The union.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The difference: the bits of this set that are not in `other`.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// Shifts the set up: adds `by` to the number of every bit.
    #[must_use]
    fn up(self, by: usize) -> Self;
    /// Shifts the set down: subtracts `by` from the number of every bit.
    #[must_use]
    fn down(self, by: usize) -> Self;
    /// Removes and returns the lowest bit; `None` if the set is empty.
    fn pop(&mut self) -> Option<usize>;
    /// The number of bits that are set.
    fn count(self) -> usize;
    /// The set without its `count` lowest bits. If the set has fewer bits, the result is empty.
    #[must_use]
    fn without_lowest(self, count: usize) -> Self;
}

macro_rules! word {
    ($word:ty) => {
        impl Bits for $word {
            const WIDTH: usize = <$word>::BITS as usize;
            const IS_WORD: bool = true;
            const NONE: Self = 0;

            #[inline(always)]
            fn one(bit: usize) -> Self {
                1 << bit
            }
            #[inline(always)]
            fn has(self, bit: usize) -> bool {
                self >> bit & 1 != 0
            }
            #[inline(always)]
            fn is_none(self) -> bool {
                self == 0
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self & !other
            }
            #[inline(always)]
            fn up(self, by: usize) -> Self {
                self.wrapping_shl(by as u32)
            }
            #[inline(always)]
            fn down(self, by: usize) -> Self {
                self.wrapping_shr(by as u32)
            }
            #[inline(always)]
            fn pop(&mut self) -> Option<usize> {
                if *self == 0 {
                    return None;
                }
                let bit = self.trailing_zeros() as usize;
                *self &= *self - 1;
                Some(bit)
            }
            #[inline(always)]
            fn count(self) -> usize {
                self.count_ones() as usize
            }
            #[inline(always)]
            fn without_lowest(self, count: usize) -> Self {
                (0..count.min(Self::WIDTH)).fold(self, |left, _| left & left.wrapping_sub(1))
            }
        }
    };
}

word!(u16);
word!(u64);
word!(u128);

/// A set of `64 * N` bits, stored with the lowest word first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Wide(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// The word at index `at`, or 0 if there is no such word.
    #[inline(always)]
    fn word(&self, at: Option<usize>) -> u64 {
        at.and_then(|at| self.0.get(at)).copied().unwrap_or(0)
    }
}

impl<const N: usize> Bits for Wide<N> {
    const WIDTH: usize = 64 * N;
    const IS_WORD: bool = false;
    const NONE: Self = Wide([0; N]);

    #[inline(always)]
    fn one(bit: usize) -> Self {
        let mut bits = Self::NONE;
        bits.0[bit / 64] = 1 << (bit % 64);
        bits
    }

    #[inline(always)]
    fn has(self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    #[inline(always)]
    fn is_none(self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    fn up(self, by: usize) -> Self {
        let (words, bits) = (by / 64, by % 64);
        Wide(std::array::from_fn(|i| {
            let high = self.word(i.checked_sub(words)) << bits;
            match bits {
                0 => high,
                _ => high | self.word(i.checked_sub(words + 1)) >> (64 - bits),
            }
        }))
    }

    fn down(self, by: usize) -> Self {
        let (words, bits) = (by / 64, by % 64);
        Wide(std::array::from_fn(|i| {
            let low = self.word(Some(i + words)) >> bits;
            match bits {
                0 => low,
                _ => low | self.word(Some(i + words + 1)) << (64 - bits),
            }
        }))
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<usize> {
        let at = self.0.iter().position(|&word| word != 0)?;
        let bit = self.0[at].trailing_zeros() as usize;
        self.0[at] &= self.0[at] - 1;
        Some(64 * at + bit)
    }

    #[inline(always)]
    fn count(self) -> usize {
        self.0.iter().map(|word| word.count()).sum()
    }

    #[inline(always)]
    fn without_lowest(mut self, count: usize) -> Self {
        let mut left = count;
        for word in &mut self.0 {
            let count = left.min(word.count());
            *word = word.without_lowest(count);
            left -= count;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members<B: Bits>(mut bits: B) -> Vec<usize> {
        std::iter::from_fn(|| bits.pop()).collect()
    }

    fn check<B: Bits>() {
        let some: Vec<usize> = (0..B::WIDTH).filter(|bit| bit * bit % 7 == 2).collect();
        let bits = some.iter().fold(B::NONE, |bits, &bit| bits.or(B::one(bit)));
        assert_eq!(members(bits), some);
        assert!((0..B::WIDTH).all(|bit| bits.has(bit) == some.contains(&bit)));
        for by in [0, 1, 2, 13, 63, 64, 65, 127, 128, 200, 511]
            .into_iter()
            .filter(|&by| by < B::WIDTH)
        {
            let up: Vec<_> = some
                .iter()
                .map(|bit| bit + by)
                .filter(|&bit| bit < B::WIDTH)
                .collect();
            let down: Vec<_> = some.iter().filter_map(|bit| bit.checked_sub(by)).collect();
            assert_eq!(members(bits.up(by)), up, "up by {by}");
            assert_eq!(members(bits.down(by)), down, "down by {by}");
        }
        let odd = (0..B::WIDTH)
            .filter(|bit| bit % 2 == 1)
            .fold(B::NONE, |b, bit| b.or(B::one(bit)));
        assert!(members(bits.and(odd)).iter().all(|bit| bit % 2 == 1));
        assert!(members(bits.minus(odd)).iter().all(|bit| bit % 2 == 0));
        assert_eq!(bits.and(odd).or(bits.minus(odd)), bits);
        assert!(B::NONE.is_none() && !bits.is_none());
        assert_eq!((bits.count(), B::NONE.count()), (some.len(), 0));
        for count in 0..=some.len() {
            assert_eq!(members(bits.without_lowest(count)), some[count..]);
        }
        assert!(bits.without_lowest(usize::MAX).is_none());
    }

    #[test]
    fn every_width_agrees_with_a_list_of_numbers() {
        check::<u16>();
        check::<u64>();
        check::<u128>();
        check::<Wide<4>>();
        check::<Wide<8>>();
    }
}
