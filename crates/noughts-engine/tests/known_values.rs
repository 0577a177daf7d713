//! The values and moves of `search` and `perfect` are correct: compared with brute force in random late positions, with
//! every suffix.

use noughts_engine::{Decision, EngineSetup, Random, Stop, StrategyName, Value, reference};
use noughts_rules::{Action, Game, Options, Seat, Side, Variant};

/// A random game that is not over and has at most `free` free cells.
fn late_game(variant: &Variant, order: &[Side], free: usize, random: &mut Random) -> Game {
    loop {
        let options = Options {
            history: 0,
            order: order.to_vec(),
        };
        let mut game = Game::new(variant, options).unwrap();
        while let Some(seat) = game.to_move() {
            let legal = game.legal();
            if variant.cells() - game.plays().len() <= free {
                return game;
            }
            game.act(seat, Action::Play(legal[random.below(legal.len())]))
                .unwrap();
        }
    }
}

/// The exact value for the side to move: 1, 0 or -1.
fn exact_value(game: &Game) -> i32 {
    reference::alpha_beta(game, 81).value.signum()
}

/// The exact value after a move, for the side that made it. The game must have two sides that take turns.
fn value_after(game: &Game, decision: &Decision) -> i32 {
    let mut next = game.clone();
    let seat = game.to_move().unwrap();
    let side = game.order()[usize::from(seat.0)];
    next.act(seat, Action::Play(decision.at)).unwrap();
    match next.conclusion() {
        Some(noughts_rules::Conclusion::Won { sides, .. }) => {
            if sides.contains(side) {
                1
            } else {
                -1
            }
        }
        Some(_) => 0,
        None => -exact_value(&next),
    }
}

fn check(variant: &str, order: &[usize], strategy: &str, positions: usize, free: usize) {
    let variant: Variant = variant.parse().unwrap();
    let order: Vec<Side> = order
        .iter()
        .map(|side| Side::new(*side as u8).unwrap())
        .collect();
    let mut random = Random::new(15_112_026);
    for _ in 0..positions {
        let game = late_game(&variant, &order, free, &mut random);
        let name: StrategyName = strategy.parse().unwrap();
        let mut robot = name.build(&game, &EngineSetup::with_seed(1)).unwrap();
        let decision = robot.choose(&game, &Stop::new());
        let value = exact_value(&game);
        let place = format!(
            "{strategy} on {variant} {}",
            game.diagram().format(&variant)
        );
        match decision.analysis.as_ref().unwrap().value {
            Value::Win { .. } => assert_eq!(value, 1, "a win is claimed by {place}"),
            Value::Loss { .. } => assert_eq!(value, -1, "a loss is claimed by {place}"),
            Value::Draw => assert_eq!(value, 0, "a draw is claimed by {place}"),
            Value::Estimate(_) => {}
        }
        if game.order() == [Side::FIRST, Side::SECOND] {
            let at = variant.format_move(decision.at);
            assert_eq!(
                value_after(&game, &decision),
                value,
                "{at} is played by {place}"
            );
        }
    }
}

#[test]
fn search_finds_exact_values_and_best_moves_with_every_suffix() {
    for variant in [
        "3x3k3",
        "3x3k3+misere",
        "3x3k3+gravity",
        "4x3k3+exact",
        "3x4k3+exact",
        "4x4k3+exact",
        "5x4k3+exact",
        "4x3k3+misere+gravity",
        "5x4k4",
        "5x4k4+exact",
        "6x4k4+exact",
        "4x4k4+misere",
        "5x4k4+gravity",
    ] {
        check(variant, &[], "search:1000000n", 60, 7);
    }
}

#[test]
fn search_values_are_exact_for_one_side_against_all_others() {
    for variant in ["4x4k3p3", "4x4k3p3+exact", "4x3k3p4", "4x4k3p3+misere"] {
        check(variant, &[], "search:1000000n", 120, 6);
    }
    check("4x4k3", &[0, 0, 1], "search:1000000n", 120, 7);
    check("4x4k3", &[0, 1, 1], "search:1000000n", 120, 7);
}

#[test]
fn perfect_keeps_the_value_of_random_positions() {
    for variant in [
        "3x3k3",
        "3x3k3+misere",
        "3x3k3+gravity",
        "4x3k3",
        "4x3k3+exact",
        "3x4k3+exact",
        "4x3k3+misere",
        "3x4k4+gravity",
        "4x3k3+misere+gravity+exact",
        "4x4k3",
        "4x4k4",
    ] {
        check(variant, &[], "perfect", 200, 8);
    }
}

#[test]
fn perfect_keeps_the_value_of_positions_after_rewinds() {
    let variant: Variant = "3x3k3".parse().unwrap();
    let mut random = Random::new(3);
    for _ in 0..300 {
        let options = Options {
            history: 8,
            ..Options::default()
        };
        let mut game = Game::new(&variant, options).unwrap();
        for _ in 0..random.below(9) {
            let Some(Seat(seat)) = game.to_move() else {
                break;
            };
            let legal = game.legal();
            let back = random.below(3) as u16;
            let action = match random.below(3) {
                0 if game.check(Seat(seat), Action::Rewind(back)).is_ok() => Action::Rewind(back),
                _ => Action::Play(legal[random.below(legal.len())]),
            };
            game.act(Seat(seat), action).unwrap();
        }
        if game.to_move().is_none() {
            continue;
        }
        let name: StrategyName = "perfect".parse().unwrap();
        let mut robot = name.build(&game, &EngineSetup::with_seed(1)).unwrap();
        let decision = robot.choose(&game, &Stop::new());
        let position = game.diagram().format(&variant);
        assert_eq!(
            value_after(&game, &decision),
            exact_value(&game),
            "{position}"
        );
    }
}
