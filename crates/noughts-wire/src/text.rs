//! Strings as the protocol has them: one byte a character, ended by two zeros.

use std::fmt;

/// The most bytes that a string may have, its two zeros not counted.
pub const MOST_BYTES: usize = 255;

/// A string of a frame: Latin-1, at most 255 bytes, never two zeros side by side and none at the end,
/// so that what is written reads back.
///
/// It came from a stranger and may hold any control character. [`Display`](fmt::Display) shows those
/// as `�`, and so a name can be printed or logged without harm.
///
/// ```
/// use noughts_wire::Text;
///
/// let name = Text::new("Núria")?;
/// assert_eq!(name.bytes(), b"N\xfaria");
/// assert_eq!(name.to_string(), "Núria");
/// assert_eq!(Text::new("Łucja").unwrap_err().to_string(), "'Ł' is not in Latin-1");
/// # Ok::<(), noughts_wire::TextError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Text(Box<[u8]>);

/// The name of a player.
pub type Name = Text;

/// Why a text cannot be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextError {
    /// The first character that has no byte in Latin-1.
    NotLatin1(char),
    /// It has a character zero, which ends strings.
    HasZero,
    /// It has so many characters, more than 255.
    TooLong(usize),
}

impl Text {
    /// A text to be sent. Refused are characters outside Latin-1, zeros, and more than 255 characters.
    pub fn new(text: &str) -> Result<Text, TextError> {
        let byte = |sign: char| match u8::try_from(sign) {
            Ok(0) => Err(TextError::HasZero),
            Ok(byte) => Ok(byte),
            Err(_) => Err(TextError::NotLatin1(sign)),
        };
        let length = text.chars().count();
        if length > MOST_BYTES {
            return Err(TextError::TooLong(length));
        }
        text.chars().map(byte).collect::<Result<_, _>>().map(Text)
    }

    /// Bytes that stood before two zeros; the reader saw to the rest of the promise.
    pub(crate) fn trusted(bytes: &[u8]) -> Text {
        debug_assert!(bytes.len() <= MOST_BYTES && bytes.last() != Some(&0));
        debug_assert!(!bytes.windows(2).any(|pair| pair == [0, 0]));
        Text(bytes.into())
    }

    /// One byte a character, without the two zeros.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// There is no character in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |sign: char| if sign.is_control() { '\u{fffd}' } else { sign };
        let text: String = self.0.iter().map(|&byte| shown(char::from(byte))).collect();
        f.pad(&text)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.0.iter().copied().map(char::from).collect();
        write!(f, "{text:?}")
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::NotLatin1(sign) => write!(f, "{sign:?} is not in Latin-1"),
            TextError::HasZero => write!(f, "a character zero can't be sent"),
            TextError::TooLong(length) => {
                write!(
                    f,
                    "at most {MOST_BYTES} characters can be sent, not {length}"
                )
            }
        }
    }
}

impl std::error::Error for TextError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_latin_1_without_zero_can_be_sent() {
        for sign in '\0'..='\u{300}' {
            let text = Text::new(&sign.to_string());
            match u32::from(sign) {
                0 => assert_eq!(text, Err(TextError::HasZero)),
                code @ 1..=255 => {
                    assert_eq!(text.map(|text| text.bytes().to_vec()), Ok(vec![code as u8]));
                }
                _ => assert_eq!(text, Err(TextError::NotLatin1(sign))),
            }
        }
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert!(Text::new(&"ú".repeat(255)).is_ok_and(|text| text.bytes().len() == 255));
        assert_eq!(Text::new(&"ú".repeat(256)), Err(TextError::TooLong(256)));
        assert!(Text::new("").is_ok_and(|text| text.is_empty()));
    }

    #[test]
    fn what_is_shown_has_no_control_characters() {
        let every: Vec<u8> = (1..=255).collect();
        let shown = Text::trusted(&every).to_string();
        assert!(shown.chars().all(|sign| !sign.is_control()));
        assert!(shown.contains("abc") && shown.contains('é'));
    }
}
