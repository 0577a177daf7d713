//! Several nodes in one process, over one database that can fail, for simulations and fault tests.

mod database;
mod node;

pub(crate) use database::{Database, Fault, Operation, Treatment, variant};
pub(crate) use node::{Node, VirtualClock};
