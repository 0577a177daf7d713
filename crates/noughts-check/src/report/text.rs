//! The report as plain text.

use std::fmt;

use super::{Entry, Report, heading};
use crate::verdict::{Finding, Verdict, Weight};

const INDENT: &str = "          ";

/// The width in characters at which most sentences are wrapped, so that they fit a usual terminal. Bytes and
/// conversations are not wrapped.
const WIDTH: usize = 80;

/// Writes wrapped text. The first line starts with `first`, and each further line starts with `next`.
fn wrapped(f: &mut fmt::Formatter<'_>, first: &str, next: &str, words: &str) -> fmt::Result {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in words.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{}", line.trim_end())?;
            next.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    writeln!(f, "{}", line.trim_end())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.subject)?;
        wrapped(f, "Rules: ", "  ", self.document)?;
        for note in &self.notes {
            wrapped(f, "Note: ", "  ", note)?;
        }
        for weight in [Weight::Demanded, Weight::Open, Weight::Advice] {
            self.section(weight, f)?;
        }
        writeln!(f, "\n{}", self.summary().join("\n"))?;
        wrapped(f, "", "  ", &self.conclusion())
    }
}

impl Report {
    fn section(&self, weight: Weight, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dialect = None;
        let entries = self.entries.iter().filter(|entry| entry.weight == weight);
        for entry in entries.filter(|entry| !self.is_hidden(entry)) {
            if dialect.is_none() {
                writeln!(f)?;
                wrapped(f, "", "", heading(weight))?;
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
        let first = format!("  {:<7} {:<width$}  ", self.mark(), self.rule);
        wrapped(f, &first, &" ".repeat(12 + width), &self.claim)?;
        match &self.verdict {
            Verdict::Holds { notes } => {
                for note in notes {
                    wrapped(f, &format!("{INDENT}note: "), &format!("{INDENT}  "), note)?;
                }
                Ok(())
            }
            Verdict::NotTried(why) => wrapped(
                f,
                &format!("{INDENT}not tried: "),
                &format!("{INDENT}  "),
                why,
            ),
            Verdict::Broken(finding) => {
                finding.show(f)?;
                let source = format!("{INDENT}document: ");
                wrapped(f, &source, &format!("{INDENT}  "), &self.source)?;
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
        let next = format!("{INDENT}  ");
        wrapped(f, &format!("{INDENT}problem: "), &next, &self.problem)?;
        for fact in &self.facts {
            let label = format!("{INDENT}  {:<9} ", fact.label);
            wrapped(
                f,
                &label,
                &" ".repeat(label.chars().count() + 2),
                &fact.words,
            )?;
            if !fact.hex.is_empty() {
                writeln!(f, "{INDENT}  {:<9}   {}", "", fact.hex)?;
            }
        }
        Ok(())
    }
}
