//! Somebody who asked for a seat.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, error::TryRecvError};

use crate::house::House;
use crate::lobby::Ticket;
use crate::room::Notice;

/// Somebody who asked for a seat, and hears what becomes of it. Dropped, they are gone: out of
/// the lobby if they still waited.
pub struct Guest {
    notices: mpsc::Receiver<Notice>,
    queue: Option<(Arc<House>, Ticket)>,
    own: Option<OwnTable>,
}

/// The table of one who plays with robots. It goes on while its guest listens: a task of its own
/// would have to be woken for every move, and wake the guest's again.
struct OwnTable {
    keeping: Pin<Box<dyn Future<Output = ()> + Send>>,
    bell: Arc<Bell>,
    waker: Waker,
}

impl Guest {
    /// One who hears of a table that others keep, or of none yet.
    pub(crate) fn new(
        notices: mpsc::Receiver<Notice>,
        queue: Option<(Arc<House>, Ticket)>,
    ) -> Guest {
        Guest {
            notices,
            queue,
            own: None,
        }
    }

    /// One who has a table with robots.
    pub(crate) fn with_table(
        notices: mpsc::Receiver<Notice>,
        keeping: impl Future<Output = ()> + Send + 'static,
    ) -> Guest {
        let bell = Arc::new(Bell::default());
        Guest {
            notices,
            queue: None,
            own: Some(OwnTable {
                keeping: Box::pin(keeping),
                waker: Waker::from(Arc::clone(&bell)),
                bell,
            }),
        }
    }

    /// What they hear next, from [`Notice::Seated`] on. It ends early where no table could be laid.
    /// Nothing is lost where this is dropped; but who sits alone with robots must go on listening,
    /// or they stop too.
    pub async fn next(&mut self) -> Option<Notice> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Notice>> {
        // Once for what was asked for, and once for what comes of it; whoever has more to do than
        // that lets others have their turn.
        for _ in 0..2 {
            let Some(own) = &mut self.own else {
                return self.notices.poll_recv(context);
            };
            if own.bell.has_rung() {
                let mut heard = Context::from_waker(&own.waker);
                if own.keeping.as_mut().poll(&mut heard).is_ready() {
                    self.own = None;
                    continue;
                }
            }
            // The table alone speaks here, so there is nothing to wait for while it is silent.
            match self.notices.try_recv() {
                Ok(notice) => return Poll::Ready(Some(notice)),
                Err(TryRecvError::Disconnected) => return Poll::Ready(None),
                Err(TryRecvError::Empty) => {}
            }
            if own.bell.sleep(context.waker()) {
                return Poll::Pending;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Before they ask their table for something: they will listen next, so that nothing must wake
    /// them for it.
    pub fn is_about_to_listen(&self) {
        if let Some(own) = &self.own {
            own.bell.listen();
        }
    }

    /// What else they hear, without waiting for it.
    pub fn next_now(&mut self) -> Option<Notice> {
        self.notices.try_recv().ok()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some((house, ticket)) = self.queue.take() {
            house.leave_lobby(ticket);
        }
        // The table hears that they left, and files the game.
        if let (Some(own), Ok(runtime)) = (self.own.take(), Handle::try_current()) {
            runtime.spawn(own.keeping);
        }
    }
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest").finish_non_exhaustive()
    }
}

/// Wakes a task, but only when it sleeps: what a task does to itself while it is awake would else
/// wake it once more, for nothing.
struct Bell {
    state: AtomicU8,
    sleeper: Mutex<Option<Waker>>,
}

/// Something is to be looked at.
const RUNG: u8 = 0;
/// The task is awake and will look whether it rang before it sleeps.
const LISTENS: u8 = 1;
const SLEEPS: u8 = 2;

impl Default for Bell {
    /// One that has rung, since nobody has looked at anything yet.
    fn default() -> Bell {
        Bell {
            state: AtomicU8::new(RUNG),
            sleeper: Mutex::default(),
        }
    }
}

impl Bell {
    /// The task is awake: it need not be woken until it sleeps again.
    fn listen(&self) {
        // Where it has rung, that is still to be looked at.
        let _ = self
            .state
            .compare_exchange(SLEEPS, LISTENS, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Whether it rang since this was last asked; the task looks now.
    fn has_rung(&self) -> bool {
        self.state.load(Ordering::SeqCst) == RUNG
            && self.state.swap(LISTENS, Ordering::SeqCst) == RUNG
    }

    /// Whether the task may sleep; not so where the bell rang while it looked.
    fn sleep(&self, waker: &Waker) -> bool {
        let mut sleeper = self.sleeper.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *sleeper {
            Some(sleeper) => sleeper.clone_from(waker),
            None => *sleeper = Some(waker.clone()),
        }
        drop(sleeper);
        let slept =
            self.state
                .compare_exchange(LISTENS, SLEEPS, Ordering::SeqCst, Ordering::SeqCst);
        !matches!(slept, Err(RUNG))
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Bell>) {
        if self.state.swap(RUNG, Ordering::SeqCst) == SLEEPS {
            let sleeper = self.sleeper.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(waker) = sleeper.as_ref() {
                waker.wake_by_ref();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Wakes>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_bell_wakes_who_sleeps_and_only_once() {
        let (bell, wakes) = (Arc::new(Bell::default()), Arc::new(Wakes::default()));
        let sleeper = Waker::from(Arc::clone(&wakes));
        let count = || wakes.0.load(Ordering::SeqCst);
        assert!(!bell.sleep(&sleeper), "nobody has looked yet");
        assert!(bell.has_rung());
        assert!(!bell.has_rung(), "once is enough");
        bell.wake_by_ref();
        bell.listen();
        assert!(!bell.sleep(&sleeper), "it rang before, and nobody looked");
        assert!(bell.has_rung());
        assert!(bell.sleep(&sleeper));
        assert!(bell.sleep(&sleeper), "one who sleeps may be asked twice");
        assert!(!bell.has_rung());
        assert_eq!(count(), 0);
        bell.wake_by_ref();
        bell.wake_by_ref();
        assert_eq!(count(), 1);
        assert!(bell.has_rung());
        assert!(bell.sleep(&sleeper));
        bell.listen();
        bell.wake_by_ref();
        assert_eq!(count(), 1, "who is awake need not be woken");
        assert!(!bell.sleep(&sleeper), "but must look before it sleeps");
    }

    #[tokio::test]
    async fn a_table_goes_on_when_its_guest_listens_and_when_it_is_woken_from_elsewhere() {
        let (to_guest, notices) = mpsc::channel(1);
        let (ask, mut asked) = mpsc::channel::<()>(1);
        let (done, is_done) = tokio::sync::oneshot::channel();
        let mut guest = Guest::with_table(notices, async move {
            while asked.recv().await.is_some() {
                let _ = to_guest.try_send(Notice::Unavailable);
            }
            let _ = done.send(());
        });
        for _ in 0..3 {
            guest.is_about_to_listen();
            ask.try_send(()).expect("room");
            assert!(matches!(guest.next().await, Some(Notice::Unavailable)));
            assert!(guest.next_now().is_none());
            // From another task, while the guest sleeps.
            let elsewhere = ask.clone();
            let (heard, _) = tokio::join!(
                guest.next(),
                tokio::spawn(async move {
                    tokio::task::yield_now().await;
                    elsewhere.send(()).await
                })
            );
            assert!(matches!(heard, Some(Notice::Unavailable)));
        }
        // Whoever goes leaves a table that goes on without them.
        drop((guest, ask));
        is_done.await.expect("the table ends in order");
    }
}
