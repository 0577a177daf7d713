//! Hints between processes that share a store: "this game has N entries".
//!
//! A hint is never the truth, which is in the store: who hears one that is news reads what is
//! missing. Hints may come late, twice, or not at all; that some may be missing is said.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, broadcast};
use tokio::task::AbortHandle;

use crate::id::GameId;

/// Where hints come and go.
#[derive(Debug)]
pub struct Bus {
    /// None where there is nobody else.
    outbox: Option<Outbox>,
    inbox: Inbox,
    tasks: Vec<AbortHandle>,
}

/// What is heard of other processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// A game has so many [entries](crate::StoredGame::entries), or more.
    At {
        /// Which game.
        game: GameId,
        /// How many.
        entries: usize,
    },
    /// Something may have been missed: everything that matters is to be read again. Also the first
    /// news, from when on others are heard.
    Gap,
}

/// How much may wait for a subscriber; one who is further behind hears of a gap.
const MOST_HEARD: usize = 1_024;

/// How many games' hints may wait to be told; if there are more, the others hear of a gap.
const MOST_TOLD: usize = 10_000;

impl Bus {
    /// For a process that has its store to itself: there is nobody to tell, and nothing is heard.
    pub fn alone() -> Bus {
        Bus {
            outbox: None,
            inbox: Inbox::new(),
            tasks: Vec::new(),
        }
    }

    /// With a task that tells others what is in the outbox, and one that hears them.
    pub(crate) fn between<T, H>(
        tell: impl FnOnce(Outbox) -> T,
        hear: impl FnOnce(Inbox) -> H,
    ) -> Bus
    where
        T: Future<Output = ()> + Send + 'static,
        H: Future<Output = ()> + Send + 'static,
    {
        let (outbox, inbox) = (Outbox::default(), Inbox::new());
        let tasks = vec![
            tokio::spawn(tell(outbox.clone())).abort_handle(),
            tokio::spawn(hear(inbox.clone())).abort_handle(),
        ];
        Bus {
            outbox: Some(outbox),
            inbox,
            tasks,
        }
    }

    /// Lets the other processes know, some milliseconds from now, that a game has so many entries. For
    /// after they are stored.
    pub fn publish(&self, game: GameId, entries: usize) {
        if let Some(outbox) = &self.outbox {
            outbox.put(game, entries);
        }
    }

    /// Whether there may be others.
    pub fn is_shared(&self) -> bool {
        self.outbox.is_some()
    }

    /// What is heard from now on.
    pub fn subscribe(&self) -> Hints {
        Hints(self.inbox.0.subscribe())
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// What one subscriber hears.
#[derive(Debug)]
pub struct Hints(broadcast::Receiver<News>);

impl Hints {
    /// The next news; `None` when the bus is gone. Dropped before it answers, nothing is lost.
    pub async fn next(&mut self) -> Option<News> {
        match self.0.recv().await {
            Ok(news) => Some(news),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(News::Gap),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// What was heard, for all subscribers.
#[derive(Clone, Debug)]
pub(crate) struct Inbox(broadcast::Sender<News>);

impl Inbox {
    fn new() -> Inbox {
        Inbox(broadcast::Sender::new(MOST_HEARD))
    }

    pub(crate) fn put(&self, news: News) {
        // That nobody listens is no failure.
        let _ = self.0.send(news);
    }
}

/// What is to be told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox(Arc<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    news: Mutex<Collected>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Collected {
    /// By game, the latest count: the ones before it are no news then.
    games: HashMap<GameId, usize>,
    has_gap: bool,
}

impl Collected {
    fn put(&mut self, game: GameId, entries: usize) {
        if self.games.len() < MOST_TOLD || self.games.contains_key(&game) {
            let latest = self.games.entry(game).or_default();
            *latest = entries.max(*latest);
        } else {
            self.games.clear();
            self.has_gap = true;
        }
    }
}

impl Outbox {
    fn put(&self, game: GameId, entries: usize) {
        self.change(|collected| collected.put(game, entries));
        self.0.filled.notify_one();
    }

    /// Ends when there is something.
    pub(crate) async fn filled(&self) {
        self.0.filled.notified().await;
    }

    /// All that waits.
    pub(crate) fn take(&self) -> Vec<News> {
        let collected = self.change(std::mem::take);
        let gap = collected.has_gap.then_some(News::Gap);
        let games = collected.games.into_iter();
        let games = games.map(|(game, entries)| News::At { game, entries });
        gap.into_iter().chain(games).collect()
    }

    /// What could not be told waits on.
    pub(crate) fn put_back(&self, news: Vec<News>) {
        self.change(|collected| {
            for one in news {
                match one {
                    News::At { game, entries } => collected.put(game, entries),
                    News::Gap => collected.has_gap = true,
                }
            }
        });
        self.0.filled.notify_one();
    }

    fn change<T>(&self, change: impl FnOnce(&mut Collected) -> T) -> T {
        // Nothing is half done in there, whoever panicked while holding it.
        let mut news = self.0.news.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(game: u128, entries: usize) -> News {
        let game = GameId::new(game);
        News::At { game, entries }
    }

    #[tokio::test]
    async fn a_process_alone_hears_nothing_of_itself() {
        let bus = Bus::alone();
        let mut hints = bus.subscribe();
        bus.publish(GameId::new(1), 1);
        drop(bus);
        assert_eq!(hints.next().await, None);
    }

    #[tokio::test]
    async fn who_is_too_far_behind_hears_of_a_gap() {
        let bus = Bus::alone();
        let mut hints = bus.subscribe();
        for entries in 0..=MOST_HEARD {
            bus.inbox.put(at(1, entries));
        }
        assert_eq!(hints.next().await, Some(News::Gap));
        assert_eq!(hints.next().await, Some(at(1, 1)));
    }

    #[test]
    fn only_the_latest_count_of_a_game_is_told() {
        let outbox = Outbox::default();
        for entries in [1, 3, 2] {
            outbox.put(GameId::new(7), entries);
        }
        let news = outbox.take();
        assert_eq!(news, [at(7, 3)]);
        assert_eq!(outbox.take(), []);
        outbox.put(GameId::new(7), 4);
        outbox.put_back(news);
        assert_eq!(outbox.take(), [at(7, 4)]);
    }

    #[test]
    fn what_waits_has_a_bound() {
        let outbox = Outbox::default();
        for game in 0..=MOST_TOLD as u128 {
            outbox.put(GameId::new(game), 1);
        }
        assert_eq!(outbox.take(), [News::Gap]);
    }
}
