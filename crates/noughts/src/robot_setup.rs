//! The setup of robots: seed, clock, and external engines.

use std::hash::{BuildHasher, Hasher, RandomState};

use noughts_engine::{EngineSetup, Engines};
use noughts_gomocup::ExternalEngines;
use noughts_rules::Quoted;

use crate::Failure;

/// External engines with one second per move. Only the command line may name them.
pub(crate) fn engines() -> Engines {
    ExternalEngines::default().engines()
}

/// A setup with this seed, or a random one.
pub(crate) fn from_seed(seed: Option<&str>) -> Result<EngineSetup, Failure> {
    let seed = match seed {
        // The standard library seeds its hash maps from the system's randomness.
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
