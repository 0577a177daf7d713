//! Alpha-beta: principal variation search with iterative deepening and a transposition table.
//!
//! With more than two sides, the search is *paranoid*: it treats all other sides as one opponent.

mod forcing_moves;
mod limits;
mod parallel;
mod report;
mod root;
mod time_management;
mod vcf;
mod vct;

use std::time::Duration;

use noughts_rules::{Game, Move, Outcome, Side, dispatch};

pub use limits::{Limits, LimitsError};
pub(crate) use report::AS_GOOD_AS_WON;

use crate::analysis::Analysis;
use crate::clock::Clock;
use crate::endgame::EndgameSolver;
use crate::features::{Candidate, Features, Searchable};
use crate::search::parallel::{Claim, SearchOrder, SharedSearch};
use crate::search::vcf::VcfSearch;
use crate::search::vct::VctState;
use crate::search_board::SearchBoard;
use crate::solver::SolvedPosition;
use crate::strategy::Stop;
use crate::transposition_table::{Bound, TranspositionTable};

/// The value of a won game is this number minus the number of plies to the win. The absolute value of an
/// estimate is much smaller.
const WIN: i32 = 1_000_000;

/// Values above this number are proved wins. Values below the negative of this number are proved losses.
const DECIDED: i32 = WIN - 100_000;

/// Values between this number and `DECIDED` are probable wins: the search found a win, but did not try every defence.
/// Values between the negatives of these numbers are probable losses.
const LIKELY: i32 = DECIDED - 200_000;

/// Greater than every value.
const INFINITE: i32 = WIN + 1;

/// The work between two clock reads: the number of nodes times the cells of the board times the sides. A
/// search reaches about a million nodes per second on a 15x15 board with two sides, and about a hundred nodes
/// per second on 255x255 with 64 sides. A clock read takes about 30 ns.
const CELLS_PER_CLOCK_READ: u64 = 128 * 450;
const MAX_NODES_PER_CLOCK_READ: u64 = 128;

/// Before this ply, counted from the root, a forced reply does not reduce the remaining depth.
const DEEPEST_EXTENSION: usize = 60;

/// Maximum number of candidates at the root, if the search looks for fours (lines that lack one mark) on a
/// large board. This limit does not apply to forced replies or to defences against a sequence of fours.
const MAX_ROOT_CANDIDATES: usize = 30;

/// Maximum number of candidates at all other nodes on a large board. The exceptions of
/// [`MAX_ROOT_CANDIDATES`] apply here too. In 200 games of 15x15k5 with `search:20000n`, 16 candidates scored
/// 50.2 % against 12 candidates, and 20 candidates scored 41.0 %.
const MAX_CANDIDATES: usize = 12;

/// Late move reduction on large boards: the search first tries moves from this index on with one ply less. If at least
/// four plies remain, it first tries moves from twice this index on with two plies less.
const LATE: usize = 3;

/// Minimum depth of a result in the transposition table. Looking up shallower results takes more time than it saves.
const MIN_STORED_DEPTH: u32 = 2;

/// Which moves are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MoveSelection {
    /// Every move to the full depth: the value equals the value of plain minimax.
    All,
    /// Only promising moves. Forced replies are searched deeper.
    Promising,
}

/// Everything that a search needs in addition to the game.
pub(crate) struct SearchContext<'t> {
    pub(crate) limits: Limits,
    pub(crate) move_selection: MoveSelection,
    pub(crate) table: &'t TranspositionTable,
    pub(crate) stop: &'t Stop,
    pub(crate) clock: &'t dyn Clock,
}

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchPurpose {
    /// The value of the position.
    Value,
    /// A move to play. If there is only one sensible move, the search ends after the first depth.
    Move {
        /// The usual time per move in a game with a clock. The time limit is then only an upper bound.
        usual: Option<Duration>,
    },
}

/// Searches for the value of a game that is not over, in one thread.
pub(crate) fn search(game: &Game, context: SearchContext<'_>) -> Analysis {
    search_for(SearchPurpose::Value, 1, None, game, context)
}

