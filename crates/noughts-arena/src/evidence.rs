//! What results prove: a share with its error bar, Elo, and a test that says when to stop.
//!
//! A unit of evidence is one opening played from all seats: its games are not independent of one
//! another, units are. Nothing is assumed of how results spread; the likelihood of a share is that of
//! the spread which fits the results best among all those with that share (Owen's empirical
//! likelihood, with 0 and 1 always possible). So draws and pairs that go together narrow the bar as
//! they should, and ten wins of ten still leave some doubt.

use std::fmt;

/// 95 times of 100, for one degree of freedom: the square of 1.96.
const CHI_SQUARE_95: f64 = 3.841_458_820_694_124;

/// Results of units, each from 0 to 1.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evidence {
    /// Each value with how often it came.
    values: Vec<(f64, u32)>,
}

impl Evidence {
    /// One unit more. A share outside of 0 to 1 counts as the nearer end.
    pub fn add(&mut self, share: f64) {
        let share = share.clamp(0.0, 1.0);
        match self
            .values
            .iter_mut()
            .find(|(value, _)| (value - share).abs() < 1e-9)
        {
            Some((_, count)) => *count += 1,
            None => self.values.push((share, 1)),
        }
    }

    /// How many units there were.
    pub fn units(&self) -> u32 {
        self.values.iter().map(|(_, count)| count).sum()
    }

    /// The mean of all: a half where there is none.
    pub fn share(&self) -> f64 {
        let sum: f64 = self
            .values
            .iter()
            .map(|(value, count)| value * f64::from(*count))
            .sum();
        match self.units() {
            0 => 0.5,
            units => sum / f64::from(units),
        }
    }

    /// How much less likely the results are if this is the true share than if their mean is: a natural
    /// logarithm, 0 at best.
    pub fn log_likelihood(&self, truth: f64) -> f64 {
        let truth = truth.clamp(1e-9, 1.0 - 1e-9);
        // The spread that fits best gives value a the weight n / (N (1 + t (a - truth))), with the t
        // that makes its mean the truth; 0 and 1 must not get a negative weight.
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

    /// The shares that are not ruled out: the truth is among them 95 times of 100.
    pub fn interval(&self) -> Interval {
        let share = self.share();
        if self.units() == 0 {
            return Interval {
                low: 0.0,
                high: 1.0,
            };
        }
        let is_possible = |truth: f64| -2.0 * self.log_likelihood(truth) <= CHI_SQUARE_95;
        // From the mean, which is possible, to an end, which may be.
        let edge = |end: f64| {
            let (mut inside, mut outside) = (share, end);
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

/// From here to there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// The Elo difference that makes for this share of points: 0 for a half, +400 for ten of eleven,
/// without end for 0 and 1.
pub fn elo(share: f64) -> f64 {
    if share <= 0.0 {
        f64::NEG_INFINITY
    } else if share >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (share / (1.0 - share)).log10()
    }
}

/// The share of points that this Elo difference makes for.
pub fn share(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Wald's sequential test between two Elo differences: it goes on until one is shown, and is wrong
/// one time of twenty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The difference that would be too little.
    pub elo0: f64,
    /// The difference that is hoped for.
    pub elo1: f64,
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Not yet.
    Open,
    /// Rather `elo0`.
    Little,
    /// Rather `elo1`.
    Hoped,
}

impl Sprt {
    /// Errors of either kind.
    const ERROR: f64 = 0.05;

    /// Where the test ends, to either side: ln 19.
    pub fn bound() -> f64 {
        ((1.0 - Sprt::ERROR) / Sprt::ERROR).ln()
    }

    /// How much more likely the results are under `elo1` than under `elo0`, as a natural logarithm.
    pub fn log_ratio(&self, evidence: &Evidence) -> f64 {
        evidence.log_likelihood(share(self.elo1)) - evidence.log_likelihood(share(self.elo0))
    }

    /// What these results show.
    pub fn verdict(&self, evidence: &Evidence) -> Verdict {
        let ratio = self.log_ratio(evidence);
        if ratio >= Sprt::bound() {
            Verdict::Hoped
        } else if ratio <= -Sprt::bound() {
            Verdict::Little
        } else {
            Verdict::Open
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

/// Why a text is no test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SprtError;

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a test is written ELO0,ELO1, the first below the second, such as 0,10")
    }
}

impl std::error::Error for SprtError {}

/// Shortest sensible text for an Elo difference: `+12`, `-3`, `∞`.
pub(crate) fn write_elo(elo: f64) -> String {
    if elo.is_infinite() {
        return if elo > 0.0 { "+∞" } else { "-∞" }.to_owned();
    }
    match elo.round() {
        0.0 => "0".to_owned(),
        rounded => format!("{rounded:+.0}"),
    }
}
