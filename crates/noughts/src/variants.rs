//! `noughts variants`: lists the variants.

use std::io::{self, Write};

use noughts_rules::CATALOG;

use crate::Failure;

/// How the names are made.
const NOTATION: &str = "
Any other size can be played too:
WxHkK         W columns, H rows, K in a line; 3 to 255 per dimension
pN            N sides, each against all others; 2 to 64
+misere       the side that completes a line loses
+gravity      marks fall to the lowest empty cell of a column
+exact        a line longer than K does not win
@B            on nine boards: the first play is on board B, 0 to 8

Suffixes can be combined: 4x4k3p3+misere+gravity
";

pub(crate) fn run() -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    for entry in CATALOG {
        let (name, title, description) = (entry.name, entry.title, entry.description);
        writeln!(output, "{name:<14}{title}: {description}")?;
    }
    Ok(output.write_all(NOTATION.as_bytes())?)
}
