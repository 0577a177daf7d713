//! The client's session, and the client over a stream.

mod ends;
mod games;
#[path = "../session/picture.rs"]
mod picture;
mod sockets;
mod stages;
mod stream;
