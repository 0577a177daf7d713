//! `random`: a uniformly random legal move.

use noughts_rules::Game;

use crate::registry::{StrategyKind, always, no_parameter, plays_all};
use crate::rng::Random;
use crate::strategy::{Decision, Stop, Strategy};

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "random",
    syntax: "random",
    description: "any legal move",
    parameter: no_parameter,
    refuses: plays_all,
    instant: always,
    make: |_, setup| Box::new(Any(Random::new(setup.seed))),
};

struct Any(Random);

impl Strategy for Any {
    fn choose(&mut self, game: &Game, _stop: &Stop) -> Decision {
        let legal = game.legal();
        legal[self.0.below(legal.len())].into()
    }
}
