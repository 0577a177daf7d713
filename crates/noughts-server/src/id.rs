//! Ids of games, players and nodes. They are random and cannot be guessed, except the ids of a seeded [`IdSource`].

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use noughts_engine::Random;

/// A game's id in the store, in links and in logs: 128 bits, written as 26 letters and digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(u128);

/// A player's id. It is public and has the same form as a game's id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(u128);

/// The digits and letters of ids: Crockford's base 32, without `i`, `l` and `o`, which look like digits, and without
/// `u`.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The value of each digit or letter of an id, by its ASCII code; [`NO_DIGIT`] for all other bytes.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < LETTERS.len() {
        digits[LETTERS[digit] as usize] = digit as u8;
        digit += 1;
    }
    digits
};

const NO_DIGIT: u8 = u8::MAX;

/// Number of digits and letters of an id: an id has 128 bits, and each digit or letter stands for five bits.
const LENGTH: usize = 26;

impl GameId {
    /// The id with this number.
    pub const fn new(number: u128) -> GameId {
        GameId(number)
    }

    /// The number of this id.
    pub const fn number(self) -> u128 {
        self.0
    }
}

impl PlayerId {
    /// The id with this number.
    pub const fn new(number: u128) -> PlayerId {
        PlayerId(number)
    }

    /// The number of this id.
    pub const fn number(self) -> u128 {
        self.0
    }
}

/// Writes 128 bits as letters and digits.
fn write_letters(number: u128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let letter = |i: usize| LETTERS[(number >> (5 * (LENGTH - 1 - i))) as usize & 31];
    let letters: [u8; LENGTH] = std::array::from_fn(letter);
    f.write_str(std::str::from_utf8(&letters).map_err(|_| fmt::Error)?)
}

fn read_letters(text: &str) -> Option<u128> {
    if text.len() != LENGTH {
        return None;
    }
    let mut number = 0u128;
    for letter in text.bytes() {
        let digit = DIGITS[usize::from(letter)];
        if digit == NO_DIGIT {
            return None;
        }
        // The first digit has only three bits: 25 digits of five bits follow.
        if number >> 123 != 0 {
            return None;
        }
        number = number << 5 | u128::from(digit);
    }
    Some(number)
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_letters(self.0, f)
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_letters(self.0, f)
    }
}

impl fmt::Debug for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlayerId({self})")
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameId({self})")
    }
}

impl FromStr for GameId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<GameId, InvalidId> {
        read_letters(text).map(GameId).ok_or(InvalidId::Game)
    }
}

impl FromStr for PlayerId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<PlayerId, InvalidId> {
        read_letters(text).map(PlayerId).ok_or(InvalidId::Player)
    }
}

/// A hasher for maps by game id. Ids are random, so they need no strong hash.
pub(crate) type IdHash = BuildHasherDefault<IdHasher>;

/// Hashes the lower half of an id.
#[derive(Clone, Default, Debug)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write_u128(&mut self, number: u128) {
        // Fibonacci hashing, because tests use small ids that are not random.
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

/// The text is not an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvalidId {
    /// The text is not the id of a game.
    Game,
    /// The text is not the id of a player.
    Player,
    /// The text is not the id of a waiting player.
    Waiting,
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = match self {
            InvalidId::Game => "game",
            InvalidId::Player => "player",
            InvalidId::Waiting => "waiting player",
        };
        write!(f, "a {owner}'s id is {LENGTH} small letters and digits")
    }
}

impl std::error::Error for InvalidId {}

/// The id of a server process. A process gets a new id at each start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u64);

impl GameId {
    /// A new id of 128 random bits.
    pub fn random() -> GameId {
        GameId(u128::from_ne_bytes(random_bytes()))
    }
}

/// Creates the ids of a server: at random, or from a seed.
#[derive(Debug, Default)]
pub struct IdSource(Option<Mutex<Random>>);

impl IdSource {
    /// Ids computed from a seed, for simulations. They can be guessed.
    pub fn seeded(seed: u64) -> IdSource {
        IdSource(Some(Mutex::new(Random::new(seed))))
    }

    /// A new id for a game.
    pub fn game(&self) -> GameId {
        GameId(self.number())
    }

    /// A new id for a player.
    pub fn player(&self) -> PlayerId {
        PlayerId(self.number())
    }

    pub(crate) fn node(&self) -> NodeId {
        NodeId(self.number() as u64)
    }

    pub(crate) fn number(&self) -> u128 {
        let Some(random) = &self.0 else {
            return u128::from_ne_bytes(random_bytes());
        };
        // The generator is valid even if a panic has poisoned its lock.
        let mut random = random.lock().unwrap_or_else(PoisonError::into_inner);
        u128::from(random.draw()) << 64 | u128::from(random.draw())
    }
}

/// Bytes of the system's random number generator.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // This fails only if the system has no random number generator.
    getrandom::fill(&mut bytes).expect("the system has a random number generator");
    bytes
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
            let player = PlayerId::new(number);
            assert_eq!(player.to_string(), id.to_string());
            assert_eq!(player.to_string().parse(), Ok(player));
        }
        assert_eq!(GameId::new(33).to_string(), "00000000000000000000000011");
    }

    #[test]
    fn invalid_ids_are_refused() {
        for text in [
            "",
            "0",
            "0000000000000000000000000u",
            "80000000000000000000000000",
        ] {
            assert_eq!(text.parse::<GameId>(), Err(InvalidId::Game), "{text}");
            assert_eq!(text.parse::<PlayerId>(), Err(InvalidId::Player), "{text}");
        }
        assert!("7zzzzzzzzzzzzzzzzzzzzzzzzz".parse::<GameId>().is_ok());
    }

    #[test]
    fn invalid_id_names_its_owner() {
        for (error, text) in [
            (
                InvalidId::Game,
                "a game's id is 26 small letters and digits",
            ),
            (
                InvalidId::Player,
                "a player's id is 26 small letters and digits",
            ),
            (
                InvalidId::Waiting,
                "a waiting player's id is 26 small letters and digits",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn random_ids_differ() {
        let ids: std::collections::HashSet<GameId> =
            (0..10_000).map(|_| GameId::random()).collect();
        assert_eq!(ids.len(), 10_000);
    }
}
