//! The trait of all strategies. A caller makes one virtual call per move, not one per search node.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use noughts_rules::{Game, Move};

use crate::analysis::Analysis;
use crate::clock::{Clock, SystemClock};

/// A way to choose moves. A strategy may keep results of one search for its next move.
pub trait Strategy: Send {
    /// Chooses a legal move for the seat to move. The game must not be over. When `stop` is set, the function
    /// returns soon, with the best move found so far.
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision;
}

/// A chosen move.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The move, always legal.
    pub at: Move,
    /// The analysis of the position, if the strategy searched.
    pub analysis: Option<Analysis>,
}

impl From<Move> for Decision {
    fn from(at: Move) -> Decision {
        Decision { at, analysis: None }
    }
}

/// A seed and a clock for a strategy.
///
/// ```
/// use noughts_engine::{EngineSetup, Stop, StrategyName};
/// use noughts_rules::{Game, Options, Variant};
///
/// let variant: Variant = "3x3k3".parse()?;
/// let game = Game::new(&variant, Options::default())?;
/// let name: StrategyName = "perfect".parse()?;
/// let mut strategy = name.build(&game, &EngineSetup::with_seed(1))?;
/// let decision = strategy.choose(&game, &Stop::new());
/// assert!(game.legal().contains(&decision.at));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct EngineSetup {
    /// The seed of the random numbers. Without a time limit, the same seed gives the same moves.
    pub seed: u64,
    /// The clock that limits thinking time.
    pub clock: Arc<dyn Clock>,
}

impl EngineSetup {
    /// A setup with this seed and the system clock.
    pub fn with_seed(seed: u64) -> EngineSetup {
        EngineSetup {
            seed,
            clock: Arc::new(SystemClock::default()),
        }
    }
}

/// A flag that asks a computation to return soon. Clones share the flag.
#[derive(Clone, Default, Debug)]
pub struct Stop(Arc<Flag>);

#[derive(Default, Debug)]
struct Flag {
    is_set: AtomicBool,
    parent: Option<Stop>,
}

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// A child of this flag. Setting the parent also sets the child, but setting the child does not set the
    /// parent. So a caller can stop one of several computations, or all of them together.
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

    /// Asks every computation with this flag or with a child of this flag to return.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }

    /// Whether this flag or one of its parents was set.
    pub fn is_set(&self) -> bool {
        let flag = &self.0;
        flag.is_set.load(Ordering::Relaxed) || flag.parent.as_ref().is_some_and(Stop::is_set)
    }
}
