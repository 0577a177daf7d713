//! Speed of the strategies: `cargo xtask bench engine`.
//!
//! Without arguments, all benches run. With `threads`, only the comparison of one and two threads runs. `--once NAME`
//! runs one workload once, so that a caller can count its instructions. `--workloads` lists the names.

use std::sync::Arc;
use std::time::{Duration, Instant};

use noughts_engine::{
    Analysis, EngineSetup, IterativeDeepening, Limits, Stop, Strategy, StrategyName, SystemClock,
    reference,
};
use noughts_rules::{Action, Game, Options, Place};

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--workloads"] => WORKLOADS.iter().for_each(|(name, _, _)| println!("{name}")),
        ["--once", "nothing"] => println!("0"),
        ["--once", name] => {
            let found = WORKLOADS.iter().find(|(workload, _, _)| *workload == name);
            let (_, strategy, variant) = found.expect("a name that --workloads lists");
            let nodes = match strategy.strip_prefix("plain:") {
                Some(depth) => {
                    reference::alpha_beta(&opened(variant), depth.parse().expect("a depth")).nodes
                }
                None => think(strategy, &opened(variant)).nodes,
            };
            println!("{nodes}");
        }
        ["threads"] => two_threads(),
        _ => {
            whole_games();
            compare_with_plain_alpha_beta();
            depth_in_time();
            nodes_per_second();
            random_games_per_second();
            time_limit_overrun();
            two_threads();
        }
    }
}

/// Workloads for counting instructions: name, strategy and variant. `plain:N` is alpha-beta to depth N without a table
/// and without move ordering.
const WORKLOADS: [(&str, &str, &str); 6] = [
    ("minimax-multi", "minimax:9", "multi@4"),
    ("plain-minimax-multi", "plain:9", "multi@4"),
    ("search-multi", "search:200000n", "multi@4"),
    ("search-ultimate", "search:100000n", "ultimate@4"),
    ("search-7x7k4", "search:50000n", "7x7k4"),
    ("search-15x15k5", "search:20000n", "15x15k5"),
];

fn new_game(variant: &str) -> Game {
    Game::new(&variant.parse().expect("a variant"), Options::default()).expect("a game")
}

fn robot(name: &str, game: &Game) -> Box<dyn Strategy> {
    let name: StrategyName = name.parse().expect("a strategy");
    name.build(game, &EngineSetup::with_seed(1))
        .expect("it plays this")
}

fn think(name: &str, game: &Game) -> Analysis {
    let decision = robot(name, game).choose(game, &Stop::new());
    decision
        .analysis
        .expect("this strategy tells what it found")
}

/// A game after four plays of `greedy`.
fn opened(variant: &str) -> Game {
    let mut game = new_game(variant);
    let mut greedy = robot("greedy", &game);
    for _ in 0..4 {
        if let Some(seat) = game.to_move() {
            let at = greedy.choose(&game, &Stop::new()).at;
            game.act(seat, Action::Play(at)).expect("legal");
        }
    }
    game
}

/// Plays `minimax:N` against itself on Multi, nine games for each N: one for each board on which the first mark may be.
/// Goal: 10 ms per move with depth 9.
fn whole_games() {
    println!("minimax:N on multi, nine whole games");
    for depth in [5, 7, 9, 11] {
        let (mut moves, mut nodes, mut slowest) = (0u32, 0, Duration::ZERO);
        let started = Instant::now();
        for board in 0..9 {
            let mut game = new_game(&format!("multi@{board}"));
            let mut minimax = robot(&format!("minimax:{depth}"), &game);
            while let Some(seat) = game.to_move() {
                let before = Instant::now();
                let decision = minimax.choose(&game, &Stop::new());
                slowest = slowest.max(before.elapsed());
                nodes += decision.analysis.map_or(0, |analysis| analysis.nodes);
                moves += 1;
                game.act(seat, Action::Play(decision.at)).expect("legal");
            }
        }
        let taken = started.elapsed().as_secs_f64();
        assert!(
            (9 * 25..=9 * 81).contains(&moves),
            "whole games have other lengths: {moves}"
        );
        println!(
            "  minimax:{depth:<3} {:8.2} ms per move, slowest {:7.1} ms, {:6.2} M nodes/s, {moves} moves",
            taken * 1e3 / f64::from(moves),
            slowest.as_secs_f64() * 1e3,
            nodes as f64 / taken / 1e6,
        );
    }
}

