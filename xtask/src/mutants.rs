//! `cargo xtask mutants`: faults in the solver and the proof checker that the tests must detect.
//!
//! A mutant is a copy of the needed crates with one text replaced. The mutant must build, and its tests must fail.
//! Without the replacement the tests must pass.

use std::fs;

use crate::shell;

pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    /// The original text, which occurs once in the file.
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

impl Mutant {
    /// Puts the fault into a copy of the sources, runs `test`, and removes the fault.
    pub(crate) fn with<T>(
        &self,
        copy: &str,
        test: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        let file = crate::root().join(copy).join(self.file);
        let failed = |error| format!("{}: {error}", file.display());
        let original = fs::read_to_string(&file).map_err(failed)?;
        fs::write(&file, original.replacen(self.from, self.to, 1)).map_err(failed)?;
        let tested = test();
        fs::write(&file, original).map_err(failed)?;
        tested
    }

    /// Checks that the original text occurs exactly once in the file.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        let text = fs::read_to_string(crate::root().join(self.file)).expect(self.file);
        assert_eq!(text.matches(self.from).count(), 1, "{}", self.name);
    }
}

const PLAIN: &str = "crates/noughts-engine/src/solver/plain_grid.rs";
const PAIRING: &str = "crates/noughts-engine/src/solver/pairing.rs";
const NESTED: &str = "crates/noughts-engine/src/solver/nested.rs";
const LIVE_LINES: &str = "crates/noughts-engine/src/solver/live_lines.rs";
const DISPATCH: &str = "crates/noughts-engine/src/solver/dispatch.rs";
const CHECKED: &str = "crates/noughts-proof/src/plain_grid.rs";
const CHECKED_NESTED: &str = "crates/noughts-proof/src/nested.rs";
const CHECKED_PAIRING: &str = "crates/noughts-proof/src/pairing.rs";
const CHECKED_STEALING: &str = "crates/noughts-proof/src/strategy_stealing.rs";
const CHECKER: &str = "crates/noughts-proof/src/lib.rs";

/// Each mutant puts a fault into the solver, or removes or weakens a check of the proof checker.
const MUTANTS: [Mutant; 17] = [
    Mutant {
        name: "the counting bound is doubled",
        file: LIVE_LINES,
        from: "    pub(crate) fn complete_weight(self) -> u32 {\n        1 <<",
        to: "    pub(crate) fn complete_weight(self) -> u32 {\n        2 <<",
    },
    Mutant {
        name: "a pair covers lines through one of its cells",
        file: PAIRING,
        from: "if both.has(line) {",
        to: "if mine.has(line) {",
    },
    Mutant {
        name: "the attacker's free move has no weight",
        file: PAIRING,
        from: "            sum += left.on[taken];\n",
        to: "",
    },
    Mutant {
        name: "lines with a mark of the other side stay alive",
        file: LIVE_LINES,
        from: "        self.alive = self.alive.minus(lost);\n",
        to: "",
    },
    Mutant {
        name: "a cell is dominated by any cell on a common line",
        file: PLAIN,
        from: "if mine.minus(through[other]).is_none() {",
        to: "if !mine.and(through[other]).is_none() {",
    },
    Mutant {
        name: "counter-threats against a fork are left out",
        file: PLAIN,
        from: "let cells = theirs.stops.or(mine.makes);",
        to: "let cells = theirs.stops;",
    },
    Mutant {
        name: "cuts of the plain game are used for misère",
        file: DISPATCH,
        from: "        && spec.goal == Goal::Make\n",
        to: "        && (spec.goal == Goal::Make || spec.goal == Goal::Avoid)\n",
    },
    Mutant {
        name: "nested: a lead that can be caught up is a win",
        file: NESTED,
        from: "position.won(side).count_ones() > theirs.count_ones()",
        to: "position.won(side).count_ones() >= theirs.count_ones()",
    },
    Mutant {
        name: "nested: points are ignored",
        file: NESTED,
        from: "points(Side::FIRST) - points(Side::SECOND)",
        to: "0 * (points(Side::FIRST) - points(Side::SECOND))",
    },
    Mutant {
        name: "checker accepts pairs that share a cell",
        file: CHECKED_PAIRING,
        from: "        taken |= pair;\n",
        to: "",
    },
    Mutant {
        name: "checker accepts one line too many when counting",
        file: CHECKED_PAIRING,
        from: "sum + on.into_iter().max().unwrap_or(0) < self.complete_weight",
        to: "sum + on.into_iter().max().unwrap_or(0) <= self.complete_weight",
    },
    Mutant {
        name: "checker ignores the attacker's free move",
        file: CHECKED_PAIRING,
        from: "sum < self.complete_weight && (0..on.len()).all(is_answered)",
        to: "sum < self.complete_weight || (0..on.len()).all(is_answered)",
    },
    Mutant {
        name: "checker ignores lines that the other side completes first",
        file: CHECKED,
        from: "if !lacks(theirs, others, 1).is_empty() {",
        to: "if lacks(theirs, others, 1).len() > 9 {",
    },
    Mutant {
        name: "checker accepts a missing reply",
        file: CHECKED,
        from: ".find(|at| !self.holds_after(position, *at))",
        to: ".find(|at| *at > 200 && !self.holds_after(position, *at))",
    },
    Mutant {
        name: "checker accepts strategy stealing on a board with marks",
        file: CHECKED_STEALING,
        from: "if position.marks.iter().any(Option::is_some) {",
        to: "if position.marks.iter().all(Option::is_some) {",
    },
    Mutant {
        name: "checker does not look at the position",
        file: CHECKER,
        from: "if checker.is_proved(start) {",
        to: "if checker.is_proved(start) || count == 0 {",
    },
    Mutant {
        name: "checker accepts a score that can be turned",
        file: CHECKED_NESTED,
        from: "can_get(defender) < won(attacker)",
        to: "can_get(defender) <= won(attacker)",
    },
];

