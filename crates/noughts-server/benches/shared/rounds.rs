//! Measuring on a machine that others use too: the two sides take turns, and each round compares
//! them with each other.

#[path = "../../../noughts-rules/benches/rules/spread.rs"]
mod spread;

pub(crate) use spread::{Spread, ratios};

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
