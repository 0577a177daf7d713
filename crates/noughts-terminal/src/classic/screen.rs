//! Draws the classic board, with `|` on both sides of every cell and a line of `-` above and below every row.

use std::io::{self, Write};

use noughts_rules::{Game, Variant};

/// Draws the board row by row.
pub(super) fn board(game: &Game, symbols: &[char], output: &mut impl Write) -> io::Result<()> {
    let columns = match game.variant() {
        Variant::Grid(spec) => spec.columns(),
        Variant::Nested(_) => 9,
    };
    let rule = "-".repeat(2 * columns + 1);
    let mut line = String::new();
    writeln!(output, "{rule}")?;
    for row in game.diagram().marks.chunks(columns) {
        line.clear();
        for mark in row {
            line.push('|');
            line.push(mark.map_or(' ', |side| symbols[side.index()]));
        }
        writeln!(output, "{line}|\n{rule}")?;
    }
    Ok(())
}

/// Prints the delimiter between two turns.
pub(super) fn delimiter(output: &mut impl Write) -> io::Result<()> {
    output.write_all(b"===\n\n")
}
