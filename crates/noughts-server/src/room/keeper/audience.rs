//! Those who look at a table, ask it something or watch it, and what they are told.

use std::sync::Arc;

use noughts_rules::Seat;
use tokio::sync::{broadcast, oneshot};

use super::{Asker, Denied, Happening, Keeper, Latest, Notice, Reply, Sight, Sitter};

/// How many turns one who watches may be behind.
const MOST_BEHIND: usize = 64;

/// Everybody who has looked from outside.
pub(super) struct Audience {
    /// How many listen at each seat.
    present: Vec<u32>,
    /// The table as it is, once somebody looked.
    latest: Latest,
    /// Where what happens is told, once somebody watched.
    happenings: Option<broadcast::Sender<Arc<Happening>>>,
    /// Somebody asked for it by its id, so it stays for a while when it is over.
    is_asked_for: bool,
    /// Answered when the robots that have their move at once have moved.
    waiting: Vec<Reply>,
}

/// Where one who watches hears how the table stands, and from then on what happens.
type Watching = oneshot::Sender<(Arc<Sight>, broadcast::Receiver<Arc<Happening>>)>;

impl Audience {
    pub(super) fn new(seats: usize) -> Audience {
        Audience {
            present: vec![0; seats],
            latest: Latest::default(),
            happenings: None,
            is_asked_for: false,
            waiting: Vec::new(),
        }
    }

    /// Where the table as it is can be seen.
    pub(super) fn latest(&self) -> &Latest {
        &self.latest
    }

    /// Somebody knows it by its id.
    pub(super) fn is_asked_for(&mut self) {
        self.is_asked_for = true;
    }

    /// Nobody ever looked.
    fn is_empty(&self) -> bool {
        self.latest.is_empty() && self.happenings.is_none()
    }

    /// Somebody watches.
    pub(super) fn watches(&self) -> bool {
        let happenings = self.happenings.as_ref();
        happenings.is_some_and(|happenings| happenings.receiver_count() > 0)
    }

    /// One more listens at this seat: whether that is the first.
    fn comes(&mut self, seat: Seat) -> bool {
        let count = self.present.get_mut(usize::from(seat.0));
        count.is_some_and(|count| {
            *count += 1;
            *count == 1
        })
    }

    /// One less does: whether nobody is left.
    fn goes(&mut self, seat: Seat) -> bool {
        let count = self.present.get_mut(usize::from(seat.0));
        count.is_some_and(|count| {
            *count = count.saturating_sub(1);
            *count == 0
        })
    }

    /// One who hears notices is there from now on.
    pub(super) fn sits(&mut self, seat: Seat) {
        self.present[usize::from(seat.0)] = 1;
    }
}

impl Keeper {
    /// Somebody hears everything that happens from now on; at a seat they are present there.
    pub(super) fn watch(&mut self, seat: Option<Seat>, reply: Watching) {
        let happenings = self
            .audience
            .happenings
            .get_or_insert_with(|| broadcast::channel(MOST_BEHIND).0)
            .subscribe();
        if seat.is_some_and(|seat| self.audience.comes(seat)) {
            self.changed(Happening::presence);
        }
        let sight = self.sight();
        // One who is gone again need not be told; the watch was dropped with the reply.
        let _ = reply.send((sight, happenings));
    }

    /// One who listened at this seat has gone.
    pub(super) fn unwatch(&mut self, seat: Seat) {
        if self.audience.goes(seat) {
            self.changed(Happening::presence);
        }
    }

    /// Something is not as it was: who looked before sees it, and who watches hears it. Costs nothing
    /// where nobody ever did.
    pub(super) fn changed(&mut self, happening: impl FnOnce(Arc<Sight>) -> Happening) {
        if self.audience.is_empty() {
            return;
        }
        let sight = self.look_anew();
        if self.table.game().conclusion().is_some() && !self.is_filed {
            // Who looks now is answered when the end is filed, so that the archive does not contradict.
            self.audience.latest.set(None);
            self.audience.is_asked_for = true;
        }
        if let Some(happenings) = &self.audience.happenings
            && happenings.receiver_count() > 0
        {
            // All may have gone this moment.
            let _ = happenings.send(Arc::new(happening(sight)));
        }
    }

    fn sight(&self) -> Arc<Sight> {
        self.audience
            .latest
            .get()
            .unwrap_or_else(|| self.look_anew())
    }

    fn look_anew(&self) -> Arc<Sight> {
        let present = self.audience.present.iter().map(|count| *count > 0);
        let sight = Arc::new(Sight::new(
            self.table.clone(),
            present.collect(),
            self.again.next,
        ));
        self.audience.latest.set(Some(Arc::clone(&sight)));
        sight
    }

    /// Who sits here hears notices, and a robot nothing.
    pub(super) fn answer_later(&mut self, asker: Asker) {
        if let Asker::One(reply) = asker {
            self.audience.waiting.push(reply);
        }
    }

    /// Those who were waiting for the robots hear how the table stands now.
    pub(super) fn answer_all(&mut self) {
        while let Some(reply) = self.audience.waiting.pop() {
            let _ = reply.send(Ok(self.sight()));
        }
    }

    pub(super) fn deny(&self, seat: Seat, asker: Asker, denied: Denied) {
        match asker {
            Asker::One(reply) => drop(reply.send(Err(denied))),
            Asker::Robot => {}
            Asker::Sitter => {
                self.house.counts().denied(denied);
                if let Some(Sitter::Listener(notices)) = self.sitters.get(usize::from(seat.0)) {
                    let _ = notices.try_send(match denied {
                        Denied::Refused(refused) => Notice::Refused(refused),
                        _ => Notice::Unavailable,
                    });
                }
            }
        }
    }

    /// Nobody ever looked at this table from outside, so nobody need be answered any more.
    pub(super) fn nobody_looks(&self) -> bool {
        self.audience.latest.is_empty() && !self.audience.is_asked_for && self.mailbox.is_empty()
    }
}
