//! Exact values near the end of a game: in games on nine boards and in Connect Four, the solver runs before the
//! search.

use std::time::Duration;

use noughts_rules::{BoardState, Diagram, Game, Side, Variant};

use crate::analysis::{Analysis, Value, best_distance};
use crate::clock::Clock;
use crate::search::Limits;
use crate::solver::{Budget, ConnectFour, SolvedPosition, Solver};
use crate::strategy::Stop;

/// The solvers for endgames: one for nine boards and one for Connect Four. Each solver keeps its
/// transposition table from move to move.
pub(crate) struct EndgameSolver {
    solver: Option<(Variant, Solver)>,
    connect_four: Option<(Variant, ConnectFour)>,
    /// Maximum size of a transposition table in bytes.
    memory: u64,
}

/// The number of positions that the solver is expected to search in an endgame with 15 free cells. Each
/// further free cell multiplies this number by 1.5. About half of the endgames need no more positions than
/// this estimate (`cargo xtask bench solve endgames multi`). The solver starts
/// when the estimate fits its budget, so a higher estimate makes it start later. With an estimate ten times as
/// high, `search:10000n` was not stronger than without the solver (400 games).
const NODES_AT_15: u64 = 150;

/// The number of positions that a slow machine searches per millisecond.
const NODES_PER_MS: u64 = 400;

/// A solver starts only if the time limit of the search is at least this number of milliseconds. The solver
/// gets at least half of the limit. It reads the clock only every 1 000 to 4 000 positions, so it could
/// exceed a shorter limit.
const MIN_MS: u64 = 20;
const MIN_NODES: u64 = 512;

/// Minimum and maximum memory limit of a solver, in bytes. Within these limits a solver gets 64 bytes for each node of
/// its budget.
const MIN_MEMORY: u64 = 1 << 16;
const MAX_MEMORY: u64 = 8 << 20;

impl EndgameSolver {
    /// Solvers with a memory limit of `bytes` bytes for each transposition table. A limit below 64 kB is raised to 64
    /// kB, and a limit above 8 MB is lowered to 8 MB. The table for Connect Four always takes at least 512 kB.
    pub(crate) fn with_memory(bytes: usize) -> EndgameSolver {
        EndgameSolver {
            solver: None,
            connect_four: None,
            memory: EndgameSolver::room(bytes),
        }
    }

    /// True if these solvers already have the memory limit that `with_memory(bytes)` would set.
    pub(crate) fn has_size_for(&self, bytes: usize) -> bool {
        self.memory == EndgameSolver::room(bytes)
    }

    fn room(bytes: usize) -> u64 {
        (bytes as u64).clamp(MIN_MEMORY, MAX_MEMORY)
    }

    /// Drops both solvers with their transposition tables.
    pub(crate) fn clear(&mut self) {
        self.solver = None;
        self.connect_four = None;
    }

    /// Tries to solve a game on nine boards with half of the limits of the search. The solver does not start
    /// in four cases: half of the limits is unlikely to suffice, there is a depth limit, there is neither a
    /// time limit nor a node limit, or the sides do not alternate. Returns the solution, if found, and the
    /// number of positions searched.
    pub(crate) fn solve_nested(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &Stop,
        clock: &dyn Clock,
    ) -> (Option<SolvedPosition>, u64) {
        let variant = *game.variant();
        let regular = game.order() == [Side::FIRST, Side::SECOND];
        if !matches!(variant, Variant::Nested(_)) || !regular || limits.depth.is_some() {
            return (None, 0);
        }
        let Some(budget) = half_budget(limits, self.memory, NODES_PER_MS) else {
            return (None, 0);
        };
        let position = game.diagram();
        if free(&position) > max_free(budget.nodes.unwrap_or(0)) {
            return (None, 0);
        }
        let kept = self.solver.take().filter(|(of, _)| *of == variant);
        let solver = match kept {
            Some((_, mut solver)) => solver.set_position(position).map(|()| solver),
            None => Solver::new(&variant, Some(position), budget),
        };
        let Ok(mut solver) = solver else {
            return (None, 0);
        };
        solver.set_budget(budget);
        let found = solver.solve_moves(stop, clock);
        self.solver = Some((variant, solver));
        found
    }
}

/// The number of nodes that the solver is expected to search in a Connect Four position with 16 free cells or
/// fewer. Each further free cell multiplies this number by 1.5. The estimate is low: finding the value and
/// the distance takes 1 086 nodes (median) with 16 free cells, 4 370 nodes with 20 and 28 389 nodes with 25.
/// These numbers are from the public test set "middle-medium".
const CONNECT_FOUR_NODES_AT_16: u64 = 500;

/// The number of nodes that the solver is expected to search in a Connect Four position whose value follows
/// from the opening book.
const CONNECT_FOUR_NODES_IN_BOOK: u64 = 5_000;

/// Nodes that the Connect Four solver searches per millisecond on a slow machine.
const CONNECT_FOUR_NODES_PER_MS: u64 = 4_000;

