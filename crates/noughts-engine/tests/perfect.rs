//! `perfect` never makes the result worse, tested against every reply of the opponent.

use std::collections::HashSet;

use noughts_engine::{
    Budget, EngineSetup, GameValue, Random, Solver, Stop, Strategy, StrategyName, SystemClock,
};
use noughts_rules::{Action, Conclusion, Diagram, Game, Options, Side, Variant};

struct Walk {
    robot: Box<dyn Strategy>,
    /// The side that the robot plays.
    side: Side,
    seen: HashSet<Diagram>,
    wins: usize,
    draws: usize,
}

impl Walk {
    /// Plays the robot against every reply. Each position is visited once.
    fn against_every_reply(variant: &str, side: Side) -> Walk {
        let game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
        let name: StrategyName = "perfect".parse().unwrap();
        let robot = name.build(&game, &EngineSetup::with_seed(1)).unwrap();
        let mut walk = Walk {
            robot,
            side,
            seen: HashSet::new(),
            wins: 0,
            draws: 0,
        };
        walk.visit(&game);
        walk
    }

    fn visit(&mut self, game: &Game) {
        if !self.seen.insert(game.diagram()) {
            return;
        }
        match game.conclusion() {
            Some(Conclusion::Won { sides, .. }) => {
                assert!(
                    sides.contains(self.side),
                    "lost in\n{}",
                    game.diagram().draw(game.variant())
                );
                self.wins += 1;
                return;
            }
            Some(Conclusion::Draw { .. }) => {
                self.draws += 1;
                return;
            }
            Some(Conclusion::Abandoned | Conclusion::Aborted) => unreachable!("no player leaves"),
            None => {}
        }
        let seat = game.to_move().unwrap();
        let moves = if game.order()[usize::from(seat.0)] == self.side {
            vec![self.robot.choose(game, &Stop::new()).at]
        } else {
            game.legal()
        };
        for at in moves {
            let mut next = game.clone();
            next.act(seat, Action::Play(at)).unwrap();
            self.visit(&next);
        }
    }
}

fn never_loses(variant: &str) {
    for side in [Side::FIRST, Side::SECOND] {
        let walk = Walk::against_every_reply(variant, side);
        assert!(walk.wins + walk.draws > 0);
    }
}

#[test]
fn perfect_never_loses_tic_tac_toe() {
    never_loses("3x3k3");
}

#[test]
fn perfect_never_loses_the_misere_game() {
    never_loses("3x3k3+misere");
}

#[test]
fn perfect_never_loses_4x4k4() {
    never_loses("4x4k4");
}

#[test]
fn perfect_wins_4x3k3_and_4x4k3_against_every_defence() {
    for variant in ["4x3k3", "4x4k3"] {
        let walk = Walk::against_every_reply(variant, Side::FIRST);
        assert_eq!(walk.draws, 0, "{variant}");
        assert!(walk.wins > 0);
    }
}

/// Wins, draws and losses of `perfect` in six games against random moves.
fn outcomes(variant: &str, side: Side) -> [usize; 3] {
    let mut random = Random::new(66);
    let mut counts = [0; 3];
    for _ in 0..6 {
        let mut game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
        let name: StrategyName = "perfect".parse().unwrap();
        let mut robot = name.build(&game, &EngineSetup::with_seed(1)).unwrap();
        while let Some(seat) = game.to_move() {
            let legal = game.legal();
            let at = if game.order()[usize::from(seat.0)] == side {
                robot.choose(&game, &Stop::new()).at
            } else {
                legal[random.below(legal.len())]
            };
            game.act(seat, Action::Play(at)).unwrap();
        }
        match game.conclusion() {
            Some(Conclusion::Won { sides, .. }) if sides.contains(side) => counts[0] += 1,
            Some(Conclusion::Won { .. }) => counts[2] += 1,
            Some(_) | None => counts[1] += 1,
        }
    }
    counts
}

#[test]
fn perfect_keeps_the_value_of_larger_boards() {
    for variant in ["6x5k4", "7x6k4", "7x7k4"] {
        assert_eq!(outcomes(variant, Side::FIRST), [6, 0, 0], "{variant}");
    }
    // The second player wins on 6x4 with gravity.
    assert_eq!(outcomes("6x4k4+gravity", Side::SECOND), [6, 0, 0]);
    for variant in ["5x5k4", "6x6k5", "7x4k4", "8x8k6", "6x5k4+gravity"] {
        assert_eq!(outcomes(variant, Side::SECOND)[2], 0, "{variant}");
    }
}

