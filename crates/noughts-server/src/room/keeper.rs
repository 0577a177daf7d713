//! The task around a table: its mailbox, the store behind it, and those who sit at it.

mod again;
mod audience;
mod filing;
mod seats;
mod thoughts;
mod truth;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Seat;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tracing::warn;

use super::{Asker, Chair, Denied, Happening, Latest, Message, Notice, Reply, Room, Sight, Wish};
use crate::house::House;
use crate::id::GameId;
use crate::store::{NewGame, StoredGame};
use crate::table::{Holder, Table};

use again::Again;
use audience::Audience;
pub(crate) use seats::Sitter;
use thoughts::{PATIENCE, Thoughts};
use truth::{Keys, keys_of};

/// One who asks for one thing at a time, and leaves, puts two in it; so does a robot. Those who
/// wait for an answer wait until there is room.
const MAILBOX: usize = 8;

/// How long a table stays in memory when nobody asks for it or watches it.
const UNTOUCHED: Duration = Duration::from_secs(60);

/// A table with everybody who hears of it.
pub(crate) struct Keeper {
    table: Table,
    /// By seat: who hears what happens there, and who thinks.
    sitters: Vec<Sitter>,
    house: Arc<House>,
    mailbox: mpsc::Receiver<Message>,
    /// For robots that think, and for what must be tried again.
    to_mailbox: mpsc::Sender<Message>,
    /// What the robots at it think.
    thoughts: Thoughts,
    /// Who hears of it from outside.
    audience: Audience,
    /// The store may hold something else than this table shows.
    unsure: bool,
    /// How many entries of the store this table shows.
    entries: usize,
    /// The store has no such game any more.
    is_forgotten: bool,
    keys: Keys,
    again: Again,
    /// Whether everybody at the table was told that it is over.
    has_ended: bool,
    /// Whether what the archive lists was stored.
    is_filed: bool,
    /// Whether that was done here, and now.
    ended_here: bool,
    /// While it is held, the house is not empty.
    _open: mpsc::Sender<()>,
}

impl Keeper {
    /// A keeper for a table as it was laid.
    pub(crate) fn new(
        house: Arc<House>,
        table: Table,
        sitters: Vec<Sitter>,
        open: mpsc::Sender<()>,
    ) -> Keeper {
        let (to_mailbox, mailbox) = mpsc::channel(MAILBOX);
        Keeper {
            audience: Audience::new(sitters.len()),
            table,
            sitters,
            house,
            mailbox,
            to_mailbox,
            thoughts: Thoughts::new(),
            unsure: false,
            keys: Keys::new(),
            again: Again::default(),
            has_ended: false,
            is_filed: false,
            ended_here: false,
            entries: 0,
            is_forgotten: false,
            _open: open,
        }
    }

    /// A keeper for a table as it was stored; `None` where it can't be read.
    pub(crate) fn restore(
        house: Arc<House>,
        stored: StoredGame,
        open: mpsc::Sender<()>,
    ) -> Option<Keeper> {
        let (again, keys) = (Again::of(&stored), keys_of(&stored));
        let (entries, is_filed) = (stored.entries(), stored.is_finished);
        let last_ms = stored.turns.last().map_or(0, |turn| turn.at_ms);
        let table = Table::restore(stored)?;
        let sitter = |holder: &Holder| match holder {
            Holder::Open(_) | Holder::Human { .. } => Some(Sitter::Lasting),
            Holder::Robot(name) => {
                let mind = house.robots().mind(name, table.game()).ok()?;
                Some(Sitter::Robot(mind))
            }
        };
        let sitters: Option<Vec<Sitter>> = table.setting().holders.iter().map(sitter).collect();
        let mut keeper = Keeper::new(Arc::clone(&house), table, sitters?, open);
        (keeper.again, keeper.keys) = (again, keys);
        (keeper.entries, keeper.is_filed) = (entries, is_filed);
        keeper.audience.is_asked_for();
        if last_ms + PATIENCE.as_millis() as u64 > house.now_ms() {
            keeper.wait_for_robot();
        }
        Some(keeper)
    }