impl EndgameSolver {
    /// The exact value of a Connect Four position, if the solver finds it within half of the limits of the
    /// search. Returns `None` without a search in five cases: the game is not Connect Four, there is a depth
    /// limit, there is neither a time limit nor a node limit, the sides do not alternate, or half of the
    /// limits is unlikely to suffice. With `wants_moves`, the analysis has the values of all moves, and the
    /// solver may use nine tenths of the time limit instead of half. Without `wants_moves`, the analysis has
    /// only one best move.
    pub(crate) fn solve_connect_four(
        &mut self,
        game: &Game,
        wants_moves: bool,
        limits: &Limits,
        stop: &Stop,
        clock: &dyn Clock,
    ) -> Option<Analysis> {
        let variant = *game.variant();
        let is_regular = game.order() == [Side::FIRST, Side::SECOND];
        if !ConnectFour::supports(&variant) || !is_regular || limits.depth.is_some() {
            return None;
        }
        let budget = half_budget(limits, self.memory, CONNECT_FOUR_NODES_PER_MS)?;
        // Start the time before the first use of the book, because the first use unpacks the book.
        let started = clock.now();
        let kept = self.connect_four.take().filter(|(of, _)| *of == variant);
        let (_, solver) = self.connect_four.insert(match kept {
            Some(kept) => kept,
            None => (variant, ConnectFour::new(&variant, budget.memory)?),
        });
        let marks = solver.marks(&game.diagram());
        let expected = match solver.is_in_book(marks) {
            true => CONNECT_FOUR_NODES_IN_BOOK,
            false => expected_nodes(solver.free(marks)),
        };
        if expected > budget.nodes.unwrap_or(0) {
            return None;
        }
        let from = solver.nodes();
        let max_nodes = limits.nodes.map(|nodes| nodes / 2);
        let max_time = match wants_moves {
            true => limits.time.map(|time| time * 9 / 10),
            false => budget.time,
        };
        let mut should_stop = |nodes: u64, _| {
            let time = clock.now().saturating_sub(started);
            stop.is_set()
                || max_time.is_some_and(|limit| time >= limit)
                || max_nodes.is_some_and(|limit| nodes - from >= limit)
        };
        let moves = match wants_moves {
            true => solver.move_values(marks, &mut should_stop).ok()?,
            false => vec![solver.choose(marks, u64::MAX, &mut should_stop).ok()?],
        };
        let best = *moves.first()?;
        let distance = best_distance(&moves);
        Some(Analysis {
            value: Value::of_exact(best.value, distance),
            line: solver.line_after(marks, best, &mut should_stop),
            depth: distance.unwrap_or(0),
            nodes: solver.nodes() - from,
            time: clock.now().saturating_sub(started),
            moves: if wants_moves { moves } else { Vec::new() },
        })
    }
}

/// Whether an analysis of this variant gives the exact value of every move, if the limits of the analysis suffice. True
/// for four in a line with gravity between two sides, on a board that fits into 64 bits.
pub fn is_solved_exactly(variant: &Variant) -> bool {
    ConnectFour::supports(variant)
}

/// Whether the exact values of all moves at the beginning of the game follow from an opening book.
pub fn has_opening_book(variant: &Variant) -> bool {
    ConnectFour::has_openings(variant)
}

fn expected_nodes(free: u32) -> u64 {
    (16..free).fold(CONNECT_FOUR_NODES_AT_16, |nodes, _| {
        nodes.saturating_add(nodes / 2)
    })
}

/// A budget of half of the limits. `None` if half of the limits is too little to start a solver, or if there
/// is neither a time limit nor a node limit.
fn half_budget(limits: &Limits, memory: u64, nodes_per_ms: u64) -> Option<Budget> {
    let time = limits.time.map(|time| time / 2);
    let by_time = time.map(|time| time.as_millis() as u64 * nodes_per_ms);
    let by_count = limits.nodes.map(|nodes| nodes / 2);
    let nodes = match (by_count, by_time) {
        (Some(count), Some(time)) => count.min(time),
        (Some(nodes), None) | (None, Some(nodes)) => nodes,
        (None, None) => return None,
    };
    let enough = time.is_none_or(|time| time >= Duration::from_millis(MIN_MS / 2));
    (enough && nodes >= MIN_NODES).then_some(Budget {
        memory: (64 * nodes).clamp(MIN_MEMORY, memory) as usize,
        time,
        nodes: Some(nodes),
        threads: 1,
    })
}

/// The largest number of free cells for which the solver is expected to search at most `nodes` positions.
fn max_free(nodes: u64) -> usize {
    let (mut free, mut needed) = (15, NODES_AT_15);
    while needed <= nodes && free <= 81 {
        free += 1;
        needed += needed / 2;
    }
    free - 1
}

/// The number of empty cells on open boards.
fn free(position: &Diagram) -> usize {
    let boards = position.boards();
    let cells = position.marks.iter().enumerate();
    cells
        .filter(|(at, mark)| mark.is_none() && boards[at / 9] == BoardState::Open)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_nodes_solve_longer_endgames() {
        assert_eq!(max_free(149), 14);
        assert_eq!(max_free(150), 15);
        assert_eq!(max_free(225), 16);
        assert!(max_free(50_000) < max_free(500_000));
        assert_eq!(max_free(u64::MAX), 81);
    }
}
