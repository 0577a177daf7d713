//! Measuring on a machine that others use too: jobs take turns every few milliseconds, and each
//! round compares them with each other.

use std::fmt;
use std::time::{Duration, Instant};

use crate::workload::Job;

pub(crate) const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(250);

/// What each job counts a second, in each round.
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
        let Spread {
            median,
            least,
            most,
        } = self;
        write!(f, "{median:.2} ({least:.2}..{most:.2})")
    }
}
