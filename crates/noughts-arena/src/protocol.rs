//! The words of the Gomocup protocol that both ends use: how a game is told, how moves are written.
//!
//! Five in a line on boards of 5 to 22 is told as everybody does, with moves `column,row`. Every
//! other game is named by a line `INFO variant NAME`, and its moves are written as everywhere here.

use noughts_rules::{Goal, GridSpec, Move, Overline, Place, Placement, Variant};

/// The longest line that is accepted, in bytes. The longest line of the protocol is an `INFO`.
pub(crate) const MAX_LINE: usize = 4096;

/// The boards that the protocol knows by itself.
pub(crate) const SIZES: std::ops::RangeInclusive<usize> = 5..=22;

/// Marks in a line there.
const LINE: usize = 5;

/// Whether a game is told without its name.
pub(crate) fn is_plain(variant: &Variant) -> bool {
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

/// Five in a line on such a board, if there is one; a longer line wins unless `exact`.
pub(crate) fn plain(columns: usize, rows: usize, exact: bool) -> Option<Variant> {
    if !SIZES.contains(&columns) || !SIZES.contains(&rows) {
        return None;
    }
    let mut spec = GridSpec::new(columns as u8, rows as u8, LINE as u8).ok()?;
    if exact {
        spec.overline = Overline::Ignored;
    }
    Some(Variant::Grid(spec))
}

/// Columns and rows, as `START` and `RECTSTART` say them; nine boards are nine by nine.
pub(crate) fn size(variant: &Variant) -> (usize, usize) {
    match variant {
        Variant::Grid(spec) => (spec.columns(), spec.rows()),
        Variant::Nested(_) => (9, 9),
    }
}

/// What is said to begin a game: its size, and before it which game it is where that is not one that every
/// program knows. Some of those programs can't be told anything before `START`.
pub(crate) fn introduction(variant: &Variant) -> Vec<String> {
    let start = match size(variant) {
        (columns, rows) if columns == rows => format!("START {columns}"),
        (columns, rows) => format!("RECTSTART {columns},{rows}"),
    };
    match is_plain(variant) {
        true => vec![start],
        false => vec![format!("INFO variant {variant}"), start],
    }
}

/// What is said of the rules of such a game after it has begun.
pub(crate) fn rule(variant: &Variant) -> Option<String> {
    match variant {
        Variant::Grid(spec) if is_plain(variant) => {
            let is_exact = spec.overline != Overline::Counts;
            Some(format!("INFO rule {}", u8::from(is_exact)))
        }
        Variant::Grid(_) | Variant::Nested(_) => None,
    }
}

/// A move as it is written in this game.
pub(crate) fn format_move(variant: &Variant, at: Move) -> String {
    if is_plain(variant) {
        let (row, column) = variant.coordinates(at);
        format!("{column},{row}")
    } else {
        variant.format_move(at)
    }
}

/// Reads what [`format_move`] writes; spaces around numbers are fine.
pub(crate) fn read_move(variant: &Variant, text: &str) -> Option<Move> {
    if !is_plain(variant) {
        return match variant.parse_place(text.trim()) {
            Ok(Place::Cell(at)) => Some(at),
            Ok(Place::Column(_)) | Err(_) => None,
        };
    }
    let (column, row) = pair(text)?;
    variant.move_at(row, column)
}

/// `7,7`
pub(crate) fn pair(text: &str) -> Option<(usize, usize)> {
    let (first, second) = text.split_once(',')?;
    Some((number(first)?, number(second)?))
}

fn number(text: &str) -> Option<usize> {
    let text = text.trim();
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// `7,7,1` or `4-0,1`: a move and whose it is, 1 for the program's own, 2 for the next to move
/// after it, and so on.
pub(crate) fn read_mark(variant: &Variant, text: &str) -> Option<(Move, u8)> {
    let (at, owner) = text.rsplit_once(',')?;
    let owner = number(owner)?;
    let owner = u8::try_from(owner).ok()?;
    let known = (1..=variant.sides()).contains(&owner);
    known.then_some((read_move(variant, at)?, owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(name: &str) -> Variant {
        name.parse().unwrap()
    }

    #[test]
    fn games_are_told_plainly_or_by_name() {
        for (name, told) in [
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
            let mut said = introduction(&variant);
            said.extend(rule(&variant));
            assert_eq!(said.join("; "), told);
        }
        assert_eq!(plain(15, 15, true), Some(variant("15x15k5+exact")));
        assert_eq!(plain(15, 12, false), Some(variant("15x12k5")));
        assert_eq!(plain(4, 15, false), None);
        assert_eq!(plain(15, 23, false), None);
    }

    #[test]
    fn moves_are_column_and_row_or_as_everywhere_here() {
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
