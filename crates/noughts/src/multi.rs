//! `noughts multi`: nine boards on standard input and output.

use std::io::{self, BufWriter};

use noughts_rules::{NestedSpec, Variant};
use noughts_terminal::multi::{self, BoardSize, DEFAULT_ROBOT, MultiOptions, MultiSettings};
use noughts_terminal::robot_seats;

use crate::Failure;
use crate::args::{Multi, NineBoards};
use crate::robot_setup;
use crate::terminal_size::terminal_size;

pub(crate) fn run(options: Multi) -> Result<(), Failure> {
    let engine_setup = robot_setup::from_seed(options.seed.as_deref())?;
    let (rules, start) = match options.variant.get() {
        Some(name) => nine_boards(name, options.start)?,
        None => match options.rules {
            NineBoards::Multi => (NestedSpec::MULTI, options.start),
            NineBoards::Ultimate => (NestedSpec::ULTIMATE, options.start),
        },
    };
    let (x, o) = match options.robots.is_empty() {
        true => (options.x, options.o),
        false => {
            let seats = robot_seats(2, &options.robots, DEFAULT_ROBOT).map_err(Failure::invalid)?;
            let mut seats = seats.into_iter();
            (seats.next(), seats.next())
        }
    };
    let options = MultiOptions {
        x,
        o,
        start,
        rules,
        history: options.history,
        engines: robot_setup::engines(),
    };
    let settings = MultiSettings::new(&options, engine_setup.seed).map_err(Failure::invalid)?;
    let board_size = match terminal_size() {
        Some((columns, lines)) => BoardSize::fit(columns, lines),
        None => BoardSize::Large,
    };
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Ok(multi::play(
        &settings,
        &engine_setup,
        board_size,
        io::stdin().lock(),
        output,
    )?)
}

/// Returns the rules and the first board. A variant such as `multi@4` names the rules and the first board.
fn nine_boards(name: &str, start: Option<String>) -> Result<(NestedSpec, Option<String>), Failure> {
    let spec = match name.parse::<Variant>().map_err(Failure::invalid)? {
        Variant::Nested(spec) => spec,
        Variant::Grid(_) => {
            return Err(Failure::invalid(format_args!(
                "noughts multi plays multi and ultimate, not {name}: noughts tui {name} plays it"
            )));
        }
    };
    match (spec.first(), &start) {
        (None, _) => Ok((spec, start)),
        (Some(_), Some(_)) => Err(Failure::invalid(format_args!(
            "{name} names the first board, and --start does too: leave one out"
        ))),
        (Some(board), None) => Ok((spec.starting_on(None), Some(board.index().to_string()))),
    }
}
