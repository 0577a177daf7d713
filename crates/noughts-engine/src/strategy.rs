//! How a robot chooses: one virtual call a move, none a node.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use noughts_rules::{Game, Move};

use crate::analysis::Analysis;
use crate::clock::{Clock, SystemClock};

/// A way to choose a move. It keeps what it learned from one move to the next.
pub trait Strategy: Send {
    /// Chooses a legal move for the seat to move, in a game that goes on. When told to stop it
    /// answers at once with the best it has.
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision;
}

/// What was chosen, and why where the strategy knows.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The move, always legal.
    pub at: Move,
    /// What it is worth.
    pub analysis: Option<Analysis>,
}

impl From<Move> for Decision {
    fn from(at: Move) -> Decision {
        Decision { at, analysis: None }
    }
}

/// What a strategy is given from outside.
#[derive(Clone)]
pub struct EngineSetup {
    /// The same seed, the same game, but where a clock decides.
    pub seed: u64,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

impl EngineSetup {
    /// With the real clock.
    pub fn with_seed(seed: u64) -> EngineSetup {
        EngineSetup {
            seed,
            clock: Arc::new(SystemClock::default()),
        }
    }
}

/// Tells whoever thinks to answer now. Clones tell one another.
#[derive(Clone, Default, Debug)]
pub struct Stop(Arc<Flag>);

#[derive(Default, Debug)]
struct Flag {
    is_set: AtomicBool,
    parent: Option<Stop>,
}

impl Stop {
    /// One that nobody has used yet.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// A stop that is also set when this one is. Setting it does not set this one: a deadline can end one
    /// computation of many that share a stop.
    ///
    /// ```
    /// use noughts_engine::Stop;
    ///
    /// let shutdown = Stop::new();
    /// let (one, other) = (shutdown.child(), shutdown.child());
    /// one.set();
    /// assert!(one.is_set() && !other.is_set() && !shutdown.is_set());
    /// shutdown.set();
    /// assert!(other.is_set());
    /// ```
    #[must_use]
    pub fn child(&self) -> Stop {
        Stop(Arc::new(Flag {
            is_set: AtomicBool::new(false),
            parent: Some(self.clone()),
        }))
    }

    /// Asks for an answer now.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }

    /// Whether an answer is wanted now.
    pub fn is_set(&self) -> bool {
        let flag = &self.0;
        flag.is_set.load(Ordering::Relaxed) || flag.parent.as_ref().is_some_and(Stop::is_set)
    }
}
