//! Values of games and the time to solve them: `cargo xtask bench solve [ARGUMENTS]`.
//!
//! | arguments | solves |
//! |---|---|
//! | none | the games of [`REFERENCES`], and endgames on nine boards |
//! | `table` | all boards up to 6x6 |
//! | `positions VARIANT…` | 300 random positions per variant |
//! | `endgames VARIANT…` | random endgames on nine boards with at most 15, 20, 25, 30 and 35 free cells |
//! | `connect-four` | published positions with 12 to 20 marks, also with a plain alpha-beta |
//! | `perfect [GAMES [POSITIONS]]` | the slowest answers of `perfect` in Connect Four: in games from the start, and in random positions for each number of marks |
//! | `VARIANT…` | the empty boards of these variants |
//!
//! Times are processor time of one thread.

use std::fs;
use std::path::Path;

use noughts_engine::reference::connect_four::PlainAlphaBeta;
use noughts_engine::{
    Budget, EngineSetup, GameValue, Random, Solution, Solver, Stop, StrategyName, SystemClock,
};
use noughts_rules::{Action, AnyTimeline, Diagram, Game, Move, Options, Rules, Variant, dispatch};

/// For each game: the seconds and nodes that a simple df-pn with symmetry, counting and pairing took on a similar
/// machine (0 if it did not finish), and the value of the game.
const REFERENCES: [(&str, f64, u64, &str); 7] = [
    ("5x5k4", 0.62, 62_927, "draw"),
    ("6x5k4", 0.16, 11_365, "win"),
    ("7x7k4", 1.13, 41_566, "win"),
    ("7x4k4", 4.1, 401_240, "draw"),
    ("8x4k4", 53.0, 5_500_000, "draw"),
    ("7x6k5", 0.0, 0, "draw"),
    ("7x7k5", 0.0, 0, "draw"),
];

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    match words.as_slice() {
        [] => {
            references();
            nine_boards("multi", 25);
            nine_boards("ultimate", 25);
        }
        [word, names @ ..] if word == "endgames" => names.iter().for_each(|name| {
            for free in [15, 20, 25, 30, 35] {
                nine_boards(name, free);
            }
        }),
        [word] if word == "connect-four" => connect_four(),
        [word, numbers @ ..] if word == "perfect" => {
            let number = |at: usize| numbers.get(at).map(|word| word.parse().expect("a number"));
            perfect(number(0).unwrap_or(100), number(1).unwrap_or(20));
        }
        [word] if word == "table" => table(),
        [word, names @ ..] if word == "positions" => names.iter().for_each(|name| positions(name)),
        names => names.iter().for_each(|name| {
            let (found, seconds) = mean(name);
            println!(
                "{name:8} {:>5}  {seconds:9.4} s  {:>9} nodes",
                value_name(&found),
                found.nodes
            );
        }),
    }
}

fn references() {
    println!("variant  value    seconds      nodes   reference           times");
    for (name, before, nodes, value) in REFERENCES {
        let (found, seconds) = mean(name);
        assert_eq!(value_name(&found), value, "{name}");
        let times = match before {
            0.0 => "not in 100 s".to_owned(),
            _ => format!("{before:6.2} s {nodes:>9}  {:6.1}", before / seconds),
        };
        println!(
            "{name:8} {value:>5}  {seconds:9.4}  {:>9}   {times}",
            found.nodes
        );
    }
}

/// The value for the first player of all boards up to 6x6 with lines of 3 to 6.
fn table() {
    for line in 3..=6 {
        println!(
            "k = {line}\n      {}",
            (3..=6).map(|rows| format!("{rows:>6}")).collect::<String>()
        );
        for columns in 3..=6 {
            let cells = (3..=6).map(|rows| {
                let fits = line <= columns.max(rows);
                let name = format!("{columns}x{rows}k{line}");
                let text = if fits {
                    value_name(&solve(&name, None).0)
                } else {
                    "-".to_owned()
                };
                format!("{text:>6}")
            });
            println!("{columns:>6}{}", cells.collect::<String>());
        }
    }
}

