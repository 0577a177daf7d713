//! `noughts variants`: lists the variants.

use std::io::{self, Write};

use noughts_rules::CATALOG;
use noughts_terminal::tui::wrap;

use crate::Failure;
use crate::terminal_size::terminal_size;

/// Explains how names of variants are formed.
const NOTATION: [(&str, &str); 6] = [
    (
        "WxHkK",
        "W columns, H rows, K in a line; 3 to 255 per dimension",
    ),
    ("pN", "N sides, each against all others; 2 to 64"),
    ("+misere", "the side that completes a line loses"),
    (
        "+gravity",
        "marks fall to the lowest empty cell of a column",
    ),
    ("+exact", "a line longer than K does not win"),
    ("@B", "on nine boards: the first play is on board B, 0 to 8"),
];

/// The width of the column of names.
const NAME_WIDTH: u16 = 14;

pub(crate) fn run() -> Result<(), Failure> {
    let columns = terminal_size().map_or(u16::MAX, |(columns, _)| columns);
    let mut text = String::new();
    for entry in CATALOG {
        let description = format!("{}: {}", entry.title, entry.description);
        text += &row(entry.name, &description, columns);
    }
    text += "\nAny other size can be played too:\n";
    for (name, description) in NOTATION {
        text += &row(name, description, columns);
    }
    text += "\nSuffixes can be combined: 4x4k3p3+misere+gravity\n";
    Ok(io::stdout().write_all(text.as_bytes())?)
}

/// A name and its description. Further lines of the description start in the same column as its first line.
fn row(name: &str, description: &str, columns: u16) -> String {
    let room = columns.saturating_sub(NAME_WIDTH).max(NAME_WIDTH);
    let width = usize::from(NAME_WIDTH);
    let mut text = String::new();
    for (number, line) in wrap(description, room).iter().enumerate() {
        let name = if number == 0 { name } else { "" };
        text += &format!("{name:<width$}{line}\n");
    }
    text
}
