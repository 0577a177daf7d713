//! The terminal doors of Noughts.
//!
//! A door turns what it hears into an [`Action`](noughts_rules::Action) and shows the
//! [`View`](noughts_rules::View) or the [`Refusal`](noughts_rules::Refusal) that comes back. No
//! door knows a rule. Input and output come in from outside, so that tests and fuzzers play whole
//! games without a terminal.

pub mod classic;
pub mod connect;
mod console;
mod lines;
pub mod menu;
pub mod multi;
pub mod play;
mod seats;
mod symbols;
pub mod tui;

pub use seats::{Holder, HolderError, Seats, Thought};
pub use symbols::{SymbolError, Symbols};
