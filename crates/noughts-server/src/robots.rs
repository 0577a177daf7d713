//! Robots think here: the quick ones at the table itself, the others a few at a time.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use noughts_engine::{
    Analysis, Clock, Limits, Setup, Stop, Strategy, StrategyName, Unfit, analyze,
};
use noughts_rules::{Game, Move, Variant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// Everything that thinks in this process.
pub(crate) struct Robots {
    /// One of each that answers in microseconds, shared by all tables: some keep a table of
    /// answers, and thousands of games should not each have their own.
    instant: Mutex<Vec<(StrategyName, Variant, Instant)>>,
    /// Whoever gets one may think. They are handed out in the order in which they were asked for.
    chairs: Arc<Semaphore>,
    /// How many there are.
    thinkers: usize,
    /// How many wait for one.
    waiting: AtomicUsize,
    outside: Setup,
}

type Instant = Arc<Mutex<Box<dyn Strategy>>>;

/// A robot at one seat of one table.
#[derive(Clone)]
pub(crate) enum Mind {
    /// Answers at once.
    Instant(Instant),
    /// Takes its time; made anew for each move, so that only those that think take memory.
    Thinker(StrategyName),
}

impl Robots {
    /// So many may think at the same time. The seed decides what they choose where they draw.
    pub(crate) fn new(thinkers: usize, outside: Setup) -> Robots {
        Robots {
            instant: Mutex::default(),
            chairs: Arc::new(Semaphore::new(thinkers.max(1))),
            thinkers: thinkers.max(1),
            waiting: AtomicUsize::new(0),
            outside,
        }
    }

    /// The mind of a robot that plays so, or why it does not play this game.
    pub(crate) fn mind(&self, name: &StrategyName, game: &Game) -> Result<Mind, Unfit> {
        if !name.is_instant(game) {
            // Asked now, so that it can be built later.
            return name.fits(game).map(|()| Mind::Thinker(name.clone()));
        }
        // What a thread that panicked left behind is as good as any: answers are only ever added.
        let mut all = self.instant.lock().unwrap_or_else(PoisonError::into_inner);
        // A few, so that looking at each is quicker than any other way to find one.
        let is_it = |(known, variant, _): &&(StrategyName, Variant, Instant)| {
            variant == game.variant() && known == name
        };
        if let Some((_, _, mind)) = all.iter().find(is_it) {
            return Ok(Mind::Instant(Arc::clone(mind)));
        }
        let mind = Arc::new(Mutex::new(name.build(game, &self.outside)?));
        if all.len() >= MOST_SHARED {
            // Tables that have it keep it.
            all.remove(0);
        }
        all.push((name.clone(), *game.variant(), Arc::clone(&mind)));
        Ok(Mind::Instant(mind))
    }

    /// Lets a robot that takes its time choose, when its turn to think comes. `None` where it was
    /// told to stop before that. The same game and seed give the same move, but where a clock
    /// decides.
    pub(crate) async fn ponder(
        &self,
        name: StrategyName,
        game: Game,
        seed: u64,
        stop: Stop,
    ) -> Option<Move> {
        let chair = self.chair().await?;
        if stop.is_set() {
            return None;
        }
        let setup = Setup {
            seed: self.outside.seed ^ seed,
            clock: Arc::clone(&self.outside.clock),
        };
        let thought = spawn_blocking(move || {
            let _chair = chair;
            let mut strategy = name.build(&game, &setup).ok()?;
            Some(strategy.choose(&game, &stop).at)
        });
        thought.await.ok().flatten()
    }

    /// Waits for a chance to think. Who gives up waiting does not count as waiting any more.
    async fn chair(&self) -> Option<OwnedSemaphorePermit> {
        struct Waits<'r>(&'r AtomicUsize);
        impl Drop for Waits<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waits = Waits(&self.waiting);
        // The semaphore is never closed.
        Arc::clone(&self.chairs).acquire_owned().await.ok()
    }

    /// How many think now, and how many wait for a chance to.
    pub(crate) fn busy(&self) -> (usize, usize) {
        let thinking = self
            .thinkers
            .saturating_sub(self.chairs.available_permits());
        (thinking, self.waiting.load(Ordering::Relaxed))
    }

    /// Looks at every turn of a game that is over, when its turn to think comes. `None` where it
    /// could not be thought to its end.
    pub(crate) async fn study(&self, game: Game) -> Option<Vec<Option<Analysis>>> {
        let chair = self.chair().await?;
        let clock = Arc::clone(&self.outside.clock);
        let studied = spawn_blocking(move || {
            let _chair = chair;
            study(&game, &clock)
        });
        studied.await.ok()
    }
}

/// How long a game may be studied in all, and how much of it one turn may take.
const STUDY: Duration = Duration::from_secs(4);
const STUDY_TURN: Duration = Duration::from_millis(400);
const STUDY_NODES: u64 = 400_000;

/// What each turn of a game started from: its worth and the best line, as far as the time allows.
fn study(game: &Game, clock: &Arc<dyn Clock>) -> Vec<Option<Analysis>> {
    let begun = clock.now();
    let turns = game.turns();
    let mut past = game.after(0);
    let share = STUDY / u32::try_from(turns.len().max(1)).unwrap_or(u32::MAX);
    let limits = Limits {
        depth: None,
        nodes: Some(STUDY_NODES),
        time: Some(share.clamp(Duration::from_millis(2), STUDY_TURN)),
    };
    let mut found = Vec::with_capacity(turns.len());
    for turn in turns {
        let has_time = clock.now().saturating_sub(begun) < STUDY;
        let goes_on = past.conclusion().is_none();
        found.push(
            (has_time && goes_on).then(|| analyze(&past, limits, &Stop::new(), Arc::clone(clock))),
        );
        // They were taken once, so they are taken again.
        let _ = past.act(turn.by, turn.action);
    }
    found
}

/// More kinds of variant and strategy than anybody plays at once; beyond it the oldest makes room, so
/// that nobody can fill them up for good with games that are played once.
const MOST_SHARED: usize = 64;

/// The answer of a robot that has it at once, for the seat to move.
pub(crate) fn answer(mind: &Mutex<Box<dyn Strategy>>, game: &Game, stop: &Stop) -> Move {
    let mut mind = mind.lock().unwrap_or_else(PoisonError::into_inner);
    mind.choose(game, stop).at
}

impl fmt::Debug for Robots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Robots").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use noughts_rules::Options;

    use super::*;

    #[test]
    fn whoever_plays_many_games_once_takes_nothing_from_those_that_are_played_often() {
        let robots = Robots::new(1, Setup::with_seed(1));
        let mind = |name: &str, variant: &str| {
            let game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
            match robots.mind(&name.parse().unwrap(), &game).unwrap() {
                Mind::Instant(mind) => mind,
                Mind::Thinker(name) => panic!("{name} takes its time"),
            }
        };
        for columns in 3..3 + 2 * MOST_SHARED {
            mind("random", &format!("{columns}x3k3"));
        }
        let one = mind("perfect", "3x3k3");
        assert!(Arc::ptr_eq(&one, &mind("perfect", "3x3k3")));
        assert_eq!(robots.instant.lock().unwrap().len(), MOST_SHARED);
    }
}
