//! Durability: the real program is killed, loses its disk or database, or runs as several nodes.
#![cfg(unix)]

mod backups;
mod campaign;
mod client;
mod disk;
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
