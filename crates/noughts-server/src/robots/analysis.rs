//! Analysis of a game, turn by turn, within a time limit.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Analysis, Clock, Limits, Stop, analyze};
use noughts_rules::Game;

/// Longest time for a game, and for one of its turns.
const MAX_GAME: Duration = Duration::from_secs(4);
const MAX_TURN: Duration = Duration::from_millis(400);

/// Shortest time for a turn: in long games the first turns are analyzed and the last are not.
const MIN_TURN: Duration = Duration::from_millis(2);

/// Maximum number of positions per turn.
const MAX_NODES: u64 = 400_000;

/// The value and best line before each turn; `None` for turns that are not reached within [`MAX_GAME`].
///
/// No result if `limit` is shorter and not enough: an analysis is stored for ever, so it must not depend on the budget of
/// the first client that requests it.
pub(super) fn analyze_turns(
    game: &Game,
    clock: &Arc<dyn Clock>,
    limit: Duration,
    stop: &Stop,
) -> Option<Vec<Option<Analysis>>> {
    let turns = game.turns();
    let (started, limit) = (clock.now(), limit.min(MAX_GAME));
    let left = || limit.saturating_sub(clock.now().saturating_sub(started));
    let per_turn = MAX_GAME / u32::try_from(turns.len().max(1)).unwrap_or(u32::MAX);
    let per_turn = per_turn.clamp(MIN_TURN, MAX_TURN);
    let mut found = Vec::with_capacity(turns.len());
    let mut past = game.after(0);
    for turn in turns {
        let left = left();
        if left.is_zero() || stop.is_set() || past.conclusion().is_some() {
            break;
        }
        let limits = Limits {
            depth: None,
            nodes: Some(MAX_NODES),
            time: Some(per_turn.min(left)),
        };
        found.push(Some(analyze(&past, limits, stop, Arc::clone(clock))));
        if past.act(turn.by, turn.action).is_err() {
            break;
        }
    }
    let is_cut = limit < MAX_GAME && (left().is_zero() || stop.is_set());
    found.resize(turns.len(), None);
    (!is_cut).then_some(found)
}
