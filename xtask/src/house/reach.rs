//! Every source file belongs to some target: none lies about in no `mod`.

use std::collections::BTreeSet;

use super::manifest::Manifest;
use super::tokens::{Token, tokens};
use super::tree::{Tree, joined, parent, resolved};

/// Every `.rs` of a package that no target of its reaches.
pub fn findings(tree: &Tree) -> Vec<String> {
    let mut reached = BTreeSet::new();
    let packages: Vec<&str> = tree
        .paths()
        .filter_map(|path| path.strip_suffix("/Cargo.toml"))
        .collect();
    for package in &packages {
        for target in targets(tree, package) {
            reach(tree, &target, parent(&target), &mut reached);
        }
    }
    let of_a_package = |path: &str| {
        packages
            .iter()
            .any(|package| path.starts_with(&format!("{package}/")))
    };
    tree.of_kind("rs")
        .filter(|(path, _)| of_a_package(path) && !reached.contains(*path))
        .map(|(path, _)| format!("{path}: no `mod` and no target leads here"))
        .collect()
}

/// Where cargo begins to compile: the places it knows, and those the manifest names.
fn targets(tree: &Tree, package: &str) -> Vec<String> {
    let manifest = Manifest::parse(tree.text(&format!("{package}/Cargo.toml")).unwrap_or(""));
    let named = manifest
        .target_paths
        .iter()
        .filter_map(|path| resolved(package, path));
    let inside = format!("{package}/");
    let known = tree
        .paths()
        .filter(|path| path.strip_prefix(&inside).is_some_and(is_target))
        .map(str::to_owned);
    named.chain(known).collect()
}

fn is_target(path: &str) -> bool {
    if matches!(path, "src/lib.rs" | "src/main.rs" | "build.rs") {
        return true;
    }
    ["src/bin/", "tests/", "benches/", "examples/"]
        .iter()
        .filter_map(|place| path.strip_prefix(place))
        .any(|name| match name.split_once('/') {
            None => name.ends_with(".rs"),
            Some((_, file)) => file == "main.rs",
        })
}

/// Marks a file and all that its `mod`s lead to; `directory` is where its modules lie.
fn reach(tree: &Tree, path: &str, directory: &str, reached: &mut BTreeSet<String>) {
    let Some(text) = tree.text(path) else { return };
    if !reached.insert(path.to_owned()) {
        return;
    }
    for module in modules(text) {
        let inside = module
            .within
            .iter()
            .fold(directory.to_owned(), |place, name| joined(&place, name));
        let Some(given) = module.path else {
            reach(
                tree,
                &joined(&inside, &format!("{}.rs", module.name)),
                &joined(&inside, module.name),
                reached,
            );
            let own = joined(&inside, module.name);
            reach(tree, &joined(&own, "mod.rs"), &own, reached);
            continue;
        };
        // Such a path starts at the file itself, unless a module written in place stands between.
        let start = if module.within.is_empty() {
            parent(path)
        } else {
            &inside
        };
        if let Some(file) = resolved(start, given) {
            reach(tree, &file, parent(&file), reached);
        }
    }
}

/// `mod name;`, with the `#[path]` before it and the modules written in place around it.
#[derive(Debug, PartialEq, Eq)]
struct Module<'s> {
    name: &'s str,
    path: Option<&'s str>,
    within: Vec<&'s str>,
}

fn modules(source: &str) -> Vec<Module<'_>> {
    let pieces = tokens(source);
    let mut found = Vec::new();
    let mut path = None;
    // One for each open brace; a name when the brace is a module's.
    let mut braces: Vec<Option<&str>> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match (piece, &pieces[at + 1..]) {
            (Token::Word("path"), [Token::Mark('='), Token::Text(given), ..]) => {
                path = Some(*given);
            }
            (Token::Word("mod"), [Token::Word(name), Token::Mark(';'), ..]) => {
                let within = braces.iter().copied().flatten().collect();
                found.push(Module {
                    name,
                    path: path.take(),
                    within,
                });
            }
            (Token::Mark('{'), _) => {
                let name = match pieces[..at] {
                    [.., Token::Word("mod"), Token::Word(name)] => Some(name),
                    _ => None,
                };
                braces.push(name);
                path = None;
            }
            (Token::Mark('}'), _) => {
                braces.pop();
                path = None;
            }
            (Token::Mark(';'), _) => path = None,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each file of the package `p`, with what it says; `lost` are those that nothing reaches.
    fn check(files: &[(&str, &str)], lost: &[&str]) {
        let mut all = vec![("p/Cargo.toml", "[[bin]]\npath = \"claims/one.rs\"\n")];
        all.extend(files);
        let expected: Vec<String> = lost
            .iter()
            .map(|path| format!("{path}: no `mod` and no target leads here"))
            .collect();
        assert_eq!(findings(&Tree::of(&all)), expected, "{files:?}");
    }

    #[test]
    fn modules_lead_to_their_files() {
        check(
            &[
                ("p/src/lib.rs", "pub mod a;"),
                ("p/src/a.rs", "mod b;"),
                ("p/src/a/b.rs", ""),
            ],
            &[],
        );
        check(
            &[
                ("p/src/main.rs", "mod a;"),
                ("p/src/a/mod.rs", "mod b;"),
                ("p/src/a/b.rs", ""),
            ],
            &[],
        );
        check(
            &[
                ("p/src/lib.rs", "mod a { fn f() {} mod b; }"),
                ("p/src/a/b.rs", ""),
            ],
            &[],
        );
        check(
            &[
                ("p/src/bin/x.rs", "mod y;"),
                ("p/src/bin/y/mod.rs", ""),
                ("p/tests/t/main.rs", ""),
            ],
            &[],
        );
        check(
            &[("p/claims/one.rs", "mod two;"), ("p/claims/two.rs", "")],
            &[],
        );
    }

    #[test]
    fn a_path_attribute_leads_elsewhere() {
        let lib = (
            "p/src/lib.rs",
            "#[path = \"../odd/x.rs\"]\npub(crate) mod a; mod b;",
        );
        check(
            &[
                lib,
                ("p/odd/x.rs", "mod y;"),
                ("p/odd/y.rs", ""),
                ("p/src/b.rs", ""),
            ],
            &[],
        );
        check(
            &[
                lib,
                ("p/odd/x.rs", ""),
                ("p/src/a.rs", ""),
                ("p/src/b.rs", ""),
            ],
            &["p/src/a.rs"],
        );
    }

    #[test]
    fn a_file_in_no_mod_is_found() {
        check(
            &[
                ("p/src/lib.rs", "// mod a;\nconst S: &str = \"mod a;\";"),
                ("p/src/a.rs", ""),
            ],
            &["p/src/a.rs"],
        );
        check(
            &[("p/src/lib.rs", "mod a {}"), ("p/src/a.rs", "")],
            &["p/src/a.rs"],
        );
        check(
            &[
                ("p/src/lib.rs", "mod a;"),
                ("p/src/a.rs", ""),
                ("p/src/b.rs", "mod a;"),
            ],
            &["p/src/b.rs"],
        );
        check(
            &[("p/claims/one.rs", ""), ("p/claims/two.rs", "")],
            &["p/claims/two.rs"],
        );
        check(&[("p/src/a.rs", "mod a;")], &["p/src/a.rs"]);
    }

    #[test]
    fn a_file_outside_every_package_is_nobodys() {
        check(&[("testdata/x.rs", "")], &[]);
    }
}
