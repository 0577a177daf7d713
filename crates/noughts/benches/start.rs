//! How long the program takes to start, compared with a program that does nothing: `cargo xtask bench start`. Goal:
//! `noughts --help` takes at most three times as long as `/bin/true`.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Number of timed starts of each command, and of `/bin/true` for comparison. They give a steady median and take a
/// second or two.
const ROUNDS: usize = 301;

fn main() {
    let noughts = env!("CARGO_BIN_EXE_noughts");
    for words in [
        &["--help"][..],
        &["--version"],
        &["perft", "3x3k3", "1"],
        &["-s", "3"],
    ] {
        let (mut ours, mut nothing) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            nothing.push(time("/bin/true", &[]));
            ours.push(time(noughts, words));
        }
        let (ours, nothing) = (median(ours), median(nothing));
        println!(
            "noughts {:16} {:6.2} ms, /bin/true {:6.2} ms, ratio {:.2}",
            words.join(" "),
            ours.as_secs_f64() * 1e3,
            nothing.as_secs_f64() * 1e3,
            ours.as_secs_f64() / nothing.as_secs_f64()
        );
    }
}

fn time(program: &str, words: &[&str]) -> Duration {
    let started = Instant::now();
    let done = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    assert!(done.expect("it runs").success(), "{program} {words:?}");
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
