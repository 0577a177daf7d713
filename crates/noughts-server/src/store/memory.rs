//! Games in memory: as lasting as the process.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use noughts_rules::Seat;

use super::{
    Answer, Appended, Created, Ending, Key, Last, Listed, NewGame, Query, Sitting, Status, Store,
    StoreError, StoredGame, StoredTurn,
};
use crate::id::{Drawn, GameId, NodeId};
use crate::table::{Holder, Leavers, Opening};

/// Games in memory. Of those that ended only the latest are kept, so that it does not grow with
/// every stranger who plays.
#[derive(Debug)]
pub struct Memory {
    shelves: [Mutex<Shelf>; SHELVES],
    /// By the key that a game was created with.
    keys: Mutex<HashMap<String, GameId>>,
    most_finished: usize,
    secret: [u8; 32],
}

/// So that two threads seldom wait for one another.
const SHELVES: usize = 16;

/// So many turns have room at once: most games are no longer.
const A_SHORT_GAME: usize = 9;

#[derive(Debug, Default)]
struct Shelf {
    games: HashMap<GameId, Kept, Drawn>,
    /// Those that ended, oldest first.
    finished: VecDeque<GameId>,
}

#[derive(Debug)]
struct Kept {
    game: StoredGame,
    ending: Option<Ending>,
    analysis: Option<String>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::keeping(10_000)
    }
}

impl Memory {
    /// A store that keeps about so many finished games.
    pub fn keeping(finished: usize) -> Memory {
        let random = RandomState::new();
        let mut secret = [0; 32];
        for (number, bytes) in secret.chunks_exact_mut(8).enumerate() {
            bytes.copy_from_slice(&random.hash_one(number).to_le_bytes());
        }
        Memory {
            shelves: Default::default(),
            keys: Mutex::default(),
            most_finished: finished.div_ceil(SHELVES),
            secret,
        }
    }

    /// How many games it holds.
    pub fn len(&self) -> usize {
        self.shelves
            .iter()
            .map(|shelf| hold(shelf).games.len())
            .sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shelf(&self, game: GameId) -> MutexGuard<'_, Shelf> {
        hold(&self.shelves[game.number() as usize % SHELVES])
    }

    fn change<T>(&self, id: GameId, change: impl FnOnce(&mut Kept) -> T) -> Result<T, StoreError> {
        match self.shelf(id).games.get_mut(&id) {
            Some(kept) => Ok(change(kept)),
            None => Err(StoreError(format!("there is no game {id}"))),
        }
    }

    fn insert(&self, new: NewGame) {
        let id = new.setting.id;
        let mut game = StoredGame::new(new);
        game.turns.reserve_exact(A_SHORT_GAME);
        let kept = Kept {
            game,
            ending: None,
            analysis: None,
        };
        self.shelf(id).games.insert(id, kept);
    }

    fn forget_key(&self, id: GameId, kept: Option<Kept>) {
        if let Some(Key { text, .. }) = kept.and_then(|kept| kept.game.key) {
            let mut keys = hold(&self.keys);
            if keys.get(&text) == Some(&id) {
                keys.remove(&text);
            }
        }
    }
}

/// Nothing is half done in here, whoever panicked while holding it.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Kept {
    fn has_ended(&self) -> bool {
        self.game.left.is_some() || self.ending.is_some()
    }

    /// When it ended, or something was last played there.
    fn was_touched_ms(&self) -> u64 {
        let played = self.game.turns.iter().map(|turn| turn.at_ms).max();
        let ended = self.ending.as_ref().map(|ending| ending.at_ms);
        let created = self.game.setting.created_ms;
        created.max(ended.or(played).unwrap_or(0))
    }

    fn holders(&self) -> Vec<Holder> {
        let mut holders = self.game.setting.holders.clone();
        for (seat, sitting) in &self.game.sat {
            if let Some(holder) = holders.get_mut(usize::from(seat.0)) {
                *holder = sitting.holder();
            }
        }
        holders
    }

    /// As the lobby shows it; `None` where it does not.
    fn listed(&self) -> Option<Listed> {
        let holders = self.holders();
        let has = |opening| holders.contains(&Holder::Open(opening));
        let status = match (&self.ending, has(Opening::Link), has(Opening::Lobby)) {
            (Some(_), _, _) => Status::Over,
            (None, true, _) => return None,
            (None, false, true) => Status::Waiting,
            (None, false, false) => Status::Playing,
        };
        let setting = &self.game.setting;
        Some(Listed {
            id: setting.id,
            variant: setting.variant,
            history: setting.history,
            holders,
            status,
            created_ms: setting.created_ms,
            ending: self.ending.clone(),
        })
    }
}

