//! The report as one HTML file without scripts and without links to other hosts.

use std::fmt::Write;

use super::{Entry, Report, escaped, heading};
use crate::verdict::{Finding, Verdict, Weight};

const STYLE: &str = "\
:root{color-scheme:light dark;--text:#1b1b1f;--back:#fff;--soft:#f3f3f6;--line:#d5d5dc;--faint:#55555f;--bad:#b3261e;--good:#146c43;--odd:#8a5300}
@media(prefers-color-scheme:dark){:root{--text:#e8e8ee;--back:#16161a;--soft:#222228;--line:#3a3a44;--faint:#aaaab4;--bad:#ff8a80;--good:#6fd39b;--odd:#ffb74d}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:var(--text);background:var(--back);overflow-wrap:anywhere}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem;margin:0}h3 code{font-weight:400;color:var(--faint)}
.sum{padding:.75rem 1rem;border-left:.4rem solid;background:var(--soft)}.sum.good{border-color:var(--good)}.sum.bad{border-color:var(--bad)}
article{border:1px solid var(--line);border-left:.4rem solid var(--odd);border-radius:.4rem;padding:.75rem 1rem;margin:.75rem 0}article.FAIL{border-left-color:var(--bad)}
.mark{font-weight:700;margin-right:.5rem;color:var(--odd)}.FAIL .mark,.shown{color:var(--bad)}.pass,.wanted{color:var(--good)}
table{border-collapse:collapse;width:100%}td{border-bottom:1px solid var(--line);padding:.25rem .5rem;vertical-align:top}
td:first-child{white-space:nowrap;width:3rem}td:nth-child(2){width:11rem}small,blockquote,.legend{color:var(--faint)}
dt{font-weight:600;margin-top:.4rem}dd{margin:0 0 0 1rem}code,pre{font:14px/1.4 ui-monospace,monospace}
pre{background:var(--soft);padding:.6rem;white-space:pre-wrap;margin:.25rem 0 0}blockquote{margin:.25rem 0 .75rem;padding-left:.75rem;border-left:3px solid var(--line)}
h4{font-size:.9rem;margin:.75rem 0 0}@media(max-width:30rem){td:nth-child(2){width:6rem}td{padding:.25rem}}
@media print{body{font-size:11pt;margin:0;max-width:none}article,tr{break-inside:avoid}h2,h3,h4{break-after:avoid}pre,code{font-size:9pt}}";

/// The meaning of the labels, for readers who have only the page.
const LEGEND: &str = "pass: the rule holds. FAIL: the document demands it, and the program does something else. differs: the document does \
     not decide it, and most programs behave differently; no fault. advice: it works, but not with every other program \
     or network; no fault. -: not tried; the reason follows.";

impl Report {
    /// The report as one HTML page.
    pub fn html(&self) -> String {
        let title = escaped(&format!("Report: {}", self.subject));
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>\n{STYLE}\n</style>\n<h1>{}</h1>\n<p>Rules: {}</p>\n",
            escaped(&self.subject),
            escaped(self.document)
        );
        let class = if self.is_good() { "good" } else { "bad" };
        let _ = writeln!(
            page,
            "<p class=\"sum {class}\"><strong>{}</strong><br>{}</p>",
            escaped(&self.conclusion()),
            escaped(&self.summary().join("\n")).replace('\n', "<br>")
        );
        for note in &self.notes {
            let _ = writeln!(page, "<p>Note: {}</p>", escaped(note));
        }
        for weight in [Weight::Demanded, Weight::Open, Weight::Advice] {
            self.html_section(weight, &mut page);
        }
        let _ = writeln!(page, "<p class=\"legend\"><small>{LEGEND}</small></p>");
        page + "</html>\n"
    }

    fn html_section(&self, weight: Weight, page: &mut String) {
        let of_weight = self.entries.iter().filter(|entry| entry.weight == weight);
        let entries: Vec<&Entry> = of_weight.filter(|entry| !self.is_hidden(entry)).collect();
        if entries.is_empty() {
            return;
        }
        let _ = writeln!(page, "<h2>{}</h2>", escaped(heading(weight)));
        for entry in &entries {
            if let Verdict::Broken(finding) = &entry.verdict {
                self.article(entry, finding, page);
            }
        }
        page.push_str("<table>\n");
        for entry in &entries {
            let remark = match &entry.verdict {
                Verdict::Holds { notes } => notes.join("; "),
                Verdict::NotTried(why) => format!("not tried: {why}"),
                Verdict::Broken(_) => continue,
            };
            let remark = match remark.is_empty() {
                true => String::new(),
                false => format!("<br><small>{}</small>", escaped(&remark)),
            };
            let _ = writeln!(
                page,
                "<tr><td class=\"{0}\">{0}<td><code>{1}</code><td>{2}{remark}",
                entry.mark(),
                escaped(&self.name(entry)),
                escaped(&entry.claim)
            );
        }
        page.push_str("</table>\n");
    }

    /// The rule's name, with its dialect if the report has several dialects.
    fn name(&self, entry: &Entry) -> String {
        let first = self.entries.first().map(|first| &first.dialect);
        match self.entries.iter().all(|one| Some(&one.dialect) == first) {
            true => entry.rule.clone(),
            false => format!("{} ({})", entry.rule, entry.dialect),
        }
    }

    fn article(&self, entry: &Entry, finding: &Finding, page: &mut String) {
        let mark = entry.mark();
        let _ = writeln!(
            page,
            "<article class=\"{mark}\">\n<h3><span class=\"mark\">{mark}</span> {} <code>{}</code></h3>\n<p>{}</p>\n<dl>",
            escaped(&entry.claim),
            escaped(&self.name(entry)),
            escaped(&finding.problem)
        );
        for fact in &finding.facts {
            let bytes = match fact.hex.is_empty() {
                true => String::new(),
                false => format!("<br><code>{}</code>", escaped(&fact.hex)),
            };
            let _ = writeln!(
                page,
                "<dt>{}<dd>{}{bytes}",
                escaped(fact.label),
                escaped(&fact.words)
            );
        }
        let _ = writeln!(
            page,
            "</dl>\n<h4>The document</h4>\n<blockquote>{}</blockquote>",
            quoted(&entry.source)
        );
        if !finding.conversation.is_empty() {
            let heading = match self.kind {
                "classic" => "The output",
                _ => "The conversation",
            };
            let lines = lines(&finding.conversation);
            let _ = writeln!(page, "<h4>{heading}</h4>\n<pre>{lines}</pre>");
        }
        page.push_str("</article>\n");
    }
}

/// Formats a quoted sentence with its translation on a separate line.
fn quoted(source: &str) -> String {
    escaped(source).replacen("» (", "»<br>(", 1)
}

/// Formats the lines of a conversation as HTML. Highlights the lines that start with `- ` or `+ `.
fn lines(conversation: &[String]) -> String {
    let mut text = String::new();
    for line in conversation {
        let class = match (line.starts_with("- "), line.starts_with("+ ")) {
            (true, _) => "wanted",
            (_, true) => "shown",
            (false, false) => "",
        };
        let line = escaped(line);
        let _ = match class {
            "" => writeln!(text, "{line}"),
            _ => writeln!(text, "<span class=\"{class}\">{line}</span>"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_program_cannot_add_markup() {
        let report = Report {
            kind: "classic",
            subject: "The program <script>alert(1)</script>".to_owned(),
            document: "a document",
            notes: vec!["<img src=x>".to_owned()],
            entries: Vec::new(),
            hide_differences: false,
            waited: std::time::Duration::ZERO,
        };
        let page = report.html();
        assert!(!page.contains("<script") && !page.contains("<img"));
        assert!(!page.contains("http"));
    }
}
