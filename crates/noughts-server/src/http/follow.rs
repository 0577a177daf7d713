//! Following a table: one view, then every turn in order, for streams of every kind.

use std::sync::Arc;

use tokio::sync::broadcast::error::RecvError;

use super::Web;
use super::body::no_such_game;
use super::refusal::Refuse;
use super::tables::look_at;
use crate::id::GameId;
use crate::room::{Happening, Sight, Watch};
use noughts_rules::Seat;

/// One who follows a table.
pub(super) struct Follow {
    web: Arc<Web>,
    id: GameId,
    watch: Watch,
    /// Completed turns that were told.
    told: usize,
    /// Something was missed, and the table must be looked at again.
    missed: bool,
}

/// What is heard.
pub(super) enum News {
    /// A turn, by its number, that follows the one before.
    Turn(usize, Arc<Happening>),
    /// Somebody came or went, or the table ended without a turn.
    Aside(Arc<Happening>),
    /// Too slow: this is how the table stands now.
    Afresh(Arc<Sight>),
}

impl Follow {
    /// Begins to follow, at a seat or from outside.
    pub(super) async fn begin(
        web: &Arc<Web>,
        id: GameId,
        seat: Option<Seat>,
    ) -> Result<Follow, Refuse> {
        let mut tries = 0;
        let watch = loop {
            let room = web.house.room(id).await?.ok_or_else(no_such_game)?;
            match room.watch(seat).await {
                Ok(watch) => break watch,
                // It was just closed, and is found again in the store.
                Err(_) if tries < 3 => tries += 1,
                Err(denied) => return Err(denied.into()),
            }
        };
        Ok(Follow {
            web: Arc::clone(web),
            id,
            told: watch.sight.table().turn() - 1,
            watch,
            missed: false,
        })
    }

    /// The table as it was when this began.
    pub(super) fn sight(&self) -> &Arc<Sight> {
        &self.watch.sight
    }

    /// This was told by other means: what led to it need not be told again.
    pub(super) fn has_told(&mut self, sight: &Sight) {
        self.told = self.told.max(sight.table().turn() - 1);
    }

    /// What happens next; `None` when the table is closed. Nothing is lost where this is not waited
    /// for to its end.
    pub(super) async fn next(&mut self) -> Option<News> {
        loop {
            if self.missed {
                let sight = look_at(&self.web, self.id).await.ok()?;
                self.missed = false;
                self.told = sight.table().turn() - 1;
                return Some(News::Afresh(sight));
            }
            match self.watch.happenings.recv().await {
                Ok(happening) => match happening.turn {
                    Some(turn) if turn <= self.told => {}
                    Some(turn) if turn == self.told + 1 => {
                        self.told = turn;
                        return Some(News::Turn(turn, happening));
                    }
                    Some(_) => self.missed = true,
                    None => return Some(News::Aside(happening)),
                },
                Err(RecvError::Lagged(_)) => {
                    self.watch.happenings = self.watch.happenings.resubscribe();
                    self.missed = true;
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
