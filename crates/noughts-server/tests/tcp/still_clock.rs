//! A paused clock that does not advance by itself.

use std::sync::mpsc;

use tokio::time::pause;

/// A clock that moves only by `advance`. While a blocking task runs, the paused clock does not jump to the
/// next timer by itself.
pub(crate) struct Still(
    #[expect(dead_code, reason = "ends the task when dropped")] mpsc::Sender<()>,
);

pub(crate) fn still() -> Still {
    let (end, ended) = mpsc::channel();
    tokio::task::spawn_blocking(move || ended.recv());
    pause();
    Still(end)
}
