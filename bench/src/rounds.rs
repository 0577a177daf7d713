//! Measuring on a machine that others use too: jobs take turns, and each round compares them.

use std::fmt;
use std::time::{Duration, Instant};

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

/// Round by round, how many times the one is the other.
pub(crate) fn ratios(one: &[f64], other: &[f64]) -> Spread {
    let ratios: Vec<f64> = one.iter().zip(other).map(|(a, b)| a / b).collect();
    Spread::of(&ratios)
}

/// The middle of some figures, and how far they lie apart.
pub(crate) struct Spread {
    pub(crate) median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    pub(crate) fn of(figures: &[f64]) -> Spread {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        Spread {
            median: sorted[sorted.len() / 2],
            least: sorted[0],
            most: sorted[sorted.len() - 1],
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.2} ({:.2}..{:.2})",
            self.median, self.least, self.most
        )
    }
}
