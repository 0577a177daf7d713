//! Small text files in the user's state directory. Only the user may read them, because they contain secrets.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum number of bytes that are read from a file. The files of this program are smaller.
const MAX_BYTES: u64 = 1 << 20;

/// A text file below `noughts` in the user's state directory.
#[derive(Clone, Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// The file `noughts/{name}` below `$XDG_STATE_HOME`, or below `~/.local/state` if this variable is not an absolute
    /// path. `None` if `HOME` is not an absolute path either.
    pub(crate) fn of_user(name: &str) -> Option<StateFile> {
        let absolute = |name| {
            let path = env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let state = absolute("XDG_STATE_HOME")
            .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))?;
        Some(StateFile::at(state.join("noughts").join(name)))
    }

    pub(crate) fn at(path: PathBuf) -> StateFile {
        StateFile { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the text. Returns an empty text if the file does not exist.
    pub(crate) fn read(&self) -> io::Result<String> {
        match File::open(&self.path) {
            Ok(file) => read_text(&file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    /// Changes the text under a lock, because several terminals may play at the same time. The file is replaced as a
    /// whole, so readers need no lock, and a full disk or a crash loses nothing.
    pub(crate) fn change(&self, change: impl FnOnce(&str) -> String) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            create_private_folder(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(self.path.with_extension("lock"))?;
        lock.lock()?;
        let text = change(&self.read()?);
        let new = self.path.with_extension("new");
        let mut file = options.open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(new, &self.path)
    }
}

fn read_text(file: &File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn readers_never_see_half_of_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile::at(folder.path().join("noughts").join("players"));
        let text = "a line that must not be lost\n".repeat(100);
        file.change(|_| text.clone()).unwrap();
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    assert_eq!(file.read().unwrap(), text);
                }
            });
            for _ in 0..100 {
                file.change(str::to_owned).unwrap();
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }
}
