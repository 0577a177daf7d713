//! Program against program: matches between strategies, and what their results prove.

mod bout;
mod engine;
mod host;
mod line;
mod protocol;
mod score;

pub use bout::{Bout, play_game};
pub use engine::serve;
pub use host::Terms;
pub use score::Score;
