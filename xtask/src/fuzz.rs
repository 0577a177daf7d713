//! The fuzz targets: one part each, for `cargo xtask fuzz` and for the long suite.

use std::fs;
use std::path::Path;

use crate::need::{CARGO_FUZZ, CPLUSPLUS, NIGHTLY, Need};
use crate::part::{Part, run_all};
use crate::shell::Shell;
use crate::step::Step;

const NEEDS: [Need; 3] = [NIGHTLY, CARGO_FUZZ, CPLUSPLUS];

/// Fuzzes one target, or all in turn; true when none of them found anything.
pub fn run(
    root: &Path,
    target: Option<&str>,
    seconds: u32,
    shell: &mut dyn Shell,
) -> Result<bool, String> {
    let chosen = choose(targets(root), target)?;
    let summary = run_all(&parts(&chosen, seconds, root), shell);
    print!("{summary}");
    Ok(summary.is_good())
}

/// The names of the targets there are: one file each, in alphabetical order.
pub fn targets(root: &Path) -> Vec<String> {
    let Ok(files) = fs::read_dir(root.join("fuzz/fuzz_targets")) else {
        return Vec::new();
    };
    let mut names: Vec<String> = files
        .filter_map(|file| {
            file.ok()?
                .file_name()
                .to_str()?
                .strip_suffix(".rs")
                .map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

fn choose(targets: Vec<String>, wanted: Option<&str>) -> Result<Vec<String>, String> {
    match wanted {
        None => Ok(targets),
        Some(name) if targets.iter().any(|target| target == name) => Ok(vec![name.to_owned()]),
        Some(name) if targets.is_empty() => Err(format!(
            "no fuzz target `{name}`: there is none at all in fuzz/fuzz_targets"
        )),
        Some(name) => Err(format!(
            "no fuzz target `{name}`: there are {}",
            targets.join(", ")
        )),
    }
}

/// A part for each target. Without any there is one part that cannot run: a run that was asked to
/// fuzz and fuzzed nothing must not look good.
pub fn parts(targets: &[String], seconds: u32, root: &Path) -> Vec<Part> {
    if targets.is_empty() {
        return vec![Part::new("fuzz (no targets)", &NEEDS, Vec::new())];
    }
    let part = |target: &String| {
        let seeded = root.join("fuzz/seeds").join(target).is_dir();
        Part::new(
            &format!("fuzz {target}"),
            &NEEDS,
            steps(target, seconds, seeded),
        )
    };
    targets.iter().map(part).collect()
}

/// What is found goes into the first directory, which is not kept in the repository; seeds are
/// only read. libFuzzer wants the first to exist when it is named.
fn steps(target: &str, seconds: u32, seeded: bool) -> Vec<Step> {
    let mut fuzz = Step::new("cargo +nightly fuzz run").with([target]);
    let mut steps = Vec::new();
    if seeded {
        steps.push(Step::new("mkdir -p").with([format!("fuzz/corpus/{target}")]));
        fuzz = fuzz.with([
            format!("fuzz/corpus/{target}"),
            format!("fuzz/seeds/{target}"),
        ]);
    }
    let limit = format!("-max_total_time={seconds}");
    // Quiet but for the totals: without this there is a line for every new input.
    steps.push(fuzz.with([
        "--",
        &limit,
        "-rss_limit_mb=2048",
        "-verbosity=0",
        "-print_final_stats=1",
    ]));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(steps: &[Step]) -> Vec<String> {
        steps.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn seeds_come_after_the_corpus() {
        let options = "-- -max_total_time=7 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1";
        assert_eq!(
            shown(&steps("t", 7, false)),
            [format!("cargo +nightly fuzz run t {options}")]
        );
        let seeded = format!("cargo +nightly fuzz run t fuzz/corpus/t fuzz/seeds/t {options}");
        assert_eq!(
            shown(&steps("t", 7, true)),
            ["mkdir -p fuzz/corpus/t".to_owned(), seeded]
        );
    }

    #[test]
    fn an_unknown_target_is_refused_with_the_known_ones() {
        let targets = || vec!["roundtrip".to_owned(), "survives".to_owned()];
        assert_eq!(choose(targets(), None), Ok(targets()));
        assert_eq!(
            choose(targets(), Some("survives")),
            Ok(vec!["survives".to_owned()])
        );
        let refusal = choose(targets(), Some("survive")).expect_err("no such target");
        assert_eq!(
            refusal,
            "no fuzz target `survive`: there are roundtrip, survives"
        );
        assert!(
            choose(Vec::new(), Some("any")).is_err_and(|refusal| refusal.contains("none at all"))
        );
    }

    #[test]
    fn fuzzing_nothing_is_a_part_that_cannot_run() {
        let parts = parts(&[], 1, crate::root());
        assert!(parts.len() == 1 && parts[0].steps.is_empty());
    }
}
