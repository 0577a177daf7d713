//! Every rule against programs with faults, and against right ones, in another language.

mod classic;
mod client;
mod server;
mod verdicts;
