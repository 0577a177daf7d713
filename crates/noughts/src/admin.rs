//! `noughts admin`, and the socket of `noughts serve --admin`.

#[cfg(unix)]
pub(crate) use unix::{AdminSocket, run};

#[cfg(not(unix))]
pub(crate) use elsewhere::{AdminSocket, run};

use std::time::{Duration, SystemTime};

use noughts_rules::Quoted;

use crate::Failure;
use crate::args::AdminTask;
use crate::serve::read_long_time;

/// Converts a command into the words that the server expects.
fn words(task: &AdminTask, now_ms: u64) -> Result<Vec<String>, Failure> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Ok(match task {
        AdminTask::Load => words(&["load"]),
        AdminTask::Games { status, limit } => words(&["games", status, limit]),
        AdminTask::Game { id } => words(&["game", id]),
        AdminTask::EndGame { id } => words(&["end-game", id]),
        AdminTask::DeleteGame { id } => words(&["delete-game", id]),
        AdminTask::Players { limit } => words(&["players", limit]),
        AdminTask::Player { id } => words(&["player", id]),
        AdminTask::DeletePlayer { id } => words(&["delete-player", id]),
        AdminTask::Bans => words(&["bans"]),
        AdminTask::Ban {
            network,
            time,
            until,
            reason,
        } => {
            let until_ms = match (time, until) {
                (Some(time), _) => {
                    let time = read_long_time("the length of the ban (--for)", time)?;
                    now_ms.saturating_add(time.as_millis() as u64)
                }
                (None, Some(date)) => read_date(date)?,
                (None, None) => return Err(Failure::invalid("give --for or --until")),
            };
            words(&["ban", network, &until_ms.to_string(), reason])
        }
        AdminTask::Unban { network } => words(&["unban", network]),
        AdminTask::Announce { text } => words(&["announce", text.as_deref().unwrap_or_default()]),
        AdminTask::Drain { off } => words(&["drain", if *off { "off" } else { "on" }]),
    })
}

/// Parses a date. Returns the beginning of the day in UTC, in milliseconds since 1970.
fn read_date(text: &str) -> Result<u64, Failure> {
    let wrong = || {
        Failure::invalid(format_args!(
            "the end of the ban (--until) must be a date such as 2026-12-31, not {}",
            Quoted::from(text)
        ))
    };
    let mut parts = text.split('-').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u64>().ok().filter(|_| is_number)
    });
    let mut part = || parts.next().flatten();
    let (Some(year), Some(month), Some(day), None) = (part(), part(), part(), parts.next()) else {
        return Err(wrong());
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_of_month = [
        31,
        28 + u64::from(is_leap),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let is_date = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of_month[month as usize - 1]).contains(&day);
    if !is_date {
        return Err(wrong());
    }
    let years = (1970..year).map(|year| {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        365 + u64::from(is_leap)
    });
    let months = &days_of_month[..month as usize - 1];
    let days = years.sum::<u64>() + months.iter().sum::<u64>() + day - 1;
    Ok(Duration::from_secs(days * 24 * 3_600).as_millis() as u64)
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().as_millis() as u64
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::io::{self, ErrorKind, Read, Write};
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use noughts_rules::Quoted;
    use noughts_server::Server;

    use super::{now_ms, words};
    use crate::Failure;
    use crate::args::Admin;

    /// Maximum time to wait for the answer of the server. Deleting a player with many games takes a while.
    const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

    /// Sends a command to a server, and prints the server's answer.
    pub(crate) fn run(task: &Admin) -> Result<(), Failure> {
        let words = words(&task.what, now_ms())?;
        if words.iter().any(|word| word.contains(['\t', '\n'])) {
            return Err(Failure::invalid(
                "a text must not contain tabs or line breaks",
            ));
        }
        let path = task.socket.to_string_lossy();
        let failed = |why: &dyn std::fmt::Display| {
            Failure::invalid(format_args!(
                "cannot reach a server at {} (--socket): {why}; `noughts serve --admin PATH` creates the socket",
                Quoted::from(&*path)
            ))
        };
        let ask = || {
            let mut stream = UnixStream::connect(&task.socket)?;
            stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
            stream.write_all(format!("{}\n", words.join("\t")).as_bytes())?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = ask().map_err(|error: io::Error| failed(&error))?;
        match answer.split_once('\n') {
            Some(("ok", text)) => Ok(io::stdout().write_all(text.as_bytes())?),
            Some(("refused", reason)) => Err(Failure::invalid(reason.trim_end())),
            _ => Err(failed(&"it closed the connection without an answer")),
        }
    }

    /// The socket of a server. Dropping this value removes the socket.
    pub(crate) struct AdminSocket {
        listener: UnixListener,
        path: PathBuf,
    }

    impl AdminSocket {
        /// Creates the socket. Only the system user that runs the server can use the socket. Replaces a socket that a
        /// killed server left behind.
        pub(crate) fn open(path: &Path) -> Result<AdminSocket, Failure> {
            let failed = |why: &dyn std::fmt::Display| {
                let path = path.to_string_lossy();
                let path = Quoted::from(&*path);
                Failure::invalid(format_args!(
                    "cannot create the socket {path} (--admin): {why}"
                ))
            };
            match fs::symlink_metadata(path) {
                Ok(found) if !found.file_type().is_socket() => {
                    return Err(failed(&"there is another file; give another name"));
                }
                Ok(_) => match UnixStream::connect(path) {
                    Ok(_) => return Err(failed(&"another server uses it")),
                    Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                        fs::remove_file(path).map_err(|error| failed(&error))?;
                    }
                    Err(error) => return Err(failed(&error)),
                },
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed(&error)),
            }
            // With this umask, `bind` creates the socket with mode 0600, so other users can never connect.
            let before = rustix::process::umask(rustix::fs::Mode::from_bits_truncate(0o177));
            let listener = UnixListener::bind(path);
            rustix::process::umask(before);
            let listener = listener.map_err(|error| failed(&error))?;
            listener
                .set_nonblocking(true)
                .map_err(|error| failed(&error))?;
            Ok(AdminSocket {
                listener,
                path: path.to_owned(),
            })
        }

        /// Lets the server answer commands that arrive on the socket.
        pub(crate) fn serve(&self, server: &mut Server) -> io::Result<()> {
            let listener = tokio::net::UnixListener::from_std(self.listener.try_clone()?)?;
            server.serve_admin(listener);
            Ok(())
        }
    }

    impl Drop for AdminSocket {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::path::Path;

    use noughts_server::Server;

    use super::{now_ms, words};
    use crate::Failure;
    use crate::args::Admin;

    const UNSUPPORTED: &str = "operators need a Unix socket, which this system does not have";

    pub(crate) fn run(task: &Admin) -> Result<(), Failure> {
        words(&task.what, now_ms())?;
        Err(Failure::invalid(UNSUPPORTED))
    }

    pub(crate) struct AdminSocket;

    impl AdminSocket {
        pub(crate) fn open(_: &Path) -> Result<AdminSocket, Failure> {
            Err(Failure::invalid(UNSUPPORTED))
        }

        pub(crate) fn serve(&self, _: &mut Server) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_in_utc() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("2000-02-29", 11_016),
            ("2024-03-01", 19_783),
            ("2026-12-31", 20_818),
        ] {
            assert_eq!(read_date(text).ok(), Some(days * 86_400_000), "{text}");
        }
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "2026-1-0",
            "+2026-01-01",
            "2026-01-01-01",
            "1969-01-01",
            "x-y-z",
        ] {
            assert!(read_date(text).is_err(), "{text}");
        }
    }
}
