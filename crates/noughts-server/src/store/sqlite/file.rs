//! The database file: its permissions, and whether it still exists and can be written.

use std::fs::{Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::StoreError;

/// Creates the file if it does not exist. On Unix, only the owner can read the new file. SQLite gives its
/// other files the same permissions.
///
/// An existing file is not opened. Closing such a file would release the locks that SQLite holds on the file
/// in this process.
pub(super) fn create_private(path: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::NotWritable(error.to_string())),
    }
}

/// Identifies the opened file. SQLite continues to write to a deleted or replaced file, and such writes are
/// lost.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    /// The write-ahead log.
    log: PathBuf,
    /// The file that SQLite's connections share as memory.
    shared_memory: PathBuf,
    identity: Identity,
}

/// Device and inode.
#[cfg(unix)]
type Identity = (u64, u64);

/// On this system a file has neither device nor inode; only its existence is checked.
#[cfg(not(unix))]
type Identity = ();

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}

impl DatabaseFile {
    /// The file that is at `path` now.
    pub(super) fn new(path: &Path) -> Result<DatabaseFile, StoreError> {
        let metadata = std::fs::metadata(path);
        let metadata = metadata.map_err(|error| StoreError::NotWritable(error.to_string()))?;
        let beside = |end: &str| {
            let mut path = path.as_os_str().to_owned();
            path.push(end);
            PathBuf::from(path)
        };
        Ok(DatabaseFile {
            path: path.to_owned(),
            log: beside("-wal"),
            shared_memory: beside("-shm"),
            identity: identity(&metadata),
        })
    }

    /// Returns an error if the database file was deleted or replaced, or if this file, the write-ahead log or
    /// the shared memory file is immutable. Takes some microseconds.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let path = self.path.display();
        match std::fs::metadata(&self.path) {
            Ok(metadata) if identity(&metadata) == self.identity => {
                self.check_shared_memory()?;
                refuse_immutable(&self.log)?;
                refuse_immutable(&self.path)
            }
            Ok(_) => Err(StoreError::NotWritable(format!(
                "{path} was replaced by another file while it was open"
            ))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::NotWritable(
                format!("{path} was deleted while it was open"),
            )),
            Err(error) => Err(StoreError::NotWritable(format!("{path}: {error}"))),
        }
    }

    /// Returns an error if the shared memory file is immutable (`chattr +i`). Readers write to this file too,
    /// and the kernel kills a process that writes to the memory of an immutable file (SIGBUS).
    pub(super) fn check_shared_memory(&self) -> Result<(), StoreError> {
        refuse_immutable(&self.shared_memory)
    }
}

#[cfg(target_os = "linux")]
fn refuse_immutable(path: &Path) -> Result<(), StoreError> {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    // If there is no such file or attribute, SQLite reports errors itself.
    match statx(CWD, path, AtFlags::empty(), StatxFlags::TYPE) {
        Ok(status) if status.stx_attributes.contains(StatxAttributes::IMMUTABLE) => Err(
            StoreError::NotWritable(format!("{} is immutable", path.display())),
        ),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn refuse_immutable(_: &Path) -> Result<(), StoreError> {
    Ok(())
}
