//! The benches: a registry, and the two ways of measuring each.
//!
//! Times are what people feel and vary from run to run; instruction counts are exact, so that a
//! change of one in a thousand shows.

use std::fmt::Write;

use crate::instructions;
use crate::need::{Need, POSTGRESQL, VALGRIND};
use crate::shell::Shell;
use crate::step::Step;
use crate::toolbox::Toolbox;

/// One bench of the workspace.
#[derive(Debug)]
pub struct Bench {
    /// How one asks for it.
    pub name: &'static str,
    /// What it measures, in a line.
    pub about: &'static str,
    /// Where it is.
    pub place: Place,
    /// Whether it runs its workloads one by one, so that their instructions can be counted.
    pub has_workloads: bool,
    /// What it needs beyond this workspace.
    pub needs: &'static [Need],
}

/// Where a bench is.
#[derive(Debug)]
pub enum Place {
    /// A bench target of a crate.
    Target {
        /// The crate.
        package: &'static str,
        /// The target.
        target: &'static str,
    },
    /// A program in a folder that is a workspace of its own, since it needs what nobody else does.
    Apart(&'static str),
}

const BENCHES: [Bench; 10] = [
    Bench {
        name: "rules",
        about: "moves, plays and outcomes: counted positions for each family of games",
        place: Place::Target {
            package: "noughts-rules",
            target: "rules",
        },
        has_workloads: true,
        needs: &[],
    },
    Bench {
        name: "engine",
        about: "how fast the robots think, and whether they keep their time",
        place: Place::Target {
            package: "noughts-engine",
            target: "engine",
        },
        has_workloads: true,
        needs: &[],
    },
    Bench {
        name: "solve",
        about: "what games are worth, in seconds of processor time (table, or VARIANT…)",
        place: Place::Target {
            package: "noughts-engine",
            target: "solve",
        },
        has_workloads: false,
        needs: &[],
    },
    Bench {
        name: "levels",
        about: "whether each level beats the one below it, 200 games a pair (--games N, VARIANT)",
        place: Place::Target {
            package: "noughts-arena",
            target: "levels",
        },
        has_workloads: false,
        needs: &[],
    },
    Bench {
        name: "strength",
        about: "the levels' Elo with error bars (--games N, --threads N, --write, VARIANT)",
        place: Place::Target {
            package: "noughts-arena",
            target: "strength",
        },
        has_workloads: false,
        needs: &[],
    },
    Bench {
        name: "learn",
        about: "what lines of five are worth, from games (--games N, --seed N, --threads N, --write, FOLDER)",
        place: Place::Target {
            package: "noughts-arena",
            target: "learn",
        },
        has_workloads: false,
        needs: &[],
    },
    Bench {
        name: "beside",
        about: "Ultimate beside other crates: perft, playouts, match (--games N, --time TIME)",
        place: Place::Apart("bench"),
        has_workloads: false,
        needs: &[],
    },
    Bench {
        name: "start",
        about: "how long the program takes to start, beside one that does nothing",
        place: Place::Target {
            package: "noughts",
            target: "start",
        },
        has_workloads: false,
        needs: &[],
    },
    Bench {
        name: "tcp",
        about: "moves a second through the TCP door, beside an echo, and what idle connections cost",
        place: Place::Target {
            package: "noughts-server",
            target: "tcp",
        },
        has_workloads: false,
        needs: &[],
    },
    Bench {
        name: "http",
        about: "the HTTP door beside a bare handler, durable turns, WebSockets, watchers, a million games",
        place: Place::Target {
            package: "noughts-server",
            target: "http",
        },
        has_workloads: false,
        needs: &[POSTGRESQL],
    },
];

/// A line for each bench.
pub fn listing() -> String {
    BENCHES.iter().fold(String::new(), |mut lines, bench| {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{:8}  {}", bench.name, bench.about);
        lines
    })
}

/// Times a bench, then counts its instructions where it can; true when all went well.
pub fn run(name: &str, arguments: &[String], shell: &mut dyn Shell) -> Result<bool, String> {
    let bench = find(name)?;
    let mut toolbox = Toolbox::default();
    let mut needs = bench.needs.iter();
    let there = needs.try_for_each(|need| toolbox.fetch(need, shell));
    let measured = there.and_then(|()| time(bench, arguments, shell));
    let measured = measured.and_then(|()| match bench.has_workloads {
        true => count(bench, shell),
        false => Ok(()),
    });
    if let Err(why) = &measured {
        eprintln!("xtask: {why}");
    }
    Ok(measured.is_ok())
}

fn find(name: &str) -> Result<&'static Bench, String> {
    BENCHES
        .iter()
        .find(|bench| bench.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
            format!("no bench `{name}`: there is {}", names.join(", "))
        })
}

