//! Prints questions, and reads one line for each answer.

use std::fmt::Display;
use std::io::{self, BufRead, Write};

/// Maximum length of a line in bytes. All valid input is shorter.
const LONGEST: usize = 64;

/// Input and output of a game.
pub(crate) struct Console<I, O> {
    input: I,
    output: O,
}

/// Why the game loop ended.
#[derive(Debug)]
pub(crate) enum Exit {
    /// The user quit, or the input ended.
    Quit,
    /// Reading or writing failed.
    Failed(io::Error),
}

impl From<io::Error> for Exit {
    fn from(error: io::Error) -> Exit {
        Exit::Failed(error)
    }
}

impl<I: BufRead, O: Write> Console<I, O> {
    pub(crate) fn new(input: I, output: O) -> Console<I, O> {
        Console { input, output }
    }

    /// Prints text and a newline.
    pub(crate) fn tell(&mut self, words: impl Display) -> io::Result<()> {
        writeln!(self.output, "{words}")
    }

    /// Prints text without a newline, and flushes.
    pub(crate) fn begin(&mut self, words: impl Display) -> io::Result<()> {
        write!(self.output, "{words}")?;
        self.output.flush()
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    /// Prints `prompt` and reads a line. `:q` and the end of input return [`Exit::Quit`].
    pub(crate) fn ask(&mut self, prompt: impl Display) -> Result<String, Exit> {
        self.begin(format_args!("{prompt} "))?;
        match read_line(&mut self.input)? {
            Some(line) if line == ":q" => Err(Exit::Quit),
            Some(line) => Ok(line),
            None => {
                // No newline was typed, so the cursor is still after the prompt.
                self.tell("")?;
                Err(Exit::Quit)
            }
        }
    }
}

/// Reads one line and trims white space. Returns `None` at the end of input. The last line may lack a newline. A line
/// longer than 64 bytes is cut and gets `…` at its end, so that a cut line is never valid input.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut kept = Vec::new();
    let mut length = 0usize;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok((length > 0).then(|| text(&kept, length)));
        }
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        let line = &bytes[..newline.unwrap_or(bytes.len())];
        let room = LONGEST - kept.len();
        kept.extend_from_slice(&line[..line.len().min(room)]);
        length = length.saturating_add(line.len());
        let used = newline.map_or(bytes.len(), |at| at + 1);
        input.consume(used);
        if newline.is_some() {
            return Ok(Some(text(&kept, length)));
        }
    }
}

fn text(kept: &[u8], length: usize) -> String {
    let mut text = String::from_utf8_lossy(kept).trim().to_owned();
    if kept.len() < length {
        text.push('…');
    }
    text
}

/// Capitalizes a reason and adds a full stop.
pub(crate) fn sentence(reason: impl Display) -> String {
    let reason = reason.to_string();
    let mut letters = reason.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], at_once: usize) -> Vec<String> {
        let mut input = io::BufReader::with_capacity(at_once, bytes);
        std::iter::from_fn(|| read_line(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        let typed = b" 1 \r\n\n\t:q\nlast";
        for at_once in 1..=typed.len() {
            assert_eq!(lines(typed, at_once), ["1", "", ":q", "last"], "{at_once}");
        }
        assert!(lines(b"", 8).is_empty());
        assert_eq!(lines(b"\n", 8), [""]);
    }

    #[test]
    fn long_lines_are_cut_and_marked() {
        let just = "1".repeat(LONGEST);
        assert_eq!(lines(just.as_bytes(), 7), [just.as_str()]);
        let long = format!("{just}1\n2\n");
        assert_eq!(
            lines(long.as_bytes(), 7),
            [format!("{just}…"), "2".to_owned()]
        );
        // The text after 1000 spaces must not be lost silently.
        let hidden = format!("1{}1\n", " ".repeat(1000));
        assert_eq!(lines(hidden.as_bytes(), 7), ["1…"]);
    }

    #[test]
    fn invalid_utf8_is_a_line() {
        assert_eq!(lines(b"\xff1\n", 7), ["\u{fffd}1"]);
        assert_eq!(lines(b"\0\n", 7), ["\0"]);
    }

    #[test]
    fn reasons_become_sentences() {
        assert_eq!(sentence("that cell is taken"), "That cell is taken.");
        assert_eq!(sentence("\"x\" is no cell"), "\"x\" is no cell.");
        assert_eq!(sentence(""), ".");
    }
}
