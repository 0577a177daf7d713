//! Finds immediate wins, forced replies and defences, by searching for fours.

use noughts_rules::{Move, Side};

use crate::features::{Candidate, Features, Searchable};
use crate::search::vcf::only_completion;
use crate::search::{Search, WIN};

/// Node limits of a search for a VCF (victory by continuous fours): at the root, at inner nodes and at
/// leaves. A limit of 8 or 100 at leaves gave the same strength in 600 games of 15x15k5, measured without the
/// learned evaluation.
const FIRST_SEQUENCE: u64 = 400;
const INNER_SEQUENCE: u64 = 100;
pub(super) const LAST_SEQUENCE: u64 = 30;

impl<R: Searchable> Search<'_, R> {
    /// The first move of a VCF (victory by continuous fours) at the root, and the value of this move. `None` if no VCF
    /// is found.
    pub(super) fn first_by_force(&mut self) -> Option<(Move, i32)> {
        let plies = self.sequence(self.board.to_move(), FIRST_SEQUENCE)?;
        let first = self.vcf.first()?;
        Some((first, WIN - plies as i32))
    }

    /// The value for the side to move, if one or two plies decide the game; otherwise `None`.
    pub(super) fn decided_at_once(&mut self) -> Option<i32> {
        let (mover, ply) = (self.board.to_move(), self.board.ply() as i32);
        let windows = self.board.windows().filter(|_| self.seeks_fours)?;
        if !windows.lacking(mover, 1).is_empty() {
            return Some(WIN - ply - 1);
        }
        match only_completion(windows, mover.next(2)) {
            Err(()) => Some(ply + 2 - WIN),
            Ok(_) => None,
        }
    }

    /// The value for the side to move if it wins by a VCF (victory by continuous fours). `None` if no VCF is
    /// found.
    pub(super) fn win_by_force(&mut self, depth: u32) -> Option<i32> {
        let (mover, ply) = (self.board.to_move(), self.board.ply() as i32);
        let max_nodes = match depth {
            0 => LAST_SEQUENCE,
            1.. => INNER_SEQUENCE,
        };
        let plies = self.sequence(mover, max_nodes)?;
        Some(WIN - ply - plies as i32)
    }

    /// The number of plies in which `side` wins by fours only, supposing that `side` is to move. `None` if no such win
    /// is found. Ends soon after `max_nodes` nodes.
    pub(super) fn sequence(&mut self, side: Side, max_nodes: u64) -> Option<u32> {
        let left = self.nodes_left();
        let windows = self.board.windows().filter(|_| self.seeks_fours)?;
        let plies = self.vcf.wins(windows, side, max_nodes.min(left));
        self.nodes += self.vcf.take_nodes();
        plies
    }

    fn nodes_left(&self) -> u64 {
        let limit = self.context.limits.nodes.unwrap_or(u64::MAX);
        limit.saturating_sub(self.nodes)
    }

    /// An approximate value of a move for the side that plays it. The function looks only for a VCF (victory
    /// by continuous fours) of the opponent after the move. `None` if the move makes a four or fills the
    /// board, or if this search does not look for fours. If the result is `None`, the caller must play the
    /// move and search.
    pub(super) fn quick_value(&mut self, at: Move) -> Option<i32> {
        let (mover, ply) = (self.board.to_move(), self.board.ply());
        if !self.seeks_fours || ply + 1 >= self.free {
            return None;
        }
        let estimate = self.board.features_mut().try_on(mover, at);
        let quiet = self
            .board
            .windows()
            .is_some_and(|windows| windows.lacking(mover, 1).is_empty());
        let value = quiet.then(|| {
            self.nodes += 1;
            match self.sequence(mover.next(2), LAST_SEQUENCE) {
                Some(plies) => ply as i32 + 1 + plies as i32 - WIN,
                None => {
                    self.has_reached_horizon = true;
                    estimate
                }
            }
        });
        self.board.features_mut().take_off(mover, at);
        value
    }

    /// Lists defences against a VCF (victory by continuous fours) of the opponent. Lists nothing if no VCF is
    /// found.
    pub(super) fn list_defences(&mut self, list: &mut Vec<Candidate>) {
        let mover = self.board.to_move();
        let rival = mover.next(2);
        if !self.seeks_fours || self.sequence(rival, INNER_SEQUENCE).is_none() {
            return;
        }
        self.defences.clear();
        if let Some(windows) = self.board.windows() {
            self.vcf.defences(windows, rival, &mut self.defences);
        }
        self.defences.sort_unstable();
        self.defences.dedup();
        let features = self.board.features();
        list.extend(self.defences.iter().map(|at| Candidate {
            at: *at,
            move_score: features.move_score(mover, *at),
        }));
        self.note_fours();
        self.put_fours_last(list);
    }

    /// If fours have a move-ordering penalty, collects the cells where the side to move can make a four. Otherwise
    /// collects nothing. Returns the number of cells.
    pub(super) fn note_fours(&mut self) -> usize {
        let mover = self.board.to_move();
        let has_penalty = self.seeks_fours && self.board.features().four_penalty() > 0;
        self.fours.clear();
        if let Some(windows) = self.board.windows().filter(|_| has_penalty) {
            let lacking = windows.lacking(mover, 2).iter();
            let cells = lacking.flat_map(|number| windows.free(*number));
            self.fours.extend(cells);
        }
        self.fours.sort_unstable();
        self.fours.dedup();
        self.fours.len()
    }

    /// Lowers the scores of the moves that [`note_fours`](Search::note_fours) collected.
    pub(super) fn put_fours_last(&self, list: &mut [Candidate]) {
        let penalty = self.board.features().four_penalty();
        for candidate in list {
            if self.fours.contains(&candidate.at) {
                candidate.move_score -= penalty;
            }
        }
    }
}
