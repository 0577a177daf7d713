//! The server's log on standard error, written by a separate thread.
//!
//! The server needs about 50 µs for a whole game over TCP, and another 50 µs to write the log line of the game. Because
//! of the separate thread, players do not wait for the log.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::args::{LogFormat, LogLevel};

/// Maximum number of lines in the queue. When the queue is full, new lines are dropped and counted.
const MAX_QUEUED_LINES: usize = 8_192;

/// Maximum time that the program waits before it exits, until the last lines are written. Without this limit,
/// the program could wait forever, because standard error may be a pipe whose reader no longer reads.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A handle to the thread that writes the log.
pub(crate) struct Log {
    lines: LineQueue,
    written: std::sync::mpsc::Receiver<()>,
}

impl Log {
    /// Starts logging for the whole process.
    pub(crate) fn start(level: LogLevel, format: LogFormat) -> Log {
        let level = match level {
            LogLevel::Off => LevelFilter::OFF,
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
        };
        // Unlike a queue of the standard library, an empty queue of tokio takes almost no memory.
        let (to_writer, mut waiting) = channel(MAX_QUEUED_LINES);
        let lines = LineQueue(Arc::new(Queue {
            to_writer: Mutex::new(Some(to_writer)),
            dropped: AtomicU64::new(0),
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
        let queue = Arc::clone(&lines.0);
        let gap: fn(u64) -> String = match format {
            LogFormat::Text => |count| format!("{count} lines of the log were dropped\n"),
            LogFormat::Json => |count| format!("{{\"dropped_lines\":{count}}}\n"),
        };
        std::thread::spawn(move || {
            write_lines(&mut waiting, &queue.dropped, gap, &mut io::stderr());
            let _ = done.send(());
        });
        Log { lines, written }
    }

    /// Waits until the queued lines are written, at most [`CLOSE_TIMEOUT`]. Lines that are logged later are
    /// lost.
    pub(crate) fn close(self) {
        drop(self.lines.hold().take());
        let _ = self.written.recv_timeout(CLOSE_TIMEOUT);
    }
}

/// Queues lines for the writer thread.
#[derive(Clone)]
struct LineQueue(Arc<Queue>);

struct Queue {
    to_writer: Mutex<Option<Sender<Vec<u8>>>>,
    /// Number of lines dropped since the writer thread last wrote this number.
    dropped: AtomicU64,
}

impl LineQueue {
    fn hold(&self) -> std::sync::MutexGuard<'_, Option<Sender<Vec<u8>>>> {
        self.0
            .to_writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = LineQueue;

    fn make_writer(&'a self) -> LineQueue {
        self.clone()
    }
}

impl Write for LineQueue {
    /// Queues one line. `tracing` passes exactly one line per call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Some(to_writer) = &*self.hold()
            && to_writer.try_send(line.to_vec()).is_err()
        {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes queued lines in batches until the queue is closed. If lines were dropped, writes their number after the
/// batch.
fn write_lines(
    waiting: &mut Receiver<Vec<u8>>,
    dropped: &AtomicU64,
    gap: fn(u64) -> String,
    output: &mut impl Write,
) {
    let mut text = Vec::new();
    while let Some(line) = waiting.blocking_recv() {
        text.extend(line);
        while let Ok(line) = waiting.try_recv() {
            text.extend(line);
            if text.len() > MAX_BATCH_BYTES {
                break;
            }
        }
        match dropped.swap(0, Ordering::Relaxed) {
            0 => {}
            count => text.extend(gap(count).bytes()),
        }
        let _ = output.write_all(&text);
        text.clear();
    }
}

const MAX_BATCH_BYTES: usize = 64 * 1024;
