//! Group commit: one transaction stores the writes of many callers.
//!
//! A durable commit takes a few milliseconds, whether it stores one row or a thousand. While a batch is written, new
//! requests wait in a bounded queue. The next batch takes up to [`MAX_BATCH`] requests from the queue.

use std::collections::HashSet;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::sync::{Mutex, mpsc, oneshot};

use super::codec::{AppendRows, GameRow};
use super::{Appended, Created, StoreError, WriteCounts};

/// Maximum number of requests in a batch. Larger batches would not save time per request.
pub(super) const MAX_BATCH: usize = 1_024;

/// Maximum number of queued requests. Further callers wait until the queue has room.
const MAX_QUEUED: usize = 4_096;

/// The result of one request.
pub(super) type Outcome<T> = Result<T, StoreError>;

/// One outcome per request of a batch, in the same order.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub(super) created: Vec<Outcome<Created>>,
    pub(super) appended: Vec<Outcome<Appended>>,
}

/// Why a batch failed. After some errors, it is not known whether the batch was written.
#[derive(Debug)]
pub(super) struct BatchError {
    pub(super) error: StoreError,
    /// Whether one request may have caused the error, so that the other requests would succeed without it. If
    /// so, every request is written again in its own transaction.
    pub(super) may_be_one_row: bool,
}

/// Writes the requests of a batch, usually in one transaction.
pub(super) trait WriteBatch: Send + Sync + 'static {
    /// Writes the requests durably. After an error, some of them may have been written, for example if the database did
    /// not reply in time.
    fn write(
        &self,
        creates: &[GameRow],
        appends: &[AppendRows],
    ) -> impl Future<Output = Result<Outcomes, BatchError>> + Send;
}

/// Counts what was written since the store was opened.
#[derive(Debug, Default)]
pub(super) struct Counter {
    batches: AtomicU64,
    writes: AtomicU64,
    micros: AtomicU64,
}

impl Counter {
    /// Runs `work`, which commits `writes` writes. If `work` succeeds, counts one batch and these writes.
    pub(super) async fn count<T, E>(
        &self,
        writes: usize,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let begun = Instant::now();
        let done = work.await;
        if done.is_ok() {
            let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.batches.fetch_add(1, Ordering::Relaxed);
            self.writes.fetch_add(writes as u64, Ordering::Relaxed);
            self.micros.fetch_add(micros, Ordering::Relaxed);
        }
        done
    }

    pub(super) fn counts(&self) -> WriteCounts {
        WriteCounts {
            batches: self.batches.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            micros: self.micros.load(Ordering::Relaxed),
        }
    }
}

/// The queue of requests, and the tasks that write them.
#[derive(Debug)]
pub(super) struct GroupCommit {
    queue: mpsc::Sender<Request>,
}

/// A request and the channel for its outcome.
#[derive(Debug)]
enum Request {
    Create(Box<GameRow>, oneshot::Sender<Outcome<Created>>),
    Append(Box<AppendRows>, oneshot::Sender<Outcome<Appended>>),
}

impl GroupCommit {
    /// Starts `lanes` tasks, each of which writes one batch at a time. The tasks end when the returned value is dropped
    /// and the queue is empty.
    pub(super) fn start(
        writer: &Arc<impl WriteBatch>,
        lanes: usize,
        counter: &Arc<Counter>,
    ) -> GroupCommit {
        let (queue, requests) = mpsc::channel(MAX_QUEUED);
        let requests = Arc::new(Mutex::new(requests));
        for _ in 0..lanes {
            let (writer, counter) = (Arc::clone(writer), Arc::clone(counter));
            tokio::spawn(run_lane(writer, Arc::clone(&requests), counter));
        }
        GroupCommit { queue }
    }

    /// Creates a game. Replies when the game is durable.
    pub(super) async fn create(&self, game: GameRow) -> Outcome<Created> {
        let (reply, outcome) = oneshot::channel();
        self.send(Request::Create(Box::new(game), reply)).await?;
        outcome.await.map_err(|_| closed())?
    }

    /// Appends entries. Replies when the entries are durable.
    pub(super) async fn append(&self, append: AppendRows) -> Outcome<Appended> {
        let (reply, outcome) = oneshot::channel();
        self.send(Request::Append(Box::new(append), reply)).await?;
        outcome.await.map_err(|_| closed())?
    }

    async fn send(&self, request: Request) -> Result<(), StoreError> {
        self.queue.send(request).await.map_err(|_| closed())
    }
}

fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed".to_owned())
}

async fn run_lane(
    writer: Arc<impl WriteBatch>,
    requests: Arc<Mutex<mpsc::Receiver<Request>>>,
    counter: Arc<Counter>,
) {
    let mut taken = Vec::new();
    loop {
        let count = requests.lock().await.recv_many(&mut taken, MAX_BATCH).await;
        if count == 0 {
            return;
        }
        Batch::of(&mut taken).write(&*writer, &counter).await;
    }
}

/// The requests of one transaction, and the channels for their outcomes.
#[derive(Default)]
struct Batch {
    creates: Vec<GameRow>,
    created: Vec<oneshot::Sender<Outcome<Created>>>,
    appends: Vec<AppendRows>,
    appended: Vec<oneshot::Sender<Outcome<Appended>>>,
}

impl Batch {
    fn of(requests: &mut Vec<Request>) -> Batch {
        let mut batch = Batch::default();
        for request in requests.drain(..) {
            match request {
                Request::Create(game, reply) => {
                    batch.creates.push(*game);
                    batch.created.push(reply);
                }
                Request::Append(append, reply) => {
                    batch.appends.push(*append);
                    batch.appended.push(reply);
                }
            }
        }
        batch
    }

