//! The report as one HTML file without scripts and without links to other hosts.

use std::fmt::Write;

use super::{Entry, Report, heading};
use crate::verdict::{Finding, Verdict, Weight};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}.sum{padding:.75rem 1rem;border-left:.4rem solid #888;background:#f3f3f6}
.sum.good{border-color:#18794e}.sum.bad{border-color:#c62828}article{border:1px solid #d5d5dc;border-radius:.4rem;padding:.75rem 1rem;margin:.75rem 0}
article.FAIL{border-left:.4rem solid #c62828}article.differs,article.advice{border-left:.4rem solid #b26a00}h3{font-size:1rem;margin:0}
h3 code{font-weight:400;color:#555}.mark{display:inline-block;min-width:4rem}table{border-collapse:collapse;width:100%}
td{border-bottom:1px solid #e4e4ea;padding:.25rem .5rem;vertical-align:top}td:first-child{white-space:nowrap}
dt{font-weight:600;margin-top:.4rem}dd{margin:0 0 0 1rem}code,pre{font:14px/1.4 ui-monospace,monospace}
pre{background:#f3f3f6;padding:.6rem;overflow-x:auto}blockquote{margin:.5rem 0;padding-left:.75rem;border-left:3px solid #bbb;color:#333}
@media(prefers-color-scheme:dark){body{background:#16161a;color:#e8e8ee}.sum,pre{background:#222228}article,td{border-color:#3a3a44}h3 code,blockquote{color:#aaa}}
@media print{article{break-inside:avoid}}";

impl Report {
    /// The whole report as one HTML page, to hand out.
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
            escaped(self.conclusion()),
            escaped(&self.summary().join("\n")).replace('\n', "<br>")
        );
        for note in &self.notes {
            let _ = writeln!(page, "<p>Note: {}</p>", escaped(note));
        }
        for weight in [Weight::Demanded, Weight::Open, Weight::Advice] {
            self.html_section(weight, &mut page);
        }
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
                article(entry, finding, page);
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
                "<tr><td>{}<td><code>{}</code><td>{}{remark}",
                entry.mark(),
                escaped(&name(entry)),
                escaped(&entry.claim)
            );
        }
        page.push_str("</table>\n");
    }
}

fn name(entry: &Entry) -> String {
    match entry.dialect.is_empty() {
        true => entry.rule.clone(),
        false => format!("{} ({})", entry.rule, entry.dialect),
    }
}

fn article(entry: &Entry, finding: &Finding, page: &mut String) {
    let mark = entry.mark();
    let _ = writeln!(
        page,
        "<article class=\"{mark}\">\n<h3><span class=\"mark\">{mark}</span> {} <code>{}</code></h3>\n<p>{}</p>\n<dl>",
        escaped(&entry.claim),
        escaped(&name(entry)),
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
        "</dl>\n<blockquote>{}</blockquote>",
        escaped(&entry.source)
    );
    if !finding.conversation.is_empty() {
        let lines = escaped(&finding.conversation.join("\n"));
        let _ = writeln!(page, "<pre>{lines}</pre>");
    }
    page.push_str("</article>\n");
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\n' => safe.push('\n'),
            _ if sign.is_control() => safe.push('\u{fffd}'),
            _ => safe.push(sign),
        }
    }
    safe
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
        };
        let page = report.html();
        assert!(!page.contains("<script") && !page.contains("<img"));
        assert!(!page.contains("http"));
    }
}
