//! `cargo xtask`: tests, benches, fuzzing, mutants, fault campaigns and packages of the workspace, and the opening
//! books of Connect Four.
//!
//! Except for its tests, xtask has no dependencies, because it is the first thing that is built on a new machine.

mod bench;
mod campaign;
mod dist;
mod fuzz;
mod mutant_sample;
mod mutants;
mod shell;
mod test;
mod tools;

use std::path::Path;
use std::process::ExitCode;

use fuzz::Limit;

const USAGE: &str = "\
cargo xtask test [--long] [PART...]       the tests of all parts, or of these; installs missing tools
                                          --long: also long tests, mutants, 60 s per fuzz target, the
                                          package test and cargo deny
cargo xtask bench [NAME [ARGUMENT...]]    times and instruction counts; without NAME, the list of benches
cargo xtask fuzz [TARGET] [--seconds N | --inputs N]
                                          one fuzz target, or all; by default 60 s each
cargo xtask mutants [WORD]                mutants of the solver and the proof checker that the tests must detect
cargo xtask mutants --sample N [--seed S] a sample of the mutants that cargo-mutants finds in the rules, the wire session
                                          and the table; an interrupted run continues
cargo xtask campaign [--seed S] [--faults N] [--store sqlite|postgres] [--resume]
                                          kills and other faults while clients play; by default 100 with each store
cargo xtask campaign --mutants            puts faults into the server that the campaign must detect
cargo xtask dist [--profile NAME]         a tarball and a Debian package in target/dist; the default profile is release
cargo xtask dist --test [BEFORE.deb]      installs, upgrades and removes that package in a fresh Debian; as root
cargo xtask book [--board WxH] [--pack | --openings [--part I/N] [--known FILE] | --check N]
                                          the opening books of Connect Four; an interrupted run continues
";

const FUZZ_LIMIT: Limit = Limit::Seconds(60);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(misuse) => {
            eprintln!("xtask: {misuse}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether everything passed. An error says why the command could not run to its end, for example because the
/// arguments are wrong or a build failed.
fn run(arguments: &[&str]) -> Result<bool, String> {
    match arguments {
        []
        | ["-h" | "--help" | "help", ..]
        | [
            "test" | "fuzz" | "mutants" | "campaign",
            "-h" | "--help",
            ..,
        ] => {
            print!("{USAGE}");
            Ok(true)
        }
        ["test", rest @ ..] => {
            let is_long = rest.contains(&"--long");
            let parts: Vec<&str> = rest
                .iter()
                .copied()
                .filter(|word| *word != "--long")
                .collect();
            test::run(is_long, &parts)
        }
        ["bench"] => {
            print!("{}", bench::list());
            Ok(true)
        }
        ["bench", name, rest @ ..] => bench::run(name, rest.strip_prefix(&["--"]).unwrap_or(rest)),
        ["fuzz"] => fuzz::run(None, FUZZ_LIMIT),
        ["fuzz", target] => fuzz::run(Some(target), FUZZ_LIMIT),
        ["fuzz", option, number] => fuzz::run(None, Limit::parse(option, number)?),
        ["fuzz", target, option, number] => fuzz::run(Some(target), Limit::parse(option, number)?),
        ["book", rest @ ..] => {
            let words: Vec<String> = rest.iter().map(|word| shell::quote(word)).collect();
            let program =
                "cargo run --release --locked -p noughts-engine --features book --example book";
            shell::run(&format!("{program} -- {}", words.join(" "))).map(|()| true)
        }
        ["dist"] => dist::run("release"),
        ["dist", "--profile", profile] => dist::run(profile),
        ["dist", "--test"] => dist::test(None),
        ["dist", "--test", before] => dist::test(Some(before)),
        ["campaign", rest @ ..] => campaign::run(rest),
        ["mutants"] => mutants::run(None),
        ["mutants", "--sample", size] => mutant_sample::run(parse("--sample", size)?, 1),
        ["mutants", "--sample", size, "--seed", seed] => {
            mutant_sample::run(parse("--sample", size)?, parse("--seed", seed)?)
        }
        ["mutants", word] => mutants::run(Some(word)),
        _ => Err(format!("unknown arguments; usage:\n{USAGE}")),
    }
}

fn parse<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    let number = text.parse();
    number.map_err(|_| format!("{option} takes a whole number"))
}

/// The root of the repository, where all commands run.
fn root() -> &'static Path {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("xtask is a folder of the repository")
}
