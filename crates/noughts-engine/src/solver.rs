//! Exact values (win, draw or loss with perfect play), and proofs of these values that an independent checker can
//! verify.
//!
//! A [`Solver`] answers at most two questions about a position by proof-number search (`dfpn`): can the side
//! to move force a win, and can the other side force a win? For plain grids the search also prunes by lines
//! and pairings (`plain_grid`, `pairing`), and Connect Four has its own solver (`connect_four`). For all
//! other games the search uses the rules of the game (`general`), and on nine boards also the state of each
//! board (`nested`).

mod best_moves;
mod connect_four;
mod dfpn;
mod dispatch;
mod general;
mod limits;
mod live_lines;
mod nested;
mod pairing;
mod plain_grid;
mod proof_number_table;
mod proof_writer;

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use noughts_rules::{
    AnyTimeline, Diagram, DiagramError, Move, Outcome, Rules, Side, Variant, dispatch,
};

use crate::clock::{Clock, SystemClock};
use crate::strategy::Stop;
pub(crate) use best_moves::SolvedPosition;
pub(crate) use connect_four::ConnectFour;
#[cfg(feature = "book")]
pub use connect_four::book::writer as book;
use connect_four::proof;
use dfpn::Dfpn;
use dispatch::{is_plain, with_position};
use limits::{HelperThread, Limits, MainThread, NodeLimit, Shared, Unlimited};
use proof_number_table::ProofNumberTable;

/// The value of a position for the side to move, with perfect play.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GameValue {
    /// The other side can force a win.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move can force a win.
    Win,
}

impl GameValue {
    /// The value for the opponent: a win becomes a loss, and a loss becomes a win.
    pub(crate) fn for_opponent(self) -> GameValue {
        match self {
            GameValue::Loss => GameValue::Win,
            GameValue::Draw => GameValue::Draw,
            GameValue::Win => GameValue::Loss,
        }
    }
}

impl fmt::Display for GameValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameValue::Loss => "loss",
            GameValue::Draw => "draw",
            GameValue::Win => "win",
        })
    }
}

/// The limits of a [`Solver`]: memory, time, positions and threads.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Maximum size of the transposition table in bytes, rounded down to a power of two. In Connect Four the table
    /// takes at least 512 kB.
    pub memory: usize,
    /// Maximum time of one call; `None` means no limit.
    pub time: Option<Duration>,
    /// Maximum number of positions that one call searches; `None` means no limit.
    pub nodes: Option<u64>,
    /// Number of threads. The Connect Four solver uses only one thread.
    pub threads: usize,
}

impl Budget {
    fn is_used_up(&self, time: Duration, nodes: u64) -> bool {
        self.time.is_some_and(|limit| time >= limit)
            || self.nodes.is_some_and(|limit| nodes >= limit)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            memory: 64 << 20,
            time: None,
            nodes: None,
            threads: 1,
        }
    }
}

/// The progress of a [`Solver`], for reports to the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Number of positions searched so far: in Connect Four by the current call, in other games by all calls of this
    /// solver.
    pub nodes: u64,
    /// The used part of the transposition table, in thousandths. In Connect Four, where the table grows, this
    /// number is the current size of the table, in thousandths of its maximum size.
    pub fill: u64,
    /// Time taken so far.
    pub time: Duration,
    /// The current question of the solver is whether this side can force a win.
    pub attacker: Side,
    /// A lower bound of the position's value.
    pub at_least: GameValue,
    /// An upper bound of the position's value.
    pub at_most: GameValue,
}

/// The result of a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// A lower bound of the position's value.
    pub at_least: GameValue,
    /// An upper bound of the position's value.
    pub at_most: GameValue,
    /// A move that keeps the value, as far as the value is known. `None` if the game is over or no such move was found.
    pub best: Option<Move>,
    /// A line of best play. The line may stop before the end of the game, because the search for its moves
    /// has a limit.
    pub line: Vec<Move>,
    /// The number of plies to the end, if the winner wins as early as possible and the loser loses as late as possible.
    /// `None` if [`find_distance`](Solver::find_distance) was not called, or if a limit ended the search.
    pub distance: Option<u32>,
    /// The number of positions that were searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl Solution {
    /// The value, if both bounds are equal; otherwise `None`.
    pub fn value(&self) -> Option<GameValue> {
        (self.at_least == self.at_most).then_some(self.at_least)
    }
}

