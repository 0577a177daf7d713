//! A shell in which nothing happens but what a test says.

use super::{Printed, Shell, Trouble};
use crate::step::Step;

type Reply = Result<Printed, Trouble>;

/// Answers each step by the first rule whose text begins the step; a step without a rule goes
/// well and prints nothing.
#[derive(Default)]
pub(crate) struct Scripted {
    rules: Vec<(String, Reply)>,
    /// After a step that begins like the first, the rules that begin like the second are gone.
    cures: Vec<(String, String)>,
    /// Every step so far, as shown.
    pub(crate) ran: Vec<String>,
}

impl Scripted {
    pub(crate) fn fails(mut self, step: &str) -> Scripted {
        let trouble = Trouble::Failed {
            how: "exit code 1".to_owned(),
            printed: Printed::default(),
        };
        self.rules.push((step.to_owned(), Err(trouble)));
        self
    }

    pub(crate) fn lacks(mut self, program: &str) -> Scripted {
        let trouble = Trouble::NotStarted("there is no such program".to_owned());
        self.rules.push((program.to_owned(), Err(trouble)));
        self
    }

    pub(crate) fn prints(mut self, step: &str, out: &str, err: &str) -> Scripted {
        self.rules.push((
            step.to_owned(),
            Ok(Printed {
                out: out.to_owned(),
                err: err.to_owned(),
            }),
        ));
        self
    }

    pub(crate) fn cures(mut self, step: &str, trouble_with: &str) -> Scripted {
        self.cures.push((step.to_owned(), trouble_with.to_owned()));
        self
    }

    fn answer(&mut self, step: &Step) -> Reply {
        let shown = step.to_string();
        let reply = self
            .rules
            .iter()
            .find(|(begins, _)| shown.starts_with(begins))
            .map(|(_, reply)| reply.clone());
        for (_, cured) in self
            .cures
            .iter()
            .filter(|(begins, _)| shown.starts_with(begins))
        {
            self.rules.retain(|(begins, _)| begins != cured);
        }
        self.ran.push(shown);
        reply.unwrap_or_else(|| Ok(Printed::default()))
    }
}

impl Shell for Scripted {
    fn run(&mut self, step: &Step) -> Result<(), Trouble> {
        self.answer(step).map(drop)
    }

    fn read(&mut self, step: &Step) -> Result<Printed, Trouble> {
        self.answer(step)
    }
}
