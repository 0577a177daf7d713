//! The search finds the values of the reference and known wins, and keeps its time limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts_engine::{
    Analysis, Budget, Clock, Decision, EngineSetup, GameValue, Random, Solver, Stop, StrategyName,
    SystemClock, Value, reference,
};
use noughts_rules::{Action, BoardState, Diagram, Game, Options, Seat, Side, Variant};

#[path = "shared/stopping_clock.rs"]
mod stopping_clock;

use stopping_clock::StoppingClock;

fn new_game(variant: &str) -> Game {
    Game::new(&variant.parse().unwrap(), Options::default()).unwrap()
}

fn from_text(variant: &str, position: &str) -> Game {
    let variant: Variant = variant.parse().unwrap();
    let diagram = Diagram::parse(&variant, position).unwrap();
    Game::from_diagram(&variant, Options::default(), diagram).unwrap()
}

fn choose(strategy: &str, game: &Game) -> Decision {
    let name: StrategyName = strategy.parse().unwrap();
    name.build(game, &EngineSetup::with_seed(7))
        .unwrap()
        .choose(game, &Stop::new())
}

/// The value as the reference returns it: see `Found::value`.
fn number(analysis: &Analysis) -> i32 {
    match analysis.value {
        Value::Win { plies } => 1_000_000 - plies as i32,
        Value::Loss { plies } => plies as i32 - 1_000_000,
        Value::Draw => 0,
        Value::Estimate(value) => value,
    }
}