#[test]
fn perfect_refuses_other_games_and_turn_orders() {
    for variant in [
        "15x15k5",
        "multi",
        "3x3k3p3",
        "7x7k5",
        "8x4k4",
        "8x8k5",
        "9x9k6",
        "4x4k4+misere",
        "7x6k5+gravity",
        "8x6k4+gravity",
        "6x7k4+gravity",
    ] {
        let game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
        let name: StrategyName = "perfect".parse().unwrap();
        let refusal = name
            .build(&game, &EngineSetup::with_seed(1))
            .err()
            .unwrap()
            .to_string();
        assert!(
            refusal.starts_with("perfect does not play this game: it solves"),
            "{refusal}"
        );
    }
    let order = [0, 0, 1].map(|side| Side::new(side).unwrap()).to_vec();
    let game = Game::new(&"3x3k3".parse().unwrap(), Options { history: 0, order }).unwrap();
    let name: StrategyName = "perfect".parse().unwrap();
    assert!(name.build(&game, &EngineSetup::with_seed(1)).is_err());
}

/// Plays games of Connect Four between `perfect` on this side and an opponent whose first moves are random. Returns
/// wins, draws and losses of `perfect`. Asserts that in every lost game all positions of `perfect` were lost.
fn play_connect_four(opponent: &str, side: Side, games: u64) -> [usize; 3] {
    let variant = "7x6k4+gravity".parse().unwrap();
    let mut counts = [0; 3];
    for seed in 0..games {
        let mut game = Game::new(&variant, Options::default()).unwrap();
        let mut random = Random::new(seed);
        let build = |name: &str| {
            let name: StrategyName = name.parse().unwrap();
            name.build(&game, &EngineSetup::with_seed(seed)).unwrap()
        };
        let (mut perfect, mut other) = (build("perfect"), build(opponent));
        let random_moves = random.below(6);
        let (mut moves, mut positions) = (0, Vec::new());
        while let Some(seat) = game.to_move() {
            let legal = game.legal();
            let at = if game.order()[usize::from(seat.0)] == side {
                positions.push(game.diagram());
                perfect.choose(&game, &Stop::new()).at
            } else if moves < random_moves {
                moves += 1;
                legal[random.below(legal.len())]
            } else {
                other.choose(&game, &Stop::new()).at
            };
            game.act(seat, Action::Play(at)).unwrap();
        }
        match game.conclusion() {
            Some(Conclusion::Won { sides, .. }) if sides.contains(side) => counts[0] += 1,
            Some(Conclusion::Won { .. }) => {
                counts[2] += 1;
                assert_all_lost(&variant, &positions);
            }
            Some(_) | None => counts[1] += 1,
        }
    }
    counts
}

/// Asserts that all of these positions are lost according to the solver.
fn assert_all_lost(variant: &Variant, positions: &[Diagram]) {
    let mut solver = Solver::new(variant, None, Budget::default()).unwrap();
    for diagram in positions {
        solver.set_position(diagram.clone()).unwrap();
        let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
        assert_eq!(
            found.value(),
            Some(GameValue::Loss),
            "{}",
            diagram.format(variant)
        );
    }
}

#[test]
fn perfect_wins_connect_four_as_first_player_and_keeps_every_value_as_second() {
    for (opponent, games) in [("random", 10), ("mcts:200", 5), ("search:2000n", 5)] {
        let counts = play_connect_four(opponent, Side::FIRST, games);
        assert_eq!(counts, [games as usize, 0, 0], "{opponent}");
        play_connect_four(opponent, Side::SECOND, games);
    }
}

#[test]
#[ignore = "takes minutes"]
fn perfect_wins_a_thousand_games_of_connect_four() {
    for (opponent, games) in [("random", 300), ("mcts:200", 350), ("search:2000n", 350)] {
        let first = play_connect_four(opponent, Side::FIRST, games);
        let second = play_connect_four(opponent, Side::SECOND, games);
        println!("{opponent}: first {first:?}, second {second:?}");
        assert_eq!(first, [games as usize, 0, 0], "{opponent}");
    }
}
