//! `check_classic` against the program in Python.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use noughts_check::{
    ClassicTask, ProcessSet, RECURRING_RULES, Report, Verdict, Weight, check_classic, classic_cases,
};

use crate::verdicts::{Case, compare, folder, read};

/// The file of the Python interpreter. The first `python3` in `PATH` may be a script that searches for the interpreter
/// at each start, which takes time.
pub(crate) fn python() -> OsString {
    let code = "import sys; print(sys.executable)";
    let output = Command::new("python3")
        .args(["-c", code])
        .output()
        .expect("python3 runs");
    String::from_utf8(output.stdout).unwrap().trim().into()
}

fn task(python: &OsString, fault: &str, strict: bool) -> ClassicTask {
    let program = folder().join("classic.py").into_os_string();
    ClassicTask {
        command: vec![
            python.clone(),
            "-S".into(),
            "-E".into(),
            program,
            "--fault".into(),
            fault.into(),
        ],
        cases: classic_cases(),
        strict,
        timeout: Duration::from_secs(20),
    }
}

/// Cases about lines. The lines that a program recognizes help to find the cause if it does not recognize another line.
const LINES: [&str; 10] = [
    "row",
    "column",
    "diagonal",
    "other-diagonal",
    "second-wins",
    "middle-last",
    "side-diagonal",
    "side-other-diagonal",
    "overline",
    "last-cell-wins",
];

/// Checks all faults of a mode. Most faults are checked only with the cases that they concern and with every twelfth
/// other case. If `by_all` is true, every fault is checked with all cases, which takes minutes.
fn judge_all(mode: &str, by_all: bool) -> Vec<(Case, Report)> {
    let python = python();
    let cases = read("classic.verdicts")
        .into_iter()
        .filter(|case| case.mode == mode);
    let waiting = Mutex::new(cases.enumerate().collect::<Vec<_>>());
    let next = || waiting.lock().unwrap().pop();
    thread::scope(|scope| {
        let judge = || {
            let mut judged = Vec::new();
            while let Some((number, case)) = next() {
                let mut task = task(&python, &case.fault, mode == "strict");
                let mut place = number;
                let touches = |rule: &str| {
                    case.broken.contains(rule)
                        || case
                            .not_tried
                            .as_ref()
                            .is_some_and(|rules| rules.contains(rule))
                };
                let is_about_lines = LINES.iter().any(|rule| touches(rule));
                task.cases.retain(|one| {
                    place += 1;
                    by_all
                        || place % 12 == 0
                        || case.fault == "none"
                        || touches(&one.name)
                        || is_about_lines && LINES.contains(&&*one.name)
                        || RECURRING_RULES
                            .iter()
                            .any(|rule| case.broken.contains(rule.name))
                });
                let report = check_classic(&task, &ProcessSet::default(), &|_| {}).unwrap();
                judged.push((case, report));
            }
            judged
        };
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(judge)).collect();
        threads
            .into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    })
}

#[test]
fn each_fault_of_a_classic_program_breaks_its_cases() {
    let judged = judge_all("classic", false);
    let (_, right) = judged
        .iter()
        .find(|(case, _)| case.fault == "none")
        .unwrap();
    for entry in &right.entries {
        assert_eq!(
            entry.verdict,
            Verdict::Holds { notes: Vec::new() },
            "{}",
            entry.rule
        );
    }
    let names = classic_cases().into_iter().map(|case| case.name);
    let recurring = RECURRING_RULES.iter().map(|rule| rule.name.to_owned());
    let all: BTreeSet<String> = names.chain(recurring).collect();
    let failing = judged
        .iter()
        .flat_map(|(case, _)| case.broken.iter().chain(case.not_tried.iter().flatten()))
        .cloned()
        .collect();
    compare(judged);
    assert_eq!(all, failing, "a case that can't fail is no case");
}

#[test]
#[ignore = "long: every fault by every case"]
fn each_fault_of_a_classic_program_breaks_its_cases_and_no_others() {
    compare(judge_all("classic", true));
}

#[test]
fn what_is_left_open_is_only_broken_when_it_is_judged_strictly() {
    let judged = judge_all("strict", false);
    for (_, report) in &judged {
        assert!(
            report
                .entries
                .iter()
                .all(|entry| entry.weight == Weight::Demanded || entry.rule == "redraw")
        );
    }
    compare(judged);
}
