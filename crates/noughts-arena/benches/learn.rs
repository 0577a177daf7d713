//! Fits the evaluation of five in a row to games: `cargo xtask bench learn [--games N] [--seed N] [--threads N]
//! [--write] [FOLDER…]`.
//!
//! It plays games of 15x15k5 with the current numbers of `noughts-engine/src/features/patterns/five.txt`, or reads
//! games from folders of `noughts arena --out FOLDER`, and fits new numbers to these games. `--write` puts the new
//! numbers into that file. The value of a board should predict the result of its game, and the score of a move should
//! predict which move was played. A tenth of the games is the test set.

#[expect(dead_code, reason = "here folders are named, and no games")]
mod arguments;
mod fit;
mod samples;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use noughts_arena::{Format, GameResult, Openings, Tournament, TournamentOptions};
use noughts_engine::{RobotName, Stop, StrategyName};
use noughts_rules::Record;

use crate::fit::Numbers;
use crate::samples::Samples;

const NUMBERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../noughts-engine/src/features/patterns/five.txt"
);

/// Two different players. Two equal players would play the same game twice per opening.
const PLAYERS: [&str; 2] = ["search:5000n", "search:7000n"];

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("learn: {reason}");
            ExitCode::from(2)
        }
    }
}

fn run(mut words: Vec<String>) -> Result<(), String> {
    // Cargo passes `--bench` to every bench.
    words.retain(|word| word != "--bench");
    let games = arguments::number(&mut words, "--games")?.unwrap_or(12_000);
    let seed = arguments::number(&mut words, "--seed")?.unwrap_or(1);
    let threads = arguments::number(&mut words, "--threads")?.unwrap_or(1) as usize;
    let writes = words.iter().any(|word| word == "--write");
    words.retain(|word| word != "--write");
    if let Some(word) = words.iter().find(|word| word.starts_with('-')) {
        return Err(format!(
            "there is no option {word}: there is --games N, --seed N, --threads N and --write"
        ));
    }
    let mut samples = Samples::default();
    let origin = match &words[..] {
        [] => {
            play(games, seed, threads, &mut samples)?;
            let [one, other] = PLAYERS;
            format!(
                "{} games of {one} and {other}, seed {seed}",
                samples.games()
            )
        }
        folders => {
            for folder in folders {
                read(folder, &mut samples)?;
            }
            format!("{} stored games", samples.games())
        }
    };
    println!("{origin}: {samples}");
    let (training, test) = samples.divide();
    let numbers = Numbers::fit(&training, |epoch, numbers| {
        println!(
            "epoch {epoch}: loss {:.4}, of games kept apart {:.4}",
            numbers.loss(&training.positions),
            numbers.loss(&test.positions)
        );
    });
    println!(
        "of the moves in the test set {:.1} % have the highest score, {:.1} % are among the 12 highest",
        100.0 * numbers.hit_rate(&test.choices, 1),
        100.0 * numbers.hit_rate(&test.choices, 12)
    );
    if writes {
        std::fs::write(NUMBERS, numbers.write(&origin))
            .map_err(|error| format!("{NUMBERS}: {error}"))?;
    }
    Ok(())
}

fn play(games: u32, seed: u32, threads: usize, samples: &mut Samples) -> Result<(), String> {
    let robot = |name: &str| {
        let name: StrategyName = name.parse().expect("a strategy");
        RobotName::from(name)
    };
    let tournament = Tournament::new(TournamentOptions {
        variant: "15x15k5".parse().expect("a game"),
        robots: PLAYERS.map(robot).to_vec(),
        format: Format::RoundRobin,
        games,
        seed: seed.into(),
        openings: Openings::Balanced,
    })
    .map_err(|error| error.to_string())?;
    // The records are in the order of the game numbers, so that the number of threads makes no difference.
    let mut records: Vec<Option<Record>> = vec![None; tournament.games() as usize];
    let mut played = 0;
    let take = |result: GameResult, record: &Record| -> Result<(), ()> {
        records[result.game.number as usize] = Some(record.clone());
        played += 1;
        eprint!("\rgame {played} of {} ", tournament.games());
        let _ = io::stderr().flush();
        Ok(())
    };
    let numbers: Vec<u32> = (0..tournament.games()).collect();
    let _ = tournament.play(&numbers, threads, &Stop::new(), take);
    eprintln!();
    records
        .iter()
        .flatten()
        .for_each(|record| samples.take(record));
    Ok(())
}

/// Reads the games of a folder in the order of their names.
fn read(folder: &str, samples: &mut Samples) -> Result<(), String> {
    let records = Path::new(folder).join("records");
    let failed = |error: io::Error| format!("{}: {error}", records.display());
    let files = std::fs::read_dir(&records).map_err(failed)?;
    let mut names: Vec<PathBuf> = files
        .map(|file| file.map(|file| file.path()))
        .collect::<io::Result<_>>()
        .map_err(failed)?;
    names.sort_unstable();
    for name in names {
        let of_file = |reason: String| format!("{}: {reason}", name.display());
        let text = std::fs::read_to_string(&name).map_err(|error| of_file(error.to_string()))?;
        let record = text
            .parse::<Record>()
            .map_err(|error| of_file(error.to_string()))?;
        samples.take(&record);
    }
    Ok(())
}
