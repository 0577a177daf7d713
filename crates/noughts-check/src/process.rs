//! Programs under test: their input, their output and how they end.

use std::ffi::OsString;
use std::fmt;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use noughts_process::{Event, Process, ProcessSet};

/// A running program. Dropping this value kills the program and all processes that it started.
pub(crate) struct Program {
    process: Process,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
}

/// How a program ended, or why the kit stopped it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The program ended by itself, with this exit code.
    Exit(i32),
    /// A signal with this number ended the program, for example because the program crashed. The number is 0 if it is
    /// unknown.
    Signal(i32),
    /// The program was still running at the deadline.
    TimedOut,
    /// The program wrote more than [`MAX_OUTPUT_BYTES`] to standard output or to standard error.
    TooMuchOutput,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => write!(f, "signal {signal}"),
            End::TimedOut => write!(f, "it did not end in time"),
            End::TooMuchOutput => write!(f, "it wrote more than 4 MiB"),
        }
    }
}

/// The kit stops a program that writes more than this number of bytes to standard output or to standard error.
pub(crate) const MAX_OUTPUT_BYTES: usize = 4 << 20;

/// Maximum time between two checks whether a program has ended. The kit cannot wait for the end of the output
/// instead, because children of the program may keep the output open.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

impl Program {
    pub(crate) fn start(command: &[OsString], processes: &ProcessSet) -> Result<Program, String> {
        let (name, arguments) = command.split_first().ok_or("there is no command to run")?;
        let mut start = Command::new(name);
        start.args(arguments);
        let process = processes
            .spawn(start)
            .map_err(|error| format!("cannot start {}: {error}", name.to_string_lossy()))?;
        Ok(Program {
            process,
            output: Vec::new(),
            errors: Vec::new(),
        })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.process.write(bytes.to_vec());
    }

    pub(crate) fn close_input(&mut self) {
        self.process.close_stdin();
    }

    /// Kills the program and all processes that it started.
    pub(crate) fn stop(&mut self) {
        self.process.kill();
    }

    /// Waits until the program writes something or ends, but not longer than [`POLL_INTERVAL`] and not beyond `until`.
    ///
    /// Returns [`End::TooMuchOutput`] if the program has written too much. Otherwise, returns how the program ended, or
    /// `None` if it still runs.
    pub(crate) fn read(&mut self, until: Instant) -> Option<End> {
        let event = self
            .process
            .next_event(until.min(Instant::now() + POLL_INTERVAL));
        if event == Event::Closed {
            std::thread::sleep(Duration::from_millis(2));
        }
        keep(event, &mut self.output, &mut self.errors);
        let status = self.process.exit_status();
        if status.is_some() {
            let (output, errors) = (&mut self.output, &mut self.errors);
            self.process.drain(|event| keep(event, output, errors));
        }
        match self.output.len().max(self.errors.len()) > MAX_OUTPUT_BYTES {
            true => Some(End::TooMuchOutput),
            false => status.map(end_of),
        }
    }

    /// Reads until the program ends or has written too much. Returns [`End::TimedOut`] if neither happens before
    /// `until`.
    pub(crate) fn wait(&mut self, until: Instant) -> End {
        loop {
            if let Some(end) = self.read(until) {
                return end;
            }
            if Instant::now() >= until {
                return End::TimedOut;
            }
        }
    }

    /// Reads the output that the program has written so far, without waiting. Returns [`End::TooMuchOutput`] if the
    /// program has written too much. Otherwise, returns how the program ended, or `None` if it still runs.
    pub(crate) fn read_available(&mut self) -> Option<End> {
        loop {
            let length = self.output.len() + self.errors.len();
            let end = self.read(Instant::now());
            if end.is_some() || self.output.len() + self.errors.len() == length {
                return end;
            }
        }
    }

