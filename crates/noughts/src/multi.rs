//! `noughts multi`: nine boards on standard input and output.

use std::io::{self, BufWriter};

use noughts_rules::NestedSpec;
use noughts_terminal::multi::{self, MultiOptions, MultiSettings};

use crate::Failure;
use crate::args::{Multi, NineBoards};
use crate::robot_setup;

pub(crate) fn run(options: Multi) -> Result<(), Failure> {
    let engine_setup = robot_setup::from_seed(options.seed.as_deref())?;
    let options = MultiOptions {
        x: options.x,
        o: options.o,
        start: options.start,
        rules: match options.rules {
            NineBoards::Multi => NestedSpec::MULTI,
            NineBoards::Ultimate => NestedSpec::ULTIMATE,
        },
        history: options.history,
        engines: robot_setup::engines(),
    };
    let settings = MultiSettings::new(&options, engine_setup.seed).map_err(Failure::invalid)?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Ok(multi::play(
        &settings,
        &engine_setup,
        io::stdin().lock(),
        output,
    )?)
}
