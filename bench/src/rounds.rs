//! Measuring on a machine that others use too: jobs take turns, and each round compares them.

#[path = "../../crates/noughts-rules/benches/rules/spread.rs"]
mod spread;

use std::time::{Duration, Instant};

pub(crate) use spread::{Spread, ratios};

const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(250);

/// Does something some number of times, and says how often.
pub(crate) type Job = Box<dyn FnMut() -> u64>;

/// What each job counts a second, in each round.
pub(crate) fn rates(mut jobs: Vec<Job>) -> Vec<Vec<f64>> {
    let mut rates = vec![Vec::new(); jobs.len()];
    for _ in 0..ROUNDS {
        let mut sums = vec![(0, Duration::ZERO); jobs.len()];
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
