//! `perfect`: solves the position and plays a move that keeps the value of the position.
//!
//! `perfect` plays only some games: see [`refuses`]. It plays these games from every position, also from
//! positions that occur only after a rewind.

use std::collections::HashMap;
use std::sync::Arc;

use noughts_rules::{Game, GridSpec, Move, Outcome, Play, Side, Variant, dispatch};

use crate::analysis::{Analysis, Value};
use crate::clock::Clock;
use crate::features::{Candidate, Features, Searchable};
use crate::registry::{StrategyKind, no_parameter};
use crate::search::{Limits, MoveSelection, SearchContext, search};
use crate::search_board::SearchBoard;
use crate::solver::{Budget, ConnectFour, GameValue, Solver};
use crate::strategy::{Decision, Stop, Strategy};
use crate::transposition_table::{Bound, TranspositionTable};

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "perfect",
    syntax: "perfect",
    description: "solves small games for two; never plays a move that makes the result worse",
    parameter: no_parameter,
    refuses,
    instant: |game| position_number(game).is_some(),
    make: |_, setup| {
        Box::new(Perfect {
            answers: HashMap::new(),
            results: None,
            distances: None,
            clock: setup.clock.clone(),
        })
    },
};

/// Number of nodes between two checks of `Stop`.
const NODES_PER_CHECK: u64 = 128;

/// `perfect` quickly solves every game for two sides on one board with at most this many cells, with any
/// suffix.
const MAX_CELLS_OF_ANY_GAME: usize = 12;

/// The Connect Four solver solves the empty board in about a second if the board has at most this many cells.
const MAX_CELLS_OF_CONNECT_FOUR: usize = 30;

/// Node limit of the search for the distance of a known win or loss in Connect Four. This search takes about
/// 20 ms.
pub(crate) const DISTANCE_NODES: u64 = 300_000;

/// Maximum size of the solver's table in bytes.
pub(crate) const SOLVER_MEMORY: usize = 64 << 20;

/// Alpha-beta solves the games with at most this many cells, and keeps its table from move to move.
/// Proof-number search solves the larger games.
const MAX_CELLS_FOR_ALPHA_BETA: usize = 16;

/// The binary logarithm of the number of slots of the table for alpha-beta. The table takes 16 megabytes.
const TABLE_BITS: u32 = 20;

/// Like `TABLE_BITS`, but for boards of up to nine cells. The table takes only 256 kilobytes, because a
/// server keeps one instance of this strategy for each variant of this size.
const SMALL_TABLE_BITS: u32 = 14;

fn refuses(game: &Game) -> Option<String> {
    let is_solvable = match game.variant() {
        Variant::Grid(spec) if spec.sides() == 2 => {
            spec.cells() <= MAX_CELLS_OF_ANY_GAME
                || is_solved_quickly(spec)
                || ConnectFour::supports(game.variant()) && is_connect_four_solved_quickly(spec)
        }
        Variant::Grid(_) | Variant::Nested(_) => false,
    };
    let takes_turns = game.order() == [Side::FIRST, Side::SECOND];
    if is_solvable && takes_turns {
        return None;
    }
    Some(
        "it solves games for two players who take turns: any game with up to 12 cells; without a suffix, boards up to 7x7 except 7x7k5, and up to 8x8 with lines of six or more; four in a line with gravity on boards up to 7x6 and on others of up to 30 cells"
            .to_owned(),
    )
}

/// Whether this is a board without a suffix on which the solver answers every position within a second. The
/// slowest of 300 random positions took 0.1 s on boards up to 6x6, 0.8 s (on 7x6k4) on boards with 7 columns
/// or 7 rows, and 0.1 s on 8x8k6 (`cargo xtask bench solve positions`). 7x7k5 is left out because its first
/// position takes longer.
fn is_solved_quickly(spec: &GridSpec) -> bool {
    let (columns, rows, line) = (spec.columns() as u8, spec.rows() as u8, spec.line() as u8);
    let is_small = match (columns.max(rows), columns.min(rows)) {
        (..=6, _) => true,
        (7, 7) => line != 5,
        (7, _) => true,
        (8, _) => line >= 6,
        (9.., _) => false,
    };
    is_small && GridSpec::new(columns, rows, line) == Ok(*spec)
}

/// True for boards up to 7x6 and for other boards of at most 30 cells. Some boards up to 7x6 have an [opening
/// book](crate::solver::ConnectFour).
fn is_connect_four_solved_quickly(spec: &GridSpec) -> bool {
    spec.columns() <= 7 && spec.rows() <= 6 || spec.cells() <= MAX_CELLS_OF_CONNECT_FOUR
}

