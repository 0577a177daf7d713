//! The terminal interfaces of Noughts: classic, menu, Multi, the full screen, and games on servers.
//!
//! An interface turns input into an [`Action`](noughts_rules::Action) and shows the resulting
//! [`View`](noughts_rules::View) or [`Refusal`](noughts_rules::Refusal). No interface contains rules. Input and
//! output are parameters, so tests and fuzzers play whole games without a terminal.

pub mod classic;
mod completed_lines;
pub mod connect;
mod console;
mod holder;
pub mod menu;
pub mod multi;
pub mod play;
mod robots;
mod symbols;
pub mod tui;

pub use classic::robot_seats;
pub use holder::{DEFAULT_LEVEL, DEFAULT_ROBOT, Holder, HolderError, ROBOTS};
pub use robots::{RobotMove, Robots};
pub use symbols::{SymbolError, Symbols};
