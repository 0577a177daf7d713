//! `noughts`: the classic game on standard input and output.

use std::io::{self, BufWriter};

use noughts_terminal::classic::{self, ClassicOptions, ClassicSettings};

use crate::Failure;
use crate::args::Classic;
use crate::robot_setup;

pub(crate) fn run(options: Classic) -> Result<(), Failure> {
    let asked = ClassicOptions {
        size: options.size,
        win: options.win,
        history: options.history,
        players: options.players,
        variant: options.variant,
        robots: options.robots,
        engines: robot_setup::engines(),
    };
    let setup = ClassicSettings::new(&asked).map_err(Failure::invalid)?;
    let engine_setup = robot_setup::from_seed(options.seed.as_deref())?;
    // Standard output alone would write every line for itself: 511 calls for one large board.
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Ok(classic::play(
        &setup,
        &engine_setup,
        io::stdin().lock(),
        output,
    )?)
}
