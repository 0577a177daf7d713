//! The value of a position and moves that keep this value, for robots.

use noughts_rules::Move;

use super::dfpn::Dfpn;
use super::proof_writer::ProvablePosition;
use super::{GameValue, Solver};
use crate::clock::Clock;
use crate::strategy::Stop;

/// The value of a position and moves that keep this value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SolvedPosition {
    pub(crate) value: GameValue,
    /// The moves that are known to keep the value, at least one. Other moves may keep the value too.
    pub(crate) moves: Vec<Move>,
}

impl Solver {
    /// The value and moves that keep this value. `None` if the budget does not suffice, or if the position is lost.
    /// Also returns the number of searched positions.
    pub(crate) fn solve_moves(
        &mut self,
        stop: &Stop,
        clock: &dyn Clock,
    ) -> (Option<SolvedPosition>, u64) {
        let from = self.nodes;
        self.decide(stop, clock, &mut |_| {});
        let mut used = self.nodes - from;
        if self.at_least != self.at_most {
            return (None, used);
        }
        let (me, value) = (self.start.to_move, self.at_least);
        let all = self.budget.nodes.unwrap_or(u64::MAX);
        let mut left = all.saturating_sub(used).min(MAX_MORE_NODES);
        let before = left;
        let moves = match value {
            GameValue::Win => self.moves_that_keep(me, true, &mut left, stop),
            GameValue::Draw => self.moves_that_keep(me.next(2), false, &mut left, stop),
            GameValue::Loss => Vec::new(),
        };
        used += before - left;
        let verdict = (!moves.is_empty()).then_some(SolvedPosition { value, moves });
        (verdict, used)
    }
}

/// With `wins`, the moves after which the attacker is known to win. Without `wins`, the moves after which the attacker
/// is known not to win.
pub(super) fn moves_that_keep<P: ProvablePosition>(
    dfpn: &mut Dfpn<'_, P>,
    wins: bool,
) -> Vec<Move> {
    let mut moves = dfpn.position.all_moves();
    moves.retain(|at| {
        dfpn.position.play(*at);
        let known = match dfpn.position.is_obvious(wins) {
            true => Some(wins),
            false => dfpn.known().or_else(|| dfpn.answer()),
        };
        dfpn.position.take_back(*at);
        known == Some(wins)
    });
    moves
}

/// Maximum number of further nodes that the solver searches for moves that keep the value.
const MAX_MORE_NODES: u64 = 4096;
