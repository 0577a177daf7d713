//! A search with several threads finds the values that one thread finds, and all threads end together.

use std::sync::Arc;

use noughts_engine::{
    Analysis, IterativeDeepening, Limits, Random, Stop, SystemClock, Value, analyze,
};
use noughts_rules::{Action, Diagram, Game, Options, Variant};

#[path = "shared/stopping_clock.rs"]
mod stopping_clock;

use stopping_clock::StoppingClock;

fn search(threads: usize, limits: Limits, game: &Game, stop: &Stop) -> Analysis {
    IterativeDeepening::new(limits, Arc::new(SystemClock::default()))
        .with_threads(threads)
        .analyze(game, stop)
}

/// A game that is not over after `plays` random plays.
fn random_game(variant: &str, plays: usize, random: &mut Random) -> Game {
    let variant: Variant = variant.parse().unwrap();
    loop {
        let mut game = Game::new(&variant, Options::default()).unwrap();
        for _ in 0..plays {
            let Some(seat) = game.to_move() else { break };
            let legal = game.legal();
            game.act(seat, Action::Play(legal[random.below(legal.len())]))
                .unwrap();
        }
        if game.to_move().is_some() {
            return game;
        }
    }
}

/// 1 for a win, 0 for a draw, -1 for a loss; `None` for an estimate.
fn result(value: Value) -> Option<i8> {
    match value {
        Value::Win { .. } => Some(1),
        Value::Draw => Some(0),
        Value::Loss { .. } => Some(-1),
        Value::Estimate(_) => None,
    }
}

#[test]
fn exact_values_are_the_same_for_any_number_of_threads() {
    let mut random = Random::new(20_261_116);
    let (some, more) = (
        "30000n".parse::<Limits>().unwrap(),
        "300000n".parse::<Limits>().unwrap(),
    );
    let mut count = 0;
    for (variant, plays) in [
        ("3x3k3", 2),
        ("4x4k3", 4),
        ("4x4k4", 8),
        ("4x4k3p3", 11),
        ("5x4k4", 12),
        ("4x4k3+misere", 9),
        ("5x4k4+gravity", 12),
        ("ultimate", 58),
        ("multi", 62),
    ] {
        for _ in 0..4 {
            let game = random_game(variant, plays, &mut random);
            let position = game.diagram().format(game.variant());
            let Some(one) = result(search(1, some, &game, &Stop::new()).value) else {
                continue;
            };
            for threads in [2, 5] {
                let many = search(threads, more, &game, &Stop::new());
                assert_eq!(result(many.value), Some(one), "{variant} {position}");
                assert!(game.legal().contains(&many.line[0]));
            }
            count += 1;
        }
    }
    assert!(
        count >= 20,
        "only {count} of 36 positions have an exact value"
    );
}

#[test]
fn two_threads_find_the_wins_of_the_test_positions() {
    let text = include_str!("../../../testdata/positions/five-in-a-line.txt");
    let variant: Variant = "15x15k5".parse().unwrap();
    for case in text.split("\n\n").skip(1) {
        let mut lines = case.lines().filter(|line| !line.starts_with('#'));
        let to_move = lines.next().unwrap().strip_suffix(" to move").unwrap();
        let rows: Vec<String> = lines.map(|line| line.replace(' ', "")).collect();
        let diagram = Diagram::parse(&variant, &format!("{} {to_move}", rows.join("/"))).unwrap();
        let game = Game::from_diagram(&variant, Options::default(), diagram).unwrap();
        let limits = "800000n".parse::<Limits>().unwrap();
        let analysis = search(2, limits, &game, &Stop::new());
        assert!(
            matches!(analysis.value, Value::Win { .. }),
            "{}\n{case}",
            analysis.value
        );
    }
}

#[test]
fn a_search_with_one_thread_equals_analyze() {
    let mut random = Random::new(5);
    for variant in ["15x15k5", "7x7k4", "ultimate", "4x4k3p3"] {
        let game = random_game(variant, 6, &mut random);
        let limits = "20000n".parse::<Limits>().unwrap();
        let clock = Arc::new(SystemClock::default());
        let usual = analyze(&game, limits, &Stop::new(), clock);
        let one = search(1, limits, &game, &Stop::new());
        assert_eq!(
            (usual.value, usual.line, usual.depth, usual.nodes),
            (one.value, one.line, one.depth, one.nodes),
            "{variant}"
        );
    }
}

#[test]
fn the_nodes_of_all_threads_are_counted_together() {
    let game = random_game("15x15k5", 4, &mut Random::new(3));
    let limits = "100000n".parse::<Limits>().unwrap();
    let nodes = search(4, limits, &game, &Stop::new()).nodes;
    assert!(nodes >= 100_000, "{nodes}");
}

#[test]
fn all_threads_end_when_the_search_is_stopped() {
    for variant in ["15x15k5", "19x19k5+gravity", "ultimate", "5x5k4p3"] {
        let game = random_game(variant, 3, &mut Random::new(1));
        let hour = "3600s".parse::<Limits>().unwrap();
        let stop = Stop::new();
        let clock = StoppingClock::new(&stop);
        // `analyze` returns when all threads have ended. Without the stop that takes an hour.
        let mut search = IterativeDeepening::new(hour, clock).with_threads(4);
        let at = search.analyze(&game, &stop).line[0];
        assert!(game.legal().contains(&at), "{variant}");
        let mut before =
            IterativeDeepening::new(hour, Arc::new(SystemClock::default())).with_threads(4);
        let at = before.analyze(&game, &stop).line[0];
        assert!(game.legal().contains(&at), "{variant}");
    }
}
