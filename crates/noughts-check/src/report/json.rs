//! The report as JSON.

use serde_json::{Value, json};

use super::{Entry, Report, Tally};
use crate::verdict::{Verdict, Weight};

impl Report {
    /// The report as one JSON object, ended by a newline. It has all entries, even if `hide_differences` is true.
    pub fn json(&self) -> String {
        let tally = |weight| tally(self.tally(weight));
        let value = json!({
            "kind": self.kind,
            "subject": self.subject,
            "document": self.document,
            "passed": self.is_good(),
            "notes": self.notes,
            "demanded": tally(Weight::Demanded),
            "open": tally(Weight::Open),
            "advice": tally(Weight::Advice),
            "rules": self.entries.iter().map(entry).collect::<Vec<_>>(),
        });
        format!("{value:#}\n")
    }
}

fn tally(tally: Tally) -> Value {
    json!({ "hold": tally.hold, "broken": tally.broken, "not_tried": tally.not_tried })
}

fn entry(entry: &Entry) -> Value {
    let (verdict, more) = match &entry.verdict {
        Verdict::Holds { notes } => ("holds", json!({ "notes": notes })),
        Verdict::Broken(finding) => ("broken", json!({ "finding": finding })),
        Verdict::NotTried(why) => ("not_tried", json!({ "why": why })),
    };
    let mut value = json!({
        "dialect": entry.dialect,
        "rule": entry.rule,
        "claim": entry.claim,
        "source": entry.source,
        "weight": entry.weight,
        "verdict": verdict,
        "seconds": entry.took.as_secs_f64(),
    });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}