/// Why a position cannot be solved.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unsolvable {
    /// The game has more than two sides, so perfect play is not defined. The value is the number of sides.
    Sides(u8),
    /// The board has more than 256 cells. The value is the number of its cells.
    Cells(usize),
    /// The solver finds distances only for Connect Four: see [`Solver::find_distance`].
    Distance,
    /// The position is not possible in this variant.
    Position(DiagramError),
}

/// Maximum number of cells of a board that the solver accepts.
const MAX_CELLS: usize = 256;

impl fmt::Display for Unsolvable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsolvable::Sides(sides) => write!(
                f,
                "only games for two sides can be solved, and this is for {sides}"
            ),
            Unsolvable::Cells(cells) => write!(
                f,
                "only boards of up to {MAX_CELLS} cells can be solved, and this has {cells}"
            ),
            Unsolvable::Distance => f.write_str(
                "the distance is known only for boards such as 7x6k4+gravity, with columns x (rows + 1) of at most 64",
            ),
            Unsolvable::Position(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Unsolvable {}

/// Solves one position at a time, with a transposition table of bounded size.
///
/// ```
/// use noughts_engine::{Budget, GameValue, Solver, Stop, SystemClock};
/// use noughts_rules::Variant;
///
/// let variant: Variant = "5x5k4".parse()?;
/// let mut solver = Solver::new(&variant, None, Budget::default())?;
/// let solution = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
/// assert_eq!(solution.value(), Some(GameValue::Draw));
/// let mut proof = Vec::new();
/// solver.prove(&mut proof)?;
/// assert!(proof.starts_with(b"noughts proof 1\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    variant: Variant,
    start: Diagram,
    budget: Budget,
    memory: ProofNumberTable,
    at_least: GameValue,
    at_most: GameValue,
    nodes: u64,
    /// The Connect Four solver, which is faster than proof-number search. `None` if it does not support the
    /// variant, and after [`use_proof_number_search`](Solver::use_proof_number_search).
    connect_four: Option<ConnectFour>,
    finds_distance: bool,
}

/// A function that the solver calls with its progress about every 1 000 positions. The Connect Four solver calls it
/// about every 4 000 positions.
pub type ProgressCallback<'a> = &'a mut (dyn FnMut(&Progress) + Send);

impl Solver {
    /// A solver for `position`, or for the variant's first position if `position` is `None`.
    pub fn new(
        variant: &Variant,
        position: Option<Diagram>,
        budget: Budget,
    ) -> Result<Solver, Unsolvable> {
        if variant.sides() != 2 {
            return Err(Unsolvable::Sides(variant.sides()));
        }
        if variant.cells() > MAX_CELLS {
            return Err(Unsolvable::Cells(variant.cells()));
        }
        let start = match position {
            Some(diagram) => {
                diagram.check(variant).map_err(Unsolvable::Position)?;
                diagram
            }
            None => first(variant),
        };
        Ok(Solver {
            variant: *variant,
            memory: ProofNumberTable::new(budget.memory.min(FIRST_MEMORY)),
            start,
            budget,
            at_least: GameValue::Loss,
            at_most: GameValue::Win,
            nodes: 0,
            connect_four: ConnectFour::new(variant, budget.memory),
            finds_distance: false,
        })
    }

    /// The position to solve.
    pub fn position(&self) -> &Diagram {
        &self.start
    }

    /// Sets the position to solve, which must be of the same variant. Keeps the transposition table. On an error
    /// nothing has changed.
    pub fn set_position(&mut self, position: Diagram) -> Result<(), Unsolvable> {
        position
            .check(&self.variant)
            .map_err(Unsolvable::Position)?;
        self.start = position;
        (self.at_least, self.at_most) = (GameValue::Loss, GameValue::Win);
        Ok(())
    }

