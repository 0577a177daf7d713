//! Best moves and lines, and the values of all moves.

use noughts_rules::Move;

use super::{ConnectFour, Marks, Score, ShouldStop, Stopped};
use crate::analysis::{MoveValue, Value};
use crate::solver::GameValue;

/// Maximum number of nodes for the best line after the first move.
const LINE_NODES: u64 = 200_000;

impl ConnectFour {
    /// A move that keeps the value of a position in which neither side has a line. A move from the book has
    /// no distance. For any other win or loss, the solver searches for the distance, and ends this search
    /// soon after `distance_nodes` nodes. If the search finds the distance, no other move wins earlier or
    /// loses later. With a new solver, the choice depends only on the position.
    pub(crate) fn choose(
        &mut self,
        marks: Marks,
        distance_nodes: u64,
        stop: ShouldStop<'_>,
    ) -> Result<MoveValue, Stopped> {
        let mirror = self.geometry.mirror(marks);
        if self.geometry.key(mirror) < self.geometry.key(marks) {
            // Mirror images get mirrored answers.
            let choice = self.choose(mirror, distance_nodes, stop)?;
            let cell = self.geometry.mirrored(self.geometry.bit(choice.at));
            let at = self.geometry.at(cell);
            return Ok(MoveValue { at, ..choice });
        }
        if let Some((cell, sign)) = self.book.and_then(|book| book.best(&self.geometry, marks)) {
            return Ok(MoveValue {
                at: self.geometry.at(cell),
                value: value_of(sign),
                distance: None,
            });
        }
        let sign = self.sign(marks, stop)?;
        let free = self.free(marks);
        if sign != 0 {
            let limit = self.nodes.saturating_add(distance_nodes);
            let should_stop = &mut |nodes: u64, fill: u64| nodes > limit || stop(nodes, fill);
            let exact = self.score(marks, should_stop);
            let best = exact.map(|score| (score, self.best(marks, score, true, should_stop)));
            if let Ok((score, Ok((at, _)))) = best {
                return Ok(MoveValue {
                    at,
                    value: value_of(sign),
                    distance: distance_of(score, free),
                });
            }
        }
        let (at, _) = self.best(marks, Score(sign), false, stop)?;
        Ok(MoveValue {
            at,
            value: value_of(sign),
            distance: (sign == 0).then_some(free),
        })
    }

    /// The values of all moves in a position in which neither side has a line, the best first. If the search is stopped
    /// after it has found every value, some distances are missing. If the search is stopped earlier, the result is an
    /// error.
    pub(crate) fn move_values(
        &mut self,
        marks: Marks,
        stop: ShouldStop<'_>,
    ) -> Result<Vec<MoveValue>, Stopped> {
        let free = self.free(marks);
        let mut moves = Vec::new();
        for (at, child) in self.children(marks) {
            let (sign, distance) = match (self.is_won(child), free) {
                (true, _) => (1, Some(1)),
                (false, 1) => (0, Some(1)),
                (false, _) => (-self.sign(child, stop)?, None),
            };
            let value = MoveValue {
                at,
                value: value_of(sign),
                distance: distance.or((sign == 0).then_some(free)),
            };
            moves.push((value, child));
        }
        for (value, child) in &mut moves {
            if value.distance.is_none() {
                let Ok(score) = self.score(*child, stop) else {
                    break;
                };
                value.distance = distance_of(score, free - 1).map(|plies| plies + 1);
            }
        }
        let mut moves: Vec<MoveValue> = moves.into_iter().map(|(value, _)| value).collect();
        moves.sort_by_key(|value| std::cmp::Reverse(value.rank()));
        Ok(moves)
    }

    /// A line of best play that starts with the move `first`.
    pub(crate) fn line_after(
        &mut self,
        marks: Marks,
        first: MoveValue,
        stop: ShouldStop<'_>,
    ) -> Vec<Move> {
        let marks = marks.after(self.geometry.bit(first.at));
        let mut line = vec![first.at];
        if self.is_won(marks) || self.free(marks) == 0 {
            return line;
        }
        let limit = self.nodes + LINE_NODES;
        let should_stop = &mut |nodes: u64, fill: u64| nodes > limit || stop(nodes, fill);
        let sign = match first.value {
            GameValue::Win => -1,
            GameValue::Draw => 0,
            GameValue::Loss => 1,
        };
        let (score, is_exact) = match first.distance.map(|_| self.score(marks, should_stop)) {
            Some(Ok(score)) => (score, true),
            Some(Err(Stopped)) | None => (Score(sign), false),
        };
        line.extend(self.line(marks, score, is_exact, should_stop));
        line
    }

    /// Best play from a position. With `is_exact`, `score` is the exact score. Otherwise only the sign of `score` is
    /// right.
    pub(super) fn line(
        &mut self,
        mut marks: Marks,
        mut score: Score,
        is_exact: bool,
        stop: ShouldStop<'_>,
    ) -> Vec<Move> {
        let (mut line, mut limit) = (Vec::new(), u64::MAX);
        while !self.is_won(marks) && self.free(marks) > 0 {
            let should_stop = &mut |nodes: u64, fill: u64| nodes > limit || stop(nodes, fill);
            let Ok((at, child)) = self.best(marks, score, is_exact, should_stop) else {
                break;
            };
            line.push(at);
            marks = child;
            score = Score(-score.0);
            limit = limit.min(self.nodes + LINE_NODES);
        }
        line
    }

    /// A move that keeps the score, and the position after this move. The game must not be over.
    pub(super) fn best(
        &mut self,
        marks: Marks,
        score: Score,
        is_exact: bool,
        stop: ShouldStop<'_>,
    ) -> Result<(Move, Marks), Stopped> {
        let children = self.children(marks);
        if let Some(win) = children.iter().find(|(_, child)| self.is_won(*child)) {
            return Ok(*win);
        }
        if !is_exact && score.0 < 0 {
            // Every move loses. Choose a move that does not lose at once, if there is one.
            let loses_at_once = |child: Marks| {
                let completing = self.geometry.completing::<0>(child.mine, child.mask);
                completing & self.geometry.playable(child.mask) != 0
            };
            let late = children.iter().find(|(_, child)| !loses_at_once(*child));
            return late.or(children.first()).copied().ok_or(Stopped);
        }
        // The first pass searches each move only briefly. So it finds a move whose score is in the table
        // before it spends much time on other moves.
        for is_quick in [true, false] {
            for (at, child) in &children {
                // A quick search ends at its first check, after at most 4 096 nodes.
                let should_stop = &mut |nodes: u64, fill: u64| is_quick || stop(nodes, fill);
                // The move keeps the score if the opponent cannot get more than `-score`.
                match self.reaches(*child, Score(1 - score.0), should_stop) {
                    Ok(false) => return Ok((*at, *child)),
                    Err(Stopped) if !is_quick => return Err(Stopped),
                    Ok(true) | Err(Stopped) => {}
                }
            }
        }
        Err(Stopped)
    }
}

fn value_of(sign: i32) -> GameValue {
    match sign {
        0 => GameValue::Draw,
        1.. => GameValue::Win,
        ..0 => GameValue::Loss,
    }
}

/// Plies to the end from a position with this score and this many free cells.
fn distance_of(score: Score, free: u32) -> Option<u32> {
    match score.value(free) {
        Value::Win { plies } | Value::Loss { plies } => Some(plies),
        Value::Draw => Some(free),
        Value::Estimate(_) => None,
    }
}
