//! `cargo xtask test`: the parts of the test suite, and their summary.

use std::time::{Duration, Instant};

use crate::tools::{
    BINUTILS, CARGO_DENY, CHROMIUM, CLIPPY, CPLUSPLUS, CURL, DEBOOTSTRAP, FAKETIME, JDK, JQ,
    NEXTEST, NODE, NPM, OPENSSL, PAGE_TOOLS, POSTGRESQL, PYTHON, PYTHON_TOOLS, RUSTFMT,
    SLOWHTTPTEST, STRACE, Tool, Toolbox,
};

/// One part of the suite: command lines, and the tools that they need.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) tools: Vec<Tool>,
    pub(crate) steps: Vec<String>,
}

pub(crate) fn part(name: &str, tools: &[Tool], steps: &[&str]) -> Part {
    Part {
        name: name.to_owned(),
        tools: tools.to_vec(),
        steps: steps.iter().map(|step| (*step).to_owned()).collect(),
    }
}

/// The parts of a run without `--long`.
fn parts() -> Vec<Part> {
    vec![
        part(
            "format",
            &[RUSTFMT],
            &[
                "cargo fmt --all --check",
                "cargo fmt --manifest-path fuzz/Cargo.toml --check",
                "cargo fmt --manifest-path bench/Cargo.toml --check",
            ],
        ),
        part(
            "lints",
            &[CLIPPY],
            &["cargo clippy --workspace --all-targets --locked -- -D warnings"],
        ),
        part(
            "tests",
            &[NEXTEST, JDK, OPENSSL, POSTGRESQL, PYTHON, STRACE],
            &["cargo nextest run --workspace --locked"],
        ),
        // Tests of the HTTP API with third-party tools. `--workspace` avoids another build.
        part(
            "external-tools",
            &[
                NEXTEST,
                PYTHON,
                PYTHON_TOOLS,
                CURL,
                JQ,
                NODE,
                NPM,
                PAGE_TOOLS,
                SLOWHTTPTEST,
            ],
            &[
                "cargo nextest run --workspace --locked --run-ignored only -E 'binary(external_tools)'",
            ],
        ),
        // Examples in doc comments, which nextest does not run.
        part("examples", &[], &["cargo test --doc --workspace --locked"]),
        part(
            "docs",
            &[],
            &["RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked"],
        ),
        part(
            "page",
            &[
                NODE, NPM, CHROMIUM, OPENSSL, PAGE_TOOLS, POSTGRESQL, NEXTEST,
            ],
            &[
                "npm run --silent --prefix web check",
                "npm run --silent --prefix web units",
                // Builds the server. After the part `tests`, the server is already built.
                "cargo nextest run --workspace --locked --no-run",
                "npm run --silent --prefix web browser",
            ],
        ),
        // A separate workspace. The stable compiler is enough to check it.
        part(
            "fuzz-targets",
            &[CLIPPY, CPLUSPLUS],
            &[
                "cargo clippy --manifest-path fuzz/Cargo.toml --target-dir target/fuzz-check --locked -- -D warnings",
            ],
        ),
    ]
}

fn long_parts() -> Vec<Part> {
    let mut parts = vec![
        part(
            "long-tests",
            &[NEXTEST, FAKETIME, JDK, POSTGRESQL, PYTHON, STRACE],
            &[
                "cargo nextest run --workspace --locked --run-ignored only -E 'not binary(external_tools)'",
            ],
        ),
        part("mutants", &[NEXTEST], &["cargo xtask mutants"]),
        part(
            "dependencies",
            &[CARGO_DENY],
            &["cargo deny --locked check licenses bans sources"],
        ),
        // Needs root for the chroot.
        part(
            "packages",
            &[BINUTILS, DEBOOTSTRAP, CURL, JQ],
            &["cargo xtask dist", "cargo xtask dist --test"],
        ),
    ];
    parts.extend(crate::fuzz::parts(None, crate::FUZZ_LIMIT));
    parts
}

/// Runs the parts with these names, or all parts. Returns whether all of them passed.
pub(crate) fn run(is_long: bool, names: &[&str]) -> Result<bool, String> {
    let mut all = parts();
    if is_long {
        all.extend(long_parts());
    }
    if let Some(name) = names
        .iter()
        .find(|name| all.iter().all(|part| part.name != **name))
    {
        let known: Vec<&str> = all.iter().map(|part| part.name.as_str()).collect();
        return Err(format!(
            "there is no part `{name}`: the parts are {}",
            known.join(", ")
        ));
    }
    all.retain(|part| names.is_empty() || names.contains(&part.name.as_str()));
    let passed = run_parts(&all);
    if !is_long && names.is_empty() {
        println!(
            "   not included: long tests, mutants, fuzzing, the package test and cargo deny (cargo xtask test --long)"
        );
    }
    Ok(passed)
}

enum Outcome {
    Passed,
    Failed(Vec<String>),
    /// Tools are missing and cannot be installed, for these reasons.
    NotRun(Vec<String>),
}

/// Runs every part, even after a failure, and prints a summary. Returns whether all parts passed.
pub(crate) fn run_parts(parts: &[Part]) -> bool {
    let mut toolbox = Toolbox::default();
    let mut results: Vec<(&str, Outcome, Duration)> = Vec::new();
    for part in parts {
        eprintln!("── {}", part.name);
        let start = Instant::now();
        let outcome = run_part(part, &mut toolbox);
        results.push((&part.name, outcome, start.elapsed()));
    }
    println!("── summary");
    for (name, outcome, time) in &results {
        let (word, reasons) = match outcome {
            Outcome::Passed => ("passed", &[][..]),
            Outcome::Failed(reasons) => ("FAILED", &reasons[..]),
            Outcome::NotRun(reasons) => ("COULD NOT RUN", &reasons[..]),
        };
        println!("   {name:20}  {word:13}  {:5} s", time.as_secs());
        reasons.iter().for_each(|reason| println!("      {reason}"));
    }
    let is_passed =
        |(_, outcome, _): &&(&str, Outcome, Duration)| matches!(outcome, Outcome::Passed);
    let passed = results.iter().filter(is_passed).count();
    println!("   {passed} of {} passed", parts.len());
    passed == parts.len() && passed > 0
}

fn run_part(part: &Part, toolbox: &mut Toolbox) -> Outcome {
    let tools = part.tools.iter();
    let missing: Vec<String> = tools
        .filter_map(|tool| toolbox.require(*tool).err())
        .collect();
    if !missing.is_empty() {
        return Outcome::NotRun(missing);
    }
    let steps = part.steps.iter();
    let failed: Vec<String> = steps
        .filter_map(|step| crate::shell::run(step).err())
        .collect();
    match failed.is_empty() {
        true => Outcome::Passed,
        false => Outcome::Failed(failed),
    }
}
