//! What is known of each rule while the client comes and goes.

use std::collections::BTreeMap;
use std::time::Duration;

use super::connection::Received;
use super::rules::CLIENT_RULES;
use crate::process::Program;
use crate::report::Entry;
use crate::verdict::{Finding, Verdict};

/// Verdicts so far. A rule that was broken once is broken.
#[derive(Default)]
pub(super) struct RuleResults {
    verdicts: BTreeMap<&'static str, Verdict>,
    ids: Vec<u32>,
    nobody: Option<String>,
    silences: usize,
}

impl RuleResults {
    pub(super) fn hold(&mut self, rule: &'static str) {
        debug_assert!(CLIENT_RULES.iter().any(|one| one.name == rule));
        self.verdicts
            .entry(rule)
            .or_insert(Verdict::Holds { notes: Vec::new() });
    }

    pub(super) fn fail(&mut self, rule: &'static str, finding: Finding) {
        debug_assert!(CLIENT_RULES.iter().any(|one| one.name == rule));
        let verdict = self
            .verdicts
            .entry(rule)
            .or_insert(Verdict::Holds { notes: Vec::new() });
        if !matches!(verdict, Verdict::Broken(_)) {
            *verdict = Verdict::Broken(finding);
        }
    }

    /// The client was to say something, and did not.
    pub(super) fn note_silence(&mut self, heard: &Received) {
        if matches!(heard, Received::Nothing(_)) {
            self.silences += 1;
        }
    }

    pub(super) fn silences(&self) -> usize {
        self.silences
    }

    /// The id of a session, which the client made.
    pub(super) fn note_id(&mut self, id: u32) {
        self.ids.push(id);
    }

    pub(super) fn nobody_came(&mut self, program: Option<&Program>) {
        let errors = program.map_or(String::new(), |program| {
            let errors = String::from_utf8_lossy(&program.errors).into_owned();
            let line = errors.lines().find(|line| !line.trim().is_empty());
            line.map_or(String::new(), |line| {
                format!("; it says: {}", line.escape_debug())
            })
        });
        self.nobody = Some(format!("the client did not connect{errors}"));
    }

    /// All verdicts, in the order of the rules.
    pub(super) fn entries(mut self, by_hand: bool) -> Vec<Entry> {
        // Three of the same of ninety thousand are no accident.
        if self.ids.len() >= 3 {
            match self.ids.iter().all(|id| *id == self.ids[0]) {
                false => self.hold("ids-differ"),
                true => {
                    let wrong =
                        format!("all {} sessions had the id {}", self.ids.len(), self.ids[0]);
                    self.fail(
                        "ids-differ",
                        Finding {
                            wrong,
                            ..Finding::default()
                        },
                    );
                }
            }
        }
        if let (Some(why), None) = (&self.nobody, self.verdicts.get("hello")) {
            let wrong = why.clone();
            self.fail(
                "hello",
                Finding {
                    wrong,
                    ..Finding::default()
                },
            );
        }
        let missing = self.nobody.take().unwrap_or_else(|| match self.silences {
            0 => "no scenario came so far".to_owned(),
            _ => "the client fell silent before, so that no scenario came so far".to_owned(),
        });
        let not_tried = |rule: &str| match rule {
            "leaving" | "no-trace" if by_hand => {
                "only a client that the judge starts itself (-- COMMAND…) can be watched".to_owned()
            }
            "ids-differ" => "fewer than three sessions had an id of the client's".to_owned(),
            _ => missing.clone(),
        };
        CLIENT_RULES
            .iter()
            .map(|rule| Entry {
                part: String::new(),
                rule: rule.name.to_owned(),
                claim: rule.claim.to_owned(),
                source: rule.source.to_owned(),
                weight: rule.weight,
                verdict: self
                    .verdicts
                    .remove(rule.name)
                    .unwrap_or_else(|| Verdict::NotTried(not_tried(rule.name))),
                took: Duration::ZERO,
            })
            .collect()
    }
}
