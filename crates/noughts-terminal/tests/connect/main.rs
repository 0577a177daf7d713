//! The TCP client against scripted servers: whole games, every message, disconnection at any moment.

mod faults;
mod games;
mod random_input;
mod server;
