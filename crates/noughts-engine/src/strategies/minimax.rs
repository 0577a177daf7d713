//! `minimax:N`: searches every move to a depth of N plies.
//!
//! If two players take turns, this strategy plays better with an odd depth than with an even depth. With an
//! odd depth, the last ply of the search is the strategy's own move.

use noughts_rules::Game;

use crate::clock::Clock;
use crate::registry::{StrategyKind, never, number, plays_all};
use crate::search::{Limits, MoveSelection, SearchContext, search};
use crate::strategy::{Decision, Stop, Strategy};
use crate::transposition_table::TranspositionTable;
use std::sync::Arc;

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "minimax",
    syntax: "minimax:N, N from 1 to 99",
    description: "looks N plies ahead",
    parameter: |text| number(text, 1..=99).map(|depth| depth.to_string()),
    refuses: plays_all,
    instant: never,
    make: |parameter, setup| {
        let depth = parameter.parse().unwrap_or(1);
        Box::new(Minimax {
            depth,
            // A shallow search has a small table: the search reaches few positions twice, and a large table
            // is slow to allocate.
            table: TranspositionTable::new((2 * depth).clamp(10, 20).saturating_sub(2)),
            clock: setup.clock.clone(),
        })
    },
};

struct Minimax {
    depth: u32,
    table: TranspositionTable,
    clock: Arc<dyn Clock>,
}

impl Strategy for Minimax {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        let limits = Limits {
            depth: Some(self.depth),
            ..Limits::default()
        };
        let analysis = search(
            game,
            SearchContext {
                limits,
                move_selection: MoveSelection::All,
                table: &self.table,
                stop,
                clock: &*self.clock,
            },
        );
        Decision {
            at: analysis.line[0],
            analysis: Some(analysis),
        }
    }
}
