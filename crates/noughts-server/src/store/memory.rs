//! Games in memory: as lasting as the process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use noughts_rules::Turn;

use super::{Answer, Appended, Store, StoreError, StoredGame};
use crate::id::GameId;
use crate::table::{Leavers, Setting};

/// Games in memory. Of those that ended only the latest are kept, so that it does not grow with
/// every stranger who plays.
#[derive(Debug)]
pub struct Memory {
    shelves: [Mutex<Shelf>; SHELVES],
    most_finished: usize,
}

/// So that two threads seldom wait for one another.
const SHELVES: usize = 16;

#[derive(Debug, Default)]
struct Shelf {
    games: HashMap<GameId, StoredGame>,
    /// Those that ended, oldest first.
    finished: VecDeque<GameId>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::keeping(10_000)
    }
}

impl Memory {
    /// A store that keeps about so many finished games.
    pub fn keeping(finished: usize) -> Memory {
        Memory {
            shelves: Default::default(),
            most_finished: finished.div_ceil(SHELVES),
        }
    }

    /// How many games it holds.
    pub fn len(&self) -> usize {
        let count = |shelf: &Mutex<Shelf>| shelf.lock().expect(NEVER_POISONED).games.len();
        self.shelves.iter().map(count).sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shelf(&self, game: GameId) -> MutexGuard<'_, Shelf> {
        let shelf = &self.shelves[game.number() as usize % SHELVES];
        shelf.lock().expect(NEVER_POISONED)
    }

    fn change(
        &self,
        id: GameId,
        change: impl FnOnce(&mut StoredGame) -> Appended,
    ) -> Result<Appended, StoreError> {
        match self.shelf(id).games.get_mut(&id) {
            Some(game) => Ok(change(game)),
            None => Err(StoreError(format!("there is no game {id}"))),
        }
    }
}

const NEVER_POISONED: &str = "nothing panics while a shelf is held";

impl Store for Memory {
    fn create(&self, setting: Setting) -> Answer<'_, ()> {
        let id = setting.id;
        let game = StoredGame {
            setting,
            turns: Vec::new(),
            left: None,
        };
        self.shelf(id).games.insert(id, game);
        now(Ok(()))
    }

    fn append(&self, game: GameId, number: usize, turn: Turn) -> Answer<'_, Appended> {
        now(self.change(game, |game| {
            if game.turns.len() + 1 != number || game.left.is_some() {
                return Appended::Taken;
            }
            game.turns.push(turn);
            Appended::Stored
        }))
    }

    fn leave(&self, game: GameId, number: usize, leavers: Leavers) -> Answer<'_, Appended> {
        now(self.change(game, |game| {
            if game.turns.len() != number || game.left.is_some() {
                return Appended::Taken;
            }
            game.left = Some(leavers);
            Appended::Stored
        }))
    }

    fn finish(&self, game: GameId) -> Answer<'_, ()> {
        let mut shelf = self.shelf(game);
        shelf.finished.push_back(game);
        while shelf.finished.len() > self.most_finished {
            if let Some(oldest) = shelf.finished.pop_front() {
                shelf.games.remove(&oldest);
            }
        }
        now(Ok(()))
    }

    fn load(&self, game: GameId) -> Answer<'_, Option<StoredGame>> {
        now(Ok(self.shelf(game).games.get(&game).cloned()))
    }
}

/// An answer that is there already.
fn now<'a, T: Send + 'a>(answer: Result<T, StoreError>) -> Answer<'a, T> {
    Box::pin(std::future::ready(answer))
}
