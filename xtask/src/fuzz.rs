//! `cargo xtask fuzz`: one part per fuzz target.

use std::fs;

use crate::test::{Part, part, run_parts};
use crate::tools::{CARGO_FUZZ, CPLUSPLUS, NIGHTLY};

/// When a target ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Seconds(u32),
    Inputs(u32),
}

impl Limit {
    /// Parses an option of `cargo xtask fuzz`.
    pub(crate) fn parse(option: &str, text: &str) -> Result<Limit, String> {
        // Zero is refused, because it means "no limit" to libFuzzer.
        let number = text.parse::<u32>().ok();
        let number = number.filter(|number| (1..=i32::MAX.unsigned_abs()).contains(number));
        let number =
            number.ok_or_else(|| format!("{option} takes a whole number from 1 to 2147483647"))?;
        match option {
            "--seconds" => Ok(Limit::Seconds(number)),
            "--inputs" => Ok(Limit::Inputs(number)),
            _ => Err(format!(
                "unknown option {option}: the limits are --seconds N and --inputs N"
            )),
        }
    }

    /// The limit as an option of libFuzzer.
    fn option(self) -> String {
        match self {
            Limit::Seconds(seconds) => format!("-max_total_time={seconds}"),
            Limit::Inputs(inputs) => format!("-runs={inputs}"),
        }
    }
}

/// Fuzzes one target, or all targets. Returns true if no fault was found.
pub(crate) fn run(target: Option<&str>, limit: Limit) -> Result<bool, String> {
    let parts = parts(target, limit);
    match parts.is_empty() {
        true => Err(format!(
            "there is no such fuzz target: the targets are {}",
            targets().join(", ")
        )),
        false => Ok(run_parts(&parts)),
    }
}

pub(crate) fn parts(wanted: Option<&str>, limit: Limit) -> Vec<Part> {
    let limit = limit.option();
    let is_wanted = |target: &String| wanted.is_none_or(|wanted| wanted == target);
    let targets = targets().into_iter().filter(is_wanted);
    // New inputs go to the corpus, which is not in the repository. Seeds are only read.
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
                // The project has no unsafe code, so a sanitizer would only make the fuzzers slower.
                &format!(
                    "cargo +nightly fuzz run --sanitizer none {target} {corpus} {seeds} -- {limit} \
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