/// Searches a game that is not over. With one thread and without a time limit the result is deterministic. Near the end
/// of a game on nine boards the endgame solver runs first, if `endgame` is given.
pub(crate) fn search_for(
    purpose: SearchPurpose,
    threads: usize,
    endgame: Option<&mut EndgameSolver>,
    game: &Game,
    context: SearchContext<'_>,
) -> Analysis {
    let started = context.clock.now();
    let (solved, nodes) = match endgame {
        Some(endgame) => endgame.solve_nested(game, &context.limits, context.stop, context.clock),
        None => (None, 0),
    };
    context.table.renew();
    // If the position is solved, the search only chooses among moves of equal value, and one thread is enough.
    let is_alone = threads < 2 || solved.is_some();
    dispatch!(game.timeline(), timeline => {
        let search = Search::new(SearchBoard::new(game, timeline), context, purpose);
        let search = Search { started, nodes, solved, ..search };
        match is_alone {
            true => search.run(),
            false => parallel::search(search, threads),
        }
    })
}

struct Search<'t, R: Searchable> {
    board: SearchBoard<R>,
    context: SearchContext<'t>,
    purpose: SearchPurpose,
    /// State shared with the other threads of this search.
    shared: Option<&'t SharedSearch>,
    /// Whether this is a helper thread. A helper thread fills the transposition table and may find a win, but
    /// returns no analysis.
    is_helper: bool,
    /// Number of nodes that this thread has already added to the shared count.
    counted: u64,
    /// The side to move at the root.
    me: Side,
    /// Number of free cells at the root. No line of play can have more plies.
    free: usize,
    started: Duration,
    nodes: u64,
    /// The endgame solver's result, if any. If there is a result, only root moves that keep the solved value
    /// are searched.
    solved: Option<SolvedPosition>,
    /// The node count at which the search reads the clock next, and the number of nodes between two clock reads.
    next_clock_read: u64,
    nodes_per_clock_read: u64,
    /// Whether a limit was reached or the stop flag is set. If so, values returned from now on are
    /// meaningless.
    aborted: bool,
    /// Whether the search stopped at some position before the end of the game. If so, the value is not exact.
    has_reached_horizon: bool,
    /// One candidate list per ply, reused to save allocations.
    lists: Vec<Vec<Candidate>>,
    /// The killer move of each ply: the latest move that caused a cutoff at this ply.
    killers: Vec<Option<Move>>,
    /// Whether this search looks for fours (lines that lack one mark) and for the replies that these fours
    /// force.
    seeks_fours: bool,
    vcf: VcfSearch,
    vct: VctState,
    /// A root move that was not searched because a limit was reached, and that is not known to lose.
    untried: Option<Move>,
    /// Lists that are reused to save allocations. `defences` has the cells that may break a sequence of
    /// fours, and `fours` the cells where a mark makes a four.
    defences: Vec<Move>,
    fours: Vec<Move>,
}

/// The properties of a list of moves that [`Search::fill`] made.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Listing {
    /// Whether exactly one move is forced: this move wins immediately, or every other move lets the opponent
    /// win immediately.
    forced: bool,
    /// Whether a best move is certainly in the list.
    complete: bool,
}

impl<'t, R: Searchable> Search<'t, R> {
    fn new(mut board: SearchBoard<R>, context: SearchContext<'t>, purpose: SearchPurpose) -> Self {
        Search {
            seeks_fours: context.move_selection == MoveSelection::Promising
                && board.windows().is_some(),
            vcf: VcfSearch::new(),
            vct: VctState::new(),
            untried: None,
            defences: Vec::new(),
            fours: Vec::new(),
            me: board.to_move(),
            free: free_cells(&board),
            started: context.clock.now(),
            nodes: 0,
            solved: None,
            next_clock_read: 0,
            nodes_per_clock_read: nodes_per_clock_read(board.rules()),
            aborted: false,
            has_reached_horizon: false,
            lists: Vec::new(),
            killers: Vec::new(),
            board,
            context,
            purpose,
            shared: None,
            is_helper: false,
            counted: 0,
        }
    }

    /// The value of a move for the side that plays it.
    fn child(&mut self, at: Move, depth: u32, alpha: i32, beta: i32, first: bool) -> i32 {
        let mover = self.is_own_side(self.board.to_move());
        self.board.play(at);
        let turns = self.is_own_side(self.board.to_move()) != mover;
        let mut value = if first {
            self.value_for(turns, depth, alpha, beta)
        } else {
            self.value_for(turns, depth, alpha, alpha + 1)
        };
        if !first && value > alpha && value < beta {
            value = self.value_for(turns, depth, alpha, beta);
        }
        self.board.take_back();
        value
    }

