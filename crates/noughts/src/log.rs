//! The log of a server: on standard error, written by a thread of its own.
//!
//! A game takes some fifty microseconds, and to write its line takes as long again: those who play
//! should not wait for that, nor for whoever reads the log.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::args::{LogFormat, LogLevel};

/// So many lines may wait to be written. Beyond, lines are left out, and it is said how many.
const MOST_WAITING: usize = 8_192;

/// How long the last lines may take. Whoever reads the log may have stopped reading.
const LAST_LINES: Duration = Duration::from_secs(1);

/// A log that is being kept.
pub(crate) struct Log {
    lines: Lines,
    written: Receiver<()>,
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
        let lines = Lines(Arc::new(Desk {
            to_writer: Mutex::new(Some(to_writer)),
            left_out: AtomicU64::new(0),
        }));
        let log = tracing_subscriber::fmt()
            .with_writer(lines.clone())
            .with_max_level(level)
            .with_target(false);
        match format {
            LogFormat::Text => log.init(),
            LogFormat::Json => log.json().flatten_event(true).init(),
        }
        let (done, written) = sync_channel(1);
        let desk = Arc::clone(&lines.0);
        let gap: fn(u64) -> String = match format {
            LogFormat::Text => |count| format!("{count} lines of the log were left out\n"),
            LogFormat::Json => |count| format!("{{\"left_out\":{count}}}\n"),
        };
        std::thread::spawn(move || {
            write_down(&waiting, &desk.left_out, gap, &mut io::stderr());
            // Nobody may wait for it any more.
            let _ = done.send(());
        });
        Log { lines, written }
    }

    /// Writes down what still waits, if somebody reads it. What is said after that is lost.
    pub(crate) fn close(self) {
        drop(self.lines.hold().take());
        let _ = self.written.recv_timeout(LAST_LINES);
    }
}

/// Where lines are handed in.
#[derive(Clone)]
struct Lines(Arc<Desk>);

struct Desk {
    to_writer: Mutex<Option<SyncSender<Vec<u8>>>>,
    /// How many lines found no room.
    left_out: AtomicU64,
}

impl Lines {
    fn hold(&self) -> std::sync::MutexGuard<'_, Option<SyncSender<Vec<u8>>>> {
        self.0
            .to_writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
        if let Some(to_writer) = &*self.hold()
            && to_writer.try_send(line.to_vec()).is_err()
        {
            // Better a line too few than a player who waits.
            self.0.left_out.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes lines as they come, all that wait at once.
fn write_down(
    waiting: &Receiver<Vec<u8>>,
    left_out: &AtomicU64,
    gap: fn(u64) -> String,
    output: &mut impl Write,
) {
    let mut text = Vec::new();
    while let Ok(line) = waiting.recv() {
        text.extend(line);
        while let Ok(line) = waiting.try_recv() {
            text.extend(line);
            if text.len() > LARGEST_WRITE {
                break;
            }
        }
        match left_out.swap(0, Ordering::Relaxed) {
            0 => {}
            count => text.extend(gap(count).bytes()),
        }
        // Nobody may be there to read it.
        let _ = output.write_all(&text);
        text.clear();
    }
}

const LARGEST_WRITE: usize = 64 * 1024;
