//! The report for people.

use std::fmt::{self, Write};

use super::{Entry, Report};
use crate::verdict::{Finding, Verdict, Weight};

/// Where what belongs to a rule begins.
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
        self.summary(f)
    }
}

impl Report {
    fn section(&self, weight: Weight, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut part = None;
        for entry in self.entries.iter().filter(|entry| entry.weight == weight) {
            if part.is_none() {
                writeln!(f, "\n{}", heading(weight))?;
            }
            if part != Some(&entry.part) && !entry.part.is_empty() {
                writeln!(f, "  in the dialect {}", entry.part)?;
            }
            part = Some(&entry.part);
            entry.show(self.name_width(), f)?;
        }
        Ok(())
    }

    fn name_width(&self) -> usize {
        let widths = self.entries.iter().map(|entry| entry.rule.chars().count());
        widths.max().unwrap_or(0).min(28)
    }

    fn summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let demanded = self.tally(Weight::Demanded);
        write!(
            f,
            "\nDemanded: {} of {} rules hold",
            demanded.hold,
            demanded.all()
        )?;
        if demanded.broken > 0 {
            write!(f, ", {} broken", demanded.broken)?;
        }
        if demanded.not_tried > 0 {
            write!(f, ", {} not reached", demanded.not_tried)?;
        }
        f.write_char('.')?;
        let open = self.tally(Weight::Open);
        if open.all() > 0 {
            write!(
                f,
                " Left open: {} of {} done otherwise than usual.",
                open.broken,
                open.all()
            )?;
        }
        let manners = self.tally(Weight::Advice);
        if manners.all() > 0 {
            write!(f, " Manners: {} of {}.", manners.hold, manners.all())?;
        }
        let verdict = match (self.is_good(), demanded.not_tried) {
            (true, 0) => "PASSED: everything that is demanded holds.",
            (true, _) => "PASSED: nothing that is demanded was broken, but not all could be tried.",
            (false, _) => "FAILED: see the rules marked FAIL.",
        };
        writeln!(f, "\n{verdict}")
    }
}

fn heading(weight: Weight) -> &'static str {
    match weight {
        Weight::Demanded => "What the document demands",
        Weight::Open => {
            "What the document leaves open (`differs`: another way than the usual one; no fault)"
        }
        Weight::Advice => "Good manners (`poor`: works, but other programs will suffer; no fault)",
    }
}

impl Entry {
    fn show(&self, width: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match (&self.verdict, self.weight) {
            (Verdict::Holds { .. }, _) => "pass",
            (Verdict::NotTried(_), _) => "-",
            (Verdict::Broken(_), Weight::Demanded) => "FAIL",
            (Verdict::Broken(_), Weight::Open) => "differs",
            (Verdict::Broken(_), Weight::Advice) => "poor",
        };
        writeln!(f, "  {mark:<7} {:<width$}  {}", self.rule, self.claim)?;
        match &self.verdict {
            Verdict::Holds { notes } => {
                for note in notes {
                    writeln!(f, "{INDENT}note: {note}")?;
                }
                Ok(())
            }
            Verdict::NotTried(why) => writeln!(f, "{INDENT}not reached: {why}"),
            Verdict::Broken(finding) => {
                writeln!(f, "{INDENT}source: {}", self.source)?;
                finding.show(self.weight == Weight::Demanded, f)
            }
        }
    }
}

impl Finding {
    fn show(&self, with_log: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{INDENT}what happened: {}", self.wrong)?;
        for fact in &self.facts {
            writeln!(f, "{INDENT}  {:<9} {}", fact.label, fact.words)?;
            if !fact.hex.is_empty() {
                writeln!(f, "{INDENT}  {:<9}   {}", "", fact.hex)?;
            }
        }
        if with_log && !self.log.is_empty() {
            for line in &self.log {
                writeln!(f, "{INDENT}  | {line}")?;
            }
        }
        Ok(())
    }
}
