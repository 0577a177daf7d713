//! Everything that `cargo xtask test` runs.
//!
//! To add a part, add it to `parts`; what it needs and cannot find yet, to [`need`](crate::need).

use std::path::Path;

use crate::fuzz;
use crate::need::{
    CHROMIUM, CLIPPY, CPLUSPLUS, NEXTEST, NODE, NPM, PAGE_TOOLS, POSTGRESQL, PYTHON, RUSTFMT,
    SCHEMATHESIS, SLOWHTTPTEST, STRACE,
};
use crate::part::{Part, run_all};
use crate::request::FUZZ_SECONDS;
use crate::shell::Shell;
use crate::step::Step;

/// Runs the suite and shows its summary; true when every part passed.
pub fn run(root: &Path, long: bool, shell: &mut dyn Shell) -> bool {
    let summary = run_all(&suite(root, long), shell);
    print!("{summary}");
    if !long {
        println!("   not asked for: the long tests and the fuzzing (cargo xtask test --long)");
    }
    summary.is_good()
}

fn suite(root: &Path, long: bool) -> Vec<Part> {
    let mut suite = parts();
    if long {
        suite.push(long_tests());
        suite.push(Part::new(
            "mutants",
            &[NEXTEST],
            vec![Step::new("cargo xtask mutants")],
        ));
        suite.extend(fuzz::parts(&fuzz::targets(root), FUZZ_SECONDS, root));
    }
    suite
}

/// The parts that every run has, quick ones first.
fn parts() -> Vec<Part> {
    vec![
        Part::new(
            "format",
            &[RUSTFMT],
            vec![
                Step::new("cargo fmt --all --check"),
                Step::new("cargo fmt --manifest-path fuzz/Cargo.toml --check"),
                Step::new("cargo fmt --manifest-path bench/Cargo.toml --check"),
            ],
        ),
        Part::new(
            "lints",
            &[CLIPPY],
            vec![Step::new(
                "cargo clippy --workspace --all-targets --locked -- -D warnings",
            )],
        ),
        Part::new(
            "tests",
            &[NEXTEST, POSTGRESQL, PYTHON, STRACE],
            vec![Step::new("cargo nextest run --workspace --locked")],
        ),
        // Programs of others that ask what we would not think of.
        Part::new(
            "schemathesis",
            &[NEXTEST, SCHEMATHESIS, SLOWHTTPTEST],
            // Of the whole workspace, so that nothing is built anew for it.
            vec![
                Step::new("cargo nextest run --workspace --locked --run-ignored only -E")
                    .with(["binary(schemathesis)"]),
            ],
        ),
        // The doc comments' examples, which nextest does not run.
        Part::new(
            "examples",
            &[],
            vec![Step::new("cargo test --doc --workspace --locked")],
        ),
        Part::new(
            "docs",
            &[],
            vec![
                Step::new("cargo doc --workspace --no-deps --locked")
                    .set("RUSTDOCFLAGS", "-D warnings"),
            ],
        ),
        // The page in a real browser, at the program that the tests above were built with.
        Part::new(
            "page",
            &[NODE, NPM, CHROMIUM, PAGE_TOOLS, NEXTEST],
            vec![
                Step::new("npm run --silent --prefix web check"),
                Step::new("npm run --silent --prefix web units"),
                // Builds nothing anew where the tests were run before.
                Step::new("cargo nextest run --workspace --locked --no-run"),
                Step::new("npm run --silent --prefix web browser"),
            ],
        ),
        // A workspace of its own, so the lints above do not see it. Stable is enough to say that
        // the targets still build.
        Part::new(
            "fuzz targets build",
            &[CLIPPY, CPLUSPLUS],
            vec![Step::new(
                "cargo clippy --manifest-path fuzz/Cargo.toml --target-dir target/fuzz-check --locked -- -D warnings",
            )],
        ),
    ]
}

/// What is marked `#[ignore = "long: ..."]`. That there is none is said, and is no failure.
fn long_tests() -> Part {
    // schemathesis is a step of its own.
    let step =
        Step::new("cargo nextest run --workspace --locked --run-ignored only --no-tests warn -E")
            .with(["not binary(schemathesis)"]);
    let needs = &[NEXTEST, POSTGRESQL, PYTHON, STRACE];
    Part::new("long tests", needs, vec![step])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::scripted::Scripted;

    #[test]
    fn long_adds_to_the_suite_and_leaves_nothing_out() {
        let names = |long| -> Vec<String> {
            suite(crate::root(), long)
                .into_iter()
                .map(|part| part.name)
                .collect()
        };
        let (short, long) = (names(false), names(true));
        assert!(long.starts_with(&short));
        assert!(long.contains(&"long tests".to_owned()));
        assert!(
            long.iter()
                .any(|name| name.starts_with("fuzz ") && !short.contains(name))
        );
    }

    #[test]
    fn one_failure_fails_the_run_and_everything_runs() {
        // What a machine with PostgreSQL prints; a scripted shell has every other tool anyway.
        let machine = || {
            let programs = "/usr/lib/postgresql/15/bin/initdb\n";
            Scripted::default().prints("find /usr/lib/postgresql", programs, "")
        };
        let mut shell = machine().fails("cargo fmt --all");
        assert!(!run(crate::root(), false, &mut shell));
        assert!(
            shell
                .ran
                .last()
                .is_some_and(|step| step.contains("fuzz/Cargo.toml"))
        );
        assert!(run(crate::root(), false, &mut machine()));
    }
}
