//! Code for both sides of the protocol: how a game is announced, and how moves are formatted.
//!
//! Five in a row on boards of 5 to 22 columns and rows is standard Gomocup, with moves `column,row`. Every other
//! variant is announced by `INFO variant NAME`, and its moves use the notation of this project (docs/notation.md).

use noughts_rules::{Goal, GridSpec, Move, Overline, Place, Placement, Variant};

/// Maximum length of a line in bytes. The longest lines of the protocol are `INFO` commands.
pub(crate) const MAX_LINE: usize = 4096;

/// The allowed numbers of columns and rows of standard Gomocup boards.
pub(crate) const SIZES: std::ops::RangeInclusive<usize> = 5..=22;

/// The number of marks in a row that win on standard Gomocup boards.
const LINE: usize = 5;

/// Whether a variant is standard Gomocup.
pub(crate) fn is_standard(variant: &Variant) -> bool {
    let Variant::Grid(spec) = variant else {
        return false;
    };
    spec.line() == LINE
        && spec.sides() == 2
        && spec.goal == Goal::Make
        && spec.placement == Placement::Anywhere
        && SIZES.contains(&spec.columns())
        && SIZES.contains(&spec.rows())
}

/// The variant of five in a row on a standard board. Rows of more than five marks also win, unless `exact` is
/// true. `None` if the size is not standard.
pub(crate) fn standard(columns: usize, rows: usize, exact: bool) -> Option<Variant> {
    if !SIZES.contains(&columns) || !SIZES.contains(&rows) {
        return None;
    }
    let mut spec = GridSpec::new(columns as u8, rows as u8, LINE as u8).ok()?;
    if exact {
        spec.overline = Overline::Ignored;
    }
    Some(Variant::Grid(spec))
}

/// Returns the number of columns and the number of rows for `START` and `RECTSTART`. In Ultimate and Multi,
/// both numbers are 9.
pub(crate) fn size(variant: &Variant) -> (usize, usize) {
    match variant {
        Variant::Grid(spec) => (spec.columns(), spec.rows()),
        Variant::Nested(_) => (9, 9),
    }
}

/// The lines that begin a game. `INFO variant` is sent only for variants that are not standard, because some existing
/// engines fail on input before `START`.
pub(crate) fn start_lines(variant: &Variant) -> Vec<String> {
    let start = match size(variant) {
        (columns, rows) if columns == rows => format!("START {columns}"),
        (columns, rows) => format!("RECTSTART {columns},{rows}"),
    };
    match is_standard(variant) {
        true => vec![start],
        false => vec![format!("INFO variant {variant}"), start],
    }
}

/// The `INFO rule` line of a standard game, sent after `START`. `None` for other games.
pub(crate) fn rule_line(variant: &Variant) -> Option<String> {
    match variant {
        Variant::Grid(spec) if is_standard(variant) => {
            let is_exact = spec.overline != Overline::Counts;
            Some(format!("INFO rule {}", u8::from(is_exact)))
        }
        Variant::Grid(_) | Variant::Nested(_) => None,
    }
}

pub(crate) fn format_move(variant: &Variant, at: Move) -> String {
    if is_standard(variant) {
        let (row, column) = variant.coordinates(at);
        format!("{column},{row}")
    } else {
        variant.format_move(at)
    }
}

/// Parses a move. Spaces around numbers are allowed.
pub(crate) fn read_move(variant: &Variant, text: &str) -> Option<Move> {
    if !is_standard(variant) {
        return match variant.parse_place(text.trim()) {
            Ok(Place::Cell(at)) => Some(at),
            Ok(Place::Column(_)) | Err(_) => None,
        };
    }
    let (column, row) = pair(text)?;
    variant.move_at(row, column)
}

/// Parses two numbers such as `7,7`.
pub(crate) fn pair(text: &str) -> Option<(usize, usize)> {
    let (first, second) = text.split_once(',')?;
    Some((number(first)?, number(second)?))
}

fn number(text: &str) -> Option<usize> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Parses `7,7,1` or `4-0,1`: a move and its owner. Owner 1 is the engine that reads the line, 2 is the side
/// that moves after this engine, and so on.
pub(crate) fn read_mark(variant: &Variant, text: &str) -> Option<(Move, u8)> {
    let (at, owner) = text.rsplit_once(',')?;
    let owner = number(owner)?;
    let owner = u8::try_from(owner).ok()?;
    let is_known = (1..=variant.sides()).contains(&owner);
    is_known.then_some((read_move(variant, at)?, owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(name: &str) -> Variant {
        name.parse().unwrap()
    }

    #[test]
    fn standard_games_have_no_variant_line() {
        for (name, lines) in [
            ("15x15k5", "START 15; INFO rule 0"),
            ("15x15k5+exact", "START 15; INFO rule 1"),
            ("20x12k5", "RECTSTART 20,12; INFO rule 0"),
            ("23x23k5", "INFO variant 23x23k5; START 23"),
            ("15x15k5+misere", "INFO variant 15x15k5+misere; START 15"),
            ("7x6k4+gravity", "INFO variant 7x6k4+gravity; RECTSTART 7,6"),
            ("5x5k4", "INFO variant 5x5k4; START 5"),
            ("multi@4", "INFO variant multi@4; START 9"),
        ] {
            let variant = variant(name);
            let mut sent = start_lines(&variant);
            sent.extend(rule_line(&variant));
            assert_eq!(sent.join("; "), lines);
        }
        assert_eq!(standard(15, 15, true), Some(variant("15x15k5+exact")));
        assert_eq!(standard(15, 12, false), Some(variant("15x12k5")));
        assert_eq!(standard(4, 15, false), None);
        assert_eq!(standard(15, 23, false), None);
    }

    #[test]
    fn moves_are_written_and_parsed() {
        for (name, text, index) in [
            ("15x15k5", "1,2", 31),
            ("20x12k5", "19,0", 19),
            ("3x3k3", "1-0", 3),
            ("multi", "4-0", 36),
        ] {
            let variant = variant(name);
            assert_eq!(read_move(&variant, text), Some(Move::at(index)), "{text}");
            assert_eq!(format_move(&variant, Move::at(index)), text);
        }
        let five = variant("15x15k5");
        assert_eq!(read_move(&five, " 1 , 2 "), Some(Move::at(31)));
        for text in ["", "1", "1,", "15,0", "0,15", "-1,0", "1-0", "a,b", "1,2,3"] {
            assert_eq!(read_move(&five, text), None, "{text}");
        }
        assert_eq!(read_mark(&five, "1,2,2"), Some((Move::at(31), 2)));
        assert_eq!(
            read_mark(&variant("4x4k3p3"), "1-0,3"),
            Some((Move::at(4), 3))
        );
        for text in ["1,2", "1,2,0", "1,2,3", "1,2,x"] {
            assert_eq!(read_mark(&five, text), None, "{text}");
        }
    }
}
