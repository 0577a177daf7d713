//! `noughts`: the classic game on standard input and output.

use std::io::{self, BufWriter, IsTerminal, Write};

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
    let is_interactive =
        io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
    let hint = || {
        if is_interactive {
            let _ = io::stderr().write_all(HINT.as_bytes());
        }
    };
    hint();
    // Without this buffer, standard output writes each line separately: 511 system calls for the largest
    // board.
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let input = io::stdin().lock();
    Ok(classic::play_with_hints(
        &setup,
        &engine_setup,
        input,
        output,
        hint,
    )?)
}

/// Help for people. It goes to standard error, because the specification of the classic game defines every byte of
/// standard output.
const HINT: &str = "\
Type row and column from 0, such as 1 1. :q quits, ? helps.
See `noughts tui` (full screen), `noughts serve` (browser).
";
