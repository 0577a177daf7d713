//! Both sides of the Gomocup protocol: [`serve`] makes this program an engine, and [`ExternalEngines`] runs
//! other engines as robots.

mod engine;
mod external;
mod protocol;

pub use engine::serve;
pub use external::ExternalEngines;
