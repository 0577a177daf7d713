//! A child process in its own process group. Threads read and write its pipes.

use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap};

/// Maximum number of bytes per read of a pipe.
const CHUNK: usize = 8192;

/// Maximum number of events that wait for the caller. At this number, the reader threads stop reading the
/// pipes. When a pipe is also full, the child's writes block.
const MAX_PENDING_EVENTS: usize = 16;

/// How often [`Process::wait`] checks whether the process has exited.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long to read the pipes of an exited process if its child processes keep the pipes open. On a busy
/// machine the last bytes may be late. If no process keeps the pipes open, reading ends as soon as all bytes
/// are read.
const DRAIN_TIME: Duration = Duration::from_secs(2);

type Child = Arc<Mutex<Box<dyn ChildWrapper>>>;

/// Processes that can be killed together, from any thread. Clones share the set.
#[derive(Clone, Debug, Default)]
pub struct ProcessSet(Arc<Mutex<Members>>);

#[derive(Debug, Default)]
struct Members {
    children: Vec<Child>,
    is_closed: bool,
}

impl ProcessSet {
    /// Starts a process. The process belongs to the set until its [`Process`] is killed or dropped. Always
    /// fails after [`kill_all`](Self::kill_all).
    pub fn spawn(&self, mut command: Command) -> io::Result<Process> {
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        // The lock is held while spawning. Otherwise a child started during `kill_all` would survive.
        let mut members = lock(&self.0);
        if members.is_closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (
            child.stdin().take(),
            child.stdout().take(),
            child.stderr().take(),
        );
        let child = Arc::new(Mutex::new(child));
        members.children.push(Arc::clone(&child));
        drop(members);

        let (input, to_write) = channel();
        if let Some(stdin) = stdin {
            thread::spawn(move || write_pipe(stdin, &to_write));
        }
        let (sender, events) = sync_channel(MAX_PENDING_EVENTS);
        if let Some(stdout) = stdout {
            let sender = sender.clone();
            thread::spawn(move || {
                read_pipe(stdout, &sender, Event::Stdout);
                let _ = sender.send(Event::StdoutClosed);
            });
        }
        if let Some(stderr) = stderr {
            thread::spawn(move || read_pipe(stderr, &sender, Event::Stderr));
        }
        Ok(Process {
            child,
            set: self.clone(),
            input: Some(input),
            events,
            is_killed: false,
        })
    }

    /// Kills every process of the set, and every process that these processes started. Does not wait until
    /// the processes have ended. Later calls of [`spawn`](Self::spawn) fail.
    pub fn kill_all(&self) {
        let mut members = lock(&self.0);
        members.is_closed = true;
        for child in members.children.drain(..) {
            let _ = lock(&child).start_kill();
        }
    }
}

/// A running process. Dropping this value kills the process and every process that it started.
#[derive(Debug)]
pub struct Process {
    child: Child,
    set: ProcessSet,
    input: Option<Sender<Vec<u8>>>,
    events: Receiver<Event>,
    /// Whether [`Process::kill`] was called. The process must not be killed again, because its process id may now
    /// belong to another process.
    is_killed: bool,
}

/// An event of a process, or the end of a wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Bytes from standard output.
    Stdout(Vec<u8>),
    /// Bytes from standard error.
    Stderr(Vec<u8>),
    /// Standard output is closed. Bytes from standard error may follow.
    StdoutClosed,
    /// Both outputs are closed and everything was read.
    Closed,
    /// No event came before the deadline.
    Timeout,
}

impl Process {
    /// Starts a process that belongs to no set.
    pub fn spawn(command: Command) -> io::Result<Process> {
        ProcessSet::default().spawn(command)
    }

    /// Queues bytes for standard input without waiting for the process to read them.
    pub fn write(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            // `send` fails if the process has closed its input. The error is ignored, because the caller notices that
            // no answer comes.
            let _ = input.send(bytes);
        }
    }

    /// Closes standard input after all queued bytes are written.
    pub fn close_stdin(&mut self) {
        self.input = None;
    }

    /// Waits for the next event, at most until the deadline.
    pub fn next_event(&self, deadline: Instant) -> Event {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.events.recv_timeout(left) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => Event::Timeout,
            Err(RecvTimeoutError::Disconnected) => Event::Closed,
        }
    }

    /// Returns the exit status, or `None` if the process still runs. After the process has ended, its child
    /// processes may still run.
    pub fn exit_status(&self) -> Option<ExitStatus> {
        lock(&self.child).try_wait().ok().flatten()
    }

    /// Waits until the process ends. Returns `None` if it does not end before the deadline. Passes the events
    /// to `take` while waiting, because a process that blocks on a full pipe cannot end.
    ///
    /// After the process has ended, this function [drains](Process::drain) its output. Draining may continue
    /// after the deadline.
    pub fn wait(&self, deadline: Instant, mut take: impl FnMut(Event)) -> Option<ExitStatus> {
        let status = loop {
            if let Some(status) = self.exit_status() {
                break status;
            }
            let now = Instant::now();
            if now >= deadline {
                return None;
            }
            match self.next_event(deadline.min(now + POLL_INTERVAL)) {
                Event::Timeout => {}
                Event::Closed => thread::sleep(POLL_INTERVAL),
                event => take(event),
            }
        };
        self.drain(take);
        Some(status)
    }

    /// Passes the remaining output of an exited process to `take`. Stops after 2 s if child processes keep
    /// the pipes open.
    pub fn drain(&self, mut take: impl FnMut(Event)) {
        let deadline = Instant::now() + DRAIN_TIME;
        while Instant::now() < deadline {
            match self.next_event(deadline) {
                Event::Timeout | Event::Closed => return,
                event => take(event),
            }
        }
    }

    /// Kills the process and every process that it started, and waits until the process has ended.
    pub fn kill(&mut self) {
        if std::mem::replace(&mut self.is_killed, true) {
            return;
        }
        let mut child = lock(&self.child);
        // The process may have been reaped by `exit_status`, but processes that it started may still run. As
        // long as one of these processes is in the group, the id of the group cannot be reused. If the group
        // is empty, the signal has no effect, unless the system has already given the id to a new group. In
        // the standard library, every check whether a process has ended also reaps the process, so this small
        // risk remains.
        let _ = child.start_kill();
        let _ = child.wait();
        drop(child);
        let mut members = lock(&self.set.0);
        members
            .children
            .retain(|child| !Arc::ptr_eq(child, &self.child));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_pipe(mut stdin: impl Write, to_write: &Receiver<Vec<u8>>) {
    for bytes in to_write {
        if stdin.write_all(&bytes).is_err() {
            return;
        }
    }
}

/// Reads until the pipe is closed or the [`Process`] is dropped.
fn read_pipe(mut pipe: impl Read, events: &SyncSender<Event>, event: fn(Vec<u8>) -> Event) {
    let mut chunk = [0; CHUNK];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) if events.send(event(chunk[..count].to_vec())).is_err() => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
