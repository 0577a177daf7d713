//! `noughts serve` as a process.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server, killed when it is dropped.
pub(crate) struct ServerProcess {
    pub(crate) process: Child,
    /// The address of each enabled listener, by its name.
    addresses: HashMap<String, String>,
    /// The URL of the HTTP listener, if it is enabled.
    pub(crate) url: String,
}

/// An address with any free port.
pub(crate) const ANY_PORT: &str = "127.0.0.1:0";

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_noughts");

impl ServerProcess {
    /// A server with only the HTTP listener, and games in memory.
    pub(crate) fn http(log: &str) -> ServerProcess {
        let words = ["--store", "memory:", "--log", log];
        ServerProcess::start(&[("http", ANY_PORT)], &words)
    }

    /// A server with only the HTTP listener, at this address and with this store.
    pub(crate) fn http_with_store(address: &str, store: &str) -> ServerProcess {
        ServerProcess::start(&[("http", address)], &["--store", store, "--log", "off"])
    }

    /// A server with both TCP listeners, games in memory and these options.
    pub(crate) fn tcp(words: &[&str]) -> ServerProcess {
        let listeners = [("tcp", ANY_PORT), ("tcp-pairs", ANY_PORT)];
        let words = [&["--store", "memory:", "--log", "off"], words].concat();
        ServerProcess::start(&listeners, &words)
    }

    /// A server with these listeners and options.
    pub(crate) fn start(listeners: &[(&str, &str)], words: &[&str]) -> ServerProcess {
        ServerProcess::start_by(&mut Command::new(PROGRAM), listeners, words)
    }

    /// Like `start`, by a command that runs the program with the arguments that it gets.
    pub(crate) fn start_by(
        command: &mut Command,
        listeners: &[(&str, &str)],
        words: &[&str],
    ) -> ServerProcess {
        let is_enabled = |name: &&str| listeners.iter().any(|(enabled, _)| enabled == name);
        let disabled = ["http", "tcp", "tcp-pairs"].into_iter();
        let disabled = disabled.filter(|name| !is_enabled(name));
        let all = listeners.iter().copied();
        let all = all.chain(disabled.map(|name| (name, "none")));
        let mut process = command
            .arg("serve")
            .args(all.map(|(name, address)| format!("--{name}={address}")))
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = |line: String| {
            let mut words = line.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.next().unwrap())
        };
        let lines = lines.take(listeners.len());
        let addresses: HashMap<_, _> = lines.map(|line| address(line.unwrap())).collect();
        ServerProcess {
            url: format!(
                "http://{}",
                addresses.get("http").map_or("none", String::as_str)
            ),
            addresses,
            process,
        }
    }

    /// The address of a listener.
    pub(crate) fn address(&self, listener: &str) -> &str {
        &self.addresses[listener]
    }

    /// The port of a listener.
    pub(crate) fn port(&self, listener: &str) -> &str {
        self.address(listener).rsplit_once(':').unwrap().1
    }

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
