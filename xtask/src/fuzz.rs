//! `cargo xtask fuzz`: one part per fuzz target.

use std::fs;

use crate::test::{Part, part, run_parts};
use crate::tools::{CARGO_FUZZ, CPLUSPLUS, NIGHTLY};

/// Fuzzes one target, or all; returns whether nothing was found.
pub(crate) fn run(target: Option<&str>, seconds: u32) -> Result<bool, String> {
    let parts = parts(target, seconds);
    match parts.is_empty() {
        true => Err(format!(
            "there is no such fuzz target: the targets are {}",
            targets().join(", ")
        )),
        false => Ok(run_parts(&parts)),
    }
}

pub(crate) fn parts(wanted: Option<&str>, seconds: u32) -> Vec<Part> {
    let is_wanted = |target: &String| wanted.is_none_or(|wanted| wanted == target);
    let targets = targets().into_iter().filter(is_wanted);
    // New inputs go to the corpus, which is not in the repository; seeds are only read.
    let fuzz = |target: String| {
        let (corpus, seeds) = (
            format!("fuzz/corpus/{target}"),
            format!("fuzz/seeds/{target}"),
        );
        let seeds = if crate::root().join(&seeds).is_dir() {
            &seeds
        } else {
            ""
        };
        part(
            &format!("fuzz {target}"),
            &[NIGHTLY, CARGO_FUZZ, CPLUSPLUS],
            &[
                &format!("mkdir -p {corpus}"),
                &format!(
                    "cargo +nightly fuzz run {target} {corpus} {seeds} -- -max_total_time={seconds} \
                     -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1"
                ),
            ],
        )
    };
    targets.map(fuzz).collect()
}

fn targets() -> Vec<String> {
    let files = fs::read_dir(crate::root().join("fuzz/fuzz_targets"))
        .into_iter()
        .flatten();
    let name = |file: std::io::Result<fs::DirEntry>| {
        let name = file.ok()?.file_name().into_string().ok()?;
        name.strip_suffix(".rs").map(str::to_owned)
    };
    let mut names: Vec<String> = files.filter_map(name).collect();
    names.sort();
    names
}
