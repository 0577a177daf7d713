//! `search:200ms`, `search:500000n`: iterative deepening within a limit.

use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Game;

use crate::analysis::Analysis;
use crate::clock::Clock;
use crate::endgame::EndgameSolver;
use crate::registry::{StrategyKind, never, plays_all};
use crate::search::{Limits, MoveSelection, SearchContext, SearchPurpose, search_for};
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

/// Maximum number of threads of one search.
const MAX_THREADS: usize = 256;

/// Minimum and maximum size of the transposition table, as the binary logarithm of the number of slots. The
/// table takes from 16 kB to 32 MB.
const TABLE_BITS: std::ops::RangeInclusive<u32> = 10..=21;

/// Searches one ply deeper in each iteration until a limit is reached. Keeps its transposition table for the
/// next move.
pub struct IterativeDeepening {
    limits: Limits,
    threads: usize,
    table: TranspositionTable,
    endgame: EndgameSolver,
    is_used: bool,
    clock: Arc<dyn Clock>,
}

impl IterativeDeepening {
    /// A search in one thread. The transposition table takes 16 MB without a node limit, and between 16 kB and 32 MB
    /// with a node limit. On nine boards and in Connect Four the solver's table takes up to 8 MB more.
    pub fn new(limits: Limits, clock: Arc<dyn Clock>) -> IterativeDeepening {
        IterativeDeepening::with_memory(limits, usize::MAX, clock)
    }

    /// A search whose tables take at most `memory` bytes. If `memory` is small, the tables take more: the transposition
    /// table at least 16 kB, and the solver's table at least 64 kB on nine boards and 512 kB in Connect Four.
    pub fn with_memory(limits: Limits, memory: usize, clock: Arc<dyn Clock>) -> IterativeDeepening {
        IterativeDeepening {
            limits,
            threads: 1,
            table: TranspositionTable::new(table_bits(&limits, memory)),
            endgame: EndgameSolver::with_memory(memory / 2),
            is_used: false,
            clock,
        }
    }

    /// Sets the number of threads, at most 256. With more than one thread, two searches with the same limits may give
    /// different answers.
    pub fn with_threads(mut self, threads: usize) -> IterativeDeepening {
        self.set_threads(threads);
        self
    }

    /// Sets the number of threads, at most 256.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, MAX_THREADS);
    }

    /// Sets the limits of later searches.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Whether a new search with these limits and this memory limit would have tables as large as the tables
    /// of this search.
    pub fn has_size_for(&self, limits: &Limits, memory: usize) -> bool {
        self.table.bits() == table_bits(limits, memory) && self.endgame.has_size_for(memory / 2)
    }

    /// Clears the tables, for a new game.
    pub fn clear(&mut self) {
        if self.is_used {
            self.table.clear();
            self.endgame.clear();
            self.is_used = false;
        }
    }

    /// Analyzes a game that is not over.
    pub fn analyze(&mut self, game: &Game, stop: &Stop) -> Analysis {
        self.think(SearchPurpose::Value, game, stop)
    }

    /// Searches for a move in a game that is not over. If there is only one sensible move, the search ends early.
    ///
    /// With a `usual` time per move, the time limit is only an upper bound. The search stops early if the next depth
    /// would probably not finish, or if the best move has not changed for some depths. The search takes longer if the
    /// value falls.
    pub fn find_move(&mut self, game: &Game, usual: Option<Duration>, stop: &Stop) -> Analysis {
        self.think(SearchPurpose::Move { usual }, game, stop)
    }

    fn think(&mut self, purpose: SearchPurpose, game: &Game, stop: &Stop) -> Analysis {
        self.is_used = true;
        let wants_moves = matches!(purpose, SearchPurpose::Value);
        let started = self.clock.now();
        let solved =
            self.endgame
                .solve_connect_four(game, wants_moves, &self.limits, stop, &*self.clock);
        if let Some(analysis) = solved {
            return analysis;
        }
        let used = self.clock.now().saturating_sub(started);
        let left = |time: Duration| time.saturating_sub(used).max(time / 10);
        let context = SearchContext {
            limits: Limits {
                time: self.limits.time.map(left),
                ..self.limits
            },
            move_selection: MoveSelection::Promising,
            table: &self.table,
            stop,
            clock: &*self.clock,
        };
        let mut analysis = search_for(
            purpose,
            self.threads,
            Some(&mut self.endgame),
            game,
            context,
        );
        analysis.time += used;
        analysis
    }
}

/// The size of the transposition table, as the binary logarithm of the number of slots. With a node limit, the table
/// has about one slot per node, if the other limits on its size allow it. It takes at most half of the memory. The
/// endgame solver may use the other half.
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

/// Analyzes a game that is not over, within these limits.
///
/// ```
/// use std::sync::Arc;
/// use noughts_engine::{Stop, SystemClock, Value, analyze};
/// use noughts_rules::{Game, Options, Variant};
///
/// let variant: Variant = "3x3k3".parse()?;
/// let game = Game::new(&variant, Options::default())?;
/// let analysis = analyze(&game, "100000n".parse()?, &Stop::new(), Arc::new(SystemClock::default()));
/// assert_eq!(analysis.value, Value::Draw);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// The size of the transposition table in bytes for a node limit and a memory limit.
    fn table(nodes: Option<u64>, memory: usize) -> usize {
        let limits = Limits {
            nodes,
            ..Limits::default()
        };
        let clock = Arc::new(SystemClock::default());
        16 << IterativeDeepening::with_memory(limits, memory, clock)
            .table
            .bits()
    }

    #[test]
    fn tables_fit_into_the_memory() {
        const MB: usize = 1 << 20;
        assert_eq!(table(None, usize::MAX), 16 * MB);
        assert_eq!(table(None, 32 * MB), 16 * MB);
        assert_eq!(table(None, 32 * MB - 1), 8 * MB);
        assert_eq!(table(None, 3 * MB), MB);
        assert_eq!(table(Some(10_000_000_000), usize::MAX), 32 * MB);
        assert_eq!(table(Some(10_000_000_000), 20 * MB), 8 * MB);
        assert_eq!(table(Some(65_536), 20 * MB), MB);
        // The smallest table.
        for memory in [0, 1, 15, 32 << 10] {
            assert_eq!(table(None, memory), 16 << 10);
        }
    }
}
