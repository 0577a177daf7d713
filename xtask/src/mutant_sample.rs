//! `cargo xtask mutants --sample`: a seeded sample of the mutants that cargo-mutants finds, tested one after another.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::shell;
use crate::tools::{CARGO_MUTANTS, Toolbox};

/// One group of source files, and the tests that must detect its mutants.
struct Subject {
    name: &'static str,
    package: &'static str,
    files: &'static [&'static str],
    tests: &'static str,
    /// Unoptimised tests are slower, but build faster.
    opt_level: u32,
}

const SUBJECTS: [Subject; 3] = [
    Subject {
        name: "rules",
        package: "noughts-rules",
        files: &["crates/noughts-rules/src/**/*.rs"],
        tests: "--lib --tests",
        opt_level: 2,
    },
    Subject {
        name: "wire",
        package: "noughts-wire",
        files: &[
            "crates/noughts-wire/src/decode.rs",
            "crates/noughts-wire/src/encode.rs",
            "crates/noughts-wire/src/session.rs",
            "crates/noughts-wire/src/session/*.rs",
        ],
        tests: "--lib --tests",
        opt_level: 0,
    },
    Subject {
        name: "table",
        package: "noughts-server",
        files: &[
            "crates/noughts-server/src/table.rs",
            "crates/noughts-server/src/table/*.rs",
        ],
        tests: "--lib --test table",
        opt_level: 0,
    },
];

const FOLDER: &str = "target/mutants";

/// Tests `size` mutants that the seed draws from all subjects. Returns whether all of them were detected. Mutants that
/// an earlier run detected, or that do not build, are not tested again.
pub(crate) fn run(size: usize, seed: u64) -> Result<bool, String> {
    Toolbox::default().require(CARGO_MUTANTS)?;
    let mut all = Vec::new();
    for subject in &SUBJECTS {
        let listed = shell::read(&format!("{} --list", command(subject)))?;
        all.extend(listed.lines().map(|name| (subject.name, name.to_owned())));
    }
    println!("{} mutants, sample of {size}, seed {seed}", all.len());
    let sample = draw(all, size, seed);
    let mut is_detected = true;
    for subject in &SUBJECTS {
        let of_subject = sample.iter().filter(|(name, _)| *name == subject.name);
        let names: Vec<&str> = of_subject.map(|(_, mutant)| mutant.as_str()).collect();
        if !names.is_empty() {
            is_detected &= test(subject, &names)?;
        }
    }
    Ok(is_detected)
}

/// Tests the mutants of one subject, and prints those that its tests do not detect. Returns true if all are detected.
fn test(subject: &Subject, mutants: &[&str]) -> Result<bool, String> {
    let folder = format!("{FOLDER}/{}", subject.name);
    let before = Results::read(&folder, mutants);
    let left: Vec<&str> = mutants
        .iter()
        .copied()
        .filter(|name| !before.is_settled(name))
        .collect();
    let tested = match left.is_empty() {
        true => Ok(()),
        false => test_with_cargo_mutants(subject, &folder, &left),
    };
    let results = Results::read(&folder, mutants);
    println!(
        "{}: {} mutants, {} detected by a test, {} by a timeout, {} do not build, {} not detected",
        subject.name,
        mutants.len(),
        results.caught.len(),
        results.timeout.len(),
        results.unviable.len(),
        results.missed.len()
    );
    for name in &results.missed {
        println!("   not detected: {name}");
    }
    match results.count() < mutants.len() {
        // The run was interrupted, or the tests fail without a mutant.
        true => tested.map(|()| false),
        false => Ok(results.missed.is_empty()),
    }
}

/// Tests mutants with cargo-mutants. Each run has its own folder of results, so that an interrupted run loses nothing.
fn test_with_cargo_mutants(
    subject: &Subject,
    folder: &str,
    mutants: &[&str],
) -> Result<(), String> {
    let run = format!("{folder}/run-{}", runs(folder).len() + 1);
    let config = format!("{run}/sample.toml");
    let failed = |error| format!("{config}: {error}");
    fs::create_dir_all(crate::root().join(&run)).map_err(failed)?;
    fs::write(crate::root().join(&config), patterns(mutants)).map_err(failed)?;
    shell::run(&format!(
        "CARGO_TARGET_DIR=\"$PWD/{FOLDER}/target\" CARGO_INCREMENTAL=1 \
         CARGO_PROFILE_DEV_OPT_LEVEL={} CARGO_PROFILE_DEV_DEBUG=0 \
         {} --config {config} --output {run} --gitignore=true --no-shuffle -- {}",
        subject.opt_level,
        command(subject),
        subject.tests
    ))
}

