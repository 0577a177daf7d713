//! A table that is being played: how to speak to it, and what is heard of it.

mod keeper;
mod sight;

use std::sync::Arc;

use noughts_rules::{Action, Move, Seat, Turn};
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::id::GameId;
use crate::store::{Key, Sitting};
use crate::table::{Leavers, Refused, Verdict};

pub(crate) use keeper::{Keeper, Sitter};
pub(crate) use sight::Latest;
pub use sight::{Happening, Sight};

/// What somebody who sits at a table hears of it, in order.
#[derive(Debug)]
pub enum Notice {
    /// You are seated, and the game begins. The first notice.
    Seated(Chair),
    /// A turn was completed and the game goes on.
    Turned {
        /// Completed turns, this one included.
        number: usize,
        /// Who did what.
        turn: Turn,
    },
    /// What you asked for was not taken; nothing has changed.
    Refused(Refused),
    /// The store does not answer: nothing has changed, and it may be tried again.
    Unavailable,
    /// The game is over. The last notice.
    Over {
        /// How it ended for you.
        verdict: Verdict,
        /// The other's play that ended it, if one did.
        answer: Option<Move>,
    },
}

/// How many notices may wait for somebody. A game of tic-tac-toe has fewer, and who asks for one
/// thing at a time is refused one at a time: who has more has stopped listening.
pub const MOST_NOTICES: usize = 32;

/// A seat that somebody sits on. Dropped, it is left for good.
#[derive(Debug)]
pub struct Chair {
    game: GameId,
    seat: Seat,
    mailbox: mpsc::Sender<Message>,
}

/// What becomes of something that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// It waits to be looked at.
    Waits,
    /// More was asked for than answered: nothing has happened and nothing will.
    Full,
    /// The table was closed; how it ended is among the notices.
    Gone,
}

impl Chair {
    /// Of which game.
    pub fn game(&self) -> GameId {
        self.game
    }

    /// Which seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Asks for something, in answer to the table as it was in turn `at_turn`. The answer is a
    /// notice.
    pub fn act(&self, action: Action, at_turn: usize) -> Asked {
        let wish = Wish {
            seat: self.seat,
            action,
            at_turn,
            key: None,
        };
        let message = Message::Act(wish, Asker::Sitter);
        match self.mailbox.try_send(message) {
            Ok(()) => Asked::Waits,
            Err(mpsc::error::TrySendError::Full(_)) => Asked::Full,
            Err(mpsc::error::TrySendError::Closed(_)) => Asked::Gone,
        }
    }
}

impl Drop for Chair {
    fn drop(&mut self) {
        let leave = Message::Leave(Leavers::one(self.seat));
        match self.mailbox.try_send(leave) {
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => {}
            // Somebody flooded their own table: it is told as soon as there is room.
            Err(mpsc::error::TrySendError::Full(leave)) => {
                let mailbox = self.mailbox.clone();
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    runtime.spawn(async move { mailbox.send(leave).await });
                }
            }
        }
    }
}

/// How to speak to a table that is being played. It may be gone: then whoever has the id finds it
/// again in the store.
#[derive(Clone, Debug)]
pub struct Room {
    mailbox: mpsc::Sender<Message>,
    latest: Latest,
}

/// What a seat wants of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// Which seat.
    pub seat: Seat,
    /// What it wants.
    pub action: Action,
    /// The turn that it saw: completed turns plus one.
    pub at_turn: usize,
    /// The key of the request, if it has one.
    pub key: Option<Box<Key>>,
}

/// Why a table does not do what was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Denied {
    /// Its rules, or its turn, say no.
    Refused(Refused),
    /// The key was used for something else.
    KeyReused,
    /// The seat is not open.
    SeatTaken,
    /// The game is not over, so there is no playing again.
    NotOver,
    /// The store does not answer. Nobody knows; it may be asked again.
    Unavailable,
    /// There is no such game.
    NoSuchGame,
    /// The table is not being played any more: look for it again.
    Gone,
}

/// Where an answer goes.
#[derive(Debug)]
pub(crate) enum Asker {
    /// To the notices of whoever sits there.
    Sitter,
    /// Nowhere: a robot's thought, which is tried again until it is stored or stale.
    Robot,
    /// To one who waits for it.
    One(Reply),
}

/// Where one who waits hears of it.
pub(crate) type Reply = oneshot::Sender<Result<Arc<Sight>, Denied>>;

/// What a table's mailbox holds.
#[derive(Debug)]
pub(crate) enum Message {
    /// A seat wants something.
    Act(Wish, Asker),
    /// These are gone for good.
    Leave(Leavers),
    /// Somebody takes an open seat; with notices where the seat lives with a connection.
    Sit(Box<Sitting>, Seat, Option<mpsc::Sender<Notice>>, Asker),
    /// A seat wants to play again.
    Again(Seat, Asker),
    /// Somebody looks.
    Look(Asker),
    /// Somebody wants to hear everything that happens, from now on; perhaps at a seat.
    Watch(
        Option<Seat>,
        oneshot::Sender<(Arc<Sight>, broadcast::Receiver<Arc<Happening>>)>,
    ),
    /// One who listened at this seat has gone.
    Unwatch(Seat),
    /// Somebody says that the store has so many entries of the game by now.
    Hint(usize),
    /// The store may not have the game any more.
    Doubt,
    /// How it ended was not listed yet: that is tried again.
    File,
    /// The house is about to close: all who sit here with a connection leave at once.
    PutOut,
    /// The house closes: a table whose seats last can be found again in the store.
    Close,
}

