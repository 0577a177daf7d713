//! Every rule against programs with faults, and against right ones, in another language.

mod server;
mod verdicts;
