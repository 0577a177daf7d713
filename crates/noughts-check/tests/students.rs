//! Checks that the kit reports no broken demanded rule for correct programs in the style of students, in Java and
//! Python: servers that play themselves, clients and classic programs.

use std::ffi::OsString;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use noughts_check::{
    ClassicTask, ClientTask, ProcessSet, Report, Step, TcpTask, Verdict, Weight, check_classic,
    check_client, check_tcp, classic_cases,
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/check/students")
}

/// Compiles one Java program and returns the command that runs it.
fn java(class: &str) -> Vec<OsString> {
    let classes = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(class);
    let compiled = Command::new("javac")
        .arg("-encoding")
        .arg("UTF-8")
        .arg("-d")
        .arg(&classes)
        .arg(folder().join(format!("{class}.java")))
        .status()
        .expect("javac runs");
    assert!(compiled.success());
    // The start of the virtual machine takes most of the time of a run.
    let words = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"];
    let words = words.into_iter().map(OsString::from);
    words
        .chain([classes.into_os_string(), class.into()])
        .collect()
}

fn python(file: &str) -> Vec<OsString> {
    vec!["python3".into(), folder().join(file).into_os_string()]
}

fn with(mut command: Vec<OsString>, words: &[&str]) -> Vec<OsString> {
    command.extend(words.iter().map(OsString::from));
    command
}

fn assert_every_demanded_rule_holds(report: &Report) {
    let demanded = report
        .entries
        .iter()
        .filter(|entry| entry.weight == Weight::Demanded);
    for entry in demanded {
        assert!(
            matches!(entry.verdict, Verdict::Holds { .. }),
            "{}: {entry:?}",
            report.subject
        );
    }
    assert!(report.is_good());
}

/// Collects the steps that a check reports.
#[derive(Default)]
struct Steps(Mutex<Vec<(usize, usize)>>);

impl Steps {
    fn add(&self, step: Step<'_>) {
        assert!(!step.name.is_empty());
        self.0.lock().unwrap().push((step.done, step.total));
    }

    /// Asserts that each step was reported once. The order may vary, because cases run at the same time.
    fn assert_complete(self, total: usize) {
        let mut steps = self.0.into_inner().unwrap();
        steps.sort_unstable();
        let expected: Vec<_> = (0..total).map(|done| (done, total)).collect();
        assert_eq!(steps, expected);
    }
}

fn check_server(command: Vec<OsString>) {
    let task = TcpTask {
        address: ([127, 0, 0, 1], 0).into(),
        command: with(command, &["{port}"]),
        dialect: None,
        pairs: false,
        timeout: Duration::from_secs(4),
    };
    let steps = Steps::default();
    let report = check_tcp(&task, &ProcessSet::default(), &|step| steps.add(step)).unwrap();
    steps.assert_complete(report.entries.len());
    assert!(report.entries.iter().any(|entry| entry.rule == "no-trace"));
    assert_every_demanded_rule_holds(&report);
}

fn client_task(command: Vec<OsString>) -> ClientTask {
    ClientTask {
        listener: TcpListener::bind("127.0.0.1:0").unwrap(),
        command: with(command, &["{host}", "{port}"]),
        input: Vec::new(),
        answers: Vec::new(),
        timeout: Duration::from_secs(5),
    }
}

fn check_student_client(task: &ClientTask) {
    let steps = Steps::default();
    let report = check_client(task, &ProcessSet::default(), &|step| steps.add(step)).unwrap();
    steps.assert_complete(9);
    assert_every_demanded_rule_holds(&report);
}

fn check_student_classic(command: Vec<OsString>) {
    let task = ClassicTask {
        command,
        cases: classic_cases(),
        strict: false,
        timeout: Duration::from_secs(30),
    };
    let steps = Steps::default();
    let report = check_classic(&task, &ProcessSet::default(), &|step| steps.add(step)).unwrap();
    steps.assert_complete(task.cases.len());
    assert_every_demanded_rule_holds(&report);
}

#[test]
fn java_server_holds_every_demanded_rule() {
    check_server(java("Server"));
}

#[test]
fn python_server_holds_every_demanded_rule() {
    check_server(python("server.py"));
}

#[test]
fn java_client_holds_every_demanded_rule() {
    check_student_client(&client_task(java("Client")));
}

#[test]
fn python_client_that_asks_for_its_moves_holds_every_demanded_rule() {
    let mut task = client_task(python("client.py"));
    let answers = ["Name: =Ann", "Row (0-2): ={row}", "Column (0-2): ={column}"];
    task.answers = answers.iter().map(|one| one.parse().unwrap()).collect();
    check_student_client(&task);
}

#[test]
fn client_that_waits_for_input_is_not_accused() {
    let mut task = client_task(python("client.py"));
    task.timeout = Duration::from_secs(4);
    // The client has not connected, so there is nothing to check.
    let why = check_client(&task, &ProcessSet::default(), &|_| {}).unwrap_err();
    assert!(
        why.contains("waits for typed input") && why.contains("Name:"),
        "{why}"
    );
    // Now the client connects, and waits for its first move.
    task.answers = vec!["Name: =Ann".parse().unwrap()];
    let report = check_client(&task, &ProcessSet::default(), &|_| {}).unwrap();
    assert!(report.is_good(), "{report}");
    assert!(report.notes[0].contains("Row (0-2):"), "{report}");
    let action = report.entries.iter().find(|entry| entry.rule == "action");
    let why = Verdict::NotTried("the client waits for typed input".to_owned());
    assert_eq!(action.unwrap().verdict, why);
}

#[test]
fn java_classic_program_holds_every_demanded_rule() {
    check_student_classic(java("Classic"));
}

#[test]
fn python_classic_program_holds_every_demanded_rule() {
    check_student_classic(python("classic.py"));
}

#[test]
fn program_that_does_not_start_a_server_is_not_checked() {
    let task = TcpTask {
        address: ([127, 0, 0, 1], 0).into(),
        command: vec![
            "python3".into(),
            "-c".into(),
            "raise SystemExit('no')".into(),
            "{port}".into(),
        ],
        dialect: None,
        pairs: false,
        timeout: Duration::from_secs(1),
    };
    let error = check_tcp(&task, &ProcessSet::default(), &|_| {}).unwrap_err();
    assert!(
        error.contains("ended before it listened") && error.contains("its output: no"),
        "{error}"
    );
}
