//! The protocol's strings: one byte per character, terminated by two zero bytes.

use std::fmt;
use std::str::FromStr;

/// Maximum length of a string in bytes, without the two zero bytes that end it.
pub const MAX_TEXT_BYTES: usize = 255;

/// A string in a frame: Latin-1, at most 255 bytes. It has no two adjacent zero bytes and no zero byte at the end, so
/// that decoding gives the same string that was encoded.
///
/// A received string may contain control characters. [`Display`](fmt::Display) shows them as `�`, so that it is safe to
/// print or log a name.
///
/// ```
/// use noughts_wire::Text;
///
/// let name: Text = "Núria".parse()?;
/// assert_eq!(name.as_bytes(), b"N\xfaria");
/// assert_eq!(name.to_string(), "Núria");
/// assert_eq!(Text::new("Łucja").unwrap_err().to_string(), "'Ł' is not in Latin-1");
/// # Ok::<(), noughts_wire::TextError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Text(Box<[u8]>);

/// A player's name.
pub type Name = Text;

/// Why a text cannot be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextError {
    /// This character is not in Latin-1.
    NotLatin1(char),
    /// The text contains U+0000. Zero bytes end a string in a frame.
    HasZero,
    /// The text is longer than 255 characters. The value is its length.
    TooLong(usize),
}

impl Text {
    /// Creates a string to send. Checks that the text has only Latin-1 characters, no U+0000, and at most 255
    /// characters.
    pub fn new(text: &str) -> Result<Text, TextError> {
        let byte = |sign: char| match u8::try_from(sign) {
            Ok(0) => Err(TextError::HasZero),
            Ok(byte) => Ok(byte),
            Err(_) => Err(TextError::NotLatin1(sign)),
        };
        let length = text.chars().count();
        if length > MAX_TEXT_BYTES {
            return Err(TextError::TooLong(length));
        }
        text.chars().map(byte).collect::<Result<_, _>>().map(Text)
    }

    /// Creates a string from the bytes before the two zero bytes. The decoder has already checked the number of bytes.
    pub(crate) fn from_valid_bytes(bytes: &[u8]) -> Text {
        debug_assert!(bytes.len() <= MAX_TEXT_BYTES && bytes.last() != Some(&0));
        debug_assert!(!bytes.windows(2).any(|pair| pair == [0, 0]));
        Text(bytes.into())
    }

    /// The string with one byte per character, without the two zero bytes at the end.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the text has no characters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Text {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Text, TextError> {
        Text::new(text)
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
            TextError::HasZero => f.write_str("a zero byte (U+0000) cannot be sent"),
            TextError::TooLong(length) => {
                write!(
                    f,
                    "at most {MAX_TEXT_BYTES} characters can be sent, not {length}"
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
    fn only_latin_1_without_zero_can_be_sent() {
        for sign in '\0'..='\u{300}' {
            let text = Text::new(&sign.to_string());
            match u32::from(sign) {
                0 => assert_eq!(text, Err(TextError::HasZero)),
                code @ 1..=255 => {
                    assert_eq!(
                        text.map(|text| text.as_bytes().to_vec()),
                        Ok(vec![code as u8])
                    );
                }
                _ => assert_eq!(text, Err(TextError::NotLatin1(sign))),
            }
        }
    }

    #[test]
    fn error_does_not_mean_the_digit_zero() {
        let error = Text::new("a\0b").unwrap_err();
        assert_eq!(error.to_string(), "a zero byte (U+0000) cannot be sent");
        assert!(Text::new("0").is_ok());
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert!(Text::new(&"ú".repeat(255)).is_ok_and(|text| text.as_bytes().len() == 255));
        assert_eq!(Text::new(&"ú".repeat(256)), Err(TextError::TooLong(256)));
        assert!(Text::new("").is_ok_and(|text| text.is_empty()));
    }

    #[test]
    fn display_has_no_control_characters() {
        let every: Vec<u8> = (1..=255).collect();
        let shown = Text::from_valid_bytes(&every).to_string();
        assert!(shown.chars().all(|sign| !sign.is_control()));
        assert!(shown.contains("abc") && shown.contains('é'));
    }
}
