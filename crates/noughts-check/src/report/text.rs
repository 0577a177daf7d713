//! The report as plain text.

use std::fmt;

use super::{Entry, Report, heading};
use crate::verdict::{Finding, Verdict, Weight};

const INDENT: &str = "          ";

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.subject)?;
        writeln!(f, "Rules: {}", self.document)?;
        for note in &self.notes {
            writeln!(f, "Note: {note}")?;
        }
        for weight in [Weight::Demanded, Weight::Open, Weight::Advice] {
            self.section(weight, f)?;
        }
        writeln!(f, "\n{}\n{}", self.summary().join("\n"), self.conclusion())
    }
}

impl Report {
    fn section(&self, weight: Weight, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dialect = None;
        let entries = self.entries.iter().filter(|entry| entry.weight == weight);
        for entry in entries.filter(|entry| !self.is_hidden(entry)) {
            if dialect.is_none() {
                writeln!(f, "\n{}", heading(weight))?;
            }
            if dialect != Some(&entry.dialect) && !entry.dialect.is_empty() {
                writeln!(f, "  in the dialect {}", entry.dialect)?;
            }
            dialect = Some(&entry.dialect);
            entry.show(self.name_width(), f)?;
        }
        Ok(())
    }

    fn name_width(&self) -> usize {
        let widths = self.entries.iter().map(|entry| entry.rule.chars().count());
        widths.max().unwrap_or(0).min(28)
    }
}

impl Entry {
    fn show(&self, width: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  {:<7} {:<width$}  {}",
            self.mark(),
            self.rule,
            self.claim
        )?;
        match &self.verdict {
            Verdict::Holds { notes } => {
                for note in notes {
                    writeln!(f, "{INDENT}note: {note}")?;
                }
                Ok(())
            }
            Verdict::NotTried(why) => writeln!(f, "{INDENT}not tried: {why}"),
            Verdict::Broken(finding) => {
                finding.show(f)?;
                writeln!(f, "{INDENT}document: {}", self.source)?;
                if self.weight == Weight::Demanded {
                    for line in &finding.conversation {
                        writeln!(f, "{INDENT}  | {line}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl Finding {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{INDENT}problem: {}", self.problem)?;
        for fact in &self.facts {
            writeln!(f, "{INDENT}  {:<9} {}", fact.label, fact.words)?;
            if !fact.hex.is_empty() {
                writeln!(f, "{INDENT}  {:<9}   {}", "", fact.hex)?;
            }
        }
        Ok(())
    }
}
