//! `noughts serve` as a process.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server with games in memory, killed at the end of the test.
pub(crate) struct ServerProcess {
    process: Child,
    /// The addresses of the enabled listeners.
    pub(crate) url: String,
    pub(crate) tcp: String,
    pub(crate) pairs: String,
}

impl ServerProcess {
    /// With the HTTP listener only.
    pub(crate) fn http(log: &str) -> ServerProcess {
        ServerProcess::start(&["http"], &["--log", log])
    }

    /// With both TCP listeners, and these options.
    pub(crate) fn tcp(words: &[&str]) -> ServerProcess {
        ServerProcess::start(&["tcp", "tcp-pairs"], &[&["--log", "off"], words].concat())
    }

    fn start(open: &[&str], words: &[&str]) -> ServerProcess {
        let listeners =
            ["http", "tcp", "tcp-pairs"].map(|listener| match open.contains(&listener) {
                true => format!("--{listener}=127.0.0.1:0"),
                false => format!("--{listener}=none"),
            });
        let mut process = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .args(["serve", "--store", "memory:"])
            .args(listeners)
            .args(words)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut address = |listener| match open.contains(&listener) {
            true => {
                let line = lines.next().unwrap().unwrap();
                line.split_whitespace().nth(1).unwrap().to_owned()
            }
            false => "none".to_owned(),
        };
        ServerProcess {
            url: format!("http://{}", address("http")),
            tcp: address("tcp"),
            pairs: address("tcp-pairs"),
            process,
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
