//! Ends games whose clock has run out, and gives back the time that outages took.
//!
//! At the deadline of a table, only the node that serves the seat to move ends the game. So a turn that
//! arrived in time at that node still counts, even if the store is slow. All other nodes act some seconds
//! later, when a *sweep* finds the game. Every node makes a sweep once per second: it looks in the store for
//! outages and for games whose clock has run out.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinSet;
use tracing::debug;

use super::live_table::LiveTable;
use super::{SubmitError, Tables};
use crate::id::{GameId, IdHash};
use crate::table::{Command, Decision, Outage, Table};

/// Maximum number of games that are checked at the same time.
const AT_ONCE: usize = 64;

/// Maximum number of outages in memory. Old outages are not needed: a turn of a game with a clock takes at most some
/// days.
const MAX_OUTAGES: usize = 100;

/// The planned check of each game. A check is planned for the game's deadline or for an earlier time. A turn usually
/// moves the deadline to a later time; the check stays at its planned time.
#[derive(Debug, Default)]
pub(super) struct Deadlines(Mutex<Schedule>);

#[derive(Debug, Default)]
struct Schedule {
    by_time: BTreeSet<(u64, GameId)>,
    by_game: HashMap<GameId, ScheduledCheck, IdHash>,
}

/// The planned check of a game. The game's table may no longer be in memory.
#[derive(Clone, Copy, Debug)]
struct ScheduledCheck {
    at_ms: u64,
    /// The number of the game's latest entry that this node has stored; `None` if this node has stored no
    /// entry.
    stored: Option<u32>,
}

impl Deadlines {
    /// Plans a check of the game at `at_ms`, unless an earlier check is planned.
    fn schedule(&self, game: GameId, at_ms: u64, stored: Option<u32>) {
        let Schedule { by_time, by_game } = &mut *self.lock();
        let check = by_game.entry(game).or_insert(ScheduledCheck {
            at_ms: u64::MAX,
            stored,
        });
        check.stored = check.stored.max(stored);
        if check.at_ms > at_ms {
            by_time.remove(&(check.at_ms, game));
            check.at_ms = at_ms;
            by_time.insert((at_ms, game));
        }
    }

    /// Removes the planned check of a game that is over.
    fn cancel(&self, game: GameId) {
        let Schedule { by_time, by_game } = &mut *self.lock();
        if let Some(check) = by_game.remove(&game) {
            by_time.remove(&(check.at_ms, game));
        }
    }

