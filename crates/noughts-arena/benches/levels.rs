//! Whether each level beats the one below it: `cargo xtask bench levels [--games N] [VARIANT…]`.

use std::io::{self, Write};
use std::process::ExitCode;

use noughts_arena::{Bout, Score};
use noughts_rules::Game;

/// What people play most: each level is to beat the one below, but at tic-tac-toe, where it is
/// enough not to do worse.
const VARIANTS: [&str; 4] = ["3x3k3", "7x7k4", "15x15k5", "multi"];

fn main() -> ExitCode {
    let mut games = 200;
    let mut variants = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--games" => games = words.next().and_then(|n| n.parse().ok()).unwrap_or(games),
            _ => variants.push(word),
        }
    }
    if variants.is_empty() {
        variants = VARIANTS.map(str::to_owned).to_vec();
    }
    let mut good = true;
    for variant in &variants {
        for level in 2..=8 {
            let score = play(variant, level, games);
            let holds = match variant.as_str() {
                "3x3k3" => score.share() >= 0.5,
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

fn play(variant: &str, level: u32, games: u32) -> Score {
    let bout = Bout {
        variant: variant.parse().expect("a variant"),
        first: format!("level:{level}").parse().expect("a level"),
        second: format!("level:{}", level - 1).parse().expect("a level"),
        games,
        random_plays: 0,
        seed: 2026,
    };
    let progress = |_: &Game, score: &Score| {
        eprint!(
            "\r{variant:>8}  level:{level}  game {} of {games} ",
            score.games()
        );
        let _ = io::stderr().flush();
    };
    bout.play(progress).expect("levels play everything")
}
