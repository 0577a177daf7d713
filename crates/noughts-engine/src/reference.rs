//! Textbook minimax and alpha-beta. Tests compare the values of these searches with the values of the fast
//! search. Benchmarks compare the times.

pub mod connect_four;

use noughts_rules::{Game, Move, Outcome, Side, dispatch};

use crate::features::{Features, Searchable};
use crate::search_board::SearchBoard;

/// The value of a win is this number minus the number of plies to the win, as in the fast search.
const WIN: i32 = 1_000_000;

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The value for the side to move. A win is 1 000 000 minus the number of plies to the end. A loss is the
    /// number of plies to the end minus 1 000 000. A draw is 0. Other values are estimates.
    pub value: i32,
    /// The number of positions searched.
    pub nodes: u64,
}

/// Minimax to a depth of `depth` plies, without pruning.
pub fn minimax(game: &Game, depth: u32) -> Found {
    dispatch!(game.timeline(), timeline => Plain::new(SearchBoard::new(game, timeline)).run(depth, false))
}

/// Alpha-beta to a depth of `depth` plies, without a transposition table and without move ordering.
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

    /// The value for `me`. This side maximises the value; all other sides minimise it.
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
