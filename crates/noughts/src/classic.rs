//! `noughts`: the classic game on standard input and output.

use std::io::{self, BufWriter};

use noughts_terminal::classic::{self, Asked, Setup};

use crate::Failure;
use crate::args::Classic;
use crate::outside;

pub(crate) fn run(options: Classic) -> Result<(), Failure> {
    let asked = Asked {
        size: options.size,
        win: options.win,
        history: options.history,
        players: options.players,
        variant: options.variant,
        robots: options.robots,
        engines: outside::engines(),
    };
    let setup = Setup::new(&asked).map_err(Failure::asked)?;
    let outside = outside::read(options.seed.as_deref())?;
    // Standard output alone would write every line for itself: 511 calls for one large board.
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Ok(classic::play(&setup, &outside, io::stdin().lock(), output)?)
}
