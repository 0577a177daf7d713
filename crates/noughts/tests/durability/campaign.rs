//! The fault campaign: random faults while clients of all interfaces play, and a check of everything that they saw.
//!
//! `cargo xtask campaign` runs long campaigns. A campaign consists of rounds. Each round has a new store and its own
//! seed, so that a campaign can be resumed after any round, and a round can be repeated.

mod check;
mod clock_player;
mod cluster;
mod fault;
mod http_player;
mod postgres_proxy;
mod state;
mod tcp_player;
mod watcher;
mod websocket_player;

use std::env;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use crate::load::Draw;
use cluster::{Cluster, StoreKind};
use fault::Fault;
use state::CampaignState;

const FAULTS_PER_ROUND: usize = 25;

/// Maximum number of acknowledged turns to wait for before the next fault.
const MAX_TURNS_BETWEEN: usize = 12;

/// After notifications of other nodes (hints) were lost, there is no further fault for this time. In this time,
/// watchers must learn of the end of their games without hints.
const QUIET: Duration = Duration::from_secs(6);

fn number(name: &str, default: u64) -> u64 {
    let text = env::var(name).ok();
    text.map_or(default, |text| text.parse().expect(name))
}

/// Runs the rounds that the journal does not have yet, and adds a line for each to the journal.
fn run(kind: StoreKind) {
    let (seed, faults) = (
        number("CAMPAIGN_SEED", 1),
        number("CAMPAIGN_FAULTS", 25) as usize,
    );
    let journal = env::var("CAMPAIGN_JOURNAL").ok();
    let begins = format!("store={} seed={seed} ", kind.name());
    let done = journal.as_deref().map(fs::read_to_string);
    let done = done.and_then(Result::ok).unwrap_or_default();
    let done = done.lines().filter(|line| line.starts_with(&begins));
    let done = done.count();
    for round in done..faults.div_ceil(FAULTS_PER_ROUND) {
        let count = FAULTS_PER_ROUND.min(faults - round * FAULTS_PER_ROUND);
        let line = format!(
            "{begins}round={round} {}",
            run_round(kind, seed, round, count)
        );
        println!("{line}");
        if let Some(path) = &journal {
            let file = OpenOptions::new().create(true).append(true).open(path);
            writeln!(file.unwrap(), "{line}").unwrap();
        }
    }
}

/// Runs a round, and returns its counts as words `name=count`. Panics if a check failed.
fn run_round(kind: StoreKind, seed: u64, round: usize, faults: usize) -> String {
    let seed = seed.wrapping_mul(1_000_003).wrapping_add(round as u64);
    let (mut draw, begun) = (Draw(seed), Instant::now());
    // Similar seeds give similar first numbers, so these numbers are skipped.
    for _ in 0..4 {
        draw.below(1);
    }
    let mut cluster = Cluster::start(kind, &mut draw);
    let campaign = CampaignState::new(cluster.ports());
    let window = check::now_ms()..;
    thread::scope(|scope| {
        for number in 0..3 {
            let campaign = &campaign;
            scope.spawn(move || http_player::play(campaign, seed, number));
            scope.spawn(move || watcher::watch(campaign, seed ^ number));
        }
        scope.spawn(|| websocket_player::play(&campaign, seed));
        scope.spawn(|| clock_player::play(&campaign, seed));
        scope.spawn(|| tcp_player::play(&campaign, seed, tcp_player::Opponent::Computer, "tcp"));
        // With fewer clients, a client would often wait long for an opponent after a node was killed.
        for name in ["pair-a", "pair-b", "pair-c", "pair-d"] {
            let campaign = &campaign;
            scope.spawn(move || {
                tcp_player::play(campaign, seed, tcp_player::Opponent::Client, name);
            });
        }
        for _ in 0..faults {
            campaign.wait_for_turns(1 + draw.below(MAX_TURNS_BETWEEN));
            let fault = cluster.draw_fault(&mut draw);
            campaign.begin_fault(fault.name());
            cluster.inject(fault, &mut draw, &campaign);
            campaign.end_fault();
            if fault == Fault::HintsLost {
                // The next fault would close connections, after which nodes compare their tables anyway.
                campaign.keep_quiet(QUIET);
            }
            campaign.check_watchers();
            if campaign.is_failed() {
                break;
            }
        }
        campaign.finish();
        while !campaign.is_failed() && campaign.is_watched() {
            campaign.check_watchers();
            thread::sleep(Duration::from_millis(50));
        }
    });
    cluster.stop_nodes();
    if campaign.failure().is_none()
        && let Err(why) = check::check(&cluster.store(), &campaign, window.start..check::now_ms())
    {
        campaign.fail(why);
    }
    if let Some(why) = campaign.failure() {
        let kept = cluster.keep();
        panic!("round {round} of seed {seed}: {why}\nthe store is kept: {kept}");
    }
    let mut line = format!("seconds={}", begun.elapsed().as_secs());
    for (name, count) in campaign.counts() {
        write!(line, " {}={count}", name.replace(' ', "-")).unwrap();
    }
    line
}

#[test]
#[ignore = "long: a short fault campaign"]
fn faults_with_sqlite_lose_nothing() {
    run(StoreKind::Sqlite);
}

#[test]
#[ignore = "long: a short fault campaign"]
fn faults_with_postgres_lose_nothing() {
    run(StoreKind::Postgres);
}
