//! `noughts engine`: the Gomocup protocol on standard input and output.

use std::io::{self, BufReader};

use noughts_engine::StrategyName;

use crate::args::Engine;
use crate::{Failure, robot_setup};

pub(crate) fn run(task: &Engine) -> Result<(), Failure> {
    let strategy: Option<StrategyName> = match task.strategy.as_deref() {
        // `None`: search within the time limits that the manager sends.
        None | Some("search") => None,
        Some(text) => Some(text.parse().map_err(Failure::invalid)?),
    };
    let engine_setup = robot_setup::from_seed(task.seed.as_deref())?;
    let input = BufReader::new(io::stdin());
    Ok(noughts_gomocup::serve(
        strategy.as_ref(),
        &engine_setup,
        input,
        io::stdout().lock(),
    )?)
}
