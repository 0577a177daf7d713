//! A PostgreSQL server for one test. It ends with the test process, even if that is killed.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A shell script that supervises the server. It reads commands and answers each with a line. When its input
/// closes, also because this process was killed, it stops the server and removes its directory.
const GUARDIAN: &str = r#"
cd "$2" || exit 1
begin() { "$1/pg_ctl" start -w -t 120 -D data -l log -o "-k '$2' -c listen_addresses= -c fsync=off -c max_connections=60" >start.log 2>&1; }
create() { "$1/createdb" -h "$2" -U noughts "$3" >create.log 2>&1; }
end() { "$1/pg_ctl" stop -w -m immediate -D data >stop.log 2>&1; }
trap 'end "$1"; cd /; rm -rf "$2"' EXIT
trap '' INT TERM HUP PIPE
"$1/initdb" -D data -U noughts -A trust -E UTF8 --locale=C --no-sync >initdb.log 2>&1 && begin "$1" "$2" || { cat *.log log >&2; exit 1; }
echo ready
while read -r command name; do
    "$command" "$1" "$2" "$name" || cat *.log log >&2
    echo done
done
"#;

/// The user that runs PostgreSQL, which refuses to run as root.
const NOBODY: u32 = 65_534;

pub(crate) struct Server {
    guardian: Child,
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
        shell.args(["-c", GUARDIAN, "guardian"]);
        shell.arg(programs).arg(&directory);
        // A separate process group: what stops this process must not stop the script first.
        let spawned = shell
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut guardian = spawned.expect("there is a shell");
        let answers = guardian.stdout.take().expect("it is piped");
        let mut server = Server {
            commands: guardian.stdin.take(),
            answers: BufReader::new(answers),
            guardian,
            directory,
        };
        assert_eq!(server.answer(), "ready\n", "PostgreSQL does not start");
        server
    }

    /// Stops it like a power failure.
    pub(crate) fn end(&mut self) {
        self.command("end");
    }

    /// Starts it again.
    pub(crate) fn begin(&mut self) {
        self.command("begin");
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// An unused database.
    pub(crate) fn database(&mut self, name: &str) -> String {
        self.command(&format!("create {name}"));
        let directory = self.directory.display();
        format!("postgres:///{name}?host={directory}&user=noughts")
    }

    fn command(&mut self, word: &str) {
        let commands = self.commands.as_mut().expect("it is open until the end");
        writeln!(commands, "{word}").expect("the guardian hears");
        assert_eq!(self.answer(), "done\n");
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .expect("the guardian answers");
        line
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.commands = None;
        let _ = self.guardian.wait();
    }
}

/// Where Debian has the programs of the newest version; they are not on the path there.
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
