//! Program against program: matches between strategies, and what their results prove.

mod bout;
mod score;

pub use bout::{Bout, play_game};
pub use score::Score;
