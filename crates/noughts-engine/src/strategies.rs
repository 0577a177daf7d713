//! The built-in strategies: one file each, listed in [`STRATEGY_KINDS`](crate::STRATEGY_KINDS).

pub(crate) mod first;
pub(crate) mod greedy;
pub(crate) mod iterative_deepening;
pub(crate) mod level;
pub(crate) mod mcts;
pub(crate) mod minimax;
pub(crate) mod perfect;
pub(crate) mod random;
