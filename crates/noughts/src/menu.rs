//! `noughts menu`: the menu game on standard input and output.

use std::io::{self, BufWriter};

use noughts_terminal::classic::square;
use noughts_terminal::menu::{self, Setup};

use crate::Failure;
use crate::args::Menu;
use crate::outside;

pub(crate) fn run(options: &Menu) -> Result<(), Failure> {
    let spec =
        square(options.size.as_deref(), options.win.as_deref(), 2).map_err(Failure::asked)?;
    let robot = options.strategy.parse().map_err(Failure::asked)?;
    let setup = Setup::new(spec, robot).map_err(Failure::asked)?;
    let outside = outside::read(options.seed.as_deref())?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Ok(menu::play(&setup, &outside, io::stdin().lock(), output)?)
}
