//! Faults put into the solver and the checker on purpose: the tests must find each of them.
//!
//! A mutant is a copy of the crates that are needed with one text changed. It must build, and its tests must
//! fail; unchanged they must pass.

use std::fs;
use std::io;
use std::path::Path;

use crate::shell::{Shell, Trouble};
use crate::step::Step;

/// One text in one file, and what it is changed to.
pub struct Mutant {
    /// What goes wrong, in a word or two.
    pub name: &'static str,
    /// Where.
    pub file: &'static str,
    /// What stands there, once.
    pub from: &'static str,
    /// What it becomes.
    pub to: &'static str,
}

const PLAIN: &str = "crates/noughts-engine/src/solver/plain_grid.rs";
const PAIRS: &str = "crates/noughts-engine/src/solver/pairing.rs";
const NINE: &str = "crates/noughts-engine/src/solver/nested.rs";
const CHANCES: &str = "crates/noughts-engine/src/solver/live_lines.rs";
const FIT: &str = "crates/noughts-engine/src/solver/dispatch.rs";
const CHECKED: &str = "crates/noughts-proof/src/plain_grid.rs";
const CHECKED_NINE: &str = "crates/noughts-proof/src/nested.rs";
const CHECKER: &str = "crates/noughts-proof/src/lib.rs";

/// Cuts that are not true, and checks that are left out.
pub const MUTANTS: [Mutant; 17] = [
    Mutant {
        name: "counting forgives twice as much",
        file: CHANCES,
        from: "    pub(crate) fn made(self) -> u32 {\n        1 <<",
        to: "    pub(crate) fn made(self) -> u32 {\n        2 <<",
    },
    Mutant {
        name: "a pair holds lines through one of its cells",
        file: PAIRS,
        from: "if both.has(line) {",
        to: "if mine.has(line) {",
    },
    Mutant {
        name: "what the attacker takes before an answer weighs nothing",
        file: PAIRS,
        from: "            sum += left.on[taken];\n",
        to: "",
    },
    Mutant {
        name: "lines that the other side has a mark in stay alive",
        file: CHANCES,
        from: "        self.alive = self.alive.minus(lost);\n",
        to: "",
    },
    Mutant {
        name: "a cell is dominated by any other on a line with it",
        file: PLAIN,
        from: "if mine.minus(through[other]).is_none() {",
        to: "if !mine.and(through[other]).is_none() {",
    },
    Mutant {
        name: "who faces a fork makes no threat of its own",
        file: PLAIN,
        from: "let cells = theirs.stops.or(mine.makes);",
        to: "let cells = theirs.stops;",
    },
    Mutant {
        name: "cuts of the plain game in the misère one",
        file: FIT,
        from: "        && spec.goal == Goal::Make\n",
        to: "        && (spec.goal == Goal::Make || spec.goal == Goal::Avoid)\n",
    },
    Mutant {
        name: "on nine boards a lead is a win when it can be caught up",
        file: NINE,
        from: "position.won(side).count_ones() > theirs.count_ones()",
        to: "position.won(side).count_ones() >= theirs.count_ones()",
    },
    Mutant {
        name: "on nine boards all points are one",
        file: NINE,
        from: "points(Side::FIRST) - points(Side::SECOND)",
        to: "0 * (points(Side::FIRST) - points(Side::SECOND))",
    },
    Mutant {
        name: "unchecked: pairs that share a cell",
        file: CHECKED,
        from: "            taken |= pair;\n",
        to: "",
    },
    Mutant {
        name: "unchecked: the last line that counting may leave",
        file: CHECKED,
        from: "sum + on.into_iter().max().unwrap_or(0) < self.made()",
        to: "sum + on.into_iter().max().unwrap_or(0) <= self.made()",
    },
    Mutant {
        name: "unchecked: what the attacker may take first",
        file: CHECKED,
        from: "sum < self.made() && (0..on.len()).all(is_well)",
        to: "sum < self.made() || (0..on.len()).all(is_well)",
    },
    Mutant {
        name: "unchecked: what the other completes first",
        file: CHECKED,
        from: "if !lacks(theirs, others, 1).is_empty() {",
        to: "if lacks(theirs, others, 1).len() > 9 {",
    },
    Mutant {
        name: "unchecked: replies after all",
        file: CHECKED,
        from: ".find(|at| !self.holds_after(position, *at))",
        to: ".find(|at| *at > 200 && !self.holds_after(position, *at))",
    },
    Mutant {
        name: "unchecked: stealing on a board with marks",
        file: CHECKER,
        from: "if position.marks.iter().any(Option::is_some) {",
        to: "if position.marks.iter().all(Option::is_some) {",
    },
    Mutant {
        name: "unchecked: the position itself",
        file: CHECKER,
        from: "if checker.is_proved(start) {",
        to: "if checker.is_proved(start) || count == 0 {",
    },
    Mutant {
        name: "unchecked: a score that can be turned",
        file: CHECKED_NINE,
        from: "can_get(defender, board)) < mine",
        to: "can_get(defender, board)) <= mine",
    },
];

