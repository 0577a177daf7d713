//! A program from outside: its lines in and out, and its end.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use noughts_engine::Stop;

use crate::line::{LONGEST, Line, read_line};

/// Lines that were read and not yet looked at. Beyond them the program waits with its own writing.
const MOST_UNREAD: usize = 64;

/// How much of what it says on standard error is remembered.
const LAST_WORDS: usize = 200;

/// How often it is looked whether an answer is still wanted, or a program has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// A program that runs. It is ended when this is dropped, with everything that it started in its
/// own group.
pub(super) struct Process {
    child: Child,
    says: Option<std::sync::mpsc::Sender<Vec<u8>>>,
    hears: Receiver<Line>,
    last_words: Arc<Mutex<String>>,
    has_ended: bool,
}

/// What came of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Line(Line),
    /// Nothing until then.
    Nothing,
    /// It will never say anything again.
    Closed,
    /// Nobody wants to know any more.
    Stopped,
}

impl Process {
    /// Starts a command as a shell would.
    pub(super) fn start(command: &str) -> io::Result<Process> {
        let mut child = shell(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (says, to_say) = channel();
        if let Some(stdin) = child.stdin.take() {
            thread::spawn(move || write_all(stdin, &to_say));
        }
        let (heard, hears) = sync_channel(MOST_UNREAD);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_all(BufReader::new(stdout), &heard));
        }
        let last_words = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || keep_last_words(stderr, &kept));
        }
        Ok(Process {
            child,
            says: Some(says),
            hears,
            last_words,
            has_ended: false,
        })
    }

    /// Says lines, in one piece. A program that does not listen is not waited for.
    pub(super) fn say(&self, lines: &[String]) {
        if let Some(says) = &self.says {
            // Fails when it has closed its input: then it will not answer either.
            let _ = says.send((lines.join("\n") + "\n").into_bytes());
        }
    }

    /// The next line until then, or why there is none.
    pub(super) fn hear(&self, until: Instant, stop: &Stop) -> Heard {
        loop {
            if stop.is_set() {
                return Heard::Stopped;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.hears.recv_timeout(left.min(BETWEEN_LOOKS)) {
                Ok(line) => return Heard::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Heard::Closed,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Heard::Nothing,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How it ended, in words, for one that is to have ended: `ended with exit code 3`.
    pub(super) fn obituary(&mut self) -> String {
        let until = Instant::now() + Duration::from_millis(500);
        let status = self.wait(until);
        let how = match status {
            Some(status) => match status.code() {
                Some(code) => format!("ended with exit code {code}"),
                None => format!("was ended by a {status}"),
            },
            None => "closed its output".to_owned(),
        };
        let words = match self.last_words.lock() {
            Ok(words) => words.trim().to_owned(),
            Err(_) => String::new(),
        };
        match words.lines().next_back() {
            Some(last) => format!("{how}; its last words: {last}"),
            None => how,
        }
    }

    /// Says `END` and waits; whether it went by itself. It is gone in any case.
    pub(super) fn end(&mut self, grace: Duration) -> bool {
        if self.has_ended {
            return true;
        }
        self.say(&["END".to_owned()]);
        self.says = None;
        let went = self.wait(Instant::now() + grace).is_some();
        self.kill();
        went
    }

    fn wait(&mut self, until: Instant) -> Option<std::process::ExitStatus> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => {
                    // Lets a program go on that waits for its last lines to be read.
                    while self.hears.try_recv().is_ok() {}
                    thread::sleep(BETWEEN_LOOKS);
                }
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Ends it and its group for good.
    pub(super) fn kill(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        kill_group(&mut self.child);
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    // A group of its own, so that it can be ended with all that it starts, and a Ctrl-C in the
    // terminal is ours to deal with.
    shell.process_group(0);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut words = command.split_whitespace();
    let mut program = Command::new(words.next().unwrap_or_default());
    program.args(words);
    program
}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

fn write_all(mut stdin: impl Write, to_say: &Receiver<Vec<u8>>) {
    for bytes in to_say {
        if stdin
            .write_all(&bytes)
            .and_then(|()| stdin.flush())
            .is_err()
        {
            return;
        }
    }
}

fn read_all(mut stdout: impl BufRead, heard: &SyncSender<Line>) {
    while let Ok(Some(line)) = read_bounded(&mut stdout) {
        let is_flood = line == Line::TooLong;
        if heard.send(line).is_err() || is_flood {
            return;
        }
    }
}

/// As [`read_line`], but a line that is too long is said to be so before its end, which may never
/// come.
fn read_bounded(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut kept = Vec::new();
    let mut bounded = input.take(LONGEST as u64 + 1);
    bounded.read_until(b'\n', &mut kept)?;
    if kept.len() > LONGEST {
        return Ok(Some(Line::TooLong));
    }
    read_line(&mut kept.as_slice())
}

fn keep_last_words(mut stderr: impl Read, kept: &Mutex<String>) {
    let mut bytes = [0; 1024];
    let mut last: Vec<u8> = Vec::new();
    while let Ok(count) = stderr.read(&mut bytes) {
        if count == 0 {
            return;
        }
        last.extend_from_slice(&bytes[..count]);
        let surplus = last.len().saturating_sub(LAST_WORDS);
        last.drain(..surplus);
        if let Ok(mut kept) = kept.lock() {
            *kept = String::from_utf8_lossy(&last)
                .chars()
                .map(|sign| {
                    if sign.is_control() && sign != '\n' {
                        ' '
                    } else {
                        sign
                    }
                })
                .collect();
        }
    }
}
