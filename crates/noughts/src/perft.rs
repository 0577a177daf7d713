//! `noughts perft`: counts move sequences. The last line contains only the total, so that scripts can read it.

use std::io::{self, Write};

use noughts_rules::AnyTimeline;

use crate::Failure;
use crate::args::Perft;
use crate::{position, progress};

pub(crate) fn run(task: &Perft) -> Result<(), Failure> {
    let variant = position::variant(&task.variant)?;
    let any = AnyTimeline::new(&variant);
    let spinner = progress::spinner();
    let mut output = io::stdout().lock();
    if !task.divide {
        let count = any.perft(task.depth);
        spinner.finish_and_clear();
        return Ok(writeln!(output, "{count}")?);
    }
    let parts = any.divide(task.depth);
    spinner.finish_and_clear();
    for (at, count) in &parts {
        writeln!(output, "{} {count}", variant.format_move(*at))?;
    }
    // There is one sequence of length 0. `parts` does not count this sequence, because it has no first move.
    let sum: u64 = parts.iter().map(|(_, count)| count).sum();
    let count = if task.depth == 0 { 1 } else { sum };
    Ok(writeln!(output, "{count}")?)
}
