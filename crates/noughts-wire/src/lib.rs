//! The TCP protocol: bytes to messages and back, and the sessions of both ends.
//!
//! The way through: bytes become a [`FromClient`] or a [`FromServer`] by `decode`, or are no frame, which
//! is [`Malformed`]; `encode` goes back. A [`Session`] is the server's side of one connection: it judges
//! frames, and asks the outside ([`Ask`]) for what it can't know, seats and moves; the outside answers
//! with [`News`]. A [`ClientSession`] is the other side, and makes an [`Event`] of everything that
//! happens; [`Client`] is the same over a stream that reads and writes.
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
//! let mut client = Client::new(stream); // a TcpStream, say
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
//! Nothing here opens a socket, knows a clock or a rule of the game, panics on what a stranger sent, or
//! keeps more than a few kilobytes of it. The protocol in words: `docs/protocol.md`.

mod cell;
mod client;
mod complaint;
mod decode;
mod encode;
mod held;
mod message;
mod opcode;
mod session;
mod text;

pub use cell::Cell;
pub use client::{
    Client, ClientError, ClientSession, Event, Fault, Greeting, NotNow, Stage, is_end,
};
pub use complaint::Complaint;
pub use decode::{Decoded, Malformed};
pub use held::MOST_HELD;
pub use message::{Admission, FromClient, FromServer, NO_CELL, Verdict};
pub use opcode::{Dialect, Opcode};
pub use session::{Ask, Door, Heard, IDS, MOST_ERRORS, News, Refused, Session, Why};
pub use text::{MOST_BYTES, Name, Text, TextError};

/// The example of the protocol's page, compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/protocol.md")]
struct Protocol;
