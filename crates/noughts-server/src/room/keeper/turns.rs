//! What seats do: judged by the table, stored, and only then done and told.

use std::sync::Arc;

use noughts_rules::Turn;
use tracing::warn;

use super::truth::Unknown;
use super::{Asker, Denied, Happening, Keeper, Message, Notice, Sitter, Wish};
use crate::store::{Appended, Ending, Key, Last, StoreError, StoredTurn};
use crate::table::{Command, Event, Leavers};

impl Keeper {
    /// Does what a seat wants and tells everybody, or says why not.
    pub(super) async fn act(&mut self, wish: Wish, asker: Asker) {
        // Who answers a turn that nobody here has heard of saw it at another process.
        self.unsure |= wish.at_turn > self.table.turn() && self.house.bus().is_shared();
        loop {
            if let Err(unknown) = self.catch_up().await {
                return self.put_off(wish, asker, unknown);
            }
            match self.repeats(&wish) {
                Some(Ok(())) => return self.answer_later(asker),
                Some(Err(denied)) => return self.deny(wish.seat, asker, denied),
                None => {}
            }
            let event = match self.table.check(wish.command()) {
                Ok(event) => event,
                Err(refused) => return self.deny(wish.seat, asker, Denied::Refused(refused)),
            };
            match self.store(event, wish.key.as_deref().cloned()).await {
                Ok(Appended::Stored) => {
                    self.house.counts().turns.add(1);
                    if let Some(key) = wish.key {
                        let Key { text, body } = *key;
                        self.keys.insert((wish.seat, text), body);
                    }
                    self.thoughts.are_ours();
                    self.stored_entry();
                    self.happen(event);
                    return self.answer_later(asker);
                }
                // Somebody else was first: the table becomes what they made of it, and who came
                // second is judged by that. It ends, since a game takes so many turns and no more.
                Ok(Appended::Taken) => self.unsure = true,
                Err(error) => {
                    warn!(game = %self.table.id(), %error, "a turn could not be stored");
                    // Perhaps it was, or there is no such game any more: whoever asks next finds out.
                    self.unsure = true;
                    return self.put_off(wish, asker, Unknown::Unavailable);
                }
            }
        }
    }

    /// Whether this was done before, by key or by what it is.
    fn repeats(&self, wish: &Wish) -> Option<Result<(), Denied>> {
        if let Some(key) = &wish.key
            && let Some(body) = self.keys.get(&(wish.seat, key.text.clone()))
        {
            return Some(match *body == key.body {
                true => Ok(()),
                false => Err(Denied::KeyReused),
            });
        }
        let done = self
            .table
            .game()
            .turns()
            .get(wish.at_turn.checked_sub(1)?)?;
        let same = Turn {
            by: wish.seat,
            action: wish.action,
        };
        (*done == same).then_some(Ok(()))
    }

    /// The store does not answer. People are told so, and may ask again; what robots play and who
    /// has left is tried again from here, until the store has it or has forgotten the game.
    fn put_off(&mut self, wish: Wish, asker: Asker, unknown: Unknown) {
        match (asker, unknown) {
            (Asker::Robot, Unknown::Unavailable) => {
                self.again_later(Message::Act(wish, Asker::Robot));
            }
            (asker, unknown) => self.deny(wish.seat, asker, unknown.into()),
        }
    }

    pub(super) async fn leave(&mut self, leavers: Leavers) {
        loop {
            let caught_up = self.catch_up().await;
            let event = match self.table.check(Command::Leave(leavers)) {
                Ok(event) => event,
                // It is over already.
                Err(_) => return,
            };
            match caught_up {
                Ok(()) => {}
                Err(Unknown::Unavailable) => return self.again_later(Message::Leave(leavers)),
                Err(Unknown::Forgotten) => return,
            }
            match self.store(event, None).await {
                Ok(Appended::Stored) => {
                    self.stored_entry();
                    return self.happen(event);
                }
                Ok(Appended::Taken) => self.unsure = true,
                Err(error) => {
                    warn!(game = %self.table.id(), %error, "a leaving could not be stored");
                    self.unsure = true;
                    return self.again_later(Message::Leave(leavers));
                }
            }
        }
    }

    async fn store(&mut self, event: Event, key: Option<Key>) -> Result<Appended, StoreError> {
        let (store, id) = (self.house.store(), self.table.id());
        let at_ms = self.house.now_ms();
        let ending = self.table.conclusion_after(event);
        let ending = ending.map(|conclusion| Ending { conclusion, at_ms });
        let last = match event {
            Event::Turned { number, turn } => Last::Turn(number, StoredTurn { turn, key, at_ms }),
            Event::Left(leavers) => Last::Leave(self.table.turn() - 1, leavers),
        };
        match (ending, last) {
            (None, Last::Turn(number, turn)) => store.append(id, number, turn).await,
            (None, Last::Leave(number, leavers)) => store.leave(id, number, leavers).await,
            (Some(ending), last) => {
                let appended = store.conclude(id, last, ending).await?;
                self.is_filed = appended == Appended::Stored;
                self.ended_here = self.is_filed;
                Ok(appended)
            }
        }
    }

    pub(super) fn happen(&mut self, event: Event) {
        let happened = self.table.happen(event);
        debug_assert!(happened.is_ok(), "{event:?}: {happened:?}");
        match event {
            Event::Turned { number, turn } => {
                self.tell_turn(number, turn);
                self.changed_by_turn();
            }
            Event::Left(_) => self.changed(Happening::anew),
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

    fn changed_by_turn(&mut self) {
        self.changed(|sight| {
            Happening::turn(Arc::clone(&sight)).unwrap_or_else(|| Happening::anew(sight))
        });
    }
}

impl Wish {
    fn command(&self) -> Command {
        Command::Act {
            seat: self.seat,
            action: self.action,
            at_turn: self.at_turn,
        }
    }
}
