//! The rules of every game of the tic-tac-toe family.
//!
//! | type | what it is |
//! |---|---|
//! | [`Variant`] | which game, parsed from text such as `7x6k4+gravity` |
//! | [`Rules`] | positions, legal moves and outcomes; implemented by [`Grid`] (boards that fit into a bit set, such as 22x22 with two sides), [`ByteGrid`] (all other single boards) and [`Nested`] (nine boards) |
//! | [`Timeline`], [`AnyTimeline`] | a position with the plays that led to it |
//! | [`Game`] | seats and turns: performs an [`Action`] or returns a [`Refusal`] |
//! | [`View`] | everything that a screen shows of a game |
//! | [`Record`] | a game as text |
//! | [`CATALOG`] | the variants that user interfaces offer by name |
//!
//! ```
//! use noughts_rules::{Conclusion, Game, Options, Seat};
//!
//! let mut game = Game::new(&"3x3k3".parse()?, Options::default())?;
//! for (turn, text) in ["1-1", "0-1", "0-0", "2-2", "1-0", "2-0", "1-2"].iter().enumerate() {
//!     let action = game.parse_action(text)?;
//!     game.act(Seat(turn as u8 % 2), action)?;
//! }
//! assert!(matches!(game.view().outcome, Some(Conclusion::Won { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate does no I/O, reads no clock, starts no thread, and does not panic on any input text.
//!
//! The feature `testing` adds two modules: `reference` is a slow second implementation of the rules, and `properties`
//! compares the fast implementations with `reference`.

mod bits;
mod byte_grid;
mod catalog;
mod clock_settings;
mod diagram;
mod game;
mod grid;
mod lines;
mod nested;
mod notation;
mod perft;
mod place;
#[cfg(feature = "testing")]
pub mod properties;
mod quote;
mod record;
#[cfg(feature = "testing")]
pub mod reference;
mod rules;
mod side;
mod symmetry;
mod timeline;
mod variant;
mod variant_name;
mod view;

pub use bits::{Bits, Wide};
pub use byte_grid::{ByteGrid, ByteGridMoves, ByteGridPosition};
pub use catalog::{CATALOG, CatalogEntry};
pub use clock_settings::{ClockError, ClockSettings};
pub use diagram::{BoardState, Diagram, DiagramError, PlayIn};
pub use game::{
    Action, Conclusion, DrawReason, Game, GameError, Options, Refusal, Seat, Termination, Turn,
    WinReason,
};
pub use grid::{Grid, GridMoves, GridPosition};
pub use nested::{LINES_3X3, Nested, NestedMoves, NestedPosition};
pub use notation::{Place, PlaceError};
pub use perft::{divide, perft};
pub use place::{Board, Move};
pub use quote::Quoted;
pub use record::{
    MAX_RECORDED_OFFERS, OfferEvent, OfferKind, OfferStep, Player, Record, RecordError, RecordSeat,
};
pub use rules::{IllegalMove, Outcome, Rules};
pub use side::{MAX_SIDES, Side, Sides};
pub use symmetry::Symmetry;
pub use timeline::{AnyTimeline, Play, Timeline};
pub use variant::{
    Goal, GridSpec, MIN_SIZE, NestedSpec, OutOfRange, Overline, Placement, Redirect, Scoring,
    Variant,
};
pub use variant_name::VariantError;
pub use view::{NestedView, View};

/// Runs the examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
