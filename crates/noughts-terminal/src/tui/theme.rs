//! What the terminal can show: which characters, and whether in colour.

use noughts_rules::Side;
use ratatui::style::{Color, Modifier, Style};

/// Characters and colours. Every cue is a shape first; colour only comes second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// Lines, arrows, `×` and `○`; otherwise ASCII alone.
    pub unicode: bool,
    /// Large marks drawn with braille dots; the console of Linux has none.
    pub dots: bool,
    /// Colours.
    pub colour: bool,
}

/// Blue and orange of equal weight first: readable on black and on white, and told apart by every
/// kind of colour blindness.
const COLOURS: [u8; 8] = [32, 166, 71, 133, 136, 37, 160, 99];

impl Theme {
    /// As the environment says: UTF-8 in `LC_ALL`, `LC_CTYPE` or `LANG`, and no `NO_COLOR`.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Theme {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or(set("LC_CTYPE")).or(set("LANG"));
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        let unicode = locale.contains("utf-8") || locale.contains("utf8");
        Theme {
            unicode,
            dots: unicode && set("TERM").as_deref() != Some("linux"),
            colour: set("NO_COLOR").is_none(),
        }
    }

    /// One of two texts: the second where there is ASCII alone.
    pub(super) fn text(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// A mark's symbol as it is shown; where it can't be, the usual letter of its side.
    pub(super) fn glyph(self, symbol: char, side: Side) -> char {
        match symbol {
            'x' if self.unicode => '×',
            'o' if self.unicode => '○',
            symbol if self.unicode || symbol.is_ascii() => symbol,
            _ => side.symbol(),
        }
    }

    /// How a side's marks are written.
    pub(super) fn side(self, side: Side) -> Style {
        let style = Style::new().add_modifier(Modifier::BOLD);
        self.coloured(style, COLOURS[side.index() % COLOURS.len()])
    }

    /// What steps back: rules, labels, hints.
    pub(super) fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What is said.
    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What is wrong.
    pub(super) fn bad(self) -> Style {
        self.coloured(Style::new().add_modifier(Modifier::BOLD), 160)
    }

    /// Where the keys go.
    pub(super) fn focus(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn coloured(self, style: Style, colour: u8) -> Style {
        if self.colour {
            style.fg(Color::Indexed(colour))
        } else {
            style
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme(environment: &[(&str, &str)]) -> Theme {
        Theme::from_environment(|name| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_says_what_can_be_shown() {
        let full = Theme {
            unicode: true,
            dots: true,
            colour: true,
        };
        let plain = Theme {
            unicode: false,
            dots: false,
            colour: true,
        };
        for (environment, expected) in [
            (&[("LANG", "ca_ES.UTF-8")][..], full),
            (&[("LANG", "C"), ("LC_CTYPE", "C.utf8")], full),
            (&[("LANG", "C.UTF-8"), ("LC_ALL", "C")], plain),
            (&[("LANG", "C.UTF-8"), ("LC_ALL", "")], full),
            (&[], plain),
            (
                &[("LANG", "C.UTF-8"), ("NO_COLOR", "1")],
                Theme {
                    colour: false,
                    ..full
                },
            ),
            (
                &[("LANG", "C.UTF-8"), ("TERM", "linux")],
                Theme {
                    dots: false,
                    ..full
                },
            ),
        ] {
            assert_eq!(theme(environment), expected, "{environment:?}");
        }
    }

    #[test]
    fn a_symbol_that_cannot_be_shown_is_the_letter_of_its_side() {
        let plain = theme(&[]);
        let full = theme(&[("LANG", "C.UTF-8")]);
        assert_eq!(full.glyph('x', Side::FIRST), '×');
        assert_eq!(plain.glyph('x', Side::FIRST), 'x');
        assert_eq!(full.glyph('ż', Side::SECOND), 'ż');
        assert_eq!(plain.glyph('ż', Side::SECOND), 'o');
    }
}
