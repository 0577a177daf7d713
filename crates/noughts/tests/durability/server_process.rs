//! The program as a process.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server, killed when it is dropped.
pub(crate) struct ServerProcess {
    process: Child,
    pub(crate) http: u16,
    pub(crate) pairs: u16,
}

impl ServerProcess {
    pub(crate) fn start(store: &str) -> ServerProcess {
        ServerProcess::start_by(&[], &["--store", store])
    }

    /// A server with a command before the program, such as `strace`, and options after it.
    pub(crate) fn start_by(before: &[&str], words: &[&str]) -> ServerProcess {
        ServerProcess::spawn(
            before,
            &[&["--log", "off"], words].concat(),
            Stdio::inherit(),
        )
    }

    /// Writes warnings and errors into a file.
    pub(crate) fn start_with_log(store: &str, log: File) -> ServerProcess {
        ServerProcess::spawn(&[], &["--log", "warn", "--store", store], log.into())
    }

    fn spawn(before: &[&str], words: &[&str], log: Stdio) -> ServerProcess {
        let program = [env!("CARGO_BIN_EXE_noughts"), "serve"];
        let listeners = "--http 127.0.0.1:0 --tcp none --tcp-pairs 127.0.0.1:0";
        let all = before.iter().chain(&program).copied();
        let all: Vec<&str> = all
            .chain(listeners.split(' '))
            .chain(words.iter().copied())
            .collect();
        let spawned = Command::new(all[0])
            .args(&all[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn();
        let mut process = spawned.expect("there is such a program");
        let lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        let port = |line: String| -> u16 {
            let (_, port) = line.split_once("127.0.0.1:").expect("it says where");
            port.split(' ').next().unwrap().parse().unwrap()
        };
        let ports: Vec<u16> = lines.take(2).map(|line| port(line.unwrap())).collect();
        let [http, pairs] = ports[..] else {
            panic!("the server does not start");
        };
        ServerProcess {
            process,
            http,
            pairs,
        }
    }

    /// Sends a signal by its name, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        let kill = Command::new("kill")
            .args([format!("-{name}"), self.process.id().to_string()])
            .status();
        assert!(kill.expect("there is such a program").success());
    }

    /// Waits until the process has ended.
    pub(crate) fn wait(mut self) {
        self.process.wait().expect("it is a child of this process");
    }

    /// Kills it at once.
    pub(crate) fn kill(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
