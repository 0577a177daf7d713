//! The other side as a process, and what the system knows about it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What the other side does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Keeps tables.
    Server,
    /// Answers with the same bytes.
    Bare,
}

impl Part {
    pub(crate) fn named(word: &str) -> Option<Part> {
        let mut parts = [Part::Server, Part::Bare].into_iter();
        parts.find(|part| part.name() == word)
    }

    fn name(self) -> &'static str {
        match self {
            Part::Server => "server",
            Part::Bare => "bare",
        }
    }
}

/// This program once more, playing a part. Dropped, it ends.
pub(crate) struct Process {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl Process {
    pub(crate) fn start(part: Part, environment: &[(&str, &str)]) -> Process {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
            .args(["--part", part.name()])
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started again");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut address)
            .expect("it says where it listens");
        let address = address.trim().parse().expect("an address");
        Process { child, address }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        let patience = Some(Duration::from_secs(20));
        stream.set_read_timeout(patience).expect("a socket");
        stream
    }

    /// The memory that is its own, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        let status = fs::read_to_string(self.about("status")).expect("it is still there");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        1024 * kilobytes
            .and_then(|text| text.parse::<u64>().ok())
            .expect("a number")
    }

    /// The processor time that it has taken.
    pub(crate) fn cpu(&self) -> Duration {
        let threads = fs::read_dir(self.about("task")).expect("it is still there");
        let taken = threads.filter_map(|thread| {
            let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(taken.sum())
    }

    fn about(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It goes when nobody can say anything to it any more.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
