//! What may happen in every game of the tic-tac-toe family.
//!
//! The way through: a text becomes a [`Variant`], checked once. A variant, executable, is
//! [`Rules`]: positions, legal moves, outcomes. There are three families of rules, [`Grid`] for
//! boards that fit into a few words, [`Crowd`] for all larger ones, [`Nested`] for nine boards.
//! [`Timeline`] adds the way back, [`AnyTimeline`] hides which family it is. A [`Game`] adds seats
//! and turns: it takes an [`Action`] or gives a [`Refusal`], and shows a [`View`]. A [`Record`]
//! is a game as text.
//!
//! ```
//! use noughts_rules::{Conclusion, Game, Options, Seat};
//!
//! let mut game = Game::new(&"3x3k3".parse()?, Options::default())?;
//! for (turn, text) in ["1-1", "0-1", "0-0", "2-2", "1-0", "2-0", "1-2"].iter().enumerate() {
//!     let action = game.read(text)?;
//!     game.act(Seat(turn as u8 % 2), action)?;
//! }
//! assert!(matches!(game.view().outcome, Some(Conclusion::Won { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here does I/O, knows a clock, starts a thread or panics on what a stranger wrote.

mod bits;
mod crowd;
mod diagram;
mod game;
mod grid;
pub mod laws;
mod lines;
mod name;
mod nested;
mod notation;
mod perft;
mod place;
mod quote;
mod record;
mod rules;
mod side;
mod symmetry;
mod timeline;
pub mod twin;
mod variant;
mod view;

pub use bits::{Bits, Wide};
pub use crowd::{Crowd, CrowdMoves, CrowdPosition};
pub use diagram::{BoardState, Diagram, Impossible, PlayIn};
pub use game::{Action, By, Conclusion, Game, GameError, Options, Refusal, Seat, Turn};
pub use grid::{Grid, GridMoves, GridPosition};
pub use name::VariantError;
pub use nested::{Nested, NestedMoves, NestedPosition};
pub use notation::{Place, PlaceError};
pub use perft::{divide, perft};
pub use place::{Board, Move};
pub use quote::Quoted;
pub use record::{Player, Record, RecordError, RecordSeat};
pub use rules::{Illegal, Outcome, Rules};
pub use side::{MOST_SIDES, Side, Sides};
pub use symmetry::Symmetry;
pub use timeline::{AnyTimeline, Play, Timeline};
pub use variant::{
    Goal, GridSpec, LEAST, NestedSpec, OutOfRange, Overline, Placement, Redirect, Scoring, Variant,
};
pub use view::{NestedView, View};

/// The README's examples, compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
