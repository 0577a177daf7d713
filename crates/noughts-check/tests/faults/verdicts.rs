//! The verdicts that are expected: `testdata/check/*.verdicts`.
//!
//! A line is `MODE FAULT: RULE RULE … / RULE …`: a program with this fault, judged in this mode, breaks exactly these
//! rules. If there is a slash, exactly the rules after it are not tried because of the fault. `#` begins a comment.

use std::collections::BTreeSet;
use std::path::PathBuf;

use noughts_check::{Report, Verdict};

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/check")
}

/// One line of the file: a faulty program, and the rules that it breaks.
pub(crate) struct Case {
    pub(crate) mode: String,
    pub(crate) fault: String,
    pub(crate) broken: BTreeSet<String>,
    /// The rules that are not tried because of the fault, where the file lists them.
    pub(crate) not_tried: Option<BTreeSet<String>>,
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
            let names = |text: &str| text.split_whitespace().map(str::to_owned).collect();
            let (broken, not_tried) = match broken.split_once('/') {
                Some((broken, not_tried)) => (broken, Some(names(not_tried))),
                None => (broken, None),
            };
            Case {
                mode: mode.to_owned(),
                fault: fault.to_owned(),
                broken: names(broken),
                not_tried,
            }
        })
        .collect()
}

/// The rules with these verdicts.
fn rules(report: &Report, has: fn(&Verdict) -> bool) -> BTreeSet<String> {
    let entries = report.entries.iter().filter(|entry| has(&entry.verdict));
    entries.map(|entry| entry.rule.clone()).collect()
}

/// Checks that every rule that was not tried names the broken rule that prevented it. Returns the reason of the first
/// rule that does not.
fn unexplained(report: &Report, broken: &BTreeSet<String>) -> Option<String> {
    report.entries.iter().find_map(|entry| {
        let Verdict::NotTried(why) = &entry.verdict else {
            return None;
        };
        let cause = ["prevented by ", "the same fault as "]
            .iter()
            .find_map(|start| why.strip_prefix(start)?.split(':').next());
        match cause {
            Some(rule) if broken.contains(rule) => None,
            Some(_) | None => Some(format!("{}: {why}", entry.rule)),
        }
    })
}

/// Asserts that the verdicts are as listed. The message shows all differences at once, in the form of the file, with
/// reasons.
pub(crate) fn compare(found: Vec<(Case, Report)>) {
    let mut wrong = String::new();
    for (case, report) in found {
        let broken = rules(&report, |verdict| matches!(verdict, Verdict::Broken(_)));
        let not_tried = rules(&report, |verdict| matches!(verdict, Verdict::NotTried(_)));
        let is_as_listed = broken == case.broken
            && case
                .not_tried
                .as_ref()
                .is_none_or(|listed| *listed == not_tried);
        if !is_as_listed {
            let listed = |rules: &BTreeSet<String>| {
                let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
                rules.join(" ")
            };
            let (mode, fault) = (&case.mode, &case.fault);
            wrong += &format!(
                "{mode} {fault}: {} / {}\n",
                listed(&broken),
                listed(&not_tried)
            );
            for entry in &report.entries {
                let is_listed = case.broken.contains(&entry.rule);
                if broken.contains(&entry.rule) != is_listed {
                    wrong += &format!("    {}: {:?}\n", entry.rule, entry.verdict);
                }
            }
        }
        if !broken.is_empty()
            && let Some(why) = unexplained(&report, &broken)
        {
            let (mode, fault) = (&case.mode, &case.fault);
            wrong += &format!("{mode} {fault}: not explained by a broken rule: {why}\n");
        }
    }
    assert!(wrong.is_empty(), "other verdicts than expected:\n{wrong}");
}
