//! The verdict on one rule.

use serde::Serialize;

/// How much a rule counts: whether breaking it is a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// The course document demands the rule. A rule for the later dialect may be demanded by docs/protocol.md instead.
    /// A program that breaks the rule fails.
    Demanded,
    /// An *open question*: the course document does not say what is right. The report shows whether the program behaves
    /// differently from most programs, but the program does not fail.
    Open,
    /// Advice for programs on a network. The report shows whether the program follows it, but the program does not
    /// fail.
    Advice,
}

/// Whether a rule holds, is broken, or was not tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The program follows the rule.
    Holds {
        /// Remarks for the report, such as the way in which the program follows the rule.
        notes: Vec<String>,
    },
    /// The program breaks the rule.
    Broken(Finding),
    /// The rule has no verdict of its own. Contains the reason: the rule could not be tried, or another rule reports
    /// the same fault.
    NotTried(String),
}

/// How a rule was broken.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Finding {
    /// What is wrong, in one sentence.
    pub problem: String,
    /// What was sent, received and expected.
    pub facts: Vec<Fact>,
    /// The conversation up to the problem, or a stack trace. For a classic program: the lines around the first
    /// difference between the expected and the shown text. If a signal or the kit ended the classic program: the last
    /// lines that the program showed. May be empty.
    pub conversation: Vec<String>,
}

/// One part of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fact {
    /// The kind of fact, such as "expected".
    pub label: &'static str,
    /// The bytes in hexadecimal. `..` stands for any byte, and `…` for further bytes. Empty if the fact has no bytes.
    pub hex: String,
    /// The meaning in words.
    pub words: String,
}

impl Fact {
    /// A fact without bytes.
    pub(crate) fn new(label: &'static str, words: impl Into<String>) -> Fact {
        Fact {
            label,
            hex: String::new(),
            words: words.into(),
        }
    }
}

impl Verdict {
    /// The verdict on a rule that holds, without remarks.
    pub(crate) fn holds() -> Verdict {
        Verdict::Holds { notes: Vec::new() }
    }
}

/// Why the check of a rule ended early.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The rule is broken.
    Broken(Box<Finding>),
    /// The rule cannot be tried, for this reason.
    NotTried(String),
}

/// The result of checking a rule.
pub(crate) type RuleResult<T = ()> = Result<T, Stop>;

impl Stop {
    pub(crate) fn broken(finding: Finding) -> Stop {
        Stop::Broken(Box::new(finding))
    }

    /// Puts words before the problem of a broken rule.
    pub(crate) fn prefixed(mut self, prefix: &str) -> Stop {
        if let Stop::Broken(finding) = &mut self {
            finding.problem = format!("{prefix}{}", finding.problem);
        }
        self
    }

    /// Puts words after the problem of a broken rule.
    pub(crate) fn suffixed(mut self, suffix: &str) -> Stop {
        if let Stop::Broken(finding) = &mut self {
            finding.problem.push_str(suffix);
        }
        self
    }

    /// Turns a fault into a reference to the rule `rule`, which already reports the same fault.
    pub(crate) fn same_as(self, rule: &str) -> Stop {
        match self {
            Stop::Broken(finding) => {
                Stop::NotTried(format!("the same fault as {rule}: {}", finding.problem))
            }
            stop @ Stop::NotTried(_) => stop,
        }
    }

    /// Turns a problem into the reason why this rule cannot be tried. `rule` is the rule that reports the problem.
    pub(crate) fn prevented_by(self, rule: &str) -> Stop {
        match self {
            Stop::Broken(finding) => {
                Stop::NotTried(format!("prevented by {rule}: {}", finding.problem))
            }
            stop @ Stop::NotTried(_) => stop,
        }
    }
}

impl From<RuleResult> for Verdict {
    fn from(result: RuleResult) -> Verdict {
        match result {
            Ok(()) => Verdict::holds(),
            Err(Stop::Broken(finding)) => Verdict::Broken(*finding),
            Err(Stop::NotTried(why)) => Verdict::NotTried(why),
        }
    }
}
