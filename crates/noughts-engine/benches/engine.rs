//! How fast the robots think: `cargo xtask bench engine`.

use std::time::{Duration, Instant};

use noughts_engine::{Setup, Stop, StrategyName, twin};
use noughts_rules::{Action, Game, Options};

fn main() {
    whole_games_of_multi();
    time_to_depth();
    nodes_a_second();
}

fn new_game(variant: &str) -> Game {
    Game::new(&variant.parse().expect("a variant"), Options::default()).expect("a game")
}

fn strategy(name: &str, game: &Game) -> Box<dyn noughts_engine::Strategy> {
    let name: StrategyName = name.parse().expect("a strategy");
    name.build(game, &Setup::with_seed(1))
        .expect("it plays this")
}

/// `minimax:9` against itself from every first board.
fn whole_games_of_multi() {
    for depth in [7, 9, 11] {
        let (mut moves, mut nodes, mut slowest) = (0, 0, Duration::ZERO);
        let started = Instant::now();
        for board in 0..9 {
            let mut game = new_game(&format!("multi@{board}"));
            let mut robot = strategy(&format!("minimax:{depth}"), &game);
            while let Some(seat) = game.to_move() {
                let before = Instant::now();
                let decision = robot.choose(&game, &Stop::new());
                slowest = slowest.max(before.elapsed());
                nodes += decision.analysis.map_or(0, |analysis| analysis.nodes);
                moves += 1;
                game.act(seat, Action::Play(decision.at)).expect("legal");
            }
        }
        let taken = started.elapsed();
        println!(
            "minimax:{depth} on multi, 9 whole games: {:.2} ms a move, slowest {:.1} ms, {:.2} M nodes/s",
            taken.as_secs_f64() * 1e3 / f64::from(moves),
            slowest.as_secs_f64() * 1e3,
            nodes as f64 / taken.as_secs_f64() / 1e6,
        );
    }
}

/// To depth 9 from positions of one game, beside plain alpha-beta.
fn time_to_depth() {
    let mut game = new_game("multi@4");
    let mut mover = strategy("minimax:3", &game);
    let (mut ours, mut plain) = (Duration::ZERO, Duration::ZERO);
    let (mut our_nodes, mut plain_nodes) = (0, 0);
    for turn in 0..24 {
        let Some(seat) = game.to_move() else { break };
        if turn % 6 == 2 {
            let started = Instant::now();
            let decision = strategy("minimax:9", &game).choose(&game, &Stop::new());
            ours += started.elapsed();
            our_nodes += decision.analysis.map_or(0, |analysis| analysis.nodes);
            let started = Instant::now();
            plain_nodes += twin::alpha_beta(&game, 9).nodes;
            plain += started.elapsed();
        }
        let decision = mover.choose(&game, &Stop::new());
        game.act(seat, Action::Play(decision.at)).expect("legal");
    }
    println!(
        "multi to depth 9, 4 positions: {:.1} ms, {our_nodes} nodes; plain alpha-beta {:.1} ms, {plain_nodes} nodes; ratio {:.3}",
        ours.as_secs_f64() * 1e3,
        plain.as_secs_f64() * 1e3,
        ours.as_secs_f64() / plain.as_secs_f64(),
    );
}

fn nodes_a_second() {
    for variant in [
        "3x3k3",
        "7x7k4",
        "7x6k4+gravity",
        "15x15k5",
        "19x19k5",
        "4x4k3p3",
        "multi",
        "ultimate",
    ] {
        let mut game = new_game(variant);
        let mut mover = strategy("greedy", &game);
        for _ in 0..4 {
            if let Some(seat) = game.to_move() {
                let at = mover.choose(&game, &Stop::new()).at;
                game.act(seat, Action::Play(at)).expect("legal");
            }
        }
        let started = Instant::now();
        let decision = strategy("search:200000n", &game).choose(&game, &Stop::new());
        let taken = started.elapsed().as_secs_f64();
        let analysis = decision.analysis.expect("search tells");
        println!(
            "search:200000n on {variant}: {:.2} M nodes/s, depth {}, value {}",
            analysis.nodes as f64 / taken / 1e6,
            analysis.depth,
            analysis.value
        );
    }
}
