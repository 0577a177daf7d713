//! Random playouts, as Monte Carlo search uses them.

use std::hint::black_box;

use noughts_rules::{Outcome, Rules, Side};

/// Xorshift generator: reproducible games.
pub(crate) struct Random(u64);

impl Random {
    /// A number in `0..count`.
    #[inline]
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * count as u64) >> 32) as usize
    }
}

/// The results of several games.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub(crate) plays: u64,
    /// The number of games that the first side won.
    pub(crate) first_won: u64,
}

/// Plays reproducible random games.
pub(crate) fn tally(games: u32, mut play: impl FnMut(&mut Random, &mut Tally)) -> Tally {
    let (mut random, mut tally) = (Random(0x9e37_79b9_7f4a_7c15), Tally::default());
    for _ in 0..games {
        play(&mut random, &mut tally);
    }
    tally
}

/// Plays random games by the rules.
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
