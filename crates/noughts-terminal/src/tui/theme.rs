//! Characters and colours.

use noughts_rules::Side;
use ratatui::style::{Color, Modifier, Style};

/// What the terminal can show. Every highlight is a character or a shape. Colours are only an addition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// Use lines, arrows, `×` and `○`. If false, use only ASCII.
    pub unicode: bool,
    /// Draw large marks with braille dots, which the Linux console lacks.
    pub dots: bool,
    /// Use colours.
    pub colour: bool,
}

/// The colours of the sides. The first two, blue and orange, have equal brightness. These two are readable on
/// black and on white, and colour-blind people can distinguish them.
const COLOURS: [u8; 8] = [32, 166, 71, 133, 136, 37, 160, 99];

impl Theme {
    /// Chooses the theme by environment variables: `LC_ALL`, `LC_CTYPE` or `LANG` show whether UTF-8 is used, and
    /// `NO_COLOR` turns colours off.
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

    /// Returns `unicode`, or `ascii` if only ASCII is available.
    pub(super) fn text(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// Returns the character of a mark. If the terminal cannot show the character, returns the default letter
    /// of the mark's side.
    pub(super) fn glyph(self, symbol: char, side: Side) -> char {
        match symbol {
            'x' if self.unicode => '×',
            'o' if self.unicode => '○',
            symbol if self.unicode || symbol.is_ascii() => symbol,
            _ => side.symbol(),
        }
    }

    /// The style of a side's marks.
    pub(super) fn side(self, side: Side) -> Style {
        let style = Style::new().add_modifier(Modifier::BOLD);
        self.coloured(style, COLOURS[side.index() % COLOURS.len()])
    }

    /// The style of grid lines, labels, descriptions and the footer.
    pub(super) fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// The style of messages, headlines, the focus and winning lines.
    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The style of errors.
    pub(super) fn bad(self) -> Style {
        self.coloured(Style::new().add_modifier(Modifier::BOLD), 160)
    }

    /// The style of the turn shown, of the selected setting and of a dialog's question.
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
