//! The Gomocup protocol, both sides: [`serve`] makes this program an engine, [`ExternalEngines`] runs other
//! engines as robots.

mod engine;
mod external;
mod protocol;

pub use engine::serve;
pub use external::ExternalEngines;
