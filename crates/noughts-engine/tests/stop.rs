//! Every strategy answers soon after a stop, on boards of all kinds and sizes.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use noughts_engine::{EngineSetup, Random, Stop, StrategyName};
use noughts_rules::{Action, Game, Move, Options, Turn, Variant};

/// Strategies of every kind. Most of them would compute far longer than the test lets them.
const STRATEGIES: &[&str] = &[
    "random",
    "first",
    "greedy",
    "minimax:1",
    "minimax:2",
    "minimax:9",
    "minimax:99",
    "mcts:1000000",
    "search:5s",
    "search:3600s",
    "search:5000000n",
    "level:1",
    "level:4",
    "level:8",
    "perfect",
];

/// Variants of all kinds and sizes, with the number of marks that are on the board already.
const POSITIONS: &[(&str, usize)] = &[
    ("3x3k3", 0),
    ("4x4k4", 0),
    ("7x7k4", 6),
    ("7x6k4+gravity", 8),
    ("8x8k6", 0),
    ("5x5k4p3", 4),
    ("15x15k5", 0),
    ("15x15k5", 60),
    ("22x22k6", 40),
    ("multi", 10),
    ("ultimate", 10),
    ("multi", 50),
    ("255x255k5", 0),
    ("255x255k5", 600),
    ("255x255k5", 20_000),
    ("255x255k5+gravity", 600),
    ("255x255k255", 600),
    ("255x255k5p64", 0),
    ("255x255k5p64", 600),
    ("255x255k5p64", 30_000),
];

/// The time from the start to the stop.
const BEFORE_STOP: Duration = Duration::from_millis(10);

/// Maximum time from the stop to the answer. Measured: less than 0.1 s. Exception: 0.4 s on 255x255k5p64 with 30 000
/// marks, because the marks are counted before the search begins. The limit only catches a strategy that ignores the
/// stop.
const TO_ANSWER: Duration = Duration::from_secs(1);

/// A game that is not over after `plays` random plays.
fn random_game(variant: &str, plays: usize) -> Game {
    let variant: Variant = variant.parse().unwrap();
    let mut random = Random::new(plays as u64);
    let mut game = Game::new(&variant, Options::default()).unwrap();
    while game.turns().len() < plays {
        let seat = game.to_move().unwrap();
        let at = Move::at(random.below(variant.cells()));
        let turn = Turn {
            by: seat,
            action: Action::Play(at),
        };
        if game.conclusion_after(turn).is_none() {
            // A taken cell is refused.
            let _ = game.act(turn.by, turn.action);
        }
    }
    game
}

/// The time from the stop to the answer, which must be a legal move. `None` if the strategy cannot play the game.
fn time_to_answer(name: &str, game: &Game) -> Option<Duration> {
    let name: StrategyName = name.parse().unwrap();
    name.check(game).ok()?;
    let stop = Stop::new();
    let (answered, answer) = mpsc::channel();
    let timer = thread::spawn({
        let stop = stop.clone();
        move || {
            let _ = answer.recv_timeout(BEFORE_STOP);
            stop.set();
            Instant::now()
        }
    });
    let mut strategy = name.build(game, &EngineSetup::with_seed(7)).unwrap();
    let at = strategy.choose(game, &stop).at;
    let ended = Instant::now();
    let _ = answered.send(());
    let seat = game.to_move().unwrap();
    assert_eq!(game.check(seat, Action::Play(at)), Ok(()), "{name}");
    Some(ended.saturating_duration_since(timer.join().unwrap()))
}

#[test]
fn every_strategy_stops_promptly() {
    let mut slow = Vec::new();
    for (variant, plays) in POSITIONS {
        let game = random_game(variant, *plays);
        for name in STRATEGIES {
            if let Some(time) = time_to_answer(name, &game) {
                eprintln!(
                    "{variant:20} {plays:6} {name:16} {:8.1} ms",
                    time.as_secs_f64() * 1e3
                );
                if time > TO_ANSWER {
                    slow.push(format!("{name} on {variant} after {plays} plays: {time:?}"));
                }
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
