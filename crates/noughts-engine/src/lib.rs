//! What should happen: how robots choose their moves.
//!
//! A [`StrategyName`] such as `minimax:7` is read from text and makes a [`Strategy`], which is
//! asked for a [`Decision`] once a move. Randomness comes in as a seed and time as a [`Clock`].

mod analysis;
mod clock;
mod first;
mod kind;
mod random;
mod seed;
mod strategy;

pub use analysis::{Analysis, Value};
pub use clock::{Clock, SystemClock};
pub use kind::{KINDS, Kind, StrategyError, StrategyName, Unfit};
pub use seed::Random;
pub use strategy::{Decision, Setup, Stop, Strategy};
