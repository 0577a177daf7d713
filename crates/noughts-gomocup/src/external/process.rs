//! The process of an engine: its start, its input, its output and its exit.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use noughts_engine::Stop;
use noughts_process::{Event, Line, LineBuffer, Process};

use crate::protocol::MAX_LINE;

/// Maximum number of bytes that are kept from the end of standard error, to explain a crash.
const MAX_ERROR_TEXT: usize = 200;

/// How often [`EngineProcess::receive`] checks whether the caller has asked to stop.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long to wait for the exit status of an engine that has closed its output.
const EXIT_TIME: Duration = Duration::from_millis(500);

/// A running engine. Dropping this value kills the engine and every process that it started.
pub(super) struct EngineProcess {
    process: Process,
    lines: LineBuffer,
    is_closed: bool,
    error_text: Vec<u8>,
}

/// The result of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Line(Line),
    Timeout,
    /// The engine closed its output.
    Closed,
    /// The caller asked to stop.
    Stopped,
}

impl EngineProcess {
    /// Starts an engine. On Unix the shell runs the command line. On other systems the words of the command line are
    /// the program and the program's arguments.
    pub(super) fn start(command: &str) -> io::Result<EngineProcess> {
        Ok(EngineProcess {
            process: Process::spawn(shell(command))?,
            lines: LineBuffer::new(MAX_LINE),
            is_closed: false,
            error_text: Vec::new(),
        })
    }

    /// Sends lines in one write, without waiting for the engine to read them.
    pub(super) fn send(&self, lines: &[String]) {
        self.process.write((lines.join("\n") + "\n").into_bytes());
    }

    pub(super) fn receive(&mut self, deadline: Instant, stop: &Stop) -> Reply {
        loop {
            if stop.is_set() {
                return Reply::Stopped;
            }
            if let Some(line) = self.lines.next_line() {
                return Reply::Line(line);
            }
            if self.is_closed {
                return self.lines.last_line().map_or(Reply::Closed, Reply::Line);
            }
            let now = Instant::now();
            match self
                .process
                .next_event(deadline.min(now + STOP_POLL_INTERVAL))
            {
                Event::Stdout(bytes) => self.lines.push(&bytes),
                Event::Stderr(bytes) => keep_end(&mut self.error_text, &bytes),
                Event::StdoutClosed | Event::Closed => self.is_closed = true,
                Event::Timeout if now >= deadline => return Reply::Timeout,
                Event::Timeout => {}
            }
        }
    }

    /// Describes how an engine ended after it closed its output, such as `ended with exit code 3`.
    pub(super) fn describe_exit(&mut self) -> String {
        let status = self.wait(Instant::now() + EXIT_TIME);
        let how = match status {
            Some(status) => match status.code() {
                Some(code) => format!("ended with exit code {code}"),
                None => format!("was killed by a {status}"),
            },
            None => "closed its output".to_owned(),
        };
        let text = String::from_utf8_lossy(&self.error_text);
        let text = text.replace(|sign: char| sign.is_control() && sign != '\n', " ");
        match text.trim().lines().next_back() {
            Some(last) => format!("{how}; last error line: {last}"),
            None => how,
        }
    }

    /// Sends `END` and waits at most `grace` for the engine to exit. Kills the engine if it does not exit. Returns
    /// whether the engine exited in time.
    pub(super) fn end(mut self, grace: Duration) -> bool {
        self.send(&["END".to_owned()]);
        self.process.close_stdin();
        self.wait(Instant::now() + grace).is_some()
    }

    fn wait(&mut self, deadline: Instant) -> Option<ExitStatus> {
        let error_text = &mut self.error_text;
        self.process.wait(deadline, |event| {
            if let Event::Stderr(bytes) = event {
                keep_end(error_text, &bytes);
            }
        })
    }
}

fn keep_end(kept: &mut Vec<u8>, bytes: &[u8]) {
    kept.extend_from_slice(bytes);
    let surplus = kept.len().saturating_sub(MAX_ERROR_TEXT);
    kept.drain(..surplus);
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut words = command.split_whitespace();
    let mut program = Command::new(words.next().unwrap_or_default());
    program.args(words);
    program
}
