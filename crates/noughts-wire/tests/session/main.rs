//! The server's session: what it answers, in every state, however the bytes are cut.

mod conversation;
mod driver;
mod errors;
mod news;
mod picture;
mod splits;
mod survival;
mod table;
mod twin;
