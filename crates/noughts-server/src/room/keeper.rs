//! The task around a table: its mailbox, the store behind it, and those who sit at it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Stop;
use noughts_rules::{Action, Seat, Turn};
use tokio::sync::{broadcast, mpsc};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

use super::{Asker, Chair, Denied, Happening, Latest, Message, Notice, Reply, Room, Sight, Wish};
use crate::house::House;
use crate::id::GameId;
use crate::robots::{Mind, answer};
use crate::store::{
    Appended, Ending, Key, Last, NewGame, Sitting, StoreError, StoredGame, StoredTurn,
};
use crate::table::{Command, Event, Holder, Leavers, Table};

/// One who asks for one thing at a time, and leaves, puts two in it; so does a robot. Those who
/// wait for an answer wait until there is room.
const MAILBOX: usize = 8;

/// How long a store that did not answer is left alone.
const BETWEEN_TRIES: Duration = Duration::from_millis(250);

/// How long a table stays in memory when nobody asks for it or watches it.
const UNTOUCHED: Duration = Duration::from_secs(60);

/// How long another process has for a robot's reply, before this one thinks for it too.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many turns one who watches may be behind.
const MOST_BEHIND: usize = 64;

/// A table with everybody who hears of it.
pub(crate) struct Keeper {
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
    /// Who thinks, or waits for a chance to.
    thinking: Option<AbortHandle>,
    /// The keys of turns, which may be repeated.
    keys: HashMap<(Seat, String), u64>,
    /// The seats that want to play again, and the game that was made for them.
    again: (Vec<Seat>, Option<GameId>),
    /// How many listen at each seat.
    present: Vec<u32>,
    /// The table as it is, once somebody looked.
    latest: Latest,
    /// Where what happens is told, once somebody watched.
    happenings: Option<broadcast::Sender<Arc<Happening>>>,
    /// Answered when the robots that have their move at once have moved.
    waiting: Vec<Reply>,
    /// Whether everybody at the table was told that it is over.
    has_ended: bool,
    /// Whether what the archive lists was stored.
    is_filed: bool,
    /// Whether that was done here, and now.
    ended_here: bool,
    /// How many entries of the store this table shows.
    entries: usize,
    /// From when on the robot to move is this process's: the last turn was stored by another, which
    /// thinks for it unless it is gone.
    adopts_at: Option<Instant>,
    /// Somebody asked for it by its id, so it stays for a while when it is over.
    is_asked_for: bool,
    /// While it is held, the house is not empty.
    _open: mpsc::Sender<()>,
}

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
    /// A keeper for a table as it was laid.
    pub(crate) fn new(
        house: Arc<House>,
        table: Table,
        sitters: Vec<Sitter>,
        open: mpsc::Sender<()>,
    ) -> Keeper {
        let (to_mailbox, mailbox) = mpsc::channel(MAILBOX);
        Keeper {
            present: vec![0; sitters.len()],
            table,
            sitters,
            house,
            mailbox,
            to_mailbox,
            stop: Stop::new(),
            unsure: false,
            asked_in: None,
            thinking: None,
            keys: HashMap::new(),
            again: Default::default(),
            latest: Latest::default(),
            happenings: None,
            waiting: Vec::new(),
            has_ended: false,
            is_filed: false,
            ended_here: false,
            entries: 0,
            adopts_at: None,
            is_asked_for: false,
            _open: open,
        }
    }

    /// A keeper for a table as it was stored; `None` where it can't be read.
    pub(crate) fn restore(
        house: Arc<House>,
        stored: StoredGame,
        open: mpsc::Sender<()>,
    ) -> Option<Keeper> {
        let again = (stored.again.clone(), stored.rematch);
        let keys = keys_of(&stored);
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
        keeper.is_asked_for = true;
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
        Room::new(self.to_mailbox.clone(), self.latest.clone())
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

    fn chair(&self, seat: Seat) -> Chair {
        Chair {
            game: self.table.id(),
            seat,
            mailbox: self.to_mailbox.clone(),
        }
    }

    /// Keeps the table until it is over and nobody looks any more, or until it was left alone for a
    /// while: then it is found again in the store.
    pub(crate) async fn keep(&mut self) {
        loop {
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
            let wait = match self.adopts_at {
                Some(at) => Some(at.saturating_duration_since(Instant::now())),
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
        self.stop_thinking();
        self.house.forget(self.table.id());
        self.latest.set(None);
    }

    /// Nobody ever looked at this table from outside, so nobody need be answered any more.
    fn nobody_looks(&self) -> bool {
        self.latest.is_empty() && !self.is_asked_for && self.mailbox.is_empty()
    }

    /// Somebody sits here with a connection, and a game that goes on.
    fn is_tied(&self) -> bool {
        let is_listener = |sitter: &Sitter| matches!(sitter, Sitter::Listener(_));
        self.sitters.iter().any(is_listener)
    }

    /// Nobody watches, and no robot thinks.
    fn may_go(&self) -> bool {
        let watched = self.happenings.as_ref();
        let is_watched = watched.is_some_and(|happenings| happenings.receiver_count() > 0);
        !is_watched && self.table.robot_to_move().is_none() && self.mailbox.is_empty()
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
            Message::Watch(seat, reply) => {
                let happenings = self
                    .happenings
                    .get_or_insert_with(|| broadcast::channel(MOST_BEHIND).0)
                    .subscribe();
                if let Some(count) = seat.and_then(|seat| self.present.get_mut(usize::from(seat.0)))
                {
                    *count += 1;
                    if *count == 1 {
                        self.changed(Happening::presence);
                    }
                }
                let sight = self.sight();
                // One who is gone again need not be told; the watch was dropped with the reply.
                let _ = reply.send((sight, happenings));
            }
            Message::Unwatch(seat) => {
                if let Some(count) = self.present.get_mut(usize::from(seat.0)) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        self.changed(Happening::presence);
                    }
                }
            }
            // All who sit here with a connection are put out at once, and told no result: it is
            // not their doing.
            Message::PutOut => {
                let mut leavers = Leavers::NONE;
                for (seat, sitter) in (0..).map(Seat).zip(&mut self.sitters) {
                    if let Sitter::Listener(_) = sitter {
                        *sitter = Sitter::Lasting;
                        leavers = leavers.and(seat);
                    }
                }
                self.leave(leavers).await;
            }
            // Somebody still sits here, who will leave at last.
            Message::Close => {}
            Message::Hint(entries) => {
                if entries > self.entries {
                    self.unsure = true;
                    // What fails now is tried again with the next hint or question.
                    let _ = self.catch_up().await;
                }
            }
            Message::File => self.file().await,
        }
    }

    /// Does what a seat wants and tells everybody, or says why not.
    async fn act(&mut self, wish: Wish, asker: Asker) {
        // Who answers a turn that nobody here has heard of saw it at another process.
        self.unsure |= wish.at_turn > self.table.turn() && self.house.bus().is_shared();
        loop {
            if self.catch_up().await.is_err() {
                return self.put_off(wish, asker);
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
                    self.adopts_at = None;
                    self.stored_entry();
                    self.happen(event);
                    return self.answer_later(asker);
                }
                // Somebody else was first: the table becomes what they made of it, and who came
                // second is judged by that. It ends, since a game takes so many turns and no more.
                Ok(Appended::Taken) => self.unsure = true,
                Err(error) => {
                    warn!(game = %self.table.id(), %error, "a turn could not be stored");
                    return self.put_off(wish, asker);
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

    async fn leave(&mut self, leavers: Leavers) {
        loop {
            let caught_up = self.catch_up().await;
            let event = match self.table.check(Command::Leave(leavers)) {
                Ok(event) => event,
                // It is over already.
                Err(_) => return,
            };
            let stored = match caught_up {
                Ok(()) => self.store(event, None).await,
                Err(error) => Err(error),
            };
            match stored {
                Ok(Appended::Stored) => {
                    self.stored_entry();
                    return self.happen(event);
                }
                Ok(Appended::Taken) => self.unsure = true,
                Err(error) => {
                    warn!(game = %self.table.id(), %error, "a leaving could not be stored");
                    return self.again_later(Message::Leave(leavers));
                }
            }
        }
    }

    async fn sit(
        &mut self,
        sitting: Sitting,
        seat: Seat,
        notices: Option<mpsc::Sender<Notice>>,
        asker: Asker,
    ) {
        if self.catch_up().await.is_err() {
            return self.deny(seat, asker, Denied::Unavailable);
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
            Err(_) => return self.deny(seat, asker, Denied::Unavailable),
        }
        self.stored_entry();
        self.table.sit(seat, holder);
        if let Some(notices) = notices {
            let _ = notices.try_send(Notice::Seated(self.chair(seat)));
            // What was played before they came.
            for (number, turn) in (1..).zip(self.table.game().turns()) {
                let turn = *turn;
                let _ = notices.try_send(Notice::Turned { number, turn });
            }
            self.present[usize::from(seat.0)] = 1;
            self.sitters[usize::from(seat.0)] = Sitter::Listener(notices);
        }
        self.changed(Happening::presence);
        self.answer_later(asker);
    }

    async fn play_again(&mut self, seat: Seat, asker: Asker) {
        if self.catch_up().await.is_err() {
            return self.deny(seat, asker, Denied::Unavailable);
        }
        if self.table.game().conclusion().is_none() && self.house.bus().is_shared() {
            // It may have ended at another process, this moment.
            self.unsure = true;
            if self.catch_up().await.is_err() {
                return self.deny(seat, asker, Denied::Unavailable);
            }
        }
        if self.table.game().conclusion().is_none() {
            return self.deny(seat, asker, Denied::NotOver);
        }
        while self.again.1.is_none() && (!self.again.0.contains(&seat) || self.all_want()) {
            let mut wanting = self.again.0.clone();
            wanting.push(seat);
            let next = match self.is_missing(&wanting) {
                true => None,
                false => Some(self.house.rematch_of(self.table.setting())),
            };
            let (store, id) = (self.house.store(), self.table.id());
            if store.rematch(id, seat, next).await.is_err() {
                return self.deny(seat, asker, Denied::Unavailable);
            }
            // The other's wish may have been stored at the same moment by another process, each
            // without knowing of the other: then who reads both makes the table.
            self.unsure = true;
            if self.catch_up().await.is_err() {
                return self.deny(seat, asker, Denied::Unavailable);
            }
            self.house.bus().publish(id, self.entries);
        }
        self.answer_later(asker);
    }

    /// Everybody wants to play again, and nobody has made the table for it.
    fn all_want(&self) -> bool {
        !self.is_missing(&self.again.0)
    }

    /// Somebody at the table is not among those who want to play again.
    fn is_missing(&self, wanting: &[Seat]) -> bool {
        let mut holders = (0..).map(Seat).zip(&self.table.setting().holders);
        holders.any(|(seat, holder)| {
            matches!(holder, Holder::Human { .. }) && !wanting.contains(&seat)
        })
    }

    /// One more entry of this table is in the store: others that share it hear of that.
    fn stored_entry(&mut self) {
        self.entries += 1;
        self.house.bus().publish(self.table.id(), self.entries);
    }

    /// The last turn was stored by another process, which thinks for the robot.
    fn wait_for_robot(&mut self) {
        let is_other = self.house.bus().is_shared() && self.table.robot_to_move().is_some();
        self.adopts_at = is_other.then(|| Instant::now() + PATIENCE);
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

    fn happen(&mut self, event: Event) {
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

    /// The store is the truth: where it may know more, the table becomes what it says, and everybody
    /// hears what they missed.
    async fn catch_up(&mut self) -> Result<(), StoreError> {
        if !self.unsure {
            return Ok(());
        }
        let id = self.table.id();
        let unreadable = || StoreError(format!("game {id} can't be read back"));
        let stored = self.house.store().load(id).await?.ok_or_else(unreadable)?;
        let (again, keys, left) = (
            (stored.again.clone(), stored.rematch),
            keys_of(&stored),
            stored.left,
        );
        (self.entries, self.is_filed) = (stored.entries(), stored.is_finished);
        let table = Table::restore(stored).ok_or_else(unreadable)?;
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
            // Who sat down or wants to play again shows too.
            self.changed(Happening::anew);
        }
        self.unsure = false;
        Ok(())
    }

    /// The store does not answer. People are told so, and may ask again; what robots play and who
    /// has left is tried again from here, until the store has it.
    fn put_off(&mut self, wish: Wish, asker: Asker) {
        match asker {
            Asker::Robot => self.again_later(Message::Act(wish, Asker::Robot)),
            asker => self.deny(wish.seat, asker, Denied::Unavailable),
        }
    }

    fn again_later(&self, message: Message) {
        let mailbox = self.to_mailbox.clone();
        tokio::spawn(async move {
            sleep(BETWEEN_TRIES).await;
            // A table that is gone needs no answer.
            let _ = mailbox.send(message).await;
        });
    }

    /// A robot's move, if it is to move and has it at once; else it is asked, once, and its move
    /// comes by the mailbox.
    fn robot_moves(&mut self) -> Option<(Wish, Asker)> {
        let seat = self.table.robot_to_move()?;
        let at_turn = self.table.turn();
        let is_others = self.adopts_at.is_some_and(|at| Instant::now() < at);
        if is_others || self.asked_in == Some(at_turn) {
            return None;
        }
        self.adopts_at = None;
        self.asked_in = Some(at_turn);
        let play = move |at| Wish {
            seat,
            action: Action::Play(at),
            at_turn,
            key: None,
        };
        match self.sitters.get(usize::from(seat.0))? {
            Sitter::Robot(Mind::Instant(mind)) => {
                let at = answer(mind, self.table.game(), &self.stop);
                Some((play(at), Asker::Robot))
            }
            Sitter::Robot(Mind::Thinker(name)) => {
                let (house, name) = (Arc::clone(&self.house), name.clone());
                let (game, stop) = (self.table.game().clone(), self.stop.clone());
                let mailbox = self.to_mailbox.clone();
                let seed = self.table.id().number() as u64 ^ at_turn as u64;
                let thinking = tokio::spawn(async move {
                    if let Some(at) = house.robots().ponder(name, game, seed, stop).await {
                        let thought = Message::Act(play(at), Asker::Robot);
                        // A table that is gone needs no answer.
                        let _ = mailbox.send(thought).await;
                    }
                });
                self.thinking = Some(thinking.abort_handle());
                None
            }
            Sitter::Listener(_) | Sitter::Lasting => None,
        }
    }

    /// A thought that nobody needs any more ends, and one that only waits for its chance waits no
    /// longer: the queue holds nothing for those who left.
    fn stop_thinking(&mut self) {
        self.stop.set();
        if let Some(thinking) = self.thinking.take() {
            thinking.abort();
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

    /// Something is not as it was: who looked before sees it, and who watches hears it. Costs nothing
    /// where nobody ever did.
    fn changed(&mut self, happening: impl FnOnce(Arc<Sight>) -> Happening) {
        if self.latest.is_empty() && self.happenings.is_none() {
            return;
        }
        let sight = self.look_anew();
        if self.table.game().conclusion().is_some() && !self.is_filed {
            // Who looks now is answered when the end is filed, so that the archive does not contradict.
            self.latest.set(None);
            self.is_asked_for = true;
        }
        if let Some(happenings) = &self.happenings
            && happenings.receiver_count() > 0
        {
            // All may have gone this moment.
            let _ = happenings.send(Arc::new(happening(sight)));
        }
    }

    fn sight(&self) -> Arc<Sight> {
        self.latest.get().unwrap_or_else(|| self.look_anew())
    }

    fn look_anew(&self) -> Arc<Sight> {
        let present = self.present.iter().map(|count| *count > 0).collect();
        let sight = Arc::new(Sight::new(self.table.clone(), present, self.again.1));
        self.latest.set(Some(Arc::clone(&sight)));
        sight
    }

    /// Who sits here hears notices, and a robot nothing.
    fn answer_later(&mut self, asker: Asker) {
        if let Asker::One(reply) = asker {
            self.waiting.push(reply);
        }
    }

    /// Those who were waiting for the robots hear how the table stands now.
    fn answer_all(&mut self) {
        while let Some(reply) = self.waiting.pop() {
            let _ = reply.send(Ok(self.sight()));
        }
    }

    fn deny(&self, seat: Seat, asker: Asker, denied: Denied) {
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

    /// The game is over: everybody is told, and the store files it.
    async fn end(&mut self) {
        self.stop_thinking();
        self.has_ended = true;
        self.adopts_at = None;
        let (table, game) = (&self.table, self.table.game());
        for (seat, sitter) in (0..).map(Seat).zip(&self.sitters) {
            if let (Sitter::Listener(notices), Some(verdict)) = (sitter, table.result(seat)) {
                let answer = table.answer_that_ended(seat);
                let _ = notices.try_send(Notice::Over { verdict, answer });
            }
        }
        // Their notices end here, as they were promised.
        for sitter in &mut self.sitters {
            if let Sitter::Listener(_) = sitter {
                *sitter = Sitter::Lasting;
            }
        }
        if self.is_filed && !self.ended_here {
            return;
        }
        // Only where somebody keeps the log are the words for it found.
        info!(
            game = %table.id(), variant = %table.setting().variant, players = players(table),
            turns = game.turns().len(), outcome = table.outcome_in_words(), "game over"
        );
        self.house.counts().games_over.add(1);
        if !self.is_filed {
            self.file().await;
        }
    }

    /// Has the store list how it ended. Until it does, the table stays.
    async fn file(&mut self) {
        let Some(conclusion) = self.table.game().conclusion().cloned() else {
            return;
        };
        let (id, at_ms) = (self.table.id(), self.house.now_ms());
        let ending = Ending { conclusion, at_ms };
        match self.house.store().finish(id, ending).await {
            Ok(()) => self.is_filed = true,
            Err(error) => {
                warn!(game = %id, %error, "a finished game could not be filed");
                self.again_later(Message::File);
            }
        }
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

fn keys_of(stored: &StoredGame) -> HashMap<(Seat, String), u64> {
    let keyed = |stored: &StoredTurn| {
        let Key { text, body } = stored.key.clone()?;
        Some(((stored.turn.by, text), body))
    };
    stored.turns.iter().filter_map(keyed).collect()
}

/// Who sat there, for the log.
fn players(table: &Table) -> String {
    let player = |holder: &Holder| match holder {
        Holder::Open(_) => "nobody".to_owned(),
        Holder::Human { name, .. } => format!("{name:?}"),
        Holder::Robot(name) => name.to_string(),
    };
    let players: Vec<String> = table.setting().holders.iter().map(player).collect();
    players.join(" ")
}
