//! The setup of robots: seed, clock, and external engines.

use std::hash::{BuildHasher, Hasher, RandomState};

use noughts_engine::{EngineSetup, Engines};
use noughts_gomocup::ExternalEngines;
use noughts_rules::Quoted;

use crate::Failure;

/// Returns a parser of robot names that accepts external engines. Each engine has one second per move. Use
/// this parser only for names from the command line, because the name of an external engine contains a
/// command to run.
pub(crate) fn engines() -> Engines {
    ExternalEngines::default().engines()
}

/// Creates a setup with the given seed, or with a random seed.
pub(crate) fn from_seed(seed: Option<&str>) -> Result<EngineSetup, Failure> {
    let seed = match seed {
        // A random seed: the standard library seeds its hashers with random numbers of the system.
        None => RandomState::new().build_hasher().finish(),
        Some(text) => text.parse().map_err(|_| {
            Failure::invalid(format_args!(
                "the seed (--seed) must be a number from 0 to {}, not {}",
                u64::MAX,
                Quoted::from(text)
            ))
        })?,
    };
    Ok(EngineSetup::with_seed(seed))
}