    /// Removes and returns the games whose check is planned before `now_ms`. With each game, returns the
    /// number of the latest entry that this node has stored; `None` if this node has stored no entry.
    fn take_due(&self, now_ms: u64) -> Vec<(GameId, Option<u32>)> {
        let Schedule { by_time, by_game } = &mut *self.lock();
        let later = by_time.split_off(&(now_ms, GameId::new(0)));
        let due = std::mem::replace(by_time, later);
        let stored = |(_, game)| {
            let check: Option<ScheduledCheck> = by_game.remove(&game);
            (game, check.and_then(|check| check.stored))
        };
        due.into_iter().map(stored).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    /// Plans a check at the time at which the clock of a table runs out, if the table has a clock. `is_stored_here`
    /// says whether this node stored the table's latest entry. If the game is over, removes the planned check.
    pub(super) fn schedule_deadline(&self, table: &Table, is_stored_here: bool) {
        if table.settings().clock.is_none() {
            return;
        }
        let stored = is_stored_here.then(|| table.entry());
        match table.clock_deadline_ms() {
            Some(deadline_ms) => self.deadlines.schedule(table.id(), deadline_ms, stored),
            None if table.is_over() => self.deadlines.cancel(table.id()),
            None => {}
        }
    }

    /// Ends the games whose clock ran out before the latest successful sweep, if this node serves the seat to
    /// move.
    pub(crate) async fn end_due_games(self: &Arc<Tables>) {
        let due = self.deadlines.take_due(self.clock.certain_ms());
        self.check_clocks(due).await;
    }

    /// Checks the clocks of `games`, at most `AT_ONCE` at the same time.
    async fn check_clocks(self: &Arc<Tables>, games: Vec<(GameId, Option<u32>)>) {
        let mut games = games.into_iter();
        let mut running = JoinSet::new();
        loop {
            while running.len() < AT_ONCE
                && let Some((game, stored)) = games.next()
            {
                let tables = Arc::clone(self);
                running.spawn(async move { tables.check_clock(game, stored).await });
            }
            if running.join_next().await.is_none() {
                return;
            }
        }
    }

    /// Ends a game if its clock has run out and this node serves the seat to move. Plans the next check if the
    /// deadline is later or the check failed.
    async fn check_clock(self: &Arc<Tables>, game: GameId, stored: Option<u32>) {
        let live = match self.get(game).await {
            Ok(Some(live)) => live,
            Ok(None) => return,
            Err(error) => {
                debug!(%game, %error, "cannot load a game whose clock has run out");
                // Try again soon, when `certain_ms` is later.
                self.deadlines
                    .schedule(game, self.clock.certain_ms(), stored);
                return;
            }
        };
        // While the check waits for other submissions, a sweep may set `certain_ms` to a later time. The check still
        // uses the earlier time, so a deadline between the two times must be checked again.
        let certain_ms = self.clock.certain_ms();
        if self.serves_seat_to_move(&live, stored).await {
            self.submit_deadline_check(&live, stored).await;
        }
        let state = live.state();
        // If the deadline has passed, another node serves the seat to move, and a sweep finds the game. So only later
        // deadlines are planned.
        let deadline_ms = state.table.clock_deadline_ms();
        if deadline_ms.is_some_and(|deadline_ms| deadline_ms >= certain_ms) {
            let is_stored_here = state.is_stored_here || stored == Some(state.table.entry());
            self.schedule_deadline(&state.table, is_stored_here);
        }
    }

    /// Ends the game if the time of the seat to move has run out. `stored` is the number of the latest entry
    /// that this node has stored. A table that was removed from memory and loaded again does not know this
    /// number.
    async fn submit_deadline_check(self: &Arc<Tables>, live: &Arc<LiveTable>, stored: Option<u32>) {
        match self.submit(live, &Command::CheckDeadline).await {
            Ok(()) | Err(SubmitError::NoSuchGame) => {}
            Err(
                SubmitError::Refused(_)
                | SubmitError::Unavailable(_)
                | SubmitError::Busy
                | SubmitError::Closed,
            ) => {
                // The schedule keeps `stored`, because the table may leave memory before the next check if the store is
                // unavailable for long.
                let state = live.state();
                let stored_here = state.is_stored_here.then(|| state.table.entry());
                let stored = stored.max(stored_here);
                let certain_ms = self.clock.certain_ms();
                self.deadlines.schedule(live.id(), certain_ms, stored);
            }
        }
    }

    /// Ends a game that a sweep has found, if its clock has run out. A node that does not serve the seat to
    /// move waits until `grace_ms` milliseconds after the deadline.
    pub(crate) async fn end_overdue_game(self: &Arc<Tables>, live: &Arc<LiveTable>, grace_ms: u64) {
        let certain_ms = self.clock.certain_ms();
        let deadline_ms = live.read(Table::clock_deadline_ms);
        let is_overdue = |deadline_ms: u64| certain_ms > deadline_ms.saturating_add(grace_ms);
        let is_due = deadline_ms.is_some_and(|deadline_ms| certain_ms > deadline_ms);
        let is_overdue = deadline_ms.is_some_and(is_overdue);
        if is_overdue || is_due && self.serves_seat_to_move(live, None).await {
            self.submit_deadline_check(live, None).await;
        }
    }

    /// Whether this node serves the seat to move. A node serves a seat if the seat's player is connected to
    /// this node. If the player is connected to no node, the node that stored the latest entry serves the
    /// seat. Always true if the store is not shared. `stored` is the number of the latest entry that this
    /// node has stored. A table that was removed from memory and loaded again does not know this number.
    async fn serves_seat_to_move(&self, live: &LiveTable, stored: Option<u32>) -> bool {
        if !self.bus.is_shared() {
            return true;
        }
        let (seat, is_stored_here) = {
            let state = live.state();
            let Some(seat) = state.table.game().to_move() else {
                return false;
            };
            if state.is_connected_here(seat) {
                return true;
            }
            let is_stored_here = state.is_stored_here || stored == Some(state.table.entry());
            (seat, is_stored_here)
        };
        if !is_stored_here {
            return false;
        }
        // A table that was just loaded does not know yet which players are connected to other nodes.
        match self.store.positions(self.node, vec![live.id()]).await {
            Ok(found) => found
                .iter()
                .all(|position| !position.present.contains(seat)),
            Err(_) => false,
        }
    }

    /// Remembers the outages that a sweep has found. If there is a new outage, starts a check of the clocks of all
    /// tables in memory.
    pub(crate) fn note_outages(self: &Arc<Tables>, found: Vec<Outage>) {
        let Some(latest) = found.iter().map(|outage| outage.until_ms).max() else {
            return;
        };
        let mut outages = self.outages.lock().unwrap_or_else(PoisonError::into_inner);
        if outages.iter().any(|outage| outage.until_ms >= latest) {
            return;
        }
        *outages = found;
        outages.sort_unstable_by_key(|outage| outage.until_ms);
        let excess = outages.len().saturating_sub(MAX_OUTAGES);
        outages.drain(..excess);
        drop(outages);
        self.outages_until_ms.store(latest, Ordering::Release);
        let has_clock = |live: &Arc<LiveTable>| live.read(Table::clock_deadline_ms).is_some();
        let games = self.all().into_iter().filter(has_clock);
        let games: Vec<(GameId, Option<u32>)> = games.map(|live| (live.id(), None)).collect();
        let tables = Arc::clone(self);
        tokio::spawn(async move { tables.check_clocks(games).await });
    }

    /// The decision that adds to the current turn the time that the turn lost because of outages. `None` if
    /// the turn lost no time.
    pub(super) fn time_to_add(&self, current: &Table) -> Option<Decision> {
        if !current.has_turn_begun_before(self.outages_until_ms.load(Ordering::Acquire)) {
            return None;
        }
        let now_ms = self.clock.certain_ms();
        let outages = self.outages.lock().unwrap_or_else(PoisonError::into_inner);
        let mut added: Option<(Table, Decision)> = None;
        for outage in outages.iter() {
            let table = added.as_ref().map_or(current, |(table, _)| table);
            let decided = table.decide(&Command::AddTime(*outage), now_ms);
            let Some(decision) = decided.ok().flatten() else {
                continue;
            };
            let mut table = table.clone();
            for logged in &decision.entries {
                table.apply(logged).ok()?;
            }
            let before = added.map(|(_, before)| before.entries);
            let mut entries = before.unwrap_or_default();
            entries.extend(decision.entries);
            let decision = Decision {
                entries,
                ..Decision::default()
            };
            added = Some((table, decision));
        }
        added.map(|(_, decision)| decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_due_once_at_the_earliest_time() {
        let deadlines = Deadlines::default();
        let [one, other] = [1, 2].map(GameId::new);
        deadlines.schedule(one, 50, Some(1));
        deadlines.schedule(one, 80, Some(2));
        deadlines.schedule(other, 90, None);
        deadlines.schedule(other, 60, None);
        assert_eq!(deadlines.take_due(50), []);
        assert_eq!(deadlines.take_due(51), [(one, Some(2))]);
        assert_eq!(deadlines.take_due(1_000), [(other, None)]);
        assert_eq!(deadlines.take_due(1_000), []);
        deadlines.schedule(one, 10, None);
        deadlines.cancel(one);
        assert_eq!(deadlines.take_due(1_000), []);
        assert!(deadlines.lock().by_game.is_empty());
    }
}
