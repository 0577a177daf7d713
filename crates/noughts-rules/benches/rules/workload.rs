//! The workloads: perft and random playouts for the variants in [`VARIANTS`].

use std::fs;
use std::hint::black_box;
use std::path::Path;

use noughts_rules::{AnyTimeline, dispatch, perft};

use crate::plain;
use crate::playout::{Tally, playouts};
use crate::rounds::Job;

/// Variants with the number of random games per workload, and their expected results.
const VARIANTS: [(&str, u32, Tally); 7] = [
    ("3x3k3", 100_000, known(762_368, 58_667)),
    ("4x4k4", 50_000, known(727_868, 15_770)),
    ("7x6k4+gravity", 50_000, known(1_064_187, 27_753)),
    ("15x15k5", 5_000, known(543_141, 2_563)),
    ("3x3k3p3", 100_000, known(871_968, 9_565)),
    ("multi", 20_000, known(1_241_606, 8_762)),
    ("ultimate", 20_000, known(1_177_563, 8_160)),
];

const fn known(plays: u64, first_won: u64) -> Tally {
    Tally { plays, first_won }
}

/// Maximum number of positions that a perft workload counts. A longer measurement repeats the workload.
const MAX_POSITIONS: u64 = 12_000_000;

pub(crate) struct Workload {
    pub(crate) name: String,
    pub(crate) ours: Job,
    /// The same workload by the hand-written loop, if there is one.
    pub(crate) plain: Option<Job>,
}

pub(crate) fn workloads() -> Vec<Workload> {
    let counting = VARIANTS.map(|(name, ..)| counting(name));
    let playing = VARIANTS.map(|(name, games, known)| playing(name, games, known));
    counting.into_iter().chain(playing).collect()
}

/// The job with this name; the prefix `plain-` selects the hand-written loop. The job `nothing` does nothing.
pub(crate) fn job(name: &str) -> Option<Job> {
    if name == "nothing" {
        return Some(Box::new(|| 0));
    }
    workloads().into_iter().find_map(|one| {
        if one.name == name {
            return Some(one.ours);
        }
        one.plain
            .filter(|_| name.strip_prefix("plain-") == Some(&one.name))
    })
}

fn counting(name: &str) -> Workload {
    let (depth, known) = known_count(name);
    let check = |count: fn(u32) -> u64| -> Job {
        Box::new(move || {
            assert_eq!(count(depth), known);
            known
        })
    };
    let any = timeline(name);
    Workload {
        name: format!("perft-{name}"),
        ours: Box::new(move || {
            let count = dispatch!(&any, t => perft(t.rules(), black_box(t.present()), depth));
            assert_eq!(count, known);
            known
        }),
        plain: match name {
            "multi" => Some(check(plain::perft::<false>)),
            "ultimate" => Some(check(plain::perft::<true>)),
            _ => None,
        },
    }
}

fn playing(name: &str, games: u32, known: Tally) -> Workload {
    let check = |play: fn(u32) -> Tally| -> Job {
        Box::new(move || {
            assert_eq!(play(games), known);
            known.plays
        })
    };
    let any = timeline(name);
    Workload {
        name: format!("playouts-{name}"),
        ours: Box::new(move || {
            let tally = dispatch!(&any, t => playouts(t.rules(), t.present(), games));
            assert_eq!(tally, known);
            known.plays
        }),
        plain: match name {
            "multi" => Some(check(plain::playouts::<false>)),
            "ultimate" => Some(check(plain::playouts::<true>)),
            _ => None,
        },
    }
}

fn timeline(name: &str) -> AnyTimeline {
    AnyTimeline::new(&name.parse().expect("a variant"))
}

/// Depth and count of the largest known count that is at most [`MAX_POSITIONS`], from the variant's file in
/// `testdata/perft`.
fn known_count(name: &str) -> (u32, u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/perft");
    let files = fs::read_dir(&folder).expect("the folder of known counts");
    let heading = format!("variant {name}");
    files
        .map(|file| fs::read_to_string(file.expect("a file").path()).expect("a text"))
        .filter(|text| text.lines().any(|line| line == heading))
        .flat_map(|text| text.lines().filter_map(depth_and_count).collect::<Vec<_>>())
        .filter(|&(_, count)| count <= MAX_POSITIONS)
        .max_by_key(|&(_, count)| count)
        .unwrap_or_else(|| panic!("nothing in {} is about {name}", folder.display()))
}

fn depth_and_count(line: &str) -> Option<(u32, u64)> {
    let (depth, count) = line.split_once(' ')?;
    Some((depth.parse().ok()?, count.parse().ok()?))
}
