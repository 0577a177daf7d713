//! Every link in the documents that stays in the repository leads somewhere.

use super::tree::{Tree, parent, resolved};

/// Every link of a Markdown file to a file or directory that is not there.
pub fn findings(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in tree.of_kind("md") {
        for (line, target) in links(text) {
            if is_ours(&target) && !leads_somewhere(tree, path, &target) {
                found.push(format!("{path}:{line}: there is no `{target}`"));
            }
        }
    }
    found
}

/// Not a page elsewhere, and not only a place in the same document.
fn is_ours(target: &str) -> bool {
    let scheme = target.split(['/', '#', '?']).next().unwrap_or("");
    !target.is_empty()
        && !target.starts_with('#')
        && !target.starts_with("//")
        && !scheme.contains(':')
}

/// A link that begins with `/` starts at the root, as the sites that show repositories have it.
fn leads_somewhere(tree: &Tree, document: &str, target: &str) -> bool {
    let file = target
        .split(['#', '?'])
        .next()
        .unwrap_or("")
        .replace("%20", " ");
    let start = if file.starts_with('/') {
        ""
    } else {
        parent(document)
    };
    resolved(start, &file).is_some_and(|path| tree.has(&path))
}

/// The targets of the links in a text, with the lines they stand in. Code is left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| line.trim_start().starts_with(marker));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(close)) if open == close => fence = None,
            (Some(_), _) => {}
            (None, None) => found.extend(
                links_of_line(&without_code(line))
                    .into_iter()
                    .map(|target| (number, target)),
            ),
        }
    }
    found
}

fn links_of_line(line: &str) -> Vec<String> {
    let mut targets: Vec<String> = line
        .split("](")
        .skip(1)
        .map(|after| destination(closed(after)))
        .collect();
    for attribute in ["src=\"", "href=\""] {
        targets.extend(
            line.split(attribute)
                .skip(1)
                .filter_map(|after| after.split('"').next())
                .map(str::to_owned),
        );
    }
    // `[name]: target` on a line of its own; `[^1]:` is a footnote.
    if let Some((name, after)) = line.trim_start().split_once("]: ")
        && name.starts_with('[')
        && !name.starts_with("[^")
    {
        targets.push(destination(after));
    }
    targets
}

/// What stands before the parenthesis that closes the link; those inside it come in pairs.
fn closed(after: &str) -> &str {
    let mut depth = 0;
    for (at, sign) in after.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' if depth == 0 => return &after[..at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    after
}

/// The target without its title and angle brackets.
fn destination(text: &str) -> String {
    let text = text.trim();
    match text.strip_prefix('<') {
        Some(inside) => inside.split('>').next().unwrap_or("").to_owned(),
        None => text.split_whitespace().next().unwrap_or("").to_owned(),
    }
}

/// The line without what stands between backticks; a backtick without its pair stays text.
fn without_code(line: &str) -> String {
    let pieces: Vec<&str> = line.split('`').collect();
    let is_code = |at: usize| at % 2 == 1 && at + 1 < pieces.len();
    pieces
        .iter()
        .enumerate()
        .filter(|&(at, _)| !is_code(at))
        .map(|(_, piece)| *piece)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, missing: &[&str]) {
        let tree = Tree::of(&[
            ("docs/a.md", text),
            ("docs/b (c).md", ""),
            ("README.md", ""),
            ("pictures/x.png", ""),
        ]);
        let expected: Vec<String> = missing
            .iter()
            .map(|one| format!("docs/a.md:{one}`"))
            .collect();
        assert_eq!(findings(&tree), expected, "{text}");
    }

    #[test]
    fn links_that_lead_somewhere_are_fine() {
        check(
            "[r](../README.md#top) and ![p](../pictures/x.png \"title\") [d](../pictures/) [b](<b (c).md>)",
            &[],
        );
        check(
            "[b](b%20(c).md) <img src=\"../pictures/x.png\"> [root](/README.md) [up](..)",
            &[],
        );
        check(
            "[out](https://example.org/x.md) [mail](mailto:a@b) [here](#there) [any](//x.org/y)",
            &[],
        );
        check("[ref]: ../README.md 'title'\n[^1]: a note", &[]);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        check("fine\n[gone](gone.md)", &["2: there is no `gone.md"]);
        check(
            "![p](../pictures/y.png) [r](../../out)",
            &[
                "1: there is no `../pictures/y.png",
                "1: there is no `../../out",
            ],
        );
        check("[ref]: gone.md#x", &["1: there is no `gone.md#x"]);
        check(
            "<a href=\"gone.html\">x</a>",
            &["1: there is no `gone.html"],
        );
    }

    #[test]
    fn code_has_no_links() {
        check(
            "`[a](gone.md)` and\n```\n[b](gone.md)\n~~~\n```\n[c](gone.md)",
            &["6: there is no `gone.md"],
        );
        check("one ` alone [a](gone.md)", &["1: there is no `gone.md"]);
    }
}
