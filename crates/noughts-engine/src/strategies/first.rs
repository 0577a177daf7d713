//! `first`: the first legal move, for tests and beginners.

use noughts_rules::Game;

use crate::registry::{StrategyKind, always, no_parameter, plays_all};
use crate::strategy::{Decision, Stop, Strategy};

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "first",
    syntax: "first",
    description: "the first legal move",
    parameter: no_parameter,
    refuses: plays_all,
    instant: always,
    make: |_, _| Box::new(First),
};

struct First;

impl Strategy for First {
    fn choose(&mut self, game: &Game, _stop: &Stop) -> Decision {
        game.legal()[0].into()
    }
}
