//! What should happen: how robots choose their moves.
//!
//! A [`StrategyName`] such as `minimax:7` is read from text and makes a [`Strategy`], which is
//! asked for a [`Decision`] once a move. Randomness comes in as a seed and time as a [`Clock`].

mod analysis;
mod board;
mod clock;
mod deepen;
mod endgame;
mod features;
mod first;
mod greedy;
mod kind;
mod level;
mod lines;
mod mcts;
mod minimax;
mod nine;
pub mod patterns;
mod perfect;
mod random;
mod robot;
mod search;
mod seed;
mod solve;
mod strategy;
mod table;
mod threats;
pub mod twin;
mod windows;

pub use analysis::{Analysis, Value};
pub use clock::{Clock, SystemClock};
pub use deepen::{Deepening, analyze, read_limits};
pub use kind::{KINDS, Kind, StrategyError, StrategyName, Unfit};
pub use robot::{EngineName, Engines, Fault, FaultKind, Host, Robot, RobotName};
pub use search::Limits;
pub use seed::Random;
pub use solve::{Budget, Progress, Report, Solution, Solver, Unsolvable, Worth};
pub use strategy::{Decision, Setup, Stop, Strategy};
