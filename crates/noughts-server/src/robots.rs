//! Robots and analyses. A strategy that answers in microseconds (an *instant* strategy) runs in the task of the caller.
//! All other strategies and the analyses use a bounded, fair queue.
//!
//! The queue limits:
//!
//! - the number of running computations (slots), and the number of slots per owner (half of all slots);
//! - the number of waiting requests;
//! - the time of each computation, and the processor time per owner ([`time_limits`]).
//!
//! An owner is a client address. For clients without an address (`None`), the limits per owner do not apply.

mod analysis;
mod queue;
mod time_limits;

use std::fmt;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_engine::{
    Analysis, Clock, EngineSetup, Random, Stop, Strategy, StrategyName, UnsupportedGame,
};
use noughts_rules::{Action, Game, Move, Variant};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tracing::{debug, error};

use analysis::analyze_turns;
use queue::{Owner, Queue, QueueResult, Ticket};

/// Runs the computations of this process.
pub(crate) struct Robots {
    /// One instance per instant strategy and variant. All games share the instance, because some strategies
    /// keep a large transposition table.
    instant: Mutex<Vec<(StrategyName, Variant, Instant)>>,
    slots: Arc<Slots>,
    setup: EngineSetup,
}

/// The queue with its clock, shared with the computations that hold a slot.
struct Slots {
    queue: Mutex<Queue>,
    clock: Arc<dyn Clock>,
}

type Instant = Arc<Mutex<Box<dyn Strategy>>>;

/// A robot at one seat of one table.
#[derive(Clone)]
pub(crate) enum Robot {
    /// Chooses within microseconds: use [`answer`].
    Instant(Instant),
    /// May take longer: use [`Robots::choose`]. The strategy is built for each move, so that only running
    /// computations use memory.
    Slow(StrategyName),
}

/// Maximum number of shared instant strategies. When the list is full, a new strategy replaces the oldest
/// one. Games that use the replaced strategy keep it.
const MAX_SHARED: usize = 64;

/// Interval at which the stop flag of a waiting or running analysis is checked.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Why a computation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Failure {
    /// The stop flag was set before the request got a slot or before the analysis was complete.
    Stopped,
    /// The queue is full, or another request displaced this request.
    Full,
    /// The computation panicked, or the runtime is shutting down.
    Panicked,
}

impl Robots {
    /// At most `slots` computations run at the same time. If `slots` is less than 2, there are 2 slots, so
    /// that one owner never has all slots. The seed in `setup` makes random choices reproducible.
    pub(crate) fn new(slots: usize, setup: EngineSetup) -> Robots {
        Robots {
            instant: Mutex::default(),
            slots: Arc::new(Slots {
                queue: Mutex::new(Queue::new(slots)),
                clock: Arc::clone(&setup.clock),
            }),
            setup,
        }
    }

    /// The robot with this strategy. Fails if the strategy cannot play this game.
    pub(crate) fn robot(&self, name: &StrategyName, game: &Game) -> Result<Robot, UnsupportedGame> {
        // This check is needed because a shared strategy may have been built for a game with another order of
        // seats. It is also needed because a slow strategy is built only when it chooses a move. Then it is
        // too late to report an error.
        name.check(game)?;
        if !name.is_instant(game) {
            return Ok(Robot::Slow(name.clone()));
        }
        // Each change under the lock is complete, so the value is valid even if the lock is poisoned.
        let mut all = self.instant.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = |(known, variant, _): &&(StrategyName, Variant, Instant)| {
            variant == game.variant() && known == name
        };
        if let Some((_, _, robot)) = all.iter().find(matches) {
            return Ok(Robot::Instant(Arc::clone(robot)));
        }
        let robot = Arc::new(Mutex::new(name.build(game, &self.setup)?));
        if all.len() >= MAX_SHARED {
            all.remove(0);
        }
        all.push((name.clone(), *game.variant(), Arc::clone(&robot)));
        Ok(Robot::Instant(robot))
    }

    /// Chooses a move for the seat to move, in a game in progress. `None` only if `stop` was set before the
    /// request got a slot. Dropping the future removes the request from the queue and stops the computation.
    ///
    /// If the queue is full, or if the strategy panics or chooses an illegal move, the move is a random legal move.
    /// Otherwise the same game and seed give the same move, unless a clock, the time limit or `stop` ends the search.
    pub(crate) async fn choose(
        &self,
        owner: Option<IpAddr>,
        name: StrategyName,
        game: Game,
        seed: u64,
        stop: Stop,
    ) -> Option<Move> {
        let setup = EngineSetup {
            seed: self.setup.seed ^ seed,
            clock: Arc::clone(&self.setup.clock),
        };
        let label = name.to_string();
        let strategy = move |game: &Game, stop: &Stop| {
            let mut strategy = name.build(game, &setup).ok()?;
            Some(strategy.choose(game, stop).at)
        };
        self.choose_by(owner, &label, strategy, game, seed, stop)
            .await
    }

