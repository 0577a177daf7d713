//! Random games to the end, as a search that plays them out asks the rules for them.

use std::hint::black_box;

use noughts_rules::{Outcome, Rules, Side};

/// Xorshift: the same games for everybody who starts from the same number.
pub(crate) struct Random(u64);

impl Random {
    /// One of `0..count`.
    #[inline]
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * count as u64) >> 32) as usize
    }
}

/// What some games came to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub(crate) plays: u64,
    /// How many games the side that began won.
    pub(crate) first_won: u64,
}

/// Plays so many games, the same ones every time.
pub(crate) fn tally(games: u32, mut play: impl FnMut(&mut Random, &mut Tally)) -> Tally {
    let (mut random, mut tally) = (Random(0x9e37_79b9_7f4a_7c15), Tally::default());
    for _ in 0..games {
        play(&mut random, &mut tally);
    }
    tally
}

/// So many games by the rules.
pub(crate) fn playouts<R: Rules>(rules: &R, start: &R::Position, games: u32) -> Tally {
    let mut position = start.clone();
    tally(games, |random, tally| {
        position.clone_from(black_box(start));
        playout(rules, &mut position, random, tally);
    })
}

fn playout<R: Rules>(
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
        let at = rules.moves(position).nth(random.below(count));
        rules.play(position, at.expect("a number below the count"));
        tally.plays += 1;
    }
    if let Some(Outcome::Won(sides)) = rules.outcome(position) {
        tally.first_won += u64::from(sides.contains(Side::FIRST));
    }
}
