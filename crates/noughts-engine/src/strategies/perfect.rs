//! `perfect`: solves the game, and never gives away what it is worth.
//!
//! It promises that for a fixed list of games: all for two sides with up to 12 cells, and without a suffix boards up
//! to 7x7 but one, and some larger. It answers every position of them, also those that only a rewind can make.

use std::collections::HashMap;
use std::sync::Arc;

use noughts_rules::{Game, GridSpec, Move, Outcome, Play, Side, Variant, dispatch};

use crate::analysis::{Analysis, Value};
use crate::clock::Clock;
use crate::features::{Candidate, Features, Searchable};
use crate::registry::{StrategyKind, no_parameter};
use crate::search::{Limits, Thinking, Width, search};
use crate::search_board::SearchBoard;
use crate::solver::{Budget, ConnectFour, GameValue};
use crate::strategy::{Decision, Stop, Strategy};
use crate::transposition_table::{Bound, TranspositionTable};

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "perfect",
    syntax: "perfect",
    description: "solves small games for two and never loses what can be held",
    parameter: no_parameter,
    refuses,
    instant: |game| known_by_heart(game).is_some(),
    make: |_, setup| {
        Box::new(Perfect {
            by_heart: HashMap::new(),
            solved: None,
            quickest: None,
            clock: setup.clock.clone(),
        })
    },
};

/// How many nodes go by between two looks whether to stop.
const BETWEEN_LOOKS: u64 = 128;

/// Games with so many cells are solved at once, whatever their suffixes.
const ALWAYS_SOLVED: usize = 12;

/// Connect Four boards with this many cells are solved from the start in about a second: 5x6 took 0.5 s, 6x5 0.7 s and
/// 7x4 1.2 s on a busy machine.
const CONNECT_FOUR_CELLS: usize = 30;

/// Maximum number of nodes for the quickest win or the latest loss in Connect Four.
const DISTANCE_NODES: u64 = 1_000_000;

/// Every position of games with so many cells is remembered once it is met.
const REMEMBERED: usize = 16;

/// The size of the table behind that, as a power of two: 16 megabytes.
const PLACES: u32 = 20;

/// For boards whose positions have a number each, 256 kilobytes: a server has one such robot for each of
/// those games, and the classic game starts with one.
const FEW_PLACES: u32 = 14;

fn refuses(game: &Game) -> Option<String> {
    let promised = match game.variant() {
        Variant::Grid(spec) if spec.sides() == 2 => {
            spec.cells() <= ALWAYS_SOLVED
                || is_soon_solved(spec)
                || ConnectFour::fits(game.variant()) && spec.cells() <= CONNECT_FOUR_CELLS
        }
        Variant::Grid(_) | Variant::Nested(_) => false,
    };
    let regular = game.order() == [Side::FIRST, Side::SECOND];
    if promised && regular {
        return None;
    }
    Some(
        "it solves games for two players who take turns, with up to 12 cells, and without a suffix up to 7x7 but for 7x7k5, and up to 8x8 with lines of six and more, and four in a line with gravity on up to 30 cells"
            .to_owned(),
    )
}

/// Boards on which the solver answers every position at once: of 300 at random the slowest took 0.1 s up to 6x6, 0.8 s
/// with a side of 7, on 7x6k4, and 0.1 s on 8x8k6 (`cargo xtask bench solve positions`). 7x7k5 alone takes longer from
/// its start on.
fn is_soon_solved(spec: &GridSpec) -> bool {
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

struct Perfect {
    /// What it answered on the smallest boards, and will again.
    by_heart: HashMap<u32, Decision>,
    /// Win, draw or loss of every position met so far.
    solved: Option<TranspositionTable>,
    quickest: Option<TranspositionTable>,
    clock: Arc<dyn Clock>,
}

/// How long to look for the quickest way to a result that is known.
const QUICKEST: Limits = Limits {
    depth: None,
    nodes: Some(20_000),
    time: None,
};

impl Strategy for Perfect {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        let Some(known) = known_by_heart(game) else {
            return self.think(game, stop);
        };
        if let Some(decision) = self.by_heart.get(&known) {
            return decision.clone();
        }
        let decision = self.think(game, stop);
        if !stop.is_set() {
            self.by_heart.insert(known, decision.clone());
        }
        decision
    }
}

