//! `noughts check` as a process: Noughts against every rule, servers that misbehave, exit codes, signals.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::server_process::ServerProcess;
use crate::transcript::{Run, run};

fn check(words: &[&str]) -> (Run, String) {
    let run = run(&[&["check"], words].concat(), b"");
    let output = String::from_utf8(run.output.clone()).unwrap();
    (run, output)
}

/// The rules with this mark in a text report.
fn marked<'r>(report: &'r str, mark: &str) -> Vec<&'r str> {
    let words = report.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        (line.starts_with("  ") && words.next() == Some(mark))
            .then(|| words.next())
            .flatten()
    });
    words.collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn noughts_serve_keeps_every_rule_of_the_tcp_protocol() {
    // `first` wins some games and loses others, and its games are reproducible.
    let serving = ServerProcess::tcp(&["--tcp-strategy", "first"]);
    for dialect in ["seed", "later", "auto"] {
        let (run, output) = check(&[
            "tcp",
            serving.address("tcp"),
            "--dialect",
            dialect,
            "--timeout",
            "20s",
        ]);
        assert_eq!((run.exit, run.errors.as_str()), (0, ""), "{output}");
        for mark in ["FAIL", "differs", "advice", "-"] {
            assert_eq!(marked(&output, mark), [""; 0], "{dialect}: {output}");
        }
        let rules = marked(&output, "pass").len();
        let expected = match dialect {
            "seed" => 48,
            "later" => 49,
            _ => 97,
        };
        assert_eq!(rules, expected, "{output}");
    }
    let pairs = serving.address("tcp-pairs");
    let (run, output) = check(&["tcp", pairs, "--pairs", "--timeout", "20s"]);
    assert_eq!(run.exit, 0, "{output}");
    for mark in ["FAIL", "differs", "advice", "-"] {
        assert_eq!(marked(&output, mark), [""; 0], "{output}");
    }
    assert_eq!(marked(&output, "pass").len(), 2 * 16, "{output}");
}

#[test]
fn a_server_that_plays_perfectly_is_not_blamed_for_what_can_not_be_reached() {
    let serving = ServerProcess::tcp(&[]);
    let tcp = serving.address("tcp");
    let (run, output) = check(&["tcp", tcp, "--dialect", "seed", "--timeout", "20s"]);
    assert_eq!(run.exit, 0, "{output}");
    assert_eq!(marked(&output, "-"), ["result-won"], "{output}");
    assert!(output.contains("not tried: none of"), "{output}");
}

