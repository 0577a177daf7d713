//! `level:1` to `level:8`: opponents for people, each stronger than the one before.
//!
//! A higher level searches more positions and plays fewer random moves.

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
        let settings = &LEVELS[level - 1];
        let limits = Limits {
            nodes: Some(settings.nodes),
            ..Limits::default()
        };
        Box::new(Level {
            random_percent: settings.random_percent,
            search: IterativeDeepening::new(limits, setup.clock.clone()),
            random: Random::new(setup.seed),
        })
    },
};

struct LevelSettings {
    /// Percentage of random moves.
    random_percent: usize,
    nodes: u64,
}

const LEVELS: [LevelSettings; 8] = [
    settings(88, 20),
    settings(68, 50),
    settings(50, 150),
    settings(37, 500),
    settings(26, 1_500),
    settings(16, 4_000),
    settings(7, 10_000),
    settings(0, 30_000),
];

const fn settings(random_percent: usize, nodes: u64) -> LevelSettings {
    LevelSettings {
        random_percent,
        nodes,
    }
}

struct Level {
    random_percent: usize,
    search: IterativeDeepening,
    random: Random,
}

impl Strategy for Level {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        if self.random.below(100) < self.random_percent {
            let legal = game.legal();
            return legal[self.random.below(legal.len())].into();
        }
        self.search.choose(game, stop)
    }
}
