//! Random games to the end, as a search that plays out would ask the rules for them.

use std::hint::black_box;

use noughts_rules::{Outcome, Rules, Side};

/// Xorshift: the same games for everybody who starts from the same number.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// One of `0..count`.
    #[inline]
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) * count as u64 >> 32) as usize
    }
}

/// What some games came to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub(crate) plays: u64,
    /// How many games the side that began won.
    pub(crate) first_won: u64,
}

/// Plays at random to the end.
pub(crate) fn playout<R: Rules>(
    rules: &R,
    position: &mut R::Position,
    random: &mut Random,
    tally: &mut Tally,
) {
    loop {
        let count = rules.moves(position).count();
        if count == 0 {
            break;
        }
        let Some(at) = rules.moves(position).nth(random.below(count)) else {
            unreachable!("a number below the count of moves")
        };
        rules.play(position, at);
        tally.plays += 1;
    }
    if let Some(Outcome::Won(sides)) = rules.outcome(black_box(position)) {
        tally.first_won += u64::from(sides.contains(Side::FIRST));
    }
}
