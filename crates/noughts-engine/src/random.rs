//! `random`: any legal move, each as likely as any other.

use noughts_rules::Game;

use crate::kind::{Kind, always, no_parameter, plays_all};
use crate::seed::Random;
use crate::strategy::{Decision, Stop, Strategy};

pub(crate) const KIND: Kind = Kind {
    word: "random",
    form: "random",
    about: "any legal move",
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
