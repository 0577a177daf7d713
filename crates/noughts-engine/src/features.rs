//! What only search needs of a position: a hash, an estimate, an order of moves.

pub(crate) mod grid;
pub(crate) mod nested;
// Training reads more of it than play does.
#[cfg_attr(not(feature = "training"), allow(unreachable_pub, dead_code))]
pub mod patterns;
pub(crate) mod windows;

use noughts_rules::{Bits, ByteGrid, Grid, Move, Nested, Rules, Side, Variant};

use crate::features::grid::GridFeatures;
use crate::features::nested::NestedFeatures;
use crate::features::windows::Windows;

/// Rules that can be searched.
pub(crate) trait Searchable: Rules {
    /// Kept beside the position, play by play.
    type Features: Features<Self>;

    /// The features of a position.
    fn features(&self, position: &Self::Position) -> Self::Features;
}

/// A move with how promising it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    pub(crate) at: Move,
    pub(crate) promise: i32,
}

/// What is known of a position beyond its rules. Everything is the same for boards that are laid
/// differently but equal, so that the table may take one for the other.
pub(crate) trait Features<R: Rules>: Clone + Send {
    /// `by` puts a mark at `at`.
    fn play(&mut self, by: Side, at: Move);

    /// The latest mark, which `by` has at `at`, is taken off again.
    fn take_back(&mut self, by: Side, at: Move);

    /// A number for the position, equal for symmetric ones, and which symmetry it was read by.
    fn key(&self, position: &R::Position) -> (u64, usize);

    /// A move as seen in that symmetry.
    fn lay(&self, symmetry: usize, at: Move) -> Move;

    /// And back.
    fn unlay(&self, symmetry: usize, at: Move) -> Move;

    /// How much better `me` stands than the best of the others, who is to move known. Below
    /// 100 000 either way.
    fn estimate(&self, rules: &R, position: &R::Position, me: Side) -> i32;

    /// The best that [`estimate`](Features::estimate) would say to the mover after one move, and how
    /// many moves were looked at, for those who can tell without playing them; as soon as it is
    /// `enough` the rest may be left out. `None`: play and see.
    fn best_after(&self, _rules: &R, _position: &R::Position, _enough: i32) -> Option<(i32, u64)> {
        None
    }

    /// The moves worth looking at for the side to move, all legal, at least one, with what they
    /// promise: on a large board `most` of them, the most promising. True where none was left out.
    fn candidates(
        &self,
        rules: &R,
        position: &R::Position,
        most: usize,
        into: &mut Vec<Candidate>,
    ) -> bool;

    /// What a move promises to a side.
    fn promise(&self, _side: Side, _at: Move) -> i32 {
        0
    }

    /// How much less a move that makes a four promises than it seems to.
    fn spent_four(&self) -> i32 {
        0
    }

    /// Moves of which one must be played: those that win, or else those that keep `rival` from
    /// winning with the very next move; empty where nothing is forced.
    fn forced(
        &self,
        rules: &R,
        position: &R::Position,
        rival: Option<Side>,
        into: &mut Vec<Candidate>,
    );

    /// Moves that may make a threat of `side`, with what they promise to it.
    fn attacks(&self, _side: Side, _into: &mut Vec<Candidate>) {}

    /// Whether this side wins with its next move, unless it is stopped.
    fn threatens(&self, _side: Side) -> bool {
        false
    }

    /// False only where no move of this side can win at once: then nobody need play them all to find out.
    fn may_win_at_once(&self, _side: Side) -> bool {
        true
    }

    /// Puts a mark into the [`windows`](Features::windows) alone, which is much quicker than to play
    /// it, and says what would be estimated then for `by`, if nobody has a four.
    fn try_on(&mut self, _by: Side, _at: Move) -> i32 {
        0
    }

    /// Takes it off again.
    fn take_off(&mut self, _by: Side, _at: Move) {}

    /// The windows of a game in which fours force replies, for two sides who take turns.
    fn windows(&mut self) -> Option<&mut Windows> {
        None
    }

    /// Whether nobody can win any more, so that all that follows is a draw.
    fn is_dead(&self) -> bool;

    /// Whether this side can still win.
    fn can_win(&self, side: Side) -> bool;
}

impl<B: Bits, const P: usize> Searchable for Grid<B, P> {
    type Features = GridFeatures;

    fn features(&self, position: &Self::Position) -> GridFeatures {
        GridFeatures::new(self, position)
    }
}

impl Searchable for ByteGrid {
    type Features = GridFeatures;

    fn features(&self, position: &Self::Position) -> GridFeatures {
        GridFeatures::new(self, position)
    }
}

impl Searchable for Nested {
    type Features = NestedFeatures;

    fn features(&self, position: &Self::Position) -> NestedFeatures {
        let Variant::Nested(spec) = self.variant() else {
            unreachable!("nested rules have a nested variant");
        };
        NestedFeatures::new(spec, position)
    }
}
