//! The verdicts on a client's rules, collected over several connections.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::connection::{ClientConnection, Received};
use super::rules::CLIENT_RULES;
use crate::process::Program;
use crate::report::Entry;
use crate::verdict::{Fact, Finding, Verdict};

/// The verdicts so far. A rule that was broken once stays broken.
pub(super) struct RuleResults {
    verdicts: BTreeMap<&'static str, (Verdict, Duration)>,
    ids: Vec<u32>,
    /// Why no client connected.
    not_connected: Option<String>,
    /// The prompt at which the client waits for typed input.
    waiting_at: Option<String>,
    silences: usize,
    marked: Instant,
}

impl RuleResults {
    pub(super) fn new() -> RuleResults {
        RuleResults {
            verdicts: BTreeMap::new(),
            ids: Vec::new(),
            not_connected: None,
            waiting_at: None,
            silences: 0,
            marked: Instant::now(),
        }
    }

    pub(super) fn hold(&mut self, rule: &'static str) {
        self.verdict(rule);
    }

    pub(super) fn fail(&mut self, rule: &'static str, finding: Finding) {
        let verdict = self.verdict(rule);
        if !matches!(verdict, Verdict::Broken(_)) {
            *verdict = Verdict::Broken(finding);
        }
    }

    pub(super) fn note(&mut self, rule: &'static str, note: String) {
        if let Verdict::Holds { notes } = self.verdict(rule)
            && !notes.contains(&note)
        {
            notes.push(note);
        }
    }

    /// The verdict on a rule, which holds at first. The time since the last verdict is counted for it.
    fn verdict(&mut self, rule: &'static str) -> &mut Verdict {
        debug_assert!(CLIENT_RULES.iter().any(|one| one.name == rule));
        let now = Instant::now();
        let took = now - std::mem::replace(&mut self.marked, now);
        let (verdict, time) = self
            .verdicts
            .entry(rule)
            .or_insert((Verdict::holds(), Duration::ZERO));
        *time += took;
        verdict
    }

    /// Fails a rule because of what came instead. A client that waits for typed input fails nothing.
    pub(super) fn fail_unless_waiting(
        &mut self,
        rule: &'static str,
        connection: &mut ClientConnection,
        problem: &str,
        expected: &str,
        received: &Received,
    ) {
        if matches!(received, Received::Nothing(_)) {
            self.silences += 1;
            let program = connection.program.as_mut();
            if let Some(prompt) = program.and_then(super::ClientProgram::waiting_at) {
                self.waiting_at = Some(prompt);
                return;
            }
        }
        self.fail(rule, connection.finding(problem, expected, received));
    }

    /// Whether more connections would show nothing new.
    pub(super) fn is_hopeless(&self) -> bool {
        const MAX_SILENCES: usize = 2;
        self.waiting_at.is_some() || self.silences >= MAX_SILENCES
    }

    pub(super) fn silences(&self) -> usize {
        self.silences
    }

    /// The id of a session, which the client chose.
    pub(super) fn note_id(&mut self, id: u32) {
        self.ids.push(id);
    }

    pub(super) fn nobody_connected(&mut self, program: Option<&Program>, prompt: Option<String>) {
        self.waiting_at = prompt;
        let line = program.and_then(Program::first_line);
        let line = line.map_or(String::new(), |line| format!("; its output: {line}"));
        self.not_connected = Some(format!("the client did not connect{line}"));
    }

    /// All verdicts, in the order of the rules.
    pub(super) fn entries(mut self, by_hand: bool) -> Vec<Entry> {
        // Three equal ids out of ninety thousand are not chance.
        if self.ids.len() >= 3 {
            let first = self.ids[0];
            match self.ids.iter().all(|id| *id == first) {
                false => self.hold("ids-differ"),
                true => {
                    let finding = Finding {
                        problem: format!("all {} sessions had the id {first}", self.ids.len()),
                        facts: vec![
                            Fact::new("received", format!("HELLO, id {first}, every time")),
                            Fact::new("expected", "a random id for each session"),
                        ],
                        conversation: Vec::new(),
                    };
                    self.fail("ids-differ", finding);
                }
            }
        }
        let missing = match (&self.waiting_at, &self.not_connected.clone()) {
            (Some(prompt), _) => format!(
                "the client waits for typed input: its output ends with \"{prompt}\". Give it an answer \
                 (--answers '{prompt}=TEXT') or a file to read (--input FILE)"
            ),
            (None, Some(why)) => {
                let problem = why.clone();
                let facts = vec![Fact::new("expected", "a connection, and HELLO")];
                self.fail(
                    "hello",
                    Finding {
                        problem,
                        facts,
                        conversation: Vec::new(),
                    },
                );
                format!("prevented by hello: {why}")
            }
            (None, None) => {
                let broken =
                    CLIENT_RULES
                        .iter()
                        .find_map(|rule| match &self.verdicts.get(rule.name)?.0 {
                            Verdict::Broken(finding) => Some((rule.name, finding.problem.clone())),
                            Verdict::Holds { .. } | Verdict::NotTried(_) => None,
                        });
                broken.map_or(
                    "no connection got this far".to_owned(),
                    |(rule, problem)| format!("prevented by {rule}: {problem}"),
                )
            }
        };
        let not_tried = |rule: &str| match rule {
            "leaving" | "no-trace" if by_hand => {
                "the kit sees only the output of a client that it starts itself (-- COMMAND…)"
                    .to_owned()
            }
            "ids-differ" => "fewer than three sessions had an id chosen by the client".to_owned(),
            _ => missing.clone(),
        };
        CLIENT_RULES
            .iter()
            .map(|rule| {
                let (verdict, took) = self
                    .verdicts
                    .remove(rule.name)
                    .unwrap_or_else(|| (Verdict::NotTried(not_tried(rule.name)), Duration::ZERO));
                Entry {
                    dialect: String::new(),
                    rule: rule.name.to_owned(),
                    claim: rule.claim.to_owned(),
                    source: rule.source.to_owned(),
                    weight: rule.weight,
                    verdict,
                    took,
                }
            })
            .collect()
    }
}