    /// Writes the batch and sends every outcome.
    async fn write(self, writer: &impl WriteBatch, counter: &Counter) {
        let (creates, appends) = (&self.creates, &self.appends);
        let writes = creates.len() + appends.len();
        let outcomes = match counter.count(writes, writer.write(creates, appends)).await {
            Ok(outcomes) => outcomes,
            Err(failed) if failed.may_be_one_row && writes > 1 => {
                one_by_one(writer, counter, creates, appends).await
            }
            Err(failed) => Outcomes {
                created: vec![Err(failed.error.clone()); creates.len()],
                appended: vec![Err(failed.error); appends.len()],
            },
        };
        debug_assert_eq!(outcomes.created.len(), creates.len());
        debug_assert_eq!(outcomes.appended.len(), appends.len());
        // `send` returns an error if the caller no longer waits. This error does not matter.
        for (outcome, reply) in outcomes.created.into_iter().zip(self.created) {
            let _ = reply.send(outcome);
        }
        for (outcome, reply) in outcomes.appended.into_iter().zip(self.appended) {
            let _ = reply.send(outcome);
        }
    }
}

async fn one_by_one(
    writer: &impl WriteBatch,
    counter: &Counter,
    creates: &[GameRow],
    appends: &[AppendRows],
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for one in creates.chunks(1) {
        let written = counter.count(1, writer.write(one, &[])).await;
        outcomes.created.extend(match written {
            Ok(written) => written.created,
            Err(failed) => vec![Err(failed.error)],
        });
    }
    for one in appends.chunks(1) {
        let written = counter.count(1, writer.write(&[], one)).await;
        outcomes.appended.extend(match written {
            Ok(written) => written.appended,
            Err(failed) => vec![Err(failed.error)],
        });
    }
    outcomes
}

/// Splits rows into the first row of each key and the repetitions. A statement returns only the keys that it stored,
/// so equal keys in one statement could not be told apart.
pub(super) fn split_repeats<T, K: Hash + Eq>(
    rows: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> (Vec<T>, Vec<T>) {
    let mut seen = HashSet::new();
    rows.into_iter().partition(|row| seen.insert(key(row)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::GameId;
    use crate::store::Append;
    use crate::table::{Entry, LogEntry};

    /// A writer that refuses every batch that contains the game `refused`.
    #[derive(Debug)]
    struct Picky {
        refused: GameId,
        may_be_one_row: bool,
    }

    impl WriteBatch for Picky {
        async fn write(
            &self,
            creates: &[GameRow],
            appends: &[AppendRows],
        ) -> Result<Outcomes, BatchError> {
            // Other requests can enter the queue of the next batch in the meantime.
            tokio::task::yield_now().await;
            if appends.iter().any(|append| append.game == self.refused) {
                return Err(BatchError {
                    error: StoreError::NotWritable("refused".to_owned()),
                    may_be_one_row: self.may_be_one_row,
                });
            }
            Ok(Outcomes {
                created: vec![Ok(Created::Stored); creates.len()],
                appended: vec![Ok(Appended::Stored); appends.len()],
            })
        }
    }

    fn append_to(game: u128) -> AppendRows {
        let entry = Entry::RematchCreated(GameId::new(7));
        let logged = LogEntry {
            at_ms: 1,
            entry,
            key: None,
        };
        AppendRows::new(&Append {
            game: GameId::new(game),
            variant: "3x3k3".parse().unwrap(),
            first: 1,
            entries: vec![logged],
            summary: None,
            new_game: None,
        })
        .unwrap()
    }

    /// Appends to games 0 to 9; the writer refuses game 3. Returns whether each append succeeded, and the counts.
    async fn outcomes(may_be_one_row: bool, lanes: usize) -> (Vec<bool>, WriteCounts) {
        let writer = Arc::new(Picky {
            refused: GameId::new(3),
            may_be_one_row,
        });
        let counter = Arc::new(Counter::default());
        let group_commit = Arc::new(GroupCommit::start(&writer, lanes, &counter));
        let mut all = tokio::task::JoinSet::new();
        for game in 0..10 {
            let group_commit = Arc::clone(&group_commit);
            all.spawn(async move { (game, group_commit.append(append_to(game)).await.is_ok()) });
        }
        let mut outcomes = all.join_all().await;
        outcomes.sort_unstable();
        let outcomes = outcomes.into_iter().map(|(_, is_ok)| is_ok).collect();
        (outcomes, counter.counts())
    }

    #[tokio::test]
    async fn bad_row_fails_alone() {
        for lanes in [1, 2] {
            let (outcomes, counts) = outcomes(true, lanes).await;
            assert!(
                (0..10).all(|game| outcomes[game] == (game != 3)),
                "{outcomes:?}"
            );
            assert_eq!(counts.writes, 9);
        }
    }

    #[tokio::test]
    async fn general_error_fails_the_whole_batch() {
        let (outcomes, counts) = outcomes(false, 1).await;
        assert!(!outcomes[3]);
        let stored = outcomes.iter().filter(|is_ok| **is_ok).count();
        assert_eq!(counts.writes as usize, stored);
        assert!(stored < 9, "game 3 shared its batch");
    }

    #[test]
    fn repeats_are_split_off() {
        let (firsts, repeats) = split_repeats([1, 2, 1, 3, 2], |row| *row);
        assert_eq!((firsts, repeats), (vec![1, 2, 3], vec![1, 2]));
    }
}
