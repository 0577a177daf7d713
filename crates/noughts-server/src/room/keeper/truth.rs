//! The store is the truth: what it has, the table shows, and what it has not is tried again.

use std::collections::HashMap;
use std::time::Duration;

use noughts_rules::Seat;
use tokio::time::sleep;
use tracing::warn;

use super::again::Again;
use super::{Denied, Happening, Keeper, Message};
use crate::store::{Key, StoredGame, StoredTurn};
use crate::table::{Event, Table};

/// How long a store that did not answer is left alone.
const BETWEEN_TRIES: Duration = Duration::from_millis(250);

/// The keys of turns, which may be repeated: by seat and key, what was asked for.
pub(super) type Keys = HashMap<(Seat, String), u64>;

/// Why a table can't become what the store says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unknown {
    /// The store does not answer.
    Unavailable,
    /// It has no such game any more.
    Forgotten,
}

impl From<Unknown> for Denied {
    fn from(unknown: Unknown) -> Denied {
        match unknown {
            Unknown::Unavailable => Denied::Unavailable,
            Unknown::Forgotten => Denied::NoSuchGame,
        }
    }
}

impl Keeper {
    /// The store is the truth: where it may know more, the table becomes what it says, and everybody
    /// hears what they missed.
    pub(super) async fn catch_up(&mut self) -> Result<(), Unknown> {
        if !self.unsure {
            return Ok(());
        }
        let id = self.table.id();
        let stored = match self.house.store().load(id).await {
            Ok(Some(stored)) => stored,
            Ok(None) => {
                self.is_forgotten = true;
                self.withdraw_seats();
                return Err(Unknown::Forgotten);
            }
            Err(error) => {
                warn!(game = %id, %error, "a table can't be compared with the store");
                return Err(Unknown::Unavailable);
            }
        };
        let (again, keys, left) = (Again::of(&stored), keys_of(&stored), stored.left);
        (self.entries, self.is_filed) = (stored.entries(), stored.is_finished);
        let Some(table) = Table::restore(stored) else {
            warn!(game = %id, "a game can't be read back");
            return Err(Unknown::Unavailable);
        };
        let missed = table.game().turns()[(self.table.turn() - 1).min(table.turn() - 1)..].to_vec();
        let others = (&self.again, &self.table.setting().holders);
        let is_other = others != (&again, &table.setting().holders);
        (self.again, self.keys) = (again, keys);
        self.table.seat_as(&table);
        let is_news = !missed.is_empty();
        for (number, turn) in (self.table.turn()..).zip(missed) {
            self.happen(Event::Turned { number, turn });
        }
        if let Some(leavers) = left
            && self.table.game().conclusion().is_none()
        {
            self.happen(Event::Left(leavers));
        }
        if is_news {
            self.wait_for_robot();
        }
        if is_other {
            self.withdraw_seats();
            // Who sat down or wants to play again shows too.
            self.changed(Happening::anew);
        }
        self.unsure = false;
        Ok(())
    }

    /// One more entry of this table is in the store: others that share it hear of that.
    pub(super) fn stored_entry(&mut self) {
        self.entries += 1;
        self.house.bus().publish(self.table.id(), self.entries);
    }

    /// What the store did not take goes into the mailbox once more.
    pub(super) fn again_later(&self, message: Message) {
        let mailbox = self.to_mailbox.clone();
        tokio::spawn(async move {
            sleep(BETWEEN_TRIES).await;
            // A table that is gone needs no answer.
            let _ = mailbox.send(message).await;
        });
    }
}

pub(super) fn keys_of(stored: &StoredGame) -> Keys {
    let keyed = |stored: &StoredTurn| {
        let Key { text, body } = stored.key.clone()?;
        Some(((stored.turn.by, text), body))
    };
    stored.turns.iter().filter_map(keyed).collect()
}
