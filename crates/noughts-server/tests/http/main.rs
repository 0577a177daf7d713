//! The HTTP server, over real sockets.

mod absence;
mod caching;
mod client;
#[allow(dead_code, unused_imports)]
#[path = "../cluster/mod.rs"]
mod cluster;
mod event_stream;
mod games;
mod hostile;
mod limits;
mod lobby;
mod odd_requests;
mod offer_table;
mod offers;
mod openapi;
mod players;
mod problems;
mod quick_matches;
mod records;
mod request_bytes;
mod robot_tables;
#[path = "../tcp/still_clock.rs"]
mod still_clock;
mod upgrade;
mod websocket;
mod wrong_requests;