    /// Makes later calls of `solve` also find the distance (the number of plies to the end). Fails in games
    /// other than Connect Four.
    pub fn find_distance(&mut self) -> Result<(), Unsolvable> {
        if self.connect_four.is_none() {
            return Err(Unsolvable::Distance);
        }
        self.finds_distance = true;
        Ok(())
    }

    /// Makes later calls use proof-number search for every variant. Only the table of proof-number search can be
    /// [saved](Solver::save).
    pub fn use_proof_number_search(&mut self) {
        self.connect_four = None;
        self.finds_distance = false;
    }

    /// Sets the budget for later calls. A smaller budget does not shrink the transposition table. In Connect Four the
    /// table keeps the maximum size that `new` set.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Searches until the position is solved, the budget is used up or `stop` is set. Another call continues the
    /// search, with a new budget of time and positions.
    pub fn solve(
        &mut self,
        stop: &Stop,
        clock: &dyn Clock,
        report: ProgressCallback<'_>,
    ) -> Solution {
        if self.connect_four.is_some() && self.over().is_none() {
            return self.solve_connect_four(stop, clock, report);
        }
        let started = clock.now();
        let nodes = self.nodes;
        self.decide(stop, clock, report);
        let line = self.line(stop);
        Solution {
            at_least: self.at_least,
            at_most: self.at_most,
            best: line.first().copied(),
            line,
            distance: (self.finds_distance && self.over().is_some()).then_some(0),
            nodes: self.nodes - nodes,
            time: clock.now().saturating_sub(started),
        }
    }

    fn solve_connect_four(
        &mut self,
        stop: &Stop,
        clock: &dyn Clock,
        report: ProgressCallback<'_>,
    ) -> Solution {
        let (started, budget) = (clock.now(), self.budget);
        let Some(solver) = &mut self.connect_four else {
            unreachable!("the caller has seen it");
        };
        let (marks, from, attacker) = (
            solver.marks(&self.start),
            solver.nodes(),
            self.start.to_move,
        );
        let mut should_stop = |nodes: u64, fill: u64| {
            let time = clock.now().saturating_sub(started);
            report(&Progress {
                nodes: nodes - from,
                fill,
                time,
                attacker,
                at_least: GameValue::Loss,
                at_most: GameValue::Win,
            });
            budget.is_used_up(time, nodes - from) || stop.is_set()
        };
        let found = solver.solve(marks, self.finds_distance, &mut should_stop);
        if let Some(found) = &found {
            (self.at_least, self.at_most) = (found.value, found.value);
        }
        let nodes = solver.nodes() - from;
        let line = found
            .as_ref()
            .map(|found| found.line.clone())
            .unwrap_or_default();
        Solution {
            at_least: self.at_least,
            at_most: self.at_most,
            best: line.first().copied(),
            line,
            distance: found.and_then(|found| found.distance),
            nodes,
            time: clock.now().saturating_sub(started),
        }
    }

    /// Narrows the bounds of the value as far as the budget allows.
    fn decide(&mut self, stop: &Stop, clock: &dyn Clock, report: ProgressCallback<'_>) {
        if let Some(value) = self.over() {
            (self.at_least, self.at_most) = (value, value);
        }
        let me = self.start.to_move;
        let other = me.next(2);
        let mut limits = Limits {
            stop,
            clock,
            started: clock.now(),
            from: self.nodes,
            report,
            budget: self.budget,
        };
        if self.at_most == GameValue::Win && self.at_least < GameValue::Win {
            match self.can_force_win(me, &mut limits) {
                Some(true) => self.at_least = GameValue::Win,
                Some(false) => self.at_most = GameValue::Draw,
                None => {}
            }
        }
        if self.at_most == GameValue::Draw && self.at_least == GameValue::Loss {
            let answer = if self.first_cannot_lose() {
                Some(false)
            } else {
                self.can_force_win(other, &mut limits)
            };
            match answer {
                Some(true) => self.at_most = GameValue::Loss,
                Some(false) => self.at_least = GameValue::Draw,
                None => {}
            }
        }
    }

