//! Matches between strategies with fixed seeds.

use noughts_arena::{Match, Score};

fn play(
    variant: &str,
    first: &str,
    second: &str,
    games: u32,
    (random_moves, seed): (u32, u64),
) -> Score {
    let played_match = Match {
        variant: variant.parse().unwrap(),
        first: first.parse().unwrap(),
        second: second.parse().unwrap(),
        games,
        random_moves,
        seed,
    };
    played_match.play(|_, _| ()).unwrap()
}

#[test]
fn search_beats_minimax_and_random_at_multi() {
    let score = play("multi", "search:50000n", "minimax:5", 200, (0, 1));
    assert!(score.mean() >= 0.8, "{score}");
    let score = play("multi", "search:50000n", "random", 200, (0, 1));
    assert_eq!(score.wins, 200, "{score}");
}

#[test]
fn search_beats_greedy_at_five_in_a_line() {
    // From the empty board greedy plays few different games.
    let score = play("15x15k5", "search:20000n", "greedy", 20, (0, 5_002));
    assert_eq!(score.wins, 20, "{score}");
    // After two random moves all games differ, and some start positions are bad.
    let score = play("15x15k5", "search:20000n", "greedy", 100, (2, 9_004));
    assert!(score.mean() > 0.95, "{score}");
}
