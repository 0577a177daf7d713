//! All verdicts together, and the forms in which they are read.

mod json;
mod junit;
mod text;

use std::time::Duration;

use crate::verdict::{Verdict, Weight};

/// What was judged, and what came of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The kind of program: `tcp`, `client` or `classic`.
    pub kind: &'static str,
    /// Which one, in words.
    pub subject: String,
    /// What the rules come from, in words.
    pub document: &'static str,
    /// What a reader should know before the verdicts.
    pub notes: Vec<String>,
    /// One for each rule, in the order in which they were tried.
    pub entries: Vec<Entry>,
}

/// The verdict on one rule.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where rules are tried more than once: how they were tried, such as the dialect.
    pub part: String,
    /// The rule's short name.
    pub rule: String,
    /// What it says.
    pub claim: String,
    /// What demands it.
    pub source: String,
    /// How much it weighs.
    pub weight: Weight,
    /// Whether it holds.
    pub verdict: Verdict,
    /// How long the judge took.
    pub took: Duration,
}

/// How many rules came to what.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// They hold.
    pub hold: usize,
    /// They do not.
    pub broken: usize,
    /// They could not be tried.
    pub not_tried: usize,
}

impl Report {
    /// Nothing that the document demands was broken.
    pub fn is_good(&self) -> bool {
        self.tally(Weight::Demanded).broken == 0
    }

    /// The rules of one weight, counted.
    pub fn tally(&self, weight: Weight) -> Tally {
        let mut tally = Tally::default();
        for entry in self.entries.iter().filter(|entry| entry.weight == weight) {
            match entry.verdict {
                Verdict::Holds { .. } => tally.hold += 1,
                Verdict::Broken(_) => tally.broken += 1,
                Verdict::NotTried(_) => tally.not_tried += 1,
            }
        }
        tally
    }
}

impl Tally {
    /// How many there are.
    pub fn all(&self) -> usize {
        self.hold + self.broken + self.not_tried
    }
}