    /// The first line of standard error that is not blank. If there is none, the first line of standard output that is
    /// not blank. `None` if both outputs are blank.
    pub(crate) fn first_line(&self) -> Option<String> {
        [&self.errors, &self.output].into_iter().find_map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().find(|line| !line.trim().is_empty());
            line.map(printable)
        })
    }
}

/// Appends the bytes of an event to `output` or `errors`. The last chunk may exceed the limit, so that the
/// caller notices the excess. Later chunks are dropped.
fn keep(event: Event, output: &mut Vec<u8>, errors: &mut Vec<u8>) {
    let (kept, bytes) = match event {
        Event::Stdout(bytes) => (output, bytes),
        Event::Stderr(bytes) => (errors, bytes),
        Event::StdoutClosed | Event::Closed | Event::Timeout => return,
    };
    if kept.len() <= MAX_OUTPUT_BYTES {
        kept.extend(bytes);
    }
}

/// Maximum number of lines of a stack trace that are shown.
const MAX_TRACE_LINES: usize = 8;

const PYTHON_TRACE: &str = "Traceback (most recent call last)";

/// Finds the stack trace of an uncaught error. Returns at most [`MAX_TRACE_LINES`] of its lines. The result is empty if
/// there is no stack trace.
pub(crate) fn stack_trace(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let is_trace = |line: &&str| {
        line.starts_with("\tat ")
            || line.contains("Exception in thread")
            || line.contains(PYTHON_TRACE)
            || line.contains("panicked at")
            || line.contains("Unhandled exception")
    };
    let Some(first) = lines.iter().position(is_trace) else {
        return Vec::new();
    };
    if lines[first].contains(PYTHON_TRACE) {
        // In Python, the calls are indented, and the line with the error follows them.
        let calls = lines[first + 1..].iter();
        let calls = calls.take_while(|line| line.starts_with(' ')).count();
        let end = (first + 2 + calls).min(lines.len());
        let last = first + 1 + calls.saturating_sub(MAX_TRACE_LINES - 2);
        let shown = std::iter::once(&lines[first]).chain(&lines[last..end]);
        return shown.map(|line| printable(line)).collect();
    }
    // Java names the exception on the line before the first "at".
    let from = match lines[first].starts_with("\tat ") {
        true => first.saturating_sub(1),
        false => first,
    };
    let shown = lines[from..].iter().take(MAX_TRACE_LINES);
    shown.map(|line| printable(line)).collect()
}

/// The line of a stack trace that names the error.
pub(crate) fn trace_headline(trace: &[String]) -> String {
    let line = match trace.first() {
        Some(first) if first.contains(PYTHON_TRACE) => trace.last(),
        first => first,
    };
    line.cloned().unwrap_or_default()
}

/// Replaces control characters in a line by spaces, and shortens the line to 160 characters.
pub(crate) fn printable(line: &str) -> String {
    const MAX_CHARACTERS: usize = 160;
    let visible = |sign: char| if sign.is_control() { ' ' } else { sign };
    let mut text: String = line.chars().take(MAX_CHARACTERS).map(visible).collect();
    if line.chars().nth(MAX_CHARACTERS).is_some() {
        text.push('…');
    }
    text
}

/// A command as one line of text.
pub(crate) fn command_text(command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stack_traces_of_several_languages_are_found() {
        let java = b"Bye\njava.net.SocketException: reset\n\tat Server.run(Server.java:7)\n";
        assert_eq!(stack_trace(java)[0], "java.net.SocketException: reset");
        let python = b"Traceback (most recent call last):\n  File \"a.py\", line 1\n";
        assert_eq!(stack_trace(python).len(), 2);
        let calls = "  File \"a.py\", line 1\n    main()\n".repeat(9);
        let long = format!("Traceback (most recent call last):\n{calls}ValueError: no\nbye\n");
        let trace = stack_trace(long.as_bytes());
        assert_eq!(trace.len(), 8);
        assert_eq!(trace_headline(&trace), "ValueError: no");
        assert!(stack_trace(b"client left at once\n").is_empty());
    }
}
