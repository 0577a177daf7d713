//! A position with the plays that led to it. [`AnyTimeline`] selects the static type for a variant that is
//! known only at run time.

use crate::bits::Wide;
use crate::byte_grid::ByteGrid;
use crate::diagram::Diagram;
use crate::grid::Grid;
use crate::nested::Nested;
use crate::perft::{divide, perft};
use crate::place::Move;
use crate::rules::{Outcome, Rules};
use crate::side::Side;
use crate::variant::Variant;

/// A mark on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Play {
    /// The side that owns the mark.
    pub by: Side,
    /// The cell of the mark.
    pub at: Move,
}

/// A position with the plays that led to it, so that plays can be taken back.
#[derive(Clone, Debug)]
pub struct Timeline<R: Rules> {
    rules: R,
    /// The position at which the timeline starts; `None` means the variant's first position.
    start: Option<R::Position>,
    plays: Vec<Play>,
    present: R::Position,
}

impl<R: Rules> Timeline<R> {
    /// A timeline that starts at the variant's first position.
    pub fn new(rules: R) -> Self {
        Timeline {
            present: rules.start(),
            plays: Vec::new(),
            start: None,
            rules,
        }
    }

    /// A timeline that starts at the position `start`. Plays before `start` cannot be taken back.
    pub fn from_position(rules: R, start: R::Position) -> Self {
        Timeline {
            present: start.clone(),
            plays: Vec::new(),
            start: Some(start),
            rules,
        }
    }

    /// The rules.
    pub fn rules(&self) -> &R {
        &self.rules
    }

    /// The present position.
    pub fn present(&self) -> &R::Position {
        &self.present
    }

    /// The position after a move, which must be legal.
    pub fn after(&self, at: Move) -> R::Position {
        let mut next = self.present.clone();
        self.rules.play(&mut next, at);
        next
    }

    /// The plays whose marks are on the board, oldest first.
    pub fn plays(&self) -> &[Play] {
        &self.plays
    }

    /// Plays a move, which must be legal.
    pub fn play(&mut self, at: Move) {
        let by = self.rules.to_move(&self.present);
        self.rules.play(&mut self.present, at);
        self.plays.push(Play { by, at });
    }

    /// Takes back the last `count` plays, or all plays if there are fewer. Afterwards the caller must set the side to
    /// move with [`set_turn`](Timeline::set_turn).
    pub fn take_back(&mut self, count: usize) {
        let kept = self.plays.len().saturating_sub(count);
        if kept == 0 {
            match &self.start {
                Some(start) => self.present.clone_from(start),
                None => self.present = self.rules.start(),
            }
        } else {
            for [before, last] in self.plays[kept - 1..].array_windows().rev() {
                self.rules.take_back(&mut self.present, last.at, before.at);
            }
        }
        self.plays.truncate(kept);
    }

    /// Sets the side to move.
    pub fn set_turn(&mut self, side: Side) {
        self.rules.set_turn(&mut self.present, side);
    }
}

/// A timeline of a variant that is known only at run time.
///
/// Each alternative of this enum holds a timeline with a different position type. The alternatives are not
/// part of the public interface. The macro `dispatch!` matches on them, so that generic code chooses the type
/// once per call, not once per search node.
///
/// ```
/// use noughts_rules::AnyTimeline;
///
/// let connect_four = AnyTimeline::new(&"7x6k4+gravity".parse()?);
/// assert_eq!(connect_four.perft(4), 2401);
/// # Ok::<(), noughts_rules::VariantError>(())
/// ```
#[derive(Clone, Debug)]
pub enum AnyTimeline {
    /// Two sides, at most 16 bits per side: 3x3, 4x3, 3x4.
    #[doc(hidden)]
    Grid16(Timeline<Grid<u16, 2>>),
    /// Two sides, at most 64 bits per side, such as 7x7 and 9x6.
    #[doc(hidden)]
    Grid64(Timeline<Grid<u64, 2>>),
    /// Two sides, at most 128 bits per side, such as 10x11.
    #[doc(hidden)]
    Grid128(Timeline<Grid<u128, 2>>),
    /// Two sides, at most 256 bits per side, such as 15x15.
    #[doc(hidden)]
    Grid256(Timeline<Grid<Wide<4>, 2>>),
    /// Two sides, at most 512 bits per side, such as 22x22.
    #[doc(hidden)]
    Grid512(Timeline<Grid<Wide<8>, 2>>),
    /// Three sides, at most 64 bits per side.
    #[doc(hidden)]
    Three64(Timeline<Grid<u64, 3>>),
    /// Nine boards.
    #[doc(hidden)]
    Nested(Timeline<Nested>),
    /// All other grids.
    #[doc(hidden)]
    ByteGrid(Timeline<ByteGrid>),
}

