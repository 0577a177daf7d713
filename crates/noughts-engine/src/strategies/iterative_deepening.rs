//! `search:200ms`, `search:500000n`: as deep as time or nodes allow.

use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Game;

use crate::analysis::Analysis;
use crate::clock::Clock;
use crate::endgame::EndgameSolver;
use crate::registry::{StrategyKind, never, plays_all};
use crate::search::{Aim, Limits, Thinking, Width, search_for};
use crate::strategy::{Decision, Stop, Strategy};
use crate::transposition_table::TranspositionTable;

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "search",
    syntax: "search:TIME or search:NODES, such as search:200ms, search:2s, search:500000n",
    description: "as deep as time or nodes allow",
    parameter: |text| text.parse().ok().map(|limits| write_limits(&limits)),
    refuses: plays_all,
    instant: never,
    make: |parameter, setup| {
        let limits = parameter.parse().unwrap_or_default();
        Box::new(IterativeDeepening::new(limits, setup.clock.clone()))
    },
};

/// Threads that think about one position, at most.
const MOST_THREADS: usize = 256;

/// The least and the most places of a table, as powers of two: 16 kB and 32 MB.
const TABLE_BITS: std::ops::RangeInclusive<u32> = 10..=21;

/// Searches deeper and deeper until a limit is reached, and keeps what it found for the next time.
pub struct IterativeDeepening {
    limits: Limits,
    threads: usize,
    table: TranspositionTable,
    endgame: EndgameSolver,
    is_used: bool,
    clock: Arc<dyn Clock>,
}

impl IterativeDeepening {
    /// Within these limits, in one thread. What it remembers takes 16 MB, up to 32 where more than a
    /// million nodes are allowed, and on nine boards up to 8 more.
    pub fn new(limits: Limits, clock: Arc<dyn Clock>) -> IterativeDeepening {
        IterativeDeepening::in_memory(limits, usize::MAX, clock)
    }

    /// The same, remembering no more than fits into so many bytes; with less than 160 kB it may still
    /// take up to that.
    pub fn in_memory(limits: Limits, memory: usize, clock: Arc<dyn Clock>) -> IterativeDeepening {
        IterativeDeepening {
            limits,
            threads: 1,
            table: TranspositionTable::new(table_bits(&limits, memory)),
            endgame: EndgameSolver::in_memory(memory / 2),
            is_used: false,
            clock,
        }
    }

    /// In so many threads, of which 256 are the most. With more than one the same limits need not
    /// give the same answer.
    pub fn with_threads(mut self, threads: usize) -> IterativeDeepening {
        self.set_threads(threads);
        self
    }

    /// From now on in so many threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, MOST_THREADS);
    }

    /// From now on within these limits.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Whether one that is made for these limits and this memory has as much room for what it remembers.
    pub fn is_as_large(&self, limits: &Limits, memory: usize) -> bool {
        self.table.bits() == table_bits(limits, memory) && self.endgame.is_as_large(memory / 2)
    }

    /// Forgets all that it found, for another game.
    pub fn forget(&mut self) {
        if self.is_used {
            self.table.clear();
            self.endgame.clear();
            self.is_used = false;
        }
    }

    /// What a game that goes on is worth, and the best line.
    pub fn analyze(&mut self, game: &Game, stop: &Stop) -> Analysis {
        self.think(Aim::Value, game, stop)
    }

    /// The move to play in a game that goes on. Where there is but one to choose it is played at once.
    ///
    /// With a `usual` time the limit is only for need, and what is saved can be spent on another
    /// move: it stops where another depth would hardly be done, sooner where the best move has been
    /// the same for long, and goes on where its value falls.
    pub fn find_move(&mut self, game: &Game, usual: Option<Duration>, stop: &Stop) -> Analysis {
        self.think(Aim::Move { usual }, game, stop)
    }

    fn think(&mut self, aim: Aim, game: &Game, stop: &Stop) -> Analysis {
        self.is_used = true;
        let solved = self
            .endgame
            .solve_connect_four(game, &self.limits, stop, &*self.clock);
        if let Some(analysis) = solved {
            return analysis;
        }
        let thinking = Thinking {
            limits: self.limits,
            width: Width::Selective,
            table: &self.table,
            stop,
            clock: &*self.clock,
        };
        search_for(aim, self.threads, Some(&mut self.endgame), game, thinking)
    }
}

/// How large a table is, as a power of two: a place for every node, within reason, in one half of the
/// memory. The other is for what the endgames take.
fn table_bits(limits: &Limits, memory: usize) -> u32 {
    let wanted = match limits.nodes {
        Some(nodes) => nodes.max(1).ilog2(),
        None => 20,
    };
    let bits = wanted.min(TranspositionTable::largest(memory / 2));
    bits.clamp(*TABLE_BITS.start(), *TABLE_BITS.end())
}

impl Strategy for IterativeDeepening {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        let analysis = self.find_move(game, None, stop);
        Decision {
            at: analysis.line[0],
            analysis: Some(analysis),
        }
    }
}

/// What a game that goes on is worth, and the best line, as far as the limits allow.
pub fn analyze(game: &Game, limits: Limits, stop: &Stop, clock: Arc<dyn Clock>) -> Analysis {
    IterativeDeepening::new(limits, clock).analyze(game, stop)
}

fn write_limits(limits: &Limits) -> String {
    match (limits.nodes, limits.time.unwrap_or_default().as_millis()) {
        (Some(nodes), _) => format!("{nodes}n"),
        (None, ms) if ms % 1000 == 0 => format!("{}s", ms / 1000),
        (None, ms) => format!("{ms}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    /// What the table of a search takes that may use so many nodes and bytes.
    fn table(nodes: Option<u64>, memory: usize) -> usize {
        let limits = Limits {
            nodes,
            ..Limits::default()
        };
        let clock = Arc::new(SystemClock::default());
        16 << IterativeDeepening::in_memory(limits, memory, clock)
            .table
            .bits()
    }

    #[test]
    fn what_is_remembered_fits_into_the_memory() {
        const MB: usize = 1 << 20;
        assert_eq!(table(None, usize::MAX), 16 * MB);
        assert_eq!(table(None, 32 * MB), 16 * MB);
        assert_eq!(table(None, 32 * MB - 1), 8 * MB);
        assert_eq!(table(None, 3 * MB), MB);
        assert_eq!(table(Some(10_000_000_000), usize::MAX), 32 * MB);
        assert_eq!(table(Some(10_000_000_000), 20 * MB), 8 * MB);
        assert_eq!(table(Some(65_536), 20 * MB), MB);
        // It can't do without any.
        for memory in [0, 1, 15, 32 << 10] {
            assert_eq!(table(None, memory), 16 << 10);
        }
    }
}
