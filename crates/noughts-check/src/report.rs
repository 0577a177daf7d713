//! All verdicts on one program, and the formats in which they are written.

mod html;
mod json;
mod junit;
mod text;

use std::time::Duration;

use crate::verdict::{Verdict, Weight};

/// The result of checking one program.
#[derive(Clone, Debug)]
pub struct Report {
    /// The kind of program: `tcp`, `client` or `classic`.
    pub kind: &'static str,
    /// The program as the report names it: with its command, or with the address of the connection.
    pub subject: String,
    /// The course document that the rules come from.
    pub document: &'static str,
    /// Remarks on the whole check.
    pub notes: Vec<String>,
    /// One entry for each rule that applies. For a server, each dialect has its own entry for each rule that applies in
    /// the dialect.
    pub entries: Vec<Entry>,
    /// Whether the plain text and the HTML page leave out the rules that the course document does not demand.
    pub hide_differences: bool,
    /// For a server: the sum of all fixed pauses and of the time limits of all waits that timed out. Unlike the
    /// duration of the check, this sum hardly depends on the speed of the machine. Zero for other programs.
    pub waited: Duration,
}

/// The verdict on one rule.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The dialect in which a rule for servers was tried, `seed` or `later`. Empty for other programs.
    pub dialect: String,
    /// The rule's short name.
    pub rule: String,
    /// What the rule says.
    pub claim: String,
    /// The sentence of the course document that demands the rule. If the document does not demand the rule,
    /// this is the reason for the rule.
    pub source: String,
    /// How much the rule counts. For a classic program, an open question has the weight [`Weight::Demanded`]
    /// in two cases: in a strict check, and if the program crashed or was killed.
    pub weight: Weight,
    /// Whether the rule holds, is broken, or was not tried.
    pub verdict: Verdict,
    /// How long the check of this rule took.
    pub took: Duration,
}

/// The numbers of rules that hold, are broken, and were not tried.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Rules that hold.
    pub hold: usize,
    /// Rules that are broken.
    pub broken: usize,
    /// Rules that were not tried, and rules that failed only because of a fault that another rule reports.
    pub not_tried: usize,
}

impl Report {
    /// Whether the program breaks no rule that the course document demands.
    pub fn is_good(&self) -> bool {
        self.tally(Weight::Demanded).broken == 0
    }

    /// Counts the rules of one weight.
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

    /// The summary: one sentence for each weight that has rules.
    fn summary(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (weight, [holds, broken]) in [
            (Weight::Demanded, ["hold", "broken"]),
            (Weight::Open, ["as usual", "different"]),
            (Weight::Advice, ["followed", "not followed"]),
        ] {
            let tally = self.tally(weight);
            if tally.all() > 0 {
                let name = match weight {
                    Weight::Demanded => "Demanded rules",
                    Weight::Open => "Open questions",
                    Weight::Advice => "Advice",
                };
                sentences.push(format!(
                    "{name}: {} = {} {holds} + {} {broken} + {} not tried.",
                    tally.all(),
                    tally.hold,
                    tally.broken,
                    tally.not_tried
                ));
            }
        }
        sentences
    }

    /// The verdict on the whole program, in one sentence.
    fn conclusion(&self) -> String {
        let demanded = self.tally(Weight::Demanded);
        match (demanded.broken, demanded.not_tried) {
            (0, 0) => "PASSED: every demanded rule holds.".to_owned(),
            (0, count) => {
                format!("PASSED: no demanded rule is broken, but {count} could not be tried.")
            }
            (count, _) => format!(
                "FAILED: {count} demanded {} broken: {}.",
                if count == 1 { "rule is" } else { "rules are" },
                self.broken_rules().join(", ")
            ),
        }
    }

    /// The names of the demanded rules that are broken, each once.
    fn broken_rules(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for entry in &self.entries {
            if entry.mark() == "FAIL" && !names.contains(&&*entry.rule) {
                names.push(&entry.rule);
            }
        }
        names
    }

    /// Whether an entry is left out of the text and of the HTML page.
    fn is_hidden(&self, entry: &Entry) -> bool {
        self.hide_differences && entry.weight != Weight::Demanded
    }
}

impl Entry {
    /// The short label of the verdict, such as `FAIL`.
    fn mark(&self) -> &'static str {
        match (&self.verdict, self.weight) {
            (Verdict::Holds { .. }, _) => "pass",
            (Verdict::NotTried(_), _) => "-",
            (Verdict::Broken(_), Weight::Demanded) => "FAIL",
            (Verdict::Broken(_), Weight::Open) => "differs",
            (Verdict::Broken(_), Weight::Advice) => "advice",
        }
    }
}

impl Tally {
    /// The number of all rules: the sum of the three fields.
    pub fn all(&self) -> usize {
        self.hold + self.broken + self.not_tried
    }
}

fn heading(weight: Weight) -> &'static str {
    match weight {
        Weight::Demanded => "What the document demands",
        Weight::Open => {
            "What the document does not decide (differs: not the usual behaviour, no fault)"
        }
        Weight::Advice => {
            "Advice (advice: it works, but not with every other program or network; no fault)"
        }
    }
}

/// Escapes text for HTML and XML. Replaces by `�` all control characters except newline and tab, and all other
/// characters that XML 1.0 does not allow.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(sign),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            _ if sign.is_control() => safe.push('\u{fffd}'),
            _ => safe.push(sign),
        }
    }
    safe
}
