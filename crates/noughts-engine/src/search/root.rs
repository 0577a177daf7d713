//! The root of a search: the iterative deepening loop, and the choice of the move when a limit is reached.

use noughts_rules::Move;

use crate::analysis::Analysis;
use crate::features::{Candidate, Searchable};
use crate::search::time_management::TimeManager;
use crate::search::{DECIDED, INFINITE, LIKELY, MoveSelection, Search, SearchPurpose, doubted};
use crate::transposition_table::Bound;

impl<R: Searchable> Search<'_, R> {
    pub(super) fn run(mut self) -> Analysis {
        if let Some((first, value)) = self.first_by_force() {
            return self.report((first, value), 1);
        }
        let mut root = Vec::new();
        let listing = self.fill(&mut root, None);
        self.sort(&mut root);
        if let Some(solved) = &self.solved {
            let only = &solved.moves;
            root.retain(|candidate| only.contains(&candidate.at));
            if root.is_empty() {
                root.extend(only.iter().map(|at| Candidate {
                    at: *at,
                    move_score: 0,
                }));
            }
        }
        let mut found = (root[0].at, 0);
        let mut reached = 0;
        let deepest = self
            .context
            .limits
            .depth
            .unwrap_or(u32::MAX)
            .min(self.free as u32);
        // Values of odd and even depths differ a lot, so a search to a fixed depth increases the depth by two
        // plies each time.
        let (first, step) = match self.context.move_selection {
            MoveSelection::All => (2 - deepest % 2, 2),
            MoveSelection::Promising => (1, 1),
        };
        let mut time_manager = TimeManager::default();
        for depth in (first..=deepest).step_by(step) {
            if let Some(won) = self.vct_when_due() {
                found = won;
                break;
            }
            self.has_reached_horizon = false;
            let best = self.root(&mut root, depth);
            match best {
                // All moves that were searched before the limit lose or probably lose, so choose a move that was not
                // searched.
                Some((_, value)) if self.aborted && value < -LIKELY => {
                    found.0 = self.untried.unwrap_or(found.0);
                }
                Some((at, value)) => found = (at, doubted(value, listing)),
                None => {}
            }
            if self.aborted {
                break;
            }
            reached = depth;
            let is_known = !self.has_reached_horizon || found.1 > LIKELY || found.1 < -DECIDED;
            if is_known || self.has_no_choice(&root) || self.is_enough(&mut time_manager, found) {
                break;
            }
        }
        if let Some(won) = self.won_elsewhere().filter(|won| won.1 > found.1) {
            found = won;
        }
        self.report(found, reached)
    }

    /// Whether there is only one sensible move. Always false for `minimax` ([`MoveSelection::All`]) unless the position
    /// is solved: `minimax` searches its fixed depth, because callers need the value.
    fn has_no_choice(&self, root: &[Candidate]) -> bool {
        if let Some(solved) = &self.solved {
            return solved.moves.len() == 1;
        }
        let mut moves = self.board.rules().moves(self.board.position());
        let is_forced = self.purpose != SearchPurpose::Value && root.len() == 1;
        self.context.move_selection == MoveSelection::Promising
            && (is_forced || moves.nth(1).is_none())
    }

    /// Whether the search should stop before the next depth to save time for later moves.
    fn is_enough(&self, time_manager: &mut TimeManager, found: (Move, i32)) -> bool {
        match self.purpose {
            SearchPurpose::Move { usual: Some(usual) } => {
                !time_manager.should_search_deeper(usual, self.elapsed(), found)
            }
            SearchPurpose::Move { usual: None } | SearchPurpose::Value => false,
        }
    }

    /// Searches the root moves to the depth `depth`. Returns the best of the moves that were searched before
    /// a limit was reached, and the value of this move. The next depth searches this move first.
    pub(super) fn root(&mut self, root: &mut [Candidate], depth: u32) -> Option<(Move, i32)> {
        let mut best: Option<(Move, i32)> = None;
        for number in 0..root.len() {
            let at = root[number].at;
            let alpha = best.map_or(-INFINITE, |best| best.1);
            let mut value = match self.known_loss(at) {
                Some(value) => value,
                None => self.child(at, depth - 1, alpha, INFINITE, number == 0),
            };
            if value > alpha && value.abs() < LIKELY && !self.aborted {
                value = self.refute(at).unwrap_or(value);
            }
            if self.aborted {
                let rest = root[number..].iter().map(|candidate| candidate.at);
                self.untried = rest.into_iter().find(|at| self.known_loss(*at).is_none());
                break;
            }
            if best.is_none_or(|best| value > best.1) {
                best = Some((at, value));
                root[..=number].rotate_right(1);
            }
        }
        if let (Some((at, value)), false) = (best, self.aborted) {
            self.remember(depth, value, Bound::Exact, Some(at));
        }
        best
    }
}
