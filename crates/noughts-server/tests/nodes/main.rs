//! Several nodes with real sockets and one real PostgreSQL, which is stopped and frozen during the tests.
#![cfg(unix)]

mod client;
mod clocks;
mod node;
mod outages;
mod pairs;
#[allow(dead_code)]
#[path = "../stores/postgres_server.rs"]
mod postgres_server;
mod presence;
#[path = "../http/request_bytes.rs"]
mod request_bytes;

use std::time::Duration;

/// Longer than anything takes here, however busy the machine.
const TIMEOUT: Duration = Duration::from_secs(60);