/// Positions of boards of up to nine cells have a number each: there are few enough of them to
/// remember what was answered. A million bytes at most, since no more than 2 x 3^9 can be.
fn known_by_heart(game: &Game) -> Option<u32> {
    if game.variant().cells() > 9 || game.start().is_some() {
        return None;
    }
    let to_move = u32::from(game.to_move()?.0);
    let place = |play: &Play| (play.by.index() as u32 + 1) * 3u32.pow(play.at.index() as u32);
    Some(game.plays().iter().map(place).sum::<u32>() * 2 + to_move)
}

impl Perfect {
    fn think(&mut self, game: &Game, stop: &Stop) -> Decision {
        let started = self.clock.now();
        let (best, nodes) = self.solve(game, stop);
        let result = Analysis {
            value: worth(best.1),
            line: vec![best.0],
            depth: 0,
            nodes,
            time: self.clock.now().saturating_sub(started),
        };
        let analysis = match best.1 {
            0 => result,
            _ => self.quickest(game, stop, result),
        };
        Decision {
            at: analysis.line[0],
            analysis: Some(analysis),
        }
    }

    /// A best move and what it is worth, 1, 0 or -1, with how many positions were looked at. Small games
    /// are remembered whole; on larger boards each position is solved anew.
    fn solve(&mut self, game: &Game, stop: &Stop) -> ((Move, i32), u64) {
        if game.variant().cells() > REMEMBERED
            && let Some(found) = self.prove(game, stop)
        {
            return found;
        }
        let places = match known_by_heart(game) {
            Some(_) => FEW_PLACES,
            None => PLACES,
        };
        dispatch!(game.timeline(), timeline => {
            let mut solver = Solver {
                board: SearchBoard::new(game, timeline),
                table: self.solved.get_or_insert_with(|| TranspositionTable::new(places)),
                nodes: 0,
                stop,
                stopped: false,
            };
            (solver.best(), solver.nodes)
        })
    }

    /// The same by proof numbers; `None` when it was told to stop.
    fn prove(&self, game: &Game, stop: &Stop) -> Option<((Move, i32), u64)> {
        let budget = Budget {
            memory: 64 << 20,
            ..Budget::default()
        };
        let mut solver =
            crate::solver::Solver::new(game.variant(), Some(game.diagram()), budget).ok()?;
        let mut found = solver.solve(stop, &*self.clock, &mut |_| {});
        if found.value() != Some(GameValue::Draw) && solver.find_distance().is_ok() {
            solver.set_budget(Budget {
                nodes: Some(DISTANCE_NODES),
                ..budget
            });
            let exact = solver.solve(stop, &*self.clock, &mut |_| {});
            if exact.distance.is_some() {
                found = exact;
            }
        }
        let value = match found.value()? {
            GameValue::Win => 1,
            GameValue::Draw => 0,
            GameValue::Loss => -1,
        };
        Some(((found.best?, value), found.nodes))
    }

    /// Of a game that is won or lost, the way that is quickest or takes longest, where it is soon
    /// found.
    fn quickest(&mut self, game: &Game, stop: &Stop, known: Analysis) -> Analysis {
        let thinking = Thinking {
            limits: QUICKEST,
            width: Width::Full,
            table: self
                .quickest
                .get_or_insert_with(|| TranspositionTable::new(16)),
            stop,
            clock: &*self.clock,
        };
        let found = search(game, thinking);
        match (found.value, known.value) {
            (Value::Win { .. }, Value::Estimate(1..)) => found,
            (Value::Loss { .. }, Value::Estimate(..0)) => found,
            _ => known,
        }
    }
}

/// A result without its distance.
fn worth(value: i32) -> Value {
    match value {
        0 => Value::Draw,
        _ if value > 0 => Value::Estimate(10_000),
        _ => Value::Estimate(-10_000),
    }
}

/// Win, draw and loss as 1, 0 and -1, by alpha-beta with a table that forgets nothing on purpose.
struct Solver<'t, R: Searchable> {
    board: SearchBoard<R>,
    table: &'t mut TranspositionTable,
    nodes: u64,
    stop: &'t Stop,
    /// Somebody wants an answer: what is returned from now on is nothing.
    stopped: bool,
}

impl<R: Searchable> Solver<'_, R> {
    /// The most promising of the moves that keep the result.
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
        list.sort_unstable_by_key(|candidate| (-candidate.promise, candidate.at));
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
        self.stopped |= self.nodes.is_multiple_of(BETWEEN_LOOKS) && self.stop.is_set();
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
        let at = best.1.map(|at| self.board.features().lay(symmetry, at));
        self.table.put(key, best.0, 255, bound, at);
        best.0
    }
}
