//! Watches a server that the kit has started: its end, and stack traces in its output.

use std::time::Instant;

use super::connection::SHORT;
use super::game::first_moves;
use super::{Checker, MAX_ANSWER_TIMES, TcpRule};
use crate::process::{printable, stack_trace, trace_headline};
use crate::verdict::{Fact, Finding, Verdict};

impl Checker {
    /// Starts the server again if it has ended, so that one crash does not hide other rules. A server that ends when a
    /// client leaves is always started again.
    pub(super) fn restart_program(&mut self) -> Result<(), String> {
        let ends_when_left = self.ends_when_left();
        let Some(program) = &mut self.program else {
            return Ok(());
        };
        let started = Instant::now();
        let has_restarted = match ends_when_left {
            // The kit cannot observe whether the server is about to end, so it always restarts the server.
            true => program.restart().map(|()| true)?,
            false => program.restart_if_ended()?,
        };
        if ends_when_left {
            // The time for restarts extends the deadline of the check, because the server answers nothing
            // during a restart.
            let max = MAX_ANSWER_TIMES * self.timeouts.answer;
            let spent = started.elapsed().min(max.saturating_sub(self.restart_time));
            self.restart_time += spent;
            self.timeouts.until += spent;
        }
        if has_restarted {
            self.has_sent_illegal = false;
            (self.no_session, self.no_game) = Default::default();
            if let Some(probes) = &mut self.probes {
                probes.clear();
            }
        }
        Ok(())
    }

    /// Whether a server that the kit has started ends when a client leaves. If so, the kit must start it again for each
    /// rule.
    pub(super) fn ends_when_left(&self) -> bool {
        self.program.is_some() && self.broken.iter().any(|rule| rule.starts_with("leaving"))
    }

    /// Looks for a stack trace in the server's output, and checks that the server still runs. If the server has ended
    /// without a stack trace, and `verdict` says that the rule holds, the verdict becomes "broken". This does not apply
    /// to a server that always ends when a client leaves.
    pub(super) fn look_at_program(&mut self, rule: &TcpRule, verdict: &mut Verdict) {
        let Some(program) = &mut self.program else {
            return;
        };
        let (output, end) = program.take_output();
        let trace = stack_trace(&output);
        if !trace.is_empty() {
            let problem = format!(
                "the server printed a stack trace while the rule {} was tried: {}",
                rule.name, rule.claim
            );
            // The kit may read the output late, so after an illegal frame it is unknown which rule caused a trace.
            let is_doubtful = self.has_sent_illegal || !rule.is_legal;
            self.has_doubtful_trace |= is_doubtful;
            match verdict {
                _ if !is_doubtful && self.trace.is_none() => {
                    self.trace = Some(trace_finding(problem, trace.clone()));
                }
                Verdict::Holds { notes } if !rule.is_legal => notes.push(format!(
                    "the server printed a stack trace; the document forbids that only when a client disconnects: {}",
                    trace_headline(&trace)
                )),
                Verdict::Holds { .. } | Verdict::Broken(_) | Verdict::NotTried(_) => {}
            }
        }
        self.has_sent_illegal |= !rule.is_legal;
        if !trace.is_empty() || self.ends_when_left() {
            return;
        }
        if let (Some(end), Verdict::Holds { .. }) = (end, &verdict) {
            let mut finding = Finding {
                problem: format!("the server program ended: {end}"),
                facts: vec![Fact::new("expected", "the server keeps running")],
                conversation: Vec::new(),
            };
            let output = String::from_utf8_lossy(&output);
            finding
                .conversation
                .extend(output.lines().take(8).map(printable));
            *verdict = Verdict::Broken(finding);
        }
    }

    /// The stack trace that the server printed although clients sent only allowed frames. `None` if the server printed
    /// no such trace. If the kit cannot tell which frame caused a trace, it tries again with a new server.
    pub(super) fn find_trace(&mut self) -> Option<Finding> {
        if self.trace.is_none() {
            let is_late = self.late_trace().is_some();
            if is_late || self.has_doubtful_trace {
                self.trace = self.trace_of_new_server();
            }
        }
        self.trace.clone()
    }

    /// Restarts the server. Clients then send only allowed frames and disconnect. Returns a finding if the server then
    /// prints a stack trace.
    fn trace_of_new_server(&mut self) -> Option<Finding> {
        self.program.as_mut()?.restart().ok()?;
        (self.no_session, self.no_game) = Default::default();
        for start in [Checker::connect, Checker::start_session, Checker::admitted] {
            if let Ok(connection) = start(self) {
                connection.leave();
            }
        }
        if let Ok(mut connection) = self.admitted()
            && first_moves(&mut connection).is_ok()
        {
            connection.leave();
        }
        let problem = "the server printed a stack trace after clients had disconnected";
        let trace = self.late_trace()?;
        Some(trace_finding(problem.to_owned(), trace))
    }

    /// Waits for a stack trace, which may be printed a moment after a disconnection. Returns its
    /// lines; `None` if none is printed.
    fn late_trace(&mut self) -> Option<Vec<String>> {
        let program = self.program.as_mut()?;
        // On a busy machine the server's answers are late too, so the slowest answer decides how long to wait.
        let mut observations = self.observations.borrow_mut();
        let slowest = observations
            .answer_times
            .iter()
            .map(|(_, time)| *time)
            .max();
        let late = 2 * SHORT.max(slowest.unwrap_or_default());
        observations.waited += late;
        drop(observations);
        program.wait_for_output(late);
        let (output, _) = program.take_output();
        let trace = stack_trace(&output);
        (!trace.is_empty()).then_some(trace)
    }
}

fn trace_finding(problem: String, trace: Vec<String>) -> Finding {
    Finding {
        problem,
        facts: vec![
            Fact::new("received", trace_headline(&trace)),
            Fact::new("expected", "no stack trace when a client disconnects"),
        ],
        conversation: trace,
    }
}
