//! Lines of text in bounded memory.

use std::io::{self, BufRead};

/// A line without its LF or CRLF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// The text. U+FFFD replaces invalid UTF-8.
    Text(String),
    /// The line has more bytes than the limit. A CR before the LF counts, but the LF does not. The buffer
    /// reports the line once and drops its text.
    TooLong,
}

/// Splits a stream of bytes into lines that end with LF or CRLF.
///
/// Callers must take all lines after each [`push`](LineBuffer::push). Then the buffer holds at most one
/// unfinished line and the bytes of one `push`.
#[derive(Debug)]
pub struct LineBuffer {
    max_length: usize,
    bytes: Vec<u8>,
    /// Whether the buffer has reported a line as too long and drops all bytes up to the next LF.
    is_skipping: bool,
}

impl LineBuffer {
    /// Creates a buffer. A line has at most `max_length` bytes, without the LF.
    pub fn new(max_length: usize) -> LineBuffer {
        LineBuffer {
            max_length,
            bytes: Vec::new(),
            is_skipping: false,
        }
    }

    /// Adds bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the next complete line. Returns `None` if more bytes are needed. Returns [`Line::TooLong`] as
    /// soon as a line has too many bytes, even if its end has not arrived.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let end = self.bytes.iter().position(|byte| *byte == b'\n');
            if self.is_skipping {
                self.bytes
                    .drain(..end.map_or(self.bytes.len(), |end| end + 1));
                self.is_skipping = end.is_none();
                end?;
            } else if end.unwrap_or(self.bytes.len()) > self.max_length {
                self.is_skipping = true;
                return Some(Line::TooLong);
            } else {
                let line: Vec<u8> = self.bytes.drain(..=end?).collect();
                return Some(text(&line[..line.len() - 1]));
            }
        }
    }

    /// Takes the last line if the stream ended without a line break.
    pub fn last_line(&mut self) -> Option<Line> {
        let line = std::mem::take(&mut self.bytes);
        (!line.is_empty() && !self.is_skipping).then(|| text(&line))
    }
}

fn text(line: &[u8]) -> Line {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Line::Text(String::from_utf8_lossy(line).into_owned())
}

/// Calls `take` with each line of the input, until the input ends or `take` returns false. The last line may
/// lack a line break.
pub fn read_lines(
    mut input: impl BufRead,
    max_length: usize,
    mut take: impl FnMut(Line) -> bool,
) -> io::Result<()> {
    let mut buffer = LineBuffer::new(max_length);
    loop {
        let count = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => {
                buffer.push(bytes);
                bytes.len()
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        input.consume(count);
        while let Some(line) = buffer.next_line() {
            if !take(line) {
                return Ok(());
            }
        }
    }
    if let Some(line) = buffer.last_line() {
        take(line);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(bytes: &[u8], capacity: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let input = BufReader::with_capacity(capacity, bytes);
        let take = |line| {
            lines.push(line);
            true
        };
        read_lines(input, 100, take).unwrap();
        lines
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    #[test]
    fn lines_end_with_lf_crlf_or_the_input() {
        for capacity in [1, 3, 100] {
            assert_eq!(
                lines(b"START 15\r\n\nABOUT\nEND", capacity),
                [text("START 15"), text(""), text("ABOUT"), text("END")]
            );
        }
    }

    #[test]
    fn too_long_line_is_reported_once_and_skipped() {
        for length in [101, 1000, 10_000] {
            for capacity in [1, 100, 101, 102, 20_000] {
                let mut bytes = vec![b'x'; length];
                assert_eq!(lines(&bytes, capacity), [Line::TooLong]);
                bytes.extend_from_slice(b"\nEND\n");
                assert_eq!(lines(&bytes, capacity), [Line::TooLong, text("END")]);
            }
        }
        assert_eq!(lines(&[b'x'; 100], 7), [text(&"x".repeat(100))]);
    }

    #[test]
    fn too_long_line_is_reported_before_its_end() {
        let mut buffer = LineBuffer::new(3);
        buffer.push(b"abcd");
        assert_eq!(buffer.next_line(), Some(Line::TooLong));
        assert_eq!(buffer.next_line(), None);
        buffer.push(b"efghijk");
        assert_eq!(buffer.next_line(), None);
        buffer.push(b"l\nno\n");
        assert_eq!(buffer.next_line(), Some(text("no")));
    }
}
