//! docs/conformance.md lists every rule with its source.

use std::fmt::Write;
use std::path::Path;

use noughts_check::{CLIENT_RULES, RECURRING_RULES, Weight, classic_cases, tcp_rules};

struct Row<'r> {
    name: &'r str,
    claim: &'r str,
    source: &'r str,
    weight: Weight,
}

/// One table per weight, as on the page.
fn tables(rows: &[Row<'_>]) -> String {
    let mut text = String::new();
    for (weight, title) in [
        (Weight::Demanded, "demanded"),
        (Weight::Open, "open"),
        (Weight::Advice, "advice"),
    ] {
        let rows: Vec<_> = rows.iter().filter(|row| row.weight == weight).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n| {title} | | source |\n|---|---|---|");
        for Row {
            name,
            claim,
            source,
            ..
        } in rows
        {
            let plain = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
            let _ = writeln!(text, "| `{name}` | {} | {} |", plain(claim), plain(source));
        }
    }
    text
}

fn check(what: &str, rows: &[Row<'_>]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md");
    let page = std::fs::read_to_string(path).unwrap();
    let tables = tables(rows);
    assert!(
        page.contains(&tables),
        "docs/conformance.md should say of {what}:\n{tables}"
    );
}

#[test]
fn the_page_lists_the_rules_for_servers() {
    for (pairs, what) in [(false, "servers"), (true, "servers for two")] {
        let rules = tcp_rules(pairs);
        let rows: Vec<Row<'_>> = rules
            .iter()
            .map(|rule| Row {
                name: rule.name,
                claim: rule.claim,
                source: rule.source,
                weight: rule.weight,
            })
            .collect();
        check(what, &rows);
    }
}

#[test]
fn the_page_lists_the_rules_for_clients() {
    let rows = CLIENT_RULES.each_ref().map(|rule| Row {
        name: rule.name,
        claim: rule.claim,
        source: rule.source,
        weight: rule.weight,
    });
    check("clients", &rows);
}

#[test]
fn the_page_lists_the_classic_cases() {
    let cases = classic_cases();
    let recurring = RECURRING_RULES.iter().map(|rule| Row {
        name: rule.name,
        claim: rule.claim,
        source: rule.source,
        weight: rule.weight,
    });
    let rows: Vec<Row<'_>> = recurring
        .chain(cases.iter().map(|case| Row {
            name: &case.name,
            claim: &case.claim,
            source: &case.source,
            weight: case.weight,
        }))
        .collect();
    check("classic programs", &rows);
}