/// Evaluates an expression with the timeline that an [`AnyTimeline`] holds. Inside the expression, the
/// timeline has its static type. The macro accepts an [`AnyTimeline`] by value or by reference. Only the
/// crates of this workspace may use the macro. Other callers use the methods of [`AnyTimeline`].
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch {
    ($any:expr, $timeline:ident => $value:expr) => {
        match $any {
            $crate::AnyTimeline::Grid16($timeline) => $value,
            $crate::AnyTimeline::Grid64($timeline) => $value,
            $crate::AnyTimeline::Grid128($timeline) => $value,
            $crate::AnyTimeline::Grid256($timeline) => $value,
            $crate::AnyTimeline::Grid512($timeline) => $value,
            $crate::AnyTimeline::Three64($timeline) => $value,
            $crate::AnyTimeline::Nested($timeline) => $value,
            $crate::AnyTimeline::ByteGrid($timeline) => $value,
        }
    };
}

impl AnyTimeline {
    /// A timeline that starts at the variant's first position, in the smallest representation with enough room.
    pub fn new(variant: &Variant) -> AnyTimeline {
        let spec = match variant {
            Variant::Nested(spec) => return AnyTimeline::Nested(Timeline::new(Nested::new(*spec))),
            Variant::Grid(spec) => *spec,
        };
        None.or_else(|| Grid::new(spec).map(Timeline::new).map(AnyTimeline::Grid16))
            .or_else(|| Grid::new(spec).map(Timeline::new).map(AnyTimeline::Grid64))
            .or_else(|| Grid::new(spec).map(Timeline::new).map(AnyTimeline::Grid128))
            .or_else(|| Grid::new(spec).map(Timeline::new).map(AnyTimeline::Grid256))
            .or_else(|| Grid::new(spec).map(Timeline::new).map(AnyTimeline::Grid512))
            .or_else(|| Grid::new(spec).map(Timeline::new).map(AnyTimeline::Three64))
            .unwrap_or_else(|| AnyTimeline::ByteGrid(Timeline::new(ByteGrid::new(spec))))
    }
    /// Counts the move sequences of length `depth` from the present position: see
    /// [`perft`](crate::perft()).
    pub fn perft(&self, depth: u32) -> u64 {
        dispatch!(self, timeline => perft(timeline.rules(), timeline.present(), depth))
    }

    /// Like [`perft`](AnyTimeline::perft), but with a separate count for each first move.
    pub fn divide(&self, depth: u32) -> Vec<(Move, u64)> {
        dispatch!(self, timeline => divide(timeline.rules(), timeline.present(), depth))
    }

    /// The present position as plain data.
    pub fn diagram(&self) -> Diagram {
        dispatch!(self, timeline => timeline.rules().diagram(timeline.present()))
    }

    /// The outcome of a position that [`Diagram::check`] accepts for this variant; `None` while
    /// the game goes on.
    pub fn outcome_of(&self, diagram: &Diagram) -> Option<Outcome> {
        dispatch!(self, timeline => {
            let rules = timeline.rules();
            rules.outcome(&rules.set_up(diagram))
        })
    }
}