impl Room {
    pub(crate) fn new(mailbox: mpsc::Sender<Message>, latest: Latest) -> Room {
        Room { mailbox, latest }
    }

    /// Asks for an action.
    pub async fn act(&self, wish: Wish) -> Result<Arc<Sight>, Denied> {
        self.ask(|asker| Message::Act(wish, asker)).await
    }

    /// Takes an open seat.
    pub async fn sit(&self, seat: Seat, sitting: Sitting) -> Result<Arc<Sight>, Denied> {
        self.ask(|asker| Message::Sit(Box::new(sitting), seat, None, asker))
            .await
    }

    /// Takes an open seat for one who hears notices.
    pub(crate) async fn sit_down(
        &self,
        seat: Seat,
        sitting: Sitting,
        notices: mpsc::Sender<Notice>,
    ) -> Result<Arc<Sight>, Denied> {
        self.ask(|asker| Message::Sit(Box::new(sitting), seat, Some(notices), asker))
            .await
    }

    /// Wants to play again. When all people at the table do, there is a new one.
    pub async fn again(&self, seat: Seat) -> Result<Arc<Sight>, Denied> {
        self.ask(|asker| Message::Again(seat, asker)).await
    }

    /// The table as it stands. What was told to anybody before this is in it.
    pub async fn look(&self) -> Result<Arc<Sight>, Denied> {
        // Asked for once, it lies there from then on: a hop to the room and back costs more than all
        // the rest of a request.
        if let Some(sight) = self.latest.get() {
            return Ok(sight);
        }
        self.ask(Message::Look).await
    }

    /// The table as it stands, and everything that happens from then on. Who sits at a seat and
    /// watches is present there until the watch ends.
    pub async fn watch(&self, seat: Option<Seat>) -> Result<Watch, Denied> {
        let (reply, answer) = oneshot::channel();
        let sent = self.mailbox.send(Message::Watch(seat, reply)).await;
        sent.map_err(|_| Denied::Gone)?;
        let (sight, happenings) = answer.await.map_err(|_| Denied::Gone)?;
        Ok(Watch {
            sight,
            happenings,
            _presence: seat.map(|seat| Present {
                room: self.clone(),
                seat,
            }),
        })
    }

    /// Somebody says that the store has so many entries of the game by now. What gets lost of this is
    /// made up for.
    pub fn hint(&self, entries: usize) {
        let _ = self.mailbox.try_send(Message::Hint(entries));
    }

    /// The store may not have the game any more. What gets lost of this is found out by the next who asks
    /// for something.
    pub(crate) fn doubt(&self) {
        let _ = self.mailbox.try_send(Message::Doubt);
    }

    /// These are gone for good: whether the game is over now. If not, it may be said again.
    pub(crate) async fn leave(&self, leavers: Leavers) -> bool {
        // One that is gone again is looked for again.
        let _ = self.mailbox.send(Message::Leave(leavers)).await;
        let sight = self.look().await;
        sight.is_ok_and(|sight| sight.table().game().conclusion().is_some())
    }

    /// The house is about to close.
    pub(crate) async fn put_out(&self) {
        // One that is gone has nobody to put out.
        let _ = self.mailbox.send(Message::PutOut).await;
    }

    /// The house closes.
    pub(crate) async fn close(&self) {
        // One that is gone is closed already.
        let _ = self.mailbox.send(Message::Close).await;
    }

    async fn ask(&self, message: impl FnOnce(Asker) -> Message) -> Result<Arc<Sight>, Denied> {
        let (reply, answer) = oneshot::channel();
        let sent = self.mailbox.send(message(Asker::One(reply))).await;
        sent.map_err(|_| Denied::Gone)?;
        answer.await.map_err(|_| Denied::Gone)?
    }
}

/// Everything that happens at a table.
#[derive(Debug)]
pub struct Watch {
    /// The table as it stood when the watch began.
    pub sight: Arc<Sight>,
    /// What happens. One who is too slow misses some, and looks again.
    pub happenings: broadcast::Receiver<Arc<Happening>>,
    _presence: Option<Present>,
}

#[derive(Debug)]
struct Present {
    room: Room,
    seat: Seat,
}

impl Drop for Present {
    fn drop(&mut self) {
        let (mailbox, gone) = (self.room.mailbox.clone(), Message::Unwatch(self.seat));
        if let (Err(mpsc::error::TrySendError::Full(gone)), Ok(runtime)) = (
            self.room.mailbox.try_send(gone),
            tokio::runtime::Handle::try_current(),
        ) {
            runtime.spawn(async move { mailbox.send(gone).await });
        }
    }
}
