//! The HTTP door on real sockets.

mod client;
mod games;
mod live;
mod refusals;
