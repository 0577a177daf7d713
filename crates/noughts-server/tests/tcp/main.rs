//! The TCP doors on real sockets.

mod limits;
mod script;
mod sessions;
mod test_server;
