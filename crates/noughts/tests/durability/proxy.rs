//! A proxy to PostgreSQL that closes connections which use LISTEN.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;

/// Starts the proxy and returns the directory of its socket.
pub(crate) fn proxy_without_listen(server: &Path) -> tempfile::TempDir {
    const SOCKET: &str = ".s.PGSQL.5432";
    let directory = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(directory.path().join(SOCKET)).unwrap();
    let server: PathBuf = server.join(SOCKET);
    // Ends with the process.
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            if let Ok(there) = UnixStream::connect(&server) {
                let back = (there.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || pass_on(client, there, true));
                thread::spawn(move || pass_on(back.0, back.1, false));
            }
        }
    });
    directory
}

fn pass_on(mut from: UnixStream, mut to: UnixStream, blocks_listen: bool) {
    let mut bytes = [0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let listens = bytes[..count].windows(7).any(|word| word == b"LISTEN ");
        if blocks_listen && listens || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    // Close both directions together.
    let _ = from.shutdown(std::net::Shutdown::Both);
    let _ = to.shutdown(std::net::Shutdown::Both);
}
