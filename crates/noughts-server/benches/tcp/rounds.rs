//! Measuring on a machine that others use too: the two sides take turns, and each round compares
//! them with each other.

use std::fmt;

pub(crate) const ROUNDS: usize = 5;

/// Something to be measured.
pub(crate) trait Job {
    /// What is known after a round.
    type Figures;

    /// How often a round comes to it.
    const SLICES: usize;

    /// Works for a moment.
    fn slice(&mut self);

    /// What came of all slices since the last time.
    fn figures(&mut self) -> Self::Figures;
}

/// What two jobs measure, round by round.
pub(crate) fn alternate<J: Job>(mut jobs: [J; 2]) -> [Vec<J::Figures>; 2] {
    let mut measured = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for slice in 0..J::SLICES {
            // Who comes first changes too, so that neither always follows the other.
            for turn in [slice, slice + 1] {
                jobs[turn % 2].slice();
            }
        }
        for (measured, job) in measured.iter_mut().zip(&mut jobs) {
            measured.push(job.figures());
        }
    }
    measured
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
