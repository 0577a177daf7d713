//! Wins by force: four after four, each of which must be answered at once.
//!
//! A *four* is a window that lacks one mark. Who makes one leaves the other a single reply; who
//! makes two at once has won. The attacker tries fours and nothing else, so that a sequence of
//! twenty plays is a matter of a few hundred positions, and what is found is a proof: no other
//! reply would have helped. For two sides who take turns, where every window that a side completes wins.

use noughts_rules::{Move, Side};

use crate::features::windows::Windows;

/// Fours in a sequence, at most.
const LONGEST: usize = 24;

/// Places for positions from which a sequence was looked for in vain.
const REMEMBERED: usize = 1 << 13;

/// Looks for sequences of fours, in memory that is kept.
pub(crate) struct VcfSearch {
    /// The fours of the sequence that is tried, each with its forced reply.
    line: Vec<(Move, Move)>,
    /// The last play of a sequence that wins, and the cells where it threatens to complete a line.
    last: Vec<Move>,
    /// Fours to try, those of one ply after those of another.
    fours: Vec<(Move, Move)>,
    /// Positions without a sequence.
    vain: Vec<u64>,
    left: u64,
    looked: u64,
}

impl VcfSearch {
    pub(crate) fn new() -> VcfSearch {
        VcfSearch {
            line: Vec::with_capacity(LONGEST),
            last: Vec::new(),
            fours: Vec::new(),
            vain: vec![0; REMEMBERED],
            left: 0,
            looked: 0,
        }
    }

    /// How many positions were looked at since this was asked for.
    pub(crate) fn take_looked(&mut self) -> u64 {
        std::mem::take(&mut self.looked)
    }

    /// In how many plies `side` wins by fours alone if it is to move now, where that is found
    /// within so many positions.
    pub(crate) fn wins(&mut self, windows: &mut Windows, side: Side, most: u64) -> Option<u32> {
        self.line.clear();
        self.last.clear();
        self.fours.clear();
        if windows.lacking(side, 1).is_empty() && windows.lacking(side, 2).is_empty() {
            return None;
        }
        self.left = most;
        self.attack(windows, side).then(|| {
            let fours = self.line.len() as u32;
            2 * fours + if self.last.len() == 1 { 1 } else { 3 }
        })
    }

    /// The first play of the sequence that was found last.
    pub(crate) fn first(&self) -> Option<Move> {
        let of_line = self.line.first().map(|four| four.0);
        of_line.or_else(|| self.last.first().copied())
    }

    /// Where the other side must play to break the sequence of `side` that was found last, as the
    /// board was when it was looked for: into its cells, or where a reply becomes a four of its own;
    /// or it makes a four at once. Everything else loses. Cells may come up twice.
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

    /// Whether `side`, to move, wins from here.
    fn attack(&mut self, windows: &mut Windows, side: Side) -> bool {
        self.looked += 1;
        self.left = self.left.saturating_sub(1);
        if let Some(number) = windows.lacking(side, 1).first() {
            self.last.extend(windows.free(*number));
            return true;
        }
        // Any odd constant: whose turn it is must differ, nothing else.
        let key = windows.hash() ^ (side.index() as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let place = key as usize % REMEMBERED;
        if self.left == 0 || self.line.len() == LONGEST || self.vain[place] == key {
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
        // Given up is not the same as in vain.
        if self.left > 0 {
            self.vain[place] = key;
        }
        false
    }

    /// Lists the fours that can be made, at `must` only where that is said; true where one of them
    /// is a double four, which is then the last play of the sequence.
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

/// The one cell where this side completes a line, if there is one; an error where there are two.
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
