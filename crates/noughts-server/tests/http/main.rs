//! The HTTP server, over real sockets.

mod client;
mod event_stream;
mod games;
mod hostile;
mod limits;
mod openapi;
mod problems;
mod records;
mod robot_tables;
mod upgrade;
mod websocket;
