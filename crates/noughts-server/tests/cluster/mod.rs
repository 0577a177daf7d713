//! Several nodes in one process, over one database that can fail: for simulations and tests of faults.

mod database;
mod node;

pub(crate) use database::{Database, Fault, Operation, Treatment, variant};
pub(crate) use node::{Node, VirtualClock};
