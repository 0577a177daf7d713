//! The program at its doors, as its users meet it.

mod program;
mod transcript;
mod transcripts;
