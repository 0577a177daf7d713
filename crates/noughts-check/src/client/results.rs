//! The verdicts on a client's rules, collected over several connections.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::connection::{ClientConnection, Received};
use super::program::ClientProgram;
use super::rules::CLIENT_RULES;
use crate::process::End;
use crate::report::Entry;
use crate::verdict::{Fact, Finding, Verdict};

/// The verdicts so far. A rule that was broken once stays broken.
pub(super) struct RuleResults {
    verdicts: BTreeMap<&'static str, (Verdict, Duration)>,
    ids: Vec<u32>,
    /// Whether a HELLO had the id 0, with which the later dialect asks the server to choose the id.
    pub(super) lets_server_choose_id: bool,
    /// Why no client connected.
    not_connected: Option<String>,
    /// The error with which a client ended before it connected.
    did_not_start: Option<String>,
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
            lets_server_choose_id: false,
            not_connected: None,
            did_not_start: None,
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

    pub(super) fn is_tried(&self, rule: &str) -> bool {
        self.verdicts.contains_key(rule)
    }

    pub(super) fn is_broken(&self, rule: &str) -> bool {
        let verdict = self.verdicts.get(rule).map(|(verdict, _)| verdict);
        matches!(verdict, Some(Verdict::Broken(_)))
    }

    pub(super) fn note(&mut self, rule: &'static str, note: String) {
        if let Verdict::Holds { notes } = self.verdict(rule)
            && !notes.contains(&note)
        {
            notes.push(note);
        }
    }

    /// Returns the verdict on a rule. The initial verdict is `Holds`. The time since the previous call counts
    /// as time of this rule.
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

    /// Records that a rule is broken because of `received`. Records nothing if the client waits for typed input, or if
    /// the rule is `split` and the rule `play` or `action` is broken.
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
            if let Some(prompt) = program.and_then(ClientProgram::waiting_at) {
                self.waiting_at = Some(prompt);
                return;
            }
        }
        // If the client does not answer whole frames either, split frames are not the cause.
        if rule == "split" && (self.is_broken("play") || self.is_broken("action")) {
            return;
        }
        self.fail(rule, connection.finding(problem, expected, received));
    }

    /// Whether the kit needs no further connections, because the client waits for typed input or was silent
    /// too often.
    pub(super) fn has_seen_enough(&self) -> bool {
        const MAX_SILENCES: usize = 2;
        self.waiting_at.is_some() || self.silences >= MAX_SILENCES
    }

    pub(super) fn silences(&self) -> usize {
        self.silences
    }

    /// Records the id that the client chose for a session.
    pub(super) fn note_id(&mut self, id: u32) {
        self.ids.push(id);
    }

    pub(super) fn nobody_connected(
        &mut self,
        client: Option<&ClientProgram>,
        prompt: Option<String>,
    ) {
        self.waiting_at = prompt;
        let line = client.and_then(|client| client.program.first_line());
        let line = line.map_or(String::new(), |line| format!("; its output: {line}"));
        self.not_connected = Some(format!("the client did not connect{line}"));
        if let Some(end @ (End::Exit(1..) | End::Signal(_))) = client.and_then(|client| client.end)
        {
            self.did_not_start = Some(format!(
                "the client program ended before it connected: {end}{line}"
            ));
        }
    }

    /// Why a client that never connected could not be checked: it ended with an error, or it waits for typed input.
    pub(super) fn did_not_start(&self) -> Option<String> {
        self.did_not_start.clone().or_else(|| self.waiting())
    }

    /// Advice for a client that waits for typed input.
    pub(super) fn waiting(&self) -> Option<String> {
        let prompt = self.waiting_at.as_ref()?;
        Some(format!(
            "the client waits for typed input: its output ends with \"{prompt}\". Give it an answer \
             (--answers '{prompt}=TEXT') or a file to read (--input FILE)"
        ))
    }

    /// Reports a stack trace once, even if the client prints it both after disconnections and at other times.
    fn report_trace_once(&mut self) {
        let trace = |rule: &str| match self.verdicts.get(rule) {
            Some((Verdict::Broken(finding), _)) => Some(finding),
            Some(_) | None => None,
        };
        let (Some(leaving), Some(other)) = (trace("leaving"), trace("no-trace")) else {
            return;
        };
        if leaving.facts == other.facts {
            let why = format!("the same fault as leaving: {}", other.problem);
            *self.verdict("no-trace") = Verdict::NotTried(why);
        }
    }

    /// All verdicts, in the order of the rules. `by_hand` says whether a person started the client.
    pub(super) fn entries(mut self, by_hand: bool) -> Vec<Entry> {
        // There are 90 000 possible ids, so three equal ids are not a coincidence.
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
        self.report_trace_once();
        let missing = match (&self.waiting_at, &self.not_connected.clone()) {
            (Some(_), _) => "the client waits for typed input".to_owned(),
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
            "ids-differ" if self.lets_server_choose_id => {
                "the client lets the server choose the id (the later dialect)".to_owned()
            }
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
