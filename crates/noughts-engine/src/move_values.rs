//! The exact value of every move in a position of a small game, and the line of best play.

use std::cmp::Reverse;
use std::sync::Arc;

use noughts_rules::{Action, Conclusion, Game, Seat, Side, Variant};

use crate::analysis::{Analysis, MoveValue, Value, best_distance};
use crate::clock::Clock;
use crate::search::Limits;
use crate::solver::{Budget, GameValue, Solver};
use crate::strategies::iterative_deepening::IterativeDeepening;
use crate::strategy::Stop;

/// Maximum number of legal moves for [`move_values`]. A position with more legal moves is rarely solved
/// within the limits.
const MAX_MOVES: usize = 36;

/// Maximum length, in moves, to which [`complete_line`] extends a line of best play.
const MAX_LINE: usize = 16;

/// Maximum number of positions that the solver searches for each move, and the size of the solver's table in
/// bytes. Positions at the beginning of 4x4k4 need fewer than 100 positions each.
const SOLVER_NODES: u64 = 20_000;
const SOLVER_MEMORY: usize = 1 << 20;

/// Adds the values of all moves, found by [`move_values`], to the analysis of the same position. Afterwards
/// `analysis.line` begins with a best move, and `analysis.value` is the value of this move.
pub fn add_move_values(analysis: &mut Analysis, mut moves: Vec<MoveValue>) {
    let found = analysis.line.first().copied();
    moves.sort_by_key(|known| (Reverse(known.rank()), Some(known.at) != found));
    let Some(best) = moves.first() else {
        return;
    };
    if Some(best.at) != found {
        analysis.line = vec![best.at];
    }
    analysis.value = Value::of_exact(best.value, best_distance(&moves));
    analysis.moves = moves;
}

/// If the position is a forced win or loss, extends `analysis.line` towards the end of the game, as far as
/// the limits allow. A search may return only the beginning of this line. Each added move is the best move in
/// its position.
pub fn complete_line(
    analysis: &mut Analysis,
    game: &Game,
    limits: Limits,
    stop: &Stop,
    clock: &Arc<dyn Clock>,
) {
    if !matches!(
        analysis.exact(),
        Some((GameValue::Win | GameValue::Loss, _))
    ) {
        return;
    }
    let started = clock.now();
    let mut after = game.clone();
    let mut played = 0;
    let mut search = None;
    while analysis.line.len() < MAX_LINE {
        for at in &analysis.line[played..] {
            let by = after.to_move();
            if by.is_none_or(|by| after.act(by, Action::Play(*at)).is_err()) {
                return;
            }
        }
        played = analysis.line.len();
        let used = clock.now().saturating_sub(started);
        let time = limits.time.map(|time| time.saturating_sub(used));
        if after.conclusion().is_some() || stop.is_set() || time.is_some_and(|time| time.is_zero())
        {
            return;
        }
        let search =
            search.get_or_insert_with(|| IterativeDeepening::new(limits, Arc::clone(clock)));
        search.set_limits(Limits { time, ..limits });
        let next = search.analyze(&after, stop);
        if next.exact().is_none() || next.line.is_empty() {
            return;
        }
        analysis.line.extend(next.line);
    }
    analysis.line.truncate(MAX_LINE);
}

/// The exact values of all legal moves, in no particular order. Returns `None` in four cases: the game is over, there
/// are not exactly two seats with different sides, there are more than 36 legal moves, or the limits do not suffice for
/// every move.
pub fn move_values(
    game: &Game,
    limits: Limits,
    stop: &Stop,
    clock: &Arc<dyn Clock>,
) -> Option<Vec<MoveValue>> {
    let legal = game.legal();
    let me = game.to_move()?;
    let is_for_two = matches!(game.order(), [first, second] if first != second);
    if !is_for_two || legal.len() > MAX_MOVES {
        return None;
    }
    let started = clock.now();
    let nodes = limits.nodes.map(|nodes| nodes / legal.len() as u64);
    let rest = || Limits {
        nodes,
        time: limits.time.map(|time| {
            let used = clock.now().saturating_sub(started);
            time.saturating_sub(used)
        }),
        ..limits
    };
    let mut values = PositionValues {
        solver: None,
        search: IterativeDeepening::new(rest(), Arc::clone(clock)),
        clock,
        stop,
    };
    let mut moves = Vec::with_capacity(legal.len());
    for at in legal {
        let mut after = game.clone();
        after.act(me, Action::Play(at)).ok()?;
        let (value, distance) = match after.conclusion() {
            Some(end) => (value_of(end, game, me), Some(1)),
            None => {
                let (value, plies) = values.find(&after, rest())?;
                (value.for_opponent(), plies.map(|plies| plies + 1))
            }
        };
        let distance = distance.filter(|_| value != GameValue::Draw);
        moves.push(MoveValue {
            at,
            value,
            distance,
        });
    }
    Some(moves)
}

/// Finds exact values of positions of one game.
struct PositionValues<'a> {
    /// Created for the first position and reused for later positions, to keep its table.
    solver: Option<Solver>,
    search: IterativeDeepening,
    clock: &'a Arc<dyn Clock>,
    stop: &'a Stop,
}

