//! What is said of one rule.

use serde::Serialize;

/// How much a rule weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// The document demands it: who breaks it fails.
    Demanded,
    /// The document does not say: what was done is reported, and nobody fails.
    Open,
    /// Good manners on a network: advice, and nobody fails.
    Advice,
}

/// Whether a rule holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It does.
    Holds {
        /// What is worth knowing nevertheless.
        notes: Vec<String>,
    },
    /// It does not.
    Broken(Finding),
    /// It could not be tried, and why.
    NotTried(String),
}

/// How a rule was broken.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Finding {
    /// What is wrong, in a sentence.
    pub wrong: String,
    /// What was sent, expected and received.
    pub facts: Vec<Fact>,
    /// All that went before, or the two texts side by side.
    pub log: Vec<String>,
}

/// One side of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fact {
    /// Such as "expected".
    pub label: &'static str,
    /// The bytes, in hexadecimal; `..` is any byte. Empty where there are none.
    pub hex: String,
    /// The same in words.
    pub words: String,
}

/// Why a judge stops before the end of a rule.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The rule does not hold.
    Broken(Box<Finding>),
    /// It can't be tried.
    NotTried(String),
}

/// What a judge comes to.
pub(crate) type Judged<T = ()> = Result<T, Stop>;

impl Stop {
    pub(crate) fn broken(finding: Finding) -> Stop {
        Stop::Broken(Box::new(finding))
    }

    /// The same trouble on the way to a rule that is about something else.
    pub(crate) fn on_the_way(self, to: &str) -> Stop {
        match self {
            Stop::Broken(finding) => {
                let received = finding.facts.iter().find(|fact| fact.label == "received");
                let received =
                    received.map_or(String::new(), |fact| format!(" (received: {})", fact.words));
                Stop::NotTried(format!("{to}: {}{received}", finding.wrong))
            }
            stop @ Stop::NotTried(_) => stop,
        }
    }
}

impl From<Judged> for Verdict {
    fn from(judged: Judged) -> Verdict {
        match judged {
            Ok(()) => Verdict::Holds { notes: Vec::new() },
            Err(Stop::Broken(finding)) => Verdict::Broken(*finding),
            Err(Stop::NotTried(why)) => Verdict::NotTried(why),
        }
    }
}
