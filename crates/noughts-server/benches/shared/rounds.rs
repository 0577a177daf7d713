//! Compares two jobs on a shared machine: they run alternately, and each round compares them.

#[path = "../../../noughts-rules/benches/rules/spread.rs"]
mod spread;

pub(crate) use spread::{Spread, ratios};

pub(crate) const ROUNDS: usize = 5;

/// A job that is measured in slices; several slices are a round.
pub(crate) trait Job {
    /// The result of a round.
    type Figures;

    /// Number of slices per round.
    const SLICES: usize;

    /// Runs one slice.
    fn slice(&mut self);

    /// The result of all slices since the last call.
    fn figures(&mut self) -> Self::Figures;
}

/// Returns `figure` of each round.
pub(crate) fn column<T>(rounds: &[T], figure: impl Fn(&T) -> f64) -> Vec<f64> {
    rounds.iter().map(figure).collect()
}

/// The 99th percentile of `times`, converted from nanoseconds to seconds.
pub(crate) fn p99(times: &[u64]) -> f64 {
    let mut times = times.to_vec();
    let at = times.len() * 99 / 100;
    let (_, p99, _) = times.select_nth_unstable(at);
    *p99 as f64 / 1e9
}

/// Runs two jobs alternately, slice by slice. Returns the results of each job, one per round.
pub(crate) fn alternate<J: Job>(mut jobs: [J; 2]) -> [Vec<J::Figures>; 2] {
    let mut measured = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for slice in 0..J::SLICES {
            // Which job runs first alternates too.
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
