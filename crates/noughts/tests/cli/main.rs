//! The command line, tested with real processes.

#[cfg(unix)]
mod admin;
mod arena;
mod backup;
mod certificates;
mod check;
mod connect;
mod documented_sessions;
mod external_engines;
mod games;
mod play;
mod program;
mod pseudo_terminal;
#[cfg(unix)]
#[path = "../../../noughts-server/tests/http/request_bytes.rs"]
mod request_bytes;
mod scripted_server;
mod serve;
mod server_process;
mod strategies;
mod terminal;
#[cfg(unix)]
mod tls;
mod tls_proxy;
mod transcript;
mod transcripts;
