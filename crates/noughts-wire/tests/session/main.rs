//! The server's session: what it answers, in every state, however the bytes are cut.

mod conversation;
mod driver;
mod errors;
mod events;
mod picture;
mod reference;
mod splits;
mod survival;
mod table;
