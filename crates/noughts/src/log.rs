//! The log of a server: on standard error, written by a thread of its own.
//!
//! A game takes some fifty microseconds, and to write its line takes as long again: those who play
//! should not wait for that, nor for whoever reads the log.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::args::{LogFormat, LogLevel};

/// So many lines may wait to be written. Beyond, lines are left out, and it is said how many.
const MOST_WAITING: usize = 8_192;

/// A log that is being kept.
pub(crate) struct Log {
    lines: Lines,
    writer: JoinHandle<()>,
}

impl Log {
    /// Begins to keep it, for the whole process.
    pub(crate) fn keep(level: LogLevel, format: LogFormat) -> Log {
        let level = match level {
            LogLevel::Off => LevelFilter::OFF,
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
        };
        let (to_writer, waiting) = sync_channel(MOST_WAITING);
        let lines = Lines(Arc::new(Mutex::new(Some(to_writer))));
        let log = tracing_subscriber::fmt()
            .with_writer(lines.clone())
            .with_max_level(level)
            .with_target(false);
        match format {
            LogFormat::Text => log.init(),
            LogFormat::Json => log.json().flatten_event(true).init(),
        }
        Log {
            lines,
            writer: std::thread::spawn(move || write_down(&waiting, &mut io::stderr())),
        }
    }

    /// Writes down what still waits. What is said after that is lost.
    pub(crate) fn close(self) {
        drop(self.lines.hold().take());
        // A writer that panicked has nothing more to write.
        let _ = self.writer.join();
    }
}

/// Where lines are handed in.
#[derive(Clone)]
struct Lines(Arc<Mutex<Option<SyncSender<Vec<u8>>>>>);

impl Lines {
    fn hold(&self) -> std::sync::MutexGuard<'_, Option<SyncSender<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Lines;

    fn make_writer(&'a self) -> Lines {
        self.clone()
    }
}

impl Write for Lines {
    /// Takes a whole line, as the log hands them over.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Some(to_writer) = &*self.hold() {
            match to_writer.try_send(line.to_vec()) {
                // Better a line too few than a player who waits.
                Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes lines as they come, all that wait at once.
fn write_down(waiting: &Receiver<Vec<u8>>, output: &mut impl Write) {
    let mut text = Vec::new();
    while let Ok(line) = waiting.recv() {
        text.extend(line);
        while let Ok(line) = waiting.try_recv() {
            text.extend(line);
            if text.len() > LARGEST_WRITE {
                break;
            }
        }
        // Nobody may be there to read it.
        let _ = output.write_all(&text);
        text.clear();
    }
}

const LARGEST_WRITE: usize = 64 * 1024;
