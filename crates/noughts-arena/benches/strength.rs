//! How strong the levels are: `cargo xtask bench strength [--games N] [--threads N] [--write] [VARIANT…]`.
//!
//! Every level meets those one and two away from it; all results together make the ratings, whose mean
//! is 0. `--write` puts the table into `docs/strength.md`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use noughts_arena::{Contest, Format, Openings, Outcome, Plan, Standings};
use noughts_engine::{RobotName, Stop, StrategyName};
use noughts_rules::Record;

const VARIANTS: [&str; 5] = ["3x3k3", "7x7k4", "15x15k5", "multi", "ultimate"];
const LEVELS: usize = 8;
const NEIGHBOURS: usize = 2;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/strength.md");
const BEGIN: &str = "<!-- levels begin -->\n";
const END: &str = "<!-- levels end -->\n";

fn main() -> ExitCode {
    let (mut games, mut threads, mut writes) = (100, 1, false);
    let mut variants = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|text| text.parse().ok());
        match word.as_str() {
            "--bench" => {}
            "--write" => writes = true,
            "--games" => games = number().unwrap_or(games),
            "--threads" => threads = number().unwrap_or(1) as usize,
            _ => variants.push(word),
        }
    }
    if variants.is_empty() {
        variants = VARIANTS.map(str::to_owned).to_vec();
    }
    let columns: Vec<Vec<String>> = variants
        .iter()
        .map(|variant| ratings(variant, games, threads))
        .collect();
    let table = table(&variants, &columns, games);
    print!("{table}");
    match writes.then(|| write(&table)) {
        Some(Err(error)) => {
            eprintln!("strength: {DOCUMENT}: {error}");
            ExitCode::FAILURE
        }
        Some(Ok(())) | None => ExitCode::SUCCESS,
    }
}

/// The levels' ratings at one game, in order.
fn ratings(variant: &str, games: u32, threads: usize) -> Vec<String> {
    let level = |number: usize| {
        let name: StrategyName = format!("level:{number}").parse().expect("a level");
        RobotName::from(name)
    };
    let contest = Contest::new(Plan {
        variant: variant.parse().expect("a variant"),
        robots: (1..=LEVELS).map(level).collect(),
        format: Format::Ladder(NEIGHBOURS),
        games,
        seed: 2026,
        openings: Openings::Balanced,
    })
    .expect("levels play everything");
    let mut outcomes: BTreeMap<u32, Outcome> = BTreeMap::new();
    let numbers: Vec<u32> = (0..contest.games()).collect();
    let heard = |outcome: Outcome, _: &Record| -> Result<(), ()> {
        outcomes.insert(outcome.fixture.number, outcome);
        eprint!(
            "\r{variant}: game {} of {} ",
            outcomes.len(),
            contest.games()
        );
        let _ = io::stderr().flush();
        Ok(())
    };
    let _ = contest.play(&numbers, threads, &Stop::new(), heard);
    eprintln!();
    let standings = Standings::new(&contest, &outcomes, None);
    let mut by_level = vec![String::new(); LEVELS];
    for one in &standings.standings {
        if let Some((elo, bar)) = &one.rating {
            by_level[one.entrant] = format!("{elo:+.0} ± {:.0}", (bar.high - bar.low) / 2.0);
        }
    }
    by_level
}

fn table(variants: &[String], columns: &[Vec<String>], games: u32) -> String {
    let mut text = format!(
        "{games} games a pair, {} pairs a variant.\n\n| level |",
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

/// Puts the table between the two lines of the document.
fn write(table: &str) -> io::Result<()> {
    let document = std::fs::read_to_string(DOCUMENT)?;
    let place = document.split_once(BEGIN).zip(document.split_once(END));
    let Some(((before, _), (_, after))) = place else {
        return Err(io::Error::other("it has no place for the table"));
    };
    std::fs::write(DOCUMENT, format!("{before}{BEGIN}{table}{END}{after}"))
}
