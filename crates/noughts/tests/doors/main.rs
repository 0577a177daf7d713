//! The program at its doors, as its users meet it.

mod arena;
mod connect;
mod engines;
mod program;
mod robots;
mod serve;
mod transcript;
mod transcripts;
