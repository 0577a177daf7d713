//! What is measured: for every family of games the counted positions and the random games.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use noughts_rules::{AnyTimeline, Variant, dispatch, perft};

use crate::plain::Plain;
use crate::playout::{Random, Tally, playout};

/// Each name with the random games that are one workload, and what they come to.
const GAMES: [(&str, u32, Tally); 7] = [
    ("3x3k3", 100_000, tally(762_368, 58_667)),
    ("4x4k4", 50_000, tally(727_868, 15_770)),
    ("7x6k4+gravity", 50_000, tally(1_064_187, 27_753)),
    ("15x15k5", 5_000, tally(543_141, 2_563)),
    ("3x3k3p3", 100_000, tally(871_968, 9_565)),
    ("multi", 20_000, tally(1_241_606, 8_762)),
    ("ultimate", 20_000, tally(1_177_563, 8_160)),
];

const fn tally(plays: u64, first_won: u64) -> Tally {
    Tally { plays, first_won }
}

/// The largest known count that is one workload; a longer measurement repeats it.
const MOST: u64 = 12_000_000;

/// Runs once, asserts that it came to the right number, and returns it.
pub(crate) type Job = Box<dyn FnMut() -> u64>;

pub(crate) struct Workload {
    pub(crate) name: String,
    pub(crate) ours: Job,
    /// The same by a plain loop, where there is one.
    pub(crate) plain: Option<Job>,
}

pub(crate) fn workloads() -> Vec<Workload> {
    let perfts = GAMES.iter().map(|&(name, ..)| counting(name));
    let playouts = GAMES
        .iter()
        .map(|&(name, games, tally)| playing(name, games, tally));
    perfts.chain(playouts).collect()
}

/// The job of this name; `plain-` before a workload's is the plain loop's.
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
    let any = timeline(name);
    let ours = move || dispatch!(&any, t => perft(t.rules(), black_box(t.present()), depth));
    let plain = match name {
        "multi" => Some(checked(known, move || {
            black_box(Plain::<false>::start()).perft(depth)
        })),
        "ultimate" => Some(checked(known, move || {
            black_box(Plain::<true>::start()).perft(depth)
        })),
        _ => None,
    };
    Workload {
        name: format!("perft-{name}"),
        ours: checked(known, ours),
        plain,
    }
}

fn checked(known: u64, mut count: impl FnMut() -> u64 + 'static) -> Job {
    Box::new(move || {
        let counted = count();
        assert_eq!(counted, known);
        counted
    })
}

fn playing(name: &str, games: u32, known: Tally) -> Workload {
    let any = timeline(name);
    let ours = move || {
        dispatch!(&any, t => repeated(games, |random, tally| {
            let mut position = black_box(t.present()).clone();
            playout(t.rules(), &mut position, random, tally);
        }))
    };
    fn plain<const ULTIMATE: bool>(games: u32) -> Tally {
        repeated(games, |random, tally| {
            black_box(Plain::<ULTIMATE>::start()).playout(random, tally)
        })
    }
    let plain = match name {
        "multi" => Some(agreed(known, move || plain::<false>(games))),
        "ultimate" => Some(agreed(known, move || plain::<true>(games))),
        _ => None,
    };
    Workload {
        name: format!("playouts-{name}"),
        ours: agreed(known, ours),
        plain,
    }
}

/// Plays games one after the other, the same ones every time.
fn repeated(games: u32, mut play: impl FnMut(&mut Random, &mut Tally)) -> Tally {
    let (mut random, mut tally) = (Random(0x9e37_79b9_7f4a_7c15), Tally::default());
    for _ in 0..games {
        play(&mut random, &mut tally);
    }
    tally
}

fn agreed(known: Tally, mut games: impl FnMut() -> Tally + 'static) -> Job {
    Box::new(move || {
        let tally = games();
        assert_eq!(tally, known);
        tally.plays
    })
}

fn timeline(name: &str) -> AnyTimeline {
    AnyTimeline::new(&variant(name))
}

fn variant(name: &str) -> Variant {
    name.parse().expect("the names here are names")
}

/// The depth and the largest fitting count of the file about this variant in `testdata/perft`.
fn known_count(name: &str) -> (u32, u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/perft");
    let files = fs::read_dir(&folder).expect("the folder of known counts");
    let heading = format!("variant {name}");
    files
        .map(|file| fs::read_to_string(file.expect("a file").path()).expect("a text"))
        .filter(|text| text.lines().any(|line| line == heading))
        .flat_map(|text| text.lines().filter_map(depth_and_count).collect::<Vec<_>>())
        .filter(|&(_, count)| count <= MOST)
        .max_by_key(|&(_, count)| count)
        .unwrap_or_else(|| panic!("nothing in {} is about {name}", folder.display()))
}

fn depth_and_count(line: &str) -> Option<(u32, u64)> {
    let (depth, count) = line.split_once(' ')?;
    Some((depth.parse().ok()?, count.parse().ok()?))
}
