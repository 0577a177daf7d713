//! Writes the proof records of a claim about Connect Four, in the format of `docs/solving.md`.

use std::collections::HashSet;
use std::io::{self, Write};

use noughts_rules::{Diagram, Move, Side, Variant};

use super::{ConnectFour, Marks, Score, ShouldStop, Stopped};

/// Writes the proof of a claim, one line (record) per position. With `wins`, the claim is that the attacker
/// wins. Without `wins`, the claim is that the attacker cannot win. The claim must be true. If `stop` ends the
/// search, the error is [`TimedOut`](io::ErrorKind::TimedOut).
pub(crate) fn records(
    solver: &mut ConnectFour,
    variant: &Variant,
    start: &Diagram,
    (attacker, wins): (Side, bool),
    stop: ShouldStop<'_>,
    into: &mut dyn Write,
) -> io::Result<()> {
    let marks = solver.marks(start);
    let claimant = if wins { attacker } else { attacker.next(2) };
    let mut writer = Writer {
        solver,
        variant,
        claimant,
        wins,
        written: HashSet::new(),
        stop,
        into,
    };
    writer.position(marks, start.to_move)
}

struct Writer<'a> {
    solver: &'a mut ConnectFour,
    variant: &'a Variant,
    /// The side that the claim favours: the attacker if the claim says that the attacker wins, otherwise the defender.
    claimant: Side,
    wins: bool,
    written: HashSet<u64>,
    stop: ShouldStop<'a>,
    into: &'a mut dyn Write,
}

impl Writer<'_> {
    /// Writes the record of a position, after the records of the positions that it depends on.
    fn position(&mut self, marks: Marks, to_move: Side) -> io::Result<()> {
        let key = self.solver.geometry.canonical_key(marks);
        if self.is_obvious(marks, to_move) || !self.written.insert(key) {
            return Ok(());
        }
        if (self.stop)(self.solver.nodes(), self.solver.fill()) {
            return Err(stopped());
        }
        let reason = match to_move == self.claimant {
            true => {
                let (at, child) = self.good_move(marks)?;
                self.position(child, to_move.next(2))?;
                format!("plays {}", self.variant.format_move(at))
            }
            false => {
                for (_, child) in self.solver.children(marks) {
                    self.position(child, to_move.next(2))?;
                }
                "all".to_owned()
            }
        };
        let position = self.diagram(marks, to_move).format(self.variant);
        writeln!(self.into, "{position} {reason}")
    }

    /// A move of the claimant (the side that the claim favours) after which the claim still holds. Prefers a
    /// move that needs few further records.
    fn good_move(&mut self, marks: Marks) -> io::Result<(Move, Marks)> {
        // The opponent's score after the move must be less than this limit.
        let limit = Score(if self.wins { 0 } else { 1 });
        let other = self.claimant.next(2);
        let mut children = self.solver.children(marks);
        children.sort_by_key(|(_, child)| self.replies(*child));
        let is_free = |(_, child): &&(Move, Marks)| {
            let key = self.solver.geometry.canonical_key(*child);
            self.is_obvious(*child, other) || self.written.contains(&key)
        };
        if let Some(child) = children.iter().find(is_free) {
            return Ok(*child);
        }
        for (at, child) in children {
            match self.solver.reaches(child, limit, self.stop) {
                Ok(false) => return Ok((at, child)),
                Ok(true) => {}
                Err(Stopped) => return Err(stopped()),
            }
        }
        Err(io::Error::other("internal error: no move keeps the value"))
    }

    /// Number of moves that do not lose immediately.
    fn replies(&self, marks: Marks) -> u32 {
        let geometry = &self.solver.geometry;
        let playable = geometry.playable(marks.mask);
        let threats = geometry.completing::<0>(marks.mine ^ marks.mask, marks.mask);
        match playable & threats {
            0 => (playable & !(threats >> 1)).count_ones(),
            forced => u32::from(forced.is_power_of_two()),
        }
    }

    /// Whether the claim is obvious to the checker in this position, so that the proof needs no record for
    /// this position. See `docs/solving.md`, "Obvious positions".
    fn is_obvious(&self, marks: Marks, to_move: Side) -> bool {
        let geometry = &self.solver.geometry;
        let has_line = |marks: u64| geometry.has_line::<0>(marks);
        let (empty, claimant_moves) = (geometry.cells ^ marks.mask, to_move == self.claimant);
        let (mine, theirs) = match claimant_moves {
            true => (marks.mine, marks.mine ^ marks.mask),
            false => (marks.mine ^ marks.mask, marks.mine),
        };
        let playable = geometry.playable(marks.mask);
        if self.solver.is_won(marks) {
            return true;
        }
        if claimant_moves {
            let wins = geometry.completing::<0>(mine, marks.mask) & playable;
            return wins != 0 || !self.wins && !has_line(theirs | empty);
        }
        let (lower, upper) = (empty & geometry.lower, empty & !geometry.lower);
        let odd = playable & upper;
        match odd.count_ones() {
            0 if !has_line(theirs | lower) => !self.wins || has_line(mine | upper),
            1 if self.wins => {
                let column = geometry.column_of(odd);
                let threats = geometry.completing::<0>(mine, marks.mask) & lower & column;
                let below = (threats & threats.wrapping_neg()).wrapping_sub(1);
                let reachable = lower & !column | upper & column & below;
                threats != 0 && !has_line(theirs | reachable)
            }
            _ => !self.wins && !has_line(theirs | empty),
        }
    }

    fn diagram(&self, marks: Marks, to_move: Side) -> Diagram {
        let geometry = &self.solver.geometry;
        let mark = |cell: usize| {
            let bit = geometry.bit(Move::at(cell));
            let is_mine = marks.mine & bit != 0;
            (marks.mask & bit != 0).then(|| if is_mine { to_move } else { to_move.next(2) })
        };
        Diagram {
            marks: (0..(geometry.columns * geometry.rows) as usize)
                .map(mark)
                .collect(),
            to_move,
            play_in: None,
        }
    }
}

fn stopped() -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        "a limit was reached before the proof was complete",
    )
}