struct Perfect {
    /// Answers on boards of up to nine cells, by [`position_number`].
    answers: HashMap<u32, Decision>,
    /// The table of [`ExactSearch`]: win, draw or loss of positions.
    results: Option<TranspositionTable>,
    /// The table of the search in [`Perfect::with_distance`].
    distances: Option<TranspositionTable>,
    clock: Arc<dyn Clock>,
}

/// Limits of the search for the distance of a known win or loss.
const DISTANCE_LIMITS: Limits = Limits {
    depth: None,
    nodes: Some(20_000),
    time: None,
};

impl Strategy for Perfect {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        let Some(number) = position_number(game) else {
            return self.decide(game, stop);
        };
        if let Some(decision) = self.answers.get(&number) {
            return decision.clone();
        }
        let decision = self.decide(game, stop);
        if !stop.is_set() {
            self.answers.insert(number, decision.clone());
        }
        decision
    }
}

/// A number that identifies a position on a board of up to nine cells; `None` on larger boards, and for games that
/// start from a given position. Fewer than 7 000 positions can occur in such a game, so the answers take about a
/// megabyte at most.
fn position_number(game: &Game) -> Option<u32> {
    if game.variant().cells() > 9 || game.start().is_some() {
        return None;
    }
    let to_move = u32::from(game.to_move()?.0);
    let digit = |play: &Play| (play.by.index() as u32 + 1) * 3u32.pow(play.at.index() as u32);
    Some(game.plays().iter().map(digit).sum::<u32>() * 2 + to_move)
}

impl Perfect {
    fn decide(&mut self, game: &Game, stop: &Stop) -> Decision {
        if let Some(decision) = self.choose_in_connect_four(game, stop) {
            return decision;
        }
        let started = self.clock.now();
        let ((best, result), nodes) = self.solve(game, stop);
        let solved = Analysis {
            value: value_without_distance(result),
            line: vec![best],
            depth: 0,
            nodes,
            time: self.clock.now().saturating_sub(started),
            moves: Vec::new(),
        };
        let analysis = match result {
            0 => solved,
            _ => self.with_distance(game, stop, solved),
        };
        Decision {
            at: analysis.line[0],
            analysis: Some(analysis),
        }
    }

    /// A move by the Connect Four solver; `None` in other games, and if the solver was stopped.
    fn choose_in_connect_four(&self, game: &Game, stop: &Stop) -> Option<Decision> {
        let started = self.clock.now();
        // Every move uses a new solver, so the answer depends only on the position.
        let mut solver = ConnectFour::new(game.variant(), SOLVER_MEMORY)?;
        let marks = solver.marks(&game.diagram());
        let choice = solver
            .choose(marks, DISTANCE_NODES, &mut |_, _| stop.is_set())
            .ok()?;
        let value = match (choice.value, choice.distance) {
            (GameValue::Win, Some(plies)) => Value::Win { plies },
            (GameValue::Loss, Some(plies)) => Value::Loss { plies },
            (GameValue::Win, None) => value_without_distance(1),
            (GameValue::Loss, None) => value_without_distance(-1),
            (GameValue::Draw, _) => Value::Draw,
        };
        Some(Decision {
            at: choice.at,
            analysis: Some(Analysis {
                value,
                line: vec![choice.at],
                depth: choice.distance.unwrap_or(0),
                nodes: solver.nodes(),
                time: self.clock.now().saturating_sub(started),
                moves: Vec::new(),
            }),
        })
    }

    /// A best move with its result (1, 0 or -1), and the number of positions searched.
    fn solve(&mut self, game: &Game, stop: &Stop) -> ((Move, i32), u64) {
        if game.variant().cells() > MAX_CELLS_FOR_ALPHA_BETA
            && let Some(found) = self.ask_solver(game, stop)
        {
            return found;
        }
        let bits = match position_number(game) {
            Some(_) => SMALL_TABLE_BITS,
            None => TABLE_BITS,
        };
        dispatch!(game.timeline(), timeline => {
            let mut search = ExactSearch {
                board: SearchBoard::new(game, timeline),
                table: self.results.get_or_insert_with(|| TranspositionTable::new(bits)),
                nodes: 0,
                stop,
                stopped: false,
            };
            (search.best(), search.nodes)
        })
    }

    /// Like `solve`, but uses the [solver](crate::solver); `None` if the solver was stopped.
    fn ask_solver(&self, game: &Game, stop: &Stop) -> Option<((Move, i32), u64)> {
        let budget = Budget {
            memory: SOLVER_MEMORY,
            ..Budget::default()
        };
        let mut solver = Solver::new(game.variant(), Some(game.diagram()), budget).ok()?;
        let found = solver.solve(stop, &*self.clock, &mut |_| {});
        let result = match found.value()? {
            GameValue::Win => 1,
            GameValue::Draw => 0,
            GameValue::Loss => -1,
        };
        Some(((found.best?, result), found.nodes))
    }