fn time(bench: &Bench, arguments: &[String], shell: &mut dyn Shell) -> Result<(), String> {
    eprintln!("── times");
    let mut step = cargo_bench(bench);
    if !arguments.is_empty() {
        step = step.with(["--"]).with(arguments);
    }
    eprintln!("   $ {step}");
    shell.run(&step).map_err(|trouble| trouble.told_of(&step))
}

fn count(bench: &Bench, shell: &mut dyn Shell) -> Result<(), String> {
    eprintln!("\n── instructions");
    Toolbox::default().fetch(&VALGRIND, shell)?;
    let program = executable(bench, shell)?;
    let counts = instructions::count(&program, shell)?;
    print!("{}", instructions::table(&counts));
    Ok(())
}

/// Where cargo put the bench: only it knows the hash in the name.
fn executable(bench: &Bench, shell: &mut dyn Shell) -> Result<String, String> {
    let step = cargo_bench(bench).with(["--no-run", "--message-format=json"]);
    let printed = shell
        .read(&step)
        .map_err(|trouble| trouble.told_of(&step))?;
    let found = match bench.place {
        Place::Target { target, .. } => executable_in(&printed.out, target),
        Place::Apart(_) => None,
    };
    found.ok_or_else(|| format!("`{step}` names no executable"))
}

fn cargo_bench(bench: &Bench) -> Step {
    match bench.place {
        Place::Target { package, target } => {
            Step::new("cargo bench --locked").with(["-p", package, "--bench", target])
        }
        Place::Apart(folder) => Step::new("cargo run --release --locked").with([
            "--manifest-path",
            &format!("{folder}/Cargo.toml"),
            "--target-dir",
            &format!("target/{folder}"),
        ]),
    }
}

/// The executable of the bench target in cargo's messages, one JSON object a line.
fn executable_in(messages: &str, target: &str) -> Option<String> {
    let name = format!(r#""name":"{target}""#);
    messages
        .lines()
        .filter(|line| line.contains(r#""kind":["bench"]"#) && line.contains(&name))
        .find_map(|line| string_after(line, r#""executable":""#))
}

/// The JSON string that begins after `key`; of the escapes only those a path can have.
fn string_after(line: &str, key: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = line[line.find(key)? + key.len()..].chars();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(rest.next()?),
            letter => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::scripted::Scripted;

    const MESSAGES: &str = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"rules"},"executable":null}
{"reason":"compiler-artifact","target":{"kind":["bench"],"name":"other"},"executable":"/t/other-1"}
{"reason":"compiler-artifact","target":{"kind":["bench"],"name":"rules"},"executable":"/t/a \"b\"\\rules-2","fresh":true}
{"reason":"build-finished","success":true}"#;

    #[test]
    fn the_executable_is_that_of_the_bench() {
        assert_eq!(
            executable_in(MESSAGES, "rules").as_deref(),
            Some(r#"/t/a "b"\rules-2"#)
        );
        assert_eq!(executable_in(MESSAGES, "none"), None);
    }

    #[test]
    fn an_unknown_bench_is_refused_with_the_known_ones() {
        let refusal = run("rulse", &[], &mut Scripted::default()).expect_err("no such bench");
        assert_eq!(
            refusal,
            "no bench `rulse`: there is rules, engine, solve, levels, strength, learn, beside, start, tcp, http"
        );
        assert!(listing().starts_with("rules "));
    }

    #[test]
    fn arguments_reach_the_bench_alone() {
        let mut shell = Scripted::default().prints(
            "cargo bench --locked -p noughts-rules --bench rules --no-run",
            "",
            "",
        );
        assert_eq!(run("rules", &["perft".to_owned()], &mut shell), Ok(false));
        assert_eq!(
            shell.ran[0],
            "cargo bench --locked -p noughts-rules --bench rules -- perft"
        );
        assert!(!shell.ran[2].contains("perft"));
    }

    #[test]
    fn what_lives_apart_is_built_apart() {
        let mut shell = Scripted::default();
        assert_eq!(run("beside", &["match".to_owned()], &mut shell), Ok(true));
        assert_eq!(
            shell.ran,
            [
                "cargo run --release --locked --manifest-path bench/Cargo.toml --target-dir target/bench -- match"
            ]
        );
    }
}
