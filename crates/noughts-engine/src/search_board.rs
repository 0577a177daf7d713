//! The board of a search. It plays moves, takes them back, and updates the features and the turn order.

use noughts_rules::{Game, Move, Outcome, Side, Timeline};

use crate::features::windows::Windows;
use crate::features::{Features, Searchable};

#[derive(Clone)]
pub(crate) struct SearchBoard<R: Searchable> {
    rules: R,
    position: R::Position,
    /// The position before each move since the root. If copying a position is expensive, the list has only
    /// the root position.
    before: Vec<R::Position>,
    features: R::Features,
    /// The side of each seat, in the order of turns, and the index of the seat to move.
    order: Vec<Side>,
    seat: usize,
    /// Whether each side has one seat and the sides move in their normal order. If so, the rules alone determine
    /// whose turn it is.
    regular: bool,
    path: Vec<Move>,
}

impl<R: Searchable> SearchBoard<R> {
    pub(crate) fn new(game: &Game, timeline: &Timeline<R>) -> SearchBoard<R> {
        let rules = timeline.rules().clone();
        let order = game.order().to_vec();
        let regular = order
            .iter()
            .enumerate()
            .all(|(seat, side)| side.index() == seat);
        SearchBoard {
            features: rules.features(timeline.present()),
            position: timeline.present().clone(),
            before: Vec::new(),
            seat: game.to_move().map_or(0, |seat| seat.0.into()),
            path: Vec::new(),
            regular,
            order,
            rules,
        }
    }

    pub(crate) fn rules(&self) -> &R {
        &self.rules
    }

    pub(crate) fn position(&self) -> &R::Position {
        &self.position
    }

    pub(crate) fn features(&self) -> &R::Features {
        &self.features
    }

    /// The windows (K cells in a line). `Some` only if fours force replies in this game and two sides take
    /// turns.
    pub(crate) fn windows(&mut self) -> Option<&mut Windows> {
        if self.regular && self.order.len() == 2 {
            self.features.windows()
        } else {
            None
        }
    }

    pub(crate) fn features_mut(&mut self) -> &mut R::Features {
        &mut self.features
    }

    pub(crate) fn to_move(&self) -> Side {
        self.order[self.seat]
    }

    /// The side that moves after the side to move.
    pub(crate) fn next_to_move(&self) -> Side {
        self.order[(self.seat + 1) % self.order.len()]
    }

    /// The number of moves since the root.
    pub(crate) fn ply(&self) -> usize {
        self.path.len()
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.rules.outcome(&self.position)
    }

    /// A hash of the position and the seat to move, and the symmetry for which the hash was computed.
    pub(crate) fn key(&self) -> (u64, usize) {
        let (key, symmetry) = self.features.key(&self.position);
        // The constant makes the key depend on the seat to move. Any odd constant works.
        (
            key ^ (self.seat as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93),
            symmetry,
        )
    }

    /// Whether a position owns no heap memory. If so, copying the position is faster than taking back a move.
    const COPIES: bool = !std::mem::needs_drop::<R::Position>();

    #[inline]
    pub(crate) fn play(&mut self, at: Move) {
        if Self::COPIES || self.path.is_empty() {
            self.before.push(self.position.clone());
        }
        self.features.play(self.order[self.seat], at);
        self.rules.play(&mut self.position, at);
        self.path.push(at);
        self.seat = match self.seat + 1 {
            after if after == self.order.len() => 0,
            after => after,
        };
        if !self.regular {
            self.rules
                .set_turn(&mut self.position, self.order[self.seat]);
        }
    }

    /// Takes back the latest play.
    #[inline]
    pub(crate) fn take_back(&mut self) {
        let Some(at) = self.path.pop() else { return };
        self.seat = self.seat.checked_sub(1).unwrap_or(self.order.len() - 1);
        let side = self.order[self.seat];
        self.features.take_back(side, at);
        match self.path.last() {
            Some(before) if !Self::COPIES => {
                self.rules.take_back(&mut self.position, at, *before);
                self.rules.set_turn(&mut self.position, side);
            }
            Some(_) | None => {
                if let Some(before) = self.before.pop() {
                    self.position = before;
                }
            }
        }
    }
}
