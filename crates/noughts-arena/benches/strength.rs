//! Elo ratings of the levels: `cargo xtask bench strength [--games N] [--threads N] [--write] [VARIANT…]`.
//!
//! Every level plays the next two levels above. The ratings are fitted to all results, relative to their mean.
//! `--write` puts the table into `docs/strength.md`.

mod arguments;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use noughts_arena::{Format, GameResult, Openings, Standings, Tournament, TournamentOptions};
use noughts_engine::{RobotName, Stop, StrategyName};
use noughts_rules::{Record, Variant};

const VARIANTS: [&str; 5] = ["3x3k3", "7x7k4", "15x15k5", "multi", "ultimate"];
const LEVELS: usize = 8;
const NEIGHBOURS: usize = 2;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/strength.md");
const BEGIN: &str = "<!-- levels begin -->\n";
const END: &str = "<!-- levels end -->\n";

const OPTIONS: &str = "--games N, --threads N and --write";

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1).collect()) {
        Ok(options) => options,
        Err(reason) => {
            eprintln!("strength: {reason}");
            return ExitCode::from(2);
        }
    };
    let columns: Vec<Vec<String>> = options
        .variants
        .iter()
        .map(|variant| ratings(variant, options.games, options.threads))
        .collect();
    let table = table(&options.variants, &columns, options.games);
    print!("{table}");
    match options.writes.then(|| write(&table)) {
        Some(Err(error)) => {
            eprintln!("strength: {DOCUMENT}: {error}");
            ExitCode::FAILURE
        }
        Some(Ok(())) | None => ExitCode::SUCCESS,
    }
}

struct Options {
    games: u32,
    threads: usize,
    writes: bool,
    variants: Vec<Variant>,
}

impl Options {
    fn read(mut words: Vec<String>) -> Result<Options, String> {
        // Cargo passes `--bench` to every bench.
        words.retain(|word| word != "--bench");
        let games = arguments::number(&mut words, "--games")?.unwrap_or(100);
        let threads = arguments::number(&mut words, "--threads")?.unwrap_or(1) as usize;
        let writes = words.iter().any(|word| word == "--write");
        words.retain(|word| word != "--write");
        if writes && !words.is_empty() {
            return Err("--write is for all games: it would leave the others out".to_owned());
        }
        Ok(Options {
            games,
            threads,
            writes,
            variants: arguments::variants(&words, &VARIANTS, OPTIONS)?,
        })
    }
}

/// The ratings of the levels in one variant.
fn ratings(variant: &Variant, games: u32, threads: usize) -> Vec<String> {
    let level = |number: usize| {
        let name: StrategyName = format!("level:{number}").parse().expect("a level");
        RobotName::from(name)
    };
    let tournament = Tournament::new(TournamentOptions {
        variant: *variant,
        robots: (1..=LEVELS).map(level).collect(),
        format: Format::Ladder(NEIGHBOURS),
        games,
        seed: 2026,
        openings: Openings::Balanced,
    })
    .expect("levels play everything");
    let mut results: BTreeMap<u32, GameResult> = BTreeMap::new();
    let numbers: Vec<u32> = (0..tournament.games()).collect();
    let take = |result: GameResult, _: &Record| -> Result<(), ()> {
        results.insert(result.game.number, result);
        eprint!(
            "\r{variant}: game {} of {} ",
            results.len(),
            tournament.games()
        );
        let _ = io::stderr().flush();
        Ok(())
    };
    let _ = tournament.play(&numbers, threads, &Stop::new(), take);
    eprintln!();
    let standings = Standings::new(&tournament, &results, None);
    let mut by_level = vec![String::new(); LEVELS];
    for one in &standings.standings {
        if let Some((elo, bar)) = &one.rating {
            by_level[one.participant] = format!("{elo:+.0} ± {:.0}", (bar.high - bar.low) / 2.0);
        }
    }
    by_level
}

fn table(variants: &[Variant], columns: &[Vec<String>], games: u32) -> String {
    let mut text = format!(
        "{games} games per pair, {} pairs per variant.\n\n| level |",
        (1..=NEIGHBOURS).map(|far| LEVELS - far).sum::<usize>()
    );
    for variant in variants {
        text.push_str(&format!(" `{variant}` |"));
    }
    text.push_str("\n|---|");
    text.push_str(&"---:|".repeat(variants.len()));
    for level in 0..LEVELS {
        text.push_str(&format!("\n| {} |", level + 1));
        for column in columns {
            text.push_str(&format!(" {} |", column[level]));
        }
    }
    text.push('\n');
    text
}

/// Replaces the table in `docs/strength.md`.
fn write(table: &str) -> io::Result<()> {
    let document = std::fs::read_to_string(DOCUMENT)?;
    let place = document.split_once(BEGIN).zip(document.split_once(END));
    let Some(((before, _), (_, after))) = place else {
        return Err(io::Error::other("it has no place for the table"));
    };
    std::fs::write(DOCUMENT, format!("{before}{BEGIN}{table}{END}{after}"))
}
