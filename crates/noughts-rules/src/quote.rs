//! What somebody wrote, quoted in a refusal: short, and harmless on a terminal.

use std::fmt;

/// How many characters of a stranger's text a refusal repeats.
const MOST_QUOTED: usize = 40;

/// The beginning of a text between quotes, control characters escaped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quoted(String);

impl From<&str> for Quoted {
    fn from(text: &str) -> Quoted {
        let mut kept: String = text.chars().take(MOST_QUOTED).collect();
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
