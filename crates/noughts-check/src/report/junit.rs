//! The report as JUnit XML, a format that most CI systems read.

use std::fmt::Write;

use super::{Entry, Report, escaped};
use crate::verdict::{Finding, Verdict, Weight};

impl Report {
    /// The report as one test suite, with one test case for each entry. Rules that were not tried are skipped
    /// test cases. Rules that the course document does not demand never fail. The findings about them are in
    /// `system-out`.
    pub fn junit(&self) -> String {
        let failed = self.tally(Weight::Demanded).broken;
        let skipped: usize = [Weight::Demanded, Weight::Open, Weight::Advice]
            .map(|weight| self.tally(weight).not_tried)
            .iter()
            .sum();
        let seconds: f64 = self.entries.iter().map(|e| e.took.as_secs_f64()).sum();
        let counts = format!(
            "tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"{seconds:.3}\"",
            self.entries.len(),
        );
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(
            xml,
            "<testsuites {counts}>\n  <testsuite name=\"{}\" {counts}>",
            escaped(&format!("noughts check {}", self.kind))
        );
        for entry in &self.entries {
            self.case(entry, &mut xml);
        }
        xml + "  </testsuite>\n</testsuites>\n"
    }

    fn case(&self, entry: &Entry, xml: &mut String) {
        let class = ["noughts", self.kind, &entry.dialect, &entry.rule];
        let class: Vec<&str> = class.into_iter().filter(|part| !part.is_empty()).collect();
        let _ = write!(
            xml,
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\">",
            escaped(&class.join(".")),
            escaped(&entry.claim),
            entry.took.as_secs_f64()
        );
        match &entry.verdict {
            Verdict::Holds { notes } if notes.is_empty() => {}
            Verdict::Holds { notes } => {
                let _ = write!(
                    xml,
                    "<system-out>{}</system-out>",
                    escaped(&notes.join("\n"))
                );
            }
            Verdict::NotTried(why) => {
                let _ = write!(xml, "<skipped message=\"{}\"/>", escaped(why));
            }
            Verdict::Broken(finding) if entry.weight == Weight::Demanded => {
                let _ = write!(
                    xml,
                    "<failure type=\"demanded\" message=\"{}\">{}</failure>",
                    escaped(&finding.problem),
                    escaped(&told(finding, &entry.source))
                );
            }
            Verdict::Broken(finding) => {
                let text = escaped(&told(finding, &entry.source));
                let _ = write!(xml, "<system-out>{text}</system-out>");
            }
        }
        xml.push_str("</testcase>\n");
    }
}

fn told(finding: &Finding, source: &str) -> String {
    let mut text = format!("problem: {}\ndocument: {source}\n", finding.problem);
    for fact in &finding.facts {
        let _ = writeln!(text, "{}: {}", fact.label, fact.words);
        if !fact.hex.is_empty() {
            let _ = writeln!(text, "  {}", fact.hex);
        }
    }
    for line in &finding.conversation {
        let _ = writeln!(text, "| {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_stranger_sent_breaks_the_xml() {
        assert_eq!(
            escaped("<a b=\"c\">&\u{0}\u{1b}[31m\r]]>\u{ffff}é\n"),
            "&lt;a b=&quot;c&quot;&gt;&amp;��[31m�]]&gt;�é\n"
        );
    }
}
