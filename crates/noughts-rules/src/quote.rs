//! User input quoted in messages.

use std::fmt;

/// The maximum number of characters that a message quotes.
const MAX_QUOTED: usize = 40;

/// The first characters of a text, in quotes. Control characters are escaped, so that the quoted text is safe to print
/// on a terminal.
///
/// ```
/// use noughts_rules::Quoted;
///
/// assert_eq!(Quoted::from("a\u{1b}[31m").to_string(), r#""a\u{1b}[31m""#);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quoted(String);

impl From<&str> for Quoted {
    fn from(text: &str) -> Quoted {
        let mut kept: String = text.chars().take(MAX_QUOTED).collect();
        if kept.len() < text.len() {
            kept.push('…');
        }
        Quoted(kept)
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
