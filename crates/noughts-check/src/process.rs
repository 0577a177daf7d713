//! A program of somebody else's, started, fed, heard and ended with everything that it started.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Holds whatever programs run now, so that who ends the judge can end them too.
#[derive(Clone, Debug, Default)]
pub struct RunningPrograms(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    groups: Vec<u32>,
    is_closed: bool,
}

impl RunningPrograms {
    /// Ends everything on it; nothing comes on it later.
    pub fn kill_all(&self) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.is_closed = true;
        held.groups.drain(..).for_each(kill_group);
    }

    /// Starts a program on it. It is held from the very start, and none is started once the running is pulled:
    /// who pulls it may be gone before anything else could be ended.
    fn start(&self, command: &mut Command) -> io::Result<Child> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let child = command.spawn()?;
        held.groups.push(child.id());
        Ok(child)
    }

    fn release(&self, group: u32) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.groups.retain(|one| *one != group);
    }
}

/// A running program. Dropped, it is killed with everything that it started.
pub(crate) struct Program {
    child: Child,
    running: RunningPrograms,
    heard: Receiver<Received>,
    input: Option<Sender<Vec<u8>>>,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
    /// How many of the two outputs are still open.
    open: u8,
    status: Option<ExitStatus>,
}

enum Received {
    Output(Vec<u8>),
    Errors(Vec<u8>),
    End,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal: it crashed.
    Signal(i32),
    /// Not within the time.
    TimedOut,
    /// It wrote without end.
    Flooded,
}

/// Beyond so many bytes an output has no end.
pub(crate) const FLOOD: usize = 4 << 20;

/// How long the outputs of a program that has ended may stay open.
const GRACE: Duration = Duration::from_millis(200);

impl Program {
    /// Starts it in a process group of its own.
    pub(crate) fn start(
        command: &[OsString],
        running: &RunningPrograms,
    ) -> Result<Program, String> {
        let (name, words) = command.split_first().ok_or("there is no command to run")?;
        let mut start = Command::new(name);
        start
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut start, 0);
        let mut child = running
            .start(&mut start)
            .map_err(|error| format!("{} can't be started: {error}", name.to_string_lossy()))?;
        let (say, heard) = sync_channel(16);
        if let Some(output) = child.stdout.take() {
            listen(output, say.clone(), Received::Output);
        }
        if let Some(errors) = child.stderr.take() {
            listen(errors, say, Received::Errors);
        }
        let (input, typed) = channel::<Vec<u8>>();
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read must not hold up the judge. Who has gone does not mind.
            thread::spawn(move || {
                while let Ok(bytes) = typed.recv() {
                    if stdin
                        .write_all(&bytes)
                        .and_then(|()| stdin.flush())
                        .is_err()
                    {
                        return;
                    }
                }
            });
        }
        Ok(Program {
            child,
            running: running.clone(),
            heard,
            input: Some(input),
            output: Vec::new(),
            errors: Vec::new(),
            open: 2,
            status: None,
        })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if let Some(input) = &self.input {
            let _ = input.send(bytes.to_vec());
        }
    }

    /// There is no more input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Listens until something was written, or the time is over; how the program ended, if it did.
    pub(crate) fn listen(&mut self, until: Instant) -> Option<End> {
        // Short, so that an end is noticed of a program whose children keep its outputs open.
        let wait = until
            .saturating_duration_since(Instant::now())
            .min(GRACE / 10);
        match self.heard.recv_timeout(wait) {
            Ok(Received::Output(bytes)) => {
                self.output.extend(bytes);
                if self.output.len() > FLOOD {
                    return Some(End::Flooded);
                }
            }
            Ok(Received::Errors(bytes)) => {
                self.errors.extend(bytes);
                if self.errors.len() > FLOOD {
                    return Some(End::Flooded);
                }
            }
            Ok(Received::End) => self.open -= 1,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // Both outputs are closed, and the program goes on.
                self.open = 0;
                thread::sleep(wait.min(Duration::from_millis(2)));
            }
        }
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        match self.status {
            Some(status) => {
                self.hear_the_rest();
                Some(match self.output.len().max(self.errors.len()) > FLOOD {
                    true => End::Flooded,
                    false => end_of(status),
                })
            }
            None => None,
        }
    }

    /// What was written before the end. Children that keep the outputs open are not waited for.
    fn hear_the_rest(&mut self) {
        let until = Instant::now() + GRACE;
        while self.open > 0 && self.output.len().max(self.errors.len()) <= FLOOD {
            let left = until.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(left) {
                Ok(Received::Output(bytes)) => self.output.extend(bytes),
                Ok(Received::Errors(bytes)) => self.errors.extend(bytes),
                Ok(Received::End) => self.open -= 1,
                Err(_) => break,
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let group = self.child.id();
        kill_group(group);
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.running.release(group);
    }
}

fn listen(
    mut from: impl Read + Send + 'static,
    to: SyncSender<Received>,
    kind: fn(Vec<u8>) -> Received,
) {
    // It ends with the output, or with the judge's interest in it.
    thread::spawn(move || {
        let mut bytes = [0; 8192];
        loop {
            let heard = match from.read(&mut bytes) {
                Ok(0) => Received::End,
                Ok(count) => kind(bytes[..count].to_vec()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => Received::End,
            };
            let is_end = matches!(heard, Received::End);
            if to.send(heard).is_err() || is_end {
                return;
            }
        }
    });
}

#[cfg(unix)]
fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

#[cfg(not(unix))]
fn end_of(status: ExitStatus) -> End {
    End::Exit(status.code().unwrap_or(-1))
}

#[cfg(unix)]
fn kill_group(group: u32) {
    let group = i32::try_from(group)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}
