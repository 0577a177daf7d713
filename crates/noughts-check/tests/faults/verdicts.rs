//! The verdicts that are expected: `testdata/check/*.verdicts`.
//!
//! A line is `MODE FAULT: RULE RULE …`: a program with this fault, judged in this mode, breaks exactly these
//! rules. `#` begins a comment.

use std::collections::BTreeSet;
use std::path::PathBuf;

use noughts_check::{Report, Verdict};

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/check")
}

/// What one program should be found to break.
pub(crate) struct Case {
    pub(crate) mode: String,
    pub(crate) fault: String,
    pub(crate) broken: BTreeSet<String>,
}

pub(crate) fn read(name: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (program, broken) = line.split_once(':').unwrap();
            let (mode, fault) = program.split_once(' ').unwrap();
            Case {
                mode: mode.to_owned(),
                fault: fault.to_owned(),
                broken: broken.split_whitespace().map(str::to_owned).collect(),
            }
        })
        .collect()
}

/// The rules that a report says are broken.
pub(crate) fn broken(report: &Report) -> BTreeSet<String> {
    let broken = report
        .entries
        .iter()
        .filter(|entry| matches!(entry.verdict, Verdict::Broken(_)));
    broken.map(|entry| entry.rule.clone()).collect()
}

/// Says all that differs at once, in the form of the file, with why.
pub(crate) fn compare(found: Vec<(Case, Report)>) {
    let mut wrong = String::new();
    for (case, report) in found {
        let broken = broken(&report);
        if broken == case.broken {
            continue;
        }
        let rules: Vec<&str> = broken.iter().map(String::as_str).collect();
        wrong += &format!("{} {}: {}\n", case.mode, case.fault, rules.join(" "));
        for entry in &report.entries {
            if broken.contains(&entry.rule) != case.broken.contains(&entry.rule) {
                wrong += &format!("    {}: {:?}\n", entry.rule, entry.verdict);
            }
        }
    }
    assert!(wrong.is_empty(), "other verdicts than expected:\n{wrong}");
}