    async fn choose_by(
        &self,
        owner: Option<IpAddr>,
        label: &str,
        strategy: impl FnOnce(&Game, &Stop) -> Option<Move> + Send + 'static,
        game: Game,
        seed: u64,
        stop: Stop,
    ) -> Option<Move> {
        let game = Arc::new(game);
        let in_slot = Arc::clone(&game);
        let work = move |stop: &Stop, _limit| strategy(&in_slot, stop);
        let chosen = match self.compute(owner, &stop, work).await {
            Ok(chosen) => chosen.filter(|at| is_legal(&game, *at)),
            Err(Failure::Stopped) => return None,
            Err(Failure::Full) => {
                debug!(
                    strategy = label,
                    "the queue of robots is full: playing a random move"
                );
                return random_move(&game, seed);
            }
            Err(Failure::Panicked) => None,
        };
        chosen.or_else(|| {
            error!(strategy = label, variant = %game.variant(), "strategy failed: playing a random move");
            random_move(&game, seed)
        })
    }

    /// Returns the value and the best line of the position before each turn of a game. An element is `None`
    /// if its turn was not analyzed in time. The whole result is `None` in four cases: the queue is full, the
    /// owner's processor time does not suffice, the analysis panics, or `stop` is set before the analysis is
    /// complete.
    pub(crate) async fn analyze(
        &self,
        owner: Option<IpAddr>,
        game: Game,
        stop: Stop,
    ) -> Option<Vec<Option<Analysis>>> {
        let clock = Arc::clone(&self.setup.clock);
        let work = move |stop: &Stop, limit| analyze_turns(&game, &clock, limit, stop);
        let found = tokio::select! {
            found = self.compute(owner, &stop, work) => found,
            () = until_set(&stop) => Err(Failure::Stopped),
        };
        match found {
            Ok(found) => found.filter(|_| !stop.is_set()),
            Err(Failure::Panicked) => {
                error!("analysis panicked");
                None
            }
            Err(Failure::Stopped | Failure::Full) => None,
        }
    }

    /// The number of running computations, and of requests that wait for a slot.
    pub(crate) fn busy(&self) -> (usize, usize) {
        self.slots.queue().busy()
    }

    /// Waits for a slot, then runs `work` on a blocking thread. `work` gets a stop flag and a time limit. The
    /// flag is set when the time limit is reached, when `stop` is set, or when this future is dropped.
    async fn compute<T: Send + 'static>(
        &self,
        owner: Option<IpAddr>,
        stop: &Stop,
        work: impl FnOnce(&Stop, Duration) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (request, turn) = self.enter(owner).ok_or(Failure::Full)?;
        let limit = match turn.await {
            Ok(QueueResult::Granted(limit)) => limit,
            Ok(QueueResult::Displaced) | Err(_) => return Err(Failure::Full),
        };
        if stop.is_set() {
            return Err(Failure::Stopped);
        }
        let deadline = SetOnDrop(stop.child());
        let stop = deadline.0.clone();
        let mut computation = spawn_blocking(move || {
            // The slot becomes free when this thread ends, not when the caller stops waiting.
            let _request = request;
            catch_unwind(AssertUnwindSafe(|| work(&stop, limit)))
        });
        let finished = tokio::select! {
            finished = &mut computation => finished,
            () = sleep(limit) => {
                deadline.0.set();
                computation.await
            }
        };
        match finished {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) | Err(_) => Err(Failure::Panicked),
        }
    }

    /// Adds a request to the queue; `None` if the queue is full.
    fn enter(
        &self,
        owner: Option<IpAddr>,
    ) -> Option<(QueuedRequest, oneshot::Receiver<QueueResult>)> {
        let owner = Owner::new(owner);
        let now = self.slots.clock.now();
        let (ticket, turn) = self.slots.queue().enter(owner, now)?;
        let request = QueuedRequest {
            slots: Arc::clone(&self.slots),
            owner,
            ticket,
        };
        Some((request, turn))
    }
}

impl Slots {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that waits in the queue, or the slot that the request got. Dropping this value removes
/// the request or frees the slot.
struct QueuedRequest {
    slots: Arc<Slots>,
    owner: Owner,
    ticket: Ticket,
}

impl Drop for QueuedRequest {
    fn drop(&mut self) {
        let now = self.slots.clock.now();
        self.slots.queue().leave(self.owner, self.ticket, now);
    }
}

struct SetOnDrop(Stop);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Waits until `stop` is set. May return up to [`STOP_INTERVAL`] later.
async fn until_set(stop: &Stop) {
    while !stop.is_set() {
        sleep(STOP_INTERVAL).await;
    }
}

fn is_legal(game: &Game, at: Move) -> bool {
    game.to_move()
        .is_some_and(|seat| game.check(seat, Action::Play(at)).is_ok())
}

/// A random legal move; `None` only if the game is over.
fn random_move(game: &Game, seed: u64) -> Option<Move> {
    let legal = game.legal();
    match legal.len() {
        0 => None,
        count => Some(legal[Random::new(seed).below(count)]),
    }
}

/// The move of an instant strategy for the seat to move, in a game in progress. If the strategy panics, the
/// move is random.
pub(crate) fn answer(robot: &Mutex<Box<dyn Strategy>>, game: &Game, stop: &Stop) -> Move {
    let choose = || {
        let mut robot = robot.lock().unwrap_or_else(PoisonError::into_inner);
        robot.choose(game, stop).at
    };
    catch_unwind(AssertUnwindSafe(choose)).unwrap_or_else(|panic| {
        error!(variant = %game.variant(), "instant strategy panicked: playing a random move");
        let seed = game.turns().len() as u64;
        random_move(game, seed).unwrap_or_else(|| resume_unwind(panic))
    })
}

impl fmt::Debug for Robots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Robots").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
