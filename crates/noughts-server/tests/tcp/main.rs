//! The TCP listeners, over real sockets.

mod limits;
mod script;
mod sessions;
mod test_server;
