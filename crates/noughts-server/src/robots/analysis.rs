//! Analysis of a game, turn by turn, within a time limit.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{
    Analysis, Clock, IterativeDeepening, Limits, Stop, add_move_values, analyze, complete_line,
    has_opening_book, is_solved_exactly, move_values,
};
use noughts_rules::Game;

/// Maximum time for the analysis of a game.
const MAX_GAME: Duration = Duration::from_secs(4);

/// Maximum time for the analysis of a turn.
const MAX_TURN: Duration = Duration::from_millis(400);

/// Minimum time for a turn. If the game is long, [`MAX_GAME`] suffices only for the first turns.
const MIN_TURN: Duration = Duration::from_millis(2);

/// Maximum number of positions per search. The analysis of a turn needs several searches.
const MAX_NODES: u64 = 400_000;

/// Maximum time for a turn of Connect Four. If this time suffices, every move gets an exact value.
const MAX_EXACT_TURN: Duration = Duration::from_millis(1_000);

/// Number of opening turns. On the 7x6 board of Connect Four, their exact values follow from the opening
/// book.
const OPENING_TURNS: usize = 9;
/// Maximum time for each of the opening turns. On boards without a book, this time rarely suffices for an
/// exact value.
const MAX_OPENING_TURN: Duration = Duration::from_millis(100);

/// A Connect Four game with more turns is analyzed like the games of other variants. Rewinds can make a game long.
const MAX_EXACT_TURNS: usize = 200;

/// Returns the value and the best line of the position before each turn. An element is `None` if the analysis
/// does not reach its turn within [`MAX_GAME`].
///
/// The whole result is `None` if `limit` is shorter than [`MAX_GAME`] and too short for this game. The server
/// stores an analysis for ever. So the analysis must not depend on the processor time that remains for the
/// client that requests it first.
pub(super) fn analyze_turns(
    game: &Game,
    clock: &Arc<dyn Clock>,
    limit: Duration,
    stop: &Stop,
) -> Option<Vec<Option<Analysis>>> {
    if is_solved_exactly(game.variant()) && game.turns().len() <= MAX_EXACT_TURNS {
        return analyze_exactly(game, clock, limit, stop);
    }
    let turns = game.turns();
    let (started, limit) = (clock.now(), limit.min(MAX_GAME));
    let left = || limit.saturating_sub(clock.now().saturating_sub(started));
    let per_turn = MAX_GAME / u32::try_from(turns.len().max(1)).unwrap_or(u32::MAX);
    let per_turn = per_turn.clamp(MIN_TURN, MAX_TURN);
    let mut found = Vec::with_capacity(turns.len());
    let mut past = game.after(0);
    for turn in turns {
        if left().is_zero() || stop.is_set() || past.conclusion().is_some() {
            break;
        }
        let turn_started = clock.now();
        let rest = || Limits {
            depth: None,
            nodes: Some(MAX_NODES),
            time: Some({
                let used = clock.now().saturating_sub(turn_started);
                per_turn.saturating_sub(used).min(left())
            }),
        };
        let half = Limits {
            time: rest().time.map(|time| time / 2),
            ..rest()
        };
        let moves = move_values(&past, half, stop, clock);
        let mut analysis = analyze(&past, rest(), stop, Arc::clone(clock));
        if let Some(moves) = moves {
            add_move_values(&mut analysis, moves);
        }
        complete_line(&mut analysis, &past, rest(), stop, clock);
        found.push(Some(analysis));
        if past.act(turn.by, turn.action).is_err() {
            break;
        }
    }
    let is_cut = limit < MAX_GAME && (left().is_zero() || stop.is_set());
    found.resize(turns.len(), None);
    (!is_cut).then_some(found)
}

/// Like `analyze_turns`, but for Connect Four. If the board has an opening book, the opening turns are
/// analyzed first. Then all other turns are analyzed from the last to the first. Late turns are solved
/// quickly, and their results help to solve earlier turns.
fn analyze_exactly(
    game: &Game,
    clock: &Arc<dyn Clock>,
    limit: Duration,
    stop: &Stop,
) -> Option<Vec<Option<Analysis>>> {
    let count = game.turns().len();
    let (started, limit) = (clock.now(), limit.min(MAX_GAME));
    let left = || limit.saturating_sub(clock.now().saturating_sub(started));
    let mut search = IterativeDeepening::new(Limits::default(), Arc::clone(clock));
    let mut found = vec![None; count];
    let opening = match has_opening_book(game.variant()) {
        true => count.min(OPENING_TURNS),
        false => 0,
    };
    for turn in (0..opening).chain((opening..count).rev()) {
        let longest = match turn < OPENING_TURNS {
            true => MAX_OPENING_TURN,
            false => MAX_EXACT_TURN,
        };
        let past = game.after(turn);
        if left().is_zero() || stop.is_set() {
            break;
        }
        if past.conclusion().is_none() {
            search.set_limits(Limits {
                time: Some(longest.min(left())),
                ..Limits::default()
            });
            found[turn] = Some(search.analyze(&past, stop));
        }
    }
    let is_cut = limit < MAX_GAME && (left().is_zero() || stop.is_set());
    (!is_cut).then_some(found)
}
