//! `level:1` to `level:8`: robots for people, each stronger than the one before.
//!
//! A level looks at more positions than the one below it and overlooks less: now and then it plays
//! a move without thinking, as people do.

use noughts_rules::Game;

use crate::registry::{StrategyKind, never, number, plays_all};
use crate::rng::Random;
use crate::search::Limits;
use crate::strategies::iterative_deepening::IterativeDeepening;
use crate::strategy::{Decision, Stop, Strategy};

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "level",
    syntax: "level:1 to level:8",
    description: "for people: 1 is easy, 8 plays as well as it can",
    parameter: |text| number(text, 1..=8).map(|level| level.to_string()),
    refuses: plays_all,
    instant: never,
    make: |parameter, setup| {
        let level: usize = parameter.parse().unwrap_or(8);
        let step = &LEVELS[level - 1];
        let limits = Limits {
            nodes: Some(step.nodes),
            ..Limits::default()
        };
        Box::new(Level {
            slips: step.slips,
            thought: IterativeDeepening::new(limits, setup.clock.clone()),
            random: Random::new(setup.seed),
        })
    },
};

/// What a level can do.
struct Step {
    /// Of a hundred moves, so many are made without thinking.
    slips: usize,
    nodes: u64,
}

const LEVELS: [Step; 8] = [
    Step {
        slips: 88,
        nodes: 20,
    },
    Step {
        slips: 68,
        nodes: 50,
    },
    Step {
        slips: 50,
        nodes: 150,
    },
    Step {
        slips: 37,
        nodes: 500,
    },
    Step {
        slips: 26,
        nodes: 1_500,
    },
    Step {
        slips: 16,
        nodes: 4_000,
    },
    Step {
        slips: 7,
        nodes: 10_000,
    },
    Step {
        slips: 0,
        nodes: 30_000,
    },
];

struct Level {
    slips: usize,
    thought: IterativeDeepening,
    random: Random,
}

impl Strategy for Level {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        if self.random.below(100) < self.slips {
            let legal = game.legal();
            return legal[self.random.below(legal.len())].into();
        }
        self.thought.choose(game, stop)
    }
}
