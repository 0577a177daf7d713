//! One part of a run: what it is called, what it needs, and the steps it takes.

use std::time::Instant;

use crate::need::Need;
use crate::shell::{Shell, Trouble};
use crate::step::Step;
use crate::summary::{Entry, Summary};
use crate::toolbox::Toolbox;

/// One part.
#[derive(Clone, Debug)]
pub struct Part {
    /// How the summary calls it.
    pub name: String,
    /// Fetched before its first step.
    pub needs: Vec<Need>,
    /// Taken in order, each whatever became of those before it: one run shows all there is to
    /// mend.
    pub steps: Vec<Step>,
}

/// What became of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every step ended well.
    Passed,
    /// These steps did not.
    Failed(Vec<String>),
    /// Something was missing, so that the part says nothing about the code.
    CouldNotRun(Vec<String>),
}

/// Runs the parts in order; one that fails does not stop those after it.
pub fn run_all(parts: &[Part], shell: &mut dyn Shell) -> Summary {
    let mut toolbox = Toolbox::default();
    let entries = parts.iter().map(|part| {
        eprintln!("── {}", part.name);
        let begun = Instant::now();
        let verdict = part.run(&mut toolbox, shell);
        eprintln!();
        Entry {
            name: part.name.clone(),
            verdict,
            took: begun.elapsed(),
        }
    });
    Summary {
        entries: entries.collect(),
    }
}

impl Part {
    /// A part of this name.
    pub fn new(name: &str, needs: &[Need], steps: Vec<Step>) -> Part {
        Part {
            name: name.to_owned(),
            needs: needs.to_vec(),
            steps,
        }
    }

    /// Fetches what is needed and takes every step.
    pub fn run(&self, toolbox: &mut Toolbox, shell: &mut dyn Shell) -> Verdict {
        let missing: Vec<String> = self
            .needs
            .iter()
            .filter_map(|need| toolbox.fetch(need, shell).err())
            .collect();
        if !missing.is_empty() {
            return Verdict::CouldNotRun(missing);
        }
        if self.steps.is_empty() {
            // Passing without having done anything would be a silent skip.
            return Verdict::CouldNotRun(vec!["there is nothing in it to run".to_owned()]);
        }
        self.take_steps(shell)
    }

    fn take_steps(&self, shell: &mut dyn Shell) -> Verdict {
        let (mut failed, mut not_started) = (Vec::new(), Vec::new());
        for step in &self.steps {
            eprintln!("   $ {step}");
            match shell.run(step) {
                Ok(()) => {}
                Err(trouble @ Trouble::Failed { .. }) => failed.push(trouble.told_of(step)),
                Err(trouble @ Trouble::NotStarted(_)) => not_started.push(trouble.told_of(step)),
            }
        }
        if !failed.is_empty() {
            failed.append(&mut not_started);
            Verdict::Failed(failed)
        } else if !not_started.is_empty() {
            Verdict::CouldNotRun(not_started)
        } else {
            Verdict::Passed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::need::NEXTEST;
    use crate::shell::scripted::Scripted;

    fn part(name: &str, needs: &[Need], lines: &[&str]) -> Part {
        Part::new(
            name,
            needs,
            lines.iter().map(|line| Step::new(line)).collect(),
        )
    }

    #[test]
    fn a_failing_part_does_not_stop_the_next() {
        let mut shell = Scripted::default().fails("bad");
        let summary = run_all(
            &[
                part("first", &[], &["bad", "good"]),
                part("second", &[], &["fine"]),
            ],
            &mut shell,
        );
        assert_eq!(shell.ran, ["bad", "good", "fine"]);
        let verdicts: Vec<_> = summary
            .entries
            .iter()
            .map(|entry| entry.verdict.clone())
            .collect();
        let told = vec!["`bad` ended with exit code 1".to_owned()];
        assert_eq!(verdicts, [Verdict::Failed(told), Verdict::Passed]);
    }

    #[test]
    fn a_part_whose_tool_cannot_be_had_is_not_begun() {
        let mut shell = Scripted::default()
            .fails("cargo nextest --version")
            .fails("cargo install");
        let verdict = part("tests", &[NEXTEST], &["cargo nextest run"])
            .run(&mut Toolbox::default(), &mut shell);
        assert!(matches!(verdict, Verdict::CouldNotRun(_)));
        assert!(!shell.ran.contains(&"cargo nextest run".to_owned()));
    }

    #[test]
    fn a_missing_program_says_nothing_about_the_code() {
        let mut shell = Scripted::default().lacks("mkdir").fails("bad");
        let run = |lines: &[&str], shell: &mut Scripted| {
            part("p", &[], lines).run(&mut Toolbox::default(), shell)
        };
        assert!(matches!(
            run(&["mkdir x"], &mut shell),
            Verdict::CouldNotRun(_)
        ));
        assert!(
            matches!(run(&["mkdir x", "bad"], &mut shell), Verdict::Failed(steps) if steps.len() == 2)
        );
    }

    #[test]
    fn an_empty_part_does_not_pass() {
        let verdict = part("fuzz", &[], &[]).run(&mut Toolbox::default(), &mut Scripted::default());
        assert!(matches!(verdict, Verdict::CouldNotRun(_)));
    }
}
