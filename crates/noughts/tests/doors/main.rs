//! The program at its doors, as its users meet it.

mod arena;
mod check;
mod connect;
mod engines;
mod games;
mod play;
mod program;
mod robots;
mod serve;
mod serving;
mod transcript;
mod transcripts;
