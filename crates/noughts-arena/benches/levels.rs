//! Checks that each level beats the level below: `cargo xtask bench levels [--games N] [VARIANT…]`.

mod arguments;

use std::io::{self, Write};
use std::process::ExitCode;

use noughts_arena::{Match, Score};
use noughts_rules::{Game, Variant};

/// The default variants. In each of them, every level must beat the level below. At tic-tac-toe (3x3k3), an equal score
/// is enough.
const VARIANTS: [&str; 4] = ["3x3k3", "7x7k4", "15x15k5", "multi"];

fn main() -> ExitCode {
    let (games, variants) = match read(std::env::args().skip(1).collect()) {
        Ok(arguments) => arguments,
        Err(reason) => {
            eprintln!("levels: {reason}");
            return ExitCode::from(2);
        }
    };
    let mut good = true;
    for variant in &variants {
        for level in 2..=8 {
            let score = play(variant, level, games);
            let holds = match variant.to_string().as_str() {
                "3x3k3" => score.mean() >= 0.5,
                _ => score.lower_bound() > 0.5,
            };
            good &= holds;
            let verdict = if holds { "" } else { "   NOT SHOWN" };
            println!(
                "\r{variant:>8}  level:{level} against level:{}  {score}{verdict}",
                level - 1
            );
        }
    }
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Parses the arguments: the number of games per pair of levels, and the variants.
fn read(mut words: Vec<String>) -> Result<(u32, Vec<Variant>), String> {
    // Cargo passes `--bench` to every bench.
    words.retain(|word| word != "--bench");
    let games = arguments::number(&mut words, "--games")?.unwrap_or(200);
    let variants = arguments::variants(&words, &VARIANTS, "--games N")?;
    Ok((games, variants))
}

fn play(variant: &Variant, level: u32, games: u32) -> Score {
    let played_match = Match {
        variant: *variant,
        first: format!("level:{level}").parse().expect("a level"),
        second: format!("level:{}", level - 1).parse().expect("a level"),
        games,
        random_moves: 0,
        seed: 2026,
    };
    let progress = |_: &Game, score: &Score| {
        eprint!(
            "\r{variant:>8}  level:{level}  game {} of {games} ",
            score.games()
        );
        let _ = io::stderr().flush();
    };
    played_match.play(progress).expect("levels play everything")
}