#[test]
fn each_way_to_misbehave_is_noticed() {
    let mut threads = Vec::new();
    for (kind, broken, others) in [
        ("silent", &["ready"][..], &[][..]),
        ("wrong-id", &["ready"], &[]),
        ("half-frame", &["answer"], &[]),
        ("garbage", &["answer"], &[]),
        ("early-close", &["answer"], &[]),
        ("taken-cell", &["answer-free"], &[]),
        ("no-cell", &["answer-cell"], &[]),
        ("wrong-flag", &["admit"], &[]),
        ("slow", &[], &["prompt"]),
        ("bytewise", &[], &[]),
    ] {
        // The checks run in parallel, because they mostly wait.
        threads.push(thread::spawn(move || {
            let serving = ServerProcess::tcp(&["--misbehave", kind]);
            let words = [
                "tcp",
                serving.address("tcp"),
                "--dialect",
                "seed",
                "--timeout",
                if kind == "slow" { "3s" } else { "8s" },
            ];
            let (run, output) = check(&words);
            assert_eq!(marked(&output, "FAIL"), broken, "{kind}: {output}");
            assert_eq!(marked(&output, "advice"), others, "{kind}: {output}");
            assert_eq!(run.exit, i32::from(!broken.is_empty()), "{kind}");
        }));
    }
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn noughts_connect_keeps_every_rule_for_clients() {
    let program = env!("CARGO_BIN_EXE_noughts");
    for dialect in ["seed", "later"] {
        let words = [
            "client", "--", program, "connect", "-h", "{host}", "-p", "{port}",
        ];
        let (run, output) =
            check(&[&words[..], &["--robot", "random", "--dialect", dialect]].concat());
        assert_eq!(run.exit, 0, "{output}");
        for mark in ["FAIL", "advice"] {
            assert_eq!(marked(&output, mark), [""; 0], "{dialect}: {output}");
        }
    }
}

#[test]
fn the_classic_game_holds_every_case_byte_for_byte() {
    let program = env!("CARGO_BIN_EXE_noughts");
    for words in [
        &["classic", "--", program][..],
        &["classic", "--strict", "--", program],
    ] {
        let (run, output) = check(words);
        assert_eq!((run.exit, run.errors.as_str()), (0, ""), "{output}");
        assert_eq!(marked(&output, "pass").len(), 63, "{output}");
        assert!(!output.contains("note:"), "{output}");
        assert!(
            output.ends_with("PASSED: every demanded rule holds.\n"),
            "{output}"
        );
    }
}

#[test]
fn own_cases_are_read_and_tested() {
    let program = env!("CARGO_BIN_EXE_noughts");
    let cases = folder("cases");
    std::fs::write(
        cases.join("b.txt"),
        "# own: x plays in the middle\n> 1 1\n> :q\n",
    )
    .unwrap();
    std::fs::write(cases.join("c.md"), "# no: case\n").unwrap();
    let cases = cases.to_str().unwrap();
    let (run, output) = check(&["classic", "--cases", cases, "--", program]);
    assert_eq!(
        (run.exit, marked(&output, "pass")),
        (0, vec!["extra-lines", "delimiter", "own", "redraw"]),
        "{output}"
    );
    let (run, output) = check(&["classic", "--cases", cases, "--", program, "-s", "4"]);
    assert_eq!(
        (run.exit, marked(&output, "FAIL")),
        (1, vec!["own"]),
        "{output}"
    );
    // Differences are shown.
    assert!(
        output.contains("| - -------\n") && output.contains("| + ---------\n"),
        "{output}"
    );
}

#[test]
fn untestable_programs_exit_with_2() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = free.local_addr().unwrap().to_string();
    let empty = folder("empty");
    let wrong = folder("wrong");
    std::fs::write(wrong.join("a.txt"), "> 1 1\n").unwrap();
    let small = folder("small");
    std::fs::write(
        small.join("a.txt"),
        "# two: a board of two\n$ -s 2\n> 1 1\n",
    )
    .unwrap();
    let nobody = {
        let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        gone.local_addr().unwrap().to_string()
    };
    for (words, told) in [
        (&["tcp", &nobody][..], "the server accepts no connection"),
        (&["tcp", "127.0.0.1"], "it is written HOST:PORT"),
        (
            &["tcp", "127.0.0.1:1", "--timeout", "soon"],
            "the time (--timeout) must be a time",
        ),
        (
            &["classic", "--", "/no/such/program"],
            "cannot start /no/such/program",
        ),
        (
            &["classic", "--cases", empty.to_str().unwrap(), "--", "true"],
            "has no cases",
        ),
        (
            &["classic", "--cases", wrong.to_str().unwrap(), "--", "true"],
            "a.txt, line 1: a case begins with",
        ),
        (
            &["classic", "--cases", small.to_str().unwrap(), "--", "true"],
            "the case two has options",
        ),
        (
            &["classic", "--cases", "/no/such/folder", "--", "true"],
            "cannot read",
        ),
        (
            &["client", "--listen", &taken, "--", "true"],
            "cannot listen at",
        ),
        (&["client", "--timeout", "100ms"], "no client connected to"),
        (&["tcp", "--", "sh", "-c", "exit 3"], "has no {port}"),
        (
            &["tcp", "--", "sh", "-c", "echo no; exit 3", "{port}"],
            "ended before it listened: exit code 3; its output: no",
        ),
        (
            &["client", "--", "sh", "-c", "echo no >&2; exit 3"],
            "ended before it connected: exit code 3; its output: no",
        ),
        (
            &["classic", "--", "sh", "-c", "echo no >&2; exit 3"],
            "the program ended with exit code 3 before it showed a game; its output: no",
        ),
    ] {
        let (run, output) = check(words);
        assert!(run.errors.contains(told), "{words:?}: {}", run.errors);
        assert_eq!((run.exit, output.as_str()), (2, ""), "{words:?}");
    }
    for words in [
        &["classic"][..],
        &["tcp"],
        &[],
        &["tcp", "a:1", "--dialect", "no"],
        &["udp"],
    ] {
        assert_eq!(check(words).0.exit, 2, "{words:?}");
    }
}

#[test]
fn reports_for_machines_are_written() {
    let serving = ServerProcess::tcp(&["--misbehave", "wrong-id"]);
    let folder = folder("reports");
    let (json, junit) = (folder.join("report.json"), folder.join("report.xml"));
    let words = [
        "tcp",
        serving.address("tcp"),
        "--dialect",
        "seed",
        "--json",
        "--junit",
        junit.to_str().unwrap(),
    ];
    let (run, output) = check(&words);
    assert_eq!(run.exit, 1, "{output}");
    std::fs::write(&json, &output).unwrap();
    // Parsed by an independent XML parser.
    let reader = r#"
import json, sys, xml.etree.ElementTree as xml
report = json.load(open(sys.argv[1]))
broken = [r for r in report["rules"] if r["verdict"] == "broken" and r["weight"] == "demanded"]
assert [r["rule"] for r in broken] == ["ready"], broken
assert report["passed"] is False and report["demanded"]["broken"] == 1, report
fact = {f["label"]: f for f in broken[0]["finding"]["facts"]}
assert fact["sent"]["hex"].startswith("01 00 ") and fact["sent"]["words"].startswith("HELLO, id "), fact
assert set(fact) == {"sent", "expected", "received"}, fact
suites = xml.parse(sys.argv[2]).getroot()
suite = suites.find("testsuite")
cases = suite.findall("testcase")
assert len(cases) == len(report["rules"]) == int(suite.get("tests")) == int(suites.get("tests"))
failed = [case for case in cases if case.find("failure") is not None]
assert len(failed) == 1 == int(suite.get("failures")), failed
assert failed[0].get("classname") == "noughts.tcp.seed.ready", failed[0].attrib
assert "document: [1] Inici de sessió" in failed[0].find("failure").text
"#;
    let read = Command::new("python3")
        .arg("-c")
        .arg(reader)
        .arg(json)
        .arg(junit)
        .output()
        .unwrap();
    assert!(
        read.status.success(),
        "{}\n{output}",
        String::from_utf8_lossy(&read.stderr)
    );
}

