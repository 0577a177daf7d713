//! The HTTP door on real sockets.

mod client;
mod described;
mod games;
mod limits;
mod live;
mod records;
mod refusals;
mod sockets;
mod upgrade;