    /// The game's name.
    pub(crate) fn id(&self) -> GameId {
        self.table.id()
    }

    /// How to speak to it.
    pub(crate) fn room(&self) -> Room {
        Room::new(self.to_mailbox.clone(), self.audience.latest().clone())
    }

    /// Lays the table: stores it, tells everybody that they are seated, and keeps it.
    pub(crate) async fn lay_and_keep(&mut self) {
        let new = NewGame {
            setting: self.table.setting().clone(),
            key: None,
        };
        if let Err(error) = self.house.store().create(new).await {
            // Nobody is seated: they hear that their notices end.
            warn!(game = %self.table.id(), %error, "no table could be laid");
            self.house.forget(self.table.id());
            return;
        }
        self.house.counts().tables_laid.add(1);
        for (seat, sitter) in (0..).map(Seat).zip(&self.sitters) {
            if let Sitter::Listener(notices) = sitter {
                // Who is gone drops the chair with the notice, and so leaves.
                let _ = notices.try_send(Notice::Seated(self.chair(seat)));
            }
        }
        self.keep().await;
    }

    /// Keeps the table until it is over and nobody looks any more, until it was left alone for a while
    /// and can be found again in the store, or until the store has forgotten it.
    pub(crate) async fn keep(&mut self) {
        while !self.is_forgotten {
            if self.table.game().conclusion().is_some() && !self.has_ended {
                self.end().await;
            }
            if let Some((wish, asker)) = self.robot_moves() {
                self.act(wish, asker).await;
                continue;
            }
            self.answer_all();
            if self.is_filed && self.nobody_looks() {
                break;
            }
            let wait = match self.thoughts.others_time() {
                Some(wait) => Some(wait),
                // Somebody will leave at last, so there is no need to look at the clock.
                None if self.is_tied() => None,
                None => Some(UNTOUCHED),
            };
            let message = match wait {
                None => self.mailbox.recv().await,
                Some(wait) => match timeout(wait, self.mailbox.recv()).await {
                    Ok(message) => message,
                    Err(_) if self.may_go() => break,
                    Err(_) => continue,
                },
            };
            match message {
                Some(Message::Close) if !self.is_tied() => break,
                Some(message) => self.take(message).await,
                None => unreachable!("the room itself can always write to its mailbox"),
            }
        }
        self.thoughts.end();
        self.house.forget(self.table.id());
        self.audience.latest().set(None);
    }

    /// Nobody watches, and no robot thinks.
    fn may_go(&self) -> bool {
        let is_needed = self.audience.watches() || self.table.robot_to_move().is_some();
        !is_needed && self.mailbox.is_empty()
    }

    async fn take(&mut self, message: Message) {
        match message {
            Message::Act(wish, asker) => self.act(wish, asker).await,
            Message::Leave(leavers) => self.leave(leavers).await,
            Message::Sit(sitting, seat, notices, asker) => {
                self.sit(*sitting, seat, notices, asker).await;
            }
            Message::Again(seat, asker) => self.play_again(seat, asker).await,
            Message::Look(asker) => self.answer_later(asker),
            Message::Watch(seat, reply) => self.watch(seat, reply),
            Message::Unwatch(seat) => self.unwatch(seat),
            Message::PutOut => self.put_out().await,
            // Somebody still sits here, who will leave at last.
            Message::Close => {}
            Message::Hint(entries) => {
                if entries > self.entries {
                    self.unsure = true;
                    // What fails now is tried again with the next hint or question.
                    let _ = self.catch_up().await;
                }
            }
            Message::Doubt => {
                self.unsure = true;
                let _ = self.catch_up().await;
            }
            Message::File => self.file().await,
        }
    }
}