fn runs(folder: &str) -> Vec<PathBuf> {
    let runs = fs::read_dir(crate::root().join(folder));
    let runs = runs.into_iter().flatten().flatten();
    runs.map(|run| run.path().join("mutants.out")).collect()
}

/// The results of all runs for a sample.
struct Results {
    caught: BTreeSet<String>,
    timeout: BTreeSet<String>,
    /// Mutants that do not build.
    unviable: BTreeSet<String>,
    /// Mutants that no run has detected.
    missed: BTreeSet<String>,
}

impl Results {
    fn read(folder: &str, sample: &[&str]) -> Results {
        let names = |file: &str| -> BTreeSet<String> {
            let files = runs(folder).into_iter().map(|run| run.join(file));
            let texts = files.filter_map(|file| fs::read_to_string(file).ok());
            let texts: Vec<String> = texts.collect();
            let names = texts.iter().flat_map(|text| text.lines());
            let names = names.filter(|name| sample.contains(name));
            names.map(str::to_owned).collect()
        };
        let mut results = Results {
            caught: names("caught.txt"),
            timeout: names("timeout.txt"),
            unviable: names("unviable.txt"),
            missed: BTreeSet::new(),
        };
        let missed = names("missed.txt").into_iter();
        results.missed = missed.filter(|name| !results.is_settled(name)).collect();
        results
    }

    /// Whether a mutant need not be tested again. A mutant that was not detected is tested again, because tests may
    /// have been added since.
    fn is_settled(&self, name: &str) -> bool {
        let sets = [&self.caught, &self.timeout, &self.unviable];
        sets.iter().any(|set| set.contains(name))
    }

    fn count(&self) -> usize {
        self.caught.len() + self.timeout.len() + self.unviable.len() + self.missed.len()
    }
}

fn command(subject: &Subject) -> String {
    let files = subject.files.iter().map(|file| format!("--file '{file}'"));
    let files: Vec<String> = files.collect();
    format!(
        "cargo mutants --package {} {}",
        subject.package,
        files.join(" ")
    )
}

/// The configuration of cargo-mutants that selects these mutants: one regular expression per name.
fn patterns(mutants: &[&str]) -> String {
    let pattern = |name: &&str| {
        let escape = |letter: char| match r"\.+*?()|[]{}^$".contains(letter) {
            true => format!("\\{letter}"),
            false => letter.to_string(),
        };
        format!(
            "'''^{}$''',\n",
            name.chars().map(escape).collect::<String>()
        )
    };
    let patterns: String = mutants.iter().map(pattern).collect();
    format!("examine_re = [\n{patterns}]\n")
}

/// Draws a sample without repetition (Fisher–Yates, splitmix64).
fn draw<T>(mut all: Vec<T>, size: usize, mut seed: u64) -> Vec<T> {
    let size = size.min(all.len());
    for at in 0..size {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let left = (all.len() - at) as u64;
        let chosen = at + ((mixed ^ (mixed >> 31)) % left) as usize;
        all.swap(at, chosen);
    }
    all.truncate(size);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_no_repetition_and_depends_on_the_seed() {
        let all: Vec<u32> = (0..1000).collect();
        let sample = draw(all.clone(), 300, 7);
        let distinct: BTreeSet<&u32> = sample.iter().collect();
        assert_eq!(distinct.len(), 300);
        assert_eq!(draw(all.clone(), 300, 7), sample);
        assert_ne!(draw(all.clone(), 300, 8), sample);
        assert_eq!(draw(all, 2000, 7).len(), 1000);
    }

    #[test]
    fn a_pattern_matches_its_mutant_only() {
        // `<` stays as it is, because `\<` would match the beginning of a word.
        assert_eq!(
            patterns(&["a.rs:1:2: replace < with == in f -> [u8; 2]"]),
            "examine_re = [\n'''^a\\.rs:1:2: replace < with == in f -> \\[u8; 2\\]$''',\n]\n"
        );
    }
}
