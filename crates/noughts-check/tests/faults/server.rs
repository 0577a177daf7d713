//! `check_tcp` against the servers in Python.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use noughts_check::{ProcessSet, Report, TcpTask, Verdict, check_tcp, tcp_rules};
use noughts_wire::Dialect;

use crate::verdicts::{Case, compare, folder, read};

/// The servers with these faults in one process, which ends with its input.
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

fn judge(port: u16, mode: &str) -> Report {
    let task = TcpTask {
        address: ([127, 0, 0, 1], port).into(),
        dialect: Some(match mode {
            "later" => Dialect::Later,
            _ => Dialect::Seed,
        }),
        command: Vec::new(),
        pairs: mode == "pairs",
        timeout: Duration::from_millis(1000),
    };
    check_tcp(&task, &ProcessSet::default()).unwrap()
}

/// Judges all of a mode, each by a thread of its own: they spend their time waiting.
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
        thread::spawn(move || (case, judge(port, &mode)))
    });
    let judged: Vec<_> = judged.collect();
    judged.into_iter().map(|one| one.join().unwrap()).collect()
}

/// Every rule of the mode is broken by somebody, and passed by the right server.
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

#[test]
fn each_fault_of_a_server_breaks_its_rules_and_no_others() {
    let judged = judge_all("seed");
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
    every_rule_can_fail("pairs", &judged);
    compare(judged);
}
