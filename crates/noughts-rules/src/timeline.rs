//! A position with the plays that led to it, and the one place where a variant known at run time
//! becomes a static type.

use crate::bits::Wide;
use crate::crowd::Crowd;
use crate::grid::Grid;
use crate::nested::Nested;
use crate::place::Move;
use crate::rules::Rules;
use crate::side::Side;
use crate::variant::Variant;

/// A move made by somebody.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Play {
    /// Whose mark it is.
    pub by: Side,
    /// Where it is.
    pub at: Move,
}

/// The present, and the way back.
#[derive(Clone, Debug)]
pub struct Timeline<R: Rules> {
    rules: R,
    start: R::Position,
    plays: Vec<Play>,
    present: R::Position,
}

impl<R: Rules> Timeline<R> {
    /// From the first position on.
    pub fn new(rules: R) -> Self {
        let start = rules.start();
        Timeline::from(rules, start)
    }

    /// From a position on; nothing before it can be taken back.
    pub fn from(rules: R, start: R::Position) -> Self {
        Timeline {
            present: start.clone(),
            plays: Vec::new(),
            start,
            rules,
        }
    }

    /// The rules.
    pub fn rules(&self) -> &R {
        &self.rules
    }

    /// The position now.
    pub fn present(&self) -> &R::Position {
        &self.present
    }

    /// The position after this play; the move is legal, as for [`Rules::play`].
    pub fn after(&self, at: Move) -> R::Position {
        let mut next = self.present.clone();
        self.rules.play(&mut next, at);
        next
    }

    /// The plays that are on the board, oldest first.
    pub fn plays(&self) -> &[Play] {
        &self.plays
    }

    /// Plays for the side to move; the move is legal, as for [`Rules::play`].
    pub fn play(&mut self, at: Move) {
        let by = self.rules.to_move(&self.present);
        self.rules.play(&mut self.present, at);
        self.plays.push(Play { by, at });
    }

    /// Takes the last `count` plays back, or all there are. Whose turn it is then is for
    /// [`set_turn`](Timeline::set_turn) to say.
    pub fn take_back(&mut self, count: usize) {
        let kept = self.plays.len().saturating_sub(count);
        if kept == 0 {
            self.present.clone_from(&self.start);
        } else {
            for [before, last] in self.plays[kept - 1..].array_windows().rev() {
                self.rules.take_back(&mut self.present, last.at, before.at);
            }
        }
        self.plays.truncate(kept);
    }

    /// Makes it `side`'s turn.
    pub fn set_turn(&mut self, side: Side) {
        self.rules.set_turn(&mut self.present, side);
    }
}

/// A timeline of any variant. [`dispatch!`](crate::dispatch) calls code written once for all
/// [`Rules`] with the one that is in it: one decision a call, none a node.
#[derive(Clone, Debug)]
pub enum AnyTimeline {
    /// Two sides, to 16 bits: 3x3, 4x3, 3x4.
    Grid16(Timeline<Grid<u16, 2>>),
    /// Two sides, to 64 bits: 7x7, 9x6.
    Grid64(Timeline<Grid<u64, 2>>),
    /// Two sides, to 128 bits: 10x11.
    Grid128(Timeline<Grid<u128, 2>>),
    /// Two sides, to 256 bits: 15x15.
    Grid256(Timeline<Grid<Wide<4>, 2>>),
    /// Two sides, to 512 bits: 22x22.
    Grid512(Timeline<Grid<Wide<8>, 2>>),
    /// Three sides, to 64 bits.
    Three64(Timeline<Grid<u64, 3>>),
    /// Nine boards.
    Nested(Timeline<Nested>),
    /// Everything else.
    Crowd(Timeline<Crowd>),
}

/// Binds the timeline in an [`AnyTimeline`], by value or by reference, and evaluates the
/// expression for its static type.
///
/// ```
/// use noughts_rules::{dispatch, perft, AnyTimeline};
///
/// let any = AnyTimeline::new(&"3x3k3".parse()?);
/// let count = dispatch!(&any, timeline => perft(timeline.rules(), timeline.present(), 3));
/// assert_eq!(count, 504);
/// # Ok::<(), noughts_rules::VariantError>(())
/// ```
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
            $crate::AnyTimeline::Crowd($timeline) => $value,
        }
    };
}

impl AnyTimeline {
    /// From the variant's first position on, in the smallest form that holds it.
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
            .unwrap_or_else(|| AnyTimeline::Crowd(Timeline::new(Crowd::new(spec))))
    }
}
