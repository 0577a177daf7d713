//! The rules of the house, held against this repository.
//!
//! That each of them can fail is shown beside it, in `src/house/`.

use xtask::house::tree::Tree;
use xtask::house::{arrows, links, lints, names, reach};

fn check(rule: fn(&Tree) -> Vec<String>) {
    let tree = Tree::read(xtask::root()).expect("the repository can be read");
    let findings = rule(&tree);
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn crates_depend_downwards_only() {
    check(arrows::findings);
}

#[test]
fn every_source_is_reached_by_a_mod_or_a_target() {
    check(reach::findings);
}

#[test]
fn nothing_is_unsafe_and_every_crate_inherits_the_lints() {
    check(lints::findings);
}

#[test]
fn files_are_named_for_what_they_are_about() {
    check(names::findings);
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    check(links::findings);
}
