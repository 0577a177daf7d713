//! Signals that ask the program to end.

use std::io;

use noughts_engine::Stop;

/// The number of SIGINT, the signal that Ctrl-C sends.
pub(crate) const INTERRUPT: i32 = 2;

/// Returns a stop flag, which the first signal sets. A Ctrl-C after the first signal ends the program
/// immediately. Other later signals have no effect, because a closing terminal often sends SIGHUP twice.
pub(crate) fn stop_on_signal() -> io::Result<Stop> {
    let stop = Stop::new();
    let told = stop.clone();
    on_end_signal(move |signal| {
        if told.is_set() && signal == INTERRUPT {
            std::process::exit(128 + signal);
        }
        told.set();
    })?;
    Ok(stop)
}

/// Calls `callback` for each SIGINT, SIGTERM and SIGHUP. On Linux, SIGHUP stays ignored if it was ignored when the
/// program started, as with `nohup`.
#[cfg(unix)]
pub(crate) fn on_end_signal(mut callback: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let heard = [SIGINT, SIGTERM, SIGHUP];
    let heard = heard
        .iter()
        .filter(|signal| **signal != SIGHUP || !is_ignored(&status, SIGHUP));
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::spawn(move || signals.forever().for_each(&mut callback));
    Ok(())
}

/// Calls `callback` for each Ctrl-C. On systems other than Unix, Ctrl-C is the only signal that is handled.
#[cfg(not(unix))]
pub(crate) fn on_end_signal(mut callback: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                callback(INTERRUPT);
            }
        });
    });
    Ok(())
}

/// Whether a signal is in the hexadecimal mask `SigIgn` of `/proc/self/status`.
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
    fn reads_ignored_signals_from_status() {
        // SIGHUP has the number 1, and SIGPIPE has the number 13 (see signal(7)).
        let status = "Name:\tnoughts\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n";
        assert_eq!(INTERRUPT, SIGINT);
        assert!(is_ignored(status, SIGHUP));
        assert!(is_ignored(status, SIGPIPE));
        assert!(!is_ignored(status, SIGINT));
        assert!(!is_ignored("Name:\tnoughts\n", SIGHUP));
    }
}
