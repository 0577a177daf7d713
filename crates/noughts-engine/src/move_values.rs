//! The exact value of every move of a small game, and the line of best play.

use std::cmp::Reverse;
use std::sync::Arc;

use noughts_rules::{Action, Conclusion, Game, Seat};

use crate::analysis::{Analysis, MoveValue};
use crate::clock::Clock;
use crate::review::for_the_other;
use crate::search::Limits;
use crate::solver::GameValue;
use crate::strategies::iterative_deepening::IterativeDeepening;
use crate::strategy::Stop;

/// Positions with more legal moves are rarely solved in time.
const MAX_MOVES: usize = 36;

/// Maximum number of moves in the line that [`complete_line`] returns.
const MAX_LINE: usize = 16;

/// Adds the exact values of all moves to the analysis of a position, if its own value is exact and the limits
/// suffice for every move; otherwise nothing changes. Only for games of two sides.
pub fn add_move_values(
    analysis: &mut Analysis,
    game: &Game,
    limits: Limits,
    stop: &Stop,
    clock: &Arc<dyn Clock>,
) {
    let Some((value, _)) = analysis.exact() else {
        return;
    };
    if !analysis.moves.is_empty() {
        return;
    }
    let Some(mut moves) = move_values(game, limits, stop, clock) else {
        return;
    };
    let found = analysis.line.first().copied();
    moves.sort_by_key(|known| (Reverse(known.rank()), Some(known.at) != found));
    let Some(best) = moves.first() else {
        return;
    };
    if best.value != value {
        return;
    }
    if Some(best.at) != found {
        analysis.line = vec![best.at];
    }
    analysis.moves = moves;
}

/// Extends the line of a forced win or loss towards the end of the game, as far as the limits suffice, because a search
/// may return only its beginning. Each added move is the best move of its position.
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

/// The values of all legal moves; `None` if one value is not found.
fn move_values(
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
    let mut search = IterativeDeepening::new(Limits { nodes, ..limits }, Arc::clone(clock));
    let mut moves = Vec::with_capacity(legal.len());
    for at in legal {
        let mut after = game.clone();
        after.act(me, Action::Play(at)).ok()?;
        let (value, distance) = match after.conclusion() {
            Some(end) => (value_of(end, game, me), Some(1)),
            None => {
                let used = clock.now().saturating_sub(started);
                let time = limits.time.map(|time| time.saturating_sub(used));
                if stop.is_set() || time.is_some_and(|time| time.is_zero()) {
                    return None;
                }
                search.set_limits(Limits {
                    nodes,
                    time,
                    ..limits
                });
                let (value, plies) = search.analyze(&after, stop).exact()?;
                (for_the_other(value), plies.map(|plies| plies + 1))
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

/// The value of a conclusion for the player of a seat.
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

    /// The moves of a position with their values, such as `0-0+1 1-1= 2-2-2`, best first.
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
        add_move_values(&mut analysis, &game, limits, &Stop::new(), &clock);
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
    }

    #[test]
    fn line_of_a_forced_win_reaches_the_end() {
        let variant = "3x3k3".parse().unwrap();
        // The first player has the centre and a corner, the second an edge and the other corner.
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
