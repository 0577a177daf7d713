//! Counting move sequences: the number by which implementations of the same rules compare.

use std::hint::black_box;

use crate::place::Move;
use crate::rules::Rules;

/// How many sequences of exactly `depth` moves lead on from here. Every last move is played, none
/// multiplied out. A game that ends earlier counts nothing.
pub fn perft<R: Rules>(rules: &R, position: &R::Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => sum_after_each(rules, position, |last| {
            // Nobody looks at it: the compiler would be free to leave the play out.
            black_box(last);
            1
        }),
        _ => sum_after_each(rules, position, |next| perft(rules, next, depth - 1)),
    }
}

/// What `count` says of the position after each move, added up.
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

/// [`perft`] by the first move, for looking where two implementations differ. Nothing at depth 0.
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
