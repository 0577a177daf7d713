//! The program at its doors, as its users meet it.

mod connect;
mod play;
mod program;
mod robots;
mod serve;
mod transcript;
mod transcripts;
