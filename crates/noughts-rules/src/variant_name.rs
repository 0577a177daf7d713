//! Variants as text: `4x4k3p3+misere`, `multi@4`.

use std::fmt;
use std::str::FromStr;

use crate::place::Board;
use crate::quote::Quoted;
use crate::variant::{Goal, GridSpec, NestedSpec, OutOfRange, Overline, Placement, Variant};

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variant::Grid(spec) => spec.fmt(f),
            Variant::Nested(spec) => spec.fmt(f),
        }
    }
}

impl fmt::Display for GridSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}k{}", self.columns(), self.rows(), self.line())?;
        if self.sides() != 2 {
            write!(f, "p{}", self.sides())?;
        }
        if self.goal == Goal::Avoid {
            f.write_str("+misere")?;
        }
        if self.placement == Placement::Gravity {
            f.write_str("+gravity")?;
        }
        if self.overline == Overline::Ignored {
            f.write_str("+exact")?;
        }
        Ok(())
    }
}

impl fmt::Display for NestedSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NestedSpec::NAMED
            .iter()
            .find(|(_, spec)| *spec == self.starting_on(None));
        f.write_str(named.map_or("nested", |(name, _)| name))?;
        match self.first() {
            Some(board) => write!(f, "@{board}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Variant, VariantError> {
        let mut rest = Cursor { rest: text };
        let nested = NestedSpec::NAMED.iter().find(|(name, _)| rest.eat(name));
        match nested {
            Some((_, spec)) => rest.first_board(*spec).map(Variant::Nested),
            None => rest.grid().map(Variant::Grid),
        }
        .map_err(|reason| VariantError {
            text: Quoted::from(text),
            reason,
        })
    }
}

/// The part of the text that is not parsed yet.
struct Cursor<'t> {
    rest: &'t str,
}

impl Cursor<'_> {
    fn eat(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Parses a number without leading zeros. A number that is too large for a `u64` becomes `u64::MAX`,
    /// which is outside every allowed range.
    fn number(&mut self) -> Result<u64, Reason> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at(digits);
        if number.is_empty() {
            return Err(Reason::Unknown);
        }
        if number.len() > 1 && number.starts_with('0') {
            return Err(Reason::LeadingZero);
        }
        self.rest = rest;
        Ok(number.parse().unwrap_or(u64::MAX))
    }

    fn first_board(&mut self, spec: NestedSpec) -> Result<NestedSpec, Reason> {
        if self.rest.is_empty() {
            return Ok(spec);
        }
        if !self.eat("@") {
            return Err(Reason::Unknown);
        }
        let number = self.number()?;
        let first = u8::try_from(number).ok().and_then(Board::new);
        if first.is_none() {
            return Err(Reason::NoSuchBoard);
        }
        if !self.rest.is_empty() {
            return Err(Reason::Unknown);
        }
        Ok(spec.starting_on(first))
    }

    fn grid(&mut self) -> Result<GridSpec, Reason> {
        let columns = self.number()?;
        self.expect("x")?;
        let rows = self.number()?;
        self.expect("k")?;
        let line = self.number()?;
        let columns = u8::try_from(columns).map_err(|_| OutOfRange::Columns(columns))?;
        let rows = u8::try_from(rows).map_err(|_| OutOfRange::Rows(rows))?;
        let max = columns.max(rows);
        let line = u8::try_from(line).map_err(|_| OutOfRange::Line { line, max })?;
        let spec = GridSpec::new(columns, rows, line)?;
        self.suffixes(spec)
    }

    fn expect(&mut self, word: &str) -> Result<(), Reason> {
        if self.eat(word) {
            Ok(())
        } else {
            Err(Reason::Unknown)
        }
    }

    fn suffixes(&mut self, mut spec: GridSpec) -> Result<GridSpec, Reason> {
        let mut seen = [false; 4];
        let mut once = |which: usize| {
            if std::mem::replace(&mut seen[which], true) {
                Err(Reason::Repeated)
            } else {
                Ok(())
            }
        };
        while !self.rest.is_empty() {
            if self.eat("p") {
                once(0)?;
                let sides = self.number()?;
                let sides = u8::try_from(sides).map_err(|_| OutOfRange::Sides(sides))?;
                spec = spec.with_sides(sides)?;
            } else if self.eat("+misere") {
                once(1)?;
                spec.goal = Goal::Avoid;
            } else if self.eat("+gravity") {
                once(2)?;
                spec.placement = Placement::Gravity;
            } else if self.eat("+exact") {
                once(3)?;
                spec.overline = Overline::Ignored;
            } else {
                return Err(Reason::Unknown);
            }
        }
        Ok(spec)
    }
}

/// Why a text is not a variant. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariantError {
    text: Quoted,
    reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    Unknown,
    LeadingZero,
    Repeated,
    NoSuchBoard,
    OutOfRange(OutOfRange),
}

