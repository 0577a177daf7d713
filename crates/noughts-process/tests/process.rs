//! Child processes that behave well and badly.
#![cfg(unix)]

use std::process::Command;
use std::time::{Duration, Instant};

use noughts_process::{Event, Process, ProcessSet};

/// A long deadline, so that tests do not fail on a busy machine.
const LONG: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    command
}

/// Reads standard output until a line break.
fn first_line(process: &Process) -> String {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        match process.next_event(Instant::now() + LONG) {
            Event::Stdout(bytes) => line.extend(bytes),
            event => panic!("{event:?} after {line:?}"),
        }
    }
    String::from_utf8(line).unwrap().trim().to_owned()
}

fn wait_until_gone(pid: &str) {
    let is_running = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        status.is_ok_and(|status| !status.contains(") Z"))
    };
    while is_running() {
        std::thread::yield_now();
    }
}

#[test]
fn output_errors_and_exit_status_are_reported() {
    let mut process = Process::spawn(shell("cat; echo wrong >&2; exit 3")).unwrap();
    process.write(b"one\n".to_vec());
    process.write(b"two\n".to_vec());
    process.close_stdin();
    let (mut output, mut errors, mut closed) = (Vec::new(), Vec::new(), 0);
    let status = process.wait(Instant::now() + LONG, |event| match event {
        Event::Stdout(bytes) => output.extend(bytes),
        Event::Stderr(bytes) => errors.extend(bytes),
        Event::StdoutClosed => closed += 1,
        Event::Closed | Event::Timeout => unreachable!(),
    });
    assert_eq!(status.unwrap().code(), Some(3));
    assert_eq!(
        (output.as_slice(), errors.as_slice()),
        (&b"one\ntwo\n"[..], &b"wrong\n"[..])
    );
    assert_eq!(closed, 1);
    assert_eq!(process.next_event(Instant::now() + LONG), Event::Closed);
}

#[test]
fn process_that_reads_nothing_blocks_nobody() {
    let process = Process::spawn(shell("echo ready; sleep 1000")).unwrap();
    assert_eq!(first_line(&process), "ready");
    process.write(vec![b'x'; 1 << 20]);
    assert_eq!(process.next_event(Instant::now()), Event::Timeout);
    assert_eq!(process.wait(Instant::now(), |_| ()), None);
}

#[test]
fn dropped_process_ends_with_its_children() {
    let process = Process::spawn(shell("sleep 1000 & echo $!; wait")).unwrap();
    let child = first_line(&process);
    drop(process);
    wait_until_gone(&child);
}

#[test]
fn children_of_an_exited_process_do_not_block_and_end_with_it() {
    let process = Process::spawn(shell("sleep 1000 & echo $!")).unwrap();
    let child = first_line(&process);
    assert!(
        process
            .wait(Instant::now() + LONG, |_| ())
            .unwrap()
            .success()
    );
    drop(process);
    wait_until_gone(&child);
}

#[test]
fn flooding_process_is_killed() {
    let mut process = Process::spawn(shell("yes")).unwrap();
    assert!(matches!(
        process.next_event(Instant::now() + LONG),
        Event::Stdout(_)
    ));
    process.kill();
    assert!(process.exit_status().is_some());
}

#[test]
fn set_kills_its_processes_and_starts_no_more() {
    let set = ProcessSet::default();
    let process = set.spawn(shell("sleep 1000 & echo $!; wait")).unwrap();
    let child = first_line(&process);
    set.clone().kill_all();
    wait_until_gone(&child);
    assert!(
        !process
            .wait(Instant::now() + LONG, |_| ())
            .unwrap()
            .success()
    );
    let error = set.spawn(shell("true")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::Interrupted);
}
