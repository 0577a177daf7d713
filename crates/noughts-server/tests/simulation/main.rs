//! Whole clusters in virtual time: two nodes, a database that is slow and loses requests and replies, clients
//! that disappear and repeat requests, and a node that is killed. At the end the stored logs are compared
//! with everything that clients were told.
//!
//! `SEED=N cargo test -p noughts-server --test simulation` runs one scenario. The seed determines ids, the
//! clients' actions and the faults. Robots compute in separate threads, so two runs of a seed may differ
//! slightly: repeat a seed to reproduce a rare failure.

mod check_logs;
#[allow(dead_code, unused_imports)]
#[path = "../cluster/mod.rs"]
mod cluster;
mod observations;
mod players;
mod races;
mod scenario;
mod tcp_clients;
mod watchers;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Number of scenarios in a normal run.
const SEEDS: u64 = 150;

/// Events that must happen in a normal run. Otherwise the simulation would not test them.
const EXPECTED: [&str; 37] = [
    "acts acknowledged",
    "acts of TCP clients acknowledged",
    "answers not waited for",
    "conflicts",
    "creations repeated",
    "aborted",
    "draws",
    "flags",
    "games killed with a node",
    "hints lost",
    "hints repeated",
    "keys reused",
    "leavings",
    "lines",
    "moves of robots that think",
    "negotiations acknowledged",
    "nodes killed",
    "offers acknowledged",
    "outages",
    "overdue",
    "pairs matched by the store",
    "refused by the rules",
    "refused offers and answers",
    "refused: seat taken",
    "refused: stale",
    "rematches",
    "replies lost",
    "requests carried out later",
    "requests lost",
    "resignations",
    "seats kept to the end",
    "seats taken by API players",
    "seats taken by TCP clients",
    "unavailable",
    "updates applied",
    "waiting clients gave up",
    "watches begun",
];

#[test]
fn every_acknowledged_entry_survives() {
    check_seeds(SEEDS, &EXPECTED, |seed| {
        in_virtual_time(scenario::run(seed))
    });
}

/// Runs the scenarios of these seeds, or only that of the variable `SEED`. All expected events must happen.
fn check_seeds(seeds: u64, expected: &[&str], run: impl Fn(u64) -> Counts) {
    let only: Option<u64> = std::env::var("SEED")
        .ok()
        .map(|seed| seed.parse().expect("SEED is a number"));
    let seeds = match only {
        Some(seed) => seed..=seed,
        None => 1..=seeds,
    };
    let mut total = Counts::new();
    for seed in seeds {
        let counts = catch_unwind(AssertUnwindSafe(|| run(seed)));
        let counts = counts.unwrap_or_else(|panic| {
            eprintln!("It happened in the scenario of SEED={seed}.");
            resume_unwind(panic);
        });
        for (what, count) in counts {
            *total.entry(what).or_default() += count;
        }
    }
    eprintln!("{total:#?}");
    if only.is_none() {
        for what in expected {
            assert!(total.contains_key(what), "this never happened: {what}");
        }
    }
}

/// How often each kind of event happened.
type Counts = BTreeMap<&'static str, usize>;

fn in_virtual_time<T>(scenario: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(scenario)
}
