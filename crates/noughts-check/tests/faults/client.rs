//! `check_client` against the client in Python.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use noughts_check::{CLIENT_RULES, ClientTask, ProcessSet, Report, Verdict, check_client};

use crate::classic::python;
use crate::verdicts::{Case, compare, folder, read};

fn judge(case: &Case) -> Report {
    let program = folder().join("client.py").into_os_string();
    let words = [python(), "-S".into(), "-E".into(), program];
    let more = ["{host}", "{port}", &case.fault].map(Into::into);
    let task = ClientTask {
        listener: TcpListener::bind("127.0.0.1:0").unwrap(),
        command: words.into_iter().chain(more).collect(),
        input: Vec::new(),
        answers: Vec::new(),
        timeout: Duration::from_secs(4),
    };
    check_client(&task, &ProcessSet::default(), &|_| {}).unwrap()
}

#[test]
fn each_fault_of_a_client_breaks_its_rules_and_no_others() {
    // Eight checks run at the same time, because the kit and the client mostly wait for each other.
    let waiting = Mutex::new(read("client.verdicts"));
    let next = || waiting.lock().unwrap().pop();
    let judged: Vec<_> = thread::scope(|scope| {
        let judge_some = || {
            let mut judged = Vec::new();
            while let Some(case) = next() {
                let report = judge(&case);
                judged.push((case, report));
            }
            judged
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(judge_some)).collect();
        threads
            .into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    });
    for fault in ["none", "later"] {
        let (_, right) = judged.iter().find(|(case, _)| case.fault == fault).unwrap();
        for entry in &right.entries {
            let is_fine = matches!(entry.verdict, Verdict::Holds { .. });
            assert!(
                is_fine || fault == "later" && entry.rule == "ids-differ",
                "{entry:?}"
            );
        }
    }
    let all: BTreeSet<String> = CLIENT_RULES
        .iter()
        .map(|rule| rule.name.to_owned())
        .collect();
    let failing = judged
        .iter()
        .flat_map(|(case, _)| case.broken.iter().cloned())
        .collect();
    compare(judged);
    assert_eq!(all, failing, "a rule that can't fail is no rule");
}
