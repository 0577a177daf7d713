//! Lines from a stranger, in bounded memory.

use std::io::{self, BufRead};

/// The longest line that is kept, in bytes. The longest that the protocol has is one of `INFO`.
pub(crate) const LONGEST: usize = 4096;

/// A line without its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    /// Its text; what is no UTF-8 was replaced.
    Text(String),
    /// More than [`LONGEST`] bytes, all of them skipped.
    TooLong,
}

/// The next line, ended by LF, CRLF or the end of input; `None` behind the last.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut kept = Vec::new();
    let mut length = 0usize;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok((length > 0).then(|| line(&kept, length)));
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = LONGEST.saturating_sub(kept.len()).min(part.len());
        kept.extend_from_slice(&part[..room]);
        length = length.saturating_add(part.len());
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(line(&kept, length)));
        }
    }
}

fn line(kept: &[u8], length: usize) -> Line {
    if length > kept.len() {
        return Line::TooLong;
    }
    let kept = kept.strip_suffix(b"\r").unwrap_or(kept);
    Line::Text(String::from_utf8_lossy(kept).into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(bytes: &[u8], capacity: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(capacity, bytes);
        std::iter::from_fn(|| read_line(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_end_in_any_way_however_they_are_cut() {
        let text = |text: &str| Line::Text(text.to_owned());
        for capacity in [1, 3, 100] {
            assert_eq!(
                lines(b"START 15\r\n\nABOUT\nEND", capacity),
                [text("START 15"), text(""), text("ABOUT"), text("END")]
            );
        }
    }

    #[test]
    fn a_line_too_long_is_skipped_to_its_end() {
        let mut bytes = vec![b'x'; LONGEST + 1];
        bytes.extend_from_slice(b"\nEND\n");
        assert_eq!(
            lines(&bytes, 1000),
            [Line::TooLong, Line::Text("END".to_owned())]
        );
        assert_eq!(lines(&[b'x'; 100_000], 1000), [Line::TooLong]);
    }
}
