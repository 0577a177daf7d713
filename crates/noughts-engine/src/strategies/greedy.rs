//! `greedy` plays a winning move if there is one. Otherwise, if the next player threatens to win with the
//! next move, `greedy` prevents this win. This second rule applies only on one board, without gravity and
//! without misère. If no rule applies, `greedy` plays the most promising move. With gravity, in misère games
//! and on nine boards, the most promising move usually prevents a win of the next player.

use noughts_rules::{Game, Outcome, dispatch};

use crate::features::{Candidate, Features, Searchable};
use crate::registry::{StrategyKind, never, no_parameter, plays_all};
use crate::rng::Random;
use crate::search_board::SearchBoard;
use crate::strategy::{Decision, Stop, Strategy};

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "greedy",
    syntax: "greedy",
    description: "wins or blocks if it can, otherwise plays the most promising move",
    parameter: no_parameter,
    refuses: plays_all,
    instant: never,
    make: |_, setup| Box::new(Greedy(Random::new(setup.seed))),
};

/// Maximum number of moves that are considered on a large board.
const MAX_CANDIDATES: usize = 12;

struct Greedy(Random);

impl Strategy for Greedy {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        let candidates = dispatch!(game.timeline(), timeline => {
            ranked(SearchBoard::new(game, timeline), stop)
        });
        let best = candidates
            .iter()
            .map(|candidate| candidate.move_score)
            .max();
        let equal: Vec<&Candidate> = candidates
            .iter()
            .filter(|candidate| Some(candidate.move_score) == best)
            .collect();
        equal[self.0.below(equal.len())].at.into()
    }
}

/// The candidates with their scores. A move that wins immediately gets the highest score, and a move that
/// loses immediately gets the lowest. Moves that were not tried before `stop` was set keep their ordinary
/// scores.
fn ranked<R: Searchable>(mut board: SearchBoard<R>, stop: &Stop) -> Vec<Candidate> {
    let mut list = Vec::new();
    let me = board.to_move();
    let rival = Some(board.next_to_move()).filter(|next| *next != me);
    board
        .features()
        .forced(board.rules(), board.position(), rival, &mut list);
    if list.is_empty() {
        board
            .features()
            .candidates(board.rules(), board.position(), MAX_CANDIDATES, &mut list);
    }
    for candidate in list.iter_mut().take_while(|_| !stop.is_set()) {
        board.play(candidate.at);
        match board.outcome() {
            Some(Outcome::Won(sides)) if sides.contains(me) => candidate.move_score = i32::MAX,
            Some(Outcome::Won(_)) => candidate.move_score = i32::MIN,
            Some(Outcome::Draw) | None => {}
        }
        board.take_back();
    }
    list
}
