//! The program at its doors, as its users meet it.

mod check;
mod connect;
mod games;
mod program;
mod robots;
mod serve;
mod transcript;
mod transcripts;