/// A game that is not over after a random number of random plays.
fn random_game(variant: &str, order: Vec<Side>, random: &mut Random) -> Game {
    let variant: Variant = variant.parse().unwrap();
    loop {
        let options = Options {
            history: 0,
            order: order.clone(),
        };
        let mut game = Game::new(&variant, options).unwrap();
        for _ in 0..random.below(variant.cells()) {
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

fn agrees(variant: &str, order: &[usize], positions: usize, deepest: usize) {
    let order: Vec<Side> = order
        .iter()
        .map(|side| Side::new(*side as u8).unwrap())
        .collect();
    let mut random = Random::new(20_261_115);
    for number_of in 0..positions {
        let game = random_game(variant, order.clone(), &mut random);
        let depth = 1 + number_of % deepest;
        let analysis = choose(&format!("minimax:{depth}"), &game).analysis.unwrap();
        let slow = reference::minimax(&game, depth as u32);
        let position = game.diagram().format(game.variant());
        assert_eq!(
            number(&analysis),
            slow.value,
            "{variant} {position} to depth {depth}"
        );
        assert_eq!(
            reference::alpha_beta(&game, depth as u32).value,
            slow.value,
            "{variant} {position}"
        );
    }
}

#[test]
fn minimax_has_the_value_of_the_reference_on_multi() {
    agrees("multi", &[], 1_000, 5);
}

#[test]
fn minimax_has_the_value_of_the_reference_on_every_family() {
    for variant in [
        "3x3k3",
        "3x3k3+misere",
        "4x3k3+gravity",
        "4x4k3+exact",
        "5x4k4",
        "7x6k4+gravity",
        "ultimate",
        "3x3k3p3",
        "4x4k3p3+misere",
        "4x3k3p5",
    ] {
        agrees(variant, &[], 60, 3);
    }
    agrees("11x11k5", &[], 40, 2);
    agrees("6x6k5", &[], 30, 3);
    agrees("5x9k5", &[], 30, 2);
    agrees("6x6k5", &[0, 0, 1], 30, 3);
    agrees("3x3k3", &[0, 0, 1], 60, 4);
    agrees("4x4k3", &[0, 1, 1], 60, 3);
}

#[test]
fn three_sides_take_their_wins_and_block_the_next_players() {
    for (position, moves) in [
        // x has two in a line and completes it.
        ("xx../o.../a.o./..a. x", &["0-2"][..]),
        // o moves next and has two in a line, so x blocks.
        ("x.../oo../a.a./.x.. x", &["1-2"]),
        // x wins instead of blocking o.
        ("xx../oo../a.a./.... x", &["0-2"]),
        // o completes its column instead of blocking the column of a, who moves next.
        ("xa.x/.a.o/x..o/.... o", &["3-3"]),
    ] {
        let game = from_text("4x4k3p3", position);
        for strategy in ["greedy", "minimax:3", "search:20000n", "level:8"] {
            let at = game.variant().format_move(choose(strategy, &game).at);
            assert!(
                moves.contains(&at.as_str()),
                "{strategy} plays {at} in {position}"
            );
        }
    }
}

/// A clock that advances by 0.1 ms whenever it is read.
struct Steps(AtomicU64);

impl Clock for Steps {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(100, Ordering::Relaxed))
    }
}

#[test]
fn search_keeps_its_time_limit_in_every_variant() {
    for variant in [
        "3x3k3",
        "7x7k4",
        "15x15k5",
        "19x19k5",
        "7x6k4+gravity",
        "4x4k3p3",
        "multi",
        "ultimate",
    ] {
        let game = new_game(variant);
        let clock = Arc::new(Steps(AtomicU64::new(0)));
        let setup = EngineSetup {
            seed: 1,
            clock: clock.clone(),
        };
        let name: StrategyName = "search:50ms".parse().unwrap();
        let decision = name
            .build(&game, &setup)
            .unwrap()
            .choose(&game, &Stop::new());
        // The clock is read at least every 128 nodes, and once more at the end.
        let late = Duration::from_micros(clock.0.load(Ordering::Relaxed));
        assert!(late <= Duration::from_micros(50_300), "{variant}: {late:?}");
        assert!(game.legal().contains(&decision.at));
    }
}

#[test]
fn a_stopped_search_ends_within_600_nodes() {
    for variant in [
        "7x7k4",
        "15x15k5",
        "19x19k5+gravity",
        "multi",
        "ultimate",
        "5x5k4p3",
    ] {
        let game = new_game(variant);
        for strategy in ["search:1000s", "search:10000000000n", "minimax:30"] {
            let stop = Stop::new();
            let clock = StoppingClock::new(&stop);
            let setup = EngineSetup { seed: 1, clock };
            let name: StrategyName = strategy.parse().unwrap();
            let mut robot = name.build(&game, &setup).unwrap();
            // Without a time limit, a search does not read the clock between nodes, so set the stop before it starts.
            if !strategy.ends_with("1000s") {
                stop.set();
            }
            let decision = robot.choose(&game, &stop);
            assert!(
                game.legal().contains(&decision.at),
                "{strategy} on {variant}"
            );
            let nodes = decision.analysis.unwrap().nodes;
            assert!(
                nodes <= 600,
                "{strategy} on {variant} searched {nodes} more"
            );
        }
    }
}

#[test]
fn a_strategy_stopped_before_it_starts_plays_a_legal_move() {
    for variant in ["3x3k3", "4x4k4"] {
        let game = new_game(variant);
        for strategy in ["perfect", "mcts:100000000", "level:8", "greedy", "random"] {
            let stop = Stop::new();
            stop.set();
            let name: StrategyName = strategy.parse().unwrap();
            let mut robot = name.build(&game, &EngineSetup::with_seed(1)).unwrap();
            let decision = robot.choose(&game, &stop);
            assert!(
                game.legal().contains(&decision.at),
                "{strategy} on {variant}"
            );
            let nodes = decision.analysis.map_or(0, |analysis| analysis.nodes);
            assert!(
                nodes <= 600,
                "{strategy} on {variant} searched {nodes} more"
            );
        }
    }
}

#[test]
fn every_strategy_repeats_whole_games_of_every_variant() {
    for variant in [
        "3x3k3",
        "3x3k3+misere",
        "5x4k4+exact",
        "7x6k4+gravity",
        "9x9k5",
        "4x4k3p3",
        "3x3k3p3+misere",
        "4x4k3p5+gravity",
        "3x3k3p64",
        "multi",
        "multi@8",
        "ultimate",
    ] {
        for strategy in [
            "random",
            "first",
            "greedy",
            "minimax:2",
            "search:300n",
            "mcts:30",
            "level:1",
            "level:5",
        ] {
            let game = || {
                let mut game = new_game(variant);
                let name: StrategyName = strategy.parse().unwrap();
                let mut robot = name.build(&game, &EngineSetup::with_seed(3)).unwrap();
                while let Some(seat) = game.to_move() {
                    let at = robot.choose(&game, &Stop::new()).at;
                    game.act(seat, Action::Play(at)).unwrap();
                }
                game
            };
            assert_eq!(game().turns(), game().turns(), "{strategy} on {variant}");
        }
    }
}

#[test]
fn every_strategy_plays_on_the_largest_board() {
    let mut game = new_game("255x255k5");
    for strategy in ["greedy", "search:500n", "mcts:5", "level:3", "minimax:1"] {
        let decision = choose(strategy, &game);
        let seat = game.to_move().unwrap();
        game.act(seat, Action::Play(decision.at)).unwrap();
    }
    assert_eq!(game.plays().len(), 5);
}

#[test]
fn strategies_play_legal_moves_after_a_rewind() {
    let options = Options {
        history: 5,
        ..Options::default()
    };
    let mut game = Game::new(&"3x3k3".parse().unwrap(), options).unwrap();
    for (seat, text) in [(0, "0-0"), (1, "1-1"), (0, "0-1"), (1, "<<1"), (0, "<<1")] {
        let action = game.parse_action(text).unwrap();
        game.act(Seat(seat), action).unwrap();
    }
    // One x on the board, o to move.
    for strategy in [
        "perfect",
        "minimax:9",
        "search:100000n",
        "greedy",
        "mcts:500",
    ] {
        let decision = choose(strategy, &game);
        assert!(game.legal().contains(&decision.at), "{strategy}");
    }
    let value = choose("minimax:9", &game).analysis.unwrap().value;
    assert_eq!(value, Value::Draw);
}

#[test]
fn search_finds_the_wins_of_the_test_positions() {
    let text = include_str!("../../../testdata/positions/five-in-a-line.txt");
    let mut count = 0;
    // The first part describes the file.
    for case in text.split("\n\n").skip(1) {
        let mut lines = case.lines().filter(|line| !line.starts_with('#'));
        let to_move = lines.next().unwrap().strip_suffix(" to move").unwrap();
        let rows: Vec<String> = lines.map(|line| line.replace(' ', "")).collect();
        let position = format!("{} {to_move}", rows.join("/"));
        let game = from_text("15x15k5", &position);
        let analysis = choose("search:200000n", &game).analysis.unwrap();
        assert!(
            matches!(analysis.value, Value::Win { .. }),
            "{}\n{case}",
            analysis.value
        );
        count += 1;
    }
    assert_eq!(count, 10);
}

/// A random game with at most `free` free cells on open boards.
fn endgame(variant: &str, free: usize, random: &mut Random) -> Game {
    loop {
        let mut game = new_game(variant);
        while let Some(seat) = game.to_move() {
            let position = game.diagram();
            let boards = position.boards();
            let cells = position.marks.iter().enumerate();
            let is_free = |(at, mark): &(usize, &Option<Side>)| {
                mark.is_none() && boards[at / 9] == BoardState::Open
            };
            if cells.filter(is_free).count() <= free {
                return game;
            }
            let legal = game.legal();
            let at = legal[random.below(legal.len())];
            game.act(seat, Action::Play(at)).unwrap();
        }
    }
}

/// The exact value for the side to move.
fn exact_value(game: &Game) -> GameValue {
    let position = Some(game.diagram());
    let mut solver = Solver::new(game.variant(), position, Budget::default()).unwrap();
    let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
    found.value().unwrap()
}

#[test]
fn search_keeps_the_value_of_endgames_on_nine_boards() {
    let mut random = Random::new(20);
    for variant in ["multi", "ultimate"] {
        let mut seen = [0; 3];
        for _ in 0..25 {
            let mut game = endgame(variant, 20, &mut random);
            let before = exact_value(&game);
            let decision = choose("search:100000n", &game);
            let analysis = decision.analysis.unwrap();
            // The last step may count a few moves at once.
            assert!(analysis.nodes <= 100_100, "{}", analysis.nodes);
            seen[before as usize] += 1;
            match (before, analysis.value) {
                (GameValue::Win, Value::Win { .. } | Value::Estimate(90_000..))
                | (GameValue::Draw, Value::Draw)
                | (GameValue::Loss, _) => {}
                (_, value) => panic!("{before} is reported as {value}"),
            }
            let seat = game.to_move().unwrap();
            game.act(seat, Action::Play(decision.at)).unwrap();
            if game.to_move().is_some() {
                let kept = matches!(
                    (before, exact_value(&game)),
                    (GameValue::Win, GameValue::Loss)
                        | (GameValue::Draw, GameValue::Draw)
                        | (GameValue::Loss, GameValue::Win)
                );
                assert!(kept, "{variant}: the move does not keep the {before}");
            }
        }
        assert!(seen[1] > 0 && seen[2] > 0, "{variant} {seen:?}");
    }
}
