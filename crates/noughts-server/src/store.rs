//! Where games last: append-only turns, each under its game and number.
//!
//! That key is the lock, for one process and for fifty: of two that write the same turn one is
//! told that somebody was first.

mod memory;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use noughts_rules::Turn;

use crate::id::GameId;
use crate::table::{Leavers, Setting};

pub use memory::Memory;

/// A store's answer, when it comes.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where games last. When an answer says that something is stored, it is as durable as the store
/// makes things.
pub trait Store: Send + Sync + 'static {
    /// A new game, under an id that no other has.
    fn create(&self, setting: Setting) -> Answer<'_, ()>;

    /// Turn `number` of a game, counted from 1, whose predecessor is stored.
    fn append(&self, game: GameId, number: usize, turn: Turn) -> Answer<'_, Appended>;

    /// These left and ended the game, after turn `number`.
    fn leave(&self, game: GameId, number: usize, leavers: Leavers) -> Answer<'_, Appended>;

    /// The game has ended, by its turns or because somebody left: it may be kept as finished
    /// games are kept.
    fn finish(&self, game: GameId) -> Answer<'_, ()>;

    /// Everything of a game; `None` where there is no such game.
    fn load(&self, game: GameId) -> Answer<'_, Option<StoredGame>>;
}

/// What became of something that was to be appended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Appended {
    /// It is stored.
    Stored,
    /// Somebody else was first: this one is not stored, that other one is.
    Taken,
}

/// A game as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    /// How the table was laid.
    pub setting: Setting,
    /// Every turn, oldest first.
    pub turns: Vec<Turn>,
    /// Who ended it by leaving.
    pub left: Option<Leavers>,
}

/// The store can't be reached, or can't take more. Nothing was stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreError(pub String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store does not answer: {}", self.0)
    }
}

impl std::error::Error for StoreError {}
