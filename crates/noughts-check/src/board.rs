//! The board of a game that is being judged, and how the judge plays on it.

use std::collections::HashMap;

use noughts_rules::{Grid, GridPosition, GridSpec, Move, Outcome, Rules};
use noughts_wire::{Cell, GameResult};

use crate::random::Rng;

type Three = Grid<u16, 2>;

/// Tic-tac-toe between the one who began and the other.
#[derive(Clone)]
pub(crate) struct Board {
    rules: Three,
    at: GridPosition<u16, 2>,
}

/// What the judge would like a game to come to, seen by the one who began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Aim(pub(crate) GameResult);

/// How it goes about it. No way alone reaches every end against every opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// As if the other chose by rng.
    Hope,
    /// As if the other answered as it did before, where it was seen, and else by rng.
    Learn,
    /// As if the other did all to prevent it.
    Care,
    /// By rng.
    Random,
}

/// What an opponent has answered where.
#[derive(Default)]
pub(crate) struct Replies(HashMap<GridPosition<u16, 2>, Cell>);

impl Replies {
    pub(crate) fn note(&mut self, board: &Board, reply: Cell) {
        self.0.insert(board.at, reply);
    }
}

impl Board {
    pub(crate) fn new() -> Board {
        let spec = GridSpec::new(3, 3, 3).expect("tic-tac-toe has three of each");
        let rules = Three::new(spec).expect("it fits into 16 bits");
        let at = rules.start();
        Board { rules, at }
    }

    pub(crate) fn is_free(&self, cell: Cell) -> bool {
        self.rules.check(&self.at, to_move(cell)).is_ok()
    }

    /// Puts the mark of whoever is to move.
    pub(crate) fn play(&mut self, cell: Cell) {
        debug_assert!(self.is_free(cell));
        self.rules.play(&mut self.at, to_move(cell));
    }

    /// The board after that.
    #[must_use]
    pub(crate) fn after(&self, cell: Cell) -> Board {
        let mut next = self.clone();
        next.play(cell);
        next
    }

    pub(crate) fn free(&self) -> Vec<Cell> {
        Cell::all().filter(|cell| self.is_free(*cell)).collect()
    }

    /// How it ended, seen by the one who began.
    pub(crate) fn end(&self) -> Option<GameResult> {
        Some(match self.rules.outcome(&self.at)? {
            Outcome::Draw => GameResult::Draw,
            Outcome::Won(sides) if sides.iter().any(|side| side.index() == 0) => GameResult::Won,
            Outcome::Won(_) => GameResult::Lost,
        })
    }

    /// The cells with which whoever is to move completes a line.
    pub(crate) fn winning(&self) -> Vec<Cell> {
        let wins = |cell: &Cell| {
            matches!(
                self.after(*cell).end(),
                Some(GameResult::Won | GameResult::Lost)
            )
        };
        self.free().into_iter().filter(wins).collect()
    }

    /// A free cell for the one who began, with an aim.
    pub(crate) fn choose(&self, aim: Aim, way: Way, replies: &Replies, rng: &mut Rng) -> Cell {
        let free = self.free();
        // The first move decides little, and all that follows from it would take long to look at.
        if way == Way::Random || free.len() == 9 {
            return free[rng.below(free.len())];
        }
        let values: Vec<f64> = free
            .iter()
            .map(|cell| self.after(*cell).hope(aim, way, replies, false))
            .collect();
        let best = values.iter().copied().fold(f64::MIN, f64::max);
        let best: Vec<Cell> = free
            .iter()
            .zip(&values)
            .filter(|(_, value)| **value >= best)
            .map(|(cell, _)| *cell)
            .collect();
        best[rng.below(best.len())]
    }

    /// How near the aim is, 0 to 1.
    fn hope(&self, aim: Aim, way: Way, replies: &Replies, mine: bool) -> f64 {
        if let Some(end) = self.end() {
            return if end == aim.0 { 1.0 } else { 0.0 };
        }
        if let (Way::Learn, false, Some(reply)) = (way, mine, replies.0.get(&self.at)) {
            return self.after(*reply).hope(aim, way, replies, true);
        }
        let free = self.free();
        let values = free
            .iter()
            .map(|cell| self.after(*cell).hope(aim, way, replies, !mine));
        match (mine, way) {
            (true, _) => values.fold(0.0, f64::max),
            (false, Way::Care) => values.fold(1.0, f64::min),
            (false, Way::Hope | Way::Learn | Way::Random) => {
                values.sum::<f64>() / free.len() as f64
            }
        }
    }
}

fn to_move(cell: Cell) -> Move {
    Move::at(cell.index().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_hope_every_end_is_seen() {
        let mut rng = Rng::new(1);
        let mut seen = [0; 3];
        for game in 0..60 {
            let aim = Aim([GameResult::Won, GameResult::Lost, GameResult::Draw][game % 3]);
            let mut board = Board::new();
            while board.end().is_none() {
                board.play(board.choose(aim, Way::Hope, &Replies::default(), &mut rng));
                if board.end().is_none() {
                    let free = board.free();
                    board.play(free[rng.below(free.len())]);
                }
            }
            if board.end() == Some(aim.0) {
                seen[game % 3] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count >= 5), "{seen:?}");
    }

    #[test]
    fn an_opponent_that_repeats_itself_is_led_to_every_end() {
        for end in [GameResult::Won, GameResult::Lost, GameResult::Draw] {
            let (mut rng, mut replies) = (Rng::new(1), Replies::default());
            let mut play = || {
                let mut board = Board::new();
                while board.end().is_none() {
                    board.play(board.choose(Aim(end), Way::Learn, &replies, &mut rng));
                    if board.end().is_none() {
                        let reply = board.free()[0];
                        replies.note(&board, reply);
                        board.play(reply);
                    }
                }
                board.end()
            };
            assert!((0..12).any(|_| play() == Some(end)), "{end:?}");
        }
    }
}
