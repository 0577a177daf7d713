//! `noughts multi`: nine boards on standard input and output.

use std::io::{self, BufWriter};

use noughts_rules::NestedSpec;
use noughts_terminal::multi::{self, Asked, Setup};

use crate::Failure;
use crate::args::{Multi, NineBoards};
use crate::outside;

pub(crate) fn run(options: Multi) -> Result<(), Failure> {
    let outside = outside::read(options.seed.as_deref())?;
    let asked = Asked {
        x: options.x,
        o: options.o,
        start: options.start,
        rules: match options.rules {
            NineBoards::Multi => NestedSpec::MULTI,
            NineBoards::Ultimate => NestedSpec::ULTIMATE,
        },
        history: options.history,
        engines: outside::engines(),
    };
    let setup = Setup::new(&asked, outside.seed).map_err(Failure::asked)?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Ok(multi::play(&setup, &outside, io::stdin().lock(), output)?)
}
