//! Instruction counts of a bench's workloads, taken with callgrind.
//!
//! A bench that wants to be counted answers `--workloads` with a name a line, and `--once NAME`
//! by running that workload once and printing how many positions it counted; `nothing` is the
//! workload that costs only the start of the program, and is subtracted from the others.

use crate::shell::{Shell, Trouble};
use crate::step::Step;

/// One workload, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Its name in the bench.
    pub workload: String,
    /// How many positions it counted.
    pub positions: u64,
    /// What that took, without the start of the program.
    pub instructions: u64,
}

/// Counts every workload of this bench program.
pub fn count(program: &str, shell: &mut dyn Shell) -> Result<Vec<Count>, String> {
    let list = Step {
        program: program.to_owned(),
        arguments: vec!["--workloads".to_owned()],
        environment: Vec::new(),
    };
    let names = shell
        .read(&list)
        .map_err(|trouble| trouble.told_of(&list))?
        .out;
    let (_, start) = run_once(program, "nothing", shell)?;
    let mut counts = Vec::new();
    for workload in names
        .lines()
        .map(str::trim)
        .filter(|name| !name.is_empty() && *name != "nothing")
    {
        // Fifty times slower than life: say what is waited for.
        eprintln!("   counting {workload}");
        let (printed, collected) = run_once(program, workload, shell)?;
        let positions = last_number(&printed)
            .ok_or_else(|| format!("workload `{workload}` printed no count"))?;
        counts.push(Count {
            workload: workload.to_owned(),
            positions,
            instructions: collected.saturating_sub(start),
        });
    }
    if counts.is_empty() {
        Err(format!("`{list}` names no workload"))
    } else {
        Ok(counts)
    }
}

/// What one workload printed, and its instructions with the start of the program.
fn run_once(program: &str, workload: &str, shell: &mut dyn Shell) -> Result<(String, u64), String> {
    let step = Step::new("valgrind --tool=callgrind --callgrind-out-file=/dev/null")
        .with([program, "--once", workload]);
    let printed = shell.read(&step).map_err(|trouble| {
        let heard = if let Trouble::Failed { printed, .. } = &trouble {
            printed.err.trim_end()
        } else {
            ""
        };
        format!("{}\n{heard}", trouble.told_of(&step))
    })?;
    let collected =
        collected_in(&printed.err).ok_or_else(|| format!("`{step}` collected nothing"))?;
    Ok((printed.out, collected))
}

/// The number in callgrind's line `==7== Collected : 123`.
fn collected_in(report: &str) -> Option<u64> {
    let line = report.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

fn last_number(text: &str) -> Option<u64> {
    text.split_whitespace()
        .rev()
        .find_map(|word| word.parse().ok())
}

/// The counts as a table.
pub fn table(counts: &[Count]) -> String {
    let heading = ["workload", "positions", "instructions", "per position"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(heading)
        .chain(counts.iter().map(row))
        .collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2), width(3)];
    let line = |row: &[String; 4]| {
        let [name, positions, instructions, each] = row;
        let [w, p, i, e] = widths;
        format!("   {name:w$}  {positions:>p$}  {instructions:>i$}  {each:>e$}\n")
    };
    rows.iter().map(line).collect()
}

fn row(count: &Count) -> [String; 4] {
    let each = match count.positions {
        0 => "-".to_owned(),
        positions => format!("{:.1}", count.instructions as f64 / positions as f64),
    };
    [
        count.workload.clone(),
        grouped(count.positions),
        grouped(count.instructions),
        each,
    ]
}

/// `1234567` as `1 234 567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let (head, tail) = digits.split_at(first);
    let groups = tail
        .as_bytes()
        .chunks(3)
        .map(|group| String::from_utf8_lossy(group).into_owned());
    let head = (!head.is_empty()).then(|| head.to_owned());
    head.into_iter().chain(groups).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::scripted::Scripted;

    const ONCE: &str = "valgrind --tool=callgrind --callgrind-out-file=/dev/null bench --once";

    fn collected(number: u64) -> String {
        format!("==7== Callgrind\n==7== Events    : Ir\n==7== Collected : {number}\n==7==\n")
    }

    #[test]
    fn the_start_of_the_program_is_subtracted() {
        let mut shell = Scripted::default()
            .prints("bench --workloads", "perft\nnothing\n", "")
            .prints(&format!("{ONCE} nothing"), "0\n", &collected(1_000))
            .prints(&format!("{ONCE} perft"), "perft 5478\n", &collected(6_478));
        let perft = Count {
            workload: "perft".to_owned(),
            positions: 5478,
            instructions: 5478,
        };
        assert_eq!(count("bench", &mut shell), Ok(vec![perft]));
    }

    #[test]
    fn a_count_that_is_missing_is_said() {
        let bench = || Scripted::default().prints("bench --workloads", "perft\n", "");
        let nothing =
            |shell: Scripted| shell.prints(&format!("{ONCE} nothing"), "0", &collected(1));
        assert!(count("bench", &mut bench()).is_err_and(|why| why.contains("collected nothing")));
        let mut silent = nothing(bench()).prints(&format!("{ONCE} perft"), "", &collected(2));
        assert!(count("bench", &mut silent).is_err_and(|why| why.contains("printed no count")));
        let mut empty = nothing(Scripted::default());
        assert!(count("bench", &mut empty).is_err_and(|why| why.contains("names no workload")));
    }

    #[test]
    fn the_table_lines_up() {
        let count = |workload: &str, positions, instructions| Count {
            workload: workload.into(),
            positions,
            instructions,
        };
        let shown = table(&[count("3x3k3", 549_946, 12_345_678), count("empty", 0, 5)]);
        let expected = "   \
   workload  positions  instructions  per position
   3x3k3       549 946    12 345 678          22.4
   empty             0             5             -
";
        assert_eq!(shown, expected);
    }
}