    /// Searches for the quickest win or the latest loss. Returns `solved` if the search does not find the distance
    /// within [`DISTANCE_LIMITS`].
    fn with_distance(&mut self, game: &Game, stop: &Stop, solved: Analysis) -> Analysis {
        let context = SearchContext {
            limits: DISTANCE_LIMITS,
            move_selection: MoveSelection::All,
            table: self
                .distances
                .get_or_insert_with(|| TranspositionTable::new(16)),
            stop,
            clock: &*self.clock,
        };
        let found = search(game, context);
        match (found.value, solved.value) {
            (Value::Win { .. }, Value::Estimate(1..)) => found,
            (Value::Loss { .. }, Value::Estimate(..0)) => found,
            _ => solved,
        }
    }
}

/// The value for a result of 1 (win), 0 (draw) or -1 (loss). A win or a loss of unknown distance becomes an estimate of
/// 10 000 or -10 000.
fn value_without_distance(result: i32) -> Value {
    match result {
        0 => Value::Draw,
        1.. => Value::Estimate(10_000),
        ..0 => Value::Estimate(-10_000),
    }
}

/// Alpha-beta to the end of the game. Win, draw and loss are 1, 0 and -1.
struct ExactSearch<'t, R: Searchable> {
    board: SearchBoard<R>,
    table: &'t mut TranspositionTable,
    nodes: u64,
    stop: &'t Stop,
    /// Whether `stop` was set. If so, values returned from now on are meaningless.
    stopped: bool,
}

impl<R: Searchable> ExactSearch<'_, R> {
    /// The most promising move among the moves that keep the result, and this result (1, 0 or -1).
    fn best(&mut self) -> (Move, i32) {
        let list = self.list();
        let mut best = (list[0].at, -1);
        let mut found = -2;
        for candidate in list {
            let value = self.child(candidate.at, found.max(-1), 1);
            if self.stopped {
                break;
            }
            if value > found {
                found = value;
                best = (candidate.at, value);
            }
            if found == 1 {
                break;
            }
        }
        best
    }

    fn list(&self) -> Vec<Candidate> {
        let mut list = Vec::new();
        let (features, rules) = (self.board.features(), self.board.rules());
        let rival = Some(self.board.next_to_move());
        features.forced(rules, self.board.position(), rival, &mut list);
        if list.is_empty() {
            features.candidates(rules, self.board.position(), usize::MAX, &mut list);
        }
        list.sort_unstable_by_key(|candidate| (-candidate.move_score, candidate.at));
        list
    }

    fn child(&mut self, at: Move, alpha: i32, beta: i32) -> i32 {
        self.board.play(at);
        let value = -self.value(-beta, -alpha);
        self.board.take_back();
        value
    }

    fn value(&mut self, mut alpha: i32, mut beta: i32) -> i32 {
        self.nodes += 1;
        self.stopped |= self.nodes.is_multiple_of(NODES_PER_CHECK) && self.stop.is_set();
        if self.stopped {
            return 0;
        }
        let side = self.board.to_move();
        match self.board.outcome() {
            Some(Outcome::Draw) => return 0,
            Some(Outcome::Won(sides)) => return if sides.contains(side) { 1 } else { -1 },
            None => {}
        }
        let features = self.board.features();
        if !features.can_win(side) {
            beta = beta.min(0);
        }
        if !features.can_win(side.next(2)) {
            alpha = alpha.max(0);
        }
        if alpha >= beta {
            return alpha.max(beta).clamp(-1, 1);
        }
        let (key, symmetry) = self.board.key();
        if let Some(entry) = self.table.get(key) {
            match entry.bound() {
                Bound::Exact => return entry.value,
                Bound::AtLeast => alpha = alpha.max(entry.value),
                Bound::AtMost => beta = beta.min(entry.value),
            }
            if alpha >= beta {
                return entry.value;
            }
        }
        let floor = alpha;
        let mut best = (-2, None);
        for candidate in self.list() {
            let value = self.child(candidate.at, alpha, beta);
            if self.stopped {
                return 0;
            }
            if value > best.0 {
                best = (value, Some(candidate.at));
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                break;
            }
        }
        let bound = match best.0 {
            1 | -1 if best.0 >= beta || best.0 > floor => Bound::Exact,
            value if value >= beta => Bound::AtLeast,
            value if value > floor => Bound::Exact,
            _ => Bound::AtMost,
        };
        let at = best
            .1
            .map(|at| self.board.features().map_move(symmetry, at));
        self.table.put(key, best.0, 255, bound, at);
        best.0
    }
}
