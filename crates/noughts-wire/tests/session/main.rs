//! The server's session: its answers in every state, however the bytes are split.

mod conversation;
mod driver;
mod errors;
mod events;
mod picture;
mod reference;
mod splits;
mod survival;
mod table;