#[test]
fn junit_has_the_time_of_each_rule_for_every_kind() {
    let program = env!("CARGO_BIN_EXE_noughts");
    let serving = ServerProcess::tcp(&["--tcp-strategy", "first"]);
    let tcp = serving.address("tcp");
    let folder = folder("times");
    let client = [
        "connect", "-h", "{host}", "-p", "{port}", "--robot", "random",
    ];
    for (kind, words) in [
        ("tcp", vec![tcp, "--dialect", "seed", "--timeout", "20s"]),
        ("client", [&["--", program], &client[..]].concat()),
        ("classic", vec!["--", program]),
    ] {
        let junit = folder.join(kind);
        let file = ["--junit", junit.to_str().unwrap()];
        let (run, output) = check(&[&[kind], &file[..], &words].concat());
        assert_eq!(run.exit, 0, "{output}");
        let xml = std::fs::read_to_string(&junit).unwrap();
        let cases = xml.lines().filter(|line| line.contains("<testcase"));
        let times: Vec<f64> = cases
            .map(|line| {
                let time = line.split("time=\"").nth(1).unwrap();
                time.split('"').next().unwrap().parse().unwrap()
            })
            .collect();
        let timed = times.iter().filter(|time| **time > 0.0).count();
        assert!(timed >= 5, "{kind}: {times:?}");
    }
}

/// Waits until a killed process is gone or a zombie.
fn sees_the_end_of(id: &str) {
    let begun = Instant::now();
    loop {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let state = status.rsplit(") ").next().unwrap_or_default();
        if state.is_empty() || state.starts_with(['Z', 'X']) {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{id} is still there"
        );
        thread::yield_now();
    }
}

#[test]
fn hanging_program_and_its_children_are_ended() {
    let folder = folder("hangs");
    let ids = folder.join("ids");
    let case = "# one: a game\n> :q\n";
    std::fs::write(folder.join("one.txt"), case).unwrap();
    let script = format!("sleep 600 & echo $! $$ > {}; sleep 600", ids.display());
    let words = [
        "classic",
        "--cases",
        folder.to_str().unwrap(),
        "--timeout",
        "1s",
        "--",
        "sh",
        "-c",
        &script,
    ];
    let (run, output) = check(&words);
    assert_eq!(
        (run.exit, marked(&output, "FAIL")),
        (1, vec!["one"]),
        "{output}"
    );
    assert!(
        output.contains("did not end within 1 s and was killed"),
        "{output}"
    );
    let ids = std::fs::read_to_string(ids).unwrap();
    for id in ids.split_whitespace() {
        sees_the_end_of(id);
    }
}

#[test]
fn children_of_an_ended_program_are_ended() {
    let folder = folder("orphans");
    let id = folder.join("id");
    std::fs::write(folder.join("one.txt"), "# one: a game\n> :q\n").unwrap();
    // The child keeps the output open.
    let program = env!("CARGO_BIN_EXE_noughts");
    let script = format!("sleep 600 & echo $! > {}; exec {program}", id.display());
    let (run, output) = check(&[
        "classic",
        "--cases",
        folder.to_str().unwrap(),
        "--",
        "sh",
        "-c",
        &script,
    ]);
    assert_eq!(
        (run.exit, marked(&output, "pass")),
        (0, vec!["extra-lines", "delimiter", "one", "redraw"]),
        "{output}"
    );
    sees_the_end_of(std::fs::read_to_string(id).unwrap().trim());
}

#[test]
fn signal_ends_the_tested_program_too() {
    let folder = folder("signal");
    let told = folder.join("told");
    assert!(
        Command::new("mkfifo")
            .arg(&told)
            .status()
            .unwrap()
            .success()
    );
    let script = format!("echo $$ > {}; sleep 600", told.display());
    let mut judge = Command::new(env!("CARGO_BIN_EXE_noughts"))
        .args([
            "check",
            "classic",
            "--timeout",
            "600s",
            "--",
            "sh",
            "-c",
            &script,
        ])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // This read blocks until the program has written to the named pipe.
    let program = std::fs::read_to_string(&told).unwrap();
    let sent = Command::new("kill")
        .arg(judge.id().to_string())
        .status()
        .unwrap();
    assert!(sent.success());
    assert_eq!(judge.wait().unwrap().code(), Some(128 + 15));
    sees_the_end_of(program.trim());
}