impl PositionValues<'_> {
    /// The value of the position, if it is found. For a win or a loss, the result also has the number of
    /// plies to the end, if the search finds this number. On small boards the solver proves a draw much
    /// earlier than the search does, but only the search finds distances.
    fn find(&mut self, game: &Game, limits: Limits) -> Option<(GameValue, Option<u32>)> {
        if self.stop.is_set() || limits.time.is_some_and(|time| time.is_zero()) {
            return None;
        }
        let solved = self.solve(game, limits);
        if solved == Some(GameValue::Draw) {
            return Some((GameValue::Draw, None));
        }
        self.search.set_limits(limits);
        let found = self.search.analyze(game, self.stop).exact();
        found.or(solved.map(|value| (value, None)))
    }

    fn solve(&mut self, game: &Game, limits: Limits) -> Option<GameValue> {
        let is_regular = game.order() == [Side::FIRST, Side::SECOND];
        if !is_regular || !matches!(game.variant(), Variant::Grid(_)) {
            return None;
        }
        let budget = Budget {
            memory: SOLVER_MEMORY,
            time: limits.time,
            nodes: Some(SOLVER_NODES.min(limits.nodes.unwrap_or(u64::MAX))),
            threads: 1,
        };
        let position = game.diagram();
        let solver = match &mut self.solver {
            Some(solver) => {
                solver.set_position(position).ok()?;
                solver.set_budget(budget);
                solver
            }
            none => none.insert(Solver::new(game.variant(), Some(position), budget).ok()?),
        };
        solver.solve(self.stop, &**self.clock, &mut |_| {}).value()
    }
}

/// The value of a finished game for the player at seat `me`.
fn value_of(end: &Conclusion, game: &Game, me: Seat) -> GameValue {
    let side = game.order().get(usize::from(me.0));
    match (end, side) {
        (Conclusion::Won { sides, .. }, Some(side)) if sides.contains(*side) => GameValue::Win,
        (Conclusion::Won { .. }, _) => GameValue::Loss,
        _ => GameValue::Draw,
    }
}

#[cfg(test)]
mod tests {
    use noughts_rules::{Diagram, Options};

    use super::*;
    use crate::clock::SystemClock;
    use crate::strategies::iterative_deepening::analyze;

    /// Checks the values of all moves of a position. In the text `0-0+1 1-1= 2-2-2`, the move 0-0 wins in 1 ply, 1-1
    /// draws, and 2-2 loses in 2 plies. The moves are in alphabetical order.
    fn check(variant: &str, position: &str, expected: &str) {
        let variant = variant.parse().unwrap();
        let position = Diagram::parse(&variant, position).unwrap();
        let game = Game::from_diagram(&variant, Options::default(), position).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let limits = Limits {
            nodes: Some(1_000_000),
            ..Limits::default()
        };
        let mut analysis = analyze(&game, limits, &Stop::new(), Arc::clone(&clock));
        if let Some(moves) = move_values(&game, limits, &Stop::new(), &clock) {
            add_move_values(&mut analysis, moves);
        }
        let write = |known: &MoveValue| {
            let at = variant.format_move(known.at);
            match (known.value, known.distance) {
                (GameValue::Win, Some(plies)) => format!("{at}+{plies}"),
                (GameValue::Loss, Some(plies)) => format!("{at}-{plies}"),
                (GameValue::Draw, None) => format!("{at}="),
                odd => format!("{at}{odd:?}"),
            }
        };
        let mut moves: Vec<_> = analysis.moves.iter().map(write).collect();
        if let Some(best) = analysis.moves.first() {
            assert_eq!(analysis.line.first(), Some(&best.at));
        }
        moves.sort();
        assert_eq!(
            moves.join(" "),
            expected,
            "{position:?}",
            position = game.diagram()
        );
    }

    #[test]
    fn every_move_of_a_small_game_has_its_value() {
        // x wins at once, or blocks o, or lets o win.
        check("3x3k3", "xx./oo./... x", "0-2+1 1-2= 2-0-2 2-1-2 2-2-2");
        // After a corner only the centre draws.
        check(
            "3x3k3",
            "x../.../... o",
            "0-1-6 0-2-6 1-0-6 1-1= 1-2-6 2-0-6 2-1-6 2-2-6",
        );
        // The side to move completes a line with the last cell, and loses.
        check("3x3k3+misere", "xox/oxo/ox. x", "2-2-1");
        // Four in a line on 4x4 is a draw, and the second player has no bad reply to a corner.
        check(
            "4x4k4",
            "x.../..../..../.... o",
            "0-1= 0-2= 0-3= 1-0= 1-1= 1-2= 1-3= 2-0= 2-1= 2-2= 2-3= 3-0= 3-1= 3-2= 3-3=",
        );
    }

    #[test]
    fn line_of_a_forced_win_reaches_the_end() {
        let variant = "3x3k3".parse().unwrap();
        // The first player has the centre and a corner. The second player has an edge and the opposite corner.
        let position = Diagram::parse(&variant, "xo./.x./..o x").unwrap();
        let mut game = Game::from_diagram(&variant, Options::default(), position).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let limits = Limits {
            nodes: Some(100_000),
            ..Limits::default()
        };
        let mut analysis = analyze(&game, limits, &Stop::new(), Arc::clone(&clock));
        assert_eq!(analysis.exact(), Some((GameValue::Win, Some(3))));
        analysis.line.truncate(1);
        complete_line(&mut analysis, &game, limits, &Stop::new(), &clock);
        assert_eq!(analysis.line.len(), 3);
        for at in analysis.line {
            let by = game.to_move().unwrap();
            game.act(by, Action::Play(at)).unwrap();
        }
        assert!(matches!(game.conclusion(), Some(Conclusion::Won { .. })));
    }

    #[test]
    fn large_boards_and_three_sides_have_no_move_values() {
        check(
            "7x7k5",
            "......./......./......./......./......./......./....... x",
            "",
        );
        check("3x3k3p3", "xo./.../... a", "");
    }
}
