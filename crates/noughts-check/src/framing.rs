//! A tolerant parser for frames of a program under test. It also accepts some frames of the wrong size, and flags
//! written as characters, so that one fault of this kind breaks one rule and not all later rules.

use noughts_wire::{
    Admission, Cell, Dialect, FrameError, FromClient, FromServer, GameResult, NO_CELL, Text,
};

/// A fault in a frame that the kit can still parse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Deviation {
    /// The frame is longer or shorter than the course document or the later dialect says. The value is an
    /// explanation.
    Size(String),
    /// A flag is written as a character. The value is an explanation.
    FlagCharacter(String),
}

/// The result of parsing the first frame of some bytes.
#[derive(Debug)]
pub(crate) enum Parsed<M> {
    Frame(M, usize, Option<Deviation>),
    Incomplete,
    Invalid(FrameError),
}

/// Parses a server's frame. `is_quiet` means that no more bytes came for a while. If so, a RESULT or an ERROR that
/// lacks its last bytes is parsed as a frame that is too short.
pub(crate) fn parse_server(bytes: &[u8], dialect: Dialect, is_quiet: bool) -> Parsed<FromServer> {
    match FromServer::decode(bytes, dialect) {
        Ok(Some((FromServer::Action { id, cell }, length))) => wide_cell(cell, bytes, length)
            .map_or(
                Parsed::Frame(FromServer::Action { id, cell }, length, None),
                |(cell, deviation)| {
                    Parsed::Frame(FromServer::Action { id, cell }, length + 3, Some(deviation))
                },
            ),
        Ok(Some((frame, length))) => Parsed::Frame(frame, length, None),
        Ok(None) if is_quiet => short_frame(bytes, dialect).unwrap_or(Parsed::Incomplete),
        Ok(None) => Parsed::Incomplete,
        Err(FrameError::UnknownResult(_)) if dialect == Dialect::Seed && may_have_cell(bytes) => {
            match bytes.get(5..9) {
                Some(&[row, hyphen, column, flag]) => {
                    match (cell_or_none([row, hyphen, column]), flag_of(flag)) {
                        (true, Some((flag, _))) => Parsed::Frame(
                            FromServer::Result { id: id(bytes), cell: None, flag },
                            9,
                            Some(Deviation::Size(
                                "RESULT has 9 bytes: there are three bytes for a cell before the flag; figure 6 \
                                 has 6 bytes: opcode, idSessio, flag"
                                    .to_owned(),
                            )),
                        ),
                        _ => flag_character(bytes, dialect),
                    }
                }
                _ if is_quiet => flag_character(bytes, dialect),
                _ => Parsed::Incomplete,
            }
        }
        Err(FrameError::UnknownResult(_) | FrameError::UnknownAdmission(_)) => {
            flag_character(bytes, dialect)
        }
        Err(error) => Parsed::Invalid(error),
    }
}

/// Parses a client's frame. `is_quiet` means that no more bytes came for a while. If so, a HELLO whose name does not
/// end with two zero bytes is parsed as a frame that is too short.
pub(crate) fn parse_client(bytes: &[u8], is_quiet: bool) -> Parsed<FromClient> {
    match FromClient::decode(bytes) {
        Ok(Some((FromClient::Action { id, cell }, length))) => wide_cell(cell, bytes, length)
            .map_or(
                Parsed::Frame(FromClient::Action { id, cell }, length, None),
                |(cell, deviation)| {
                    Parsed::Frame(FromClient::Action { id, cell }, length + 3, Some(deviation))
                },
            ),
        Ok(Some((frame, length))) => Parsed::Frame(frame, length, None),
        Ok(None) if is_quiet && bytes.len() > 5 && bytes[0] == 1 => short_hello(bytes),
        Ok(None) => Parsed::Incomplete,
        Err(error) => Parsed::Invalid(error),
    }
}

/// Parses a HELLO whose name does not end with two zero bytes.
fn short_hello(bytes: &[u8]) -> Parsed<FromClient> {
    let name = bytes[5..].strip_suffix(&[0]).unwrap_or(&bytes[5..]);
    let zeros = if bytes.ends_with(&[0]) {
        "one zero byte"
    } else {
        "no zero byte"
    };
    let text: String = name.iter().map(|byte| char::from(*byte)).collect();
    let problem = format!("the name in HELLO ends with {zeros}; figure 1 has two");
    match Text::new(&text) {
        Ok(name) => Parsed::Frame(
            FromClient::Hello {
                id: id(bytes),
                name,
            },
            bytes.len(),
            Some(Deviation::Size(problem)),
        ),
        Err(_) => Parsed::Incomplete,
    }
}

/// Parses a position with two bytes per character, such as `00 31 00 2d 00 30` for `1-0`. Returns `None` if the bytes
/// have another form.
fn wide_cell(cell: [u8; 3], bytes: &[u8], length: usize) -> Option<([u8; 3], Deviation)> {
    let [0, row, 0] = cell else { return None };
    let [b'-', 0, column] = *bytes.get(length..length + 3)? else {
        return None;
    };
    let words = "ACTION has 11 bytes: its position has two bytes per character; figure 5 has 3 bytes for it";
    Some(([row, b'-', column], Deviation::Size(words.to_owned())))
}

