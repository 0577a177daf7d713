//! Each file in `testdata/perft` has the perft numbers of a variant.

use std::fs;
use std::path::Path;

use noughts_rules::{AnyTimeline, Variant, dispatch, divide, perft};

/// Larger counts are checked only by the long test.
const PLAYED_ALWAYS: u64 = 60_000_000;

struct Case {
    variant: Variant,
    /// Depth and count.
    counts: Vec<(u32, u64)>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/perft");
    let files = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let cases: Vec<Case> = files
        .map(|path| read(&fs::read_to_string(path).unwrap()))
        .collect();
    assert!(cases.len() >= 7, "{} has lost its files", folder.display());
    cases
}

fn read(text: &str) -> Case {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let variant = lines
        .next()
        .unwrap()
        .strip_prefix("variant ")
        .unwrap()
        .parse()
        .unwrap();
    let number = |word: &str| word.replace('_', "").parse::<u64>().unwrap();
    let count = |line: &str| {
        let (depth, count) = line.split_once(' ').unwrap();
        (number(depth) as u32, number(count))
    };
    Case {
        variant,
        counts: lines.map(count).collect(),
    }
}

fn check(wanted: impl Fn(u64) -> bool) {
    for Case { variant, counts } in cases() {
        for (depth, count) in counts.into_iter().filter(|(_, count)| wanted(*count)) {
            let any = AnyTimeline::new(&variant);
            let counted = dispatch!(&any, t => perft(t.rules(), t.present(), depth));
            assert_eq!(counted, count, "{variant} to depth {depth}");
        }
    }
}

#[test]
fn perft_agrees_with_every_file() {
    check(|count| count <= PLAYED_ALWAYS);
}

#[test]
#[ignore = "long: the counts of many millions"]
fn perft_agrees_with_every_file_completely() {
    check(|count| count > PLAYED_ALWAYS);
}

#[test]
fn divide_adds_up_to_perft() {
    for name in ["3x3k3", "7x6k4+gravity", "multi@4", "3x3k3p3"] {
        let any = AnyTimeline::new(&name.parse().unwrap());
        dispatch!(&any, t => {
            let parts = divide(t.rules(), t.present(), 4);
            let sum: u64 = parts.iter().map(|(_, count)| count).sum();
            assert_eq!(sum, perft(t.rules(), t.present(), 4));
            assert!(parts.len() >= 7);
            assert!(divide(t.rules(), t.present(), 0).is_empty());
        });
    }
}
