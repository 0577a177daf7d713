//! `count`, `nth` and `fold` of the move iterators are optimised; they must agree with `next`.

use noughts_rules::{AnyTimeline, Move, Rules, Variant, dispatch};

/// Every implementation, and every width of bit set.
const NAMES: [&str; 10] = [
    "3x3k3",
    "7x6k4+gravity",
    "10x10k5",
    "15x15k5",
    "22x22k5+gravity",
    "4x4k3p3",
    "multi",
    "ultimate",
    "30x20k5",
    "30x20k5p4+gravity",
];

fn one_after_the_other<R: Rules>(rules: &R, position: &R::Position) -> Vec<Move> {
    let mut moves = rules.moves(position);
    std::iter::from_fn(|| moves.next()).collect()
}

/// Compares the optimised methods with `next`, also after some moves have been taken.
fn check<R: Rules>(rules: &R, position: &R::Position) -> Vec<Move> {
    let all = one_after_the_other(rules, position);
    for taken in [0, 1, all.len() / 2, all.len()] {
        let rest = all.get(taken..).unwrap_or_default();
        let moves = || {
            let mut moves = rules.moves(position);
            moves.by_ref().take(taken).for_each(drop);
            moves
        };
        assert_eq!(moves().count(), rest.len());
        assert_eq!(moves().size_hint(), (rest.len(), Some(rest.len())));
        let mut folded = Vec::new();
        moves().for_each(|at| folded.push(at));
        assert_eq!(folded, rest);
        let some = (0..rest.len()).step_by(1 + rest.len() / 9);
        for n in some.chain([rest.len(), usize::MAX]) {
            let (mut ours, mut theirs) = (moves(), rest.iter().copied());
            assert_eq!(ours.nth(n), theirs.nth(n));
            assert_eq!(ours.next(), theirs.next());
        }
    }
    all
}

#[test]
fn optimised_iterator_methods_agree_with_next() {
    for name in NAMES {
        let variant: Variant = name.parse().unwrap();
        dispatch!(&AnyTimeline::new(&variant), timeline => {
            let rules = timeline.rules();
            for game in 1..=4 {
                let mut position = rules.start();
                for play in 0.. {
                    let moves = check(rules, &position);
                    if moves.is_empty() {
                        assert!(rules.outcome(&position).is_some());
                        break;
                    }
                    rules.play(&mut position, moves[play * game * 7 % moves.len()]);
                }
            }
        });
    }
}