impl Store for Memory {
    fn create(&self, game: NewGame) -> Answer<'_, Created> {
        if let Some(key) = &game.key {
            let mut keys = hold(&self.keys);
            if let Some(before) = keys.get(&key.text) {
                return now(Ok(Created::Before(*before)));
            }
            keys.insert(key.text.clone(), game.setting.id);
        }
        self.insert(game);
        now(Ok(Created::Stored))
    }

    fn created_with(&self, key: String) -> Answer<'_, Option<GameId>> {
        now(Ok(hold(&self.keys).get(&key).copied()))
    }

    fn sit(&self, game: GameId, seat: Seat, sitting: Sitting) -> Answer<'_, Appended> {
        now(self.change(game, |kept| {
            let is_open = matches!(
                kept.holders().get(usize::from(seat.0)),
                Some(Holder::Open(_))
            );
            if !is_open || kept.has_ended() {
                return Appended::Taken;
            }
            kept.game.sat.push((seat, sitting));
            Appended::Stored
        }))
    }

    fn append(&self, game: GameId, number: usize, turn: StoredTurn) -> Answer<'_, Appended> {
        now(self.change(game, |kept| {
            let by = turn.turn.by;
            let used = |key: &Key| {
                let same = |other: &StoredTurn| {
                    let text = other.key.as_ref().map(|key| &key.text);
                    other.turn.by == by && text == Some(&key.text)
                };
                kept.game.turns.iter().any(same)
            };
            let repeated = turn.key.as_ref().is_some_and(used);
            if repeated || kept.game.turns.len() + 1 != number || kept.game.left.is_some() {
                return Appended::Taken;
            }
            kept.game.turns.push(turn);
            Appended::Stored
        }))
    }

    fn leave(&self, game: GameId, number: usize, leavers: Leavers) -> Answer<'_, Appended> {
        now(self.change(game, |kept| {
            if kept.game.turns.len() != number || kept.game.left.is_some() {
                return Appended::Taken;
            }
            kept.game.left = Some(leavers);
            Appended::Stored
        }))
    }

    fn conclude(&self, game: GameId, last: Last, ending: Ending) -> Answer<'_, Appended> {
        Box::pin(async move {
            let appended = match last {
                Last::Turn(number, turn) => self.append(game, number, turn).await?,
                Last::Leave(number, leavers) => self.leave(game, number, leavers).await?,
            };
            // Nothing is waited for between the two.
            if appended == Appended::Stored {
                self.finish(game, ending).await?;
            }
            Ok(appended)
        })
    }

    fn finish(&self, game: GameId, ending: Ending) -> Answer<'_, ()> {
        let mut forgotten = Vec::new();
        {
            let mut shelf = self.shelf(game);
            match shelf.games.get_mut(&game) {
                Some(kept) if kept.ending.is_none() => {
                    kept.ending = Some(ending);
                    kept.game.is_finished = true;
                }
                Some(_) | None => return now(Ok(())),
            }
            shelf.finished.push_back(game);
            while shelf.finished.len() > self.most_finished {
                if let Some(oldest) = shelf.finished.pop_front() {
                    forgotten.push((oldest, shelf.games.remove(&oldest)));
                }
            }
        }
        for (id, kept) in forgotten {
            self.forget_key(id, kept);
        }
        now(Ok(()))
    }

    fn rematch(&self, game: GameId, seat: Seat, next: Option<NewGame>) -> Answer<'_, Appended> {
        let next_id = next.as_ref().map(|next| next.setting.id);
        let changed = self.change(game, |kept| {
            if kept.game.rematch.is_some() {
                return Appended::Taken;
            }
            if !kept.game.again.contains(&seat) {
                kept.game.again.push(seat);
            }
            kept.game.rematch = next_id;
            Appended::Stored
        });
        if let (Ok(Appended::Stored), Some(next)) = (&changed, next) {
            self.insert(next);
        }
        now(changed)
    }

    fn load(&self, game: GameId) -> Answer<'_, Option<StoredGame>> {
        now(Ok(self
            .shelf(game)
            .games
            .get(&game)
            .map(|kept| kept.game.clone())))
    }

    fn list(&self, query: Query) -> Answer<'_, Vec<Listed>> {
        // Newest first: by when they were created, and then by name.
        let mut found = BTreeMap::new();
        for shelf in &self.shelves {
            for kept in hold(shelf).games.values() {
                let setting = &kept.game.setting;
                let place = (setting.created_ms, setting.id);
                if query.before.is_some_and(|before| place >= before) {
                    continue;
                }
                if let Some(listed) = kept.listed().filter(|listed| query.wants(listed)) {
                    found.insert(place, listed);
                    if found.len() > query.limit {
                        found.pop_first();
                    }
                }
            }
        }
        now(Ok(found.into_values().rev().collect()))
    }

    fn analysis(&self, game: GameId) -> Answer<'_, Option<String>> {
        let found = self
            .shelf(game)
            .games
            .get(&game)
            .and_then(|kept| kept.analysis.clone());
        now(Ok(found))
    }

    fn keep_analysis(&self, game: GameId, analysis: String) -> Answer<'_, ()> {
        now(self.change(game, |kept| {
            kept.analysis.get_or_insert(analysis);
        }))
    }

    fn secret(&self) -> Answer<'_, [u8; 32]> {
        now(Ok(self.secret))
    }

    /// Nobody else has this memory.
    fn renew(&self, _: NodeId, _: u64) -> Answer<'_, Vec<NodeId>> {
        now(Ok(Vec::new()))
    }

    fn tied_to(&self, _: NodeId) -> Answer<'_, Vec<(GameId, Leavers)>> {
        now(Ok(Vec::new()))
    }

    fn bury(&self, _: NodeId) -> Answer<'_, ()> {
        now(Ok(()))
    }

    fn forget(&self, before_ms: u64) -> Answer<'_, Vec<GameId>> {
        let mut forgotten = Vec::new();
        for shelf in &self.shelves {
            let Shelf { games, finished } = &mut *hold(shelf);
            let old = games.extract_if(|_, kept| kept.was_touched_ms() < before_ms);
            forgotten.extend(old);
            finished.retain(|id| games.contains_key(id));
        }
        let ids = forgotten.iter().map(|(id, _)| *id).collect();
        for (id, kept) in forgotten {
            self.forget_key(id, Some(kept));
        }
        now(Ok(ids))
    }
}

/// An answer that is there already.
fn now<'a, T: Send + 'a>(answer: Result<T, StoreError>) -> Answer<'a, T> {
    Box::pin(std::future::ready(answer))
}
