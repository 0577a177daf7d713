//! Visits to servers that follow a script: whole games, every message, every moment of leaving.

mod faults;
mod games;
mod random_input;
mod server;
