//! The program at its doors, as its users meet it.

mod arena;
mod check;
mod connect;
mod external_engines;
mod games;
mod play;
mod program;
mod serve;
mod server_process;
mod strategies;
mod tls_proxy;
mod transcript;
mod transcripts;
