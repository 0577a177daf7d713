//! The players' symbols.

use std::fmt;

use noughts_rules::{MAX_SIDES, Side};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// One symbol per seat, in turn order. Seats with equal symbols are one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbols(Vec<char>);

impl Symbols {
    /// Parses symbols, such as `xo`, `xxo` or `ż🦀`.
    pub fn read(text: &str) -> Result<Symbols, SymbolError> {
        let symbols: Vec<char> = text.chars().take(usize::from(MAX_SIDES) + 1).collect();
        if let Some(unseen) = symbols.iter().find(|symbol| !can_be_seen(**symbol)) {
            return Err(SymbolError::Unseen(*unseen));
        }
        match symbols.len() {
            count @ (0 | 1) => Err(SymbolError::Few(count)),
            count if count > MAX_SIDES.into() => Err(SymbolError::Many),
            _ => Ok(Symbols(symbols)),
        }
    }

    /// The default symbols: x, o, a, b …
    pub fn usual(sides: u8) -> Symbols {
        Symbols((0..sides).filter_map(Side::new).map(Side::symbol).collect())
    }

    /// The symbol of each seat.
    pub fn seats(&self) -> &[char] {
        &self.0
    }

    /// The symbol of each side, in order of first appearance.
    pub fn sides(&self) -> Vec<char> {
        let mut different = Vec::new();
        for symbol in &self.0 {
            if !different.contains(symbol) {
                different.push(*symbol);
            }
        }
        different
    }

    /// The side of each seat.
    pub fn order(&self) -> Vec<Side> {
        let sides = self.sides();
        let side = |symbol| sides.iter().position(|s| s == symbol);
        let seats = self.0.iter().filter_map(side);
        seats.filter_map(|side| Side::new(side as u8)).collect()
    }
}

/// Whether a character is visible by itself. White space, for example, is not visible. Control, format and combining
/// characters are not visible by themselves either.
fn can_be_seen(symbol: char) -> bool {
    // These characters are drawn blank although they are not white space: fillers and the empty braille cell.
    const BLANK: [char; 5] = ['\u{115F}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{FFA0}'];
    let unseen = matches!(
        symbol.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::NonspacingMark
            | GeneralCategory::SpacingMark
            | GeneralCategory::EnclosingMark
    );
    !unseen && !symbol.is_whitespace() && !BLANK.contains(&symbol)
}

/// Invalid symbols. The error message says what is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolError {
    /// Fewer than two symbols.
    Few(usize),
    /// More than 64 symbols.
    Many,
    /// An invisible character.
    Unseen(char),
}

impl fmt::Display for SymbolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SymbolError::Few(count) => write!(f, "2 to 64 symbols, not {count}"),
            SymbolError::Many => f.write_str("2 to 64 symbols, not more"),
            SymbolError::Unseen(symbol) => write!(
                f,
                "symbols that can be seen, and U+{:04X} can't (no white space, control, combining, \
                 format or direction characters)",
                u32::from(*symbol)
            ),
        }
    }
}

impl std::error::Error for SymbolError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_symbols_are_one_side() {
        let order = |text| -> Vec<usize> {
            let symbols = Symbols::read(text).unwrap();
            symbols.order().iter().map(|side| side.index()).collect()
        };
        assert_eq!(order("xo"), [0, 1]);
        assert_eq!(order("ox"), [0, 1]);
        assert_eq!(order("xxo"), [0, 0, 1]);
        assert_eq!(order("xx"), [0, 0]);
        assert_eq!(order("żó🦀ż"), [0, 1, 2, 0]);
    }

    #[test]
    fn only_what_can_be_seen_is_a_symbol() {
        for unseen in [
            ' ',
            '\t',
            '\n',
            '\0',
            '\u{7f}',
            '\u{a0}',
            '\u{ad}',
            '\u{301}',
            '\u{903}',
            '\u{20dd}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2066}',
            '\u{2028}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{3000}',
            '\u{3164}',
            '\u{2800}',
            '\u{e000}',
            '\u{e0041}',
            '\u{10ffff}',
        ] {
            let text = format!("x{unseen}");
            assert_eq!(
                Symbols::read(&text),
                Err(SymbolError::Unseen(unseen)),
                "{unseen:?}"
            );
        }
        for seen in ["-+", "ż🦀", "×○", "'\"", "\\/", "10", "中国", "אב"] {
            assert!(Symbols::read(seen).is_ok(), "{seen}");
        }
    }

    #[test]
    fn there_are_2_to_64_symbols() {
        assert_eq!(Symbols::read(""), Err(SymbolError::Few(0)));
        assert_eq!(Symbols::read("x"), Err(SymbolError::Few(1)));
        let all: String = Symbols::usual(64).seats().iter().collect();
        assert_eq!(Symbols::read(&all), Ok(Symbols::usual(64)));
        assert_eq!(Symbols::read(&format!("{all}+")), Err(SymbolError::Many));
    }
}