/// The crates that are copied, and the tests of each that are asked.
const ASKED: [(&str, &str); 2] = [
    (
        "crates/noughts-engine",
        "nextest run -p noughts-engine --test solver",
    ),
    (
        "crates/noughts-proof",
        "nextest run -p noughts-proof --test false_proofs",
    ),
];
const COPIED: [&str; 3] = [
    "crates/noughts-rules",
    "crates/noughts-engine",
    "crates/noughts-proof",
];

/// Tries every mutant whose name contains the word, or all; true when each was found.
pub fn run(root: &Path, word: Option<&str>, shell: &mut dyn Shell) -> Result<bool, String> {
    let chosen: Vec<&Mutant> = MUTANTS
        .iter()
        .filter(|mutant| word.is_none_or(|word| mutant.name.contains(word)))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = MUTANTS.iter().map(|mutant| mutant.name).collect();
        return Err(format!("no such mutant: there are {}", names.join("; ")));
    }
    let tree = root.join("target/mutants/tree");
    let told = |error: io::Error| format!("{} can't be made: {error}", tree.display());
    copy_all(root, &tree).map_err(told)?;
    let mut missed = Vec::new();
    for (of, tests) in ASKED {
        let mutants = chosen.iter().filter(|mutant| mutant.file.starts_with(of));
        let mutants: Vec<&&Mutant> = mutants.collect();
        if mutants.is_empty() {
            continue;
        }
        if let Err(trouble) = shell.run(&step(tests)) {
            return Err(format!("unchanged: {}", trouble.told_of(&step(tests))));
        }
        for mutant in mutants {
            println!("   a mutant: {}", mutant.name);
            let file = tree.join(mutant.file);
            let whole = fs::read_to_string(&file).map_err(told)?;
            fs::write(&file, whole.replacen(mutant.from, mutant.to, 1)).map_err(told)?;
            let found = is_found(tests, shell);
            fs::write(&file, whole).map_err(told)?;
            if !found? {
                missed.push(mutant.name);
            }
        }
    }
    println!(
        "{} mutants, {} of them found",
        chosen.len(),
        chosen.len() - missed.len()
    );
    missed
        .iter()
        .for_each(|name| println!("   not found: {name}"));
    Ok(missed.is_empty())
}

/// Whether the tests build, and fail.
fn is_found(tests: &str, shell: &mut dyn Shell) -> Result<bool, String> {
    let build = step(&format!("{tests} --no-run"));
    shell
        .run(&build)
        .map_err(|trouble| trouble.told_of(&build))?;
    match shell.read(&step(tests)) {
        Ok(_) => Ok(false),
        Err(Trouble::Failed { .. }) => Ok(true),
        Err(trouble) => Err(trouble.told_of(&step(tests))),
    }
}

fn step(tests: &str) -> Step {
    Step::new(&format!("cargo {tests} --cargo-quiet"))
        .with(["--manifest-path", "target/mutants/tree/Cargo.toml"])
        .set("CARGO_TARGET_DIR", "target/mutants/target")
        .set("CARGO_INCREMENTAL", "0")
}

/// A workspace of the crates that are needed.
fn copy_all(root: &Path, tree: &Path) -> io::Result<()> {
    if tree.exists() {
        fs::remove_dir_all(tree)?;
    }
    for part in COPIED {
        copy(&root.join(part), &tree.join(part))?;
    }
    fs::copy(root.join("Cargo.lock"), tree.join("Cargo.lock"))?;
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let is_kept = |line: &&str| !line.starts_with("default-members");
    let lines = manifest.lines().filter(is_kept).collect::<Vec<_>>();
    let manifest = lines
        .join("\n")
        .replace("\"crates/*\", \"xtask\"", "\"crates/*\"");
    fs::write(tree.join("Cargo.toml"), manifest)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mutant whose text is gone would change nothing.
    #[test]
    fn every_mutant_has_its_place() {
        for mutant in &MUTANTS {
            let text = fs::read_to_string(crate::root().join(mutant.file)).expect(mutant.file);
            assert_eq!(text.matches(mutant.from).count(), 1, "{}", mutant.name);
            assert_ne!(mutant.from, mutant.to, "{}", mutant.name);
            let is_asked = ASKED.iter().any(|(of, _)| mutant.file.starts_with(of));
            assert!(is_asked, "{}", mutant.name);
        }
    }
}