    /// Writes a proof of the value, in the format of `docs/solving.md`. Writes nothing and returns `None` if
    /// the value is not known. Also changes the budget for later calls: no time limit, no node limit, and one
    /// thread.
    pub fn prove(&mut self, into: &mut dyn Write) -> io::Result<Option<()>> {
        self.budget = Budget {
            memory: self.budget.memory,
            ..Budget::default()
        };
        self.prove_within_budget(&Stop::new(), &SystemClock::default(), into)
    }

    /// Like [`prove`](Solver::prove), but within the budget. The budget and `stop` apply only to Connect
    /// Four, where a proof needs much search. If the budget or `stop` ends this search, the error is
    /// [`TimedOut`](io::ErrorKind::TimedOut).
    pub fn prove_within_budget(
        &mut self,
        stop: &Stop,
        clock: &dyn Clock,
        into: &mut dyn Write,
    ) -> io::Result<Option<()>> {
        let (true, value) = (self.at_least == self.at_most, self.at_least) else {
            return Ok(None);
        };
        let me = self.start.to_move;
        let other = me.next(2);
        proof_writer::heading(into, &self.variant, &self.start, value)?;
        if self.over().is_some() {
            return Ok(Some(()));
        }
        let claims = match value {
            GameValue::Win => vec![(me, true)],
            GameValue::Draw => vec![(me, false), (other, false)],
            GameValue::Loss => vec![(other, true)],
        };
        let (budget, started) = (self.budget, clock.now());
        let from = self.connect_four.as_ref().map_or(0, ConnectFour::nodes);
        for (attacker, wins) in claims {
            proof_writer::claim(into, attacker, wins)?;
            if !wins && attacker == other && self.first_cannot_lose() {
                let is_obvious = with_position!(&self.variant, &self.start, attacker, position => {
                    proof_writer::is_obvious(position, wins)
                });
                if !is_obvious {
                    proof_writer::stealing(into)?;
                }
                continue;
            }
            if let Some(solver) = &mut self.connect_four {
                let should_stop = &mut |nodes: u64, _| {
                    let time = clock.now().saturating_sub(started);
                    budget.is_used_up(time, nodes - from) || stop.is_set()
                };
                let claim = (attacker, wins);
                proof::records(solver, &self.variant, &self.start, claim, should_stop, into)?;
                continue;
            }
            let memory = &self.memory;
            let mut unlimited = Unlimited;
            let (variant, attacker_key) = (self.variant, attacker_key(attacker));
            with_position!(&self.variant, &self.start, attacker, position => {
                let dfpn = Dfpn::new(position, memory, &mut unlimited, attacker_key);
                proof_writer::records(dfpn, &variant, wins, into)
            })?;
        }
        Ok(Some(()))
    }

    /// Writes a checkpoint, from which another solver of the same position can continue.
    pub fn save(&self, into: &mut dyn Write) -> io::Result<()> {
        into.write_all(self.heading().as_bytes())?;
        let known = |value: GameValue| value as u8;
        into.write_all(&[known(self.at_least), known(self.at_most)])?;
        self.memory.save(into)
    }

