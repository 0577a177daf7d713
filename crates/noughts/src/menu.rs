//! `noughts menu`: the menu game on standard input and output.

use std::io::{self, BufWriter};

use noughts_engine::StrategyName;
use noughts_rules::{GridSpec, Variant};
use noughts_terminal::classic::square;
use noughts_terminal::menu::{self, MenuSettings};
use noughts_terminal::robot_seats;

use crate::Failure;
use crate::args::Menu;
use crate::robot_setup;

pub(crate) fn run(options: &Menu) -> Result<(), Failure> {
    let spec = match options.variant.get() {
        Some(name) => two_sided_board(name)?,
        None => {
            square(options.size.as_deref(), options.win.as_deref(), 2).map_err(Failure::invalid)?
        }
    };
    let seats = robot_seats(2, &options.robots, &options.strategy).map_err(Failure::invalid)?;
    let robot = |seat: usize| -> Result<StrategyName, Failure> {
        // `robot_seats` returns "human" for a seat without a robot.
        let named = seats.get(seat).filter(|named| *named != "human");
        let name = named.unwrap_or(&options.strategy);
        name.parse().map_err(Failure::invalid)
    };
    let robots = [robot(0)?, robot(1)?];
    let settings = MenuSettings::with_robots(spec, robots).map_err(Failure::invalid)?;
    let engine_setup = robot_setup::from_seed(options.seed.as_deref())?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Ok(menu::play(
        &settings,
        &engine_setup,
        io::stdin().lock(),
        output,
    )?)
}

/// Parses a variant with one board and two sides, which the menu game needs.
fn two_sided_board(name: &str) -> Result<GridSpec, Failure> {
    match name.parse::<Variant>().map_err(Failure::invalid)? {
        Variant::Grid(spec) if spec.sides() == 2 => Ok(spec),
        variant => Err(Failure::invalid(format_args!(
            "noughts menu plays on one board for two, not {variant}: noughts tui {variant} plays it"
        ))),
    }
}
