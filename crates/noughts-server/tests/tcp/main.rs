//! The TCP listeners, over real sockets.

mod limits;
mod script;
mod sessions;
mod still_clock;
mod test_server;
