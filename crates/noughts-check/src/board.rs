//! The board of a game with the program under test, and the kit's choice of moves.

use std::collections::HashMap;

use noughts_rules::{Grid, GridPosition, GridSpec, Move, Outcome, Rules};
use noughts_wire::{Cell, GameResult};

use crate::random::Rng;

type Three = Grid<u16, 2>;

/// A position in a game of tic-tac-toe.
#[derive(Clone)]
pub(crate) struct Board {
    rules: Three,
    at: GridPosition<u16, 2>,
}

/// How the kit chooses its moves. The kit needs several tactics, because no single tactic reaches every
/// result against every opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tactic {
    /// Assumes that the opponent plays at random.
    Expectimax,
    /// Assumes that the opponent repeats its latest reply to each known position, and plays at random in new positions.
    Learned,
    /// Assumes that the opponent plays to prevent the wanted result.
    Minimax,
    /// The kit chooses its moves at random.
    Random,
}

/// The opponent's latest reply to each position that occurred.
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

    /// Marks a cell for the player to move.
    pub(crate) fn play(&mut self, cell: Cell) {
        debug_assert!(self.is_free(cell));
        self.rules.play(&mut self.at, to_move(cell));
    }

    /// Returns the board after the player to move has marked `cell`.
    #[must_use]
    pub(crate) fn after(&self, cell: Cell) -> Board {
        let mut next = self.clone();
        next.play(cell);
        next
    }

    pub(crate) fn free(&self) -> Vec<Cell> {
        Cell::all().filter(|cell| self.is_free(*cell)).collect()
    }

    /// The result for the first player, if the game is over.
    pub(crate) fn end(&self) -> Option<GameResult> {
        Some(match self.rules.outcome(&self.at)? {
            Outcome::Draw => GameResult::Draw,
            Outcome::Won(sides) if sides.iter().any(|side| side.index() == 0) => GameResult::Won,
            Outcome::Won(_) => GameResult::Lost,
        })
    }

    /// The cells that complete a line for the player to move.
    pub(crate) fn winning(&self) -> Vec<Cell> {
        let wins = |cell: &Cell| {
            matches!(
                self.after(*cell).end(),
                Some(GameResult::Won | GameResult::Lost)
            )
        };
        self.free().into_iter().filter(wins).collect()
    }

    /// Chooses a free cell for the kit so that the `wanted` result becomes likely. The kit plays first. Its first move
    /// is always random. With [`Tactic::Random`], all its moves are random.
    pub(crate) fn choose(
        &self,
        wanted: GameResult,
        tactic: Tactic,
        replies: &Replies,
        rng: &mut Rng,
    ) -> Cell {
        let free = self.free();
        // The first move has little influence on the result, and searching the whole tree would take long.
        if tactic == Tactic::Random || free.len() == 9 {
            return free[rng.below(free.len())];
        }
        let values: Vec<f64> = free
            .iter()
            .map(|cell| self.after(*cell).chance_of(wanted, tactic, replies, false))
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

    /// Estimates the probability of the `wanted` result, from 0 to 1, if the opponent plays as `tactic`
    /// assumes. `mine` is true if the kit moves next.
    fn chance_of(&self, wanted: GameResult, tactic: Tactic, replies: &Replies, mine: bool) -> f64 {
        if let Some(end) = self.end() {
            return if end == wanted { 1.0 } else { 0.0 };
        }
        if let (Tactic::Learned, false, Some(reply)) = (tactic, mine, replies.0.get(&self.at)) {
            return self.after(*reply).chance_of(wanted, tactic, replies, true);
        }
        let free = self.free();
        let values = free
            .iter()
            .map(|cell| self.after(*cell).chance_of(wanted, tactic, replies, !mine));
        match (mine, tactic) {
            (true, _) => values.fold(0.0, f64::max),
            (false, Tactic::Minimax) => values.fold(1.0, f64::min),
            (false, Tactic::Expectimax | Tactic::Learned | Tactic::Random) => {
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
    fn every_result_is_reached_against_random_play() {
        let mut rng = Rng::new(1);
        let mut seen = [0; 3];
        for game in 0..60 {
            let wanted = [GameResult::Won, GameResult::Lost, GameResult::Draw][game % 3];
            let mut board = Board::new();
            while board.end().is_none() {
                board.play(board.choose(wanted, Tactic::Expectimax, &Replies::default(), &mut rng));
                if board.end().is_none() {
                    let free = board.free();
                    board.play(free[rng.below(free.len())]);
                }
            }
            if board.end() == Some(wanted) {
                seen[game % 3] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count >= 5), "{seen:?}");
    }

    #[test]
    fn every_result_is_reached_against_a_repetitive_opponent() {
        for end in [GameResult::Won, GameResult::Lost, GameResult::Draw] {
            let (mut rng, mut replies) = (Rng::new(1), Replies::default());
            let mut play = || {
                let mut board = Board::new();
                while board.end().is_none() {
                    board.play(board.choose(end, Tactic::Learned, &replies, &mut rng));
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
