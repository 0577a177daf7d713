//! Mean score with its error bar, Elo, and the sequential probability ratio test (SPRT).
//!
//! The sample has one value per opening: the mean score of the games that play the opening from all seats.
//! Games with the same opening depend on one another. Games with different openings do not.
//!
//! The method makes no assumption about the distribution of the scores. The likelihood of a mean is the
//! likelihood of the best-fitting distribution with this mean (Owen's empirical likelihood). In this
//! distribution, scores of 0 and 1 are always possible. So the error bar is correct for draws and for
//! dependent games, and ten wins in ten games still leave some uncertainty.

use std::fmt;

/// The 95 % quantile of the chi-square distribution with one degree of freedom: the square of 1.96.
const CHI_SQUARE_95: f64 = 3.841_458_820_694_124;

/// Scores of independent openings, each from 0 to 1.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScoreSample {
    /// Each value, with its number of occurrences.
    values: Vec<(f64, u32)>,
}

impl ScoreSample {
    /// Adds the score of one opening, clamped to the range from 0 to 1.
    pub fn add(&mut self, score: f64) {
        let score = score.clamp(0.0, 1.0);
        match self
            .values
            .iter_mut()
            .find(|(value, _)| (value - score).abs() < 1e-9)
        {
            Some((_, count)) => *count += 1,
            None => self.values.push((score, 1)),
        }
    }

    /// Whether the sample has no openings.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of openings.
    pub fn len(&self) -> u32 {
        self.values.iter().map(|(_, count)| count).sum()
    }

    /// The mean score, or 0.5 for an empty sample.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self
            .values
            .iter()
            .map(|(value, count)| value * f64::from(*count))
            .sum();
        match self.len() {
            0 => 0.5,
            count => sum / f64::from(count),
        }
    }

    /// The log-likelihood that the true mean is `truth`, relative to the log-likelihood of the sample's mean.
    /// The result is at most 0.
    pub fn log_likelihood(&self, truth: f64) -> f64 {
        let truth = truth.clamp(1e-9, 1.0 - 1e-9);
        // Of N values, the value `a` occurs n times. In the best-fitting distribution, the weight of `a` is
        // n / (N (1 + t (a - truth))). The bisection finds the number t for which the mean is `truth`. The
        // weights of 0 and 1 must not be negative.
        let slope = |t: f64| -> f64 {
            let part = |(value, count): &(f64, u32)| {
                let off = value - truth;
                f64::from(*count) * off / (1.0 + t * off)
            };
            self.values.iter().map(part).sum()
        };
        let (mut low, mut high) = (-1.0 / (1.0 - truth), 1.0 / truth);
        for _ in 0..60 {
            let middle = low + (high - low) / 2.0;
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let t = low + (high - low) / 2.0;
        let part = |(value, count): &(f64, u32)| {
            -f64::from(*count) * (1.0 + t * (value - truth)).max(1e-300).ln()
        };
        self.values.iter().map(part).sum()
    }

    /// The 95 % confidence interval of the mean. The interval of an empty sample is 0 to 1.
    pub fn interval(&self) -> Interval {
        if self.is_empty() {
            return Interval {
                low: 0.0,
                high: 1.0,
            };
        }
        let is_possible = |truth: f64| -2.0 * self.log_likelihood(truth) <= CHI_SQUARE_95;
        // Bisection between the mean and one end of the range from 0 to 1. The mean is inside the interval. The end may
        // be outside.
        let edge = |end: f64| {
            let (mut inside, mut outside) = (self.mean(), end);
            for _ in 0..40 {
                let middle = inside + (outside - inside) / 2.0;
                if is_possible(middle) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            inside
        };
        Interval {
            low: edge(0.0),
            high: edge(1.0),
        }
    }
}

/// A range of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The Elo difference for a mean score: 0 for 0.5, +400 for 10/11, minus infinity for 0 and plus infinity for 1.
pub fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The mean score that an Elo difference predicts.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Wald's sequential probability ratio test between two Elo differences. Both error probabilities are 5 %.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The Elo difference under the null hypothesis (H0).
    pub elo0: f64,
    /// The Elo difference under the alternative (H1).
    pub elo1: f64,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtDecision {
    /// More games are needed.
    Continue,
    /// `elo0` is accepted.
    AcceptH0,
    /// `elo1` is accepted.
    AcceptH1,
}

impl Sprt {
    const ERROR: f64 = 0.05;

    /// The absolute log-likelihood ratio at which the test ends: ln 19.
    pub fn bound() -> f64 {
        ((1.0 - Sprt::ERROR) / Sprt::ERROR).ln()
    }

    /// The log-likelihood ratio of `elo1` to `elo0`.
    pub fn llr(&self, scores: &ScoreSample) -> f64 {
        scores.log_likelihood(expected_score(self.elo1))
            - scores.log_likelihood(expected_score(self.elo0))
    }

    /// The decision of the test after these scores.
    pub fn decide(&self, scores: &ScoreSample) -> SprtDecision {
        let llr = self.llr(scores);
        if llr >= Sprt::bound() {
            SprtDecision::AcceptH1
        } else if llr <= -Sprt::bound() {
            SprtDecision::AcceptH0
        } else {
            SprtDecision::Continue
        }
    }
}

impl std::str::FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let number = |text: &str| -> Option<f64> {
            let number: f64 = text.trim().parse().ok()?;
            (-2000.0..=2000.0).contains(&number).then_some(number)
        };
        let (elo0, elo1) = text.split_once(',').ok_or(SprtError)?;
        match (number(elo0), number(elo1)) {
            (Some(elo0), Some(elo1)) if elo0 < elo1 => Ok(Sprt { elo0, elo1 }),
            _ => Err(SprtError),
        }
    }
}

/// The text does not describe a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SprtError;

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a test is written ELO0,ELO1, the first below the second, such as 0,10")
    }
}

impl std::error::Error for SprtError {}

/// An Elo difference as text: `+12`, `-3`, `+∞`.
pub(crate) fn write_elo(elo: f64) -> String {
    if elo.is_infinite() {
        return if elo > 0.0 { "+∞" } else { "-∞" }.to_owned();
    }
    match elo.round() {
        0.0 => "0".to_owned(),
        rounded => format!("{rounded:+.0}"),
    }
}
