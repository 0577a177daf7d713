//! Strategies that choose moves, the search that they use, and an exact solver.
//!
//! A [`StrategyName`] such as `minimax:7` is parsed from text and builds a [`Strategy`], which returns one
//! [`Decision`] per move. The caller passes the seed and the clock ([`EngineSetup`]), so a strategy without a
//! time limit gives reproducible games.

mod analysis;
mod clock;
mod endgame;
mod features;
mod move_values;
#[cfg(any(test, feature = "reference"))]
pub mod reference;
mod registry;
mod review;
mod rng;
mod robot;
mod search;
mod search_board;
mod solver;
mod strategies;
mod strategy;
mod threats;
mod time_for_turn;
mod transposition_table;

pub use analysis::{Analysis, MoveValue, Value};
pub use clock::{Clock, SystemClock};
pub use endgame::{has_opening_book, is_solved_exactly};
#[cfg(feature = "training")]
pub use features::patterns;
pub use move_values::{add_move_values, complete_line, move_values};
pub use registry::{STRATEGY_KINDS, StrategyError, StrategyKind, StrategyName, UnsupportedGame};
pub use review::{Mistake, find_mistakes};
pub use rng::Random;
pub use robot::{EngineHost, EngineName, Engines, Robot, RobotFault, RobotFaultKind, RobotName};
pub use search::{Limits, LimitsError};
#[cfg(feature = "book")]
pub use solver::book;
pub use solver::{Budget, GameValue, Progress, ProgressCallback, Solution, Solver, Unsolvable};
pub use strategies::iterative_deepening::{IterativeDeepening, analyze};
pub use strategy::{Decision, EngineSetup, Stop, Strategy};
pub use threats::threats;
pub use time_for_turn::time_for_turn;
