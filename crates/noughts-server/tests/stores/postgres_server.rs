//! A PostgreSQL server for one test. It ends with the test process, even if that is killed.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A shell script that supervises the server, here and for the tests of the web page.
const RUN_POSTGRES: &str = include_str!("run_postgres.sh");

/// The user that runs PostgreSQL, which refuses to run as root.
const NOBODY: u32 = 65_534;

pub(crate) struct Server {
    script: Child,
    /// The script ends when this is closed.
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    directory: PathBuf,
}

impl Server {
    pub(crate) fn start() -> Server {
        let programs = programs();
        let made = tempfile::Builder::new().prefix("noughts-pg-").tempdir();
        let made = made.expect("there is room for a directory");
        let mut shell = Command::new("sh");
        if rustix::process::geteuid().is_root() {
            chown(made.path(), Some(NOBODY), Some(NOBODY)).expect("root may give files away");
            shell.uid(NOBODY).gid(NOBODY);
        }
        // From here on the script removes the directory.
        let directory = made.keep();
        shell.args(["-c", RUN_POSTGRES, "run_postgres"]);
        shell.arg(programs).arg(&directory);
        // A separate process group, so that a signal to this process does not stop the script first.
        let spawned = shell
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut script = spawned.expect("there is a shell");
        let answers = script.stdout.take().expect("it is piped");
        let mut server = Server {
            commands: script.stdin.take(),
            answers: BufReader::new(answers),
            script,
            directory,
        };
        assert_eq!(server.answer(), "ready\n", "PostgreSQL does not start");
        server
    }

    /// Stops the server like a power failure.
    pub(crate) fn end(&mut self) {
        self.command("end");
    }

    /// Starts the server again.
    pub(crate) fn begin(&mut self) {
        self.command("begin");
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Creates a database, and returns its address.
    pub(crate) fn database(&mut self, name: &str) -> String {
        self.command(&format!("create {name}"));
        let directory = self.directory.display();
        format!("postgres:///{name}?host={directory}&user=noughts")
    }

    fn command(&mut self, word: &str) {
        let commands = self.commands.as_mut().expect("it is open until the end");
        writeln!(commands, "{word}").expect("the script reads commands");
        assert_eq!(self.answer(), "done\n");
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .expect("the script answers");
        line
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.commands = None;
        let _ = self.script.wait();
    }
}

/// The directory of PostgreSQL's programs in Debian, which does not have them on the path. If there are several
/// versions, it is the last by name.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let programs = versions.flatten().map(|version| version.path().join("bin"));
    let found = programs.filter(|bin| bin.join("initdb").exists()).max();
    found.expect("these tests need PostgreSQL: install Debian's package postgresql")
}

#[test]
fn a_server_leaves_nothing_behind() {
    let server = Server::start();
    let directory = server.directory().to_owned();
    assert!(directory.join("data/postmaster.pid").exists());
    drop(server);
    assert!(!directory.exists());
}
