//! What the system tells a program that works by itself: that it shall end.

use std::io;

/// Ctrl-C.
pub(crate) const INTERRUPT: i32 = 2;

/// Calls back for each signal to end, from now on: Ctrl-C, the system's wish, a terminal that closes.
///
/// Whoever was started to outlive its terminal (`nohup`) is not told of that one, where Linux says so.
#[cfg(unix)]
pub(crate) fn when_told_to_end(mut told: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let heard = [SIGINT, SIGTERM, SIGHUP];
    let heard = heard
        .iter()
        .filter(|signal| **signal != SIGHUP || !is_ignored(&status, SIGHUP));
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::spawn(move || signals.forever().for_each(&mut told));
    Ok(())
}

/// Elsewhere Ctrl-C is all there is, from soon on.
#[cfg(not(unix))]
pub(crate) fn when_told_to_end(mut told: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                told(INTERRUPT);
            }
        });
    });
    Ok(())
}

/// What Linux says of a process: the signals that it ignores are a number in base sixteen.
#[cfg(unix)]
fn is_ignored(status: &str, signal: i32) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(all(test, unix))]
mod tests {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE};

    use super::*;

    #[test]
    fn what_is_ignored_is_read_from_the_status() {
        // SIGHUP is 1 and SIGPIPE 13, as signal(7) numbers them.
        let status = "Name:\tnoughts\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n";
        assert_eq!(INTERRUPT, SIGINT);
        assert!(is_ignored(status, SIGHUP));
        assert!(is_ignored(status, SIGPIPE));
        assert!(!is_ignored(status, SIGINT));
        assert!(!is_ignored("Name:\tnoughts\n", SIGHUP));
    }
}
