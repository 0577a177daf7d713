//! Victory by continuous fours (VCF).
//!
//! A *four* is a window that lacks one mark. The opponent has a single reply to a four, so two fours made by
//! one move win. The attacker plays only fours. So the search for a sequence of twenty plies takes only a few
//! hundred nodes, and every win that the search finds is certain. This search is used only for two sides that
//! take turns, in games where every empty cell may be played and every completed window wins.

use noughts_rules::{Move, Side};

use crate::features::windows::Windows;

/// Maximum number of fours in a sequence.
const MAX_FOURS: usize = 24;

/// Number of slots of the table `failed`: positions without a VCF (victory by continuous fours).
const FAILED_SLOTS: usize = 1 << 13;

/// A search for a VCF (victory by continuous fours). Callers use one `VcfSearch` for many searches, to reuse
/// its memory.
pub(crate) struct VcfSearch {
    /// The fours of the current sequence, each with the reply that the four forces.
    line: Vec<(Move, Move)>,
    /// The end of a winning sequence: the move that completes a line, or the move that makes two fours and the two
    /// cells that complete them.
    last: Vec<Move>,
    /// The fours to try, each with the reply that the four forces. All plies share this stack.
    fours: Vec<(Move, Move)>,
    /// Keys of positions without a VCF.
    failed: Vec<u64>,
    left: u64,
    nodes: u64,
}

impl VcfSearch {
    pub(crate) fn new() -> VcfSearch {
        VcfSearch {
            line: Vec::with_capacity(MAX_FOURS),
            last: Vec::new(),
            fours: Vec::new(),
            failed: vec![0; FAILED_SLOTS],
            left: 0,
            nodes: 0,
        }
    }

    /// Nodes searched since the previous call.
    pub(crate) fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }

    /// The number of plies in which `side` wins by fours only, supposing that `side` is to move. `None` if no such win
    /// is found. Ends soon after `max_nodes` nodes.
    pub(crate) fn wins(
        &mut self,
        windows: &mut Windows,
        side: Side,
        max_nodes: u64,
    ) -> Option<u32> {
        self.line.clear();
        self.last.clear();
        self.fours.clear();
        if windows.lacking(side, 1).is_empty() && windows.lacking(side, 2).is_empty() {
            return None;
        }
        self.left = max_nodes;
        self.attack(windows, side).then(|| {
            let fours = self.line.len() as u32;
            2 * fours + if self.last.len() == 1 { 1 } else { 3 }
        })
    }

    /// The first move of the latest sequence found.
    pub(crate) fn first(&self) -> Option<Move> {
        let of_line = self.line.first().map(|four| four.0);
        of_line.or_else(|| self.last.first().copied())
    }

    /// Lists the moves with which the opponent of `side` may break the latest sequence found: the cells of
    /// the sequence, cells that turn a forced reply into a four of the opponent, and cells where the opponent
    /// makes a four. All other moves lose. A cell may be listed twice. The board must be in the position that
    /// was searched.
    pub(crate) fn defences(&self, windows: &Windows, side: Side, into: &mut Vec<Move>) {
        let (line, rival) = (windows.line(), side.next(2));
        into.extend(self.line.iter().flat_map(|four| [four.0, four.1]));
        into.extend(&self.last);
        for number in windows.lacking(rival, 2) {
            into.extend(windows.free(*number));
        }
        for (_, reply) in &self.line {
            windows.through(*reply, |counts, window| {
                let is_reply = |cell: &usize| self.line.iter().any(|four| four.1.index() == *cell);
                let replies = window.cells(line).filter(is_reply).count();
                let theirs = usize::from(counts[rival.index()]);
                if counts[side.index()] == 0 && theirs + replies + 2 >= line {
                    let free = window.cells(line).filter(|cell| windows.is_free(*cell));
                    into.extend(free.map(Move::at));
                }
            });
        }
    }

    /// Whether `side` wins by fours from the current position, with `side` to move.
    fn attack(&mut self, windows: &mut Windows, side: Side) -> bool {
        self.nodes += 1;
        self.left = self.left.saturating_sub(1);
        if let Some(number) = windows.lacking(side, 1).first() {
            self.last.extend(windows.free(*number));
            return true;
        }
        // The constant makes the key depend on the side to move. Any odd constant works.
        let key = windows.hash() ^ (side.index() as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let place = key as usize % FAILED_SLOTS;
        if self.left == 0 || self.line.len() == MAX_FOURS || self.failed[place] == key {
            return false;
        }
        let rival = side.next(2);
        let Ok(must) = only_completion(windows, rival) else {
            return false;
        };
        let begin = self.fours.len();
        if self.list(windows, side, must, begin) {
            self.fours.truncate(begin);
            return true;
        }
        for number in begin..self.fours.len() {
            let (at, reply) = self.fours[number];
            windows.change(side, at, true, |_, _, _, _| ());
            windows.change(rival, reply, true, |_, _, _, _| ());
            self.line.push((at, reply));
            let wins = self.attack(windows, side);
            windows.change(rival, reply, false, |_, _, _, _| ());
            windows.change(side, at, false, |_, _, _, _| ());
            if wins {
                self.fours.truncate(begin);
                return true;
            }
            self.line.pop();
        }
        self.fours.truncate(begin);
        // If the search reached its limit, a VCF may still exist.
        if self.left > 0 {
            self.failed[place] = key;
        }
        false
    }

    /// Lists the possible fours. With `must`, lists only fours that a move in the cell `must` makes. Returns
    /// true if one move makes two fours. This move wins, so it ends the sequence.
    fn list(&mut self, windows: &Windows, side: Side, must: Option<Move>, begin: usize) -> bool {
        for number in windows.lacking(side, 2) {
            let mut free = windows.free(*number);
            let (Some(one), Some(two)) = (free.next(), free.next()) else {
                continue;
            };
            for (at, reply) in [(one, two), (two, one)] {
                if must.is_some_and(|must| must != at) {
                    continue;
                }
                match self.fours[begin..].iter().find(|four| four.0 == at) {
                    Some(known) if known.1 != reply => {
                        self.last.extend([at, known.1, reply]);
                        return true;
                    }
                    Some(_) => {}
                    None => self.fours.push((at, reply)),
                }
            }
        }
        false
    }
}

/// The only cell where `side` can complete a line. `None` if there is no such cell, `Err` if there are two or
/// more.
pub(crate) fn only_completion(windows: &Windows, side: Side) -> Result<Option<Move>, ()> {
    let mut only = None;
    for number in windows.lacking(side, 1) {
        let cell = windows.free(*number).next();
        if only.is_some() && cell != only {
            return Err(());
        }
        only = cell;
    }
    Ok(only)
}

#[cfg(test)]
mod tests;
