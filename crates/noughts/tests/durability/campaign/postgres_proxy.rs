//! A proxy between one node and PostgreSQL that can hold, delay or drop data.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

/// What the proxy does with data and connections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Pass,
    /// Data waits in both directions and is delivered later, as with TCP.
    Hold,
    /// New connections are closed at once.
    Refuse,
    /// Every message takes a while.
    Slow,
    /// Requests pass, and replies are lost.
    LoseReplies,
    /// Notifications of other nodes are lost.
    LoseHints,
}

const MODES: [Mode; 6] = [
    Mode::Pass,
    Mode::Hold,
    Mode::Refuse,
    Mode::Slow,
    Mode::LoseReplies,
    Mode::LoseHints,
];

const SOCKET: &str = ".s.PGSQL.5432";
const LOOK_AGAIN: Duration = Duration::from_millis(2);
const DELAY: Duration = Duration::from_millis(60);

pub(super) struct PostgresProxy {
    directory: tempfile::TempDir,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    mode: AtomicU8,
    streams: Mutex<Vec<UnixStream>>,
}

impl Shared {
    fn mode(&self) -> Mode {
        MODES[usize::from(self.mode.load(Ordering::SeqCst))]
    }

    fn cut(&self) {
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl PostgresProxy {
    /// Starts a proxy to the server whose socket is in the directory `server`. The proxy ends with the process.
    pub(super) fn start(server: &Path) -> PostgresProxy {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join(SOCKET)).unwrap();
        let shared = Arc::new(Shared::default());
        let (server, all) = (server.join(SOCKET), Arc::clone(&shared));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if all.mode() == Mode::Refuse {
                    continue;
                }
                let Ok(there) = UnixStream::connect(&server) else {
                    continue;
                };
                let back = (there.try_clone().unwrap(), client.try_clone().unwrap());
                let ends = [client.try_clone().unwrap(), there.try_clone().unwrap()];
                all.streams.lock().unwrap().extend(ends);
                let (requests, replies) = (Arc::clone(&all), Arc::clone(&all));
                thread::spawn(move || pass_requests(&requests, client, there));
                thread::spawn(move || pass_replies(&replies, back.0, back.1));
            }
        });
        PostgresProxy { directory, shared }
    }

    /// The directory of the proxy's socket.
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn set(&self, mode: Mode) {
        let number = MODES.iter().position(|one| *one == mode);
        let number = number.expect("all modes are listed") as u8;
        self.shared.mode.store(number, Ordering::SeqCst);
    }

    /// Closes all connections.
    pub(super) fn cut(&self) {
        self.shared.cut();
    }
}

/// Waits while the mode is `Hold`; in the mode `Slow`, waits a moment.
fn delay(shared: &Shared) {
    if shared.mode() == Mode::Slow {
        sleep(DELAY);
    }
    while shared.mode() == Mode::Hold {
        sleep(LOOK_AGAIN);
    }
}

fn pass_requests(shared: &Shared, mut from: UnixStream, mut to: UnixStream) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        delay(shared);
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

fn pass_replies(shared: &Shared, mut from: UnixStream, mut to: UnixStream) {
    let mut bytes = [0; 16 * 1024];
    let mut buffer = Vec::new();
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        buffer.extend_from_slice(&bytes[..count]);
        delay(shared);
        while let Some(length) = first_message(&buffer) {
            let message: Vec<u8> = buffer.drain(..length).collect();
            let is_lost = match shared.mode() {
                Mode::LoseReplies => true,
                Mode::LoseHints => message[0] == b'A',
                Mode::Pass | Mode::Hold | Mode::Refuse | Mode::Slow => false,
            };
            if !is_lost && to.write_all(&message).is_err() {
                buffer.clear();
                break;
            }
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// The length of the first message; `None` if the message is not complete. A message starts with one byte for its type
/// and four bytes for a length, which does not count the byte of the type.
fn first_message(bytes: &[u8]) -> Option<usize> {
    let length = bytes.get(1..5)?;
    let length = u32::from_be_bytes(length.try_into().expect("it has four bytes"));
    let length = 1 + length as usize;
    (length <= bytes.len()).then_some(length)
}