/// Compares `minimax:9` with a plain alpha-beta to depth 9, in positions of one game. The plain alpha-beta has no table
/// and no move ordering. Goal: a tenth of its time.
fn compare_with_plain_alpha_beta() {
    let mut game = new_game("multi@4");
    let mut mover = robot("minimax:3", &game);
    let mut positions = Vec::new();
    for turn in 0..24 {
        let Some(seat) = game.to_move() else { break };
        if turn % 6 == 2 {
            positions.push(game.clone());
        }
        let at = mover.choose(&game, &Stop::new()).at;
        game.act(seat, Action::Play(at)).expect("legal");
    }
    let mut ratios = Vec::new();
    let (mut nodes, mut plain_nodes) = (0, 0);
    for _ in 0..5 {
        let (mut ours, mut plain) = (Duration::ZERO, Duration::ZERO);
        (nodes, plain_nodes) = (0, 0);
        for game in &positions {
            let started = Instant::now();
            let analysis = think("minimax:9", game);
            ours += started.elapsed();
            let started = Instant::now();
            let found = reference::alpha_beta(game, 9);
            plain += started.elapsed();
            nodes += analysis.nodes;
            plain_nodes += found.nodes;
        }
        ratios.push(ours.as_secs_f64() / plain.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "multi to depth 9, {} positions: {:.3} of the time of plain alpha-beta ({:.3}..{:.3}), {nodes} nodes to {plain_nodes}",
        positions.len(),
        ratios[2],
        ratios[0],
        ratios[4],
    );
}

fn depth_in_time() {
    for variant in ["multi@4", "ultimate@4", "7x7k4", "15x15k5"] {
        let analysis = think("search:100ms", &opened(variant));
        println!("depth in 100 ms on {variant}: {}", analysis.depth);
    }
}

fn nodes_per_second() {
    println!("search:200000n after four plays");
    for variant in [
        "7x7k4",
        "7x6k4+gravity",
        "15x15k5",
        "19x19k5",
        "5x5k4p3",
        "multi",
        "ultimate",
    ] {
        let game = opened(variant);
        let started = Instant::now();
        let analysis = think("search:200000n", &game);
        let rate = analysis.nodes as f64 / started.elapsed().as_secs_f64() / 1e6;
        println!(
            "  {variant:14} {rate:6.2} M nodes/s, depth {:2}, {}",
            analysis.depth, analysis.value
        );
    }
}

fn random_games_per_second() {
    println!("mcts:20000 after four plays");
    for variant in ["3x3k3", "7x7k4", "15x15k5", "multi", "ultimate"] {
        let game = opened(variant);
        if game.to_move().is_none() {
            continue;
        }
        let started = Instant::now();
        let at = robot("mcts:20000", &game).choose(&game, &Stop::new()).at;
        assert!(game.legal().contains(&at));
        let rate = 20.0 / started.elapsed().as_secs_f64();
        println!("  {variant:14} {rate:6.1} thousand random games/s");
    }
}

/// Measures about 200 moves with a time limit of 50 ms. Goal: 99 % of the moves end at most 20 ms late.
fn time_limit_overrun() {
    let mut late = Vec::new();
    for variant in [
        "7x7k4",
        "15x15k5",
        "19x19k5",
        "7x6k4+gravity",
        "multi",
        "ultimate",
    ] {
        let mut game = new_game(variant);
        let mut search = robot("search:50ms", &game);
        for _ in 0..34 {
            if game.to_move().is_none() {
                game = new_game(variant);
            }
            let Some(seat) = game.to_move() else { break };
            let started = Instant::now();
            let at = search.choose(&game, &Stop::new()).at;
            late.push(started.elapsed().saturating_sub(Duration::from_millis(50)));
            game.act(seat, Action::Play(at)).expect("legal");
        }
    }
    late.sort();
    let at = |share: usize| late[(late.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!(
        "search:50ms, {} moves: {:.1} ms late at the median, {:.1} ms at the 99th percentile, {:.1} ms at most",
        late.len(),
        at(50),
        at(99),
        at(100)
    );
}

/// Openings of games at 15x15k5.
const OPENINGS: [&str; 7] = [
    "7-8 6-10 8-12 6-7 4-8 7-7 6-8 5-8",
    "6-5 4-4 8-3 4-3 2-5 7-7 6-4 4-5",
    "6-7 6-8 4-9 6-6 8-7 7-7 7-8 8-6",
    "9-5 9-6 10-5 11-6 11-7 10-6 8-6 7-7",
    "6-6 8-7 10-9 7-4 11-9 7-7 10-8 7-6",
    "9-9 7-10 5-12 10-8 9-10 7-7 8-9 7-8",
    "7-5 6-5 8-3 4-6 5-7 7-7 8-4 6-6",
];

/// Searches each opening to depth 12, alternately with one thread and with two. Meaningful only if two cores are free.
fn two_threads() {
    let limits = Limits {
        depth: Some(12),
        ..Limits::default()
    };
    let mut ratios = Vec::new();
    let mut sums = [0.0; 2];
    for opening in OPENINGS {
        let mut game = new_game("15x15k5");
        for text in opening.split(' ') {
            let Ok(Place::Cell(at)) = game.variant().parse_place(text) else {
                panic!("{text} is not a cell");
            };
            let seat = game.to_move().expect("the game is not over");
            game.act(seat, Action::Play(at)).expect("legal");
        }
        let mut times = [[0.0; 3]; 2];
        for round in 0..3 {
            for (threads, times) in (1..).zip(&mut times) {
                let clock = Arc::new(SystemClock::default());
                let mut search = IterativeDeepening::new(limits, clock).with_threads(threads);
                let started = Instant::now();
                assert!(search.analyze(&game, &Stop::new()).depth > 0);
                times[round] = started.elapsed().as_secs_f64();
            }
        }
        let medians = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[1]
        });
        ratios.push(medians[1] / medians[0]);
        sums = [sums[0] + medians[0], sums[1] + medians[1]];
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "15x15k5 to depth 12, {} positions: {:.2} s with one thread, {:.2} s with two, ratio {:.2} ({:.2}..{:.2})",
        OPENINGS.len(),
        sums[0],
        sums[1],
        sums[1] / sums[0],
        ratios[0],
        ratios[OPENINGS.len() - 1],
    );
}
