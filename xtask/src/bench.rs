//! `cargo xtask bench`: times, and instruction counts with callgrind.
//!
//! Times vary from run to run. Instruction counts hardly vary.

use crate::shell::{self, quote};
use crate::tools::{POSTGRESQL, Tool, Toolbox, VALGRIND};

struct Bench {
    name: &'static str,
    about: &'static str,
    /// The crate that has the bench target of the same name. `None` means the separate workspace `bench/`.
    package: Option<&'static str>,
    /// Whether the bench has the options `--workloads` and `--once NAME`, so that instructions can be counted.
    has_workloads: bool,
    tools: &'static [Tool],
}

const fn bench(name: &'static str, package: &'static str, about: &'static str) -> Bench {
    Bench {
        name,
        about,
        package: Some(package),
        has_workloads: false,
        tools: &[],
    }
}

const BENCHES: [Bench; 10] = [
    Bench {
        has_workloads: true,
        ..bench(
            "rules",
            "noughts-rules",
            "move generation, moves and outcomes for each family of games",
        )
    },
    Bench {
        has_workloads: true,
        ..bench(
            "engine",
            "noughts-engine",
            "speed of the strategies, and whether they keep their time limits",
        )
    },
    bench(
        "solve",
        "noughts-engine",
        "processor time to solve games (table, connect-four, perfect, or VARIANT...)",
    ),
    bench(
        "levels",
        "noughts-arena",
        "whether each level beats the one below it (--games N, VARIANT...)",
    ),
    bench(
        "strength",
        "noughts-arena",
        "Elo of the levels (--games N, --threads N, --write, VARIANT...)",
    ),
    bench(
        "learn",
        "noughts-arena",
        "fits the evaluation of five in a row (--games N, --seed N, --threads N, --write, FOLDER...)",
    ),
    Bench {
        package: None,
        ..bench(
            "beside",
            "",
            "Ultimate, compared with other crates: perft, playouts, match (--games N, --time TIME)",
        )
    },
    bench(
        "start",
        "noughts",
        "start time of the program, compared with one that does nothing",
    ),
    bench(
        "tcp",
        "noughts-server",
        "TCP moves beside an echo, idle connections, a flood of connections (moves, fields, idle, flood)",
    ),
    Bench {
        tools: &[POSTGRESQL],
        ..bench(
            "http",
            "noughts-server",
            "HTTP beside a bare handler, durable turns, watchers, a long game, two builds (compare BEFORE AFTER)",
        )
    },
];

pub(crate) fn list() -> String {
    let line = |bench: &Bench| format!("{:8}  {}\n", bench.name, bench.about);
    BENCHES.iter().map(line).collect()
}

/// Runs a bench, and then counts its instructions if the bench supports this. Returns whether both succeeded.
pub(crate) fn run(name: &str, arguments: &[&str]) -> Result<bool, String> {
    let bench = BENCHES.iter().find(|bench| bench.name == name);
    let bench =
        bench.ok_or_else(|| format!("there is no bench `{name}`: the benches are\n{}", list()))?;
    let measured = measure(bench, arguments);
    if let Err(why) = &measured {
        eprintln!("xtask: {why}");
    }
    Ok(measured.is_ok())
}

fn measure(bench: &Bench, arguments: &[&str]) -> Result<(), String> {
    let mut toolbox = Toolbox::default();
    bench
        .tools
        .iter()
        .try_for_each(|tool| toolbox.require(*tool))?;
    let line = match bench.package {
        Some(package) => format!("cargo bench --locked -p {package} --bench {}", bench.name),
        None => "cargo run --release --locked --manifest-path bench/Cargo.toml --target-dir target/bench".to_owned(),
    };
    let words: Vec<String> = arguments.iter().map(|word| quote(word)).collect();
    shell::run(&format!("{line} -- {}", words.join(" ")))?;
    if bench.has_workloads {
        toolbox.require(VALGRIND)?;
        count_instructions(&line)?;
    }
    Ok(())
}

/// Counts the instructions of each workload, minus those of the workload `nothing`.
fn count_instructions(line: &str) -> Result<(), String> {
    let build = shell::output(&format!("{line} --no-run"))?;
    let messages = String::from_utf8_lossy(&build.stderr);
    // Cargo's last line: `Executable benches/rules/main.rs (target/release/deps/rules-0123)`.
    let program = messages
        .rsplit_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    let (program, _) =
        program.ok_or_else(|| format!("`{line} --no-run` names no executable:\n{messages}"))?;
    let workloads = shell::read(&format!("{program} --workloads"))?;
    let (_, start) = count(program, "nothing")?;
    println!(
        "{:28} {:>14} {:>18} {:>12}",
        "workload", "positions", "instructions", "per position"
    );
    for workload in workloads
        .lines()
        .map(str::trim)
        .filter(|name| !name.is_empty() && *name != "nothing")
    {
        let (positions, instructions) = count(program, workload)?;
        let instructions = instructions.saturating_sub(start);
        let each = instructions as f64 / positions.max(1) as f64;
        println!("{workload:28} {positions:>14} {instructions:>18} {each:>12.1}");
    }
    Ok(())
}

/// Returns the last number that the workload prints (0 if there is none), and the instructions that callgrind reports:
/// `==7== Collected : 123`.
fn count(program: &str, workload: &str) -> Result<(u64, u64), String> {
    let line = format!(
        "valgrind --tool=callgrind --callgrind-out-file=/dev/null {program} --once {}",
        quote(workload)
    );
    let output = shell::output(&line)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let collected = errors.lines().find(|line| line.contains("Collected :"));
    let instructions = collected.and_then(|line| line.rsplit(':').next()?.trim().parse().ok());
    let printed = String::from_utf8_lossy(&output.stdout);
    let positions = printed
        .split_whitespace()
        .rev()
        .find_map(|word| word.parse().ok());
    match (positions, instructions) {
        (positions, Some(instructions)) if output.status.success() => {
            Ok((positions.unwrap_or(0), instructions))
        }
        _ => Err(format!("`{line}` failed: {}\n{errors}", output.status)),
    }
}
