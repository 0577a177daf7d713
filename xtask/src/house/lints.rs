//! Nothing unsafe, and no crate outside the workspace's lints.

use super::manifest::Manifest;
use super::tokens::{Token, tokens};
use super::tree::Tree;

/// Every source with the keyword in its code, and every crate with lints of its own.
pub fn findings(tree: &Tree) -> Vec<String> {
    let mut found: Vec<String> = tree
        .of_kind("rs")
        .filter(|(_, text)| tokens(text).contains(&Token::Word("unsafe")))
        .map(|(path, _)| format!("{path}: `unsafe` is forbidden here"))
        .collect();
    found.extend(
        tree.of_kind("toml")
            .filter(|(path, text)| is_member(path) && !Manifest::parse(text).inherits_lints)
            .map(|(path, _)| format!("{path}: add `[lints]` with `workspace = true`")),
    );
    found
}

/// The fuzz targets and the comparison are workspaces of their own: they have nothing to inherit, and
/// only the keyword is looked for.
fn is_member(path: &str) -> bool {
    let is_apart = path.starts_with("fuzz/") || path.starts_with("bench/");
    path.ends_with("/Cargo.toml") && !is_apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyword_is_found_in_code_alone() {
        let tree = Tree::of(&[
            (
                "a.rs",
                "// unsafe\n#![forbid(unsafe_code)] const S: &str = \"unsafe\";",
            ),
            ("b.rs", "fn f() { unsafe { g() } }"),
            ("fuzz/c.rs", "#[unsafe(no_mangle)] fn f() {}"),
        ]);
        assert_eq!(
            findings(&tree),
            [
                "b.rs: `unsafe` is forbidden here",
                "fuzz/c.rs: `unsafe` is forbidden here"
            ]
        );
    }

    #[test]
    fn a_crate_with_lints_of_its_own_is_found() {
        let tree = Tree::of(&[
            ("Cargo.toml", "[workspace]"),
            ("crates/good/Cargo.toml", "[lints]\nworkspace = true"),
            ("crates/none/Cargo.toml", "[package]\nname = \"none\""),
            (
                "crates/own/Cargo.toml",
                "[lints.rust]\nunsafe_code = \"allow\"",
            ),
            ("fuzz/Cargo.toml", "[workspace]"),
            ("bench/Cargo.toml", "[workspace]"),
        ]);
        let told = |path: &str| format!("{path}: add `[lints]` with `workspace = true`");
        assert_eq!(
            findings(&tree),
            [
                told("crates/none/Cargo.toml"),
                told("crates/own/Cargo.toml")
            ]
        );
    }
}
