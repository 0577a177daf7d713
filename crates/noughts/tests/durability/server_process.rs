//! The program as a process.

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A server, killed when it is dropped.
pub(crate) struct ServerProcess {
    process: Child,
    pub(crate) http: u16,
    pub(crate) tcp: u16,
    pub(crate) pairs: u16,
}

impl ServerProcess {
    pub(crate) fn start(store: &str) -> ServerProcess {
        ServerProcess::start_by(&[], &["--store", store])
    }

    /// A server with a command before the program, such as `strace`, and options after it.
    pub(crate) fn start_by(before: &[&str], words: &[&str]) -> ServerProcess {
        let words = [&["--log", "off"], words].concat();
        ServerProcess::spawn(before, &words, Stdio::inherit()).expect("the server starts")
    }

    /// Like `start_by`; `None` if the server ends at once, because its store is not available.
    pub(crate) fn try_start_by(before: &[&str], words: &[&str]) -> Option<ServerProcess> {
        let words = [&["--log", "off"], words].concat();
        ServerProcess::spawn(before, &words, Stdio::null())
    }

    /// A server that writes warnings and errors into a file.
    pub(crate) fn start_with_log(store: &str, log: File) -> ServerProcess {
        let words = ["--log", "warn", "--store", store];
        ServerProcess::spawn(&[], &words, log.into()).expect("the server starts")
    }

    /// Starts a server and kills it after this time, which may be before it listens.
    pub(crate) fn kill_while_starting(store: &str, after: Duration) {
        let words = ["--log", "off", "--store", store];
        let spawned = command(&[], &words).stdout(Stdio::null()).spawn();
        let mut process = spawned.expect("there is such a program");
        sleep(after);
        let _ = process.kill();
        let _ = process.wait();
    }

    fn spawn(before: &[&str], words: &[&str], log: Stdio) -> Option<ServerProcess> {
        let mut command = command(before, words);
        let spawned = command.stdout(Stdio::piped()).stderr(log).spawn();
        let mut process = spawned.expect("there is such a program");
        let lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        let port = |line: String| -> u16 {
            let (_, port) = line.split_once("127.0.0.1:").expect("it says where");
            port.split(' ').next().unwrap().parse().unwrap()
        };
        let ports: Vec<u16> = lines.take(3).map(|line| port(line.unwrap())).collect();
        let [http, tcp, pairs] = ports[..] else {
            let _ = process.kill();
            let _ = process.wait();
            return None;
        };
        Some(ServerProcess {
            process,
            http,
            tcp,
            pairs,
        })
    }

    /// Sends a signal by its name, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        assert!(signal(&[self.process.id()], name), "it runs");
    }

    /// Waits until the process has ended.
    pub(crate) fn wait(mut self) {
        self.process.wait().expect("it is a child of this process");
    }

    /// Kills the server at once.
    pub(crate) fn kill(&mut self) {
        // The server may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a signal to these processes; false if one of them does not exist.
pub(crate) fn signal(processes: &[u32], name: &str) -> bool {
    let numbers = processes.iter().map(u32::to_string);
    let kill = Command::new("kill")
        .arg(format!("-{name}"))
        .args(numbers)
        .stderr(Stdio::null())
        .status();
    kill.expect("there is such a program").success()
}

fn command(before: &[&str], words: &[&str]) -> Command {
    // A campaign may test another build.
    let program = env::var("CAMPAIGN_PROGRAM");
    let program = program.as_deref().unwrap_or(env!("CARGO_BIN_EXE_noughts"));
    let program = [program, "serve"];
    let listeners = "--http 127.0.0.1:0 --tcp 127.0.0.1:0 --tcp-pairs 127.0.0.1:0";
    let all = before.iter().chain(&program).copied();
    let all: Vec<&str> = all
        .chain(listeners.split(' '))
        .chain(words.iter().copied())
        .collect();
    let mut command = Command::new(all[0]);
    command.args(&all[1..]).stdin(Stdio::null());
    command
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
