//! The TCP protocol of the game: messages, their encoding as bytes, and the session state machines of client and
//! server.
//!
//! - [`FromClient`] and [`FromServer`] are the messages. `decode` reads a message from bytes or fails with a
//!   [`FrameError`]; `encode` writes a message.
//! - [`Session`] is the server's side of one connection. The session checks frames. It cannot decide about
//!   seats and moves: for these, it returns a [`SessionRequest`], and the server answers with a
//!   [`SessionEvent`].
//! - [`ClientSession`] is the client's side. It turns received bytes into an [`Event`]. [`Client`] is a
//!   `ClientSession` that reads and writes a stream.
//!
//! ```
//! use noughts_wire::{Cell, Client, Event, Greeting, Name};
//! # use std::io::{self, Read, Write};
//! # struct Canned(io::Cursor<&'static [u8]>);
//! # impl Read for Canned { fn read(&mut self, b: &mut [u8]) -> io::Result<usize> { self.0.read(b) } }
//! # impl Write for Canned {
//! #     fn write(&mut self, b: &[u8]) -> io::Result<usize> { Ok(b.len()) }
//! #     fn flush(&mut self) -> io::Result<()> { Ok(()) }
//! # }
//! # let stream = Canned(io::Cursor::new(
//! #     b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x01\x05\0\0\x30\x390-0\x06\0\0\x30\x39\x01"));
//!
//! let mut client = Client::new(stream); // such as a TcpStream
//! client.hello(&Name::new("Ann")?, Greeting::Seed(12345))?;
//! assert_eq!(client.play()?, Event::Admitted { first: true });
//! let mut event = client.act(Cell::new(1, 1).unwrap())?;
//! while let Event::Played(cell) = event {
//!     println!("the server plays {cell}");
//!     event = client.act(Cell::new(1, 2).unwrap())?;
//! }
//! assert!(matches!(event, Event::Over { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate opens no socket, reads no clock and contains no rules of the game. Received bytes never cause a
//! panic, and a session buffers at most a few kilobytes of them. `docs/protocol.md` describes the protocol.

mod cell;
mod client;
mod decode;
mod encode;
mod error_code;
mod message;
mod opcode;
mod receive_buffer;
mod session;
mod text;

pub use cell::{Cell, NotACell};
pub use client::{
    Client, ClientError, ClientSession, Event, Greeting, ProtocolError, Stage, WrongStage,
    is_disconnect,
};
pub use decode::{Decoded, FrameError};
pub use error_code::ErrorCode;
pub use message::{Admission, FromClient, FromServer, GameResult, NO_CELL};
pub use opcode::{Dialect, Opcode, UnknownByte};
pub use receive_buffer::MAX_BUFFERED_BYTES;
pub use session::{
    CloseReason, GameMode, MAX_ERRORS, MoveRefusal, ReceivedError, SESSION_IDS, Session,
    SessionEvent, SessionRequest,
};
pub use text::{MAX_TEXT_BYTES, Name, Text, TextError};

/// The example in `docs/protocol.md`, run as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/protocol.md")]
struct Protocol;