    /// Reads a checkpoint that [`save`](Solver::save) wrote for the same position. On an error nothing has
    /// changed. The function trusts the content of the checkpoint, and does not check it like a proof.
    pub fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let expected = self.heading();
        let mut heading = vec![0; expected.len() + 2];
        let mismatch = || {
            let what = "not a checkpoint of this position, made by this version";
            io::Error::new(io::ErrorKind::InvalidData, what)
        };
        from.read_exact(&mut heading).map_err(|_| mismatch())?;
        let value = |number: u8| match number {
            0 => Ok(GameValue::Loss),
            1 => Ok(GameValue::Draw),
            2 => Ok(GameValue::Win),
            _ => Err(mismatch()),
        };
        let (text, known) = heading.split_at(expected.len());
        if text != expected.as_bytes() {
            return Err(mismatch());
        }
        let (at_least, at_most) = (value(known[0])?, value(known[1])?);
        if at_least > at_most {
            return Err(mismatch());
        }
        let room = self.budget.memory;
        let mut memory = ProofNumberTable::new(room.min(FIRST_MEMORY));
        memory.load(from, room)?;
        self.memory = memory;
        (self.at_least, self.at_most) = (at_least, at_most);
        Ok(())
    }

    fn heading(&self) -> String {
        let position = self.start.format(&self.variant);
        format!("noughts checkpoint 2\n{} {position}\n", self.variant)
    }

    /// The value, if the game is over; otherwise `None`.
    fn over(&self) -> Option<GameValue> {
        let outcome = AnyTimeline::new(&self.variant).outcome_of(&self.start)?;
        Some(match outcome {
            Outcome::Draw => GameValue::Draw,
            Outcome::Won(sides) if sides.contains(self.start.to_move) => GameValue::Win,
            Outcome::Won(_) => GameValue::Loss,
        })
    }

    /// Whether strategy stealing shows that the first player cannot lose. True on the empty board of a plain grid
    /// (Hales and Jewett 1963).
    fn first_cannot_lose(&self) -> bool {
        let empty = self.start.marks.iter().all(Option::is_none);
        empty && matches!(&self.variant, Variant::Grid(spec) if is_plain(spec))
    }

    /// Whether `attacker` can force a win; `None` if a limit was reached.
    fn can_force_win(&mut self, attacker: Side, limits: &mut Limits<'_>) -> Option<bool> {
        loop {
            let (answer, is_crowded) = self.search_until_full(attacker, limits);
            if answer.is_some() || !is_crowded {
                return answer;
            }
            match self.memory.grown(self.budget.memory) {
                Some(larger) => self.memory = larger,
                // The table cannot grow, so the search continues with the present size of the table.
                None => limits.budget.memory = 0,
            }
        }
    }

    /// Like `can_force_win`, but also ends when the table is too full and can still grow. The second value is
    /// true if the search ended for this reason.
    fn search_until_full(
        &mut self,
        attacker: Side,
        limits: &mut Limits<'_>,
    ) -> (Option<bool>, bool) {
        let shared = Shared {
            nodes: AtomicU64::new(self.nodes),
            done: AtomicBool::new(false),
            is_crowded: AtomicBool::new(false),
        };
        let others = limits.budget.threads.saturating_sub(1);
        let (memory, variant, start) = (&self.memory, &self.variant, &self.start);
        let (stop, shared_ref) = (limits.stop, &shared);
        let answer = std::thread::scope(|scope| {
            let crew: Vec<_> = (0..others)
                .map(|number| {
                    scope.spawn(move || {
                        let mut limit = HelperThread { shared: shared_ref, stop };
                        let variation = number as u64 + 1;
                        with_position!(variant, start, attacker, position => {
                            Dfpn::new(position, memory, &mut limit, attacker_key(attacker)).with_variation(variation).answer()
                        })
                        .inspect(|_| shared_ref.done.store(true, Ordering::Relaxed))
                    })
                })
                .collect();
            let mut limit = MainThread {
                shared: &shared,
                limits,
                memory,
                attacker,
                known: (self.at_least, self.at_most),
                since: 0,
            };
            let answer = with_position!(variant, start, attacker, position => {
                Dfpn::new(position, memory, &mut limit, attacker_key(attacker)).answer()
            });
            shared.done.store(true, Ordering::Relaxed);
            let others = crew.into_iter().filter_map(|one| one.join().ok().flatten());
            others.fold(answer, |known, one| known.or(Some(one)))
        });
        self.nodes = shared.nodes.load(Ordering::Relaxed);
        (answer, shared.is_crowded.load(Ordering::Relaxed))
    }

    /// A line of best play, as far as [`LINE_NODES`] nodes suffice to find it.
    fn line(&mut self, stop: &Stop) -> Vec<Move> {
        let mut line = Vec::new();
        if self.at_least == GameValue::Loss && self.at_most == GameValue::Win
            || self.over().is_some()
        {
            return line;
        }
        let any = AnyTimeline::new(&self.variant);
        let mut left = LINE_NODES;
        dispatch!(&any, timeline => {
            let rules = timeline.rules();
            let mut position = rules.set_up(&self.start);
            while rules.outcome(&position).is_none() {
                let diagram = rules.diagram(&position);
                let best = if self.is_dead(&diagram) {
                    rules.moves(&position).next()
                } else {
                    self.best(&diagram, &mut left, stop)
                };
                let Some(at) = best else { break };
                rules.play(&mut position, at);
                line.push(at);
            }
        });
        line
    }

    /// Whether all further moves in `diagram` lead to the same result.
    fn is_dead(&self, diagram: &Diagram) -> bool {
        let me = diagram.to_move;
        with_position!(&self.variant, diagram, me, position => proof_writer::is_dead(position))
    }

    /// A move in `diagram` that keeps the value of the start position. The position `diagram` must have the
    /// same value as the start position.
    fn best(&self, diagram: &Diagram, left: &mut u64, stop: &Stop) -> Option<Move> {
        let me = diagram.to_move;
        let mine = me == self.start.to_move;
        // The bounds of the value for the side to move in `diagram`.
        let (at_least, at_most) = match mine {
            true => (self.at_least, self.at_most),
            false => (self.at_most.for_opponent(), self.at_least.for_opponent()),
        };
        let other = me.next(2);
        let mut limit = NodeLimit { left, stop };
        match (at_least, at_most) {
            (GameValue::Win, _) => self.keeps(diagram, me, true, &mut limit),
            (GameValue::Draw, _) => {
                if diagram.marks.iter().all(Option::is_none) && self.first_cannot_lose() {
                    return middle(&self.variant);
                }
                self.keeps(diagram, other, false, &mut limit)
            }
            // Every move loses: choose a move that does not lose at once, if there is one.
            (GameValue::Loss, GameValue::Loss) => {
                let (memory, variant) = (&self.memory, &self.variant);
                with_position!(variant, diagram, other, position => {
                    let mut dfpn = Dfpn::new(position, memory, &mut limit, attacker_key(other));
                    proof_writer::resisting_move(&mut dfpn)
                })
            }
            (GameValue::Loss, _) => None,
        }
    }

    /// With `wins`, the moves after which the attacker is known to win. Without `wins`, the moves after which the
    /// attacker is known not to win.
    fn moves_that_keep(
        &self,
        attacker: Side,
        wins: bool,
        left: &mut u64,
        stop: &Stop,
    ) -> Vec<Move> {
        let mut limit = NodeLimit { left, stop };
        let memory = &self.memory;
        with_position!(&self.variant, &self.start, attacker, position => {
            let mut dfpn = Dfpn::new(position, memory, &mut limit, attacker_key(attacker));
            best_moves::moves_that_keep(&mut dfpn, wins)
        })
    }

    /// With `wins`, a move after which the attacker still wins. Without `wins`, a move after which the attacker still
    /// cannot win. `None` if there is no such move, or if a limit was reached.
    fn keeps(
        &self,
        at: &Diagram,
        attacker: Side,
        wins: bool,
        limit: &mut NodeLimit<'_>,
    ) -> Option<Move> {
        let memory = &self.memory;
        with_position!(&self.variant, at, attacker, position => {
            let mut dfpn = Dfpn::new(position, memory, limit, attacker_key(attacker));
            proof_writer::keeping(&mut dfpn, wins)
        })
    }
}

/// Initial size of the transposition table in bytes. The table grows when needed, because a large table is slow to
/// allocate.
const FIRST_MEMORY: usize = 8 << 20;

/// Node limit for the line of best play.
const LINE_NODES: u64 = 50_000;

fn first(variant: &Variant) -> Diagram {
    AnyTimeline::new(variant).diagram()
}

/// The cell in the middle of a grid, or next to the middle; `None` on nine boards.
fn middle(variant: &Variant) -> Option<Move> {
    match variant {
        Variant::Grid(spec) => Some(Move::at(
            spec.rows() / 2 * spec.columns() + spec.columns() / 2,
        )),
        Variant::Nested(_) => None,
    }
}

fn attacker_key(attacker: Side) -> u64 {
    (attacker.index() as u64).wrapping_mul(0x6C62_272E_07BB_0142)
}
