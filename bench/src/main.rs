//! Ultimate, compared with the crates `board-game` and `ai-ultimate-tictactoe`:
//! `cargo xtask bench beside [perft] [playouts] [match] [--games N] [--time 100ms]`.
//!
//! Without arguments it runs everything. It fails unless Noughts reaches at least as many moves per second as the
//! others in perft, at least 1.3 times as many in playouts, and significantly more than half of the points in the
//! match.

mod matches;
#[path = "../../crates/noughts-rules/benches/rules/rounds.rs"]
mod rounds;
#[path = "../../crates/noughts-rules/benches/rules/spread.rs"]
mod spread;
mod theirs;

use std::hint::black_box;
use std::process::ExitCode;

use noughts_rules::{Nested, NestedSpec, Outcome, Rules, Side, perft};

use rounds::{Job, rates};
use spread::{Spread, ratios};

/// The depth of perft, and the number of move sequences of this length. The bench fails if one of the programs counts
/// another number.
const DEPTH: u32 = 5;
const COUNT: u64 = 473_256;

/// The number of random games in each measured call.
const GAMES: u32 = 2_000;

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let games = option(&mut words, "--games").and_then(|text| text.parse().ok());
    let time = option(&mut words, "--time").unwrap_or_else(|| "100ms".to_owned());
    let wants = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    if let Some(word) = words
        .iter()
        .find(|word| !["perft", "playouts", "match"].contains(&word.as_str()))
    {
        eprintln!("bench: no `{word}`: there is perft, playouts, match, --games N and --time TIME");
        return ExitCode::from(2);
    }
    let mut good = true;
    if wants("perft") {
        println!(
            "perft {DEPTH} of Ultimate, every leaf played: plays a second, and ours by theirs"
        );
        good &= table(
            Box::new(|| checked(perft(&rules(), &rules().start(), DEPTH))),
            [
                (
                    "board-game",
                    Box::new(|| checked(theirs::board_game_perft(DEPTH))),
                ),
                (
                    "ai-ultimate-tictactoe",
                    Box::new(|| checked(theirs::ultimate_perft(DEPTH))),
                ),
            ],
            1.0,
        );
    }
    if wants("playouts") {
        println!("random games of Ultimate to their end: plays a second, and ours by theirs");
        let mut random = theirs::Random::new(1);
        let (mut second, mut third) = (random.clone(), random.clone());
        good &= table(
            Box::new(move || (0..GAMES).map(|_| playout(&mut random)).sum()),
            [
                (
                    "board-game",
                    Box::new(move || {
                        (0..GAMES)
                            .map(|_| theirs::board_game_playout(&mut second))
                            .sum()
                    }),
                ),
                (
                    "ai-ultimate-tictactoe",
                    Box::new(move || {
                        (0..GAMES)
                            .map(|_| theirs::ultimate_playout(&mut third))
                            .sum()
                    }),
                ),
            ],
            1.3,
        );
    }
    if wants("match") {
        good &= matches::play(games.unwrap_or(100), &time);
    }
    match good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Removes an option and its value from the arguments. Returns the value; `None` if the option or its value is missing.
fn option(words: &mut Vec<String>, name: &str) -> Option<String> {
    let at = words.iter().position(|word| word == name)?;
    words.remove(at);
    (at < words.len()).then(|| words.remove(at))
}

fn rules() -> Nested {
    Nested::new(NestedSpec::ULTIMATE)
}

fn checked(count: u64) -> u64 {
    assert_eq!(count, COUNT, "perft {DEPTH} of Ultimate");
    count
}

/// Plays a random game; returns the number of moves.
fn playout(random: &mut theirs::Random) -> u64 {
    let rules = rules();
    let mut position = rules.start();
    let mut plays = 0;
    loop {
        let count = rules.moves(&position).count();
        if count == 0 {
            break;
        }
        let at = rules.moves(&position).nth(random.below(count));
        rules.play(&mut position, at.expect("a number below the count"));
        plays += 1;
    }
    if let Some(Outcome::Won(sides)) = rules.outcome(&position) {
        black_box(sides.contains(Side::FIRST));
    }
    plays
}

/// Measures all jobs in turn. Returns whether `ours` is at least `least` times as fast as each of `others`.
fn table(ours: Job, others: [(&str, Job); 2], least: f64) -> bool {
    let [(first, first_job), (second, second_job)] = others;
    let [ours, first_rates, second_rates] = rates([ours, first_job, second_job]);
    println!(
        "  {:<24} {:>8.1} M",
        "noughts",
        Spread::of(&ours).median / 1e6
    );
    let mut good = true;
    for (name, theirs) in [(first, first_rates), (second, second_rates)] {
        let ratio = ratios(&ours, &theirs);
        let holds = ratio.median >= least;
        good &= holds;
        let verdict = if holds { "" } else { "   LESS THAN PROMISED" };
        println!(
            "  {name:<24} {:>8.1} M   {ratio}{verdict}",
            Spread::of(&theirs).median / 1e6
        );
    }
    good
}
