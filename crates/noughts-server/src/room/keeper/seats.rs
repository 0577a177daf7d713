//! The seats: who is at each, who sits down, and who is put out.

use noughts_rules::Seat;
use tokio::sync::mpsc;

use super::{Asker, Chair, Denied, Happening, Keeper, Notice};
use crate::robots::Mind;
use crate::store::{Appended, Sitting};
use crate::table::{Holder, Leavers};

/// One seat as the room knows it.
pub(crate) enum Sitter {
    /// Nobody yet, or somebody who asks and looks, and whose seat lasts.
    Lasting,
    /// Somebody who hears notices, and whose seat lives with a connection.
    Listener(mpsc::Sender<Notice>),
    /// A robot.
    Robot(Mind),
}

impl Keeper {
    pub(super) async fn sit(
        &mut self,
        sitting: Sitting,
        seat: Seat,
        notices: Option<mpsc::Sender<Notice>>,
        asker: Asker,
    ) {
        if let Err(unknown) = self.catch_up().await {
            return self.deny(seat, asker, unknown.into());
        }
        if !matches!(self.table.holder(seat), Some(Holder::Open(_))) {
            return self.deny(seat, asker, Denied::SeatTaken);
        }
        let holder = sitting.holder();
        match self.house.store().sit(self.table.id(), seat, sitting).await {
            Ok(Appended::Stored) => {}
            Ok(Appended::Taken) => {
                self.unsure = true;
                return self.deny(seat, asker, Denied::SeatTaken);
            }
            Err(_) => {
                self.unsure = true;
                return self.deny(seat, asker, Denied::Unavailable);
            }
        }
        self.stored_entry();
        self.table.sit(seat, holder);
        self.withdraw_seats();
        if let Some(notices) = notices {
            let _ = notices.try_send(Notice::Seated(self.chair(seat)));
            // What was played before they came.
            for (number, turn) in (1..).zip(self.table.game().turns()) {
                let turn = *turn;
                let _ = notices.try_send(Notice::Turned { number, turn });
            }
            self.audience.sits(seat);
            self.sitters[usize::from(seat.0)] = Sitter::Listener(notices);
        }
        self.changed(Happening::presence);
        self.answer_later(asker);
    }

    /// Seats that are no longer open wait for nobody in the lobby.
    pub(super) fn withdraw_seats(&self) {
        let is_over = self.is_forgotten || self.table.game().conclusion().is_some();
        let is_open = |seat| matches!(self.table.holder(seat), Some(Holder::Open(_)));
        self.house
            .withdraw(self.table.id(), |seat| !is_over && is_open(seat));
    }

    /// All who sit here with a connection are put out at once, and told no result: it is not their
    /// doing.
    pub(super) async fn put_out(&mut self) {
        let mut leavers = Leavers::NONE;
        for (seat, sitter) in (0..).map(Seat).zip(&mut self.sitters) {
            if let Sitter::Listener(_) = sitter {
                *sitter = Sitter::Lasting;
                leavers = leavers.and(seat);
            }
        }
        self.leave(leavers).await;
    }

    /// Somebody sits here with a connection, and a game that goes on.
    pub(super) fn is_tied(&self) -> bool {
        let is_listener = |sitter: &Sitter| matches!(sitter, Sitter::Listener(_));
        self.sitters.iter().any(is_listener)
    }

    pub(super) fn chair(&self, seat: Seat) -> Chair {
        Chair {
            game: self.table.id(),
            seat,
            mailbox: self.to_mailbox.clone(),
        }
    }
}
