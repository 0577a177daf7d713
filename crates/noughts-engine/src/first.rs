//! `first`: the first legal move, for tests and for beginners who want to win.

use noughts_rules::Game;

use crate::kind::{Kind, always, no_parameter, plays_all};
use crate::strategy::{Decision, Stop, Strategy};

pub(crate) const KIND: Kind = Kind {
    word: "first",
    form: "first",
    about: "the first legal move",
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
