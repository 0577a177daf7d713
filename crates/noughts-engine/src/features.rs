//! The features of a position: a hash, an estimate of the value, and an order of the moves. A search needs
//! these features in addition to the rules.

pub(crate) mod grid;
pub(crate) mod nested;
// Public, because the training program uses items of this module that no strategy uses.
#[cfg_attr(not(feature = "training"), allow(unreachable_pub, dead_code))]
pub mod patterns;
pub(crate) mod windows;

use noughts_rules::{Bits, ByteGrid, Grid, Move, Nested, Rules, Side, Variant};

use crate::features::grid::GridFeatures;
use crate::features::nested::NestedFeatures;
use crate::features::windows::Windows;

/// The rules of a game for which a search has features.
pub(crate) trait Searchable: Rules {
    /// The type of the features. A search updates them with every move.
    type Features: Features<Self>;

    fn features(&self, position: &Self::Position) -> Self::Features;
}

/// A move and its score for move ordering. A move with a higher score is more promising.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    pub(crate) at: Move,
    pub(crate) move_score: i32,
}

/// The features of a position, updated with every move.
pub(crate) trait Features<R: Rules>: Clone + Send {
    /// Adds a mark.
    fn play(&mut self, by: Side, at: Move);

    /// Removes the latest mark.
    fn take_back(&mut self, by: Side, at: Move);

    /// A hash, and the symmetry that maps this position to the position that was hashed. Except on large
    /// grids, symmetric positions have the same hash, so they share an entry of the transposition table.
    fn key(&self, position: &R::Position) -> (u64, usize);

    /// The move to which a symmetry maps the move `at`. `symmetry` is a number that [`key`](Features::key)
    /// returned.
    fn map_move(&self, symmetry: usize, at: Move) -> Move;

    /// The inverse of [`map_move`](Features::map_move).
    fn unmap_move(&self, symmetry: usize, at: Move) -> Move;

    /// How much better the position is for `me` than for its best opponent, from -100 000 to 100 000. Except
    /// in misère games, the estimate depends on the side to move.
    fn estimate(&self, rules: &R, position: &R::Position, me: Side) -> i32;

    /// The best [`estimate`](Features::estimate) that the side to move can reach with one move, and the
    /// number of moves considered. The function does not play the moves, and may return as soon as a move
    /// reaches `enough`, before it has considered all moves. `None` if the game or the position does not
    /// support this shortcut.
    fn best_after(&self, _rules: &R, _position: &R::Position, _enough: i32) -> Option<(i32, u64)> {
        None
    }

    /// Lists at least one legal move to search. On a large board with marks, lists at most `max_moves` moves: the most
    /// promising moves near a mark. If no cell near a mark is playable, lists all legal moves. Returns true only if all
    /// legal moves are listed.
    fn candidates(
        &self,
        rules: &R,
        position: &R::Position,
        max_moves: usize,
        into: &mut Vec<Candidate>,
    ) -> bool;

    /// The score of a move for a side, used for move ordering.
    fn move_score(&self, _side: Side, _at: Move) -> i32 {
        0
    }

    /// The number by which move ordering lowers the score of a move that makes a four (a line that lacks one mark).
    fn four_penalty(&self) -> i32 {
        0
    }

    /// Lists the forced moves. If the side to move can win with its next move, the forced moves are the
    /// winning moves. Otherwise the forced moves are in the cells where `rival` could win with its next move.
    /// If no move is forced, the list stays empty. With gravity, in misère games and on nine boards, the list
    /// always stays empty.
    fn forced(
        &self,
        rules: &R,
        position: &R::Position,
        rival: Option<Side>,
        into: &mut Vec<Candidate>,
    );

    /// Lists moves that may create a threat of `side`.
    fn attacks(&self, _side: Side, _into: &mut Vec<Candidate>) {}

    /// Whether this side threatens to win with its next move. Always false with gravity, in misère games and on nine
    /// boards.
    fn threatens(&self, _side: Side) -> bool {
        false
    }

    /// If false, no move of this side wins immediately. If true, a move may win.
    fn may_win_at_once(&self, _side: Side) -> bool {
        true
    }

    /// Adds a mark to the [`windows`](Features::windows) only, and returns the estimate for `by`. `try_on` is
    /// much faster than `play`. The estimate is valid only if no side has a four (a line that lacks one
    /// mark).
    fn try_on(&mut self, _by: Side, _at: Move) -> i32 {
        0
    }

    /// Undoes [`try_on`](Features::try_on).
    fn take_off(&mut self, _by: Side, _at: Move) {}

    /// The windows (K cells in a line) and their marks; `None` in games without a search for sequences of fours.
    fn windows(&mut self) -> Option<&mut Windows> {
        None
    }

    /// True only if no side can win any more. Always false on nine boards.
    fn is_dead(&self) -> bool;

    /// If false, this side can no longer win. Always true on nine boards.
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
