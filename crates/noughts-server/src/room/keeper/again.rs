//! Playing again: when all people at the table want to, there is a new one.

use noughts_rules::Seat;

use super::{Asker, Denied, Keeper};
use crate::id::GameId;
use crate::store::StoredGame;
use crate::table::Holder;

/// Who wants to play again, and what came of it.
#[derive(PartialEq, Eq, Default)]
pub(super) struct Again {
    wanting: Vec<Seat>,
    /// The game that was made for them.
    pub(super) next: Option<GameId>,
}

impl Again {
    pub(super) fn of(stored: &StoredGame) -> Again {
        Again {
            wanting: stored.again.clone(),
            next: stored.rematch,
        }
    }
}

impl Keeper {
    pub(super) async fn play_again(&mut self, seat: Seat, asker: Asker) {
        if let Err(unknown) = self.catch_up().await {
            return self.deny(seat, asker, unknown.into());
        }
        if self.table.game().conclusion().is_none() && self.house.bus().is_shared() {
            // It may have ended at another process, this moment.
            self.unsure = true;
            if let Err(unknown) = self.catch_up().await {
                return self.deny(seat, asker, unknown.into());
            }
        }
        if self.table.game().conclusion().is_none() {
            return self.deny(seat, asker, Denied::NotOver);
        }
        while self.again.next.is_none() && (!self.again.wanting.contains(&seat) || self.all_want())
        {
            let mut wanting = self.again.wanting.clone();
            wanting.push(seat);
            let next = match self.is_missing(&wanting) {
                true => None,
                false => Some(self.house.rematch_of(self.table.setting())),
            };
            let (store, id) = (self.house.store(), self.table.id());
            if store.rematch(id, seat, next).await.is_err() {
                self.unsure = true;
                return self.deny(seat, asker, Denied::Unavailable);
            }
            // The other's wish may have been stored at the same moment by another process, each
            // without knowing of the other: then who reads both makes the table.
            self.unsure = true;
            if let Err(unknown) = self.catch_up().await {
                return self.deny(seat, asker, unknown.into());
            }
            self.house.bus().publish(id, self.entries);
        }
        self.answer_later(asker);
    }

    /// Everybody wants to play again, and nobody has made the table for it.
    fn all_want(&self) -> bool {
        !self.is_missing(&self.again.wanting)
    }

    /// Somebody at the table is not among those who want to play again.
    fn is_missing(&self, wanting: &[Seat]) -> bool {
        let mut holders = (0..).map(Seat).zip(&self.table.setting().holders);
        holders.any(|(seat, holder)| {
            matches!(holder, Holder::Human { .. }) && !wanting.contains(&seat)
        })
    }
}
