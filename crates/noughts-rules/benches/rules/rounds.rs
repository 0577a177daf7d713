//! Measuring on a busy machine: in each round the jobs take turns, so that other programs slow down all jobs alike.

use std::time::{Duration, Instant};

/// Runs a workload once and returns how much it counted.
pub(crate) type Job = Box<dyn FnMut() -> u64>;

pub(crate) const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(250);

/// The count per second of each job, for each round.
pub(crate) fn rates<const N: usize>(mut jobs: [Job; N]) -> [Vec<f64>; N] {
    let mut rates = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        let mut sums = [(0, Duration::ZERO); N];
        while sums.iter().any(|(_, time)| *time < ROUND) {
            for (job, (count, time)) in jobs.iter_mut().zip(&mut sums) {
                let start = Instant::now();
                *count += job();
                *time += start.elapsed();
            }
        }
        for (rates, (count, time)) in rates.iter_mut().zip(sums) {
            rates.push(count as f64 / time.as_secs_f64());
        }
    }
    rates
}