    /// The value of the position for the side that moved last. `turns` is true if the side to move is an
    /// opponent of the side that moved last.
    fn value_for(&mut self, turns: bool, depth: u32, alpha: i32, beta: i32) -> i32 {
        if turns {
            -self.value(depth, -beta, -alpha)
        } else {
            self.value(depth, alpha, beta)
        }
    }

    /// The value of the position for the side to move. A value that is not between `alpha` and `beta` is only a
    /// bound.
    fn value(&mut self, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        self.look_at_limits();
        if self.aborted {
            return 0;
        }
        if let Some(outcome) = self.board.outcome() {
            return self.decided(outcome);
        }
        if self.board.features().is_dead() {
            return 0;
        }
        if let Some(value) = self.decided_at_once() {
            return value;
        }
        let (known, bounded) = self.recall(depth, alpha, beta);
        if let Some(value) = bounded {
            return value;
        }
        if let Some(value) = self.win_by_force(depth) {
            self.remember(depth, value, Bound::Exact, self.vcf.first());
            return value;
        }
        if depth == 0 && !self.has_immediate_threat() {
            self.has_reached_horizon = true;
            return self.estimate();
        }
        if depth == 1 {
            let (features, position) = (self.board.features(), self.board.position());
            if let Some((best, looked)) = features.best_after(self.board.rules(), position, beta) {
                self.nodes += looked;
                self.has_reached_horizon = true;
                return best;
            }
        }
        let ply = self.board.ply();
        if self.lists.len() <= ply {
            self.lists.resize_with(ply + 1, Vec::new);
            self.killers.resize(ply + 1, None);
        }
        let floor = alpha;
        let mut best = (-INFINITE, None);
        if let Some(at) = known.filter(|at| self.is_tried_first(*at)) {
            best = (
                self.child(at, depth.saturating_sub(1), alpha, beta, true),
                Some(at),
            );
            alpha = alpha.max(best.0);
        }
        let tried = best.1;
        let mut list = std::mem::take(&mut self.lists[ply]);
        list.clear();
        let mut rest = depth.saturating_sub(1);
        let mut listing = Listing {
            forced: false,
            complete: true,
        };
        if alpha < beta && !self.aborted {
            listing = self.fill(&mut list, known);
            if listing.forced && ply < DEEPEST_EXTENSION {
                rest = depth;
            }
        }
        let mut order = SearchOrder::of(list.len());
        while let Some(number) = order.next() {
            if number == 1 && !order.is_second_round() {
                self.sort(&mut list[1..]);
            }
            let at = list[number].at;
            if tried == Some(at) {
                continue;
            }
            let claim = match best.1 {
                Some(_) => self.claim(at, rest),
                // This thread always searches the first move itself, because the value of the first move gives the
                // bound for the other moves.
                None => Claim::Free,
            };
            if claim == Claim::Elsewhere && order.defer(number) {
                continue;
            }
            let value = match rest {
                0 if !listing.forced => self.quick_value(at),
                2.. if !listing.complete && number >= LATE => {
                    let less = 1 + u32::from(rest >= 4 && number >= 2 * LATE);
                    let value = self.child(at, rest - less, alpha, alpha + 1, true);
                    Some(value).filter(|value| *value <= alpha || self.aborted)
                }
                _ => None,
            };
            let first = best.1.is_none();
            let value = value.unwrap_or_else(|| self.child(at, rest, alpha, beta, first));
            self.release(claim);
            if self.aborted {
                break;
            }
            if value > best.0 {
                best = (value, Some(at));
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                self.killers[ply] = Some(at);
                break;
            }
        }
        self.lists[ply] = list;
        if self.aborted {
            return 0;
        }
        let bound = if best.0 >= beta {
            Bound::AtLeast
        } else if best.0 > floor {
            Bound::Exact
        } else {
            Bound::AtMost
        };
        let value = doubted(best.0, listing);
        self.remember(depth, value, bound, best.1);
        value
    }

