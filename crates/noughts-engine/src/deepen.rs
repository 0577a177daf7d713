//! `search:200ms`, `search:500000n`: as deep as time or nodes allow.

use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Game;

use crate::analysis::Analysis;
use crate::clock::Clock;
use crate::endgame::Endgame;
use crate::kind::{Kind, never, number, plays_all};
use crate::search::{Limits, Thinking, Width, search};
use crate::strategy::{Decision, Stop, Strategy};
use crate::table::Table;

pub(crate) const KIND: Kind = Kind {
    word: "search",
    form: "search:TIME or search:NODES, such as search:200ms, search:2s, search:500000n",
    about: "as deep as time or nodes allow",
    parameter: |text| read_limits(text).map(|limits| write_limits(&limits)),
    refuses: plays_all,
    instant: never,
    make: |parameter, setup| {
        let limits = read_limits(parameter).unwrap_or_default();
        Box::new(Deepening::new(limits, setup.clock.clone()))
    },
};

/// The longest time and the most nodes: an hour, and what takes about as long.
const LONGEST_MS: u64 = 3_600_000;
const MOST_NODES: u64 = 10_000_000_000;

/// Searches deeper and deeper until a limit is reached.
pub(crate) struct Deepening {
    limits: Limits,
    table: Table,
    endgame: Endgame,
    clock: Arc<dyn Clock>,
}

impl Deepening {
    pub(crate) fn new(limits: Limits, clock: Arc<dyn Clock>) -> Deepening {
        // A place for every node, within reason: 2^16 places are 1 MB, 2^21 32 MB.
        let bits = match limits.nodes {
            Some(nodes) => nodes.max(1).ilog2().clamp(10, 21),
            None => 20,
        };
        Deepening {
            limits,
            table: Table::new(bits),
            endgame: Endgame::default(),
            clock,
        }
    }

    fn think(&mut self, game: &Game, stop: &Stop) -> Analysis {
        search(
            game,
            Thinking {
                limits: self.limits,
                width: Width::Selective,
                table: &mut self.table,
                endgame: Some(&mut self.endgame),
                stop,
                clock: &*self.clock,
            },
        )
    }
}

impl Strategy for Deepening {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        let analysis = self.think(game, stop);
        Decision {
            at: analysis.line[0],
            analysis: Some(analysis),
        }
    }
}

/// What a game that goes on is worth, and the best line, as far as the limits allow.
pub fn analyze(game: &Game, limits: Limits, stop: &Stop, clock: Arc<dyn Clock>) -> Analysis {
    let mut search = Deepening::new(limits, clock);
    search.think(game, stop)
}

/// `200ms`, `2s` or `500000n`.
pub fn read_limits(text: &str) -> Option<Limits> {
    let time = |ms| Limits {
        time: Some(Duration::from_millis(ms)),
        ..Limits::default()
    };
    if let Some(ms) = text.strip_suffix("ms") {
        return number(ms, 1..=LONGEST_MS).map(time);
    }
    if let Some(seconds) = text.strip_suffix('s') {
        return number(seconds, 1..=LONGEST_MS / 1000).map(|s| time(1000 * s));
    }
    let nodes = number(text.strip_suffix('n')?, 1..=MOST_NODES)?;
    Some(Limits {
        nodes: Some(nodes),
        ..Limits::default()
    })
}

fn write_limits(limits: &Limits) -> String {
    match (limits.nodes, limits.time.unwrap_or_default().as_millis()) {
        (Some(nodes), _) => format!("{nodes}n"),
        (None, ms) if ms % 1000 == 0 => format!("{}s", ms / 1000),
        (None, ms) => format!("{ms}ms"),
    }
}
