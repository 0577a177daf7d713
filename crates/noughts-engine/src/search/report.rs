//! The analysis at the end of a search.

use noughts_rules::{Move, Outcome};

use crate::analysis::{Analysis, Value};
use crate::features::{Features, Searchable};
use crate::search::{DECIDED, LIKELY, Search, WIN};
use crate::solver::GameValue;
use crate::transposition_table::Bound;

/// The estimate of a win whose distance is not known.
pub(crate) const AS_GOOD_AS_WON: i32 = 90_000;

impl<R: Searchable> Search<'_, R> {
    pub(super) fn report(mut self, (at, value): (Move, i32), depth: u32) -> Analysis {
        let plies = |value: i32| (WIN - value.abs()) as u32;
        Analysis {
            value: match value {
                _ if self.has_value(GameValue::Draw) => Value::Draw,
                _ if value > DECIDED => Value::Win {
                    plies: plies(value),
                },
                _ if value < -DECIDED => Value::Loss {
                    plies: plies(value),
                },
                _ if self.has_value(GameValue::Win) => Value::Estimate(AS_GOOD_AS_WON),
                _ if value.abs() > LIKELY => Value::Estimate(AS_GOOD_AS_WON * value.signum()),
                0 if depth > 0 && !self.has_reached_horizon && !self.aborted => Value::Draw,
                _ => Value::Estimate(value),
            },
            line: self.line(at),
            depth,
            nodes: self.nodes,
            time: self.elapsed(),
            moves: Vec::new(),
        }
    }

    fn has_value(&self, value: GameValue) -> bool {
        matches!(&self.solved, Some(solved) if solved.value == value)
    }

    /// A move that wins immediately. The function tries the legal moves, because the transposition table does
    /// not store the last plies. `None` if no move wins, or if the stop flag is set before a win is found.
    fn winning_move(&mut self) -> Option<Move> {
        let mover = self.board.to_move();
        if !self.board.features().may_win_at_once(mover) {
            return None;
        }
        let moves: Vec<Move> = self.board.rules().moves(self.board.position()).collect();
        let stop = self.context.stop;
        let before_stop = moves.into_iter().take_while(|_| !stop.is_set());
        before_stop.into_iter().find(|at| {
            self.board.play(*at);
            let outcome = self.board.outcome();
            self.board.take_back();
            matches!(outcome, Some(Outcome::Won(sides)) if sides.contains(mover))
        })
    }

    /// The principal variation that begins with `first`. The later moves come from the transposition table or
    /// win immediately.
    fn line(&mut self, first: Move) -> Vec<Move> {
        let mut line = vec![first];
        self.board.play(first);
        while self.board.outcome().is_none() && line.len() < self.free {
            let (key, symmetry) = self.key();
            let entry = self
                .context
                .table
                .get(key)
                .filter(|entry| entry.bound() == Bound::Exact);
            let known = entry.and_then(|entry| entry.best);
            let known = known.map(|at| self.board.features().unmap_move(symmetry, at));
            let Some(at) = known.or_else(|| self.winning_move()) else {
                break;
            };
            if self.board.rules().check(self.board.position(), at).is_err() {
                break;
            }
            line.push(at);
            self.board.play(at);
        }
        line
    }
}