/// The solver and a plain alpha-beta find value and distance of published positions of 7x6 with 12 to 20 marks. The
/// solver and the alpha-beta each keep their table for all positions of a set.
fn connect_four() {
    let variant: Variant = "7x6k4+gravity".parse().expect("a variant");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/connect-four");
    println!("set            positions   solver ms      nodes    plain ms      nodes   times");
    for set in ["begin-easy", "middle-easy", "middle-medium"] {
        let text = fs::read_to_string(folder.join(set)).expect("a file of testdata");
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let lines: Vec<(&str, i32)> = lines
            .filter(|(columns, _)| (12..=20).contains(&columns.len()))
            .map(|(columns, score)| (columns, score.parse().expect("a score")))
            .collect();
        let digits = |columns: &str| {
            columns
                .bytes()
                .map(|digit| digit - b'1')
                .collect::<Vec<_>>()
        };
        let budget = Budget::default();
        let mut solver = Solver::new(&variant, None, budget).expect("a solvable game");
        solver.find_distance().expect("a distance");
        let mut plain = PlainAlphaBeta::new();
        let (mut times, mut nodes) = ([0.0; 2], 0);
        for (columns, score) in &lines {
            let mut any = AnyTimeline::new(&variant);
            let diagram = dispatch!(&mut any, timeline => {
                for column in digits(columns) {
                    let moves: Vec<_> = timeline.rules().moves(timeline.present()).collect();
                    let at = moves.iter().find(|at| at.index() % 7 == usize::from(column));
                    timeline.play(*at.expect("a legal column"));
                }
                timeline.rules().diagram(timeline.present())
            });
            solver.set_position(diagram).expect("a possible position");
            let before = processor_seconds();
            let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
            let between = processor_seconds();
            assert_eq!(plain.score(digits(columns)), *score, "{set}: {columns}");
            times[0] += between - before;
            times[1] += processor_seconds() - between;
            nodes += found.nodes;
            let sign = match found.value() {
                Some(GameValue::Win) => 1,
                Some(GameValue::Draw) => 0,
                Some(GameValue::Loss) => -1,
                None => panic!("nothing stops it"),
            };
            assert_eq!(sign, score.signum(), "{set}: {columns}");
        }
        let (each, count) = (1_000.0 / lines.len() as f64, lines.len() as u64);
        println!(
            "{set:14} {count:9} {:11.3} {:10} {:11.3} {:10} {:7.2}",
            times[0] * each,
            nodes / count,
            times[1] * each,
            plain.nodes / count,
            times[1] / times[0],
        );
    }
}

/// Prints the slowest answers of `perfect` in Connect Four.
fn perfect(games: u64, positions: u64) {
    let variant: Variant = "7x6k4+gravity".parse().expect("a variant");
    for (name, side) in [("first", 0), ("second", 1)] {
        let mut slowest = (0.0, String::new());
        for seed in 0..games {
            let mut game = Game::new(&variant, Options::default()).expect("a game");
            let mut random = Random::new(seed);
            // Half of the opponents play at random. The others make some random moves and then play like `perfect`.
            let random_moves = if seed % 2 == 0 { 42 } else { random.below(8) };
            while let Some(seat) = game.to_move() {
                let at = if usize::from(seat.0) == side {
                    timed_answer(&game, &mut slowest)
                } else if game.plays().len() / 2 < random_moves {
                    game.legal()[random.below(game.legal().len())]
                } else {
                    timed_answer(&game, &mut (0.0, String::new()))
                };
                game.act(seat, Action::Play(at)).expect("a legal move");
            }
        }
        let (seconds, text) = slowest;
        println!("{games} games as {name} player: {seconds:.3} s in {text}");
    }
    let mut random = Random::new(22);
    for marks in 0..=20 {
        let (mut slowest, before) = ((0.0, String::new()), processor_seconds());
        for _ in 0..positions {
            let game = random_game(&variant, marks, &mut random);
            timed_answer(&game, &mut slowest);
        }
        let mean = (processor_seconds() - before) / positions as f64;
        let (seconds, text) = slowest;
        println!("{marks:2} marks: mean {mean:.3} s, slowest {seconds:.3} s in {text}");
    }
}

/// The answer of a new `perfect`. If the answer took longer than `slowest`, the processor time of the answer and the
/// position replace `slowest`.
fn timed_answer(game: &Game, slowest: &mut (f64, String)) -> Move {
    let name: StrategyName = "perfect".parse().expect("a strategy");
    let mut strategy = name
        .build(game, &EngineSetup::with_seed(1))
        .expect("a robot");
    let before = processor_seconds();
    let at = strategy.choose(game, &Stop::new()).at;
    let seconds = processor_seconds() - before;
    if seconds > slowest.0 {
        *slowest = (seconds, game.diagram().format(game.variant()));
    }
    at
}

