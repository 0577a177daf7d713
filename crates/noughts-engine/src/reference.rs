//! Searching as it is written in every book, beside the fast search: tests compare their values,
//! benches their time.

use noughts_rules::{Game, Move, Outcome, Side, dispatch};

use crate::features::{Features, Searchable};
use crate::search_board::SearchBoard;

/// A won game, less the plies it takes, as in the fast search.
const WIN: i32 = 1_000_000;

/// What was found, and how many positions it took. Values are for the side to move: won games are
/// 1 000 000 less the plies they take, lost ones the negative, everything else an estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// What the position is worth.
    pub value: i32,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// Minimax without pruning: every sequence of so many moves.
pub fn minimax(game: &Game, depth: u32) -> Found {
    dispatch!(game.timeline(), timeline => Plain::new(SearchBoard::new(game, timeline)).run(depth, false))
}

/// Alpha-beta without a table and without an order of moves.
pub fn alpha_beta(game: &Game, depth: u32) -> Found {
    dispatch!(game.timeline(), timeline => Plain::new(SearchBoard::new(game, timeline)).run(depth, true))
}

struct Plain<R: Searchable> {
    board: SearchBoard<R>,
    me: Side,
    nodes: u64,
}

impl<R: Searchable> Plain<R> {
    fn new(board: SearchBoard<R>) -> Plain<R> {
        Plain {
            me: board.to_move(),
            nodes: 0,
            board,
        }
    }

    fn run(mut self, depth: u32, prune: bool) -> Found {
        let value = self.value(depth, -WIN, WIN, prune);
        Found {
            value,
            nodes: self.nodes,
        }
    }

    /// For the side that thinks, whoever is to move: it maximises, all others minimise.
    fn value(&mut self, depth: u32, mut alpha: i32, mut beta: i32, prune: bool) -> i32 {
        self.nodes += 1;
        let ply = self.board.ply() as i32;
        match self.board.outcome() {
            Some(Outcome::Draw) => return 0,
            Some(Outcome::Won(sides)) if sides.contains(self.me) => return WIN - ply,
            Some(Outcome::Won(_)) => return ply - WIN,
            None => {}
        }
        let (rules, position) = (self.board.rules(), self.board.position());
        if depth == 0 {
            return self.board.features().estimate(rules, position, self.me);
        }
        let mine = self.board.to_move() == self.me;
        let moves: Vec<Move> = rules.moves(position).collect();
        let mut best = if mine { -WIN } else { WIN };
        for at in moves {
            self.board.play(at);
            let value = self.value(depth - 1, alpha, beta, prune);
            self.board.take_back();
            if mine {
                best = best.max(value);
                alpha = alpha.max(value);
            } else {
                best = best.min(value);
                beta = beta.min(value);
            }
            if prune && alpha >= beta {
                break;
            }
        }
        best
    }
}
