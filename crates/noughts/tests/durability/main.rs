//! Games that last: the real program, killed, cut off from its disk and its database, and several of it
//! side by side.
#![cfg(unix)]

mod client;
mod disks;
mod faults;
mod freezes;
mod kills;
mod load;
mod nodes;
#[path = "../../../noughts-server/tests/stores/postgres_server.rs"]
mod postgres_server;
mod proxy;
mod server_process;
mod trace;
