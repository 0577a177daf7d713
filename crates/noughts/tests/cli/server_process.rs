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
    /// A server with only the HTTP listener.
    pub(crate) fn http(log: &str) -> ServerProcess {
        let words = ["--store", "memory:", "--log", log];
        ServerProcess::start(&[("http", ANY_PORT)], &words)
    }

    /// A server with only the HTTP listener, at this address and with this store.
    pub(crate) fn http_with_store(address: &str, store: &str) -> ServerProcess {
        ServerProcess::start(&[("http", address)], &["--store", store, "--log", "off"])
    }

    /// A server with both TCP listeners and these options.
    pub(crate) fn tcp(words: &[&str]) -> ServerProcess {
        let open = [("tcp", ANY_PORT), ("tcp-pairs", ANY_PORT)];
        let words = [&["--store", "memory:", "--log", "off"], words].concat();
        ServerProcess::start(&open, &words)
    }

    fn start(open: &[(&str, &str)], words: &[&str]) -> ServerProcess {
        let address = |listener| open.iter().find(|(name, _)| *name == listener);
        let listeners = ["http", "tcp", "tcp-pairs"].map(|listener| {
            let address = address(listener).map_or("none", |(_, address)| address);
            format!("--{listener}={address}")
        });
        let is_open = |listener| address(listener).is_some();
        let mut process = Command::new(env!("CARGO_BIN_EXE_noughts"))
            .arg("serve")
            .args(listeners)
            .args(words)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut address = |listener| match is_open(listener) {
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

const ANY_PORT: &str = "127.0.0.1:0";

impl ServerProcess {
    /// Sends a signal, such as `-STOP`.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