impl From<OutOfRange> for Reason {
    fn from(reason: OutOfRange) -> Reason {
        Reason::OutOfRange(reason)
    }
}

impl VariantError {
    /// Whether the text was refused because a number in it is out of range. The text after this number may have other
    /// errors.
    pub fn is_out_of_range(&self) -> bool {
        match self.reason {
            Reason::OutOfRange(_) | Reason::NoSuchBoard => true,
            Reason::Unknown | Reason::LeadingZero | Reason::Repeated => false,
        }
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a variant: ", self.text)?;
        match &self.reason {
            Reason::Unknown => f.write_str(
                "a variant is WxHkK such as 3x3k3, optionally followed by p3, +misere, +gravity or +exact, \
                 or multi, multi@4, ultimate, ultimate@4",
            ),
            Reason::LeadingZero => f.write_str("numbers are written without leading zeros"),
            Reason::Repeated => f.write_str("p, +misere, +gravity and +exact may each appear once"),
            Reason::NoSuchBoard => f.write_str("the boards are 0 to 8"),
            Reason::OutOfRange(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for VariantError {}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutOfRange::Columns(n) => write!(f, "a board has 3 to 255 columns, not {n}"),
            OutOfRange::Rows(n) => write!(f, "a board has 3 to 255 rows, not {n}"),
            OutOfRange::Line { line, max } => {
                write!(f, "a line on this board has 3 to {max} marks, not {line}")
            }
            OutOfRange::Sides(n) => write!(f, "a game has 2 to 64 sides, not {n}"),
        }
    }
}

impl std::error::Error for OutOfRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_parse_in_any_order_and_print_in_one() {
        for (written, printed) in [
            ("3x3k3", "3x3k3"),
            ("3x3k3p2", "3x3k3"),
            ("4x4k3p3", "4x4k3p3"),
            ("255x255k255p64", "255x255k255p64"),
            ("3x5k5", "3x5k5"),
            ("7x6k4+gravity", "7x6k4+gravity"),
            ("15x15k5+exact+misere", "15x15k5+misere+exact"),
            (
                "4x4k3+exact+gravity+miserep3",
                "4x4k3p3+misere+gravity+exact",
            ),
            ("3x3k3p64", "3x3k3p64"),
            ("multi", "multi"),
            ("multi@0", "multi@0"),
            ("multi@8", "multi@8"),
            ("ultimate", "ultimate"),
            ("ultimate@4", "ultimate@4"),
        ] {
            let variant: Variant = written.parse().unwrap();
            assert_eq!(variant.to_string(), printed);
            assert_eq!(printed.parse(), Ok(variant));
        }
    }

    #[test]
    fn errors_say_what_is_allowed() {
        for (text, hint) in [
            ("", "such as 3x3k3"),
            ("chess", "such as 3x3k3"),
            ("3x3", "such as 3x3k3"),
            ("3X3k3", "such as 3x3k3"),
            (" 3x3k3", "such as 3x3k3"),
            ("3x3k3 ", "such as 3x3k3"),
            ("+3x3k3", "such as 3x3k3"),
            ("3x3k3+misère", "such as 3x3k3"),
            ("3x3k3p", "such as 3x3k3"),
            ("٣x3k3", "such as 3x3k3"),
            ("2x3k3", "3 to 255 columns, not 2"),
            ("3x2k3", "3 to 255 rows, not 2"),
            ("256x3k3", "3 to 255 columns, not 256"),
            (
                "3x99999999999999999999k3",
                "3 to 255 rows, not 18446744073709551615",
            ),
            ("3x3k2", "3 to 3 marks, not 2"),
            ("3x4k5", "3 to 4 marks, not 5"),
            ("3x4k256", "3 to 4 marks, not 256"),
            ("3x3k3p1", "2 to 64 sides, not 1"),
            ("3x3k3p65", "2 to 64 sides, not 65"),
            ("3x3k3p256", "2 to 64 sides, not 256"),
            ("03x3k3", "leading zeros"),
            ("3x3k03", "leading zeros"),
            ("3x3k3p02", "leading zeros"),
            ("multi@04", "leading zeros"),
            ("3x3k3p2p2", "may each appear once"),
            ("3x3k3+exact+exact", "may each appear once"),
            ("multi@9", "the boards are 0 to 8"),
            ("multi@", "such as 3x3k3"),
            ("multi4", "such as 3x3k3"),
            ("multi@4x", "such as 3x3k3"),
        ] {
            let error = text.parse::<Variant>().unwrap_err().to_string();
            assert!(error.contains(hint), "{text:?}: {error}");
        }
    }

    #[test]
    fn errors_quote_only_the_start_of_a_long_text() {
        let error = "z".repeat(1_000_000).parse::<Variant>().unwrap_err();
        assert!(error.to_string().len() < 300);
    }
}
