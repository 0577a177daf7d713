//! Saves and loads records.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};

use super::app::{Effect, Event};

/// Maximum size of a file in bytes. The record of a full 255x255 board is much smaller.
const LARGEST: u64 = 1 << 24;

/// Why a game was not saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SaveError {
    /// The file exists.
    Exists,
    /// Another reason, as a sentence.
    Failed(String),
}

/// Saves or loads a file if `effect` asks for this, and returns the resulting event. Returns `None` for other
/// effects.
pub fn perform(effect: &Effect) -> Option<Event> {
    match effect {
        Effect::Save {
            path,
            text,
            replaces,
        } => Some(Event::Saved {
            path: path.clone(),
            result: save(path, text, *replaces),
        }),
        Effect::Load { path } => Some(Event::Loaded {
            path: path.clone(),
            result: load(path),
        }),
        Effect::None | Effect::Quit | Effect::Interrupt | Effect::Suspend | Effect::Redraw => None,
    }
}

fn save(path: &str, text: &str, replaces: bool) -> Result<(), SaveError> {
    let mut options = OpenOptions::new();
    options.write(true);
    match replaces {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => SaveError::Exists,
        _ => SaveError::Failed(format!("'{path}' can't be written: {}", reason(&error))),
    })
}

/// Reads a file. An error says why the file cannot be read.
pub fn load(path: &str) -> Result<String, String> {
    let open = || {
        // Opening a pipe could wait forever.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
        }
        File::open(path)
    };
    read(path, open())
}

/// Reads a text. An error contains `name` and says why the text cannot be read.
pub fn read(name: &str, input: io::Result<impl Read>) -> Result<String, String> {
    let fail = |reason: String| format!("'{}' can't be read: {reason}", name.escape_debug());
    let mut text = Vec::new();
    input
        .and_then(|input| input.take(LARGEST + 1).read_to_end(&mut text))
        .map_err(|error| fail(reason(&error)))?;
    if text.len() as u64 > LARGEST {
        return Err(fail("it is larger than any game".to_owned()));
    }
    String::from_utf8(text).map_err(|_| fail("it is not text".to_owned()))
}

/// The error text without the error number.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => {
            let text = error.to_string();
            let end = text.find(" (os error").unwrap_or(text.len());
            text[..end].to_lowercase()
        }
    }
}
