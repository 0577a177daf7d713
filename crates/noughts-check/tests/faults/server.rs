//! `check_tcp` against the servers in Python.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use noughts_check::{Entry, ProcessSet, Report, TcpTask, Verdict, check_tcp, tcp_rules};
use noughts_wire::Dialect;

use crate::verdicts::{Case, compare, folder, read};

/// A Python process that runs several servers, each with one fault. `ports` has the port of each fault.
struct Servers {
    process: Child,
    ports: HashMap<String, u16>,
}

impl Servers {
    fn start(faults: &BTreeSet<&str>, more: &[&str]) -> Servers {
        let mut process = Command::new("python3")
            .arg(folder().join("server.py"))
            .args(faults)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs");
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let ports = lines.take(faults.len()).map(|line| {
            let line = line.unwrap();
            let (fault, port) = line.split_once(' ').unwrap();
            (fault.to_owned(), port.parse().unwrap())
        });
        let ports = ports.collect();
        Servers { process, ports }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The timeout is long, because the machine may be busy. It is shorter for the slow server, because a check of that
/// server always takes the maximum time.
fn timeout(fault: &str) -> Duration {
    Duration::from_secs(if fault == "slow" { 4 } else { 8 })
}

fn judge(port: u16, mode: &str, fault: &str) -> Report {
    let task = TcpTask {
        address: ([127, 0, 0, 1], port).into(),
        dialect: Some(match mode {
            "later" => Dialect::Later,
            _ => Dialect::Seed,
        }),
        command: Vec::new(),
        pairs: mode == "pairs",
        timeout: timeout(fault),
    };
    check_tcp(&task, &ProcessSet::default(), &|_| {}).unwrap()
}

/// Checks all faults of a mode, each in its own thread, because they mostly wait.
fn judge_all(mode: &str) -> Vec<(Case, Report)> {
    let cases: Vec<Case> = read("server.verdicts")
        .into_iter()
        .filter(|case| case.mode == mode)
        .collect();
    let faults = cases.iter().map(|case| case.fault.as_str()).collect();
    let more: &[&str] = if mode == "pairs" { &["--pairs"] } else { &[] };
    let servers = Servers::start(&faults, more);
    let judged = cases.into_iter().map(|case| {
        let port = servers.ports[&case.fault];
        let mode = mode.to_owned();
        thread::spawn(move || {
            let report = judge(port, &mode, &case.fault);
            (case, report)
        })
    });
    let judged: Vec<_> = judged.collect();
    judged.into_iter().map(|one| one.join().unwrap()).collect()
}

/// Asserts that the correct server follows each rule of the mode. In the modes `seed` and `pairs`, also asserts that
/// each rule is broken by some faulty server.
fn every_rule_can_fail(mode: &str, judged: &[(Case, Report)]) {
    let dialect = if mode == "later" {
        Dialect::Later
    } else {
        Dialect::Seed
    };
    let rules = tcp_rules(mode == "pairs").into_iter();
    let rules: BTreeSet<&str> = rules
        .filter(|rule| rule.only.is_none_or(|only| only == dialect) && !rule.needs_program)
        .map(|rule| rule.name)
        .collect();
    let failing: BTreeSet<&str> = judged
        .iter()
        .flat_map(|(case, _)| case.broken.iter().map(String::as_str))
        .collect();
    if mode == "seed" || mode == "pairs" {
        assert_eq!(rules, failing, "a rule that can't fail is no rule");
    }
    let (_, right) = judged
        .iter()
        .find(|(case, _)| case.fault == "none")
        .unwrap();
    for entry in &right.entries {
        assert!(
            matches!(entry.verdict, Verdict::Holds { .. }),
            "{mode} {entry:?}"
        );
    }
    assert_eq!(right.entries.len(), rules.len());
}

/// Asserts that the kit waits at most 2 s in total for a correct server (0.3 s on an idle machine), and at most three
/// timeouts and one second for any other server.
fn waits_are_few(judged: &[(Case, Report)]) {
    for (case, report) in judged {
        let max = match &*case.fault {
            "none" => Duration::from_secs(2),
            fault => 3 * timeout(fault) + Duration::from_secs(1),
        };
        assert!(
            report.waited <= max,
            "{} {}: waited {:?}",
            case.mode,
            case.fault,
            report.waited
        );
    }
}

#[test]
fn each_fault_of_a_server_breaks_its_rules_and_no_others() {
    let judged = judge_all("seed");
    waits_are_few(&judged);
    every_rule_can_fail("seed", &judged);
    compare(judged);
}

#[test]
fn each_fault_in_the_later_dialect_breaks_its_rules_and_no_others() {
    let judged = judge_all("later");
    every_rule_can_fail("later", &judged);
    compare(judged);
}

#[test]
fn each_fault_between_two_players_breaks_its_rules_and_no_others() {
    let judged = judge_all("pairs");
    waits_are_few(&judged);
    every_rule_can_fail("pairs", &judged);
    compare(judged);
}

#[test]
fn each_fault_of_a_server_that_the_kit_starts_breaks_its_rules_and_no_others() {
    let cases = read("server.verdicts")
        .into_iter()
        .filter(|case| case.mode == "program");
    let judge = |case: Case| {
        let program = folder().join("server.py").into_os_string();
        let words = [&*case.fault, "--port", "{port}"].map(Into::into);
        let task = TcpTask {
            address: ([127, 0, 0, 1], 0).into(),
            command: [crate::classic::python(), program]
                .into_iter()
                .chain(words)
                .collect(),
            dialect: Some(Dialect::Seed),
            pairs: false,
            timeout: timeout(&case.fault),
        };
        let report = check_tcp(&task, &ProcessSet::default(), &|_| {}).unwrap();
        (case, report)
    };
    let threads: Vec<_> = cases
        .map(|case| thread::spawn(move || judge(case)))
        .collect();
    let judged: Vec<_> = threads.into_iter().map(|one| one.join().unwrap()).collect();
    let (_, traced) = judged
        .iter()
        .find(|(case, _)| case.fault == "trace-on-mistake")
        .unwrap();
    // The trace is a note of the rule that sent the mistake or, if the kit reads it late, of a later rule.
    let has_note = |entry: &Entry| match &entry.verdict {
        Verdict::Holds { notes } => notes.iter().any(|note| note.contains("ValueError")),
        Verdict::Broken(_) | Verdict::NotTried(_) => false,
    };
    assert!(traced.entries.iter().any(has_note), "{traced}");
    compare(judged);
}

#[test]
fn server_that_ends_when_its_first_client_leaves_is_not_passed() {
    let fault = "dies-when-left-after-ready";
    let servers = Servers::start(&BTreeSet::from([fault]), &[]);
    let task = TcpTask {
        address: ([127, 0, 0, 1], servers.ports[fault]).into(),
        dialect: None,
        command: Vec::new(),
        pairs: false,
        timeout: timeout(fault),
    };
    let report = check_tcp(&task, &ProcessSet::default(), &|_| {}).unwrap();
    let broken: Vec<&str> = report
        .entries
        .iter()
        .filter(|entry| matches!(entry.verdict, Verdict::Broken(_)))
        .map(|entry| &*entry.rule)
        .collect();
    assert_eq!(broken, ["leaving-after-ready"], "{report}");
}
