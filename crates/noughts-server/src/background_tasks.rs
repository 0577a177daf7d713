//! Tasks that must finish before the process ends.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// Spawns tasks, and counts the tasks that still run.
#[derive(Debug)]
pub(crate) struct BackgroundTasks {
    running: watch::Sender<usize>,
}

impl Default for BackgroundTasks {
    fn default() -> BackgroundTasks {
        BackgroundTasks {
            running: watch::Sender::new(0),
        }
    }
}

/// A running task. Dropping this value decreases the count of running tasks.
struct Running(watch::Sender<usize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl BackgroundTasks {
    /// Spawns a task. If there is no Tokio runtime, for example while the process ends, nothing is spawned.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        self.running.send_modify(|count| *count += 1);
        let running = Running(self.running.clone());
        runtime.spawn(async move {
            let _running = running;
            task.await;
        });
    }

    /// Waits until no task is running. Returns false if that takes longer than `limit`.
    pub(crate) async fn ended(&self, limit: Duration) -> bool {
        let mut running = self.running.subscribe();
        let ended = running.wait_for(|count| *count == 0);
        timeout(limit, ended).await.is_ok()
    }
}

/// Polls a future once without a waker. If the result is pending, the caller must poll the future again later.
pub(crate) fn poll_once<T>(work: Pin<&mut (dyn Future<Output = T> + Send)>) -> Poll<T> {
    let mut work = pin!(work);
    work.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test(start_paused = true)]
    async fn background_tasks_are_waited_for() {
        let background = BackgroundTasks::default();
        let (end, ended) = oneshot::channel::<()>();
        background.spawn(async move {
            ended.await.ok();
        });
        assert!(!background.ended(Duration::from_secs(1)).await);
        end.send(()).ok();
        assert!(background.ended(Duration::from_secs(1)).await);
    }
}
