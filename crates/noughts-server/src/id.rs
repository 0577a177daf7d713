//! Names of games that nobody can guess.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// A game's name in the store, in links and in logs: 128 bits, written as 26 letters and digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(u128);

/// Without the letters that are taken for digits when read aloud (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// 128 bits, five a letter.
const LENGTH: usize = 26;

impl GameId {
    /// The one with this number.
    pub const fn new(number: u128) -> GameId {
        GameId(number)
    }

    /// Its number.
    pub const fn number(self) -> u128 {
        self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter =
            |i: usize| char::from(LETTERS[(self.0 >> (5 * (LENGTH - 1 - i))) as usize & 31]);
        f.write_str(&(0..LENGTH).map(letter).collect::<String>())
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameId({self})")
    }
}

impl FromStr for GameId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<GameId, NotAnId> {
        if text.len() != LENGTH {
            return Err(NotAnId);
        }
        let mut number = 0u128;
        for letter in text.bytes() {
            let digit = LETTERS.iter().position(|l| *l == letter).ok_or(NotAnId)?;
            // The first letter has room for three bits only.
            if number >> 123 != 0 {
                return Err(NotAnId);
            }
            number = number << 5 | digit as u128;
        }
        Ok(GameId(number))
    }
}

/// For maps of games by name: their names were drawn here, so there is no need to mix them again.
pub(crate) type Drawn = BuildHasherDefault<DrawnHasher>;

/// Half of a name that was drawn.
#[derive(Clone, Default, Debug)]
pub(crate) struct DrawnHasher(u64);

impl Hasher for DrawnHasher {
    fn write_u128(&mut self, number: u128) {
        // An odd number near 2^64 / 1.618 carries low bits upwards, for small names in tests.
        self.0 = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u128(u128::from(self.0.rotate_left(8) ^ u64::from(*byte)));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The text is no name of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAnId;

impl fmt::Display for NotAnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a game's id is {LENGTH} small letters and digits")
    }
}

impl std::error::Error for NotAnId {}

/// A process that serves tables, while it runs: another id with each start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u64);

/// Where new ids come from.
///
/// A keyed hash of a counter, its two keys drawn from the system's randomness as the standard
/// library's hash maps draw theirs: no id tells anything about the next.
#[derive(Debug, Default)]
pub struct Ids {
    keys: [RandomState; 2],
    count: AtomicU64,
}

impl Ids {
    /// One that was never given before.
    pub fn draw(&self) -> GameId {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let [high, low] = [0, 1].map(|i: usize| u128::from(self.keys[i].hash_one(count)));
        GameId(high << 64 | low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        for number in [0, 1, 31, 32, u128::MAX, u128::MAX / 3] {
            let id = GameId::new(number);
            assert_eq!(id.to_string().len(), 26);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert_eq!(GameId::new(33).to_string(), "00000000000000000000000011");
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in [
            "",
            "0",
            "0000000000000000000000000u",
            "80000000000000000000000000",
        ] {
            assert_eq!(text.parse::<GameId>(), Err(NotAnId), "{text}");
        }
        assert!("7zzzzzzzzzzzzzzzzzzzzzzzzz".parse::<GameId>().is_ok());
    }

    #[test]
    fn no_id_is_given_twice() {
        let ids = Ids::default();
        let drawn: std::collections::HashSet<GameId> = (0..10_000).map(|_| ids.draw()).collect();
        assert_eq!(drawn.len(), 10_000);
        assert_ne!(Ids::default().draw(), Ids::default().draw());
    }
}
