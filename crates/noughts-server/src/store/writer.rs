//! Group commit: whoever writes waits a little, and one transaction stores what all of them want.
//!
//! A durable commit costs the disk a few milliseconds, whether it holds one row or a thousand.
//! Requests wait in a bounded queue while a batch is written; the next batch is all that waits.

use std::collections::HashSet;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::sync::{Semaphore, mpsc, oneshot};

use super::row::NewTurn;
use super::{Appended, Created, Ending, NewGame, Sitting, StoreError, StoreFigures, StoredGame};
use crate::id::{GameId, NodeId};
use noughts_rules::Seat;

/// The most that one transaction holds. Beyond some hundred rows there is nothing left to share.
const MOST_AT_ONCE: usize = 1_000;

/// As many again may wait for their turn; then callers wait to be heard.
const QUEUE: usize = 4_096;

/// Something to be written.
#[derive(Debug)]
pub(super) enum Request {
    Create(NewGame),
    Sit(GameId, Seat, Sitting),
    Turn(NewTurn),
    Finish(GameId, Ending),
    Rematch(GameId, Seat, Option<NewGame>),
    KeepAnalysis(GameId, String),
    Renew(NodeId, u64),
    Bury(NodeId),
    Forget(u64),
    Archive(Box<StoredGame>, Ending),
}

/// What became of it.
#[derive(Clone, Debug)]
pub(super) enum Done {
    Created(Created),
    Appended(Appended),
    Lapsed(Vec<NodeId>),
    Forgotten(Vec<GameId>),
    Nothing,
}

pub(super) type Outcome = Result<Done, StoreError>;

/// Why nothing of a batch was written.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: StoreError,
    /// One of its rows may be to blame, so that the others would do without it.
    pub(super) may_be_one: bool,
}

/// Where batches are written.
pub(super) trait Ledger: Send + Sync + 'static {
    /// Writes all of these durably, or nothing; one outcome for each.
    fn write(&self, batch: &[Request])
    -> impl Future<Output = Result<Vec<Outcome>, Failed>> + Send;
}

/// What was written since the store was opened.
#[derive(Debug, Default)]
pub(super) struct Tally {
    batches: AtomicU64,
    writes: AtomicU64,
    took_us: AtomicU64,
}

impl Tally {
    /// Does something that makes so many things durable at once, and counts it when it did.
    pub(super) async fn count<T, E>(
        &self,
        writes: usize,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let begun = Instant::now();
        let done = work.await;
        if done.is_ok() {
            let us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.batches.fetch_add(1, Ordering::Relaxed);
            self.writes.fetch_add(writes as u64, Ordering::Relaxed);
            self.took_us.fetch_add(us, Ordering::Relaxed);
        }
        done
    }

    pub(super) fn figures(&self) -> StoreFigures {
        StoreFigures {
            batches: self.batches.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            took_us: self.took_us.load(Ordering::Relaxed),
        }
    }
}

/// The queue of what is to be written.
#[derive(Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
}

#[derive(Debug)]
struct Job {
    request: Request,
    reply: oneshot::Sender<Outcome>,
}

impl Writer {
    /// Writes to this ledger, so many batches at a time, until it is dropped and nothing waits.
    pub(super) fn start(ledger: Arc<impl Ledger>, lanes: u32, tally: Arc<Tally>) -> Writer {
        let (queue, jobs) = mpsc::channel(QUEUE);
        tokio::spawn(write(ledger, jobs, lanes, tally));
        Writer { queue }
    }

    /// Has this written; answers when it is durable.
    pub(super) async fn ask(&self, request: Request) -> Outcome {
        let (reply, outcome) = oneshot::channel();
        let closed = || StoreError("it is closed".to_owned());
        let job = Job { request, reply };
        self.queue.send(job).await.map_err(|_| closed())?;
        outcome.await.map_err(|_| closed())?
    }

    pub(super) async fn create(&self, game: NewGame) -> Result<Created, StoreError> {
        match self.ask(Request::Create(game)).await? {
            Done::Created(created) => Ok(created),
            other => Err(surprise(&other)),
        }
    }

    pub(super) async fn append(&self, request: Request) -> Result<Appended, StoreError> {
        match self.ask(request).await? {
            Done::Appended(appended) => Ok(appended),
            other => Err(surprise(&other)),
        }
    }

    pub(super) async fn note(&self, request: Request) -> Result<(), StoreError> {
        self.ask(request).await.map(drop)
    }
}

pub(super) fn surprise(done: &Done) -> StoreError {
    StoreError(format!("{done:?} is no answer to this"))
}

async fn write(
    ledger: Arc<impl Ledger>,
    mut jobs: mpsc::Receiver<Job>,
    lanes: u32,
    tally: Arc<Tally>,
) {
    let free = Arc::new(Semaphore::new(lanes as usize));
    loop {
        // First a free lane, then the batch: what comes meanwhile is in it.
        let Ok(lane) = Arc::clone(&free).acquire_owned().await else {
            return;
        };
        let mut batch = Vec::new();
        if jobs.recv_many(&mut batch, MOST_AT_ONCE).await == 0 {
            return;
        }
        let (ledger, tally) = (Arc::clone(&ledger), Arc::clone(&tally));
        tokio::spawn(async move {
            settle(&*ledger, batch, &tally).await;
            drop(lane);
        });
    }
}

/// Writes a batch, and tells everybody what became of theirs.
async fn settle(ledger: &impl Ledger, jobs: Vec<Job>, tally: &Tally) {
    let (requests, replies): (Vec<Request>, Vec<_>) =
        jobs.into_iter().map(|job| (job.request, job.reply)).unzip();
    let written = tally.count(requests.len(), ledger.write(&requests));
    let outcomes = match written.await {
        Ok(outcomes) => outcomes,
        Err(failed) if failed.may_be_one && requests.len() > 1 => {
            let mut outcomes = Vec::with_capacity(requests.len());
            for alone in requests.chunks(1) {
                outcomes.push(match tally.count(1, ledger.write(alone)).await {
                    Ok(outcome) => outcome.into_iter().next().unwrap_or(Ok(Done::Nothing)),
                    Err(failed) => Err(failed.error),
                });
            }
            outcomes
        }
        Err(failed) => vec![Err(failed.error); requests.len()],
    };
    debug_assert_eq!(outcomes.len(), replies.len());
    for (outcome, reply) in outcomes.into_iter().zip(replies) {
        // Who no longer waits need not know.
        let _ = reply.send(outcome);
    }
}

/// The first of each key, and those whose key another has already: one statement tells which keys
/// it stored, not whose.
pub(super) fn firsts<T, K: Hash + Eq>(rows: Vec<T>, key: impl Fn(&T) -> K) -> (Vec<T>, Vec<T>) {
    let mut seen = HashSet::with_capacity(rows.len());
    rows.into_iter().partition(|row| seen.insert(key(row)))
}
