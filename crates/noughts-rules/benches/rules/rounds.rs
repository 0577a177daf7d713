//! Measuring on a machine that others use too: jobs take turns, round after round, and each round
//! compares them with each other.

use std::fmt;
use std::time::{Duration, Instant};

use crate::workload::Job;

pub(crate) const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(250);

/// What each job counts a second, in each round.
pub(crate) fn rates<const N: usize>(mut jobs: [Job; N]) -> [Vec<f64>; N] {
    let repeats = jobs.each_mut().map(|job| {
        let (_, once) = timed(job, 1);
        (ROUND.as_secs_f64() / once).ceil() as u32
    });
    let mut rates = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for ((job, repeats), rates) in jobs.iter_mut().zip(repeats).zip(&mut rates) {
            let (count, time) = timed(job, repeats);
            rates.push(count as f64 / time);
        }
    }
    rates
}

/// What a job counts when it runs so often, and the seconds that it takes.
fn timed(job: &mut Job, repeats: u32) -> (u64, f64) {
    let start = Instant::now();
    let count = (0..repeats).map(|_| job()).sum();
    (count, start.elapsed().as_secs_f64())
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