    /// Whether some side threatens to win with its next move. An estimate of such a position is useless, and
    /// only a few moves need to be searched. Always false in a search of all moves, and from ply
    /// `DEEPEST_EXTENSION` on.
    fn has_immediate_threat(&self) -> bool {
        let sides = (0..self.board.rules().sides()).filter_map(Side::new);
        self.context.move_selection == MoveSelection::Promising
            && self.board.ply() < DEEPEST_EXTENSION
            && sides
                .into_iter()
                .any(|side| self.board.features().threatens(side))
    }

    /// Whether a move from the transposition table is searched before the other moves are listed. Usually this move
    /// causes a cutoff, and the list is not needed. Always false with [`MoveSelection::Promising`], because that search
    /// must know forced replies first.
    fn is_tried_first(&self, at: Move) -> bool {
        let (rules, position) = (self.board.rules(), self.board.position());
        self.context.move_selection == MoveSelection::All && rules.check(position, at).is_ok()
    }

    /// Lists the moves to search. The most promising move comes first; the others are unsorted.
    fn fill(&mut self, list: &mut Vec<Candidate>, known: Option<Move>) -> Listing {
        let (features, rules) = (self.board.features(), self.board.rules());
        let position = self.board.position();
        list.clear();
        if self.context.move_selection == MoveSelection::Promising {
            let (mover, next) = (self.board.to_move(), self.board.next_to_move());
            let rival = (self.is_own_side(mover) != self.is_own_side(next)).then_some(next);
            features.forced(rules, position, rival, list);
        }
        let forced = list.len() == 1;
        let mut complete = true;
        if list.is_empty() {
            self.list_defences(list);
        }
        if list.is_empty() {
            complete = self.list_candidates(list);
        }
        // The first move usually causes a cutoff. The other moves are sorted only if there is no cutoff.
        let killer = self.killer();
        let mut first = (0, i64::MIN);
        for (number, candidate) in list.iter().enumerate() {
            let known = if known == Some(candidate.at) {
                i64::MAX / 2
            } else {
                0
            };
            let rank = known + rank(candidate, killer);
            if rank > first.1 {
                first = (number, rank);
            }
        }
        list.swap(0, first.0);
        Listing { forced, complete }
    }

    /// Lists candidates. Returns true only if every legal move is listed.
    fn list_candidates(&mut self, list: &mut Vec<Candidate>) -> bool {
        let max_moves = match self.context.move_selection {
            MoveSelection::All => usize::MAX,
            MoveSelection::Promising if self.seeks_fours && self.board.ply() == 0 => {
                MAX_ROOT_CANDIDATES
            }
            MoveSelection::Promising => MAX_CANDIDATES,
        };
        let fours = self.note_fours();
        let (features, rules) = (self.board.features(), self.board.rules());
        let listed = max_moves.saturating_add(fours);
        let complete = features.candidates(rules, self.board.position(), listed, list);
        self.put_fours_last(list);
        if !complete && list.len() > max_moves {
            list.sort_unstable_by_key(|candidate| (-candidate.move_score, candidate.at));
            list.truncate(max_moves);
        }
        complete
    }

    /// Sorts by move score, the killer move first.
    fn sort(&self, list: &mut [Candidate]) {
        let killer = self.killer();
        list.sort_unstable_by_key(|candidate| {
            (
                killer != Some(candidate.at),
                -candidate.move_score,
                candidate.at,
            )
        });
    }

    fn killer(&self) -> Option<Move> {
        self.killers.get(self.board.ply()).copied().flatten()
    }

    /// Looks the position up in the transposition table. Returns the stored best move, and the stored value if the
    /// search can return it unchanged.
    fn recall(&mut self, depth: u32, alpha: i32, beta: i32) -> (Option<Move>, Option<i32>) {
        if depth < MIN_STORED_DEPTH {
            return (None, None);
        }
        let (key, symmetry) = self.key();
        let Some(entry) = self.context.table.get(key) else {
            return (None, None);
        };
        let features = self.board.features();
        let known = entry.best.map(|at| features.unmap_move(symmetry, at));
        let deep_enough = match self.context.move_selection {
            MoveSelection::All => u32::from(entry.depth) == depth,
            MoveSelection::Promising => u32::from(entry.depth) >= depth,
        };
        let value = from_table(entry.value, self.board.ply() as i32);
        let fits = match entry.bound() {
            Bound::Exact => true,
            Bound::AtLeast => value >= beta,
            Bound::AtMost => value <= alpha,
        };
        if !(deep_enough && fits) {
            return (known, None);
        }
        // If the stored depth does not cover all free cells, the search that found the stored value may have
        // ended before the end of the game.
        self.has_reached_horizon |= usize::from(entry.depth) + self.board.ply() < self.free;
        (known, Some(value))
    }

