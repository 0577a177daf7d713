//! The command line, tested with real processes.

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