/// Parses a RESULT or an ERROR that is too short. Returns `None` for other incomplete frames.
fn short_frame(bytes: &[u8], dialect: Dialect) -> Option<Parsed<FromServer>> {
    let size = |words: &str| Some(Deviation::Size(words.to_owned()));
    match *bytes.first()? {
        6 if dialect == Dialect::Later && bytes.len() == 6 => {
            let flag = GameResult::try_from(bytes[5]).ok()?;
            let (id, cell) = (id(bytes), None);
            let words =
                "RESULT has 6 bytes; in the later dialect it has 9: opcode, idSessio, cell, flag";
            Some(Parsed::Frame(
                FromServer::Result { id, cell, flag },
                6,
                size(words),
            ))
        }
        8 if bytes.len() > 6 => {
            let text = bytes[6..].strip_suffix(&[0]).unwrap_or(&bytes[6..]);
            let zeros = if bytes.ends_with(&[0]) {
                "one zero byte"
            } else {
                "no zero byte"
            };
            let text: String = text.iter().map(|byte| char::from(*byte)).collect();
            let text = Text::new(&text).ok()?;
            let words = format!("the text of ERROR ends with {zeros}; figure 8 has two");
            let frame = FromServer::Error {
                id: id(bytes),
                code: bytes[5],
                text,
            };
            Some(Parsed::Frame(frame, bytes.len(), size(&words)))
        }
        _ => None,
    }
}

fn may_have_cell(bytes: &[u8]) -> bool {
    matches!(bytes.get(5), Some(b'-' | b'0'..=b'2'))
}

fn cell_or_none(cell: [u8; 3]) -> bool {
    cell == NO_CELL || Cell::try_from(cell).is_ok()
}

/// Returns the flag that a byte stands for, and whether the byte is a character such as '1'. Returns `None` if the byte
/// is not a flag.
fn flag_of(byte: u8) -> Option<(GameResult, bool)> {
    match byte {
        b'0'..=b'2' => GameResult::try_from(byte - b'0')
            .ok()
            .map(|flag| (flag, true)),
        _ => GameResult::try_from(byte).ok().map(|flag| (flag, false)),
    }
}

/// Parses ADMIT or RESULT with a flag that is a character, such as '1'.
fn flag_character(bytes: &[u8], dialect: Dialect) -> Parsed<FromServer> {
    let is_admit = bytes[0] == 4;
    let place = if is_admit || dialect == Dialect::Seed {
        5
    } else {
        8
    };
    let byte = bytes[place];
    let Some((flag, true)) = flag_of(byte) else {
        return Parsed::Invalid(match is_admit {
            true => FrameError::UnknownAdmission(byte),
            false => FrameError::UnknownResult(byte),
        });
    };
    let words = flag_words(bytes[0], place, byte);
    let id = id(bytes);
    let frame = match is_admit {
        true => FromServer::Admit {
            id,
            flag: Admission::try_from(byte - b'0').unwrap_or(Admission::Refused),
        },
        false => FromServer::Result {
            id,
            cell: match dialect {
                Dialect::Seed => None,
                Dialect::Later => bytes[5..8].first_chunk().copied(),
            },
            flag,
        },
    };
    Parsed::Frame(frame, place + 1, Some(Deviation::FlagCharacter(words)))
}

/// Describes what is wrong with a flag.
pub(crate) fn flag_words(opcode: u8, place: usize, byte: u8) -> String {
    let (name, values, figure) = match opcode {
        4 => ("ADMIT", "0 or 1", "figure 4"),
        _ => ("RESULT", "0, 1 or 2", "figure 6"),
    };
    let shown = match byte.is_ascii_graphic() {
        true => format!("the character '{}' (0x{byte:02x})", char::from(byte)),
        false => format!("{byte} (0x{byte:02x})"),
    };
    format!(
        "byte {} of {name} is {shown}; the flag belongs there as a number: {values} ({figure})",
        place + 1
    )
}

fn id(bytes: &[u8]) -> u32 {
    bytes[1..]
        .first_chunk()
        .map_or(0, |id| u32::from_be_bytes(*id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(bytes: &[u8], dialect: Dialect) -> Option<(usize, Option<Deviation>)> {
        match parse_server(bytes, dialect, true) {
            Parsed::Frame(_, length, deviation) => Some((length, deviation)),
            Parsed::Incomplete | Parsed::Invalid(_) => None,
        }
    }

    #[test]
    fn frames_of_the_wrong_size_are_understood() {
        for (bytes, dialect) in [
            (&b"\x06\0\0\x30\x39---\x01"[..], Dialect::Seed),
            (b"\x06\0\0\x30\x391-2\x00", Dialect::Seed),
            (b"\x06\0\0\x30\x39\x01", Dialect::Later),
            (b"\x08\0\0\x30\x39\x01taken\0", Dialect::Seed),
            (b"\x05\0\0\x30\x39\x001\x00-\x000", Dialect::Seed),
        ] {
            let (length, deviation) = server(bytes, dialect).unwrap();
            assert_eq!(length, bytes.len());
            assert!(matches!(deviation, Some(Deviation::Size(_))), "{bytes:?}");
        }
    }

    #[test]
    fn flags_may_be_characters() {
        for bytes in [&b"\x06\0\0\x30\x390"[..], b"\x04\0\0\x30\x391"] {
            let (_, deviation) = server(bytes, Dialect::Seed).unwrap();
            assert!(matches!(deviation, Some(Deviation::FlagCharacter(_))));
        }
        assert_eq!(server(b"\x06\0\0\x30\x39\x09", Dialect::Seed), None);
    }
}
