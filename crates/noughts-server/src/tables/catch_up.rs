//! Brings a table in memory up to date with the store, to which other nodes may have written.

use std::sync::Arc;

use tracing::{error, warn};

use super::live_table::{LiveTable, Phase};
use super::{SubmitError, Tables};
use crate::store::{LogTail, StoreError, StoredGame};
use crate::table::{Entry, Table};

impl Tables {
    /// Applies the entries that the store has and this table lacks.
    pub(super) async fn catch_up(&self, live: &Arc<LiveTable>) -> Result<(), SubmitError> {
        let known = live.read(Table::entry);
        // Start with the latest known entry, to check that the store has the same log.
        let tail = self.store.entries_after(live.id(), known.saturating_sub(1));
        let tail = match tail.await {
            Ok(tail) => tail,
            Err(error) => {
                warn!(game = %live.id(), %error, "cannot compare a table with the store");
                live.mark_behind();
                return Err(SubmitError::Unavailable(error));
            }
        };
        let Some(tail) = tail else {
            self.remove(live);
            return Err(SubmitError::NoSuchGame);
        };
        let seated = tail
            .entries
            .iter()
            .filter_map(|logged| match &logged.entry {
                Entry::Seated { holder, .. } => Some(holder),
                _ => None,
            });
        if let Err(error) = self.learn_names(live, seated).await {
            live.mark_behind();
            return Err(SubmitError::Unavailable(error));
        }
        match self.apply_tail(live, &tail) {
            true => Ok(()),
            false => self.reload(live).await,
        }
    }

    /// Applies the entries of `tail` that the table lacks. Returns false if the table's log differs from the log in the
    /// store.
    fn apply_tail(&self, live: &LiveTable, tail: &LogTail) -> bool {
        let mut state = live.state();
        let new = match (state.table.latest_entry(), tail.entries.split_first()) {
            (None, _) => &tail.entries[..],
            (Some(ours), Some((first, new))) if first.entry == ours => new,
            (Some(_), _) => return false,
        };
        let was_over = state.table.is_over();
        for logged in new {
            if state.apply(logged).is_err() {
                return false;
            }
        }
        if state.phase == Phase::Behind {
            state.phase = Phase::Current;
        }
        // If only the store's confirmation was lost, the missing entries are the entries that this node has sent.
        let unconfirmed = std::mem::take(&mut state.unconfirmed);
        match new {
            [] => {}
            [..] => state.is_stored_here = *new == *unconfirmed,
        }
        self.after_entries(&mut state, was_over, !new.is_empty());
        true
    }

    /// Replaces the table by the game in the store. This is needed if the logs differ, for example after a failover
    /// that lost the latest writes.
    async fn reload(&self, live: &Arc<LiveTable>) -> Result<(), SubmitError> {
        warn!(game = %live.id(), "the store has other entries than memory: loading the game again");
        let stored = self.store.load(live.id()).await;
        let table = match stored.and_then(|stored| stored.map(replay).transpose()) {
            Ok(Some(table)) => table,
            Ok(None) => {
                self.remove(live);
                return Err(SubmitError::NoSuchGame);
            }
            Err(error) => {
                error!(game = %live.id(), %error, "cannot load a game");
                live.mark_behind();
                return Err(SubmitError::Unavailable(error));
            }
        };
        let learned = self.learn_names(live, table.holders()).await;
        learned.map_err(SubmitError::Unavailable)?;
        let mut state = live.state();
        state.replace(table);
        state.is_stored_here = false;
        state.unconfirmed.clear();
        if state.phase == Phase::Behind {
            state.phase = Phase::Current;
        }
        self.after_entries(&mut state, false, true);
        Ok(())
    }

    /// Compares a table with the store and applies new entries. Returns whether the table is up to date now.
    pub(crate) async fn refresh(self: &Arc<Tables>, live: &Arc<LiveTable>) -> bool {
        let _submission = live.submission.lock().await;
        live.mark_behind();
        // After an error the next hint or submission tries again.
        let is_current = self.catch_up(live).await.is_ok();
        if is_current {
            self.move_robots(live);
        }
        is_current
    }
}

pub(super) fn replay(stored: StoredGame) -> Result<Table, StoreError> {
    let id = stored.settings.id;
    let table = Table::replay(stored.settings, &stored.entries);
    table.map_err(|invalid| {
        let entry = invalid.entry;
        StoreError::Corrupt(format!("entry {entry} of game {id} is not valid"))
    })
}