/// The crate of a mutant, and the tests that must detect it.
const TESTS: [(&str, &str); 2] = [
    ("crates/noughts-engine", "-p noughts-engine --test solver"),
    (
        "crates/noughts-proof",
        "-p noughts-proof --test false_proofs",
    ),
];

const COPY: &str = "target/mutants/tree";

/// Tries the mutants whose name contains the word, or all mutants. Returns whether all of them were detected.
pub(crate) fn run(word: Option<&str>) -> Result<bool, String> {
    let is_wanted = |mutant: &&Mutant| word.is_none_or(|word| mutant.name.contains(word));
    let wanted: Vec<&Mutant> = MUTANTS.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = MUTANTS.iter().map(|mutant| mutant.name).collect();
        return Err(format!(
            "there is no such mutant: the mutants are\n{}",
            names.join("\n")
        ));
    }
    shell::run(&format!(
        "rm -rf {COPY} && mkdir -p {COPY}/crates && cp -r Cargo.lock testdata {COPY} && \
         cp -r crates/noughts-rules crates/noughts-engine crates/noughts-proof {COPY}/crates && \
         sed '/^default-members/d; s|, \"xtask\"||' Cargo.toml > {COPY}/Cargo.toml"
    ))?;
    let mut missed = Vec::new();
    for (folder, tests) in TESTS {
        let mutants: Vec<&&Mutant> = wanted
            .iter()
            .filter(|mutant| mutant.file.starts_with(folder))
            .collect();
        if mutants.is_empty() {
            continue;
        }
        shell::run(&nextest(tests)).map_err(|why| format!("without a mutant: {why}"))?;
        for mutant in mutants {
            println!("   mutant: {}", mutant.name);
            if !is_detected(mutant, tests)? {
                missed.push(mutant.name);
            }
        }
    }
    println!(
        "{} mutants, {} detected",
        wanted.len(),
        wanted.len() - missed.len()
    );
    missed
        .iter()
        .for_each(|name| println!("   not detected: {name}"));
    Ok(missed.is_empty())
}

fn is_detected(mutant: &Mutant, tests: &str) -> Result<bool, String> {
    mutant.with(COPY, || {
        shell::run(&format!("{} --no-run", nextest(tests)))
            .and_then(|()| shell::output(&nextest(tests)))
            .map(|output| !output.status.success())
    })
}

fn nextest(tests: &str) -> String {
    format!(
        "CARGO_TARGET_DIR=target/mutants/target CARGO_INCREMENTAL=0 \
         cargo nextest run {tests} --cargo-quiet --manifest-path {COPY}/Cargo.toml"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_replaces_one_text() {
        for mutant in &MUTANTS {
            mutant.check();
            assert!(
                TESTS
                    .iter()
                    .any(|(folder, _)| mutant.file.starts_with(folder)),
                "{}",
                mutant.name
            );
        }
    }
}