    fn remember(&mut self, depth: u32, value: i32, bound: Bound, best: Option<Move>) {
        if depth < MIN_STORED_DEPTH {
            return;
        }
        let (key, symmetry) = self.key();
        let best = best.map(|at| self.board.features().map_move(symmetry, at));
        let value = to_table(value, self.board.ply() as i32);
        self.context.table.put(key, value, depth, bound, best);
    }

    /// The key of the position in the transposition table. With more than two sides the value depends on the side to
    /// move at the root, so the number of this side is part of the key.
    fn key(&self) -> (u64, usize) {
        let (key, symmetry) = self.board.key();
        match self.board.rules().sides() {
            2 => (key, symmetry),
            _ => (key.rotate_left(self.me.index() as u32), symmetry),
        }
    }

    fn look_at_limits(&mut self) {
        let limits = &self.context.limits;
        if limits.nodes.is_some_and(|nodes| self.nodes >= nodes) {
            self.aborted = true;
        }
        // The stop is checked at every node, because one node takes milliseconds on the largest boards.
        self.aborted |= self.context.stop.is_set();
        if self.nodes >= self.next_clock_read {
            self.next_clock_read = self.nodes + self.nodes_per_clock_read;
            let late = limits.time.is_some_and(|time| self.elapsed() >= time);
            self.aborted |= late;
            self.check_shared();
        }
    }

    fn elapsed(&self) -> Duration {
        self.context.clock.now().saturating_sub(self.started)
    }

    fn is_own_side(&self, side: Side) -> bool {
        side == self.me
    }

    fn estimate(&self) -> i32 {
        let board = &self.board;
        let value = board
            .features()
            .estimate(board.rules(), board.position(), self.me);
        if self.is_own_side(board.to_move()) {
            value
        } else {
            -value
        }
    }

    fn decided(&self, outcome: Outcome) -> i32 {
        let mine = match outcome {
            Outcome::Draw => 0,
            Outcome::Won(sides) if sides.contains(self.me) => WIN - self.board.ply() as i32,
            Outcome::Won(_) => self.board.ply() as i32 - WIN,
        };
        if self.is_own_side(self.board.to_move()) {
            mine
        } else {
            -mine
        }
    }
}

/// The rank of a candidate. Candidates with a higher rank are searched earlier. The killer move comes first, then moves
/// with a higher score, then lower cell numbers.
#[inline]
fn rank(candidate: &Candidate, killer: Option<Move>) -> i64 {
    let killer = if killer == Some(candidate.at) {
        1 << 60
    } else {
        0
    };
    killer + (i64::from(candidate.move_score) << 16) - candidate.at.index() as i64
}

fn nodes_per_clock_read<R: Searchable>(rules: &R) -> u64 {
    let weighed = rules.variant().cells() as u64 * u64::from(rules.sides());
    (CELLS_PER_CLOCK_READ / weighed).clamp(1, MAX_NODES_PER_CLOCK_READ)
}

fn free_cells<R: Searchable>(board: &SearchBoard<R>) -> usize {
    let diagram = board.rules().diagram(board.position());
    diagram.marks.iter().filter(|mark| mark.is_none()).count()
}

/// Turns a proved loss into a probable loss if some move was not tried.
fn doubted(value: i32, listing: Listing) -> i32 {
    if value < -DECIDED && !listing.complete {
        value + (DECIDED - LIKELY)
    } else {
        value
    }
}

/// Converts a value for the transposition table. In the table, plies are counted from the stored position, not from the
/// root.
fn to_table(value: i32, ply: i32) -> i32 {
    match value {
        _ if value > LIKELY => value + ply,
        _ if value < -LIKELY => value - ply,
        _ => value,
    }
}

fn from_table(value: i32, ply: i32) -> i32 {
    match value {
        _ if value > LIKELY => value - ply,
        _ if value < -LIKELY => value + ply,
        _ => value,
    }
}