/// A game that is not over after `marks` random moves.
fn random_game(variant: &Variant, marks: usize, random: &mut Random) -> Game {
    loop {
        let mut game = Game::new(variant, Options::default()).expect("a game");
        while let (true, Some(seat)) = (game.plays().len() < marks, game.to_move()) {
            let at = game.legal()[random.below(game.legal().len())];
            game.act(seat, Action::Play(at)).expect("a legal move");
        }
        if game.to_move().is_some() {
            return game;
        }
    }
}

/// Solves 300 positions, each after a random number of random plays, and prints the slowest.
fn positions(name: &str) {
    let variant: Variant = name.parse().expect("a variant");
    let mut random = Random::new(300);
    let mut slowest = (0.0, 0, String::new());
    for _ in 0..300 {
        let mut any = AnyTimeline::new(&variant);
        let plays = random.below(variant.cells() / 2);
        let diagram = dispatch!(&mut any, timeline => {
            for _ in 0..plays {
                let moves: Vec<_> = timeline.rules().moves(timeline.present()).collect();
                if !moves.is_empty() {
                    timeline.play(moves[random.below(moves.len())]);
                }
            }
            timeline.rules().diagram(timeline.present())
        });
        let text = diagram.format(&variant);
        let (found, seconds) = solve(name, Some(diagram));
        if seconds > slowest.0 {
            slowest = (seconds, found.nodes, text);
        }
    }
    let (seconds, nodes, text) = slowest;
    println!("{name:8} of 300 positions the slowest: {seconds:.4} s  {nodes} nodes  {text}");
}

/// Solves 100 random endgames with at most `free` free cells on open boards, and prints the times.
fn nine_boards(name: &str, free: usize) {
    let variant: Variant = name.parse().expect("a variant");
    let mut random = Random::new(25);
    let mut times: Vec<(u64, f64)> = (0..100)
        .map(|_| {
            let (found, seconds) = solve(name, Some(endgame(&variant, free, &mut random)));
            assert!(found.value().is_some(), "{name} is not solved");
            (found.nodes, seconds)
        })
        .collect();
    times.sort_by(|a, b| a.1.total_cmp(&b.1));
    println!(
        "{name}: 100 endgames with {free} free cells, median {:.4} s and {} nodes, 90 of them within {:.4} s and {} \
         nodes, slowest {:.3} s",
        times[50].1, times[50].0, times[90].1, times[90].0, times[99].1
    );
}

fn endgame(variant: &Variant, max_free: usize, random: &mut Random) -> Diagram {
    loop {
        let mut any = AnyTimeline::new(variant);
        let found = dispatch!(&mut any, timeline => {
            loop {
                let moves: Vec<_> = timeline.rules().moves(timeline.present()).collect();
                let diagram = timeline.rules().diagram(timeline.present());
                if moves.is_empty() {
                    break None;
                }
                if free(&diagram) <= max_free {
                    break Some(diagram);
                }
                timeline.play(moves[random.below(moves.len())]);
            }
        });
        if let Some(diagram) = found {
            return diagram;
        }
    }
}

/// The number of empty cells on open boards.
fn free(diagram: &Diagram) -> usize {
    let boards = diagram.boards();
    let cells = diagram.marks.iter().enumerate();
    cells
        .filter(|(at, mark)| mark.is_none() && boards[at / 9] == noughts_rules::BoardState::Open)
        .count()
}

fn solve(name: &str, position: Option<Diagram>) -> (Solution, f64) {
    let variant: Variant = name.parse().expect("a variant");
    let before = processor_seconds();
    let budget = Budget {
        memory: 1 << 30,
        ..Budget::default()
    };
    let mut solver = Solver::new(&variant, position, budget).expect("a solvable game");
    let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
    (found, processor_seconds() - before)
}

/// Solves an empty board again and again until all runs together took [`MIN_SECONDS`], because a single run may be too
/// short to measure. Returns the last solution and the mean processor time.
fn mean(name: &str) -> (Solution, f64) {
    let (mut found, mut all) = solve(name, None);
    let mut times = 1;
    while all < MIN_SECONDS {
        let (again, seconds) = solve(name, None);
        (found, all, times) = (again, all + seconds, times + 1);
    }
    (found, all / f64::from(times))
}

/// Minimum processor time of all runs together.
const MIN_SECONDS: f64 = 0.4;

fn value_name(found: &Solution) -> String {
    found
        .value()
        .map_or("?".to_owned(), |value| value.to_string())
}

/// Processor time of this thread, which other processes on the machine do not affect. 0 except on Linux.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}
