//! Child processes with a bounded queue for their output, and text lines in bounded memory.
//!
//! Killing a process also kills every process that it started. On Unix, a process that has left the process
//! group survives.
//!
//! ```no_run
//! use std::process::Command;
//! use std::time::{Duration, Instant};
//! use noughts_process::{Event, Process};
//!
//! let mut process = Process::spawn(Command::new("cat"))?;
//! process.write(b"hello\n".to_vec());
//! process.close_stdin();
//! let deadline = Instant::now() + Duration::from_secs(1);
//! assert_eq!(process.next_event(deadline), Event::Stdout(b"hello\n".to_vec()));
//! # Ok::<(), std::io::Error>(())
//! ```

mod lines;
mod process;

pub use lines::{Line, LineBuffer, read_lines};
pub use process::{Event, Process, ProcessSet};
