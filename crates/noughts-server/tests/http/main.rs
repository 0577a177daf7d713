//! The HTTP server, over real sockets.

mod caching;
mod client;
mod event_stream;
mod games;
mod hostile;
mod limits;
mod lobby;
mod odd_requests;
mod offers;
mod openapi;
mod players;
mod problems;
mod quick_matches;
mod records;
mod robot_tables;
mod upgrade;
mod websocket;
mod wrong_requests;
