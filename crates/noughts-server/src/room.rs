//! The task around a table: its mailbox, the store behind it, and those who sit at it.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Stop;
use noughts_rules::{Action, Move, Seat, Turn};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tracing::{info, warn};

use crate::house::House;
use crate::id::GameId;
use crate::robots::{Mind, answer};
use crate::store::{Appended, StoreError};
use crate::table::{Command, Event, Holder, Leavers, Refused, Table, Verdict};

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
    /// notice. False where the table is gone or its mailbox is full, because more was asked for
    /// than answered: then nothing has happened and nothing will.
    pub fn act(&self, action: Action, at_turn: usize) -> bool {
        let command = Command::Act {
            seat: self.seat,
            action,
            at_turn,
        };
        self.mailbox.try_send(Message(command)).is_ok()
    }
}

impl Drop for Chair {
    fn drop(&mut self) {
        let leave = Message(Command::Leave(Leavers::one(self.seat)));
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

/// What a table's mailbox holds.
#[derive(Debug)]
struct Message(Command);

/// One who asks for one thing at a time, and leaves, puts two in it; so does a robot.
const MAILBOX: usize = 8;

/// How long a store that did not answer is left alone.
const BETWEEN_TRIES: Duration = Duration::from_millis(250);

/// A table with everybody who hears of it.
pub(crate) struct Room {
    table: Table,
    /// By seat: who hears what happens there, and who thinks.
    sitters: Vec<Sitter>,
    house: Arc<House>,
    mailbox: mpsc::Receiver<Message>,
    /// For robots that think, and for what must be tried again.
    to_mailbox: mpsc::Sender<Message>,
    /// Tells whoever thinks for this table that it need not.
    stop: Stop,
    /// The store may hold something else than this table shows.
    unsure: bool,
    /// The turn in which a robot was last asked for its move.
    asked_in: Option<usize>,
    /// While it is held, the house is not empty.
    _open: mpsc::Sender<()>,
}

/// One seat as the room knows it.
pub(crate) enum Sitter {
    /// Somebody who hears notices.
    Listener(mpsc::Sender<Notice>),
    /// A robot.
    Robot(Mind),
}

impl Room {
    /// A room for a table that is not laid yet. It holds `open` while it lasts.
    pub(crate) fn new(
        house: Arc<House>,
        table: Table,
        sitters: Vec<Sitter>,
        open: mpsc::Sender<()>,
    ) -> Room {
        let (to_mailbox, mailbox) = mpsc::channel(MAILBOX);
        Room {
            table,
            sitters,
            house,
            mailbox,
            to_mailbox,
            stop: Stop::new(),
            unsure: false,
            asked_in: None,
            _open: open,
        }
    }

    /// Lays the table: stores it, tells everybody that they are seated, and keeps it until the game
    /// is over.
    pub(crate) async fn keep(&mut self) {
        let setting = self.table.setting().clone();
        if let Err(error) = self.house.store().create(setting).await {
            // Nobody is seated: they hear that their notices end.
            warn!(game = %self.table.id(), %error, "no table could be laid");
            return;
        }
        for (seat, sitter) in (0..).map(Seat).zip(&self.sitters) {
            if let Sitter::Listener(notices) = sitter {
                let chair = Chair {
                    game: self.table.id(),
                    seat,
                    mailbox: self.to_mailbox.clone(),
                };
                // Who is gone drops the chair with the notice, and so leaves.
                let _ = notices.try_send(Notice::Seated(chair));
            }
        }
        self.play().await;
        self.close().await;
    }

    /// Until the game is over: it will be, since whoever sits here leaves at last.
    async fn play(&mut self) {
        while self.table.game().conclusion().is_none() {
            let command = match self.robot_moves() {
                Some(command) => command,
                None => match self.mailbox.recv().await {
                    Some(Message(command)) => command,
                    None => unreachable!("the room itself can always write to its mailbox"),
                },
            };
            self.take(command).await;
        }
        self.stop.set();
    }

    /// Does what was asked for and tells everybody, or says why not.
    async fn take(&mut self, command: Command) {
        loop {
            if self.unsure && self.reload().await.is_err() {
                return self.put_off(command);
            }
            let event = match self.table.check(command) {
                Ok(event) => event,
                Err(refused) => return self.refuse(command, Notice::Refused(refused)),
            };
            match self.store(event).await {
                Ok(Appended::Stored) => return self.happen(event),
                // Somebody else was first: the table becomes what they made of it, and who came
                // second is judged by that. It ends, since a game takes so many turns and no more.
                Ok(Appended::Taken) => self.unsure = true,
                Err(error) => {
                    warn!(game = %self.table.id(), %error, "what happened could not be stored");
                    return self.put_off(command);
                }
            }
        }
    }

    async fn store(&self, event: Event) -> Result<Appended, StoreError> {
        let (store, id) = (self.house.store(), self.table.id());
        match event {
            Event::Turned { number, turn } => store.append(id, number, turn).await,
            Event::Left(leavers) => store.leave(id, self.table.turn() - 1, leavers).await,
        }
    }

    fn happen(&mut self, event: Event) {
        let happened = self.table.happen(event);
        debug_assert!(happened.is_ok(), "{event:?}: {happened:?}");
        match event {
            Event::Turned { number, turn } => self.tell_turn(number, turn),
            Event::Left(_) => {}
        }
    }

    /// The store does not answer. People are told so, and may ask again; what robots play and who
    /// has left is tried again from here, until the store has it.
    fn put_off(&mut self, command: Command) {
        let asker = match command {
            Command::Act { seat, .. } => self.sitters.get(usize::from(seat.0)),
            Command::Leave(_) => None,
        };
        if let Some(Sitter::Listener(_)) = asker {
            return self.refuse(command, Notice::Unavailable);
        }
        let mailbox = self.to_mailbox.clone();
        tokio::spawn(async move {
            sleep(BETWEEN_TRIES).await;
            // A table that is gone needs no answer.
            let _ = mailbox.send(Message(command)).await;
        });
    }

    /// The store is the truth: the table becomes what it says.
    async fn reload(&mut self) -> Result<(), StoreError> {
        let id = self.table.id();
        let stored = self.house.store().load(id).await?;
        let table = stored.and_then(|s| Table::restore(s.setting, &s.turns, s.left));
        self.table = table.ok_or_else(|| StoreError(format!("game {id} can't be read back")))?;
        self.unsure = false;
        Ok(())
    }

    /// A robot's move, if it is to move and has it at once; else it is asked, once, and its move
    /// comes by the mailbox.
    fn robot_moves(&mut self) -> Option<Command> {
        let seat = self.table.robot_to_move()?;
        let at_turn = self.table.turn();
        if self.asked_in == Some(at_turn) {
            return None;
        }
        self.asked_in = Some(at_turn);
        let play = move |at| Command::Act {
            seat,
            action: Action::Play(at),
            at_turn,
        };
        match self.sitters.get(usize::from(seat.0))? {
            Sitter::Robot(Mind::Instant(mind)) => {
                Some(play(answer(mind, self.table.game(), &self.stop)))
            }
            Sitter::Robot(Mind::Thinker(name)) => {
                let (house, name) = (Arc::clone(&self.house), name.clone());
                let (game, stop) = (self.table.game().clone(), self.stop.clone());
                let mailbox = self.to_mailbox.clone();
                let seed = self.table.id().number() as u64 ^ at_turn as u64;
                tokio::spawn(async move {
                    if let Some(at) = house.robots().ponder(name, game, seed, stop).await {
                        // A table that is gone needs no answer.
                        let _ = mailbox.send(Message(play(at))).await;
                    }
                });
                None
            }
            Sitter::Listener(_) => None,
        }
    }

    fn tell_turn(&mut self, number: usize, turn: Turn) {
        if self.table.game().conclusion().is_some() {
            return;
        }
        for sitter in &self.sitters {
            if let Sitter::Listener(notices) = sitter {
                // Who does not listen is told no more, and leaves with their chair.
                let _ = notices.try_send(Notice::Turned { number, turn });
            }
        }
    }

    fn refuse(&self, command: Command, notice: Notice) {
        let Command::Act { seat, .. } = command else {
            return;
        };
        if let Some(Sitter::Listener(notices)) = self.sitters.get(usize::from(seat.0)) {
            let _ = notices.try_send(notice);
        }
    }

    /// The game is over: everybody is told, and the store may file it.
    async fn close(&mut self) {
        let (table, game) = (&self.table, self.table.game());
        for (seat, sitter) in (0..).map(Seat).zip(&self.sitters) {
            if let (Sitter::Listener(notices), Some(verdict)) = (sitter, table.result(seat)) {
                let answer = table.answer_that_ended(seat);
                let _ = notices.try_send(Notice::Over { verdict, answer });
            }
        }
        // Only where somebody keeps the log are the words for it found.
        info!(
            game = %table.id(), variant = %table.setting().variant, players = players(table),
            turns = game.turns().len(), outcome = table.outcome_in_words(), "game over"
        );
        let id = table.id();
        if let Err(error) = self.house.store().finish(id).await {
            warn!(game = %id, %error, "a finished game could not be filed");
        }
    }
}

/// Who sat there, for the log.
fn players(table: &Table) -> String {
    let player = |holder: &Holder| match holder {
        Holder::Human { name, .. } => format!("{name:?}"),
        Holder::Robot(name) => name.to_string(),
    };
    let players: Vec<String> = table.setting().holders.iter().map(player).collect();
    players.join(" ")
}
