//! Perft: the number of move sequences, used to compare implementations of the same rules.

use std::hint::black_box;

use crate::place::Move;
use crate::rules::Rules;

/// The number of sequences of exactly `depth` legal moves from this position. Games that end earlier do not
/// count. The function also plays the last move of each sequence, because benchmarks measure the time of the
/// plays.
///
/// ```
/// use noughts_rules::{Grid, GridSpec, Rules, perft};
///
/// let rules = Grid::<u16, 2>::new(GridSpec::TIC_TAC_TOE).expect("3x3 fits into 16 bits");
/// assert_eq!(perft(&rules, &rules.start(), 5), 15_120);
/// ```
pub fn perft<R: Rules>(rules: &R, position: &R::Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => sum_after_each(rules, position, |last| {
            // Keeps the compiler from removing the last play, whose result is not used.
            black_box(last);
            1
        }),
        _ => sum_after_each(rules, position, |next| perft(rules, next, depth - 1)),
    }
}

/// Calls `count` with the position after each legal move, and returns the sum of the results.
#[inline(always)]
fn sum_after_each<R: Rules>(
    rules: &R,
    position: &R::Position,
    count: impl Fn(&R::Position) -> u64,
) -> u64 {
    let mut next = position.clone();
    let play = |at| {
        next.clone_from(position);
        rules.play(&mut next, at);
        count(&next)
    };
    rules.moves(position).map(play).sum()
}

/// The result of [`perft`] for each first move, to find where two implementations differ. Empty at depth 0.
pub fn divide<R: Rules>(rules: &R, position: &R::Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let count = |at| {
        let mut next = position.clone();
        rules.play(&mut next, at);
        (at, perft(rules, &next, rest))
    };
    rules.moves(position).map(count).collect()
}
