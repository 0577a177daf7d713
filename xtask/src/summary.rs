//! The end of a run: every part, what became of it, and how long it took.

use std::fmt;
use std::time::Duration;

use crate::part::Verdict;

/// Every part of a run, in the order in which they ran.
#[derive(Clone, Debug)]
pub struct Summary {
    /// One for each part, whatever became of it.
    pub entries: Vec<Entry>,
}

/// One part, run.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The part's name.
    pub name: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Its installations are in this, too.
    pub took: Duration,
}

impl Summary {
    /// Every part passed.
    pub fn is_good(&self) -> bool {
        self.entries
            .iter()
            .all(|entry| entry.verdict == Verdict::Passed)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .entries
            .iter()
            .map(|entry| entry.name.chars().count())
            .max()
            .unwrap_or(0);
        writeln!(f, "── summary")?;
        for Entry {
            name,
            verdict,
            took,
        } in &self.entries
        {
            let (word, reasons) = tell(verdict);
            writeln!(
                f,
                "   {name:width$}  {word:13}  {:5} s",
                took.as_secs_f64().round()
            )?;
            reasons
                .iter()
                .try_for_each(|reason| writeln!(f, "      {reason}"))?;
        }
        let bad = self
            .entries
            .iter()
            .filter(|entry| entry.verdict != Verdict::Passed)
            .count();
        match (bad, self.entries.len()) {
            (0, all) => writeln!(f, "   all {all} passed"),
            (bad, all) => writeln!(f, "   {bad} of {all} did not pass"),
        }
    }
}

fn tell(verdict: &Verdict) -> (&'static str, &[String]) {
    match verdict {
        Verdict::Passed => ("passed", &[]),
        Verdict::Failed(steps) => ("FAILED", steps),
        Verdict::CouldNotRun(reasons) => ("COULD NOT RUN", reasons),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, verdict: Verdict, seconds: u64) -> Entry {
        Entry {
            name: name.to_owned(),
            verdict,
            took: Duration::from_secs(seconds),
        }
    }

    #[test]
    fn every_part_is_named_with_its_reasons() {
        let summary = Summary {
            entries: vec![
                entry("format", Verdict::Passed, 1),
                entry(
                    "lints",
                    Verdict::Failed(vec!["`clippy` ended with exit code 101".into()]),
                    123,
                ),
                entry(
                    "fuzz build",
                    Verdict::CouldNotRun(vec!["no compiler".into()]),
                    0,
                ),
            ],
        };
        let expected = "\
── summary
   format      passed             1 s
   lints       FAILED           123 s
      `clippy` ended with exit code 101
   fuzz build  COULD NOT RUN      0 s
      no compiler
   2 of 3 did not pass
";
        assert_eq!(summary.to_string(), expected);
    }

    #[test]
    fn only_passing_is_good() {
        for (verdict, good) in [
            (Verdict::Passed, true),
            (Verdict::Failed(Vec::new()), false),
            (Verdict::CouldNotRun(Vec::new()), false),
        ] {
            let summary = Summary {
                entries: vec![entry("a", Verdict::Passed, 0), entry("b", verdict, 0)],
            };
            assert_eq!(summary.is_good(), good);
        }
    }
}
