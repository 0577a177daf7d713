//! Measuring on a machine that others use too: the two sides take turns, and each round compares
//! them with each other.

use std::fmt;

pub(crate) const ROUNDS: usize = 5;

/// What each of two jobs measures, round by round.
pub(crate) fn alternate<T>(jobs: [&mut dyn FnMut() -> T; 2]) -> [Vec<T>; 2] {
    let [first, second] = jobs;
    let mut measured = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        // Who comes first changes too, so that neither always follows the other.
        for turn in [round % 2, (round + 1) % 2] {
            measured[turn].push(if turn == 0 { first() } else { second() });
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
